"""Acceptances from the comment to the verdict: who may, what it covers, and how long."""

import re
from dataclasses import replace

import pytest

from action_stage import BASE_RUNS, BOTH_SLOWER, SHARES, SLOWER, Stage, profiles
from fake_github.state import ALL_PERMISSIONS
from profgate.github.sticky_comment import ACTIONS_LOGIN
from slow_cases import quick_first

COMMAND = "/profgate accept parse: the new format needs it"
THRICE = SHARES | {"parse": 90_000}
FAR_SLOWER = SHARES | {"parse": 150_000}


@pytest.fixture
def red(stage: Stage) -> Stage:
    """A pull request whose gate failed for one function."""
    stage.push_jobs(BASE_RUNS)
    stage.open_pull()
    stage.fake.state.collaborators |= {"maintainer": "write", "boss": "admin", "reader": "read"}
    stage.filled(lambda: stage.compare(profiles(SLOWER, 77)), SLOWER, 77)
    assert stage.outputs["conclusion"] == "fail"
    return stage


def say(stage: Stage, body: str = COMMAND, author: str = "maintainer") -> int:
    return stage.fake.add_comment(stage.number, body, author=author)


def test_comment_of_failed_gate_shows_the_command(red: Stage) -> None:
    assert re.search(r"`/profgate accept parse max=\+12\d%: REASON`", red.comments[0])


@pytest.mark.parametrize("author", ["maintainer", "boss"])
def test_who_can_write_can_accept(red: Stage, author: str) -> None:
    say(red, author=author)
    assert red.compare(profiles(SLOWER, 78)) == 0
    assert red.outputs["conclusion"] == "warn"
    comment = red.comments[0]
    assert "### 🟡 Accepted: `parse` is 2.0x slower" in comment
    assert f"- `parse`: accepted by `{author}` up to +12" in comment
    assert "#issuecomment-" in comment
    assert f"accepted by {author} up to +12" in red.file("comment.md")
    assert "acceptance" in red.summary
    assert len(red.requests) <= 15 + 2 * (BASE_RUNS - 1)


@pytest.mark.parametrize("author", ["reader", "outsider"])
def test_who_cannot_write_cannot_accept(red: Stage, author: str) -> None:
    say(red, author=author)
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert f"refused: {author} may not write to this repository" in red.comments[0]


@pytest.mark.parametrize(
    ("path", "status", "message"),
    [
        ("/collaborators/", 403, "GitHub did not return the rights of maintainer"),
        ("/pulls/1/commits", 502, "nothing counts as accepted"),
    ],
)
def test_unknown_rights_accept_nothing(red: Stage, path: str, status: int, message: str) -> None:
    say(red)
    red.fake.fail("GET", path, status, times=9)
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert message in red.summary


@pytest.mark.parametrize(
    "bodies",
    [
        [f"> {COMMAND}", f"```\n{COMMAND}\n```", f"    {COMMAND}", f"<!--\n{COMMAND}\n-->", "/profgate accept parse"],
        [
            "/profgate accept parse max=+5%: less than it is",
            "/profgate accept pars: another function",
            "/profgate accept total: the whole",
            "/profgate accept parse file=other.py: another file",
            "/profgate accept parse workload=batch: another workload",
        ],
    ],
    ids=["no command", "too little"],
)
def test_wrong_or_too_small_acceptance_accepts_nothing(red: Stage, bodies: list[str]) -> None:
    for body in bodies:
        say(red, body)
    assert red.compare(profiles(SLOWER, 78)) == 1


@pytest.mark.parametrize("updated", ["", "within two seconds"])
def test_an_edited_comment_counts_no_longer(red: Stage, updated: str) -> None:
    comment = red.fake.state.comments[say(red, "Looks good.")]
    comment.body, comment.edited = COMMAND, True
    comment.updated = comment.created.replace("00Z", "01Z") if updated else ""
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert "the comment was edited, perhaps by another person" in red.comments[0]


@pytest.mark.slow
def test_a_deleted_comment_counts_no_longer(red: Stage) -> None:
    number = say(red)
    assert red.compare(profiles(SLOWER, 78)) == 0
    del red.fake.state.comments[number]
    assert red.compare(profiles(SLOWER, 79)) == 1


def test_beyond_what_was_accepted_it_is_red_again(red: Stage) -> None:
    say(red)
    assert red.compare(profiles(SLOWER, 78)) == 0
    red.push_to_pull()
    assert red.compare(profiles(SLOWER, 79)) == 0
    red.push_to_pull()
    assert red.compare(profiles(FAR_SLOWER, 80)) == 1
    assert "no longer covered, accepted up to +12" in red.comments[0]
    assert red.compare(profiles(SLOWER, 81)) == 0


