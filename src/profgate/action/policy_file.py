"""Read the policy, the acceptances and the claims of a run, and the last proof that the gate works."""

import os
import posixpath
import re

from profgate import loading
from profgate.action.github.acceptance_comments import Rights, acceptances_of
from profgate.action.github.requests import PAGE
from profgate.action.job import Job
from profgate.errors import GitHubError, ProfgateError, SettingsError
from profgate.io.files import read_text
from profgate.model.acceptance import Acceptance
from profgate.model.claim import Claim, claims_in
from profgate.model.plant import PLANT_NAME, Plant, plant_from_json
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode, Side
from profgate.model.record import replace
from profgate.settings.config_file import Catalogue, read_policy
from profgate.settings.inputs import Settings

DEFAULT_FILE = str(Settings.model_fields["config"].default)
QUEUED = re.compile(r"(?:refs/heads/)?(gh-readonly-queue/.+/)pr-([0-9]{1,9})-[0-9a-f]+")


def policy_at(
    job: Job, commit: str | None, *, first_run: bool = False, merged: bool = False
) -> tuple[Policy, tuple[Reason, ...]]:
    """Return the policy at ``commit`` (None: in the checkout), and a warning if the pull request changes it.

    Where the profiles or reports come from another job, which the pull request controls, nothing may be left out by
    default, except on the first run of a repository. A pull request can change its inputs and the checkout, and so
    select an older baseline commit, but not another policy: it is always read at the base commit, and the input
    ``config`` cannot replace the default file. With ``merged``, the result is the policy after ``commit`` is merged.
    """
    catalogue: Catalogue = {name: known.options for known in loading.strategies() for name in (known.name, known.short)}
    settings, warnings = job.settings, tuple[Reason, ...]()
    name = settings.config
    place = posixpath.join(job.context.workspace, name)
    here = read_text(place) if os.path.isfile(place) else None  # noqa: PTH113 - the path is a string
    strict = not first_run and (settings.mode == "merge" or job.context.event_name == "workflow_run")
    defaults = Policy(on_not_compared="fail") if strict else Policy()
    if commit is None:
        policy = defaults if here is None else read_policy(here, name, catalogue, defaults)
    else:
        if job.context.event_name == "pull_request" and not merged:
            commit = _trusted_commit(job, commit)
        data = job.client.file_at(name, commit)
        text = None if data is None else data.decode("utf-8-sig", "replace")
        policy = defaults if text is None else read_policy(text, name, catalogue, defaults)
        if here is not None and here != text and job.context.event_name == "pull_request":
            warnings = (Reason(ReasonCode.POLICY_CHANGED, {"file": name}),)
    return policy, warnings


def _trusted_commit(job: Job, commit: str) -> str:
    """Return the commit whose policy applies to a pull request.

    Raises `SettingsError` if the input ``config`` replaces the default policy file.
    """
    chosen = job.settings.baseline_ref or job.measures_head
    trusted = job.context.base_sha or commit if chosen else commit
    if job.settings.config != DEFAULT_FILE and job.client.file_at(DEFAULT_FILE, trusted) is not None:
        what = f"the base branch has the policy {DEFAULT_FILE}, which a pull request cannot replace"
        raise SettingsError("config", f"{what}; remove this input, or first rename the file on the base branch")
    return trusted


def accepted(job: Job, policy: Policy, baseline: Side) -> tuple[tuple[Acceptance, ...], tuple[Reason, ...]]:
    """Return the acceptances that apply to this run (none if the comments cannot be read), and warnings."""
    if not job.settings.token:
        return (), ()
    found: list[Acceptance] = []
    rights = Rights(job.client, policy.owners)
    try:
        for number in _pulls(job, baseline):
            found += acceptances_of(job.client, number, rights)
    except GitHubError as error:
        return (), (Reason(ReasonCode.ACCEPTANCES_UNREAD, {"text": str(error)}),)
    return tuple(found), ()


def claimed(job: Job) -> tuple[Claim, ...]:
    """Return the claims in the description of the pull request, with the number of this attempt.

    The description is that of the event, so that all jobs of a run read the same one. A run that is started again reads
    the present one, because otherwise an older claim could be proven after an edit. Without the number of attempts, for
    which a warning gives the reason, nothing can be proven.
    """
    context = job.context
    if context.event_name != "pull_request" or context.pr_number is None:
        return claims_in(context.description) if context.concerns_pull else ()
    claims, attempt = claims_in(context.description), None
    with job.warning_on_failure("the attempts of the claims were not counted, so none is proven"):
        if context.run_attempt > 1 and job.settings.token:
            claims = claims_in(job.client.pull(context.pr_number).body or "")
        place = context.workflow_path, context.head_ref, context.event_name
        runs = job.client.workflow_runs(*place) if claims else []
        own = next((run for run in runs if run.id == context.run_id), None)
        if own is not None and own.head_repository_id is not None and len(runs) < PAGE:
            same = (run for run in runs if run.head_repository_id == own.head_repository_id)
            attempt = sum(run.run_attempt for run in same if run.head_branch == own.head_branch)
    return tuple(replace(claim, attempt=attempt) for claim in claims)


def last_proof(job: Job) -> Plant | None:
    """Return the newest change that a canary of the default branch proved to be reported, or None.

    Runs of pull requests and of forks can store artifacts of the same name, but not for a run of the default branch.
    """
    context, name = job.context, f"{job.settings.artifact}-canary"
    if job.settings.token and context.default_branch and context.repository_id:
        trusted = context.default_branch, context.repository_id, context.repository_id
        try:
            for one in job.client.named_artifacts(name):
                if (one.head_branch, one.repository, one.head) == trusted and not one.expired:
                    text = job.client.artifact_files(one).get(PLANT_NAME, b"").decode("utf-8", "replace")
                    return replace(plant_from_json(text, name), workloads=(), caught=(one.created_at or "")[:10])
        except ProfgateError as error:
            job.log(f"the last proof is not known: {error}")
    return None


def _pulls(job: Job, baseline: Side) -> list[int]:
    """Return the number of this run's pull request or, for a merge group, of all that were added since the baseline."""
    context = job.context
    if context.event_name in {"pull_request", "workflow_run"}:
        return [] if context.pr_number is None else [context.pr_number]
    here = QUEUED.fullmatch(context.ref)
    if context.event_name != "merge_group" or here is None:
        return []
    found = {int(here[2])}
    if baseline.sha is not None and baseline.sha != context.merge_group_base_sha:
        heads = {sha: QUEUED.fullmatch(name) for name, sha in job.client.branches_below(here[1]).items()}
        for commit in job.client.ancestors(context.head_sha):
            if commit.sha == baseline.sha:
                break
            queued = heads.get(commit.sha)
            found |= {int(queued[2])} if queued is not None else set()
    return sorted(found)
