"""Comparisons of code that did not change, on which the gate is tried: whatever is red there is a false alarm.

Another job at the same commit, a commit that touches nothing the program is made of, and a random half of the jobs at
one commit against the other half. Trials of one commit share its runs, so they are not wholly independent.
"""

import hashlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from profgate.model.history import Reading

LEAST_JOBS = 4  # at one commit, so that each half is more than the one job that is tried anyway


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """Two sides of equal code; ``name`` tells the trials of two commits apart."""

    baseline: str
    target: str
    name: str
    before: Sequence[Reading]
    after: Sequence[Reading]


def trials_at(earlier: Sequence[Reading], made: Sequence[Reading], job: str) -> list[Trial]:
    """What a job that measured ``made`` adds to what other jobs measured at its commit ``earlier``."""
    if not earlier or not made:
        return []
    commit = made[0].commit
    found = [Trial(commit, commit, job, earlier, made)]
    if halves := _halves([*earlier, *made], commit):
        found.append(Trial(commit, commit, f"{job}/halves", *halves))
    return found


def leaves_alone(paths: Iterable[str], unchanged: Collection[str]) -> bool:
    """Whether each changed file is one of which the program is not made; a star stands for any text.

    No file at all is no evidence: a difference that is too large may be listed as empty.
    """
    listed = list(paths)
    patterns = [glob.replace("[", "[[]").replace("?", "[?]") for glob in unchanged]
    return bool(listed) and all(any(fnmatchcase(path, one) for one in patterns) for path in listed)


def _halves(readings: Sequence[Reading], commit: str) -> tuple[list[Reading], list[Reading]] | None:
    """The jobs by a shuffle that each new one throws anew, and that is the same wherever it is repeated."""
    jobs = {one.job.identity for one in readings}
    if len(jobs) < LEAST_JOBS:
        return None
    seed = "\0".join([commit, *sorted(jobs)])
    order = sorted(jobs, key=lambda job: hashlib.sha256(f"{seed}\0{job}".encode("utf-8", "replace")).digest())
    first = frozenset(order[: len(order) // 2])
    return [one for one in readings if one.job.identity in first], [
        one for one in readings if one.job.identity not in first
    ]
