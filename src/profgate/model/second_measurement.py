"""Results of a second measurement of both sides."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Second:
    """Result of a second measurement for one location.

    ``p`` is the two-sided p-value, ``ratio`` is target divided by baseline, ``delta_share`` is the change as a share of
    the run, and ``runs`` contains the number of runs on each side.
    """

    p: float
    ratio: float
    delta_share: float
    runs: tuple[int, int]