def test_measured_limit_does_not_grow_later(red: Stage) -> None:
    red.push_to_pull()
    assert red.compare(profiles(THRICE, 77)) == 1
    say(red)
    assert red.compare(profiles(THRICE, 78)) == 0
    red.push_to_pull()
    assert red.compare(profiles(SHARES, 79)) == 0
    red.push_to_pull()
    assert red.compare(profiles(FAR_SLOWER, 80)) == 1


def test_acceptance_covers_only_what_was_shown(red: Stage) -> None:
    """The pull request may become slower between the maintainer's command and the next run."""
    say(red)
    red.push_to_pull()
    assert red.compare(profiles(FAR_SLOWER, 78)) == 1
    assert "no longer covered, accepted up to +12" in red.comments[0]
    red.push_to_pull()
    assert red.compare(profiles(SLOWER, 79)) == 0


def test_command_before_any_result_needs_a_limit(stage: Stage) -> None:
    stage.push_jobs()
    stage.open_pull()
    stage.fake.state.collaborators["maintainer"] = "write"
    say(stage)
    assert stage.compare(profiles(SLOWER, 77)) == 1
    assert "no comment of profgate showed its growth at that time" in stage.comments[1]
    say(stage)
    assert stage.compare(profiles(SLOWER, 78)) == 0


def test_command_before_the_last_edit_needs_a_limit(red: Stage) -> None:
    """A run that had not read the command replaced what the maintainer saw."""
    say(red)
    red.push_to_pull()
    (own,) = [comment for comment in red.fake.state.comments.values() if comment.author == ACTIONS_LOGIN]
    own.updated = red.fake.state.next_date()
    assert red.compare(profiles(FAR_SLOWER, 78)) == 1
    assert "no comment of profgate showed its growth at that time" in red.comments[0]


@pytest.mark.slow
def test_acceptance_of_a_workload_ignores_others(stage: Stage) -> None:
    """The growth that was shown for one workload is no limit for another."""
    both = [profiles(shares, 5, workload) for shares, workload in ((SHARES, "api"), (SHARES, "web"))]
    stage.push_jobs(BASE_RUNS, lambda _: both[0] | both[1])
    stage.open_pull()
    stage.fake.state.collaborators["maintainer"] = "write"
    assert stage.compare(profiles(SLOWER, 77) | profiles(FAR_SLOWER, 78, "web")) == 1
    say(stage, "/profgate accept parse workload=api: needed")
    stage.push_to_pull()
    assert stage.compare(profiles(FAR_SLOWER, 79) | both[1]) == 1
    assert stage.compare(profiles(SLOWER, 80) | both[1]) == 0


@pytest.mark.slow
def test_minimised_comments_keep_the_limit(red: Stage) -> None:
    red.inputs["older-comments"] = "minimize"
    say(red)
    for seed, shares, code in ((78, SLOWER, 0), (79, FAR_SLOWER, 1), (80, FAR_SLOWER, 1)):
        red.push_to_pull()
        assert red.compare(profiles(shares, seed)) == code


def test_marker_of_another_bot_is_not_believed(red: Stage) -> None:
    """Another workflow's bot may repeat the text of anybody, below the name that profgate usually has."""
    number = say(red)
    red.fake.state.token_login = "shop-app[bot]"
    marker = f"<!-- profgate v1 key=default accepted={number}.0:900 -->"
    red.fake.add_comment(red.number, marker, author=ACTIONS_LOGIN)
    assert red.compare(profiles(FAR_SLOWER, 78)) == 1
    assert "no comment of profgate showed its growth at that time" in red.summary


@pytest.mark.slow
def test_own_identity_of_another_token_is_found(red: Stage) -> None:
    red.fake.state.token_login = "shop-app[bot]"
    red.fake.state.comments.clear()
    assert red.compare(profiles(SLOWER, 78)) == 1
    say(red)
    assert red.compare(profiles(SLOWER, 79)) == 0


@pytest.mark.slow
def test_acceptance_needs_a_limit_without_own_comment(red: Stage) -> None:
    red.inputs["comment"] = "never"
    red.fake.state.comments.clear()
    say(red)
    assert red.compare(profiles(SLOWER, 78)) == 1
    assert "no comment of profgate showed its growth at that time: add max=+30%" in red.summary
    say(red, "/profgate accept parse max=2.5x: needed")
    assert red.compare(profiles(SLOWER, 79)) == 0


def test_another_finding_stays_red(red: Stage) -> None:
    say(red)
    assert red.compare(profiles(BOTH_SLOWER, 78)) == 1
    assert "`/profgate accept render max=+" in red.comments[0]
    say(red, "/profgate accept render max=2.5x: as well")
    assert red.compare(profiles(BOTH_SLOWER, 79)) == 0


