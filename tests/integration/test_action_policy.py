"""Whatever a pull request changes of the policy, it is judged by the file at its base commit, and says so."""

import json

import pytest

from action_stage import SLOWER, Stage, profiles

CONFIG = ".github/profgate.yml"
HERE = f"../{CONFIG}"  # beside the folder of profiles in the workspace
LOOSER = {
    "the gate": "gate: {fail-on: never, fail-on-total: never, on-not-compared: neutral, max-gate-distance: 50}",
    "the names": "gate: {ignore: ['parse'], focus: ['render'], name-rules: none}",
    "the strategies": "degradation: {apply: first, strategies: [{method: ow}]}",
    "the thresholds": "degradation: {strategies: [{method: clr, options: {q: 1.0e-09, own: 50, gate_share: 0.9}}]}",
    "a second measurement that nobody makes": "gate: {confirm: required}",
    "the owners": "gate: {owners: [mallory]}",
    "a filter": "degradation: {location_filter: 'nothing', cutoff: 99}",
}


@pytest.fixture
def gated(recorded: Stage) -> Stage:
    """A base branch with a policy, and a pull request whose author may not accept anything."""
    policy = {CONFIG: b"gate: {fail-on: degradation, owners: [boss]}\n"}
    recorded.base = recorded.fake.add_commit(parents=[recorded.base], branch="main", files=policy)
    recorded.record(profiles(seed=50))
    recorded.open_pull()
    recorded.fake.add_comment(recorded.number, "/profgate accept parse max=9x: please", author="mallory")
    return recorded


@pytest.mark.parametrize("mine", LOOSER.values(), ids=LOOSER)
def test_no_change_of_the_file_loosens_the_gate(gated: Stage, mine: str) -> None:
    assert gated.compare(profiles(SLOWER, 77) | {HERE: mine.encode()}) == 1
    assert f"{CONFIG} is changed by this pull request; the change counts after the merge" in gated.comments[-1]


def test_no_input_loosens_the_gate(gated: Stage) -> None:
    gated.inputs |= {"fail-on": "never", "fail-on-total": "never", "on-not-compared": "neutral", "strategies": "ow"}
    assert gated.compare(profiles(SLOWER, 77)) == 1
    warnings = [one["text"] for one in json.loads(gated.file("report.json"))["warnings"]]
    assert sum("would loosen" in one for one in warnings) == 3


def test_policy_read_from_checkout_is_reported(recorded: Stage) -> None:
    recorded.inputs |= {"token": "", "baseline-profiles": "profiles/old/**", "profiles": "profiles/new/**"}
    both = {f"{side}/{name}": data for side in ("old", "new") for name, data in profiles().items()}
    recorded.compare(both)
    assert "which the pull request may change" in recorded.summary
