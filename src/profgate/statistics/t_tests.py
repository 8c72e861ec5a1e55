"""Welch's t test of two means."""

import math
from dataclasses import dataclass

from profgate.model.arrays import FloatArray

ROUNDING = 1e-12  # tolerance for the rounding error when the means of equal logarithms are subtracted


@dataclass(frozen=True, slots=True)
class ShiftTest:
    """Difference between target and baseline, with the standard error and the degrees of freedom of the difference."""

    shift: float
    error: float
    degrees: float

    @property
    def t(self) -> float:
        """Shift divided by its standard error.

        The result is 0 if the shift is zero, and otherwise infinite if the standard error is zero.
        """
        if abs(self.shift) <= ROUNDING:
            return 0.0
        return self.shift / self.error if self.error > 0.0 else math.copysign(math.inf, self.shift)

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
    part_b = float(baseline.var(ddof=1)) / len(baseline)
    part_t = float(target.var(ddof=1)) / len(target)
    variance = part_b + part_t
    if variance > 0.0:
        degrees = variance**2 / (part_b**2 / (len(baseline) - 1) + part_t**2 / (len(target) - 1))
    else:
        degrees = float(len(baseline) + len(target) - 2)
    return ShiftTest(float(target.mean() - baseline.mean()), math.sqrt(variance), degrees)
