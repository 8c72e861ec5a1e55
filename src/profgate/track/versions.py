"""Benchmarks over versions: what was measured in each, and where it jumped."""

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
    """The result of one run for one benchmark in one metric, ``value`` in the metric's unit.

    ``file`` and ``line`` are the place of the benchmark, ``source`` is a digest of its text; None = not known.
    """

    benchmark: str
    metric: Metric
    value: float
    file: str | None = None
    line: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One finished run of one version; without values, ``problem`` is the reason."""

    values: tuple[BenchmarkValue, ...] = ()
    seconds: float = 0.0
    machine: str = ""
    problem: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MeasuredVersion:
    """The values of each run of one version, measured on ``machine``; ``problem`` is why there are none."""

    version: Version
    runs: tuple[tuple[BenchmarkValue, ...], ...] = ()
    problem: str = ""
    machine: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EvolutionLine:
    """One benchmark in one metric over all versions.

    ``middle``, ``low`` and ``high`` float64[version]: median, smallest and largest value, NaN where there is none.
    ``count`` int64[version]: number of values. ``breaks``: the versions in which the benchmark's own source changed;
    ``source_known`` False: no version's source could be read.
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
    """A change beyond the noise, of line number ``line``, from version number ``baseline`` to ``target``.

    ``ratio`` is change / baseline, None where the baseline is zero. ``noise`` is the standard error of the change in
    natural logarithms, 0 where the values do not scatter.
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

    ``metric`` is the name of the metric that is shown first. ``measured`` are all versions, in their order.
    """

    title: str
    measured: tuple[MeasuredVersion, ...]
    lines: tuple[EvolutionLine, ...]
    jumps: tuple[Jump, ...]
    metric: str
    notes: tuple[str, ...] = ()

    def first_jumps(self) -> list[tuple[int, Jump]]:
        """The jumps of the first metric, with their numbers."""
        return [
            (number, jump) for number, jump in enumerate(self.jumps) if self.lines[jump.line].metric.name == self.metric
        ]
