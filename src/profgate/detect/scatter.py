"""How much counts and times scatter from run to run: a law for all locations, and each location's own deviation.

The relative variance of one run's value is ``clump / value + phi**2``. A sampled count of independent hits has clump 1
(Poisson); a run that has to wait hits one place several times over, and clump is then the size of such a heap, weighted
by itself (compound Poisson; as dispersion: McCullagh and Nelder 1989, Generalized linear models, chapter 6). For timed
values clump is the length of such a wait. ``phi`` is what does not average out within a run: machine, build, layout.
"""

from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import FloatArray

PRIOR_WEIGHT = 10.0  # runs that the law is worth for one location, where too few locations tell
FEW_TO_WEIGH = 20  # locations from which their spread tells how much the law is worth
LEAST_WEIGHT, MOST_WEIGHT = 2.0, 200.0
MIXES = np.concatenate([[0.0], 1.0 / (1.0 + np.exp(-np.linspace(-6.0, 6.0, 49))), [1.0]])


@dataclass(frozen=True, slots=True)
class Law:
    """The relative variance of a run's value v is ``clump / v + phi**2``."""

    clump: float
    phi: float

    def at(self, values: FloatArray) -> FloatArray:
        """Relative variances at these values."""
        return np.asarray(self.clump / values + self.phi**2)


def median_factor(degrees: int) -> float:
    """The median of chi-square over its degrees."""
    return (1.0 - 2.0 / (9.0 * degrees)) ** 3


def law_of(variances: FloatArray, values: FloatArray, degrees: int, *, least_clump: float) -> Law:
    """The law that the relative ``variances`` of locations of these ``values`` follow in the median.

    Least absolute deviations of logarithms: a few locations with a scatter of their own do not move it.
    """
    dispersion = variances * values / median_factor(degrees)
    known = dispersion > 0
    if not known.any():
        return Law(least_clump, 0.0)
    logs, values = np.log(dispersion[known]), values[known]
    middle = float(np.median(values))

    def nearest(shapes: FloatArray, sizes: FloatArray) -> int:
        return int(np.argmin(np.abs(logs - sizes[:, None] - np.log(shapes)).sum(axis=1)))

    shapes = (1.0 - MIXES[:, None]) + MIXES[:, None] * values / middle
    sizes = np.median(logs - np.log(shapes), axis=1)
    best = nearest(shapes, sizes)
    size, mix = float(np.exp(sizes[best])), float(MIXES[best])
    clump, square = size * (1.0 - mix), size * mix / middle
    if clump < least_clump:
        squares = least_clump / middle * np.append(0.0, MIXES[1:-1] / (1.0 - MIXES[1:-1]))
        best = nearest(least_clump + squares[:, None] * values, np.zeros(len(squares)))
        clump, square = least_clump, float(squares[best])
    return Law(clump, float(np.sqrt(square)))


def own_factors(variances: FloatArray, expected: FloatArray, degrees: int) -> tuple[FloatArray, float]:
    """By how much each location scatters more or less than ``expected``, drawn to 1, and what the law weighs in runs.

    The logarithms of variances of equal noise have the variance trigamma(degrees / 2); what they have beyond it is
    trigamma(weight / 2) (Smyth 2004, linear models and empirical Bayes methods).
    """
    weight = _law_weight(variances, expected, degrees)
    own = np.divide(variances, expected, out=np.ones_like(variances), where=expected > 0)
    return (weight + degrees * own) / (weight + degrees), weight


def _law_weight(variances: FloatArray, expected: FloatArray, degrees: int) -> float:
    """How many runs the law is worth for one location: many where all follow it, few where they do not."""
    known = (variances > 0) & (expected > 0)
    if known.sum() < FEW_TO_WEIGH:
        return PRIOR_WEIGHT
    from scipy.special import polygamma

    spread = float(np.log(variances[known] / expected[known]).var(ddof=1)) - float(polygamma(1, degrees / 2.0))
    low, high = LEAST_WEIGHT, MOST_WEIGHT
    for _ in range(40):
        middle = (low + high) / 2.0
        low, high = (middle, high) if float(polygamma(1, middle / 2.0)) > spread else (low, middle)
    return low
