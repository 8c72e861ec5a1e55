"""What was accepted in the pull requests of a run, and the comment that asks for a red job to be judged again."""

import re

from profgate.action.job import Job
from profgate.errors import GitHubError
from profgate.model.acceptance import Acceptance
from profgate.model.github_records import PullRecord
from profgate.model.policy import Policy
from profgate.model.report import Side
from profgate.sources.acceptances import Wanted, acceptances_of

QUEUED = re.compile(r"(?:refs/heads/)?(gh-readonly-queue/.+/)pr-([0-9]{1,9})-[0-9a-f]+")
COMMENTING = frozenset({"pull_request", "workflow_run"})


def accepted(job: Job, policy: Policy, baseline: Side) -> tuple[tuple[Acceptance, ...], tuple[str, ...]]:
    """The acceptances that bear on this run, and warnings. What cannot be read is not accepted."""
    if not job.settings.token:
        return (), ()
    found: list[Acceptance] = []
    try:
        for number in _pulls(job, baseline):
            found += acceptances_of(job.client, _wanted(job, policy, number))
    except GitHubError as error:
        return (), (f"nothing counts as accepted, because GitHub did not tell the comments: {error}",)
    return tuple(found), ()


def wishes_of(job: Job, policy: Policy, pull: PullRecord) -> tuple[Acceptance, ...]:
    """What was accepted in a pull request, as a run that judges it will read it."""
    ours = pull.head_repository_id == job.context.repository_id
    remembers = job.settings.comment != "never"
    return acceptances_of(job.client, Wanted(pull.number, job.settings.key, policy.owners, ours, remembers))


def _wanted(job: Job, policy: Policy, number: int) -> Wanted:
    context = job.context
    commenting = context.event_name in COMMENTING
    ours = not context.is_fork if commenting else job.client.pull(number).head_repository_id == context.repository_id
    remembers = commenting and not context.read_only and job.settings.comment != "never"
    trailers = ours or context.event_name != "workflow_run"  # a fork's first half told that its own do not count
    return Wanted(number, job.settings.key, policy.owners, ours, remembers, trailers)


def _pulls(job: Job, baseline: Side) -> list[int]:
    """The pull request of this run; of a merge queue's group all that lie between the baseline and its head."""
    context = job.context
    if context.event_name in COMMENTING:
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
