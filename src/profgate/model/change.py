"""Results of strategies: columns for all symbols, and a record for each listed change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.attribution import SourceStates
from profgate.model.durations import RankCheck
from profgate.model.reason import Reason
from profgate.model.tests import Calibration


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a strategy: its default, bounds and meaning. A ``deprecated`` option has no effect."""

    name: str
    default: float | int | str | bool
    meaning: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class Location:
    """The location of a change: a symbol, or the whole workload (``name`` "total").

    ``context`` is the call path of a change that is specific to one path: names from the root to the symbol.
    """

    name: str
    file: str | None = None
    line: int | None = None
    module: str | None = None
    context: tuple[str, ...] | None = None


def path_text(path: Sequence[str], frames: int = 3) -> str:
    """A call path as text, root first; a long path is reduced to its innermost frames."""
    return " › ".join(path if len(path) <= frames + 1 else ("…", *path[-frames:]))


@dataclass(frozen=True, slots=True)
class Partial:
    """A section of a curve from ``x_from`` to ``x_to``: its kind of change and its relative change as a fraction."""

    kind: str
    relative: float | None
    x_from: float
    x_to: float


def _no_rows() -> IntArray:
    return np.empty(0, np.int64)


def _no_values() -> FloatArray:
    return np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """The result of one strategy for one comparison, as parallel columns.

    ``symbol`` int64[row] (-1 = the whole workload, -2 = a module row named in ``labels``), ``kind`` int64[row] (codes
    of `Kind`), ``from_value`` and ``to_value`` float64[row] in stored units of the metric, ``statistics`` float64[row]
    by name (NaN = unknown), ``texts`` text[row] by name ("" = none), ``confidence_types`` text[row] and ``confidence``
    float64[row], both optional. ``counts`` are numbers that belong to no row. ``shares``: the values are parts of the
    totals of the sides. ``not_tested`` holds reasons that apply to the whole comparison; ``unsuited`` marks a strategy
    that requires data this kind of profile never contains, ``failed`` a strategy that raised an exception. ``reasons``,
    ``flags`` and ``partial`` have entries for some rows only. Only calibrated strategies set ``calibration``.

    Rows of calling contexts: ``node`` int64[row] is the row of the comparison's tree. If the cost of a row only moved,
    ``moved`` maps the row to the tree row at the other end of the move.

    Rows of models have names instead of values: ``from_names`` and ``to_names`` by row ("" = none), and a separate
    column ``relative`` float64[row].
    """

    strategy: str
    family: str
    subtype: str
    options: dict[str, Any]
    symbol: IntArray = field(default_factory=_no_rows)
    kind: IntArray = field(default_factory=_no_rows)
    from_value: FloatArray = field(default_factory=_no_values)
    to_value: FloatArray = field(default_factory=_no_values)
    confidence_types: list[str] = field(default_factory=list)
    confidence: FloatArray = field(default_factory=_no_values)
    statistics: dict[str, FloatArray] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    shares: bool = True
    calibration: Calibration | None = None
    node: IntArray | None = None
    moved: dict[int, int] = field(default_factory=dict)
    not_tested: tuple[Reason | str, ...] = ()
    unsuited: bool = False
    failed: bool = False
    from_names: list[str] | None = None
    to_names: list[str] | None = None
    relative: FloatArray | None = None
    reasons: dict[int, Reason | str] = field(default_factory=dict)
    flags: dict[int, tuple[str, ...]] = field(default_factory=dict)
    partial: dict[int, tuple[Partial, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Set the confidence columns to "none" and NaN if they are not given."""
        if not self.confidence_types:
            object.__setattr__(self, "confidence_types", ["none"] * len(self.symbol))
            object.__setattr__(self, "confidence", np.full(len(self.symbol), np.nan))


@dataclass(frozen=True, slots=True)
class Context:
    """Further input of a strategy besides the comparison.

    ``source_states`` are those of the comparison's symbols, None if unknown. ``evidence`` is the result of the
    report-wide tests for the comparison (`detect.evidence`), None outside a report.
    """

    source_states: SourceStates | None = None
    evidence: Any = None


@dataclass(frozen=True, slots=True)
class Change:
    """One strategy's result for one location, in the metric's base unit or as names of models; None = unknown."""

    strategy: str
    family: str
    kind: str
    subtype: str
    location: Location
    from_value: float | str | None
    to_value: float | str | None
    delta: float | None
    relative: float | None
    share_from: float | None
    share_to: float | None
    confidence_type: str
    confidence: float | None
    evidence: dict[str, float | str | None] = field(default_factory=dict)
    reason: Reason | None = None
    flags: tuple[str, ...] = ()
    partial: tuple[Partial, ...] = ()
    ranks: RankCheck | None = None
