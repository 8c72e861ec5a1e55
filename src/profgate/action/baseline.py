"""Find the baseline commit for an event, and the stored profiles of that commit or an earlier one."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress

from profgate.action.github.artifact_source import (
    LATEST,
    Found,
    Search,
    StoredSet,
    asset_name,
    attached_set,
    find_stored,
    had_run,
    has_profiles,
    latest,
)
from profgate.action.github.baseline_search import Trust, distances
from profgate.action.github.connections import RetryBudgetExceededError
from profgate.action.github.records import CommitRecord, WorkflowRun
from profgate.action.github.requests import NotFoundError
from profgate.action.job import Job
from profgate.errors import ProfgateError, SettingsError
from profgate.io.files import LARGEST_PROFILE
from profgate.io.profile_files import LocalSet
from profgate.model.manifest import Manifest, manifest_to_json
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record, replace
from profgate.model.source import MANIFEST_NAME
from profgate.report.wording import reason_text

POLLS = (15, 30, 60, 120, 120, 120, 120)  # seconds to wait before each request for an unfinished base run


class BaselineCommit(Record):
    """A baseline commit, its label, the branches whose runs are trusted (None: all), and commits that were listed."""

    sha: str
    label: str
    branches: tuple[str, ...] | None
    listed: Sequence[CommitRecord] = ()


def baseline_commit(job: Job) -> BaselineCommit:
    """Return the commit of the requested ref or, if none is requested, the event's merge base or previous commit."""
    context = job.context
    if job.settings.baseline_ref:
        ref = named_ref(job, job.settings.baseline_ref)
        return BaselineCommit(job.client.commit_sha(ref), ref, None)
    base = context.base_branch
    branches = tuple(dict.fromkeys(name for name in (base, context.default_branch) if name))
    if context.event_name == "merge_group" and context.merge_group_base_sha:
        return BaselineCommit(context.merge_group_base_sha, base, branches)
    if context.event_name == "workflow_run":
        sha, listed = _base_of_fork(job, base)
        return BaselineCommit(sha, base, branches, listed)
    listed = job.client.ancestors(context.sha)
    parents = _parents(listed, context.sha)
    if context.event_name != "pull_request":
        sha = _pushed_from(job, listed) or (parents[0] if parents else context.sha)
    elif len(parents) == 2 and parents[1] == context.head_sha and not job.measures_head:
        # in a stack, the first parent is the test merge of another pull request, whose policy is not trusted
        sha = job.client.merge_base(base, context.sha) if context.stacked else parents[0]
    else:
        sha = job.client.merge_base(base, context.head_sha)
    return BaselineCommit(sha, base, branches, listed)


def _pushed_from(job: Job, listed: Iterable[CommitRecord]) -> str:
    """Return the commit before a push or, after a force push, the merge base of both, or "" if GitHub has neither."""
    before = job.context.before_sha
    if not before or any(commit.sha == before for commit in listed):
        return before
    try:
        return job.client.merge_base(before, job.context.sha)
    except NotFoundError:
        return ""


def _parents(listed: Iterable[CommitRecord], sha: str) -> tuple[str, ...]:
    return next((commit.parents for commit in listed if commit.sha == sha), ())


def _base_of_fork(job: Job, base: str) -> tuple[str, Sequence[CommitRecord]]:
    """Return the commit of the base branch on which a fork's build is based, and the commits that were listed.

    A fork can create any merge, so the test merge that its run reports is used only if its second parent is the head of
    the pull request and its first parent is a later commit of the base branch. Otherwise, the result is the base commit
    that GitHub reports for the pull request.
    """
    context = job.context
    try:
        listed = job.client.ancestors(context.sha) if context.sha else []
    except NotFoundError:
        listed = []
    first, *others = _parents(listed, context.sha) or ("",)
    later = others == [context.head_sha] and first != context.base_sha and _is_later_base(job, base, first, listed)
    return first if later else context.base_sha, listed


def _is_later_base(job: Job, base: str, sha: str, listed: Sequence[CommitRecord]) -> bool:
    """Return whether a commit follows the base commit of the pull request and was the head of the base branch.

    Only a commit with a trusted run counts as a former head. For other commits, no profiles were recorded anyway.
    """
    start, client = job.context.base_sha, job.client
    if start not in distances(sha, listed) and client.merge_base(start, sha) != start:
        return False
    return client.merge_base(base, sha) == sha and had_run(client, _trust(job, (base,)), sha)


