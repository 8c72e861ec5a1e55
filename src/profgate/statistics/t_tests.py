"""Student's t distribution, and Welch's t test of two means."""

import math
from statistics import NormalDist

from profgate.model.arrays import FloatArray
from profgate.model.record import Record

ROUNDING = 1e-12  # tolerance for the rounding error when the means of equal logarithms are subtracted


class ShiftTest(Record):
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
    return 0.0 if math.isinf(t) else _tails(t, degrees)[0]


def critical_t(alpha: float, degrees: float) -> float:
    """Return the t value whose two-sided p value is ``alpha``, from more than 0 to less than 1."""
    t = -NormalDist().inv_cdf(alpha / 2.0)
    # Newton's method with logarithms, in which p is concave; few steps are exact
    for _ in range(20):
        p, slope = _tails(t, degrees)
        t *= math.exp(math.log(p / alpha) * p / slope)
    return t


def _tails(t: float, degrees: float) -> tuple[float, float]:
    """Return the two-sided p value of a finite t value, and by how much p falls if the logarithm of t grows by one."""
    # p is the incomplete beta function I_x(a, 1/2) with a = degrees/2 and x = degrees/(degrees + t²)
    a, ratio = degrees / 2.0, t * t / degrees
    x, rest = 1.0 / (1.0 + ratio), ratio / (1.0 + ratio)
    scale = math.exp(math.lgamma(a + 0.5) - math.lgamma(a) - a * math.log1p(ratio)) * math.sqrt(rest / math.pi)
    if x < (a + 1.0) / (a + 2.5):
        return scale * _fraction(x, a, 0.5) / a, 2.0 * scale
    return 1.0 - scale * _fraction(rest, 0.5, a) / 0.5, 2.0 * scale


def _fraction(x: float, a: float, b: float) -> float:
    """Return the continued fraction of the incomplete beta function (DLMF 8.17.22), for x < (a + 1)/(a + b + 2)."""
    value = 1.0
    # the fraction converges in O(sqrt(max(a, b))) terms
    for m in range(20 + int(4.0 * math.sqrt(max(a, b))), 0, -1):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = (a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        value = 1.0 + even / (1.0 - odd / value)
    return 1.0 / (1.0 - (a + b) * x / ((a + 1.0) * value))


def welch(baseline: FloatArray, target: FloatArray) -> ShiftTest:
    """Return the result of Welch's test for the difference between two means. Both sides need at least two values."""
    part_b, part_t = (float(side.var(ddof=1)) / len(side) for side in (baseline, target))
    variance, shift = part_b + part_t, float(target.mean() - baseline.mean())
    if variance > 0.0:
        degrees = variance**2 / (part_b**2 / (len(baseline) - 1) + part_t**2 / (len(target) - 1))
        return ShiftTest(shift, 0.0 if abs(shift) <= ROUNDING else shift / math.sqrt(variance), degrees)
    t = 0.0 if abs(shift) <= ROUNDING else math.copysign(math.inf, shift)
    return ShiftTest(shift, t, float(len(baseline) + len(target) - 2))
