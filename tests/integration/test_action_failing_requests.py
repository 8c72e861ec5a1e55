"""Every request of a whole run fails, once and for good: the result is never lost, and never reported twice.

The table says for each request what is left of the run when it keeps failing. Nothing waits: the pauses are counted.
"""

import json
from dataclasses import dataclass

import pytest

from action_stage import SLOWER, Stage, profiles
from fake_github import CUT, HANG
from profgate.action import reporting
from profgate.action.github import artifact_service, downloads
from profgate.action.github import requests as github_requests
from profgate.action.github.connections import RetryBudget
from profgate.action.job import Pace
from slow_cases import quick_first

LIMITED = 403
ALWAYS = 999
SOURCE = {"src/cart.py": b"def parse(text):\n    return text\n"}


@dataclass(frozen=True)
class Left:
    """What a run is when a request keeps failing: the exit code, what the log says, and what is not written."""

    method: str
    path: str
    code: int
    message: str
    without: str = ""

    def __str__(self) -> str:
        return f"{self.method}-{self.path.strip('/$').replace('/', '-')}"


REQUESTS = (
    # Without these there is nothing to judge by: no verdict, which is never a pass.
    Left("GET", "/contents/", 2, "/contents/.github/profgate.yml", "everything"),
    Left("GET", "/shop/commits$", 2, "GET /repos/octo-org/shop/commits", "everything"),
    Left("GET", "/runs$", 2, "/actions/workflows/profgate.yml/runs", "everything"),
    Left("GET", "/artifacts$", 2, "/actions/artifacts", "everything"),
    # Nothing is compared, which fails because the baseline is stored.
    Left("GET", "/zip", 1, "no baseline: run ", "verdict"),
    Left("GET", "/download/", 1, "no baseline: run ", "verdict"),
    # Everything else leaves the verdict as it is.
    Left("GET", "/issues/1/comments", 1, "no comment was written", "comment"),
    Left("GET", "/pulls/1/files", 1, "GitHub did not list the pull request's files"),
    Left("GET", "/git/trees/", 1, "GitHub did not list the commit's files"),
    Left("POST", "/graphql", 1, "GitHub did not return the changed files"),
    Left("POST", "/CreateArtifact", 1, "actions/upload-artifact@", "pages"),
    Left("PUT", "/upload/", 1, "actions/upload-artifact@", "pages"),
    Left("POST", "/FinalizeArtifact", 1, "actions/upload-artifact@", "pages"),
    Left("GET", "/pulls/1$", 1, "no comment was written", "comment"),
    Left("POST", "/issues/1/comments", 1, "no comment was written", "comment"),
    Left("POST", "/statuses/", 1, "no commit status was written", "status"),
)


