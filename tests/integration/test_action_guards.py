"""No guard of the gate passes when the data that it needs are missing. docs/security.md has the table."""

import json

import pytest

from action_stage import BASE_RUNS, BOTH, SHARES, SLOWER, Stage, both_builds, folded, profiles
from fake_github.bodies import Bodies
from profgate.model.levels import FEWEST_JOBS
from profgate.model.record import replace
from profgate.model.source import RECORDING_NAME

HERE = "../.github/profgate.yml"  # beside the folder of profiles in the workspace
COMMITTED = {"api/6.folded": folded(SHARES, 6)}
SILENT = "gate: {on-not-compared: fail, on-inconclusive: fail}"
NAMES = ("main", "serve", "batch", "render", "store", "log")
PROGRAM = "".join(f"def {name}(): pass\n" for name in NAMES) + "def parse():\n    # \\u000a    slow()\n    r'[0-9]+'\n"


def in_program(shares: dict[str, int], seed: int) -> dict[str, bytes]:
    """Profiles in which every function is in the same file."""
    found = profiles(shares, seed)
    for line, name in enumerate((*NAMES, "parse"), 1):
        place = f"{name} (src/app.py:{line})".encode()
        found = {path: data.replace(name.encode(), place) for path, data in found.items()}
    return found


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        (PROGRAM, PROGRAM.replace("[0-9]+", "([0-9]+)+"), 1),
        (f"# A.\n{PROGRAM}", f"# coding: unicode_escape\n{PROGRAM}", 1),
        (f"{PROGRAM}if a:\n    def f(): pass\n", f"{PROGRAM}if not a:\n    def f(): pass\n", 1),
        (f"{PROGRAM}T = [1, lambda: 1]\n", f"{PROGRAM}T = [2, lambda: 1]\n", 1),
        (f"# Adds.\n{PROGRAM.replace('u000a', '')}", f"# Sums.\n{PROGRAM.replace('u000a', '')}", 0),
    ],
)
def test_change_without_effect_is_proven(stage: Stage, before: str, after: str, code: int) -> None:
    files = {"src/app.py": before.encode(), ".github/profgate.yml": SILENT.encode()}
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=files)
    stage.push_jobs(BASE_RUNS, lambda seed: in_program(SHARES, seed))
    stage.open_pull(files={"src/app.py": after.encode()})
    assert stage.compare(in_program(SLOWER, 77)) == code
    assert ("not reachable from the change" in stage.comments[0]) is not bool(code)


def test_committed_facts_are_not_compared(recorded: Stage) -> None:
    facts = {RECORDING_NAME: b"cpu_model=Other\n"}
    recorded.open_pull(files={f"profiles/{RECORDING_NAME}": facts[RECORDING_NAME]})
    recorded.compare(profiles(SLOWER, 77) | facts)
    assert recorded.report["not_compared"][0]["reason"]["parameters"]["file"] == f"profiles/{RECORDING_NAME}"


def test_policy_of_a_merge_group_is_that_of_its_base(stage: Stage) -> None:
    stage.set_policy("gate: {own-baseline: true}")
    stage.open_pull()
    stage.inputs |= BOTH
    mine = {HERE: b"gate: {fail-on: never}"}
    assert stage.queued(both_builds(profiles(SLOWER, 77)) | mine) == 1


@pytest.mark.parametrize("readable", [FEWEST_JOBS, FEWEST_JOBS - 1])
@pytest.mark.parametrize("shares", [SLOWER, SHARES])
def test_unread_base_runs_are_no_pass(stage: Stage, readable: int, shares: dict[str, int]) -> None:
    stage.push_jobs(FEWEST_JOBS + 1)
    runs = list(stage.fake.state.runs.values())
    stage.damage_baselines(*(run.head_sha for run in runs[: FEWEST_JOBS + 1 - readable]))
    stage.open_pull()
    passes = shares is SHARES and readable >= FEWEST_JOBS
    assert stage.compare(profiles(shares, 77)) == (not passes)


@pytest.mark.parametrize("key", ["linux", "windows"])
def test_expired_report_of_a_shard_is_no_pass(recorded: Stage, key: str) -> None:
    recorded.copy_baselines("linux", "windows")
    recorded.start_pull_run()
    for place, shard in enumerate(("linux", "windows")):
        assert recorded.step(profiles(SHARES, 77 + place), key=shard, mode="shard") == 0
    artifacts = recorded.fake.state.artifacts
    for number, artifact in artifacts.items():
        if artifact.run_id == recorded.pull_run and key in artifact.name and "report" in artifact.name:
            artifacts[number] = replace(artifact, expired=True)
    assert recorded.finish(recorded.step({}, mode="merge", **{"shards-result": "success"})) == 2
    assert "has expired; run the shards again" in recorded.log


def test_acceptance_without_known_edits_does_not_count(recorded: Stage) -> None:
    recorded.fake.state.collaborators["maintainer"] = "write"
    number = recorded.fake.add_comment(recorded.number, "/profgate accept parse max=+150%: needed", author="maintainer")
    node = recorded.fake.state.comments[number].node_id
    body = json.dumps({"data": {"nodes": [{"id": node}]}}).encode()
    recorded.fake.fail("POST", "/graphql", 200, body=body, times=9)
    assert recorded.compare(profiles(SLOWER, 77)) == 1


def test_artifacts_without_run_are_not_missing(recorded: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    given = Bodies.artifact
    monkeypatch.setattr(Bodies, "artifact", lambda *all: {k: v for k, v in given(*all).items() if k != "workflow_run"})
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    assert recorded.outputs["conclusion"] == "fail"
