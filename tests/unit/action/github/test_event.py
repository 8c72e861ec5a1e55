"""The run context of each event, from whole payloads that GitHub's description of its webhooks allows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from fake_github.events import payload
from profgate.action.github.event import read_run_context, run_context
from profgate.errors import ProfgateError

ENV = {
    "ACTIONS_RESULTS_URL": "https://results.example/",
    "ACTIONS_RUNTIME_TOKEN": "very secret",
    "GITHUB_ACTOR": "octocat",
    "GITHUB_API_URL": "https://api.github.com/",
    "GITHUB_JOB": "bench",
    "GITHUB_REF": "refs/pull/7/merge",
    "GITHUB_REPOSITORY": "octo-org/shop",
    "GITHUB_REPOSITORY_ID": "4711",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_RUN_ID": "99",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_SHA": "a" * 40,
    "GITHUB_WORKFLOW_REF": "octo-org/shop/.github/workflows/profgate.yml@refs/pull/7/merge",
    "GITHUB_WORKSPACE": "/github/workspace",
}
REPOSITORY = {"id": 4711, "full_name": "octo-org/shop", "default_branch": "main"}


def env_of(event: str, **more: str) -> dict[str, str]:
    return {**ENV, "GITHUB_EVENT_NAME": event, **more}


def pull_request(head_repository: Mapping[str, object] | None, author: str = "octocat") -> dict[str, Any]:
    head = {"ref": "fix/a", "sha": "b" * 40, "repo": head_repository or {}}
    base = {"ref": "main", "sha": "c" * 40, "repo": {"id": 4711}}
    pull = {"number": 7, "head": head, "base": base, "user": {"login": author}}
    event = {"action": "synchronize", "number": 7, "pull_request": pull, "repository": REPOSITORY}
    whole = payload("pull_request", event)
    if head_repository is None:  # the description forbids it; after a fork was deleted there is none
        whole["pull_request"]["head"]["repo"] = None
    return whole


def test_a_pull_request_of_the_same_repository() -> None:
    env = env_of("pull_request", GITHUB_BASE_REF="main", GITHUB_HEAD_REF="fix/a")
    context = run_context(env, pull_request({"id": 4711}))
    assert (context.event_name, context.pr_number, context.sha, context.head_sha) == (
        "pull_request",
        7,
        "a" * 40,
        "b" * 40,
    )
    assert (context.base_ref, context.head_ref, context.base_sha) == ("main", "fix/a", "c" * 40)
    assert (context.repository_id, context.run_id, context.run_attempt, context.job) == (4711, 99, 2, "bench")
    assert context.workflow_path == ".github/workflows/profgate.yml"
    assert context.run_url == "https://github.com/octo-org/shop/actions/runs/99"
    assert context.api_url == "https://api.github.com"
    assert (context.is_fork, context.is_dependabot, context.read_only) == (False, False, False)


@pytest.mark.parametrize("position", [None, 1, 2])
def test_trunk_of_a_stack_is_trusted(position: int | None) -> None:
    event = pull_request({"id": 4711})
    pull = event["pull_request"]
    pull["stack"] = {"position": position, "size": 3, "base": {"ref": "main", "sha": "d" * 40}} if position else None
    pull["base"]["ref"] = "layer-1" if position == 2 else "main"
    context = run_context(env_of("pull_request"), payload("pull_request", event))
    assert (context.base_ref, context.base_sha) == ("main", ("d" if position else "c") * 40)
    assert context.stacked == (position == 2)


@pytest.mark.parametrize("head", [{"id": 666}, None, {}])
def test_a_pull_request_from_elsewhere_is_read_only(head: dict[str, object] | None) -> None:
    context = run_context(env_of("pull_request"), pull_request(head))
    assert context.is_fork
    assert context.read_only


@pytest.mark.parametrize(("actor", "author"), [("dependabot[bot]", "octocat"), ("octocat", "dependabot[bot]")])
def test_dependabot_is_read_only(actor: str, author: str) -> None:
    context = run_context(env_of("pull_request", GITHUB_ACTOR=actor), pull_request({"id": 4711}, author))
    assert context.is_dependabot
    assert context.read_only


def test_context_of_a_push() -> None:
    event = payload("push", {"before": "d" * 40, "after": "a" * 40, "repository": REPOSITORY})
    context = run_context(env_of("push", GITHUB_REF="refs/heads/main"), event)
    assert (context.before_sha, context.head_sha, context.pr_number) == ("d" * 40, "a" * 40, None)
    assert (context.default_branch, context.ref) == ("main", "refs/heads/main")
    assert run_context(env_of("push"), {**event, "before": "0" * 40}).before_sha == ""


def finished(run: Mapping[str, Any]) -> dict[str, Any]:
    described = {**run, "head_repository": run["head_repository"] or {}}
    event = {"action": "completed", "workflow_run": described, "repository": REPOSITORY}
    whole = payload("workflow_run", event)
    whole["workflow_run"]["head_repository"] = run["head_repository"] and described["head_repository"]
    return whole


@pytest.mark.parametrize(("head_id", "is_fork"), [(4711, False), (666, True), (None, True)])
def test_a_finished_run(head_id: int | None, is_fork: bool) -> None:
    run = {
        "id": 5,
        "event": "pull_request",
        "conclusion": "success",
        "head_branch": "fix/a",
        "head_sha": "b" * 40,
        "path": ".github/workflows/bench.yml@main",
        "head_repository": None if head_id is None else {"id": head_id, "owner": {"login": "mallory"}},
    }
    context = run_context(env_of("workflow_run"), finished(run))
    triggering = context.triggering_run
    assert triggering is not None
    assert (triggering.id, triggering.head_repository_id) == (5, head_id)
    assert triggering.path == ".github/workflows/bench.yml"
    assert (context.head_sha, context.is_fork, context.pr_number) == ("b" * 40, is_fork, None)


def test_only_pull_request_comments_have_a_number() -> None:
    issue = {"number": 7, "pull_request": {"url": "x"}}
    event = payload("issue_comment", {"action": "created", "issue": issue, "repository": REPOSITORY})
    assert run_context(env_of("issue_comment"), event).pr_number == 7
    del event["issue"]["pull_request"]
    assert run_context(env_of("issue_comment"), event).pr_number is None


def test_the_runtime_token_is_not_shown() -> None:
    context = run_context(env_of("push"), {})
    assert context.runtime_token == "very secret"
    assert "very secret" not in repr(context)


@pytest.mark.parametrize("odd", [{"pull_request": []}, {"repository": "x"}, {"pull_request": {"number": "x"}}, {}])
def test_malformed_event_fields_are_empty(odd: dict[str, Any]) -> None:
    context = run_context({"GITHUB_RUN_ID": "²", "GITHUB_REPOSITORY_ID": "x"}, odd)
    assert (context.pr_number, context.run_id, context.run_attempt, context.repository_id) == (None, 0, 1, None)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_broken_event_file_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "event.json"
    path.write_bytes(content)
    with pytest.raises(ProfgateError, match="GITHUB_EVENT_PATH must name the event file"):
        read_run_context({"GITHUB_EVENT_PATH": str(path)})