@pytest.fixture
def stormy(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """Recorded base jobs and a pull request that is slower, in a run that waits for nothing."""
    monkeypatch.setattr(github_requests, "TIMEOUT", 1)
    monkeypatch.setattr(artifact_service, "TIMEOUT", 1.0)
    monkeypatch.setattr(artifact_service, "TRIES", 2)
    monkeypatch.setattr(downloads, "STALL_SECONDS", 1.0)
    stage.push_jobs()
    stage.open_pull(files=SOURCE)
    stage.inputs["status"] = "true"
    stage.pace = Pace(0, 1, 0, 0, RetryBudget(sleep=lambda _: None))
    return stage


def test_the_table_lists_every_request_of_a_run(stormy: Stage) -> None:
    assert stormy.compare(profiles(SLOWER, 77)) == 1
    asked = {f"{one.method} {one.path}$" for one in stormy.fake.requests[stormy.before :]}
    asked |= {"GET /download/1", "PUT /upload/1"}  # of the storage host, which keeps no list
    unknown = [one for one in asked if not any(one.startswith(row.method) and row.path in one for row in REQUESTS)]
    needless = [row for row in REQUESTS if not any(one.startswith(row.method) and row.path in one for one in asked)]
    assert (unknown, needless) == ([], [])


@pytest.mark.parametrize("row", quick_first(REQUESTS, 4), ids=str)
def test_single_failure_changes_nothing(stormy: Stage, row: Left) -> None:
    saved = stormy.fake.saved()
    for status, stored in ((500, False), (CUT, True)):
        stormy.fake.restore(saved)
        stormy.fail(row.method, row.path, status, stored=stored)
        assert stormy.compare(profiles(SLOWER, 77)) == 1, (status, stored, stormy.log)
        assert "parse" in stormy.summary
        assert len(stormy.comments) == 1
        assert {one["state"] for one in stormy.fake.state.statuses} == {"failure"}
        assert stormy.outputs["page-url"]
        assert "::warning" not in stormy.log


def failures(row: Left) -> list[tuple[int, bool]]:
    """The ways a request fails for good, with or without having done its work.

    To hang costs seconds and ends in the same error of a client, so one request of each client hangs.
    """
    if row.method == "GET":
        return [(500, False), (LIMITED if row.path.endswith("s$") else CUT, False)]
    hang = [(HANG, False)] if row.path in {"/issues/1/comments", "/CreateArtifact", "/upload/"} else []
    return [(500, False), (500, True), *hang, (CUT if row.without == "pages" else LIMITED, False)]


@pytest.mark.parametrize("row", quick_first(REQUESTS, 7), ids=str)
def test_lasting_failure_costs_only_its_purpose(stormy: Stage, row: Left) -> None:
    saved = stormy.fake.saved()
    for status, stored in failures(row):
        stormy.fake.restore(saved)
        stormy.fail(row.method, row.path, status, stored=stored, times=ALWAYS)
        code = stormy.compare(profiles(SLOWER, 77))
        assert code == row.code, (status, stored, stormy.log)
        if not stored:  # else it is found that the work was done
            assert row.message in stormy.log + json.dumps(stormy.report.get("warnings"))
        _nothing_else_is_missing(stormy, row.without, stored=stored)


def _nothing_else_is_missing(stage: Stage, without: str, *, stored: bool) -> None:
    assert len(stage.comments) <= 1
    if without == "everything":
        assert stage.outputs["conclusion"] == "not_compared"
        assert "profgate failed" in stage.summary
        assert stage.comments == []
        return
    assert stage.outputs["conclusion"] == "fail"
    assert stage.outputs["report"] == "profgate-report/report.json"
    assert stage.file("comment.md")
    assert ("parse" in stage.summary) == (without != "verdict")
    assert stage.comments or without == "comment"
    assert stage.fake.state.statuses or without == "status"
    assert stage.outputs["page-url"] or without in {"pages", "verdict"}
    if not stored:
        missing = {"comment": stage.comments, "status": stage.fake.state.statuses, "pages": stage.outputs["page-url"]}
        assert not missing.get(without)


def cancel(*_: object) -> None:
    raise KeyboardInterrupt


def test_cancelled_publishing_has_written_its_result(stormy: Stage) -> None:
    stormy.pace = Pace(0, 1, 0, 0, RetryBudget(sleep=cancel))
    stormy.fail("POST", "/issues/1/comments", LIMITED)
    with pytest.raises(KeyboardInterrupt):
        stormy.compare(profiles(SLOWER, 77))
    assert "parse" in stormy.summary
    assert "ended before it published its result" in stormy.summary
    assert stormy.report["verdict"]["conclusion"] == "fail"


def test_upload_that_is_cancelled_leaves_a_comment_file(stormy: Stage) -> None:
    stormy.pace = Pace(0, 1, 0, 0, RetryBudget(sleep=cancel))
    stormy.fail("POST", "/CreateArtifact", 503)
    with pytest.raises(KeyboardInterrupt):
        stormy.compare(profiles(SLOWER, 77))
    assert "parse" in stormy.file("comment.md")


def test_cancelled_report_upload_leaves_links_to_the_pages(stormy: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reporting, "store_report", cancel)
    with pytest.raises(KeyboardInterrupt):
        stormy.compare(profiles(SLOWER, 77))
    assert "ended before it published its result" in stormy.summary
    assert "/artifacts/" in stormy.summary
