"""The origin of a side of a comparison, and what could not be compared."""

from dataclasses import dataclass
from typing import Literal

from profgate.model.reason import Reason


@dataclass(frozen=True, slots=True)
class NotCompared:
    """A workload or metric that was not compared. ``side`` is the side that contains it, or "both"."""

    name: str
    metric: str | None
    side: Literal["baseline", "target", "both"]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Side:
    """The origin of one side. Unknown values are None, for example for files given on the command line."""

    label: str
    sha: str | None = None
    ref: str | None = None
    run_id: int | None = None
    distance: int | None = None
