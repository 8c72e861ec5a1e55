"""False alarms: trials of the gate on code that did not change, and how often it was red there.

A trial compares two jobs at one commit, two commits whose difference does not affect the program, or two random halves
of the jobs at one commit. Trials of one commit share its runs, so they are not wholly independent.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from profgate.model.history import Reading, StoredVerdict
from profgate.model.policy import Policy
from profgate.statistics.binomial import exceeds

LEAST_JOBS = 4  # at one commit, for halves: a half of one job is a trial already
LAST = 200  # comparisons that count, so that a fixed gate recovers
TO_PROMOTE = 50  # further comparisons within the budget after which a demoted gate decides again


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Two sides of equal code; ``name`` distinguishes the trials of two commits."""

    baseline: str
    target: str
    name: str
    before: Sequence[Reading]
    after: Sequence[Reading]


def trials_at(earlier: Sequence[Reading], added: Sequence[Reading], job: str) -> list[Trial]:
    """The trials of a job's readings with the ``earlier`` ones of other jobs at its commit."""
    if not earlier or not added:
        return []
    commit = added[0].commit
    trials = [Trial(commit, commit, job, earlier, added)]
    readings = [*earlier, *added]
    jobs = {reading.job.identity for reading in readings}
    if len(jobs) >= LEAST_JOBS:
        first = _half(jobs, commit)
        before = [reading for reading in readings if reading.job.identity in first]
        after = [reading for reading in readings if reading.job.identity not in first]
        trials.append(Trial(commit, commit, f"{job}/halves", before, after))
    return trials


def _half(jobs: Collection[str], commit: str) -> Collection[str]:
    """Half of the jobs: random for each set of jobs, and the same when repeated."""
    seed = "\0".join([commit, *sorted(jobs)])
    order = sorted(jobs, key=lambda job: hashlib.sha256(f"{seed}\0{job}".encode("utf-8", "replace")).digest())
    return order[: len(order) // 2]


def leaves_alone(paths: Sequence[str], unchanged: Iterable[str]) -> bool:
    """Whether each changed file matches a pattern of ``unchanged``, in which a star stands for any text.

    False without any file: GitHub may list a very large difference as empty.
    """
    patterns = [pattern.replace("[", "[[]").replace("?", "[?]") for pattern in unchanged]
    return bool(paths) and all(any(fnmatchcase(path, pattern) for pattern in patterns) for path in paths)


def with_false_alarms(policy: Policy, verdicts: Iterable[StoredVerdict]) -> Policy:
    """The policy with the false alarms among verdicts on unchanged code, given in order of recording."""
    reds = [
        verdict.conclusion == "fail"
        for verdict in verdicts
        if verdict.comparisons > 0 and verdict.conclusion != "not_compared"
    ]
    return replace(policy, unchanged=(sum(reds[-LAST:]), len(reds[-LAST:])), demoted=_demoted(reds, policy.budget))


def _demoted(reds: Sequence[bool], budget: float) -> bool:
    """Whether the gate is demoted to advice: from when the reds exceed the budget until they are within it again."""
    demoted, since = False, list[bool]()  # since the gate last changed its state
    for red in reds:
        since = [*since[1 - LAST :], red]
        if demoted and len(since) >= TO_PROMOTE and sum(since) <= budget * len(since):
            demoted, since = False, []
        elif not demoted and exceeds(sum(since), len(since), budget):
            demoted, since = True, []
    return demoted
