"""Changes that strategies find: their kinds, columns for all symbols, and a record for each listed change."""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Annotated, Any, Literal

import numpy as np

from profgate.model.arrays import FloatArray, IntArray, finite
from profgate.model.attribution import SourceStates
from profgate.model.bounded import Probability
from profgate.model.calibration import Calibration
from profgate.model.durations import RankCheck
from profgate.model.reason import Reason
from profgate.model.record import Limit, Record, field, force_setattr

NO_ROWS, NO_VALUES = np.empty(0, np.int64), np.empty(0)


class Kind(IntEnum):
    """Kinds of change with their published codes, listed from worst to best."""

    TOTAL_DEGRADATION = -4
    SEVERE_DEGRADATION = -3
    DEGRADATION = -2
    MAYBE_DEGRADATION = -1
    NOT_IN_BASELINE = -5
    UNKNOWN = -6
    NO_CHANGE = 0
    NOT_IN_TARGET = 5
    MAYBE_OPTIMIZATION = 1
    OPTIMIZATION = 2
    SEVERE_OPTIMIZATION = 3
    TOTAL_OPTIMIZATION = 4

    @property
    def word(self) -> str:
        """Published name, for example ``NotInBaseline``."""
        return _WORDS[self]


_WORDS = {kind: kind.name.title().replace("_", "") for kind in Kind}


RANKED = tuple(Kind)


RANKS = {kind: place for place, kind in enumerate(RANKED, start=1)}


WORSE, BETTER = frozenset(RANKED[:4]), frozenset(RANKED[-4:])


MAYBE = frozenset({Kind.MAYBE_DEGRADATION, Kind.MAYBE_OPTIMIZATION})


BY_WORD = {word: kind for kind, word in _WORDS.items()}


KindWord = Annotated[str, Limit("Predicate", {"func": BY_WORD.__contains__})]


class Partial(Record):
    """The change in a curve between ``x_from`` and ``x_to``: its kind and the relative change as a fraction."""

    kind: KindWord
    relative: float | None
    x_from: float
    x_to: float


class Details(Record):
    """Base class of what a strategy reports about one result. Unknown numbers are None, and unknown texts are empty."""


class Columns(Record, eq=False):
    """The fields of a record for all results of a strategy: a column of each field, or one value for all results.

    Unknown numbers are NaN in a column.
    """

    record: type[Any]
    fields: Mapping[str, Any]

    def at(self, row: int) -> Any:  # noqa: ANN401 - an object of the class ``record``
        """Return the record of one result."""
        return self.record(**{name: _at(column, row) for name, column in self.fields.items()})

    def lengths(self) -> dict[str, int]:
        """Return the number of elements of each column."""
        return {name: len(column) for name, column in self.fields.items() if isinstance(column, np.ndarray | list)}


def _at(column: Any, row: int) -> Any:  # noqa: ANN401
    if isinstance(column, np.ndarray):
        return finite(float(column[row]))
    return column[row] if isinstance(column, list) else column


class OtherMachine(Record):
    """The relative change that another machine measured, its 95 % confidence interval and its p value."""

    ratio: float | None = None
    low: float | None = None
    high: float | None = None
    p: Probability | None = None


class GateResult(Details):
    """Result of the gate's test (see `decide.detect.evidence`) for a function, or for the total of a workload.

    ``delta_share`` is the change as a fraction of the run, and ``ratio`` the relative change without the common factor.
    ``everything`` is the common factor if this factor explains the change in the total. After a measurement in turns,
    ``level`` is the significance level that ``p`` must reach, the 95 % confidence interval of the relative change is
    from ``low`` to ``high``, and a certain change is at least ``least``. ``other`` is the result of another machine
    that measured the same.

    ``judged`` is "subtree" if the test compared the cost of the function including its callees, and ``new_callees``
    names the new functions among these callees. ``net`` is "" for a net change, "offset" or "moved" if other costs
    changed in the opposite direction (see `decide.detect.net_changes`).
    """

    p: Probability | None = None
    t: float | None = None
    distance: float | None = None
    bound: float | None = None
    delta_share: float | None = None
    ratio: float | None = None
    everything: float | None = None
    level: Probability | None = None
    low: float | None = None
    high: float | None = None
    least: float | None = None
    other: OtherMachine | None = None
    judged: str = ""
    new_callees: tuple[str, ...] = ()
    net: str = ""


class MeanRatio(Details):
    """The mean amount in the target divided by that in the baseline."""

    of: Literal["amounts"]
    ratio: float | None = None


class OutlierScores(Details):
    """Scores among the changes of all locations. ``records`` is the subtype of the records if there are several."""

    of: Literal["outliers"]
    target_share: float | None = None
    z: float | None = None
    iqr_multiple: float | None = None
    stddev_multiple: float | None = None
    records: str = ""


class OverweightShare(Details):
    """The part of a symbol in the change of the total. Ratios are fractions.

    ``pivot`` is the position of a symbol, counted from 1, in the order in which stacks were dropped.
    """

    of: Literal["overweight"]
    responsibility: float | None = None
    overweight: float | None = None
    interest: float | None = None
    pivot: float | None = None


class ContextShift(Details):
    """The shift of a calling context's share of the run, and the threshold for shifts.

    ``calls_from`` and ``calls_to`` count the calls of the path.
    """

    of: Literal["contexts"]
    shift: float | None = None
    threshold: float | None = None
    calls_from: float | None = None
    calls_to: float | None = None


class ModelPair(Details):
    """The cost models of both sides over the input size, and what a strategy compared.

    ``baseline`` and ``target`` are names of models, and ``records`` is the subtype of the records. The values and the
    exponents of growth are those at the ``largest_common_size``.
    """

    of: Literal["models"]
    baseline: str = ""
    target: str = ""
    records: str = ""
    order_steps: float | None = None
    largest_common_size: float | None = None
    value_from: float | None = None
    value_to: float | None = None
    growth_from: float | None = None
    growth_to: float | None = None
    windows: tuple[Partial, ...] = ()


ListedDetails = MeanRatio | OutlierScores | OverweightShare | ContextShift | ModelPair | RankCheck


class OptionSpec(Record):
    """One option of a strategy, with its default, bounds and meaning."""

    name: str
    default: float | int | str | bool
    meaning: str
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] = ()


COLLECTORS = frozenset({"(garbage collector)"})  # frames of work that other functions cause


class Location(Record):
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


class Detection(Record, eq=False):
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
    symbol: IntArray = NO_ROWS
    kind: IntArray = NO_ROWS
    from_value: FloatArray = NO_VALUES
    to_value: FloatArray = NO_VALUES
    confidence_types: list[str] = field(default_factory=list)
    confidence: FloatArray = NO_VALUES
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
            force_setattr(self, "confidence", np.full(rows, np.nan))
        for name, empty in (("confidence_types", "none"), ("labels", ""), ("reasons", None), ("flags", "")):
            if not getattr(self, name):
                force_setattr(self, name, [empty] * rows)


class Context(Record):
    """The input of a strategy in addition to the comparison.

    ``source_states`` describes how source changes affect the symbols, or is None if unknown. ``evidence`` is the result
    of the report-wide tests for this comparison (`decide.detect.evidence`), or None outside a report.
    """

    source_states: SourceStates | None = None
    evidence: Any = None


class Change(Record):
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
