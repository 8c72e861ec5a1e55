"""Results of strategies: columns with the results for all symbols, and a record for each listed change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.attribution import SourceStates
from profgate.model.calibration import Calibration
from profgate.model.details import Columns, GateResult, ListedDetails
from profgate.model.kinds import KindWord
from profgate.model.reason import Reason


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option of a strategy, with its default, bounds and meaning."""

    name: str
    default: float | int | str | bool
    meaning: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


COLLECTORS = frozenset({"(garbage collector)"})  # frames of work that other functions cause


@dataclass(frozen=True, slots=True)
class Location:
    """Location of a change: a symbol, or the whole workload with the ``name`` "total".

    ``context`` contains the names on the call path from the root to the symbol if the change concerns only that path.
    ``lines`` contains the lines of all functions with this name and file if their costs are added up.
    """

    name: str
    file: str | None = None
    line: int | None = None
    module: str | None = None
    context: tuple[str, ...] | None = None
    lines: tuple[int, ...] | None = None


def path_text(path: Sequence[str]) -> str:
    """Return a call path as text, with the root first. A long path is reduced to its innermost frames."""
    return " › ".join(path if len(path) <= 4 else ("…", *path[-3:]))


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """The results of one strategy for one comparison, in arrays with one element per result.

    The arrays ``symbol`` (-1 = the whole workload, -2 = a module) and ``kind`` (codes of `Kind`) are int64. The arrays
    ``from_value`` and ``to_value``, in stored units of the metric, are float64. The list ``confidence_types`` and the
    float64 array ``confidence`` are optional. So are the lists ``labels`` (the subtype of a symbol's row, or the name
    of a module), ``reasons`` and ``flags``, which are empty for rows that have none. ``result`` contains the columns of
    the gate's test, and ``details`` those that belong to the strategy alone, of a class that is a part of
    `ListedDetails`. ``relative`` contains relative changes that are not those of the values. For calling contexts,
    ``node`` is an int64 array with the row of each result in the comparison's tree.

    ``counts`` contains numbers that do not belong to a row. ``shares`` is True if the values are parts of each side's
    total. ``not_tested`` contains reasons that apply to the whole comparison. ``unsuited`` marks a strategy that
    requires data that this kind of profile never contains, and ``failed`` one that raised an exception. Only calibrated
    strategies set ``calibration``.
    """

    strategy: str
    family: str
    subtype: str
    symbol: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    kind: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    from_value: FloatArray = field(default_factory=lambda: np.empty(0))
    to_value: FloatArray = field(default_factory=lambda: np.empty(0))
    confidence_types: list[str] = field(default_factory=list)
    confidence: FloatArray = field(default_factory=lambda: np.empty(0))
    result: Columns | None = None
    details: Columns | None = None
    relative: FloatArray | None = None
    labels: list[str] = field(default_factory=list)
    reasons: list[Reason | str | None] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    shares: bool = True
    calibration: Calibration | None = None
    node: IntArray | None = None
    not_tested: tuple[Reason | str, ...] = ()
    unsuited: bool = False
    failed: bool = False

    def __post_init__(self) -> None:
        """Fill the optional columns that are not given."""
        rows = len(self.symbol)
        if not self.confidence_types:
            object.__setattr__(self, "confidence", np.full(rows, np.nan))
        for name, empty in (("confidence_types", "none"), ("labels", ""), ("reasons", None), ("flags", "")):
            if not getattr(self, name):
                object.__setattr__(self, name, [empty] * rows)


@dataclass(frozen=True, slots=True)
class Context:
    """The input of a strategy in addition to the comparison.

    ``source_states`` describes how source changes affect the symbols, or is None if unknown. ``evidence`` is the result
    of the report-wide tests for this comparison (`decide.detect.evidence`), or None outside a report.
    """

    source_states: SourceStates | None = None
    evidence: Any = None


@dataclass(frozen=True, slots=True)
class Change:
    """Result of one strategy for one location. Unknown values are None.

    Values are in the base unit of the metric. ``result`` is set if the strategy is the gate's test of functions or of
    totals, and ``details`` contains what belongs to the strategy alone.
    """

    strategy: str
    family: str
    kind: KindWord
    subtype: str
    location: Location
    from_value: float | None
    to_value: float | None
    delta: float | None
    relative: float | None
    share_from: float | None
    share_to: float | None
    confidence_type: str
    confidence: float | None
    reason: Reason | None = None
    flags: tuple[str, ...] = ()
    result: GateResult | None = None
    details: ListedDetails | None = None
