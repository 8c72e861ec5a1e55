"""The result of measuring both sides again, for one location."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Second:
    """The two-sided p-value of target over baseline, the shift as a share of the run, and the runs of each side."""

    p: float
    ratio: float
    delta_share: float
    runs: tuple[int, int]
