"""What strategies report about a location besides its change: columns in a detection, and numbers in the report."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from profgate.model.arrays import finite
from profgate.model.durations import RankCheck
from profgate.model.kinds import KindWord


@dataclass(frozen=True, slots=True)
class Partial:
    """The change in a curve between ``x_from`` and ``x_to``: its kind and the relative change as a fraction."""

    kind: KindWord
    relative: float | None
    x_from: float
    x_to: float


class Details:
    """Base class of what a strategy reports about one result. Unknown numbers are None, and unknown texts are empty."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """The fields of a record for all results of a strategy: a column of each field, or one value for all results.

    Unknown numbers are NaN in a column. A field may also be a tuple of further columns.
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
    if isinstance(column, tuple):
        return tuple(part.at(row) for part in column)
    return column[row] if isinstance(column, list) else column


@dataclass(frozen=True, slots=True)
class GateResult(Details):
    """Result of the gate's test (see `decide.detect.evidence`) for a function, or for the total of a workload.

    ``delta_share`` is the change as a fraction of the run, and ``ratio`` the relative change without the common factor.
    ``everything`` is the common factor if this factor explains the change in the total. After a measurement in turns,
    ``level`` is the significance level that ``p`` must reach, and the 95 % confidence interval of the relative change
    is from ``low`` to ``high``.

    ``judged`` is "subtree" if the test compared the cost of the function including its callees, and ``new_callees``
    names the new functions among these callees. ``net`` is "" for a net change, "offset" or "moved" if other costs
    changed in the opposite direction (see `decide.detect.net_changes`).
    """

    p: float | None = None
    t: float | None = None
    distance: float | None = None
    bound: float | None = None
    delta_share: float | None = None
    ratio: float | None = None
    everything: float | None = None
    level: float | None = None
    low: float | None = None
    high: float | None = None
    judged: str = ""
    new_callees: tuple[str, ...] = ()
    net: str = ""


@dataclass(frozen=True, slots=True)
class MeanRatio(Details):
    """The mean amount in the target divided by that in the baseline."""

    of: Literal["amounts"]
    ratio: float | None = None


@dataclass(frozen=True, slots=True)
class OutlierScores(Details):
    """Scores among the changes of all locations. ``records`` is the subtype of the records if there are several."""

    of: Literal["outliers"]
    target_share: float | None = None
    z: float | None = None
    iqr_multiple: float | None = None
    stddev_multiple: float | None = None
    records: str = ""


@dataclass(frozen=True, slots=True)
class OverweightLevel(Details):
    """The ratios without the stacks of further pivots."""

    responsibility: float | None = None
    overweight: float | None = None


@dataclass(frozen=True, slots=True)
class OverweightShare(Details):
    """The part of a symbol in the change of the total. Ratios are fractions.

    ``pivot`` is the position of a symbol, counted from 1, in the order in which stacks were dropped. ``levels``
    contains the ratios after the stacks of the first pivot were dropped, those after the second, and so on.
    """

    of: Literal["overweight"]
    responsibility: float | None = None
    overweight: float | None = None
    interest: float | None = None
    pivot: float | None = None
    levels: tuple[OverweightLevel, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextShift(Details):
    """The shift of a calling context's share of the run, and the threshold for shifts.

    ``carried`` is the largest fraction of the change that a single child explains. ``calls_from`` and ``calls_to``
    count the calls of the path. ``moved`` is the other call path if the cost only moved.
    """

    of: Literal["contexts"]
    state: str
    shift: float | None = None
    threshold: float | None = None
    carried: float | None = None
    calls_from: float | None = None
    calls_to: float | None = None
    moved: str = ""


@dataclass(frozen=True, slots=True)
class ModelPair(Details):
    """The cost models of both sides over the input size, and what a strategy compared.

    ``baseline`` and ``target`` are names of models, and ``records`` is the subtype of the records. The common range of
    sizes is from ``x_from`` to ``x_to``, and ``overlap`` is its part of the union of both ranges. The values and the
    exponents of growth are those at the ``largest_common_size``.
    """

    of: Literal["models"]
    baseline: str = ""
    target: str = ""
    records: str = ""
    order_steps: float | None = None
    area_from: float | None = None
    area_to: float | None = None
    x_from: float | None = None
    x_to: float | None = None
    overlap: float | None = None
    largest_common_size: float | None = None
    value_from: float | None = None
    value_to: float | None = None
    growth_from: float | None = None
    growth_to: float | None = None
    windows: tuple[Partial, ...] = ()


ListedDetails = MeanRatio | OutlierScores | OverweightShare | ContextShift | ModelPair | RankCheck
