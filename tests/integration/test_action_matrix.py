"""A matrix: its legs store their reports, a last job merges them to one comment and one verdict."""

import json
from pathlib import Path
from typing import Any

import pytest

from action_stage import ARTIFACT, BASE_RUNS, SHARES, SLOWER, Stage, profiles
from profgate.__main__ import main as merge_by_hand
from profgate.github.artifact_upload import report_artifact
from profgate.judge.shards import Shard, merge_reports
from profgate.model.policy import Policy
from profgate.report.json_report import from_json

LEGS = ("linux", "windows")


@pytest.fixture
def two_legs(stage: Stage) -> Stage:
    """A base branch recorded on two systems, and a pull request."""
    for seed in range(BASE_RUNS):
        stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
        for place, leg in enumerate(LEGS):
            stage.inputs["artifact"] = f"{ARTIFACT}-{leg}"
            assert stage.record(profiles(seed=2 * seed + place)) == 0
    del stage.inputs["artifact"]
    stage.open_pull()
    return stage


def report_of(stage: Stage) -> dict[str, Any]:
    content = json.loads(stage.file("report.json"))
    assert isinstance(content, dict)
    return content


def test_a_matrix_ends_in_one_comment_and_one_verdict(two_legs: Stage) -> None:
    assert two_legs.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SLOWER, 78)}) == 1
    assert len(two_legs.comments) == 1
    assert "parse" in two_legs.comments[0]
    assert "api [windows]" in two_legs.comments[0]
    report = report_of(two_legs)
    assert [workload["name"] for workload in report["workloads"]] == ["api [linux]", "api [windows]"]
    assert two_legs.outputs["conclusion"] == "fail"
    pages = {one["workload"]: one["url"] for one in json.loads(two_legs.file("links.json"))["pages"]}
    assert set(pages) == {"api [linux]", "api [windows]"}
    assert pages["api [windows]"] in two_legs.comments[0]


def test_the_merging_job_reads_what_was_accepted(two_legs: Stage) -> None:
    two_legs.fake.state.collaborators["maintainer"] = "write"
    two_legs.fake.add_comment(two_legs.number, "/profgate accept parse: needed", author="maintainer")
    assert two_legs.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SLOWER, 78)}) == 0
    assert "accepted by `maintainer`" in two_legs.comments[-1]
    asked = "/collaborators/maintainer/permission"
    assert two_legs.fake.count("GET", asked) == 1


def test_the_merged_verdict_is_what_the_reports_say(two_legs: Stage) -> None:
    two_legs.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SLOWER, 78)})
    report = from_json(two_legs.file("report.json"))
    again, _ = merge_reports([Shard("all", report)], Policy())
    assert again.verdict == report.verdict
    assert again.workloads == report.workloads


def test_legs_that_change_nothing_say_nothing(two_legs: Stage) -> None:
    assert two_legs.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SHARES, 78)}) == 0
    assert two_legs.comments == []
    assert two_legs.outputs["conclusion"] == "pass"


@pytest.mark.parametrize("ended", ["failure", "cancelled", "success, failure"])
def test_a_lost_leg_is_never_a_pass(two_legs: Stage, ended: str) -> None:
    assert two_legs.matrix({"linux": profiles(SHARES, 77)}, ended) == 0
    assert two_legs.outputs["conclusion"] == "not_compared"
    assert "a shard ended with" in two_legs.comments[0]
    two_legs.inputs["on-not-compared"] = "fail"
    assert two_legs.matrix({"linux": profiles(SHARES, 77)}, ended) == 1


def test_how_the_legs_ended_must_be_told(two_legs: Stage) -> None:
    assert two_legs.matrix({"linux": profiles(SHARES, 77)}, "") == 2
    assert "legs-result" in two_legs.log
    assert "needs.JOB.result" in two_legs.log


def test_without_any_leg_there_is_nothing_to_merge(two_legs: Stage) -> None:
    assert two_legs.matrix({}) == 2
    assert "stored a report; let its job run with mode: leg" in two_legs.log


def test_of_a_leg_that_ran_again_the_newest_report_counts(two_legs: Stage) -> None:
    two_legs.start_first_half()
    leg = {"key": "linux", "artifact": f"{ARTIFACT}-linux", "mode": "leg"}
    two_legs.step(profiles(SLOWER, 77), **leg)
    two_legs.start_again()
    two_legs.step(profiles(SHARES, 78), **leg)
    assert two_legs.finish(two_legs.step({}, mode="merge", **{"legs-result": "success"})) == 0
    assert two_legs.outputs["conclusion"] == "pass"


def test_only_the_legs_that_are_meant_are_merged(two_legs: Stage) -> None:
    two_legs.inputs["legs"] = "lin*"
    assert two_legs.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SLOWER, 78)}) == 0
    assert [workload["name"] for workload in report_of(two_legs)["workloads"]] == ["api"]


def test_a_leg_that_cannot_store_its_report_fails(two_legs: Stage) -> None:
    two_legs.start_first_half()
    two_legs.fake.add_artifact(two_legs.first_half, report_artifact("linux", 1), b"taken", mime_type="text/plain")
    code = two_legs.step(profiles(SHARES, 77), key="linux", artifact=f"{ARTIFACT}-linux", mode="leg")
    assert two_legs.finish(code) == 2
    assert "the report was not stored" in two_legs.log


