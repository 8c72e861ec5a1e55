"""Metrics and their base units. Readers convert values to base units, and reporters convert them for display."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Better = Literal["lower", "higher"]
COUNTS = ("samples", "count")  # units whose values grow with the sampling rate


class MetricKind(StrEnum):
    """Origin of a value, which determines its noise."""

    COUNTED = "counted"
    TIMED = "timed"
    SAMPLED = "sampled"


# base unit, integer factor and decimal exponent for every known spelling
BASE_UNITS: dict[str, tuple[str, int, int]] = {
    "ns": ("nanoseconds", 1, 0),
    "nanosecond": ("nanoseconds", 1, 0),
    "nanoseconds": ("nanoseconds", 1, 0),
    "us": ("nanoseconds", 1, 3),
    "µs": ("nanoseconds", 1, 3),
    "microsecond": ("nanoseconds", 1, 3),
    "microseconds": ("nanoseconds", 1, 3),
    "ms": ("nanoseconds", 1, 6),
    "millisecond": ("nanoseconds", 1, 6),
    "milliseconds": ("nanoseconds", 1, 6),
    "s": ("nanoseconds", 1, 9),
    "second": ("nanoseconds", 1, 9),
    "seconds": ("nanoseconds", 1, 9),
    "minutes": ("nanoseconds", 60, 9),
    "hours": ("nanoseconds", 3600, 9),
    "byte": ("bytes", 1, 0),
    "bytes": ("bytes", 1, 0),
    "b": ("bytes", 1, 0),
    "kib": ("bytes", 1 << 10, 0),
    "kb": ("bytes", 1 << 10, 0),
    "kilobytes": ("bytes", 1 << 10, 0),
    "mib": ("bytes", 1 << 20, 0),
    "mb": ("bytes", 1 << 20, 0),
    "megabytes": ("bytes", 1 << 20, 0),
    "gib": ("bytes", 1 << 30, 0),
    "gb": ("bytes", 1 << 30, 0),
    "samples": ("samples", 1, 0),
    "sample": ("samples", 1, 0),
    "count": ("count", 1, 0),
    "none": ("samples", 1, 0),
    "": ("samples", 1, 0),
}


@dataclass(frozen=True, slots=True)
class Metric:
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
    return BASE_UNITS.get(spelling.strip().lower(), (spelling, 1, 0))
