import hashlib
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fake_github import FakeGitHub
from profgate.errors import GitHubError, NotAllowed, ProfileError
from profgate.github.statuses import (
    MOST_ANNOTATIONS,
    Annotation,
    CheckText,
    annotations,
    check_name,
    publish_check_run,
    publish_failure,
    publish_verdict,
    status_context,
)
from profgate.model.report import Attribution, Conclusion, Report, Verdict
from report_samples import finding, metric, report, workload

URL = "https://github.com/octo/shop/actions/runs/7"
TEXT = CheckText("parse got worse", "### summary", "7/1/api")
FAILED = Verdict("fail", "red", (), exit_code=1)
HOSTILE = "parse\u202e\n::error::<b>\U0001f600@octocat"


@pytest.fixture
def fake() -> Iterator[FakeGitHub]:
    with FakeGitHub(in_process=True) as server:
        server.add_commit(branch="main")
        yield server


@pytest.mark.parametrize(
    ("conclusion", "code", "state"),
    [
        ("pass", 0, "success"),
        ("warn", 0, "success"),
        ("fail", 1, "failure"),
        ("not_compared", 3, "success"),
        ("not_compared", 1, "failure"),
        ("inconclusive", 0, "success"),
        ("inconclusive", 1, "failure"),
    ],
)
def test_verdict_sets_status_state(fake: FakeGitHub, conclusion: Conclusion, code: int, state: str) -> None:
    verdict = Verdict(conclusion, "neutral", (), exit_code=code)
    text = "parse\u202e got\nworse " + "x" * 500
    publish_verdict(fake.client(), fake.state.branches["main"], "api", verdict, text, URL)
    (status,) = fake.state.statuses
    assert (status["state"], status["context"], status["target_url"]) == (state, "profgate/api", URL)
    description = str(status["description"])
    assert len(description) == 140
    assert "parse got worse" in description


def test_missing_result_is_an_error_status(fake: FakeGitHub) -> None:
    publish_failure(fake.client(), fake.state.branches["main"], "api", ProfileError("a", "is broken"), URL)
    assert [(one["state"], one["description"]) for one in fake.state.statuses] == [("error", "no result: a: is broken")]


def test_status_is_sent_again_after_server_failure(fake: FakeGitHub) -> None:
    fake.fail("POST", "/statuses/", stored=True)
    publish_verdict(fake.client(), fake.state.branches["main"], "api", Verdict("pass", "green", ()), "", URL)
    assert {str(one["state"]) for one in fake.state.statuses} == {"success"}


def test_status_needs_a_commit(fake: FakeGitHub) -> None:
    with pytest.raises(GitHubError, match="the commit is not known"):
        publish_verdict(fake.client(), "", "api", Verdict("pass", "green", ()), "", URL)


def publish(fake: FakeGitHub, verdict: Verdict, notes: list[Annotation], text: CheckText = TEXT) -> int:
    return publish_check_run(fake.client(), fake.state.branches["main"], "api", verdict, text, notes)


def notes_of(count: int) -> list[Annotation]:
    return [
        {
            "path": "src/a.py",
            "start_line": line,
            "end_line": line,
            "annotation_level": "warning",
            "title": "title",
            "message": "message",
        }
        for line in range(1, count + 1)
    ]


@pytest.mark.parametrize(("count", "requests"), [(0, 1), (1, 1), (50, 1), (51, 2), (120, 3)])
def test_annotations_are_sent_fifty_at_a_time(fake: FakeGitHub, count: int, requests: int) -> None:
    assert publish(fake, FAILED, notes_of(count)) == requests
    (run,) = fake.state.check_runs
    assert [one["start_line"] for one in run["output"]["annotations"]] == list(range(1, count + 1))
    assert (fake.count("POST", "/check-runs"), fake.count("PATCH")) == (1, requests - 1)


