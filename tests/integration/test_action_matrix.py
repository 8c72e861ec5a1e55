"""A matrix: its shards store their reports, a last job merges them to one comment and one verdict."""

import json
from pathlib import Path

import pytest

from action_stage import BASE_RUNS, SHARES, SLOWER, Stage, profiles
from profgate.__main__ import main as merge_by_hand
from profgate.action.github.artifact_upload import report_artifact
from profgate.model.links import Links
from profgate.model.report import SCHEMA
from profgate.report.json_report import links_to_json
from slow_cases import quick_first

SHARDS = ("linux", "windows")
LINUX = {"key": "linux", "mode": "shard"}


@pytest.fixture
def sharded(stage: Stage) -> Stage:
    """A base branch recorded on two systems, and a pull request."""
    stage.filled(lambda: record_shards(stage), "shards")
    stage.inputs.pop("key", None)
    stage.open_pull()
    return stage


def record_shards(stage: Stage) -> None:
    for seed in range(BASE_RUNS):
        stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
        for place, shard in enumerate(SHARDS):
            stage.inputs["key"] = shard
            assert stage.record(profiles(seed=2 * seed + place)) == 0


def merge(stage: Stage) -> int:
    """The job that merges the shards, which ends the run."""
    return stage.finish(stage.step({}, mode="merge", **{"shards-result": "success"}))


def store_shard(stage: Stage, key: str, report: bytes, attempt: int = 1, links: Links | None = None) -> None:
    """Something else than a shard stores a report in the run."""
    members = {"report.json": report, "links.json": links_to_json(links or Links()).encode()}
    stage.fake.add_artifact(stage.pull_run, report_artifact(key, attempt), members)


def test_matrix_has_a_single_comment_and_verdict(sharded: Stage) -> None:
    assert sharded.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SLOWER, 78)}) == 1
    comments = [one for one in sharded.requests if one.method == "GET" and one.path.endswith("/issues/1/comments")]
    assert len(comments) == 2  # only the merging job reads the comments, before and after it has written its own
    assert len(sharded.comments) == 1
    assert "parse" in sharded.comments[0]
    assert "api [windows]" in sharded.comments[0]
    report = sharded.report
    assert [workload["name"] for workload in report["workloads"]] == ["api [linux]", "api [windows]"]
    assert sharded.outputs["conclusion"] == "fail"
    pages = {one["workload"]: one["url"] for one in json.loads(sharded.file("links.json"))["pages"]}
    assert set(pages) == {"api [linux]", "api [windows]"}
    assert pages["api [windows]"] in sharded.comments[0]


@pytest.mark.parametrize("ended", quick_first(["failure", "cancelled", "success, failure"]))
def test_lost_shard_never_passes(sharded: Stage, ended: str) -> None:
    assert sharded.matrix({"linux": profiles(SHARES, 77)}, ended) == 1
    assert sharded.outputs["conclusion"] == "not_compared"
    assert "a shard ended with" in sharded.comments[0]
    sharded.set_policy("gate: {on-not-compared: unreadable}")
    assert sharded.matrix({"linux": profiles(SHARES, 77)}, ended) == 0


def test_result_of_the_shards_is_required(sharded: Stage) -> None:
    assert sharded.matrix({"linux": profiles(SHARES, 77)}, "") == 2
    assert "shards-result" in sharded.log
    assert "needs.JOB.result" in sharded.log


def test_merge_without_shards_fails(sharded: Stage) -> None:
    assert sharded.matrix({}) == 2
    assert "stored a report; let its job run with mode: shard" in sharded.log
    assert sharded.matrix({}, "success,failure,skipped") == 2
    assert "the shards ended with failure, skipped, and their logs have the reason" in sharded.log
    assert "stored a report" in sharded.summary
    assert sharded.outputs["conclusion"] == "not_compared"


def test_failed_merge_replaces_the_status_of_an_earlier_attempt(sharded: Stage) -> None:
    sharded.inputs["status"] = "true"
    assert sharded.matrix({"linux": profiles(SHARES, 77)}) == 0
    assert [status["state"] for status in sharded.fake.state.statuses] == ["success"]
    assert sharded.matrix({}) == 2
    status = sharded.fake.state.statuses[-1]
    assert (status["sha"], status["state"]) == (sharded.head, "error")
    assert "no result: run" in str(status["description"])


def test_reports_of_two_commits_are_not_merged(sharded: Stage) -> None:
    sharded.start_pull_run()
    sharded.step(profiles(SHARES, 77), **LINUX)
    older = sharded.file("leg/report.json").encode()
    sharded.finish(0)
    sharded.push_to_pull()
    sharded.start_pull_run()
    store_shard(sharded, "windows", older)
    sharded.step(profiles(SHARES, 78), **LINUX)
    assert merge(sharded) == 2
    assert "merge reports of one build" in sharded.log


def test_newest_report_of_a_repeated_shard_counts(sharded: Stage) -> None:
    sharded.start_pull_run()
    sharded.step(profiles(SLOWER, 77), **LINUX)
    sharded.start_again()
    sharded.step(profiles(SHARES, 78), **LINUX)
    assert merge(sharded) == 0
    assert sharded.outputs["conclusion"] == "pass"


