"""Metrics and their base units. Readers convert values to base units, and reporters convert them for display."""

from enum import StrEnum
from typing import Literal
from unicodedata import normalize

from profgate.model.record import Record

Better = Literal["lower", "higher"]
COUNTS = ("samples", "count")  # units whose values grow with the sampling rate


class MetricKind(StrEnum):
    """Origin of a value, which determines its noise."""

    COUNTED = "counted"
    TIMED = "timed"
    SAMPLED = "sampled"


# base unit, integer factor and decimal exponent for every known spelling
SPELLINGS = {
    ("nanoseconds", 1, 0): "ns nanosecond nanoseconds",
    ("nanoseconds", 1, 3): "us μs microsecond microseconds",
    ("nanoseconds", 1, 6): "ms millisecond milliseconds",
    ("nanoseconds", 1, 9): "s second seconds",
    ("nanoseconds", 60, 9): "minutes",
    ("nanoseconds", 3600, 9): "hours",
    ("bytes", 1, 0): "byte bytes b",
    ("bytes", 1 << 10, 0): "kib kb kilobytes",
    ("bytes", 1 << 20, 0): "mib mb megabytes",
    ("bytes", 1 << 30, 0): "gib gb",
    ("samples", 1, 0): "samples sample none",
    ("count", 1, 0): "count",
}
BASE_UNITS = {"": ("samples", 1, 0)} | {name: unit for unit, names in SPELLINGS.items() for name in names.split()}


class Metric(Record):
    """A measured quantity. A stored integer times ``10**exponent`` is the value in ``unit``.

    If ``directed`` is False, it is unknown whether higher or lower is better. Such a metric is displayed as if lower
    were better, and cannot fail the gate.
    """

    name: str
    unit: str
    better: Better = "lower"
    kind: MetricKind = MetricKind.SAMPLED
    exponent: int = 0
    directed: bool = True

    @property
    def scale(self) -> float:
        """Factor that converts stored integers to the unit, for use in reports only."""
        return float(10.0**self.exponent)


CALLS = Metric("calls", "count", kind=MetricKind.COUNTED)
"""Number of calls, which a profile may contain in addition to its own metrics. This number is equal in every run."""


def base_unit(spelling: str) -> tuple[str, int, int]:
    """Return the base unit, integer factor and decimal exponent of a unit. An unknown unit is its own base unit."""
    spelling = normalize("NFKC", spelling)  # of two signs for micro, the Greek letter
    return BASE_UNITS.get(spelling.strip().lower(), (spelling, 1, 0))
