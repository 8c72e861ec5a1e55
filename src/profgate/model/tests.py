"""Results of statistical tests, stored so that reports can be judged again and merged with those of other shards."""

from dataclasses import dataclass

Maxima = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class TestFamily:
    """All tests with the same number of runs per side, with a name such as ``5+5``.

    ``first`` and ``last`` contain the largest statistic of each split for increases and for decreases, before and after
    the removal of detected locations. Splits have the same order in every report.
    """

    __test__ = False  # not a test class for pytest

    name: str
    first: Maxima
    last: Maxima


@dataclass(frozen=True, slots=True)
class Calibration:
    """The method and limits of a metric's test. Values are None if unknown or not applicable.

    ``mode`` is "runs" (permutation test of comparable runs, in the ``family`` of that name with ``splits`` splits) or
    "jobs" (comparison with ``base_jobs``, whose ``largest`` statistic times ``margin`` is the threshold). ``exact``
    marks counts that are compared directly. ``visible_total`` and ``visible_tenth`` are the smallest relative changes
    that can be detected in the total and in a function with a share of 10 %. ``inconclusive`` is the code of the reason
    why these runs do not allow a verdict. ``known_share`` is the share of the run spent in functions that occur on both
    sides, if this share is small.
    """

    state: str | None = None
    mode: str | None = None
    family: str | None = None
    splits: int | None = None
    interleaved: bool | None = None
    different_jobs: bool | None = None
    base_jobs: int | None = None
    largest: float | None = None
    margin: float | None = None
    exact: bool | None = None
    visible_total: float | None = None
    visible_tenth: float | None = None
    common_factor: float | None = None
    samples_baseline: float | None = None
    samples_target: float | None = None
    inconclusive: str | None = None
    total_tested: bool | None = None
    independence: str | None = None
    known_share: float | None = None
    undirected: bool | None = None
