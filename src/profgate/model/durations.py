"""How long many tests took in several runs, and the check of their stable ranks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from profgate.model.arrays import FloatArray
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import Metric, base_unit

TEST_RESULTS = frozenset({"junit", "pytest-durations", "pytest-report-log", "go-test", "durations"})  # formats
Order = Literal["kept", "below", "above", "unknown"]
Direction = Literal["slower", "faster", "unknown"]
SigmaRule = Literal["poisson", "observed"]


@dataclass(frozen=True, slots=True)
class DurationRun:
    """One run: how long each test took, by name. ``unit`` is a base unit; ``label`` names the run.

    ``commit`` and ``recorded`` (ISO 8601, UTC) are empty where not known.
    """

    label: str
    unit: str
    values: dict[str, float]
    commit: str = ""
    recorded: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class DurationTable:
    """Runs side by side: ``values`` float64[run, test], NaN where a run lacks the test; ``labels`` are all different.

    The first ``baselines`` runs are the baseline, the others the target.
    """

    names: Sequence[str]
    labels: Sequence[str]
    values: FloatArray
    baselines: int
    unit: str


@dataclass(frozen=True, slots=True)
class MovedTest:
    """A test that left the ranks it had in the baseline.

    ``rank_from`` are its lowest and highest rank there, ``rank_to`` the one it has now; ``before`` and ``after`` are
    medians over the runs, ``ratio`` after / before against the median ratio of all tests, None where one is zero.
    """

    name: str
    rank_from: tuple[int, int]
    rank_to: int
    distance: int
    before: float
    after: float
    ratio: float | None


@dataclass(frozen=True, slots=True)
class RankCheck:
    """The stable ranks of one target against several baseline runs; ``reason`` explains an unknown order.

    ``order`` below or above: more than ``width`` * ``sigma`` from ``mean``, the mean count over all pairs of baseline
    runs; ``count`` is the mean over target against each of them. Both are None where no pair exists. ``chance`` is the
    probability that a random order has as many stable ranks. ``common`` tests are in all runs, ``left_out`` in some.
    ``overall`` is the median ratio of all tests, which no rank shows. ``direction`` is that of the tests that moved.
    ``usual_distance`` is the farthest that any test of a baseline run left the ranks of the other ones, None where
    those are too few; ``farther`` tests moved farther than that. ``identical``: each target run is a baseline run to
    the last bit, so its count shows nothing.
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
    pair_counts: tuple[int, ...] = ()
    target_counts: tuple[int, ...] = ()
    chance: float | None = None
    ties: int = 0
    overall: float | None = None
    direction: Direction = "unknown"
    moved: tuple[MovedTest, ...] = ()
    unit: str = "nanoseconds"
    identical: bool = False
    usual_distance: int | None = None
    farther: int = 0

    @property
    def bounds(self) -> tuple[float, float] | None:
        """The counts between which the order is kept."""
        if self.mean is None or self.sigma is None:
            return None
        return self.mean - self.width * self.sigma, self.mean + self.width * self.sigma

    @property
    def distance(self) -> float | None:
        """The count's distance from the mean in sigmas."""
        if self.mean is None or self.count is None or not self.sigma:
            return None
        return (self.count - self.mean) / self.sigma

    @property
    def result(self) -> Reason:
        """Whether the order of durations is stable, or why that is unknown."""
        if self.reason is not None:
            return self.reason
        if self.identical:
            return Reason(ReasonCode.SAME_MEASUREMENTS)
        if self.order == "below":
            return Reason(ReasonCode.ORDER_CHANGED, {"direction": self.direction})
        return Reason(ReasonCode.ORDER_STEADIER if self.order == "above" else ReasonCode.ORDER_STABLE)


@dataclass(frozen=True, slots=True)
class RankPoint:
    """One run against the usual ones before it; ``baseline`` are the labels of those."""

    run: DurationRun
    check: RankCheck
    baseline: tuple[str, ...]

    @property
    def departed(self) -> bool:
        """Whether the order left the bounds."""
        return self.check.order in {"below", "above"}


def first_duration(metrics: Sequence[Metric]) -> int | None:
    """The place of the first time; where there is none, of the first metric of which less is better."""
    places = [place for place, metric in enumerate(metrics) if metric.better == "lower" and metric.directed]
    return min(places, key=lambda place: base_unit(metrics[place].unit)[0] != "nanoseconds", default=None)
