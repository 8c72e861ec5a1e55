"""Acceptances from the comment to the verdict: who may, what it covers, and how long."""

import pytest

from action_stage import BASE_RUNS, SLOWER, Stage, profiles
from fake_github.state import ALL_PERMISSIONS
from profgate.model.record import replace
from slow_cases import quick_first

COMMAND = "/profgate accept parse max=+150%: the new format needs it"


@pytest.fixture
def red(stage: Stage) -> Stage:
    """A pull request whose gate failed for one function."""
    stage.push_jobs()
    stage.open_pull()
    stage.fake.state.collaborators |= {"maintainer": "write", "boss": "admin", "reader": "read"}
    stage.filled(lambda: stage.compare(profiles(SLOWER, 77)), SLOWER, 77)
    assert stage.outputs["conclusion"] == "fail"
    return stage


def say(stage: Stage, body: str = COMMAND, author: str = "maintainer") -> int:
    return stage.fake.add_comment(stage.number, body, author=author)


def remarks(stage: Stage) -> list[tuple[str, str]]:
    """The author of each acceptance in the report, and the code that explains its state."""
    return [(one["by"], one["remark"]["parameters"]["case"]) for one in stage.report["acceptances"]]


@pytest.mark.parametrize("author", ["maintainer", "boss"])
def test_who_can_write_can_accept(red: Stage, author: str) -> None:
    say(red, author=author)
    assert red.compare(profiles(SLOWER, 78)) == 0
    assert red.outputs["conclusion"] == "warn"
    assert remarks(red) == [(author, "accepted_up_to")]
    comment = red.comments[0]
    assert "### 🟡 Accepted: `parse` is 2.0x slower" in comment
    assert f"- `parse`: accepted by `{author}` up to +150" in comment
    assert "#issuecomment-" in comment
    assert len(red.requests) <= 14 + 2 * (BASE_RUNS - 1)


@pytest.mark.parametrize("author", ["reader", "outsider"])
def test_who_cannot_write_cannot_accept(red: Stage, author: str) -> None:
    say(red, author=author)
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert remarks(red) == [(author, "no_writer")]


def test_unknown_rights_accept_nothing(red: Stage) -> None:
    say(red)
    red.fake.fail("GET", "/collaborators/", 403, times=9)
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert remarks(red) == [("maintainer", "rights_unknown")]


@pytest.mark.parametrize("updated", ["", "within two seconds"])
def test_an_edited_comment_counts_no_longer(red: Stage, updated: str) -> None:
    comment = red.fake.state.comments[say(red, "Looks good.")]
    comment.body, comment.edited = COMMAND, True
    comment.updated = comment.created.replace("00Z", "01Z") if updated else ""
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert remarks(red) == [("maintainer", "comment_edited")]


def test_another_pull_request_is_not_covered(red: Stage) -> None:
    say(red)
    red.open_pull()
    assert red.compare(profiles(SLOWER, 79)) == 1


def test_the_policy_of_the_base_names_owners(stage: Stage) -> None:
    policy = {".github/profgate.yml": b"gate:\n  owners: [boss]\n"}
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=policy)
    stage.push_jobs()
    mine = {".github/profgate.yml": b"gate:\n  owners: [mallory]\n"}
    stage.open_pull(files=mine)
    stage.fake.state.collaborators |= {"maintainer": "write", "mallory": "write"}
    for author in ("maintainer", "mallory"):
        say(stage, author=author)
    assert stage.compare(profiles(SLOWER, 78)) == 1
    assert remarks(stage) == [("maintainer", "no_owner"), ("mallory", "no_owner")]
    say(stage, author="Boss")
    assert stage.compare(profiles(SLOWER, 80)) == 0


@pytest.mark.parametrize("role", ["MEMBER", "CONTRIBUTOR"])
def test_untrusted_people_cannot_use_up_lookups(red: Stage, role: str) -> None:
    for number in range(40):
        say(red, COMMAND, f"outsider-{number}")
    red.fake.add_comment(red.number, COMMAND, author="maintainer", association=role)
    before = red.fake.count("GET", "/collaborators/")
    assert red.compare(profiles(SLOWER, 78)) == 0
    assert red.fake.count("GET", "/collaborators/") - before == 10


# The merge queue


def queue(stage: Stage, number: int, parent: str) -> dict[str, str]:
    """A group on its own branch: its commit, the branch and the commit before."""
    commit = stage.fake.add_commit(parents=[parent, stage.fake.state.pulls[number].head_sha])
    ref = f"gh-readonly-queue/main/pr-{number}-{parent}"
    stage.fake.state.branches[ref] = commit
    return {"commit": commit, "ref": f"refs/heads/{ref}", "base": parent}


@pytest.mark.slow
def test_merge_queue_honours_acceptances(red: Stage) -> None:
    group = queue(red, red.number, red.base)
    assert red.queued(profiles(SLOWER, 78), **group) == 1
    say(red)
    assert red.queued(profiles(SLOWER, 80), **group) == 0


