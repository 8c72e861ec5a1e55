"""One profile as returned by a reader: frames, and one or more bodies with the values."""

from dataclasses import dataclass, field

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.units import Metric

PYTHON_SAMPLING = "profiling.sampling"
"""`Facts.profiler` of Python's own sampling profiler."""


@dataclass(frozen=True, slots=True)
class FrameList:
    """The frames of one profile by local number, unmodified from the file; None if unknown."""

    names: list[str]
    files: list[str | None]
    lines: list[int | None]
    modules: list[str | None]

    @staticmethod
    def of_names(names: list[str]) -> "FrameList":
        """Frames that have only names."""
        return FrameList(names, [None] * len(names), [None] * len(names), [None] * len(names))

    def append(self, name: str, file: str | None, line: int | None, module: str | None = None) -> None:
        """Add a frame while the profile is read."""
        self.names.append(name)
        self.files.append(file)
        self.lines.append(line)
        self.modules.append(module)


@dataclass(frozen=True, slots=True, eq=False)
class Stacks:
    """Call paths as a front-coded stream.

    ``depth`` uint16[event] and ``frame`` int64[event] (local number) describe the frames that differ from the previous
    path: the parent of an event of depth d is the last event of depth d - 1. Depth 0 is a child of the root. ``leaf``
    bool[event] marks the end of a stack; ``values`` int64[metric, leaf] are its exact integer values
    (`Metric.exponent`). ``root_values`` int64[metric] hold weight without any frame. ``calls`` int64[leaf] are exact
    call counts of the leaf's path, or None.
    """

    depth: IntArray
    frame: IntArray
    leaf: BoolArray
    values: IntArray
    root_values: IntArray
    calls: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CallGraph:
    """Profiles without stacks (pstats, callgrind): one row per frame, and caller/callee edges.

    ``self_value`` and ``total_value`` are int64[metric, frame] (total counts recursion once); ``calls`` int64[frame].
    Edges: ``caller``, ``callee`` int64[edge] local numbers, ``edge_total`` int64[metric, edge], ``edge_calls``
    int64[edge].
    """

    self_value: IntArray
    total_value: IntArray
    calls: IntArray
    caller: IntArray
    callee: IntArray
    edge_total: IntArray
    edge_calls: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Measurements:
    """Repeated records: ``frame`` int64[record] local number, ``amount`` float64[record] in the metric's own unit.

    ``size`` float64[record] is the x of a cost model (NaN if unknown), ``subtype`` the record's kind (real, user, sys),
    ``order`` int64[record] the repetition. ``metric`` int64[record] is the index of the record's metric in the profile,
    None if all records belong to the first. ``scenarios``: each frame is a separate benchmark, whose ``order`` counts
    runs from 0 without gaps for each metric; amounts of different frames are never added.
    """

    frame: IntArray
    amount: FloatArray
    size: FloatArray
    exclusive: FloatArray
    subtypes: list[str]
    order: IntArray
    metric: IntArray | None = None
    scenarios: bool = False

    def of_metric(self, place: int) -> BoolArray:
        """bool[record]: the records of one metric."""
        return np.full(len(self.frame), place == 0) if self.metric is None else np.asarray(self.metric == place)

    def runs(self, place: int) -> int:
        """The number of runs of one metric in the file."""
        order = self.order[self.of_metric(place)]
        return int(order.max()) + 1 if self.scenarios and len(order) else 1


@dataclass(frozen=True, slots=True)
class Model:
    """A regression model from a profile: coefficients by name (b0, b1, b2), or x and y of a curve without a formula."""

    frame: int
    name: str
    r_square: float
    coefficients: dict[str, float]
    x_start: float
    x_end: float
    curve: tuple[tuple[float, ...], tuple[float, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The properties that two profiles must share to be compared; an empty string means unknown."""

    type: str = ""
    command: str = ""
    arguments: str = ""
    workload: str = ""
    collector: str = ""
    postprocessors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a recording from the file or its manifest; None = not stated.

    ``rate`` is samples per second; ``mode`` is the clock of a sampling profiler: wall, cpu, gil, ...
    """

    format: str = ""
    profiler: str | None = None
    profiler_version: str | None = None
    rate: float | None = None
    runtime: str | None = None
    os: str | None = None
    architecture: str | None = None
    cpu_model: str | None = None
    job: str | None = None
    truncated: bool | None = None
    mode: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """The result of a reader. ``period`` int[metric] is the value of one sample, None if unknown."""

    name: str
    configuration: Configuration = Configuration()
    metrics: tuple[Metric, ...] = ()
    frames: FrameList = field(default_factory=lambda: FrameList.of_names([]))
    stacks: Stacks | None = None
    graph: CallGraph | None = None
    measurements: Measurements | None = None
    models: tuple[Model, ...] = ()
    periods: tuple[int | None, ...] = ()
    facts: Facts = field(default_factory=Facts)
    warnings: tuple[str, ...] = ()
