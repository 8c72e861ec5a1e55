"""The run context from the variables of the runner and its event file; both are read with tolerance."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from profgate.errors import ProfgateError
from profgate.model.run_context import RunContext, TriggeringRun

MAX_EVENT = 32 * 1024 * 1024  # GitHub's own cap on payloads is 25 MB
BOT = "dependabot[bot]"


def read_run_context(env: Mapping[str, str]) -> RunContext:
    """The context of this run. Raises ProfgateError for an event file that is missing, too large or no JSON object."""
    return run_context(env, _read_event(env.get("GITHUB_EVENT_PATH", "")))


def run_context(env: Mapping[str, str], event: Mapping[str, Any]) -> RunContext:
    """The context of a run from its variables and its event; missing fields are empty."""
    pull, group, triggering = _part(event, "pull_request"), _part(event, "merge_group"), _triggering_run(event)
    base, head = _part(pull, "base"), _part(pull, "head")
    repository = _part(event, "repository")
    comment = _part(event, "comment") if event.get("action") == "created" else {}
    actor = env.get("GITHUB_ACTOR", "")
    sha = env.get("GITHUB_SHA", "")
    full_name = env.get("GITHUB_REPOSITORY", "") or _text(repository, "full_name")
    return RunContext(
        event_name=env.get("GITHUB_EVENT_NAME", ""),
        repository=full_name,
        repository_id=_integer(env.get("GITHUB_REPOSITORY_ID")) or _integer(repository.get("id")),
        sha=sha,
        ref=env.get("GITHUB_REF", ""),
        base_ref=env.get("GITHUB_BASE_REF", "") or _text(base, "ref"),
        head_ref=env.get("GITHUB_HEAD_REF", "") or _text(head, "ref"),
        base_sha=_text(base, "sha"),
        head_sha=_head_sha(head, group, triggering, sha),
        pr_number=_pull_number(event, pull),
        is_fork=_is_fork(pull, triggering, repository),
        is_dependabot=BOT in {actor, _text(_part(pull, "user"), "login")},
        run_id=_integer(env.get("GITHUB_RUN_ID")) or 0,
        run_attempt=_integer(env.get("GITHUB_RUN_ATTEMPT")) or 1,
        workflow_path=_workflow_path(env.get("GITHUB_WORKFLOW_REF", ""), full_name),
        job=env.get("GITHUB_JOB", ""),
        server_url=env.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/"),
        api_url=env.get("GITHUB_API_URL", "https://api.github.com").rstrip("/"),
        results_url=env.get("ACTIONS_RESULTS_URL", ""),
        workspace=env.get("GITHUB_WORKSPACE", ""),
        actor=actor,
        default_branch=_text(repository, "default_branch"),
        action=_text(event, "action"),
        release_tag=_text(_part(event, "release"), "tag_name"),
        before_sha=_commit_or_nothing(_text(event, "before")),
        merge_group_base_sha=_text(group, "base_sha"),
        triggering_run=triggering,
        comment=_text(comment, "body"),
        comment_id=_integer(comment.get("id")),
        dispatch_inputs=_dispatch_inputs(event),
        runtime_token=env.get("ACTIONS_RUNTIME_TOKEN", ""),
    )


def _read_event(place: str) -> Mapping[str, Any]:
    if not place:
        return {}
    try:
        with Path(place).open("rb") as stream:
            data = stream.read(MAX_EVENT + 1)
    except OSError as error:
        raise ProfgateError(place, f"{error.strerror}; GITHUB_EVENT_PATH must name the event file") from error
    if len(data) > MAX_EVENT:
        raise ProfgateError(place, f"is larger than {MAX_EVENT:,} bytes; GITHUB_EVENT_PATH must name the event file")
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ProfgateError(place, f"is no JSON ({error}); GITHUB_EVENT_PATH must name the event file") from error
    if not isinstance(event, dict):
        raise ProfgateError(place, "holds no JSON object; GITHUB_EVENT_PATH must name the event file")
    return event


def _head_sha(head: Mapping[str, Any], group: Mapping[str, Any], triggering: TriggeringRun | None, sha: str) -> str:
    if triggering is not None:
        return triggering.head_sha
    return _text(head, "sha") or _text(group, "head_sha") or sha


def _pull_number(event: Mapping[str, Any], pull: Mapping[str, Any]) -> int | None:
    if pull:
        return _integer(pull.get("number"))
    issue = _part(event, "issue")
    return _integer(issue.get("number")) if _part(issue, "pull_request") else None


def _is_fork(pull: Mapping[str, Any], triggering: TriggeringRun | None, repository: Mapping[str, Any]) -> bool:
    """Whether the code is of another repository; one that was deleted counts as such."""
    ours = _integer(repository.get("id"))
    if triggering is not None:
        return triggering.head_repository_id != ours
    if not pull:
        return False
    head = _integer(_part(_part(pull, "head"), "repo").get("id"))
    base = _integer(_part(_part(pull, "base"), "repo").get("id")) or ours
    return head is None or head != base


def _triggering_run(event: Mapping[str, Any]) -> TriggeringRun | None:
    run = _part(event, "workflow_run")
    number = _integer(run.get("id"))
    if number is None:
        return None
    head = _part(run, "head_repository")
    return TriggeringRun(
        id=number,
        event=_text(run, "event"),
        conclusion=_text(run, "conclusion"),
        head_branch=_text(run, "head_branch"),
        head_sha=_text(run, "head_sha"),
        head_repository_id=_integer(head.get("id")),
        head_owner=_text(_part(head, "owner"), "login"),
        path=_text(run, "path").partition("@")[0],
    )


def _workflow_path(workflow_ref: str, repository: str) -> str:
    """``.github/workflows/x.yml`` of ``owner/name/.github/workflows/x.yml@refs/heads/main``."""
    return workflow_ref.partition("@")[0].removeprefix(f"{repository}/")


def _commit_or_nothing(sha: str) -> str:
    """Forty zeros stand for a branch that did not exist before."""
    return "" if re.fullmatch(r"0+", sha) else sha


def _dispatch_inputs(event: Mapping[str, Any]) -> Mapping[str, str]:
    given = _part(event, "inputs").items()
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in given if value is not None}


def _part(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}


def _text(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return value if isinstance(value, str) else ""


def _integer(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,19}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
