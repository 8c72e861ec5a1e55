"""Data classes for versions, the values measured for them, and the jumps between them."""

from dataclasses import dataclass
from typing import Literal

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.reason import Reason
from profgate.model.units import Metric


@dataclass(frozen=True, slots=True)
class Version:
    """A version to measure."""

    name: str
    commit: str
    subject: str = ""


@dataclass(frozen=True, slots=True)
class BenchmarkValue:
    """Result of one run for one benchmark and metric. ``value`` is in the unit of the metric.

    ``file`` and ``line`` locate the benchmark, and ``source`` is a digest of its source code. Unknown fields are None.
    """

    benchmark: str
    metric: Metric
    value: float
    file: str | None = None
    line: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class TrackRun:
    """A finished run of a version. ``problem`` explains why the run has no values."""

    values: tuple[BenchmarkValue, ...] = ()
    seconds: float = 0.0
    machine: str = ""
    problem: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredVersion:
    """A version with the values of each run on ``machine``. ``problem`` explains why there are no values."""

    version: Version
    runs: tuple[tuple[BenchmarkValue, ...], ...] = ()
    problem: str = ""
    machine: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EvolutionLine:
    """The values of one benchmark and metric over all versions.

    ``middle``, ``low`` and ``high`` (float64) are the median, smallest and largest value of each version, NaN without
    values. ``count`` (int64) is the number of values. ``breaks`` are the versions in which the benchmark's source
    changed. ``source_known`` is False if the source is unknown in all versions.
    """

    benchmark: str
    metric: Metric
    middle: FloatArray
    low: FloatArray
    high: FloatArray
    count: IntArray
    breaks: tuple[int, ...] = ()
    source_known: bool = False


@dataclass(frozen=True, slots=True)
class Jump:
    """A change in line number ``line`` that exceeds the noise, from version number ``baseline`` to ``target``.

    ``ratio`` is the change divided by the baseline value, or None if the baseline value is zero. ``noise`` is the
    standard error of the change in natural logarithms (0 if the values do not vary).
    """

    line: int
    baseline: int
    target: int
    from_value: float
    to_value: float
    ratio: float | None
    direction: Literal["worse", "better"]
    noise: float


@dataclass(frozen=True, slots=True)
class Evolution:
    """The lines of all benchmarks, sorted by benchmark and metric, and their jumps, largest first.

    ``title`` is the name of the program, ``metric`` the one to show first, ``measured`` all versions in order, and
    ``command`` what was measured.
    """

    title: str
    measured: tuple[MeasuredVersion, ...]
    lines: tuple[EvolutionLine, ...]
    jumps: tuple[Jump, ...]
    metric: str
    notes: tuple[Reason, ...] = ()
    command: str = ""

    def first_jumps(self) -> list[tuple[int, Jump]]:
        """Return the jumps of the metric that is shown first, with their indices in ``jumps``."""
        return [
            (number, jump) for number, jump in enumerate(self.jumps) if self.lines[jump.line].metric.name == self.metric
        ]