def test_merge_group_reads_pull_requests_before_it(red: Stage) -> None:
    say(red)
    first = queue(red, red.number, red.base)["commit"]
    red.open_pull()
    group = queue(red, red.number, first)
    red.inputs["config"] = "profgate.yml"
    assert red.queued(profiles(SLOWER, 79), **group) in {0, 1}
    assert "accepted by" in red.summary


# The comment itself as an event


def reactions(stage: Stage) -> list[str]:
    """Those of the newest comment that is not ours."""
    return [one for one in stage.fake.state.comments.values() if "[bot]" not in one.author][-1].reactions


@pytest.fixture
def failed(red: Stage) -> Stage:
    """The run of the red pull request ended with a failure, and this workflow may run jobs again."""
    runs = red.fake.state.runs
    runs[red.pull_run] = replace(runs[red.pull_run], conclusion="failure")
    red.fake.state.permissions["actions"] = "write"
    return red


def test_an_acceptance_runs_the_failed_jobs_again(failed: Stage) -> None:
    assert failed.commented(COMMAND) == 0
    assert failed.fake.state.reruns == [failed.pull_run]
    assert reactions(failed) == ["+1"]
    assert len([one for one in failed.requests if one.path != "/graphql"]) <= 8
    assert failed.compare(profiles(SLOWER, 78)) == 0


@pytest.mark.parametrize(
    ("body", "author", "message"),
    quick_first(
        [
            (COMMAND, "outsider", "outsider may not write to this repository"),
            ("Thanks! /profgate accept parse: x", "maintainer", "does not begin with a command"),
        ]
    ),
)
def test_a_comment_that_accepts_nothing_runs_nothing(failed: Stage, body: str, author: str, message: str) -> None:
    assert failed.commented(body, author) == 0
    assert failed.fake.state.reruns == []
    assert message in failed.log
    assert "the comment was deleted" not in failed.log


def test_acceptance_waits_for_the_next_run(failed: Stage) -> None:
    failed.push_to_pull()
    assert failed.commented(COMMAND) == 0
    assert failed.fake.state.reruns == []
    assert "the acceptance counts in the next run" in failed.log


def test_missing_rerun_permission_is_reported(failed: Stage) -> None:
    failed.fake.state.permissions["actions"] = "read"
    assert failed.commented(COMMAND) == 2
    assert "actions: write" in failed.log


@pytest.mark.slow
def test_fork_status_and_comment_are_written_again(stage: Stage) -> None:
    stage.push_jobs()
    stage.open_pull(fork=True)
    stage.fake.state.collaborators["maintainer"] = "write"
    stage.fake.read_only()
    assert stage.compare(profiles(SLOWER, 77)) == 1
    stage.fake.state.permissions = dict(ALL_PERMISSIONS)
    assert stage.fork_comment("failure") == 0
    assert stage.commented(COMMAND) == 0
    assert stage.fake.state.reruns == []
    states = [(one["state"], one["sha"]) for one in stage.fake.state.statuses]
    assert states == [("failure", stage.head), ("success", stage.head)]
    assert "### 🟡 Accepted: `parse`" in stage.comments[0]


@pytest.mark.parametrize("body", ["/profgate accept parse", "/profgate approve parse: x"])
def test_refused_command_gets_a_reaction(failed: Stage, body: str) -> None:
    before = failed.comments[0]
    assert failed.commented(body) == 0
    assert failed.fake.state.reruns == []
    assert reactions(failed) == ["confused"]
    assert failed.comments[0] == before
    assert len(failed.requests) <= 6


def test_untrusted_comments_get_no_reaction(failed: Stage) -> None:
    """Many comments cause few requests and few lines, and their texts are not shown."""
    for number in range(12):
        failed.commented(f"/profgate accept parse: buy at spam{number}.example", f"outsider-{number}")
        assert len(failed.requests) <= 3
        assert reactions(failed) == []
    assert failed.fake.state.reruns == []
    failed.compare(profiles(SLOWER, 78))
    assert failed.comments[0].count("- `parse`: refused:") == 10
    assert "spam" not in failed.comments[0]


def test_unread_comments_accept_nothing(red: Stage) -> None:
    say(red)
    red.fake.fail("GET", "/issues/1/comments", 502, times=9)
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert "acceptances_unread" in [warning["code"] for warning in red.report["warnings"]]


def test_merge_group_ignores_merged_pull_requests(red: Stage) -> None:
    """The branch of a merged group may still be there, and its commit is the baseline of the groups behind it."""
    say(red)
    red.base = queue(red, red.number, red.base)["commit"]
    red.fake.state.branches["main"] = red.base
    red.record(profiles(seed=50))
    red.open_pull()
    first = queue(red, red.number, red.base)["commit"]
    red.open_pull()
    group = queue(red, red.number, first)
    red.queued(profiles(SLOWER, 79), **group)
    assert red.report["baseline"]["sha"] == red.base
    assert "acceptances" not in red.report
