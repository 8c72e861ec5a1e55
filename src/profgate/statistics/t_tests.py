"""Welch's test of two means."""

import math
from dataclasses import dataclass

from profgate.model.arrays import FloatArray

ROUNDING = 1e-12  # means of equal logarithms differ by less than this


@dataclass(frozen=True, slots=True)
class ShiftTest:
    """A shift of target against baseline with its standard error and degrees of freedom; p is two-sided."""

    shift: float
    error: float
    degrees: float

    @property
    def t(self) -> float:
        """The shift in standard errors; infinite where readings do not scatter, 0 where nothing moved."""
        if abs(self.shift) <= ROUNDING:
            return 0.0
        return self.shift / self.error if self.error > 0.0 else math.copysign(math.inf, self.shift)

    @property
    def p(self) -> float:
        """Two-sided p."""
        return two_sided_p(self.t, self.degrees)


def two_sided_p(t: float, degrees: float) -> float:
    """P(|T| > |t|)."""
    from scipy.special import stdtr

    return float(2.0 * stdtr(degrees, -abs(t)))


def critical_t(alpha: float, degrees: float) -> float:
    """The t whose two-sided p is alpha."""
    from scipy.special import stdtrit

    return float(-stdtrit(degrees, alpha / 2.0))


def welch(baseline: FloatArray, target: FloatArray) -> ShiftTest:
    """Difference of means with Welch's degrees of freedom; both sides need two readings."""
    part_b = float(baseline.var(ddof=1)) / len(baseline)
    part_t = float(target.var(ddof=1)) / len(target)
    variance = part_b + part_t
    if variance > 0.0:
        degrees = variance**2 / (part_b**2 / (len(baseline) - 1) + part_t**2 / (len(target) - 1))
    else:
        degrees = float(len(baseline) + len(target) - 2)
    return ShiftTest(float(target.mean() - baseline.mean()), math.sqrt(variance), degrees)
