"""A profile as returned by a reader (its frames, and its values as stacks, a call graph or records), and a workload."""

import sys
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.record import Record, field
from profgate.model.units import Metric

FAILED_RUNS = "runs that ended with an error and were left out"
"""The key of `Profile.warning_counts` for runs that measured something else than the work."""
PYTHON_SAMPLING = "profiling.sampling"
"""The value of `Facts.profiler` for Python's own sampling profiler."""


class ClaimedSource(Record):
    """The source of a function by an untrusted source map. ``file`` and ``script`` are relative to the checkout."""

    name: str
    file: str
    line: int | None
    script: str


class FrameList(NamedTuple):
    """The unmodified frames of one profile. The number of a frame is its index. Unknown values are None.

    ``executed`` contains the executed lines if the format distinguishes them from ``lines``. ``sources`` contains the
    sources of frames in built scripts, by frame.
    """

    names: list[str]
    files: list[str | None]
    lines: list[int | None]
    modules: list[str | None]
    executed: list[int | None] | None = None
    sources: Mapping[int, ClaimedSource] = {}

    @staticmethod
    def of_names(names: list[str]) -> "FrameList":
        """Return frames that have names but no files, lines or modules. Equal names share memory between profiles."""
        return FrameList(list(map(sys.intern, names)), [None] * len(names), [None] * len(names), [None] * len(names))

    def append(self, name: str, file: str | None, line: int | None, module: str | None = None) -> None:
        """Add a frame."""
        self.names.append(name)
        self.files.append(file)
        self.lines.append(line)
        self.modules.append(module)


class Stacks(NamedTuple):
    """Call paths as a front-coded stream.

    Each event is a frame that differs from the previous path. ``depth`` (uint16) and ``frame`` (int64, frame numbers)
    have one element per event. The parent of an event at depth d is the last event at depth d - 1, or the root for
    depth 0. The boolean array ``leaf`` marks events at which a stack ends. ``values`` is an int64 array by metric and
    leaf with exact integer values (see `Metric.exponent`). ``root_values`` is an int64 array by metric with the values
    of samples without frames. ``calls`` is an int64 array with the exact call count of each leaf's path, or None.
    """

    depth: IntArray
    frame: IntArray
    leaf: BoolArray
    values: IntArray
    root_values: IntArray
    calls: IntArray | None = None


class LineValues(NamedTuple):
    """The int64 values by metric and line of a profile without stacks. The total includes calls on the line."""

    frame: IntArray
    line: IntArray
    self_value: IntArray
    total_value: IntArray


class CallGraph(NamedTuple):
    """The content of a profile without stacks (pstats, callgrind): values by frame, and caller/callee edges.

    All arrays are int64. ``self_value`` and ``total_value`` (which counts recursive calls once) have one row per metric
    and one column per frame; ``calls`` has one element per frame. ``caller`` and ``callee`` contain the frame numbers
    of each edge. ``edge_total`` has one row per metric and one column per edge; ``edge_calls`` has one element per
    edge. ``lines`` is None if the format does not record lines.
    """

    self_value: IntArray
    total_value: IntArray
    calls: IntArray
    caller: IntArray
    callee: IntArray
    edge_total: IntArray
    edge_calls: IntArray
    lines: LineValues | None = None


class Measurements(Record):
    """Repeated records of a profile. Each array has one element per record.

    ``frame`` (int64) is the frame number, and ``amount`` (float64) is in the metric's own unit. ``size`` (float64) is
    the x value of a cost model, or NaN if unknown. ``subtypes`` are the kinds of the records (real, user, sys), and
    ``order`` (int64) is the number of the repetition. ``metric`` (int64) is the index of the record's metric in the
    profile, or None if all records belong to the first metric. If ``scenarios`` is True, each frame is a separate
    benchmark: for each metric, its ``order`` counts runs from 0 without gaps, and amounts of different frames are never
    added.
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
        """Return a boolean array that marks the records of one metric."""
        return np.full(len(self.frame), place == 0) if self.metric is None else np.asarray(self.metric == place)

    def runs(self, place: int) -> int:
        """Return the number of runs of one metric in the file."""
        if not self.scenarios:
            return 1
        return int(self.order[self.of_metric(place)].max(initial=0)) + 1


class Model(Record):
    """A regression model: its coefficients by name (b0, b1, b2), or the x and y values of a curve without a formula."""

    frame: int
    name: str
    r_square: float
    coefficients: dict[str, float]
    x_start: float
    x_end: float
    curve: tuple[tuple[float, ...], tuple[float, ...]] | None = None


class Configuration(Record):
    """The properties that must be equal for two profiles to be comparable. An empty string means unknown."""

    type: str = ""
    command: str = ""
    arguments: str = ""
    workload: str = ""
    collector: str = ""
    postprocessors: tuple[str, ...] = ()


class Facts(Record):
    """Facts about a recording, from its file or the manifest. Unknown facts are None.

    ``rate`` is the number of samples per second. ``mode`` is the clock of a sampling profiler, such as wall, cpu or
    gil. ``cores`` is the kind of cores of a hybrid CPU that took most samples. ``environment`` is the size of the
    environment of the recorded program and the names of its variables. The size moves the stack, which changes counts.
    """

    format: str = ""
    profiler: str | None = None
    profiler_version: str | None = None
    rate: float | None = None
    runtime: str | None = None
    os: str | None = None
    architecture: str | None = None
    cpu_model: str | None = None
    cores: str | None = None
    image: str | None = None
    kernel: str | None = None
    c_library: str | None = None
    compiler: str | None = None
    environment: str | None = None
    job: str | None = None
    truncated: bool | None = None
    mode: str | None = None

    @property
    def processor(self) -> str | None:
        """The CPU model and, on a hybrid CPU, the cores that ran most of the recording. None if both are unknown."""
        return " ".join(filter(None, (self.cpu_model, self.cores))) or None

    @property
    def states_first_lines(self) -> bool:
        """Whether the line of a frame is the first line of the function. Otherwise, it may be any of its lines."""
        formats = {"pstats", "cpuprofile", "heapprofile", "pyinstrument"}
        return self.format in formats and self.profiler != PYTHON_SAMPLING


class Profile(Record, eq=False):
    """The result of a reader. ``periods`` are the values of one sample; ``attachments`` are of a single format.

    ``program`` is the command or main script of the process, or empty if unknown.

    ``warnings`` are complete; ``warning_counts`` are numbers of things by their description. What to do about them
    may follow after a semicolon.
    ``beside`` is the profile of other content of the same file, such as tests beside benchmarks.
    """

    name: str
    configuration: Configuration = Configuration()
    metrics: tuple[Metric, ...] = ()
    frames: FrameList = field(default_factory=lambda: FrameList.of_names([]))
    stacks: Stacks | None = None
    graph: CallGraph | None = None
    measurements: Measurements | None = None
    attachments: tuple[object, ...] = ()
    periods: tuple[int | None, ...] = ()
    facts: Facts = Facts()
    warnings: tuple[str, ...] = ()
    warning_counts: Mapping[str, int] = field(default_factory=dict)
    beside: "Profile | None" = None
    program: str = ""


def counted_warning(what: str, count: int) -> str:
    """Return a warning with the number after its description and before the advice."""
    what, semicolon, advice = what.partition(";")
    return f"{what}: {count}{semicolon}{advice}"


class Workload(Record):
    """The runs of one configuration. ``noise_runs`` are base runs of other commits, used only to estimate the noise."""

    name: str
    configuration: Configuration
    baseline_runs: tuple[Profile, ...]
    target_runs: tuple[Profile, ...]
    noise_runs: tuple[Profile, ...] = ()
