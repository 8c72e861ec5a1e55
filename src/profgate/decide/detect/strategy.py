"""Interface of strategies, and functions that all strategies share."""

from abc import ABC
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np

from profgate.model.arrays import BoolArray, IntArray
from profgate.model.change import BETTER, WORSE, Change, Context, Detection, Kind, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import COUNTS, Metric, MetricKind

MODULE = -2  # symbol number of a row for a module; its label is its name
UNSUITED_FLAG = "unsuited"


class Strategy(Protocol):
    """A detection strategy.

    The docstring of a strategy describes what the strategy detects, which data it needs, what its confidence means, and
    when it fails.
    """

    name: str
    short: str
    family: str
    options: tuple[OptionSpec, ...]

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """Return the detection for one comparison. ``options`` override the defaults of `OptionSpec`."""
        ...


@runtime_checkable
class ReportStrategy(Strategy, Protocol):
    """A strategy that needs all workloads of a report and cannot judge a single workload."""

    def detect_all(
        self, comparisons: Sequence[Comparison], options: Mapping[str, Any], context: Context
    ) -> tuple[Change, ...]:
        """Return the changes of the whole report.

        If the report cannot be tested, the changes have the kind Unknown and a reason.

        The flag `UNSUITED_FLAG` marks changes that are shown only if a rule names the strategy.
        """
        ...


class WithoutRows(Strategy, ABC):
    """Base class of strategies that cannot judge a single comparison. ``needed`` is the case of the reason."""

    needed: str

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002
        """Return a detection without rows."""
        return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": self.needed}), unsuited=True)


def resolved(strategy: Strategy, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of all options of a strategy, with the default for each option that is not given."""
    return {spec.name: options.get(spec.name, spec.default) for spec in strategy.options}


def worse_sign(metric: Metric) -> int:
    """Return 1 if a higher value of the metric is worse, otherwise -1."""
    return 1 if metric.better == "lower" else -1


def directed(kind: Kind, worse: BoolArray) -> IntArray:
    """Return the code of ``kind`` for each row that got worse, and the code of the opposite kind for all other rows."""
    mirrored = -int(kind) if kind in WORSE | BETTER else int(kind)
    return np.where(worse, np.int64(kind), np.int64(mirrored))


def one_sided(comparison: Comparison, symbols: IntArray, kinds: IntArray) -> IntArray:
    """Mark symbols that exist on only one side as new or gone; written packages of strategies use it, too."""
    return new_or_gone(comparison.present[:, symbols], kinds)


def new_or_gone(known: BoolArray, kinds: IntArray) -> IntArray:
    """Mark rows that exist on only one side as new or gone. The bool array ``known`` has one row per side."""
    kinds = np.where(known[1] & ~known[0], np.int64(Kind.NOT_IN_BASELINE), kinds)
    return np.where(known[0] & ~known[1], np.int64(Kind.NOT_IN_TARGET), kinds)


def not_tested(strategy: Strategy, reason: Reason | str, *, unsuited: bool = False, failed: bool = False) -> Detection:
    """Return a detection that has no rows and contains the reason why the comparison cannot be tested."""
    return Detection(strategy.name, strategy.family, "", not_tested=(reason,), unsuited=unsuited, failed=failed)


def counts_apart(comparison: Comparison) -> Reason | None:
    """Return a reason if only shares can be compared because sampling rates differ, otherwise None."""
    metric = comparison.metric
    rates = metric.kind is MetricKind.SAMPLED and metric.unit in COUNTS
    for note in comparison.notes if rates else ():
        if note.reason.code is ReasonCode.RATES_DIFFER and "rate" not in note.reason.parameters:
            return Reason(ReasonCode.CANNOT_TEST, {"case": "rates_apart", **note.reason.parameters})
    return None
