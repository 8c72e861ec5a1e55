"""The run context from the variables of the runner and its event file; missing or malformed fields are empty."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from profgate.errors import ProfgateError
from profgate.model.run_context import RunContext, TriggeringRun

MAX_EVENT = 32 * 1024 * 1024  # GitHub's own cap on payloads is 25 MB
BOT = "dependabot[bot]"


def _integer(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,19}", value):
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


Text = Annotated[str, BeforeValidator(lambda value: value if isinstance(value, str) else "")]
Number = Annotated[int | None, BeforeValidator(_integer)]
IsObject = Annotated[bool, BeforeValidator(lambda value: isinstance(value, dict) and bool(value))]


def _at(*path: str) -> Any:  # noqa: ANN401 - the default of any field
    return Field(None, validation_alias=AliasPath(*path))


class _Event(BaseModel):
    model_config = ConfigDict(frozen=True, validate_default=True)

    action: Text = _at("action")
    before: Text = _at("before")
    repository: Text = _at("repository", "full_name")
    repository_id: Number = _at("repository", "id")
    default_branch: Text = _at("repository", "default_branch")
    has_pull: IsObject = _at("pull_request")
    pull_number: Number = _at("pull_request", "number")
    author: Text = _at("pull_request", "user", "login")
    base_ref: Text = _at("pull_request", "base", "ref")
    base_sha: Text = _at("pull_request", "base", "sha")
    base_repository_id: Number = _at("pull_request", "base", "repo", "id")
    head_ref: Text = _at("pull_request", "head", "ref")
    head_sha: Text = _at("pull_request", "head", "sha")
    head_repository_id: Number = _at("pull_request", "head", "repo", "id")
    group_base_sha: Text = _at("merge_group", "base_sha")
    group_head_sha: Text = _at("merge_group", "head_sha")
    run_id: Number = _at("workflow_run", "id")
    run_event: Text = _at("workflow_run", "event")
    run_conclusion: Text = _at("workflow_run", "conclusion")
    run_branch: Text = _at("workflow_run", "head_branch")
    run_sha: Text = _at("workflow_run", "head_sha")
    run_path: Text = _at("workflow_run", "path")
    run_repository_id: Number = _at("workflow_run", "head_repository", "id")
    run_owner: Text = _at("workflow_run", "head_repository", "owner", "login")
    issue_number: Number = _at("issue", "number")
    issue_is_pull: IsObject = _at("issue", "pull_request")
    comment: Text = _at("comment", "body")
    comment_id: Number = _at("comment", "id")
    release_tag: Text = _at("release", "tag_name")

    @property
    def triggering_run(self) -> TriggeringRun | None:
        if self.run_id is None:
            return None
        return TriggeringRun(
            id=self.run_id,
            event=self.run_event,
            conclusion=self.run_conclusion,
            head_branch=self.run_branch,
            head_sha=self.run_sha,
            head_repository_id=self.run_repository_id,
            head_owner=self.run_owner,
            path=self.run_path.partition("@")[0],
        )

    @property
    def is_fork(self) -> bool:
        """Whether the code is of another repository; one that was deleted counts as such."""
        if self.run_id is not None:
            return self.run_repository_id != self.repository_id
        base = self.base_repository_id or self.repository_id
        return self.has_pull and (self.head_repository_id is None or self.head_repository_id != base)


def read_run_context(env: Mapping[str, str]) -> RunContext:
    """The context of this run. Raises ProfgateError for an event file that is missing, too large or no JSON object."""
    return run_context(env, _read_event(env.get("GITHUB_EVENT_PATH", "")))


def run_context(env: Mapping[str, str], payload: Mapping[str, Any]) -> RunContext:
    """The context of a run from its variables and its event."""
    event = _Event.model_validate(payload)
    sha, repository = env.get("GITHUB_SHA", ""), env.get("GITHUB_REPOSITORY", "") or event.repository
    is_new_comment = event.action == "created"
    issue = event.issue_number if event.issue_is_pull else None
    return RunContext(
        event_name=env.get("GITHUB_EVENT_NAME", ""),
        repository=repository,
        repository_id=_integer(env.get("GITHUB_REPOSITORY_ID")) or event.repository_id,
        sha=sha,
        ref=env.get("GITHUB_REF", ""),
        base_ref=env.get("GITHUB_BASE_REF", "") or event.base_ref,
        head_ref=env.get("GITHUB_HEAD_REF", "") or event.head_ref,
        base_sha=event.base_sha,
        head_sha=event.run_sha if event.run_id is not None else event.head_sha or event.group_head_sha or sha,
        pr_number=event.pull_number if event.has_pull else issue,
        is_fork=event.is_fork,
        is_dependabot=BOT in {env.get("GITHUB_ACTOR", ""), event.author},
        run_id=_integer(env.get("GITHUB_RUN_ID")) or 0,
        run_attempt=_integer(env.get("GITHUB_RUN_ATTEMPT")) or 1,
        # owner/name/.github/workflows/x.yml@refs/heads/main
        workflow_path=env.get("GITHUB_WORKFLOW_REF", "").partition("@")[0].removeprefix(f"{repository}/"),
        job=env.get("GITHUB_JOB", ""),
        server_url=env.get("GITHUB_SERVER_URL", "https://github.com").rstrip("/"),
        api_url=env.get("GITHUB_API_URL", "https://api.github.com").rstrip("/"),
        results_url=env.get("ACTIONS_RESULTS_URL", ""),
        workspace=env.get("GITHUB_WORKSPACE", ""),
        default_branch=event.default_branch,
        action=event.action,
        release_tag=event.release_tag,
        before_sha="" if not event.before.strip("0") else event.before,  # zeros: the branch is new
        merge_group_base_sha=event.group_base_sha,
        triggering_run=event.triggering_run,
        comment=event.comment if is_new_comment else "",
        comment_id=event.comment_id if is_new_comment else None,
        runtime_token=env.get("ACTIONS_RUNTIME_TOKEN", ""),
    )


def _read_event(place: str) -> Mapping[str, Any]:
    if not place:
        return {}
    remedy = "GITHUB_EVENT_PATH must name the event file"
    try:
        with Path(place).open("rb") as stream:
            data = stream.read(MAX_EVENT + 1)
    except OSError as error:
        raise ProfgateError(place, f"{error.strerror}; {remedy}") from error
    if len(data) > MAX_EVENT:
        raise ProfgateError(place, f"is larger than {MAX_EVENT:,} bytes; {remedy}")
    try:
        event = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ProfgateError(place, f"is not JSON ({error}); {remedy}") from error
    if not isinstance(event, dict):
        raise ProfgateError(place, f"is not a JSON object; {remedy}")
    return event
