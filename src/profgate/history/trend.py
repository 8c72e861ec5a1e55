"""A lasting change along the history of one series."""

from dataclasses import dataclass

from profgate.model.units import Better

CHANGE_POINT = "change_point"  # the strategy that finds trends, and whose records they are


@dataclass(frozen=True, slots=True)
class TrendRules:
    """The options of the strategy `change_point`."""

    p: float = 0.001
    window: int = 50
    min_segment: int = 4
    min_magnitude: float = 0.02


@dataclass(frozen=True, slots=True)
class Trend:
    """What changed from ``before`` to ``after``: a total in the metric's unit, or a symbol's share of the run.

    ``name`` is None for the total. A step came with commit ``first``; a drift came over ``commits`` measured commits
    from ``first`` to ``last``. ``p`` is two-sided.
    """

    series: str
    workload: str
    metric: str
    unit: str
    better: Better
    name: str | None
    file: str | None
    first: str
    last: str
    commits: int
    before: float
    after: float
    p: float

    @property
    def is_drift(self) -> bool:
        """Whether it came slowly."""
        return self.commits > 1

    @property
    def relative(self) -> float | None:
        """The change as a fraction, None from zero."""
        return (self.after - self.before) / self.before if self.before else None

    @property
    def worse(self) -> bool:
        """Whether it went the bad way."""
        return (self.after > self.before) == (self.better == "lower")
