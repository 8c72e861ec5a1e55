"""Quantiles of the normal distribution without a numeric library."""

from statistics import NormalDist


def upper_quantile(tail: float) -> float:
    """The z with P(Z > z) = tail, for 0 < tail < 1; taken from the lower side so that small tails keep their digits."""
    return -NormalDist().inv_cdf(tail)
