"""How many places of a random order stay where they were: exact by derangements, and the Poisson law they approach.

Copeland and Haemer, "Robust Performance Testing on the Cheap" (2011), with its appendix.
"""

import math
from fractions import Fraction

EXACT_LIMIT = 10  # from here on the exact law and Poisson(1) differ by less than 3e-5 in all


def derangements(count: int) -> int:
    """The orders of so many things that leave none in its place: D(n) = n * D(n - 1) + (-1)^n, D(0) = 1."""
    found = 1
    for number in range(1, count + 1):
        found = number * found + (-1) ** number
    return found


def exact_law(count: int) -> tuple[Fraction, ...]:
    """P(exactly k of ``count`` places are kept) for k = 0..count, every order being equally likely."""
    orders = math.factorial(count)
    return tuple(Fraction(math.comb(count, kept) * derangements(count - kept), orders) for kept in range(count + 1))


def poisson(kept: int, mean: float) -> float:
    """P(exactly ``kept``) under the Poisson law of this mean."""
    return math.exp(kept * math.log(mean) - mean - math.lgamma(kept + 1)) if mean > 0.0 else float(kept == 0)


def chance_of_as_many(count: int, kept: int) -> float:
    """P(at least ``kept`` of ``count`` places are kept by a random order); exact for few, by Poisson(1) for many."""
    if kept <= 0:
        return 1.0
    if count <= EXACT_LIMIT:
        return float(sum(exact_law(count)[kept:], Fraction(0)))
    # the tail itself, since 1 minus the head loses all digits
    return math.fsum(poisson(number, 1.0) for number in range(kept, kept + 30))