@pytest.mark.parametrize("missing", ["ACTIONS_RESULTS_URL", "ACTIONS_RUNTIME_TOKEN"])
def test_without_the_artifact_service_a_leg_gives_its_own_verdict_and_says_what_carries_its_report(
    two_legs: Stage, missing: str, tmp_path: Path
) -> None:
    service, leg = two_legs.fake.service_env, {"key": "linux", "artifact": f"{ARTIFACT}-linux", "mode": "leg"}
    two_legs.fake.service_env = lambda: service() | {missing: ""}  # type: ignore[method-assign]
    two_legs.start_first_half()
    assert two_legs.step(profiles(SHARES, 77), **leg) == 0
    assert two_legs.step(profiles(SLOWER, 78), **leg) == 1
    assert two_legs.outputs["conclusion"] == "fail"
    assert "This shard gives its own verdict" in two_legs.summary
    step = two_legs.log.partition("add this step:%0A")[2].replace("%0A", "\n")
    assert "name: profgate-report-linux-1\n    path: profgate-report/leg\n" in step
    carried = two_legs.workspace / "profgate-report" / "leg"
    assert sorted(one.name for one in carried.iterdir()) == ["links.json", "report.json"]
    assert merge_by_hand(["report", "merge", str(carried / "report.json"), "-o", str(tmp_path / "merged")]) == 1
    told = {"../merged/report.json": (tmp_path / "merged" / "report.json").read_bytes()}
    assert two_legs.finish(two_legs.step(told, mode="tell", report="merged/report.json")) == 1
    assert len(two_legs.comments) == 1


def test_without_the_artifact_service_what_was_accepted_counts_in_the_leg(two_legs: Stage) -> None:
    two_legs.fake.state.collaborators["maintainer"] = "write"
    two_legs.fake.add_comment(two_legs.number, "/profgate accept parse max=+150%: needed", author="maintainer")
    service = two_legs.fake.service_env
    two_legs.fake.service_env = lambda: service() | {"ACTIONS_RESULTS_URL": ""}  # type: ignore[method-assign]
    two_legs.start_first_half()
    code = two_legs.step(profiles(SLOWER, 78), key="linux", artifact=f"{ARTIFACT}-linux", mode="leg")
    assert two_legs.finish(code) == 0


@pytest.mark.parametrize(
    ("members", "told"),
    [
        ({"report.json": b"{}"}, "holds other files"),
        ({"report.json": b"{}", "links.json": b"{}"}, "report of shard linux"),
        ({"report.json": b"[" * 50_000, "links.json": b"{}"}, "report of shard linux"),
    ],
)
def test_a_report_that_no_leg_wrote_is_refused(two_legs: Stage, members: dict[str, bytes], told: str) -> None:
    two_legs.start_first_half()
    two_legs.fake.add_artifact(two_legs.first_half, report_artifact("linux", 1), members)
    assert two_legs.finish(two_legs.step({}, mode="merge", **{"legs-result": "success"})) == 2
    assert told in two_legs.log


def test_the_policy_of_a_merge_is_that_of_the_base(two_legs: Stage) -> None:
    two_legs.start_first_half()
    leg = {"key": "linux", "artifact": f"{ARTIFACT}-linux", "mode": "leg", "fail-on": "never", "fail-on-total": "never"}
    two_legs.step(profiles(SLOWER, 77), **leg)
    assert two_legs.outputs["conclusion"] == "warn"
    assert two_legs.finish(two_legs.step({}, mode="merge", **{"legs-result": "success"})) == 1


def test_a_forks_matrix_is_merged_in_the_second_half(two_legs: Stage) -> None:
    two_legs.open_pull(fork=True)
    permissions = two_legs.fake.state.permissions
    two_legs.fake.read_only()
    two_legs.matrix({"linux": profiles(SHARES, 77), "windows": profiles(SLOWER, 78)})
    two_legs.fake.state.permissions = permissions
    assert two_legs.comments == []
    two_legs.start_second_half()
    for leg in LEGS:
        assert two_legs.second_step(key=leg, artifact=f"{ARTIFACT}-{leg}", mode="leg") == 0
    assert two_legs.comments == []
    assert two_legs.fake.state.statuses == []
    assert two_legs.finish(two_legs.second_step(mode="merge", **{"legs-result": "success"})) == 0
    assert len(two_legs.comments) == 1
    assert [(one["context"], one["state"]) for one in two_legs.fake.state.statuses] == [("profgate/default", "failure")]


def test_a_merge_costs_one_request_a_leg(two_legs: Stage) -> None:
    two_legs.start_first_half()
    for place, leg in enumerate(LEGS):
        two_legs.step(profiles(SHARES, 77 + place), key=leg, artifact=f"{ARTIFACT}-{leg}", mode="leg")
    before = len(two_legs.fake.requests)
    two_legs.step({}, mode="merge", **{"legs-result": "success"})
    asked = [one.path for one in two_legs.fake.requests[before:] if "/twirp/" not in one.path]
    two_legs.finish(0)
    assert len(asked) <= 6 + len(LEGS)
