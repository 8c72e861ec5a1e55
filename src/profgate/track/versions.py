"""Data classes for benchmarks over versions: measured values and their jumps."""

from dataclasses import dataclass
from typing import Literal

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.units import Metric


@dataclass(frozen=True, slots=True)
class Version:
    """One version; ``commit`` is empty for a release that a setup command installs."""

    name: str
    commit: str = ""
    subject: str = ""

    @property
    def key(self) -> str:
        """The name under which the runs of the version are stored."""
        return self.commit or f"release-{self.name}"


@dataclass(frozen=True, slots=True)
class BenchmarkValue:
    """The result of one run for one benchmark and metric, with ``value`` in the metric's unit.

    ``file`` and ``line`` locate the benchmark, ``source`` is a digest of its source code; None if unknown.
    """

    benchmark: str
    metric: Metric
    value: float
    file: str | None = None
    line: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One finished run of one version; ``problem`` explains why it has no values."""

    values: tuple[BenchmarkValue, ...] = ()
    seconds: float = 0.0
    machine: str = ""
    problem: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredVersion:
    """The values of each run of one version on ``machine``; ``problem`` explains why there are none."""

    version: Version
    runs: tuple[tuple[BenchmarkValue, ...], ...] = ()
    problem: str = ""
    machine: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EvolutionLine:
    """One benchmark in one metric over all versions.

    ``middle``, ``low`` and ``high`` float64[version]: median, smallest and largest value, NaN if there is none.
    ``count`` int64[version]: number of values. ``breaks``: the versions in which the benchmark's source changed.
    ``source_known`` is False if the source of no version could be read.
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
    """A change beyond the noise, in line number ``line``, from version number ``baseline`` to ``target``.

    ``ratio`` is the change divided by the baseline, None if the baseline is zero. ``noise`` is the standard error of
    the change in natural logarithms, 0 if the values do not vary.
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
    """All lines, sorted by benchmark and metric, and their jumps, largest first.

    ``metric`` is the name of the metric that is shown first. ``measured`` lists all versions in order.
    """

    title: str
    measured: tuple[MeasuredVersion, ...]
    lines: tuple[EvolutionLine, ...]
    jumps: tuple[Jump, ...]
    metric: str
    notes: tuple[str, ...] = ()

    def first_jumps(self) -> list[tuple[int, Jump]]:
        """Return the jumps of the metric that is shown first, with their numbers."""
        return [
            (number, jump) for number, jump in enumerate(self.jumps) if self.lines[jump.line].metric.name == self.metric
        ]
