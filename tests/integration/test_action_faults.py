"""Faults of the machine, of the line and of GitHub during a run of the action: the verdict stays, or there is none."""

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import pytest

from action_stage import ARTIFACT, SLOWER, WORKFLOW, Stage, profiles
from disk_faults import file_size_limit
from profgate.action.github.connections import RetryBudget
from profgate.action.job import Pace

ALWAYS = 999
NOWHERE = "http://127.0.0.1:9"
RED = profiles(SLOWER, 77)


@pytest.fixture
def ready(stage: Stage) -> Stage:
    """Recorded base jobs and an open pull request, whose run also writes a commit status and waits for nothing."""
    stage.push_jobs()
    stage.open_pull()
    stage.inputs["status"] = "true"
    stage.pace = Pace(0, 1, 0, 0, RetryBudget(sleep=lambda _: None))
    return stage


@pytest.fixture
def fill_disk(ready: Stage, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Let no run of the action write more than so many bytes to a file."""
    launch = ready.launch

    def fill(size: int) -> None:
        def limited(environ: Mapping[str, str]) -> int:
            with file_size_limit(size):
                return launch(environ)

        monkeypatch.setattr(ready, "launch", limited)

    return fill


def assert_verdict_is_published(stage: Stage) -> None:
    assert "verdict: fail" in stage.log
    assert len(stage.comments) == 1
    assert "parse" in stage.comments[0]
    assert [status["state"] for status in stage.fake.state.statuses] == ["failure"]


def assert_no_verdict(stage: Stage) -> None:
    assert stage.outputs["conclusion"] == "not_compared"
    assert "profgate failed" in stage.summary
    assert stage.comments == []
    assert {status["state"] for status in stage.fake.state.statuses} <= {"error"}


# The disk


@pytest.mark.parametrize(
    ("size", "missing"), [(50_000, "api.samples.html"), (4_000, "report.json"), (500, "comment.md")]
)
def test_full_disk_keeps_verdict_and_comment(
    ready: Stage, fill_disk: Callable[[int], None], size: int, missing: str
) -> None:
    fill_disk(size)
    assert ready.compare(RED) == 1
    assert_verdict_is_published(ready)
    written = [path.name for path in (ready.workspace / "profgate-report").iterdir()]
    assert missing not in written
    assert ("index.html" in written) == (size > 4_000)
    assert ("report.json" in written) == (size > 4_000)
    assert f"{missing}: File too large" in ready.log
    if size > 500:  # the outputs of the step fit
        assert (ready.outputs["report"] == "") == ("report.json" not in written)
        assert ready.outputs["page-url"] in ready.comments[0]  # pages are uploaded from memory


@pytest.mark.parametrize(("size", "named"), [(50_000, False), (10_000_000, True)])
def test_comment_names_only_pages_that_were_written(
    ready: Stage, fill_disk: Callable[[int], None], size: int, *, named: bool
) -> None:
    ready.environ |= {"ACTIONS_RESULTS_URL": "", "GITHUB_SERVER_URL": "https://github.com"}
    fill_disk(size)
    assert ready.compare(RED) == 1
    assert ("gh run download" in ready.comments[0]) == named


@pytest.mark.parametrize("name", ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"])
@pytest.mark.parametrize("place", ["/dev/full", "/dev/null/file", ""])
def test_runner_file_that_fails_keeps_the_verdict(ready: Stage, name: str, place: str) -> None:
    ready.environ[name] = place
    assert ready.compare(RED) == 1
    assert_verdict_is_published(ready)
    assert ready.log.count("::warning") == bool(place)
    if name == "GITHUB_STEP_SUMMARY":
        assert ready.outputs["conclusion"] == "fail"
    else:
        assert "parse" in ready.summary


def test_base_run_is_stored_without_output_folder(stage: Stage) -> None:
    stage.inputs["output-dir"], stage.history = "event.json/report", True
    assert stage.record(profiles()) == 0
    assert [artifact.name for artifact in stage.fake.state.artifacts.values()] == [ARTIFACT]
    assert "could not be written" in stage.log
    assert "the history was not extended" in stage.log


# The line


def test_without_network_there_is_no_verdict(ready: Stage) -> None:
    ready.environ |= {"GITHUB_API_URL": NOWHERE, "ACTIONS_RESULTS_URL": NOWHERE}
    assert ready.compare(RED) == 2
    assert "GitHub did not answer (ConnectionError)" in ready.log
    assert_no_verdict(ready)


# Answers of GitHub


@pytest.mark.parametrize(
    ("path", "status", "body", "headers"),
    [
        ("/shop/commits$", 401, b"{}", {}),
        ("/shop/commits$", 404, b"{}", {}),
        ("/shop/commits$", 429, b"{}", {"Retry-After": "3600"}),
        ("/shop/commits$", 200, b'[{"sha": ', {}),
        ("/shop/commits$", 200, b"null", {}),
        ("/shop/commits$", 302, b"", {"Location": "/repos/octo-org/shop/commits"}),
        ("/artifacts$", 502, b"<html>", {}),
    ],
)
def test_lasting_failure_of_the_search_is_no_verdict(
    ready: Stage, path: str, status: int, body: bytes, headers: Mapping[str, str]
) -> None:
    ready.fake.fail("GET", path, status, times=ALWAYS, body=body, headers=headers)
    assert ready.compare(RED) == 2
    assert_no_verdict(ready)
    assert ready.fake.state.faults[-1].times > ALWAYS - 40


@pytest.mark.parametrize(
    ("method", "path", "status", "body"),
    [
        ("GET", "/pulls/1/files", 200, b"{"),
        ("GET", "/git/trees/", 200, b"[]"),
        ("POST", "/graphql", 200, b"nothing"),
        ("POST", "/CreateArtifact", 200, b"{"),
        ("POST", "/CreateArtifact", 200, b'{"ok": true}'),
        ("POST", "/CreateArtifact", 200, b'{"ok": true, "signed_upload_url": "http://[::1"}'),
        ("POST", "/CreateArtifact", 200, b'{"ok": true, "signed_upload_url": "http://%s.invalid/"}' % (b"a" * 70)),
        ("POST", "/CreateArtifact", 409, b"{}"),
        ("POST", "/CreateArtifact", 403, b'{"msg": "insufficient usage to create artifact"}'),
        ("PUT", "/upload/", 403, b"AuthenticationFailed"),
        ("PUT", "/upload/", 409, b"BlobImmutableDueToPolicy"),
        ("POST", "/FinalizeArtifact", 200, b"[]"),
    ],
)
def test_odd_answer_keeps_the_verdict(ready: Stage, method: str, path: str, status: int, body: bytes) -> None:
    ready.fake.fail(method, path, status, times=ALWAYS, body=body)
    assert ready.compare(RED) == 1
    assert_verdict_is_published(ready)


def test_lost_history_upload_keeps_the_baseline(stage: Stage) -> None:
    stage.history = True

    def refuse_history() -> None:
        stage.fake.fail("POST", "/CreateArtifact", 403, body=b'{"msg": "insufficient usage"}')

    stage.fake.meanwhile("POST", "/FinalizeArtifact", refuse_history)
    stage.fake.start_run(stage.base, branch="main")
    assert stage.record(profiles()) == 0
    assert [artifact.name for artifact in stage.fake.state.artifacts.values()] == [ARTIFACT]
    assert "insufficient usage" in stage.log


# Changes of the repository during the run


Fault = Callable[[Stage], object]


def fails(status: int, *methods: str, path: str = "/repos/", **details: Any) -> Fault:
    def fault(stage: Stage) -> None:
        for method in methods or ("",):
            stage.fake.fail(method, path, status, times=ALWAYS, **details)

    return fault


def rename(name: str) -> Fault:
    """The repository gets another name while the run goes on, which knows the former one."""

    def fault(stage: Stage) -> None:
        former = stage.fake.state.repository
        stage.environ = {"GITHUB_REPOSITORY": former, "GITHUB_WORKFLOW_REF": f"{former}/{WORKFLOW}@refs/heads/main"}
        stage.fake.rename(name)

    return fault


def close(stage: Stage) -> None:
    stage.fake.state.pulls[stage.number].state = "closed"


def force_push(stage: Stage) -> None:
    stage.fake.add_commit(branch="main", files={"another": b"history"})


FULL = b'{"msg": "insufficient usage to create artifact"}'
WRITES = ("POST", "PATCH")


@pytest.mark.parametrize(
    ("fault", "code", "states", "comments"),
    [
        (fails(500), 2, [], 0),
        (fails(500, *WRITES), 1, [], 0),
        (fails(429, *WRITES), 1, [], 0),
        (fails(403, *WRITES, message="Repository was archived so is read-only."), 1, [], 0),
        (fails(403, "POST", path="/CreateArtifact", body=FULL), 1, ["failure"], 1),
        (lambda stage: stage.fake.limit_rate(times=2), 2, ["error"], 0),
        (close, 1, ["failure"], 0),
        (force_push, 1, ["failure"], 1),
        (rename("octo-org/store"), 1, ["failure"], 1),
        (rename("new-org/shop"), 1, ["failure"], 1),
    ],
)
def test_fault_never_passes(ready: Stage, fault: Fault, code: int, states: list[str], comments: int) -> None:
    ready.start_pull_run()
    fault(ready)
    assert ready.finish(ready.step(RED)) == code, ready.log
    assert [status["state"] for status in ready.fake.state.statuses] == states
    assert len(ready.comments) == comments
    assert ready.outputs["conclusion"] in {"fail", "not_compared"}


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize("path", ["/contents/", "/zip", "/CreateArtifact", "/issues/1/comments", "/statuses/"])
def test_rerun_of_an_ended_run_leaves_one_comment(
    ready: Stage, monkeypatch: pytest.MonkeyPatch, path: str, *, stored: bool
) -> None:
    """The run is cancelled while it waits for the answer to a request that did its work, if it is stored."""

    def cancel(_: float) -> NoReturn:
        raise KeyboardInterrupt

    ready.start_pull_run()
    method = "GET" if path in {"/contents/", "/zip"} else "POST"
    with monkeypatch.context() as patch:
        patch.setattr(ready, "pace", Pace(0, 1, 0, 0, RetryBudget(sleep=cancel)))
        status = 403 if path in {"/issues/1/comments", "/statuses/"} else 503
        ready.fake.fail(method, path, status, stored=stored, message="You have exceeded a secondary rate limit")
        with pytest.raises(KeyboardInterrupt):
            ready.step(RED)
    ready.fake.state.faults.clear()
    ready.start_again()
    assert ready.finish(ready.step(RED)) == 1
    assert len(ready.comments) == 1
    assert {status["state"] for status in ready.fake.state.statuses} == {"failure"}


# What the run is given
