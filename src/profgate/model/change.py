"""Results of strategies: arrays with the results for all symbols, and a record for each listed change."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.attribution import Reach, SourceState, SourceStates
from profgate.model.durations import RankCheck
from profgate.model.kinds import KindWord
from profgate.model.reason import Reason
from profgate.model.tests import Calibration


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


def path_text(path: Sequence[str], frames: int = 3) -> str:
    """Return a call path as text, with the root first. A long path is reduced to its innermost frames."""
    return " › ".join(path if len(path) <= frames + 1 else ("…", *path[-frames:]))


@dataclass(frozen=True, slots=True)
class Partial:
    """The change in a curve between ``x_from`` and ``x_to``: its kind and the relative change as a fraction."""

    kind: KindWord
    relative: float | None
    x_from: float
    x_to: float


@dataclass(frozen=True, slots=True, eq=False)
class Detection:
    """The results of one strategy for one comparison, in arrays with one element per result.

    The arrays ``symbol`` (-1 = the whole workload, -2 = a module named in ``labels``) and ``kind`` (codes of `Kind`)
    are int64. The arrays ``from_value`` and ``to_value``, in stored units of the metric, are float64. ``statistics``
    maps names to float64 arrays (NaN = unknown), and ``texts`` maps names to lists of strings ("" = none).
    ``confidence_types`` and the float64 array ``confidence`` are optional. ``counts`` contains numbers that do not
    belong to a row. ``shares`` is True if the values are parts of each side's total. ``not_tested`` contains reasons
    that apply to the whole comparison. ``unsuited`` marks a strategy that requires data that this kind of profile never
    contains, and ``failed`` marks a strategy that raised an exception. ``reasons``, ``flags`` and ``partial`` have
    entries for some rows only. Only calibrated strategies set ``calibration``.

    For calling contexts, ``node`` is an int64 array with the row of each result in the comparison's tree. If a cost
    only moved, ``moved`` maps the result's row to the tree row at the other end of the move.

    For models, ``from_names`` and ``to_names`` replace the values, with "" for no model, and ``relative`` is a float64
    array of relative changes.
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
    """The input of a strategy in addition to the comparison.

    ``source_states`` describes how source changes affect the symbols, or is None if unknown. ``evidence`` is the result
    of the report-wide tests for this comparison (`detect.evidence`), or None outside a report.
    """

    source_states: SourceStates | None = None
    evidence: Any = None


@dataclass(frozen=True, slots=True)
class Statistics:
    """Numbers about a change or a finding. Unknown numbers are None.

    ``weight`` is the change as a fraction of the run. The fields from ``p`` to ``ratio`` are results of the gate's test
    (see `detect.evidence`). ``ratio`` is the relative change without the common factor. ``everything`` is the common
    factor if this factor explains the change in the total. The exclusive and inclusive costs of the
    function are in the metric's base unit.
    ``calls_from`` and ``calls_to`` are the mean numbers of calls per run if the call graph contains different numbers,
    and ``calls_range`` is the largest difference between runs of one side. After a measurement in turns, ``level`` is
    the significance level that ``p`` must reach, and the 95 % confidence interval of the relative change is from
    ``low`` to ``high``.
    """

    weight: float | None = None
    p: float | None = None
    t: float | None = None
    distance: float | None = None
    bound: float | None = None
    delta_share: float | None = None
    ratio: float | None = None
    everything: float | None = None
    overweight: float | None = None
    responsibility: float | None = None
    exclusive_from: float | None = None
    exclusive_to: float | None = None
    inclusive_from: float | None = None
    inclusive_to: float | None = None
    calls_from: float | None = None
    calls_to: float | None = None
    calls_range: float | None = None
    level: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Evidence:
    """Facts about a change or a finding besides its numbers. Unknown facts are None.

    ``judged`` is "subtree" if the test compared the cost of the function including its callees, and ``new`` names the
    new functions among these callees. The fields from ``source`` to ``reach_path`` come from `SourceStates`.
    ``base_branch`` is the relative change on the base branch, or "changed" if there is no relative change.
    """

    judged: Literal["subtree"] | None = None
    new: str | None = None
    source: SourceState | None = None
    source_link: str | None = None
    reach: Reach | None = None
    reach_path: str | None = None
    base_branch: str | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """Result of one strategy for one location. Unknown values are None.

    A value is a number in the base unit of the metric, or the name of a model. ``net`` is "" for a net change, "offset"
    or "moved" if other costs changed in the opposite direction (see `detect.net_changes`). ``own`` contains further
    numbers and texts of the strategy, which only readers of the report use.
    """

    strategy: str
    family: str
    kind: KindWord
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
    statistics: Statistics = Statistics()
    evidence: Evidence = Evidence()
    net: str = ""
    own: dict[str, float | str | None] = field(default_factory=dict)
    reason: Reason | None = None
    flags: tuple[str, ...] = ()
    partial: tuple[Partial, ...] = ()
    ranks: RankCheck | None = None
