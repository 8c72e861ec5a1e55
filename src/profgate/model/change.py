"""What strategies report: columns for all symbols, and a record for each listed change."""

from dataclasses import dataclass, field
from typing import Any

from profgate.model.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One threshold of a strategy: its default, its bounds and what it means."""

    name: str
    default: float | int | str | bool
    meaning: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Location:
    """Where: a symbol, or the whole workload (``name`` "total")."""

    name: str
    file: str | None = None
    line: int | None = None
    module: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """One strategy's word on one comparison, as parallel columns.

    ``symbol`` int64[row] (-1 = the whole workload, -2 = a module row named in ``labels``), ``kind`` int64[row] (codes
    of `Kind`), ``from_value`` and ``to_value`` float64[row] in stored units of the metric, ``statistics`` float64[row]
    by name (NaN = unknown), ``confidence_types`` and ``confidence`` float64[row]. ``cannot_tell`` holds reasons for
    the whole comparison.
    """

    strategy: str
    family: str
    subtype: str
    options: dict[str, Any]
    symbol: IntArray
    kind: IntArray
    from_value: FloatArray
    to_value: FloatArray
    confidence_types: list[str]
    confidence: FloatArray
    statistics: dict[str, FloatArray] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    labels: dict[int, str] = field(default_factory=dict)
    cannot_tell: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Context:
    """What a strategy may know beyond the comparison: W = compared (workload, metric) pairs in the report."""

    pairs: int = 1


@dataclass(frozen=True, slots=True)
class Change:
    """One strategy's word about one location ; numbers in the metric's base unit, None = unknown."""

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
    reason: str = ""
    flags: tuple[str, ...] = ()
