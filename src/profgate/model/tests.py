"""What the report stores of its tests, so that it can be judged again and merged with those of other shards."""

from dataclasses import dataclass

Maxima = tuple[tuple[float, ...], tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class TestFamily:
    """All tests with the same numbers of runs, named ``5+5``.

    ``first`` and ``last``: the largest statistic of each split for increases and for decreases, before and after what
    was found left them. The splits are enumerated alike in every report.
    """

    __test__ = False  # not a class of tests

    name: str
    first: Maxima
    last: Maxima


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a metric was tested; None where unknown or not applicable.

    ``mode`` is "runs" (permutation of alike runs, in the ``family`` of that name with so many ``splits``) or "jobs"
    (comparison with ``base_jobs``, whose ``largest`` statistic times ``margin`` is the bar); ``exact`` counts are
    compared directly. ``visible_total`` and ``visible_tenth`` are the smallest relative changes that 4 of 5 comparisons
    reveal, of the total and of a function of 10 %. ``inconclusive`` is the code of the reason why these runs decide
    nothing. ``known_share`` is the part of the run in functions of both sides, where small.
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
