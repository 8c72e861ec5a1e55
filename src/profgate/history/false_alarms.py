"""Estimates the false alarm rate of the gate from trials on unchanged code.

A trial compares a job with earlier jobs at the same commit, two random halves of the jobs at a commit, or two commits
whose difference does not affect the program. Trials at the same commit use the same runs and are not independent.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from profgate.model.history import Reading, StoredVerdict
from profgate.model.policy import Policy
from profgate.statistics.binomial import exceeds

LEAST_JOBS = 4  # minimum number of jobs at a commit to form halves; with fewer jobs, a half could be a single job
LAST = 200  # maximum number of counted comparisons; older ones may describe a gate that has since been corrected
TO_PROMOTE = 50  # minimum number of comparisons before a demoted gate can be promoted


@dataclass(frozen=True, slots=True, eq=False)
class UnchangedTrial:
    """Measurements of two sides with equivalent code. ``name`` distinguishes trials with the same commits."""

    baseline: str
    target: str
    name: str
    before: Sequence[Reading]
    after: Sequence[Reading]


def trials_at(earlier: Sequence[Reading], added: Sequence[Reading], job: str) -> list[UnchangedTrial]:
    """Return the trials at one commit: ``earlier`` against ``added`` readings and, with enough jobs, two halves."""
    if not earlier or not added:
        return []
    commit = added[0].commit
    trials = [UnchangedTrial(commit, commit, job, earlier, added)]
    readings = [*earlier, *added]
    jobs = {reading.job.identity for reading in readings}
    if len(jobs) >= LEAST_JOBS:
        first = _half(jobs, commit)
        before = [reading for reading in readings if reading.job.identity in first]
        after = [reading for reading in readings if reading.job.identity not in first]
        trials.append(UnchangedTrial(commit, commit, f"{job}/halves", before, after))
    return trials


def _half(jobs: Collection[str], commit: str) -> Collection[str]:
    """Return a pseudorandom half of the jobs. The choice depends only on the jobs and the commit."""
    seed = "\0".join([commit, *sorted(jobs)])
    order = sorted(jobs, key=lambda job: hashlib.sha256(f"{seed}\0{job}".encode("utf-8", "replace")).digest())
    return order[: len(order) // 2]


def with_false_alarms(policy: Policy, verdicts: Iterable[StoredVerdict]) -> Policy:
    """Return the policy with the number of false alarms in ``verdicts``, which must be in the order of recording."""
    counted = (verdict for verdict in verdicts if verdict.comparisons > 0)
    reds = [verdict.conclusion == "fail" for verdict in counted if verdict.conclusion != "not_compared"]
    return replace(policy, unchanged=(sum(reds[-LAST:]), len(reds[-LAST:])), demoted=_demoted(reds, policy.budget))


def _demoted(reds: Sequence[bool], budget: float) -> bool:
    """Return whether significantly more verdicts were red than the budget allows, until they are within it again."""
    demoted, since = False, list[bool]()  # since: the verdicts after the last demotion or promotion
    for red in reds:
        since = [*since[1 - LAST :], red]
        if demoted and len(since) >= TO_PROMOTE and sum(since) <= budget * len(since):
            demoted, since = False, []
        elif not demoted and exceeds(sum(since), len(since), budget):
            demoted, since = True, []
    return demoted