def test_another_pull_request_is_not_covered(red: Stage) -> None:
    say(red)
    assert red.compare(profiles(SLOWER, 78)) == 0
    red.open_pull()
    assert red.compare(profiles(SLOWER, 79)) == 1


def test_the_policy_of_the_base_names_owners(stage: Stage) -> None:
    policy = {".github/profgate.yml": b"gate:\n  owners: [boss]\n"}
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files=policy)
    stage.push_jobs(BASE_RUNS)
    mine = {".github/profgate.yml": b"gate:\n  owners: [mallory]\n"}
    stage.open_pull(files=mine)
    stage.fake.state.collaborators |= {"maintainer": "write", "mallory": "write"}
    for author in ("maintainer", "mallory"):
        say(stage, "/profgate accept parse max=2.5x: needed", author)
    assert stage.compare(profiles(SLOWER, 78)) == 1
    assert "mallory is not one of the owners in the policy" in stage.comments[2]
    say(stage, COMMAND, "boss")
    assert stage.compare(profiles(SLOWER, 79)) == 1
    assert "the command needs a limit: add max=+30%" in stage.comments[2]
    (shown,) = re.findall(r"`(/profgate accept [^`]*)REASON`", stage.comments[2])
    say(stage, f"{shown}needed", "Boss")
    assert stage.compare(profiles(SLOWER, 80)) == 0


def test_trailer_accepts_in_a_branch_of_this_repository(red: Stage) -> None:
    message = "Read the new format\n\nProfgate-Accepted: parse max=+150% the new format needs it"
    red.head = red.fake.add_commit(parents=[red.head], message=message)
    red.fake.state.pulls[red.number].head_sha = red.head
    assert red.compare(profiles(SLOWER, 78)) == 0
    assert f"accepted by `commit {red.head[:7]}` up to +150 %" in red.comments[0]


def test_a_trailer_of_a_fork_accepts_nothing(stage: Stage) -> None:
    stage.push_jobs(BASE_RUNS)
    stage.open_pull(fork=True)
    message = "Read the new format\n\nProfgate-Accepted: parse max=+150% the new format needs it"
    stage.head = stage.fake.add_commit(parents=[stage.head], message=message)
    stage.fake.state.pulls[stage.number].head_sha = stage.head
    assert stage.compare(profiles(SLOWER, 78)) == 1
    assert "trailers count only in branches of this repository" in stage.summary


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
    assert red.compare(profiles(SLOWER, 79)) == 0
    assert red.queued(profiles(SLOWER, 80), **group) == 0
    assert red.queued(profiles(SLOWER, 81), **group) == 0


@pytest.mark.slow
def test_merge_queue_accepts_what_was_shown(red: Stage) -> None:
    group = queue(red, red.number, red.base)
    say(red)
    assert red.queued(profiles(FAR_SLOWER, 78), **group) == 1
    assert red.queued(profiles(SLOWER, 79), **group) == 0


def test_merge_group_reads_pull_requests_before_it(red: Stage) -> None:
    say(red, "/profgate accept parse max=2.5x: needed")
    first = queue(red, red.number, red.base)["commit"]
    red.open_pull()
    group = queue(red, red.number, first)
    red.inputs["config"] = "profgate.yml"
    assert red.queued(profiles(SLOWER, 79), **group) in {0, 1}
    assert "accepted by" in red.summary


def test_merge_group_ignores_merged_pull_requests(red: Stage) -> None:
    """The branch of a merged group may still be there, and its commit is the baseline of the groups behind it."""
    say(red, "/profgate accept parse max=2.5x: needed")
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


@pytest.mark.slow
def test_after_the_merge_it_is_gone(red: Stage) -> None:
    say(red)
    assert red.compare(profiles(SLOWER, 78)) == 0
    red.inputs["baseline-ref"] = red.base
    merged = red.fake.add_commit(parents=[red.base, red.head], branch="main")
    assert red.triggered("push", {}, merged, files=profiles(SLOWER, 79)) == 1


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
    assert "Not accepted" not in failed.comments[0]
    assert len([one for one in failed.requests if one.path != "/graphql"]) <= 9
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


def test_talk_costs_no_request(failed: Stage) -> None:
    failed.commented("Looks good to me.")
    assert failed.requests == []
    assert reactions(failed) == []


def test_untrusted_comment_never_counts(failed: Stage) -> None:
    say(failed)
    failed.commented(COMMAND, "outsider")
    assert failed.fake.state.reruns == []


def test_an_edit_runs_nothing(failed: Stage) -> None:
    assert failed.commented(COMMAND, action="edited") == 0
    assert failed.fake.state.reruns == []


def test_acceptance_waits_for_the_next_run(failed: Stage) -> None:
    failed.push_to_pull()
    assert failed.commented(COMMAND) == 0
    assert failed.fake.state.reruns == []
    assert "the acceptance counts in the next run" in failed.log


