"""Benchmarks over versions: what was measured in each, and where it jumped."""

from dataclasses import dataclass
from typing import Literal

from profgate.model.arrays import FloatArray, IntArray
from profgate.model.units import Metric


@dataclass(frozen=True, slots=True)
class Version:
    """One version; ``commit`` is empty for what is no revision, such as a release that a setup command installs."""

    name: str
    commit: str = ""
    subject: str = ""


@dataclass(frozen=True, slots=True)
class BenchmarkValue:
    """The result of one run for one benchmark in one metric, ``value`` in the metric's unit.

    ``file`` and ``line`` are where the benchmark itself stands, ``source`` is a digest of that text; None = not known.
    """

    benchmark: str
    metric: Metric
    value: float
    file: str | None = None
    line: int | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class MeasuredVersion:
    """The runs of one version; without any, ``problem`` says why. ``machine`` is what it was measured on."""

    version: Version
    runs: tuple[tuple[BenchmarkValue, ...], ...] = ()
    problem: str = ""
    machine: str = ""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class EvolutionLine:
    """One benchmark in one metric over all versions.

    ``middle``, ``low`` and ``high`` float64[version] are the median and the extremes of its values, NaN where there are
    none; ``count`` int64[version] is their number. ``breaks`` are the versions from which on its own source was
    another; ``source_known`` is false where nobody could look.
    """

    benchmark: str
    metric: Metric
    middle: FloatArray
    low: FloatArray
    high: FloatArray
    count: IntArray
    breaks: tuple[int, ...] = ()
    source_known: bool = False

    @property
    def state(self) -> Literal["compared", "source changed"]:
        """Whether the versions can be compared: only by a benchmark that did not change itself."""
        return "source changed" if self.breaks else "compared"


@dataclass(frozen=True, slots=True)
class Jump:
    """A change that no noise explains, of line number ``line``, from version number ``baseline`` to ``target``.

    ``ratio`` is change / baseline, None where the baseline is zero. ``noise`` is the standard error of the change in
    natural logarithms, 0 where nothing scatters.
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
