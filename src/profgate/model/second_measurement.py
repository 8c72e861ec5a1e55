"""What fresh runs of both sides say of one location."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Second:
    """The p of both directions, target over baseline, the shift as a part of the run, and the runs of each side."""

    p: float
    ratio: float
    delta_share: float
    runs: tuple[int, int]
