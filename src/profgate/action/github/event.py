"""Read the run context from the runner's variables and event file. Missing or malformed fields become empty values."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from profgate.errors import ProfgateError
from profgate.model.run_context import RunContext, TriggeringRun


class _Fields:
    """Access to ``env`` and ``event`` by dotted paths. Of several paths, the first that has a value is used."""

    def __init__(self, env: Mapping[str, str], event: Mapping[str, Any]) -> None:
        self._data = {"env": dict(env), "event": dict(event)}

    def value(self, path: str) -> Any:  # noqa: ANN401 - JSON
        found: Any = self._data
        for key in path.split("."):
            found = found.get(key) if isinstance(found, dict) else None
        return found

    def text(self, *paths: str) -> str:
        return next((value for value in map(self.value, paths) if isinstance(value, str) and value), "")

    def number(self, *paths: str) -> int | None:
        return next((value for value in map(_integer, map(self.value, paths)) if value is not None), None)


def _integer(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,19}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_run_context(env: Mapping[str, str]) -> RunContext:
    """Return the context of this run. Raises ProfgateError if the event file is missing or malformed."""
    return run_context(env, _read_event(env.get("GITHUB_EVENT_PATH", "")))


def run_context(env: Mapping[str, str], event: Mapping[str, Any]) -> RunContext:
    """Return the context of a run, given its environment variables and its event."""
    fields = _Fields(env, event)
    text, number, pull = fields.text, fields.number, "event.pull_request"
    repository, run = text("env.GITHUB_REPOSITORY", "event.repository.full_name"), _triggering_run(fields)
    head_sha = text(f"{pull}.head.sha", "event.merge_group.head_sha", "env.GITHUB_SHA")
    subject = pull if fields.value(pull) else "event.issue" if fields.value("event.issue.pull_request") else ""
    before, is_new = text("event.before"), text("event.action") == "created"
    return RunContext(
        event_name=text("env.GITHUB_EVENT_NAME"),
        repository=repository,
        repository_id=number("env.GITHUB_REPOSITORY_ID", "event.repository.id"),
        sha=text("env.GITHUB_SHA"),
        ref=text("env.GITHUB_REF"),
        base_ref=text(f"{pull}.stack.base.ref", "env.GITHUB_BASE_REF", f"{pull}.base.ref"),
        head_ref=text("env.GITHUB_HEAD_REF", f"{pull}.head.ref"),
        base_sha=text(f"{pull}.stack.base.sha", f"{pull}.base.sha"),
        head_sha=run.head_sha if run else head_sha,
        pr_number=number(f"{subject}.number"),
        is_fork=_is_fork(fields, run),
        is_dependabot="dependabot[bot]" in {text("env.GITHUB_ACTOR"), text(f"{pull}.user.login")},
        run_id=number("env.GITHUB_RUN_ID") or 0,
        run_attempt=number("env.GITHUB_RUN_ATTEMPT") or 1,
        # The variable has the format owner/name/.github/workflows/x.yml@refs/heads/main.
        workflow_path=text("env.GITHUB_WORKFLOW_REF").partition("@")[0].removeprefix(f"{repository}/"),
        job=text("env.GITHUB_JOB"),
        server_url=(text("env.GITHUB_SERVER_URL") or "https://github.com").rstrip("/"),
        api_url=(text("env.GITHUB_API_URL") or "https://api.github.com").rstrip("/"),
        results_url=text("env.ACTIONS_RESULTS_URL"),
        workspace=text("env.GITHUB_WORKSPACE"),
        default_branch=text("event.repository.default_branch"),
        before_sha=before if before.strip("0") else "",  # for a new branch, the SHA consists of zeros
        merge_group_base_sha=text("event.merge_group.base_sha"),
        triggering_run=run,
        stacked=text(f"{pull}.stack.base.ref") not in {"", text(f"{pull}.base.ref")},
        description=text(f"{pull}.body"),
        comment=text("event.comment.body") if is_new else "",
        comment_id=number("event.comment.id") if is_new else None,
        comment_author=text("event.comment.user.login") if is_new else "",
        runtime_token=text("env.ACTIONS_RUNTIME_TOKEN"),
    )


def _is_fork(fields: _Fields, run: TriggeringRun | None) -> bool:
    """Return whether the code is from another repository. A deleted repository counts as another repository."""
    if run is not None:
        return run.head_repository_id != fields.number("event.repository.id")
    head = fields.number("event.pull_request.head.repo.id")
    base = fields.number("event.pull_request.base.repo.id", "event.repository.id")
    return bool(fields.value("event.pull_request")) and (head is None or head != base)


def _triggering_run(fields: _Fields) -> TriggeringRun | None:
    run = "event.workflow_run"
    number = fields.number(f"{run}.id")
    if number is None:
        return None
    return TriggeringRun(
        id=number,
        event=fields.text(f"{run}.event"),
        conclusion=fields.text(f"{run}.conclusion"),
        head_branch=fields.text(f"{run}.head_branch"),
        head_sha=fields.text(f"{run}.head_sha"),
        head_repository_id=fields.number(f"{run}.head_repository.id"),
        head_owner=fields.text(f"{run}.head_repository.owner.login"),
        path=fields.text(f"{run}.path").partition("@")[0],
    )


def _read_event(place: str) -> Mapping[str, Any]:
    if not place:
        return {}
    remedy = "GITHUB_EVENT_PATH must name the event file"
    try:
        event = json.loads(Path(place).read_bytes())
    except OSError as error:
        raise ProfgateError(place, f"{error.strerror}; {remedy}") from error
    except (ValueError, RecursionError) as error:
        raise ProfgateError(place, f"is not JSON ({error}); {remedy}") from error
    if not isinstance(event, dict):
        raise ProfgateError(place, f"is not a JSON object; {remedy}")
    return event
