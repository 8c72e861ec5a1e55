"""Exact confidence interval for the rate of rare events, and a test against an expected rate."""

ALPHA = 0.05  # significance level


def rate_interval(events: int, trials: int) -> tuple[float, float]:
    """Return the exact 95 % interval (Clopper and Pearson, 1934) for a rate. It is (0, 1) without trials."""
    from scipy.special import betaincinv

    low = float(betaincinv(events, trials - events + 1, ALPHA / 2)) if events else 0.0
    high = float(betaincinv(events + 1, trials - events, 1 - ALPHA / 2)) if events < trials else 1.0
    return low, high


def upper_tail(events: int, trials: int, rate: float) -> float:
    """Return P(X >= events) for a binomially distributed X with ``trials`` trials of probability ``rate``."""
    from scipy.special import betainc

    return float(betainc(events, trials - events + 1, rate)) if events else 1.0


def exceeds(events: int, trials: int, rate: float) -> bool:
    """Return whether the number of events is significantly higher than expected at the given rate.

    At a rate of 1 %, the smallest significant numbers of events are 2 in 20 trials, 3 in 50, 4 in 100 and 6 in 200.
    """
    return trials > 0 and upper_tail(events, trials, rate) < ALPHA
