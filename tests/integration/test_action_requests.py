"""How many requests each scenario costs: docs/reference/github.md states these bounds."""

from collections import Counter

import pytest

from action_stage import BASE_RUNS, SLOWER, Stage, profiles
from fake_github.server import NEXT_VERSION
from fake_github.state import ALL_PERMISSIONS
from profgate.action.github import downloads, requests
from profgate.model.record import replace

NEEDED = 12
FORK_COMMENT = 16
PERSON = 1  # who wrote an acceptance
FURTHER = BASE_RUNS - 1  # base runs beside the baseline
SOURCES = {"src/cart.py": b"def parse(text):\n    return text\n"}
SLOW_SOURCES = {"src/cart.py": b"def parse(text):\n    return sorted(text)\n"}


def counted(stage: Stage) -> Counter[str]:
    """Requests to the API by their kind; those to storage and to the artifact service do not count for GitHub."""
    place = f"/repos/{stage.fake.state.repository}"
    calls = Counter("graphql" if one.path == "/graphql" else "rest" for one in stage.requests)
    strange = [one.path for one in stage.requests if one.path != "/graphql" and not one.path.startswith(place)]
    assert strange == []
    return calls


@pytest.fixture
def changed(stage: Stage) -> Stage:
    """A recorded base branch and a pull request that changes a source file: every request has its reason."""
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=SOURCES)
    stage.push_jobs()
    stage.open_pull(files=SLOW_SOURCES)
    return stage


def accepted(stage: Stage) -> None:
    stage.fake.state.collaborators["maintainer"] = "write"
    stage.fake.add_comment(stage.number, "/profgate accept parse max=+150%: needed", author="maintainer")


def slow(seed: int = 77) -> dict[str, bytes]:
    return {name: data.replace(b"parse", b"parse (src/cart.py:2)") for name, data in profiles(SLOWER, seed).items()}


@pytest.mark.parametrize("fork", [False, True])
def test_next_version_of_the_api_changes_nothing(
    recorded: Stage, monkeypatch: pytest.MonkeyPatch, *, fork: bool
) -> None:
    recorded.open_pull(fork=fork)
    recorded.inputs |= {"status": "true"}
    recorded.fake.api_version = NEXT_VERSION
    for module in (requests, downloads):
        monkeypatch.setattr(module, "API_VERSION", NEXT_VERSION)
    assert recorded.compare(profiles(SLOWER, 77)) == 1
    if fork:
        recorded.fork_comment("failure")
    assert len(recorded.comments) == 1
    assert recorded.fake.state.statuses[-1]["state"] == "failure"


def test_a_pull_request_with_everything(changed: Stage) -> None:
    accepted(changed)
    changed.compare(slow())
    found = counted(changed)
    assert found["rest"] <= NEEDED + PERSON + FURTHER
    assert found["graphql"] <= 2  # sources, and edits of the acceptance


@pytest.mark.slow
def test_a_second_run_that_edits_its_comment(changed: Stage) -> None:
    changed.compare(slow())
    changed.push_to_pull()
    accepted(changed)
    changed.compare(slow(78))
    assert counted(changed)["rest"] <= NEEDED + PERSON + FURTHER


@pytest.mark.slow
def test_history_replaces_further_base_runs(changed: Stage) -> None:
    changed.history = True
    changed.push_jobs(9)  # with fewer, those before the history are read, too
    changed.open_pull(files=SLOW_SOURCES)
    changed.compare(slow())
    found = counted(changed)
    assert found["rest"] <= NEEDED + 2  # the history's artifact and its download
    assert changed.base_jobs >= BASE_RUNS


def test_requests_of_the_fork_comment_workflow(changed: Stage) -> None:
    changed.open_pull(fork=True, files=SLOW_SOURCES)
    changed.fake.read_only()
    changed.compare(slow())
    first = counted(changed)
    assert first["rest"] <= NEEDED + FURTHER
    changed.fake.state.permissions = dict(ALL_PERMISSIONS)
    accepted(changed)
    assert changed.fork_comment("failure") == 0
    assert len(changed.comments) == 2
    found = counted(changed)
    # in addition to the pull request run: its artifact and download, the pull request, and the status, but not the
    # commits, since a fork's trailers do not count
    assert found["rest"] <= FORK_COMMENT + PERSON + FURTHER
    assert found["graphql"] <= 2  # sources, and edits of the acceptance


@pytest.mark.slow
def test_requests_where_the_base_branch_moved_before(changed: Stage) -> None:
    """The test merge stands on a commit that GitHub does not state: two requests prove it."""
    changed.open_pull(fork=True, files=SLOW_SOURCES)
    opened = changed.base
    head = changed.push()
    changed.base = opened
    changed.fake.read_only()
    changed.compare(slow(), base=head)
    changed.fake.state.permissions = dict(ALL_PERMISSIONS)
    assert changed.fork_comment("failure") == 0
    assert changed.report["baseline"]["sha"] == head
    # the push after the pull request was opened is one more base run
    assert counted(changed)["rest"] <= FORK_COMMENT + 2 + FURTHER + 1


def test_a_group_of_the_merge_queue(changed: Stage) -> None:
    accepted(changed)
    changed.queued(slow())
    assert counted(changed)["rest"] <= NEEDED + PERSON + FURTHER


@pytest.mark.parametrize("body", ["/profgate accept parse max=+150%: needed", "/profgate accept parse"])
def test_a_comment_that_accepts_or_is_refused(changed: Stage, body: str) -> None:
    changed.compare(slow())
    runs = changed.fake.state.runs
    runs[changed.pull_run] = replace(runs[changed.pull_run], conclusion="failure")
    changed.fake.state.permissions["actions"] = "write"
    changed.fake.state.collaborators["maintainer"] = "write"
    for text, most in ((body, 9), ("Looks good", 0)):
        assert changed.commented(text) == 0, changed.log
        assert counted(changed)["rest"] <= most
