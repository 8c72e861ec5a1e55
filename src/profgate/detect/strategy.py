"""The interface of strategies, and helper functions that they share."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Change, Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.kinds import BETTER, WORSE, Kind
from profgate.model.reason import Reason
from profgate.model.units import Metric

WHOLE = -1  # symbol number of a row for the whole workload
MODULE = -2  # symbol number of a row for a module, which is named in `Detection.labels`
UNSUITED_FLAG = "unsuited"


class Strategy(Protocol):
    """A plug-in. Its docstring describes what it detects, in which data, with what confidence, and when it fails."""

    name: str
    short: str
    family: str
    options: tuple[OptionSpec, ...]

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """Return the detection of one comparison. ``options`` override the defaults of `OptionSpec`."""
        ...


@runtime_checkable
class ReportStrategy(Strategy, Protocol):
    """A strategy that needs all workloads of a report and cannot judge a single one."""

    def detect_all(
        self, comparisons: Sequence[Comparison], options: Mapping[str, Any], context: Context
    ) -> tuple[Change, ...]:
        """Return the changes of the whole report, with kind Unknown and a reason if it cannot be tested.

        The flag `UNSUITED_FLAG` marks changes that are shown only if a rule names the strategy.
        """
        ...


def resolved(strategy: Strategy, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of a strategy: the given values and the defaults of the rest."""
    return {spec.name: options.get(spec.name, spec.default) for spec in strategy.options}


def worse_sign(metric: Metric) -> int:
    """Return the sign of a change for the worse."""
    return 1 if metric.better == "lower" else -1


def side_means(comparison: Comparison, values: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the means over the runs of each side of int64[run, ...] values."""
    split = comparison.runs.baseline
    return values[:split].mean(axis=0), values[split:].mean(axis=0)


def independent(runs: int, jobs: tuple[int, ...] | None) -> int:
    """Return the number of independent measurements of a side: its jobs if known, otherwise its runs."""
    return runs if jobs is None else len(set(jobs))


def directed(kind: Kind, worse: BoolArray) -> IntArray:
    """Return the codes int64[row] of a kind for the worse, mirrored for rows that got better."""
    mirrored = -int(kind) if kind in WORSE | BETTER else int(kind)
    return np.where(worse, np.int64(kind), np.int64(mirrored))


def one_sided(comparison: Comparison, symbols: IntArray, kinds: IntArray) -> IntArray:
    """Return the kinds, with symbols of one side marked as new or gone."""
    return new_or_gone(np.asarray(comparison.present, dtype=np.bool_)[:, symbols], kinds)


def new_or_gone(known: BoolArray, kinds: IntArray) -> IntArray:
    """Return the kinds, with rows ``known`` (bool[2, row]) on one side only marked as new or gone."""
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
    """Return a detection without rows, only with the reason why this comparison cannot be tested."""
    return Detection(
        strategy.name, strategy.family, "", options, not_tested=(reason,), unsuited=unsuited, failed=failed
    )
