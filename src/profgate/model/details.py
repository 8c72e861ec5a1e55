"""What strategies report about a location besides its change: columns in a detection, and numbers in the report."""

from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar

import numpy as np

from profgate.model.arrays import FloatArray, finite
from profgate.model.durations import RankCheck
from profgate.model.kinds import KindWord


@dataclass(frozen=True, slots=True)
class Partial:
    """The change in a curve between ``x_from`` and ``x_to``: its kind and the relative change as a fraction."""

    kind: KindWord
    relative: float | None
    x_from: float
    x_to: float


Number = TypeVar("Number", FloatArray, float)
Text = TypeVar("Text", list[str], str)
Names = TypeVar("Names", list[tuple[str, ...]], tuple[str, ...])
Windows = TypeVar("Windows", list[tuple[Partial, ...]], tuple[Partial, ...])


class Details:
    """Base class of records that are columns with one element per result, or the values of one result.

    Unknown numbers are NaN in a column and None in the values of a result. Unknown texts are empty.
    """

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()  # the names of the fields of a dataclass

    def at(self, row: int) -> Any:  # noqa: ANN401 - the same class with values instead of columns
        """Return the values of one result."""
        return type(self)(**{name: _at(getattr(self, name), row) for name in self.__match_args__})

    def lengths(self) -> dict[str, int]:
        """Return the number of elements of each column."""
        columns = {name: getattr(self, name) for name in self.__match_args__}
        return {name: len(column) for name, column in columns.items() if isinstance(column, np.ndarray | list)}


def _at(column: Any, row: int) -> Any:  # noqa: ANN401
    if isinstance(column, np.ndarray):
        return finite(float(column[row]))
    if isinstance(column, tuple):
        return tuple(part.at(row) for part in column)
    return column[row] if isinstance(column, list) else column


@dataclass(frozen=True, slots=True)
class GateResult(Details, Generic[Number, Text, Names]):
    """Result of the gate's test (see `detect.evidence`) for a function, or for the total of a workload.

    ``delta_share`` is the change as a fraction of the run, and ``ratio`` the relative change without the common factor.
    ``everything`` is the common factor if this factor explains the change in the total. After a measurement in turns,
    ``level`` is the significance level that ``p`` must reach, and the 95 % confidence interval of the relative change
    is from ``low`` to ``high``.

    ``judged`` is "subtree" if the test compared the cost of the function including its callees, and ``new_callees``
    names the new functions among these callees. ``net`` is "" for a net change, "offset" or "moved" if other costs
    changed in the opposite direction (see `detect.net_changes`).
    """

    p: Number | None = None
    t: Number | None = None
    distance: Number | None = None
    bound: Number | None = None
    delta_share: Number | None = None
    ratio: Number | None = None
    everything: Number | None = None
    level: Number | None = None
    low: Number | None = None
    high: Number | None = None
    judged: Text | Literal[""] = ""
    new_callees: Names | tuple[()] = ()
    net: Text | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class MeanRatio(Details, Generic[Number]):
    """The mean amount in the target divided by that in the baseline."""

    of: Literal["amounts"]
    ratio: Number | None = None


@dataclass(frozen=True, slots=True)
class OutlierScores(Details, Generic[Number, Text]):
    """Scores among the changes of all locations. ``records`` is the subtype of the records if there are several."""

    of: Literal["outliers"]
    target_share: Number | None = None
    z: Number | None = None
    iqr_multiple: Number | None = None
    stddev_multiple: Number | None = None
    records: Text | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class OverweightLevel(Details, Generic[Number]):
    """The ratios without the stacks of further pivots."""

    responsibility: Number | None = None
    overweight: Number | None = None


@dataclass(frozen=True, slots=True)
class OverweightShare(Details, Generic[Number]):
    """The part of a symbol in the change of the total. Ratios are fractions.

    ``pivot`` is the position of a symbol, counted from 1, in the order in which stacks were dropped. ``levels``
    contains the ratios after the stacks of the first pivot were dropped, those after the second, and so on.
    """

    of: Literal["overweight"]
    responsibility: Number | None = None
    overweight: Number | None = None
    interest: Number | None = None
    pivot: Number | None = None
    levels: tuple[OverweightLevel[Number], ...] = ()


@dataclass(frozen=True, slots=True)
class ContextShift(Details, Generic[Number, Text]):
    """The shift of a calling context's share of the run, and the threshold for shifts.

    ``carried`` is the largest fraction of the change that a single child explains. ``calls_from`` and ``calls_to``
    count the calls of the path. ``moved`` is the other call path if the cost only moved.
    """

    of: Literal["contexts"]
    state: Text
    shift: Number | None = None
    threshold: Number | None = None
    carried: Number | None = None
    calls_from: Number | None = None
    calls_to: Number | None = None
    moved: Text | Literal[""] = ""


@dataclass(frozen=True, slots=True)
class ModelPair(Details, Generic[Number, Text, Windows]):
    """The cost models of both sides over the input size, and what a strategy compared.

    ``baseline`` and ``target`` are names of models, and ``records`` is the subtype of the records. The common range of
    sizes is from ``x_from`` to ``x_to``, and ``overlap`` is its part of the union of both ranges. The values and the
    exponents of growth are those at the ``largest_common_size``.
    """

    of: Literal["models"]
    baseline: Text | Literal[""] = ""
    target: Text | Literal[""] = ""
    records: Text | Literal[""] = ""
    order_steps: Number | None = None
    area_from: Number | None = None
    area_to: Number | None = None
    x_from: Number | None = None
    x_to: Number | None = None
    overlap: Number | None = None
    largest_common_size: Number | None = None
    value_from: Number | None = None
    value_to: Number | None = None
    growth_from: Number | None = None
    growth_to: Number | None = None
    windows: Windows | tuple[()] = ()


ListedDetails = (
    MeanRatio[float]
    | OutlierScores[float, str]
    | OverweightShare[float]
    | ContextShift[float, str]
    | ModelPair[float, str, tuple[Partial, ...]]
    | RankCheck
)
