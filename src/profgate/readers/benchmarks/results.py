"""Collection of the benchmark results in a file, and their conversion to a profile."""

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from unicodedata import normalize

import numpy as np

from profgate.model.arrays import read_only
from profgate.model.profile import Facts, FrameList, Measurements, Profile
from profgate.model.record import Record, Struct, field, replace
from profgate.model.units import Better, Metric, MetricKind, base_unit
from profgate.model.visible_text import NO_NAME, visible
from profgate.readers.json_text import wrong

MOST_RUNS = 100  # maximum number of runs per benchmark and file
LONGEST_NAME = 500
LARGEST = 1e30
NO_VALUES = "values that are no finite numbers of at least 0, which were left out"
_WORK = {"op", "ops", "operations", "iter", "iterations", "items", "requests", "req", "rows", "queries", "messages"}
_DECIMAL_BYTES = {"b": 1.0, "bytes": 1.0, "kb": 1e3, "mb": 1e6, "gb": 1e9}


class Quantity(Record):
    """A benchmark's metric in a base unit, and the factor that converts the values in the file to that unit."""

    metric: Metric
    factor: float = 1.0


@lru_cache
def quantity_of(unit: str, name: str = "", better: Better | None = None) -> Quantity:
    """Return the quantity for a unit. Lower is better for times and memory, and higher is better for rates.

    ``ns/op`` and ``ns`` are times, ``B/op`` is memory, and ``ops/ms`` and ``MB/s`` are rates. The direction of
    other units is unknown unless ``better`` is given.
    """
    unit = normalize("NFKC", unit)  # of two signs for micro, one
    over, _, under = (part.strip().lower() for part in unit.partition("/"))
    base, factor, power = base_unit(over)
    usual = {"nanoseconds": "time", "bytes": "memory"}.get(base)
    if under not in {"", "op", "iter", "iteration", "call"}:
        found = _rate(over, under, name) or unknown(unit, name)
    elif usual:
        found = Quantity(Metric(name or usual, base, kind=MetricKind.TIMED), factor * 10.0**power)
    elif over in {"allocs", "allocations", "count", "counts", "instructions"}:
        found = Quantity(Metric(name or over, "count", kind=MetricKind.TIMED))
    else:
        found = unknown(unit, name)
    return found if better is None else replace(found, metric=replace(found.metric, better=better, directed=True))


def unknown(unit: str, name: str) -> Quantity:
    """Return a quantity whose direction is unknown."""
    return Quantity(Metric(name or unit or "value", unit or "count", kind=MetricKind.TIMED, directed=False))


def _rate(work: str, under: str, name: str) -> Quantity | None:
    """Return the quantity for ``work/under``, or None if ``work`` is unknown or ``under`` is not a unit of time."""
    base, factor, power = base_unit("s" if under == "sec" else under)
    if base != "nanoseconds" or work not in _WORK | _DECIMAL_BYTES.keys():
        return None
    unit = "bytes/s" if work in _DECIMAL_BYTES else f"{work}/s"
    metric = Metric(name or "throughput", unit, "higher", MetricKind.TIMED)
    return Quantity(metric, _DECIMAL_BYTES.get(work, 1.0) * 1e9 / (factor * 10.0**power))


class Results(Struct):
    """Benchmarks in file order. Without ``scenarios``, all belong to one run. Metrics in ``counted`` are counts."""

    where: str
    scenarios: bool = True
    counted: tuple[str, ...] = ()
    warnings: Counter[str] = field(default_factory=Counter)
    _metrics: dict[Metric, int] = field(default_factory=dict)
    _frames: dict[tuple[str, str | None, int | None], int] = field(default_factory=dict)
    _values: dict[tuple[int, int], dict[Hashable, list[float]]] = field(default_factory=dict)

    def add(
        self,
        name: object,
        quantity: Quantity,
        values: Iterable[object],
        file: str | None = None,
        line: int | None = None,
        process: Hashable = None,
    ) -> None:
        """Add runs of a benchmark. Values with the same ``process`` form one run, whose value is their median."""
        if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
            raise wrong(self.where, f"a benchmark is called {str(name)[:40]!r}, which is not a name of a benchmark")
        numbers = [measured(value) for value in values]
        amounts = [number * quantity.factor for number in numbers if number >= 0.0]
        self.warnings[NO_VALUES] += len(numbers) - len(amounts)
        if not amounts:
            return
        title = " ".join(visible(name).split()) or NO_NAME  # the name may be a command with several lines
        frame = self._frames.setdefault((title, file, line), len(self._frames))
        counted = "*" in self.counted or quantity.metric.name in self.counted
        kind = MetricKind.COUNTED if counted else quantity.metric.kind
        metric = self._metrics.setdefault(replace(quantity.metric, kind=kind), len(self._metrics))
        runs = self._values.setdefault((frame, metric), {})
        for amount in amounts:
            runs.setdefault((len(runs),) if process is None else process, []).append(amount)

    def profile(self, facts: Facts) -> Profile:
        """Return all benchmarks as one profile. A file without benchmarks is valid and results in an empty profile."""
        from statistics import median  # this module is imported for every text file

        runs: list[list[float]] = []
        for processes in self._values.values():
            values = list(map(median, processes.values()))
            if self.scenarios and len(values) > MOST_RUNS:
                # medians of consecutive runs; the last block may be shorter
                size = math.ceil(len(values) / MOST_RUNS)
                values = [median(values[start : start + size]) for start in range(0, len(values), size)]
                what = f"benchmarks of more than {MOST_RUNS} runs, of which medians of consecutive ones are compared"
                self.warnings[what] += 1
            runs.append(values)
        lengths = [len(values) for values in runs]
        keys = np.array(list(self._values), np.int64).reshape(-1, 2)
        nothing = read_only(np.full(sum(lengths), np.nan))
        metrics = tuple(self._metrics) or (quantity_of("s").metric,)
        names, files, lines = ([key[part] for key in self._frames] for part in range(3))
        return Profile(
            name=self.where,
            metrics=metrics,
            frames=FrameList(names, files, lines, [None] * len(names)),  # type: ignore[arg-type]
            measurements=Measurements(
                frame=read_only(np.repeat(keys[:, 0], lengths)),
                amount=read_only(np.array(list(chain.from_iterable(runs)), np.float64)),
                size=nothing,
                exclusive=nothing,
                subtypes=[""] * len(nothing),
                order=read_only(np.array(list(chain.from_iterable(map(range, lengths))), np.int64)),
                metric=read_only(np.repeat(keys[:, 1], lengths)),
                scenarios=self.scenarios,
            ),
            periods=(None,) * len(metrics),
            facts=facts,
            warning_counts=+self.warnings,
        )


def measured(value: object) -> float:
    """Return ``value`` as a float, or NaN if it is not a finite number of at least 0. A text may be ``1,234.5``."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return math.nan
    try:
        number = float(value.replace(",", "") if isinstance(value, str) else value)
    except (OverflowError, ValueError):  # a signaling NaN raises ValueError
        return math.nan
    return number if 0.0 <= number <= LARGEST else math.nan


def for_each(total: object, count: object) -> float:
    """Return the value per repetition, which is ``total`` divided by ``count``, or NaN if one of them is unknown."""
    return measured(total) / (measured(count) or math.nan)
