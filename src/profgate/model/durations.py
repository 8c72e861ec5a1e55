"""The durations of tests in several runs, and the results of the stable rank check."""

from collections.abc import Sequence
from typing import Literal

from profgate.model.arrays import FloatArray
from profgate.model.bounded import Probability
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record
from profgate.model.units import Metric, base_unit

Order = Literal["kept", "below", "above", "unknown"]
RankDirection = Literal["slower", "faster", "unknown"]
SigmaRule = Literal["poisson", "observed"]


class DurationRun(Record):
    """The durations of one run by test, in a base ``unit``."""

    label: str
    unit: str
    values: dict[str, float]


class DurationTable(Record, eq=False):
    """The durations of several runs.

    ``values`` is a float64 array by run and test, with NaN if the test is missing from the run. ``labels`` are the
    unique names of the runs. The first ``baselines`` runs belong to the baseline, and the other runs belong to the
    target.
    """

    names: Sequence[str]
    labels: Sequence[str]
    values: FloatArray
    baselines: int
    unit: str


class MovedTest(Record):
    """A test whose rank is outside the range of its ranks in the baseline.

    ``rank_from`` contains the test's lowest and highest rank in the baseline, and ``rank_to`` is its rank in the
    target. ``before`` and ``after`` are the median durations on each side. ``ratio`` is after / before divided by the
    median ratio of all tests, or None if one of these values is zero.
    """

    name: str
    rank_from: tuple[int, int]
    rank_to: int
    distance: int
    before: float
    after: float
    ratio: float | None


class RankCheck(Record):
    """The comparison of a target's stable ranks with several baseline runs.

    ``reason`` explains why the order is unknown.

    ``mean`` is the mean count of stable ranks over all pairs of baseline runs, and ``count`` is the mean over the pairs
    of the target with each baseline run. Both means are None if no pair exists. ``order`` is below or above if
    ``count`` differs from ``mean`` by more than ``width`` * ``sigma``. ``chance`` is the probability that a random
    order has as many stable ranks. ``common`` is the number of tests that all runs contain, and ``left_out`` is the
    number of other tests. ``overall`` is the median ratio of all tests, a common factor that ranks cannot show.
    ``direction`` is the direction of the tests that moved. ``usual_distance`` is the largest distance of any test in a
    baseline run from its ranks in the other baseline runs, or None if there are too few baseline runs. ``farther`` is
    the number of tests that moved farther than ``usual_distance``. ``identical`` is True if every target run is equal
    to a baseline run; ``count`` then has no meaning.
    """

    order: Order
    reason: Reason | None
    common: int
    left_out: int
    baselines: int
    mean: float | None = None
    count: float | None = None
    sigma: float | None = None
    sigma_rule: SigmaRule = "poisson"
    width: float = 2.0
    chance: Probability | None = None
    ties: int = 0
    overall: float | None = None
    direction: RankDirection = "unknown"
    moved: tuple[MovedTest, ...] = ()
    unit: str = "nanoseconds"
    identical: bool = False
    usual_distance: int | None = None
    farther: int = 0

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The lowest and the highest count at which the order is treated as unchanged."""
        if self.mean is None or self.sigma is None:
            return None
        return self.mean - self.width * self.sigma, self.mean + self.width * self.sigma

    @property
    def distance(self) -> float | None:
        """Distance between the count and the mean, in sigmas."""
        if self.mean is None or self.count is None or not self.sigma:
            return None
        return (self.count - self.mean) / self.sigma

    @property
    def result(self) -> Reason:
        """Whether the order of durations is stable, or why that is unknown."""
        if self.reason is not None:
            return self.reason
        if self.identical:
            return Reason(ReasonCode.ORDER_NOT_TESTED, {"case": "same_measurements"})
        if self.order == "below":
            return Reason(ReasonCode.ORDER, {"case": "changed", "direction": self.direction})
        return Reason(ReasonCode.ORDER, {"case": "steadier" if self.order == "above" else "stable"})


def first_duration(metrics: Sequence[Metric]) -> int | None:
    """Return the index of the first time metric or else of the first metric for which lower is better."""
    places = [place for place, metric in enumerate(metrics) if metric.better == "lower" and metric.directed]
    return min(places, key=lambda place: base_unit(metrics[place].unit)[0] != "nanoseconds", default=None)
