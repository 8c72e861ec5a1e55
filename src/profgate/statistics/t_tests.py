"""Welch's t test of two means."""

import math
from typing import NamedTuple

from profgate.model.arrays import FloatArray

ROUNDING = 1e-12  # tolerance for the rounding error when the means of equal logarithms are subtracted


class ShiftTest(NamedTuple):
    """Difference between target and baseline, with its t value (infinite without scatter) and degrees of freedom."""

    shift: float
    t: float
    degrees: float

    @property
    def p(self) -> float:
        """Two-sided p value."""
        return two_sided_p(self.t, self.degrees)


def two_sided_p(t: float, degrees: float) -> float:
    """Return the two-sided p value P(|T| > |t|) of Student's t distribution."""
    from scipy.special import stdtr

    return float(2.0 * stdtr(degrees, -abs(t)))


def critical_t(alpha: float, degrees: float) -> float:
    """Return the t value whose two-sided p value is ``alpha``."""
    from scipy.special import stdtrit

    return float(-stdtrit(degrees, alpha / 2.0))


def welch(baseline: FloatArray, target: FloatArray) -> ShiftTest:
    """Return the result of Welch's test for the difference between two means. Both sides need at least two values."""
    part_b, part_t = (float(side.var(ddof=1)) / len(side) for side in (baseline, target))
    variance, shift = part_b + part_t, float(target.mean() - baseline.mean())
    if variance > 0.0:
        degrees = variance**2 / (part_b**2 / (len(baseline) - 1) + part_t**2 / (len(target) - 1))
        return ShiftTest(shift, 0.0 if abs(shift) <= ROUNDING else shift / math.sqrt(variance), degrees)
    t = 0.0 if abs(shift) <= ROUNDING else math.copysign(math.inf, shift)
    return ShiftTest(shift, t, float(len(baseline) + len(target) - 2))
