"""Benchmark results while they are read: repeated values of named benchmarks, and the profile they make."""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from profgate.model.arrays import FloatArray, read_only
from profgate.model.profile import Configuration, Facts, FrameList, Measurements, Profile
from profgate.model.units import Better, Metric, MetricKind, base_unit
from profgate.readers.json_text import Json, wrong

MOST_RUNS = 100  # runs of one benchmark and file: more say the same again, and neighbours resemble each other
LONGEST_NAME = 500
_LARGEST = 1e30
_AVERAGED = f"benchmarks of more than {MOST_RUNS} rounds, of which means of consecutive ones are compared"


@dataclass(frozen=True, slots=True)
class Quantity:
    """What a format calls a value: the metric in base units, and the factor that leads there."""

    metric: Metric
    factor: float = 1.0


def time_in(unit: str, name: str = "time") -> Quantity:
    """A duration in a unit of time; what no clock knows stays a unit of its own."""
    base, factor, power = base_unit(unit)
    return Quantity(Metric(name, base, kind=MetricKind.TIMED), factor * 10.0**power)


def amount_of(name: str, unit: str, *, better: Better = "lower", directed: bool = True) -> Quantity:
    """An exact count of bytes, allocations or the like."""
    base, factor, power = base_unit(unit)
    return Quantity(Metric(name, base, better, MetricKind.COUNTED, directed=directed), factor * 10.0**power)


def rate_of(name: str, unit: str, factor: float = 1.0) -> Quantity:
    """Work for each second, of which more is better."""
    return Quantity(Metric(name, unit, "higher", MetricKind.TIMED), factor)


@dataclass
class Results:
    """The benchmarks of one file in its order; ``scenarios`` False: they are parts of one run, as tests of a suite."""

    where: str
    scenarios: bool = True
    warnings: Counter[str] = field(default_factory=Counter)
    _metrics: dict[Metric, int] = field(default_factory=dict)
    _frames: dict[tuple[str, str | None, int | None], int] = field(default_factory=dict)
    _values: dict[tuple[int, int], list[float]] = field(default_factory=dict)

    def add(
        self,
        name: object,
        quantity: Quantity,
        values: Iterable[object],
        file: str | None = None,
        line: int | None = None,
    ) -> None:
        """Further runs of a benchmark. Raises ProfileError for what is no value of a measurement."""
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
            raise wrong(self.where, f"a benchmark is called {str(name)[:40]!r}, which is no name of a benchmark")
        amounts = [measured(value, f"{self.where}: {name}") * quantity.factor for value in values]
        if amounts:
            frame = self._frames.setdefault((name.strip(), file, line), len(self._frames))
            metric = self._metrics.setdefault(quantity.metric, len(self._metrics))
            self._values.setdefault((frame, metric), []).extend(amounts)

    def profile(self, facts: Facts) -> Profile:
        """All of it; a file without benchmarks is valid and empty."""
        metrics = tuple(self._metrics) or (Metric("time", "nanoseconds", kind=MetricKind.TIMED),)
        names, files, lines = ([key[part] for key in self._frames] for part in range(3))
        return Profile(
            name=self.where,
            configuration=Configuration(),
            metrics=metrics,
            frames=FrameList(names, files, lines, [None] * len(names)),  # type: ignore[arg-type]
            measurements=self._measurements(),
            periods=(None,) * len(metrics),
            facts=facts,
            warnings=tuple(f"{what}: {count}" for what, count in sorted(self.warnings.items()) if count),
        )

    def _measurements(self) -> Measurements:
        runs = [self._in_blocks(np.array(values)) for values in self._values.values()]
        lengths = [len(values) for values in runs]
        keys = np.array(list(self._values), np.int64).reshape(-1, 2)
        many = sum(lengths)
        nothing = read_only(np.full(many, np.nan))
        return Measurements(
            frame=read_only(np.repeat(keys[:, 0], lengths)),
            amount=read_only(np.concatenate([*runs, np.zeros(0)])),
            size=nothing,
            exclusive=nothing,
            subtypes=[""] * many,
            order=read_only(np.concatenate([*map(np.arange, lengths), np.zeros(0, np.int64)]).astype(np.int64)),
            metric=read_only(np.repeat(keys[:, 1], lengths)),
            scenarios=self.scenarios,
        )

    def _in_blocks(self, values: FloatArray) -> FloatArray:
        """At most so many runs, each the mean of equally many consecutive ones; the last may stand for fewer."""
        if not self.scenarios or len(values) <= MOST_RUNS:
            return values
        self.warnings[_AVERAGED] += 1
        starts = np.arange(0, len(values), math.ceil(len(values) / MOST_RUNS))
        return np.asarray(np.add.reduceat(values, starts) / np.diff(np.append(starts, len(values))))


def measured(value: object, where: str) -> float:
    """A value as float64. Raises ProfileError, about ``where``, for what no measurement gives."""
    try:
        number = float(value) if isinstance(value, int | float | Decimal) and not isinstance(value, bool) else math.nan
    except OverflowError:
        number = math.inf
    if not 0.0 <= number <= _LARGEST:
        raise wrong(where, f"a value is {str(value)[:40]!r}, which cannot be measured")
    return number


def text(record: Json, key: str) -> str | None:
    """A text that a record states, None where it does not."""
    value = record.get(key)
    return value if isinstance(value, str) and value else None
