"""Workloads that a pull request leaves out: what a job has to record, and what the verdict carries from the base."""

import io
import json
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path

import pytest

from action_stage import ARTIFACT, WORKFLOW, Stage
from fake_github import zip_of
from measured_repository import commit_of, committed, run_git
from profgate.__main__ import main
from profgate.action.github.artifact_upload import report_artifact

REQUIRED = "gate: {required: [parse, render]}\n"
CARRIED = "gate: {carry: true, required: [parse, render]}\n"
POLICY = ".github/profgate.yml"
FILES = {
    "bench/parse.py": "from shop.text import parse\n",
    "bench/render.py": "from shop.table import render\n",
    "shop/__init__.py": "",
    "shop/text.py": "def parse(text):\n    return text\n",
    "shop/table.py": "def render(text):\n    return text\n",
    POLICY: CARRIED,
    WORKFLOW: "on: push\n",
}
CHANGE = {"shop/table.py": "def render(text):\n    return text + text\n"}
OF_PARSE = {"shop/text.py": "def parse(text):\n    return text + text\n"}
PARTS = {"parse": "shop/text.py", "render": "shop/table.py"}


def recordings(names: Collection[str] = ("parse", "render"), place: str = "") -> dict[str, bytes]:
    """Five runs of each of these workloads."""
    return {
        f"{place}{name}/{run}.folded": f"<module> (bench/{name}.py:1);{name} ({PARTS[name]}:2) {9000 + run}\n".encode()
        for name in names
        for run in range(1, 6)
    }


def encoded(files: Mapping[str, str]) -> dict[str, bytes]:
    return {path: text.encode() for path, text in files.items()}


def record(stage: Stage, policy: str = CARRIED, sha: str | None = None) -> None:
    """A base run that records both workloads."""
    stage.base = stage.fake.add_commit(branch="main", files=encoded(FILES | {POLICY: policy}), sha=sha)
    stage.record(recordings())


def left_out(stage: Stage) -> list[tuple[str, str]]:
    entries = [(entry["name"], entry["reason"]["code"]) for entry in stage.report["not_compared"]]
    return [entry for entry in entries if entry[0] != "profiles"]


