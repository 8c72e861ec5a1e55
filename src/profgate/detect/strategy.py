"""The interface of strategies, and the steps that they share."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Change, Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import BETTER, WORSE, Kind
from profgate.model.reason import Reason
from profgate.model.units import Metric

WHOLE = -1  # symbol number of a row about the whole workload
MODULE = -2  # symbol number of a row about a module, named in `Detection.labels`
UNSUITED_FLAG = "unsuited"


class Strategy(Protocol):
    """A plug-in: its docstring describes what it detects, on which data, with what confidence, and when it fails."""

    name: str
    short: str
    family: str
    options: tuple[OptionSpec, ...]

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """What it detects in one comparison; ``options`` override the defaults of `OptionSpec`."""
        ...


@runtime_checkable
class ReportStrategy(Strategy, Protocol):
    """A strategy on all workloads of a report together, and on none alone."""

    def detect_all(
        self, comparisons: Sequence[Comparison], options: Mapping[str, Any], context: Context
    ) -> tuple[Change, ...]:
        """Changes of the whole report, Unknown with a reason where it cannot be tested.

        The flag `UNSUITED_FLAG` marks what is shown only where a rule names the strategy.
        """
        ...


def resolved(strategy: Strategy, options: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a strategy: its defaults, overridden by what is given."""
    return {spec.name: options.get(spec.name, spec.default) for spec in strategy.options}


def worse_sign(metric: Metric) -> int:
    """The sign of a change for the worse."""
    return 1 if metric.better == "lower" else -1


def side_means(comparison: Comparison, values: IntArray) -> tuple[FloatArray, FloatArray]:
    """Means over the runs of each side of int64[run, ...]."""
    split = comparison.runs.baseline
    return values[:split].mean(axis=0), values[split:].mean(axis=0)


def independent(runs: int, jobs: tuple[int, ...] | None) -> int:
    """Independent readings of a side: its jobs where they are known, else its runs."""
    return runs if jobs is None else len(set(jobs))


def directed(kind: Kind, worse: BoolArray) -> IntArray:
    """int64[row]: the code of a kind for the worse, mirrored where a row got better."""
    mirrored = -int(kind) if kind in WORSE | BETTER else int(kind)
    return np.where(worse, np.int64(kind), np.int64(mirrored))


def one_sided(comparison: Comparison, symbols: IntArray, kinds: IntArray) -> IntArray:
    """The kinds, with symbols of one side as new or gone."""
    return new_or_gone(np.asarray(comparison.present, dtype=np.bool_)[:, symbols], kinds)


def new_or_gone(known: BoolArray, kinds: IntArray) -> IntArray:
    """The kinds, with rows ``known`` (bool[2, row]) on one side only as new or gone."""
    kinds = np.where(known[1] & ~known[0], np.int64(Kind.NOT_IN_BASELINE), kinds)
    return np.where(known[0] & ~known[1], np.int64(Kind.NOT_IN_TARGET), kinds)


def not_tested(
    strategy: Strategy,
    options: dict[str, Any],
    reason: Reason | str,
    *,
    unsuited: bool = False,
    failed: bool = False,
) -> Detection:
    """A detection without rows: only the reason why this comparison cannot be tested."""
    return Detection(
        strategy.name, strategy.family, "", options, not_tested=(reason,), unsuited=unsuited, failed=failed
    )
