"""What the report stores of its families of tests, so that reports of shards can be merged."""

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