def test_only_affected_workloads_are_recorded(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clone = committed(tmp_path / "clone", FILES)
    stage.history = True
    record(stage, sha=run_git(clone, "rev-parse", "HEAD"))

    run_git(clone, "checkout", "--quiet", "-b", "branch")
    commit_of(clone, CHANGE)
    (history,) = [one.data for one in stage.fake.state.artifacts.values() if one.name == f"{ARTIFACT}-history"]
    zipfile.ZipFile(io.BytesIO(history)).extractall(clone / ".profgate")
    monkeypatch.chdir(clone)
    assert main(["affected", "main", "parse", "render", "--format", "matrix"]) == 0
    matrix = json.loads(stage.capsys.readouterr().out)
    names = [entry["workload"] for entry in matrix["include"]]
    assert names == ["render"]

    stage.open_pull(files=encoded(CHANGE))
    assert stage.compare(recordings(names)) == 0
    assert left_out(stage) == [("parse", "carried")]
    assert "carried from the base" in stage.summary
    assert stage.report["policy"]["carry"] is True


@pytest.mark.parametrize(
    "change",
    [
        OF_PARSE,
        CHANGE | {POLICY: f"{CARRIED}# edited\n"},
        CHANGE | {WORKFLOW: "on: [push, pull_request]\n"},
        CHANGE | {"requirements.txt": "shop\n"},
        CHANGE | {"bench/enum.py": "A = 1\n"},
        CHANGE | {"bench/parse.py": "from shop.table import render\n"},
    ],
)
def test_workload_that_may_be_reached_is_missing(stage: Stage, change: dict[str, str]) -> None:
    record(stage)
    stage.open_pull(files=encoded(change))
    assert stage.compare(recordings(["render"])) == 1
    assert left_out(stage) == [("parse", "missing_in_target")]


def test_pull_request_cannot_allow_itself_to_carry(stage: Stage) -> None:
    record(stage, REQUIRED)
    stage.open_pull(files=encoded(CHANGE | {POLICY: CARRIED}))
    assert stage.compare(recordings(["render"])) == 1
    assert left_out(stage) == [("parse", "missing_in_target")]


@pytest.mark.parametrize(("method", "path"), [("GET", "/pulls/1/files"), ("GET", "/git/trees/"), ("POST", "/graphql")])
def test_unknown_change_carries_nothing(stage: Stage, method: str, path: str) -> None:
    record(stage)
    stage.open_pull(files=encoded(CHANGE))
    stage.fake.fail(method, path, 500, times=50)
    assert stage.compare(recordings(["render"])) == 1
    assert left_out(stage) == [("parse", "missing_in_target")]


def test_nothing_is_carried_from_an_older_commit(stage: Stage) -> None:
    record(stage)
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
    stage.open_pull(files=encoded(CHANGE))
    assert stage.compare(recordings(["render"])) == 1
    assert left_out(stage) == [("parse", "missing_in_target")]


def test_merge_group_carries_nothing(stage: Stage) -> None:
    record(stage)
    stage.open_pull(files=encoded(CHANGE))
    assert stage.queued(recordings(["render"])) == 1
    assert left_out(stage) == [("parse", "missing_in_target")]


def test_baseline_of_the_pull_request_itself_does_not_count(stage: Stage) -> None:
    """Its run stores a baseline without the workload, so that nothing would be missing."""
    record(stage)
    (stored,) = [one for one in stage.fake.state.artifacts.values() if one.name == ARTIFACT]
    with zipfile.ZipFile(io.BytesIO(stored.data)) as archive:
        forged = {name: archive.read(name) for name in archive.namelist() if "parse/" not in name}
    stage.open_pull(files=encoded(OF_PARSE))
    stage.start_pull_run()
    stage.fake.add_artifact(stage.pull_run, ARTIFACT, zip_of(forged))
    assert stage.finish(stage.step(recordings(["render"]))) == 1
    assert left_out(stage) == [("parse", "missing_in_target")]


@pytest.mark.parametrize(("policy", "state"), [(CARRIED, "success"), (REQUIRED, "failure")])
def test_fork_comment_workflow_decides_by_the_policy_of_the_base(stage: Stage, policy: str, state: str) -> None:
    record(stage, policy)
    stage.open_pull(fork=True, files=encoded(CHANGE))
    stage.inputs["status"] = "true"
    stage.compare(recordings(["render"]))
    stage.fork_comment()
    assert stage.fake.state.statuses[-1]["state"] == state
    assert left_out(stage)[0][1] == ("carried" if policy == CARRIED else "missing_in_target")


@pytest.mark.parametrize(("policy", "code"), [(CARRIED, 0), (REQUIRED, 1)])
def test_report_of_a_shard_cannot_carry_what_the_policy_requires(stage: Stage, policy: str, code: int) -> None:
    """A shard runs the code of the pull request, so its report may state that a workload was carried."""
    stage.inputs["key"] = "linux"
    record(stage, policy)
    stage.open_pull(files=encoded(CHANGE))
    stage.start_pull_run()
    assert stage.step(recordings(["render"]), mode="shard") == 0
    report = json.loads(stage.file("leg/report.json"))
    assert (report["not_compared"][0]["reason"]["code"] == "carried") is (policy == CARRIED)
    report["not_compared"][0]["reason"]["code"] = "carried"
    members = {"report.json": json.dumps(report).encode(), "links.json": stage.file("leg/links.json").encode()}
    stage.fake.add_artifact(stage.pull_run, report_artifact("linux", 1), members)
    assert stage.finish(stage.step({}, mode="merge", **{"shards-result": "success"})) == code