@pytest.mark.parametrize("missing", quick_first(["ACTIONS_RESULTS_URL", "ACTIONS_RUNTIME_TOKEN"]))
def test_shard_without_artifact_service_has_own_verdict(sharded: Stage, missing: str, tmp_path: Path) -> None:
    service = sharded.fake.service_env
    sharded.fake.service_env = lambda: service() | {missing: ""}  # type: ignore[method-assign]
    sharded.start_pull_run()
    assert sharded.step(profiles(SHARES, 77), **LINUX) == 0
    assert sharded.step(profiles(SLOWER, 78), **LINUX) == 1
    assert sharded.outputs["conclusion"] == "fail"
    assert "This shard has its own verdict" in sharded.summary
    step = sharded.log.partition("add this step:%0A")[2].replace("%0A", "\n")
    assert "name: profgate-report-linux-1\n    path: profgate-report/leg\n" in step
    carried = sharded.workspace / "profgate-report" / "leg"
    assert sorted(one.name for one in carried.iterdir()) == ["links.json", "report.json"]
    assert merge_by_hand(["report", "merge", str(carried / "report.json"), "-o", str(tmp_path / "merged")]) == 1
    files = {"../merged/report.json": (tmp_path / "merged" / "report.json").read_bytes()}
    assert sharded.finish(sharded.step(files, mode="report", report="merged/report.json")) == 1
    assert len(sharded.comments) == 1


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"report.json": b"{}"}, "contains other files"),
        ({"report.json": b"{}", "links.json": b"{}"}, "report of shard linux"),
        ({"report.json": b"[" * 50_000, "links.json": b"{}"}, "report of shard linux"),
    ],
)
def test_foreign_shard_report_is_refused(sharded: Stage, members: dict[str, bytes], message: str) -> None:
    sharded.start_pull_run()
    sharded.fake.add_artifact(sharded.pull_run, report_artifact("linux", 1), members)
    assert merge(sharded) == 2
    assert message in sharded.log


@pytest.mark.parametrize(("schema", "code"), [(SCHEMA, 1), ("profgate.report/3", 2)])
def test_verdict_of_a_shard_is_not_believed(sharded: Stage, schema: str, code: int) -> None:
    sharded.start_pull_run()
    sharded.step(profiles(SLOWER, 77), **LINUX)
    report = json.loads(sharded.file("leg/report.json"))
    assert report["verdict"]["conclusion"] == "fail"
    passed = {"conclusion": "pass", "colour": "green", "reasons": [], "exit_code": 0}
    forged = json.dumps(report | {"verdict": passed, "schema": schema}).encode()
    store_shard(sharded, "linux", forged)
    assert merge(sharded) == code


@pytest.mark.parametrize("url", ["https://example.org/", "{run}/artifacts/1/../2", "{other}/artifacts/7"])
def test_shard_cannot_link_elsewhere(sharded: Stage, url: str) -> None:
    sharded.start_pull_run()
    sharded.step(profiles(SHARES, 77), **LINUX)
    run = f"{sharded.fake.server_url}/octo-org/shop/actions/runs/{sharded.pull_run}"
    links = Links(pages={("api", "samples"): url.format(run=run, other=f"{run}1")})
    store_shard(sharded, "mac", sharded.file("leg/report.json").encode(), links=links)
    assert merge(sharded) == 2
    assert "which is no artifact of this run" in sharded.log


def test_report_of_a_later_attempt_is_refused(sharded: Stage) -> None:
    sharded.start_pull_run()
    sharded.step(profiles(SLOWER, 77), **LINUX)
    store_shard(sharded, "linux", sharded.file("leg/report.json").encode(), attempt=999)
    assert merge(sharded) == 2
    assert "is named for attempt 999 of a run that is in attempt 1" in sharded.log


def test_fork_matrix_is_merged_in_fork_comment_workflow(sharded: Stage) -> None:
    sharded.open_pull(fork=True)
    other, sharded.fake.state.branches["release"] = sharded.number, sharded.base
    sharded.number = sharded.fake.add_pull(sharded.head, sharded.base, fork=("mallory/shop", 666), base_ref="release")
    permissions = sharded.fake.state.permissions
    sharded.fake.read_only()
    sharded.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SLOWER, 78)})
    sharded.fake.state.permissions = permissions
    assert sharded.comments == []
    sharded.start_fork_comment()
    for shard in SHARDS:
        assert sharded.fork_comment_step(key=shard, mode="shard") == 0
    assert sharded.comments == []
    assert sharded.fake.state.statuses == []
    assert sharded.finish(sharded.fork_comment_step(mode="merge", **{"shards-result": "success"})) == 0
    assert (len(sharded.comments), sharded.fake.comment_bodies(other)) == (1, [])
    statuses = [(one["context"], one["state"]) for one in sharded.fake.state.statuses]
    assert statuses == [("profgate/default@release", "failure")]
