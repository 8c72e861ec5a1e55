"""The law of stable ranks: the paper's appendix."""

import math
from itertools import permutations

import pytest
from scipy import stats

from profgate.statistics.rank_checks import EXACT_LIMIT, chance_of_as_many, derangements, exact_law

DERANGEMENTS = [1, 0, 1, 2, 9, 44, 265, 1854, 14833, 133496, 1334961]
DISTANCE_TO_POISSON = {3: 0.237, 4: 0.0995, 5: 0.0344, 6: 0.0101, 8: 5.9e-4, 10: 2.2e-5}


def test_derangements_are_counted_by_the_recurrence() -> None:
    assert [derangements(number) for number in range(11)] == DERANGEMENTS
    for number in range(1, 8):
        listed = sum(all(place != value for place, value in enumerate(order)) for order in permutations(range(number)))
        assert derangements(number) == listed


def test_exact_law_counts_all_orders() -> None:
    laws = [" ".join(map(str, exact_law(count))) for count in range(1, 5)]
    assert laws == ["0 1", "1/2 0 1/2", "1/3 1/2 0 1/6", "3/8 1/3 1/4 0 1/24"]
    assert [120 * share for share in exact_law(5)] == [44, 45, 20, 10, 0, 1]
    assert [round(float(share), 6) for share in exact_law(5)] == [0.366667, 0.375, 0.166667, 0.083333, 0.0, 0.008333]


@pytest.mark.parametrize("count", range(1, 15))
def test_mean_and_variance_are_one(count: int) -> None:
    law = exact_law(count)
    assert sum(law) == 1
    mean = sum(kept * share for kept, share in enumerate(law))
    assert mean == 1
    assert sum(kept**2 * share for kept, share in enumerate(law)) - mean**2 == (0 if count == 1 else 1)


@pytest.mark.parametrize("count", range(2, 12))
def test_identities_of_the_appendix(count: int) -> None:
    orders = math.factorial(count)
    fixed = [math.comb(count, kept) * derangements(count - kept) for kept in range(count + 1)]
    assert derangements(count) - (-1) ** count == count * derangements(count - 1)  # (12), and (11) as it must read
    assert sum(fixed) == orders  # (21)
    assert sum(kept * times for kept, times in enumerate(fixed)) == orders  # (20)
    assert sum(kept**2 * times for kept, times in enumerate(fixed)) == 2 * orders  # (35)


@pytest.mark.parametrize(("count", "distance"), DISTANCE_TO_POISSON.items())
def test_the_exact_law_approaches_poisson(count: int, distance: float) -> None:
    law = exact_law(count)
    beyond = 1.0 - stats.poisson.cdf(count, 1.0)
    apart = (sum(abs(float(share) - stats.poisson.pmf(kept, 1.0)) for kept, share in enumerate(law)) + beyond) / 2.0
    assert apart == pytest.approx(distance, rel=0.05)


def test_chance_that_a_random_order_keeps_as_many() -> None:
    assert chance_of_as_many(5, 0) == 1.0
    assert chance_of_as_many(5, 4) == chance_of_as_many(5, 5) == pytest.approx(1 / 120)
    assert chance_of_as_many(1, 1) == 1.0
    assert chance_of_as_many(EXACT_LIMIT, EXACT_LIMIT) == 1 / math.factorial(EXACT_LIMIT)
    assert chance_of_as_many(300, 3) == pytest.approx(stats.poisson.sf(2, 1.0))
    assert chance_of_as_many(300, 40) == pytest.approx(stats.poisson.sf(39, 1.0))