@pytest.mark.parametrize(
    ("conclusion", "code", "expected"),
    [
        ("pass", 0, "success"),
        ("warn", 0, "neutral"),
        ("fail", 1, "failure"),
        ("not_compared", 3, "neutral"),
        ("not_compared", 1, "failure"),
    ],
)
def test_verdict_sets_check_run_conclusion(fake: FakeGitHub, conclusion: Conclusion, code: int, expected: str) -> None:
    publish(fake, Verdict(conclusion, "neutral", (), exit_code=code), [])
    (run,) = fake.state.check_runs
    assert (run["status"], run["conclusion"]) == ("completed", expected)


@pytest.mark.parametrize("stored", [True, False])
def test_server_failure_creates_no_second_check_run(fake: FakeGitHub, *, stored: bool) -> None:
    fake.fail("POST", "/check-runs", stored=stored)
    publish(fake, FAILED, notes_of(60))
    (run,) = fake.state.check_runs
    assert len(run["output"]["annotations"]) == 60


def test_long_check_run_texts_are_cut(fake: FakeGitHub) -> None:
    publish(fake, FAILED, [], CheckText("t" * 900, "é" * 70_000, "7/1/api"))
    (run,) = fake.state.check_runs
    assert len(run["output"]["title"]) == 255
    assert len(run["output"]["summary"].encode()) == 60_000


def test_check_run_and_status_have_different_names() -> None:
    assert check_name("api") != status_context("api")


def test_missing_permission_is_named(fake: FakeGitHub) -> None:
    fake.read_only()
    with pytest.raises(NotAllowed, match="checks: write"):
        publish(fake, FAILED, [])


def test_check_run_needs_a_commit(fake: FakeGitHub) -> None:
    with pytest.raises(GitHubError, match="the commit is not known"):
        publish_check_run(fake.client(), "", "api", FAILED, TEXT, [])


def linked(path: str, line: int, side: str = "R") -> Attribution:
    digest = hashlib.sha256(path.encode()).hexdigest()
    return Attribution(source="changed", source_link=f"https://github.com/o/r/pull/7/files#diff-{digest}{side}{line}")


def slower(name: str, attribution: Attribution) -> Report:
    found = replace(finding(name, 2e9, 5e9, kind="SevereDegradation"), attribution=attribution)
    return report(workload(metric(found)))


def test_slower_changed_function_is_annotated_at_its_line() -> None:
    (note,), more = annotations(slower("parse", linked("src/cart.py", 12)), ["src/cart.py", "src/view.py"])
    assert (note["path"], note["start_line"], note["annotation_level"], more) == ("src/cart.py", 12, "failure", 0)
    assert "parse is 2.5x slower" in str(note["message"])
    assert "in api-bench" not in str(note["message"])


def test_annotation_names_one_of_several_workloads() -> None:
    found = slower("parse", linked("src/cart.py", 12))
    (note, _), _ = annotations(replace(found, workloads=found.workloads * 2), ["src/cart.py"])
    assert "in api-bench: " in str(note["message"])


def test_what_was_not_changed_here_gets_nslower() -> None:
    for attribution in (
        Attribution(),
        Attribution(source="same"),
        linked("src/other.py", 3),
        linked("src/cart.py", 3, "L"),
    ):
        assert annotations(slower("parse", attribution), ["src/cart.py"]) == ((), 0)


def test_what_got_faster_gets_nslower() -> None:
    found = replace(
        finding("parse", 5e9, 2e9, kind="Optimization", colour="green"), attribution=linked("src/cart.py", 12)
    )
    assert annotations(report(workload(metric(found))), ["src/cart.py"]) == ((), 0)


def test_hostile_name_becomes_one_plain_line() -> None:
    (note,), _ = annotations(slower(HOSTILE, linked("src/cart.py", 12)), ["src/cart.py"])
    message = str(note["message"])
    assert message.isprintable()
    assert "\n" not in message
    assert max(map(ord, message)) <= 0xFFFF


def test_annotations_beyond_the_limit_are_counted() -> None:
    found = [
        replace(
            finding(f"f{number}", 2e9, 5e9, kind="SevereDegradation"), attribution=linked("src/cart.py", number + 1)
        )
        for number in range(MOST_ANNOTATIONS + 7)
    ]
    notes, more = annotations(report(workload(metric(*found))), ["src/cart.py"])
    assert (len(notes), more) == (MOST_ANNOTATIONS, 7)