def test_a_closed_pull_request_is_left_alone(failed: Stage) -> None:
    failed.fake.state.pulls[failed.number].state = "closed"
    assert failed.commented(COMMAND) == 0
    assert "is closed, so the gate is not run again" in failed.log


def test_missing_rerun_permission_is_reported(failed: Stage) -> None:
    failed.fake.state.permissions["actions"] = "read"
    assert failed.commented(COMMAND) == 2
    assert "actions: write" in failed.log


@pytest.mark.slow
def test_fork_status_and_comment_are_written_again(stage: Stage) -> None:
    stage.push_jobs(BASE_RUNS)
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


# The answer to a comment


@pytest.mark.parametrize(
    ("body", "author", "message"),
    [
        ("/profgate accept parse", "maintainer", "gives no reason"),
        ("/profgate accept parse max=alot: x", "maintainer", "max=alot is not a growth"),
        ("/profgate approve parse: x", "maintainer", "is unknown: write /profgate accept"),
    ],
)
def test_who_is_refused_reads_why_in_our_comment(failed: Stage, body: str, author: str, message: str) -> None:
    before = failed.comments[0]
    assert failed.commented(body, author) == 0
    assert failed.fake.state.reruns == []
    assert reactions(failed) == ["confused"]
    assert failed.comments[0].startswith(before.rstrip())
    assert "**Not accepted:**" in failed.comments[0]
    assert message in failed.comments[0].partition("Not accepted")[2]
    assert len(failed.fake.state.comments) == 2
    assert len(failed.requests) <= 8


def test_next_run_replaces_the_answer(failed: Stage) -> None:
    failed.commented("/profgate accept parse")
    failed.push_to_pull()
    failed.compare(profiles(SLOWER, 78))
    assert "**Not accepted:**" not in failed.comments[0]
    assert "gives no reason" in failed.comments[0]
    failed.commented("/profgate approve parse")
    answer = failed.comments[0].partition("**Not accepted:**")[2]
    assert "is unknown" in answer
    assert "gives no reason" not in answer


def test_answer_keeps_the_limit_of_earlier_commands(failed: Stage) -> None:
    """An answer edits the comment, so that the time of the edit no longer shows what it showed before."""
    say(failed)
    failed.commented("/profgate accept render")
    assert "**Not accepted:**" in failed.comments[0]
    failed.push_to_pull()
    assert failed.compare(profiles(FAR_SLOWER, 78)) == 1
    assert failed.compare(profiles(SLOWER, 79)) == 0


def test_untrusted_comments_get_no_answer(failed: Stage) -> None:
    """Many comments cause few requests, no notification and few lines, and their texts are not shown."""
    before = failed.comments[0]
    for number in range(12):
        failed.commented(f"/profgate accept parse: buy at spam{number}.example", f"outsider-{number}")
        assert len(failed.requests) <= 3
        assert reactions(failed) == []
    assert failed.comments[0] == before
    assert len(failed.comments) == 13
    assert failed.fake.state.reruns == []
    failed.compare(profiles(SLOWER, 78))
    assert failed.comments[0].count("- `parse`: refused:") == 5
    assert "spam" not in failed.comments[0]


def test_untrusted_comments_hide_no_acceptance(failed: Stage) -> None:
    say(failed, "/profgate accept parse max=2.5x: needed")
    for number in range(60):
        say(failed, "/profgate accept parse: mine", f"outsider-{number}")
    failed.fake.state.comments[min(failed.fake.state.comments, default=0)].association = "NONE"
    for one in failed.fake.state.comments.values():
        one.association = "MEMBER" if one.author == "maintainer" else one.association
    assert failed.compare(profiles(SLOWER, 78)) == 0
    assert "- `parse`: accepted by `maintainer`" in failed.comments[0]


def test_reaction_answers_without_own_comment(failed: Stage) -> None:
    failed.fake.state.comments.clear()
    failed.commented("/profgate accept parse")
    assert reactions(failed) == ["confused"]
    assert len(failed.comments) == 1


def test_switched_off_comments_are_not_answered_in_one(failed: Stage) -> None:
    before = failed.comments[0]
    failed.inputs["comment"] = "never"
    failed.commented("/profgate accept parse")
    assert failed.comments[0] == before
    assert reactions(failed) == ["confused"]


def test_that_there_can_be_no_answer_stops_nothing(failed: Stage) -> None:
    failed.fake.state.permissions |= {"issues": "read", "pull_requests": "read"}
    assert failed.commented(COMMAND) == 0
    assert failed.fake.state.reruns == [failed.pull_run]
    assert "the comment got no answer" in failed.log
    assert "pull-requests: write" in failed.log
