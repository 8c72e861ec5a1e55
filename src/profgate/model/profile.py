"""One profile as a reader delivers it: frames, and one or more bodies that hold the values."""

from dataclasses import dataclass, field

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.units import Metric

PYTHON_SAMPLING = "profiling.sampling"
"""`Facts.profiler` of Python's own sampling profiler."""


@dataclass(frozen=True, slots=True)
class FrameList:
    """The frames of one profile by local number, raw as the file gives them; None where unknown."""

    names: list[str]
    files: list[str | None]
    lines: list[int | None]
    modules: list[str | None]

    @staticmethod
    def of_names(names: list[str]) -> "FrameList":
        """Frames that are nothing but names."""
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

    ``depth`` uint16[event] and ``frame`` int64[event] (local number) describe the frames that are new against the
    path before: an event of depth d lies below the last event of depth d - 1. Depth 0 is a child of the root.
    ``leaf`` bool[event] marks where a stack ends; ``values`` int64[metric, leaf] are its exact integer values
    (`Metric.exponent`). ``root_values`` int64[metric] hold weight that has no frame at all.
    ``calls`` int64[leaf] are exact call counts of the leaf's path, or None.
    """

    depth: IntArray
    frame: IntArray
    leaf: BoolArray
    values: IntArray
    root_values: IntArray
    calls: IntArray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class CallGraph:
    """Formats without stacks (pstats, callgrind): a row for each frame, and caller/callee edges.

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

    ``size`` float64[record] is the x of a cost model (NaN where unknown), ``subtype`` the record's kind
    (real, user, sys), ``order`` int64[record] the repetition. ``metric`` int64[record] is the place of the record's
    metric in the profile, None where all are of the first. ``scenarios``: each frame is a benchmark of its own, whose
    ``order`` counts runs from 0 without a gap for each metric; amounts of different frames are never added.
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
        """How many runs of one metric the file holds."""
        order = self.order[self.of_metric(place)]
        return int(order.max()) + 1 if self.scenarios and len(order) else 1


@dataclass(frozen=True, slots=True)
class Model:
    """A regression model a profile brings: coefficients by name (b0, b1, b2), or x and y of a curve without formula."""

    frame: int
    name: str
    r_square: float
    coefficients: dict[str, float]
    x_start: float
    x_end: float
    curve: tuple[tuple[float, ...], tuple[float, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Configuration:
    """What makes two profiles comparable; an empty text is unknown."""

    type: str = ""
    command: str = ""
    arguments: str = ""
    workload: str = ""
    collector: str = ""
    postprocessors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """What the file or its manifest states about its recording; None = not stated.

    ``rate`` is samples a second; ``mode`` is what a sampling profiler counted: wall, cpu, gil, ...
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
    """A reader's result. ``period`` int[metric] is the value of one sample where known, else None."""

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