def named_ref(job: Job, ref: str) -> str:
    """Return the ref, or the tag of the newest release for ``latest-release``. Raises `ProfgateError` without any."""
    tag = latest(job.client.releases(), job.settings.target_ref) if ref == LATEST else ref
    if tag is None:
        raise ProfgateError(LATEST, "there is no published release; use a commit, branch or tag")
    return tag


def stored_at(job: Job, commit: BaselineCommit, further: Callable[[StoredSet], int]) -> Found:
    """Return the nearest profiles that were stored for a commit or its ancestors, and ``further`` sets of profiles.

    If no run of the commit has completed, this function waits for an unfinished run of the commit. For a requested ref,
    profiles attached to its release take precedence over those of an ancestor.
    """
    pauses = iter(POLLS)

    def wait(run: WorkflowRun) -> bool:
        what = f"run {run.id} of the baseline commit is {run.status}"
        with suppress(RetryBudgetExceededError, StopIteration):
            pause = next(pauses)
            job.log(f"{what}; waiting up to {pause} seconds")
            job.base_run_budget.wait(pause)
            return True
        return False

    found = find_stored(job.client, _search(job, commit, job.settings.artifact), further, wait)
    for reason in found.reasons:
        job.log(f"skipped: {reason_text(reason, str)}")
    if commit.branches is not None or (found.baseline is not None and not found.baseline.candidate.distance):
        return found
    attached = attached_set(job.client, commit.label.removeprefix("refs/tags/"), commit.sha, job.settings.artifact)
    if attached is None:
        reason = Reason(ReasonCode.NO_ASSET, {"release": commit.label, "asset": asset_name(job.settings.artifact)})
        return replace(found, reasons=(*found.reasons, reason))
    others = (found.baseline, *found.noise) if found.baseline else ()
    return replace(found, baseline=attached, noise=others, obstacle=None)


def never_stored(job: Job, commit: BaselineCommit) -> bool:
    """Return whether no base run has ever stored profiles."""
    return not has_profiles(job.client, _search(job, commit, ""))


def trusted_files(job: Job, commit: BaselineCommit, artifact: str, name: str, most: int) -> Iterator[tuple[str, bytes]]:
    """Yield the file ``name`` from the artifacts of at most ``most`` trusted runs, nearest first, each with a label."""
    found = find_stored(job.client, _search(job, commit, artifact), lambda _: most - 1)
    for stored in (found.baseline, *found.noise) if found.baseline else ():
        for source in stored.files:
            if source.name == name:
                yield f"run {stored.candidate.run.id}", source.read(source.size)


def _search(job: Job, commit: BaselineCommit, artifact: str) -> Search:
    branches = commit.branches
    return Search(
        start=commit.sha,
        trust=_trust(job, branches),
        branches=[None] if branches is None else list(branches),
        artifact=artifact,
        listed=commit.listed,
    )


def _trust(job: Job, branches: Sequence[str] | None) -> Trust:
    context = job.context
    if context.repository_id is None:
        raise SettingsError("GITHUB_REPOSITORY_ID", "is missing; baselines cannot be trusted without it")
    trusted = None if branches is None else frozenset(branches)
    return Trust(context.repository_id, recording_workflow(job), trusted, context.run_id)


def recording_workflow(job: Job) -> str:
    """Return the path of the workflow that records baselines: that of the input, of the triggering run or of this run.

    The path of a run from a fork is not used, because a fork can trigger the fork comment workflow with any workflow
    file that has the name of the recording workflow. Raises `SettingsError` if the path is unknown.
    """
    workflow, run = job.settings.baseline_workflow, job.context.triggering_run
    if workflow:
        return f".github/workflows/{posixpath.basename(workflow)}"
    if run is not None and job.context.is_fork:
        raise SettingsError("baseline-workflow", "is empty; name the file of the workflow that records the baselines")
    path = run.path if run is not None else job.context.workflow_path
    if not path:  # older servers and other runners do not set GITHUB_WORKFLOW_REF
        raise SettingsError("baseline-workflow", "this runner does not name the workflow; use the name of its file")
    return path


def stored_files(profiles: LocalSet, manifest: Manifest) -> dict[str, bytes]:
    """Return the contents of the profiles and of the manifest by file name."""
    stored = {source.name: source.read(LARGEST_PROFILE) for source in profiles.files}
    return stored | {MANIFEST_NAME: manifest_to_json(manifest).encode()}
