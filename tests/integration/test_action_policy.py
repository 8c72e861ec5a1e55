"""Whatever a pull request changes of the policy, it is judged by the file at its base commit, and says so."""

import pytest

from action_stage import SLOWER, Stage, profiles
from profgate.model.manifest import Manifest, ManifestFile, manifest_to_json
from profgate.model.source import MANIFEST_NAME

CONFIG = ".github/profgate.yml"
HERE = f"../{CONFIG}"  # beside the folder of profiles in the workspace
LOOSER = {
    "the gate": "gate: {fail-on: never, on-not-compared: pass}",
    "the names": "gate: {ignore: ['parse'], aliases: {parse: store}}",
    "the strategies": "degradation: {apply: first, strategies: [{method: ow}]}",
    "the thresholds": "degradation: {strategies: [{method: clr, options: {own: 50, gate_share: 0.9}}]}",
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
    recorded.fake.add_comment(recorded.number, "/profgate accept parse max=+900%: please", author="mallory")
    return recorded


@pytest.mark.parametrize("mine", LOOSER.values(), ids=LOOSER)
def test_no_change_of_the_file_loosens_the_gate(gated: Stage, mine: str) -> None:
    assert gated.compare(profiles(SLOWER, 77) | {HERE: mine.encode()}) == 1
    assert f"{CONFIG} is changed by this pull request; the change counts after the merge" in gated.comments[-1]


OWN = {"baseline-profiles": "profiles/**"}
BESIDE = {"config": ".github/none.yml"}


def test_no_other_config_replaces_the_policy(gated: Stage) -> None:
    gated.inputs |= BESIDE
    assert gated.compare(profiles(SLOWER, 77)) == 2
    assert f"the base branch has the policy {CONFIG}, which a pull request cannot replace" in gated.log


def test_other_config_is_read_without_default_file(recorded: Stage) -> None:
    policy = {".github/none.yml": b"gate: {fail-on: never}\n"}
    recorded.base = recorded.fake.add_commit(parents=[recorded.base], branch="main", files=policy)
    recorded.record(profiles(seed=50))
    recorded.open_pull()
    recorded.inputs |= BESIDE
    assert recorded.compare(profiles(SLOWER, 77)) == 0
    assert recorded.report["policy"]["source"] == ".github/none.yml"


def test_own_baseline_needs_the_policy(gated: Stage) -> None:
    gated.inputs |= OWN
    assert gated.compare(profiles(SLOWER, 77)) == 2
    assert "set gate: {own-baseline: true} there" in gated.log


def test_own_baseline_needs_the_base_commit(gated: Stage) -> None:
    """Without the base commit, the policy is unknown."""
    gated.inputs |= OWN | {"token": ""}
    assert gated.compare(profiles(SLOWER, 77)) == 2
    assert "pass token: ${{ github.token }}" in gated.log


def test_policy_may_allow_an_own_baseline(gated: Stage) -> None:
    gated.base = gated.fake.add_commit(
        parents=[gated.base], branch="main", files={CONFIG: b"gate: {own-baseline: true}\n"}
    )
    gated.open_pull()
    gated.inputs |= {"baseline-profiles": "profiles/old/**", "profiles": "profiles/new/**"}
    old = {f"old/{name}": data for name, data in profiles().items()}
    assert gated.compare(old | {f"new/{name}": data for name, data in profiles(seed=2).items()}) == 0
    assert gated.compare(old | {f"new/{name}": data for name, data in profiles(SLOWER, 2).items()}) == 1


def test_committed_manifest_does_not_stop_the_comparison(recorded: Stage) -> None:
    forged = Manifest(os="other", files=(ManifestFile("api/1.folded", "0" * 64, truncated=True),))
    assert recorded.compare(profiles(SLOWER, 77) | {MANIFEST_NAME: manifest_to_json(forged).encode()}) == 1
    assert "profgate-manifest.json in the workspace was ignored" in recorded.comments[-1]


def test_chosen_baseline_does_not_choose_the_policy(gated: Stage) -> None:
    loose = {CONFIG: b"gate: {fail-on: never}\n"}
    gated.head = gated.fake.add_commit(parents=[gated.head], files=loose)
    gated.fake.state.pulls[gated.number].head_sha = gated.head
    gated.inputs["baseline-ref"] = gated.head
    gated.compare(profiles(SLOWER, 77))
    assert gated.report["policy"]["fail_on"] == "degradation"


@pytest.mark.parametrize(("trunk_now", "comments"), [("main", 1), ("release", 0)])
def test_lower_layer_cannot_loosen_the_policy(gated: Stage, trunk_now: str, comments: int) -> None:
    """GitHub's event names the branch below as the base, and its test merge is the parent of this one."""
    fake, trunk = gated.fake, gated.base
    loose = {CONFIG: b"gate: {fail-on: never}\n"}
    below = fake.add_commit(parents=[trunk], branch="layer-1", files=loose)
    head = fake.add_commit(parents=[below], branch="layer-2")
    number = fake.add_pull(head, below, head_ref="layer-2", base_ref="layer-1")
    stack = {"id": 9, "number": 50, "size": 2, "position": 2, "base": {"ref": "main", "sha": trunk}}
    fake.state.pulls[number].stack = {**stack, "base": {"ref": trunk_now, "sha": trunk}}
    base = {"sha": below, "ref": "layer-1", "repo": {"id": fake.state.repository_id}}
    gated.stacked, gated.number, gated.head = {"base": base, "stack": stack}, number, head
    gated.merge = fake.add_commit(parents=[fake.add_commit(parents=[trunk, below]), head])
    gated.pull_run = fake.start_run(head, event="pull_request", branch="layer-2")
    assert gated.step(profiles(SLOWER, 77)) == 1
    assert gated.report["baseline"]["sha"] == trunk
    assert gated.report["policy"]["fail_on"] == "degradation"
    assert len(gated.comments) == comments  # a result against another trunk is outdated
