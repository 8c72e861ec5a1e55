"""The law of scatter found again in variances that were made by it, and what one location has of its own."""

import numpy as np
import pytest

from profgate.detect.scatter import LEAST_WEIGHT, MOST_WEIGHT, Law, law_of, own_factors
from profgate.model.arrays import FloatArray

DEGREES = 11
VALUES = 6000.0 / np.arange(1, 800)


def scattered(law: Law, seed: int = 1) -> FloatArray:
    random = np.random.default_rng(seed)
    return np.asarray(law.at(VALUES) * random.chisquare(DEGREES, len(VALUES)) / DEGREES)


@pytest.mark.parametrize("law", [Law(1.0, 0.0), Law(1.0, 0.05), Law(4.0, 0.0), Law(4.0, 0.1)], ids=str)
def test_a_law_is_found_again(law: Law) -> None:
    found = law_of(scattered(law), VALUES, DEGREES, least_clump=1.0)
    assert found.clump == pytest.approx(law.clump, rel=0.15)
    assert found.phi == pytest.approx(law.phi, abs=0.025)


def test_counting_never_scatters_less_than_by_chance() -> None:
    assert law_of(0.25 * scattered(Law(1.0, 0.0)), VALUES, DEGREES, least_clump=1.0) == Law(1.0, 0.0)


def test_times_may_scatter_by_phi_alone_or_not_at_all() -> None:
    found = law_of(scattered(Law(0.0, 0.03)), VALUES, DEGREES, least_clump=0.0)
    assert found.phi == pytest.approx(0.03, rel=0.1)
    assert found.clump / VALUES.mean() < 0.03**2
    assert law_of(np.zeros(9), VALUES[:9], DEGREES, least_clump=0.0) == Law(0.0, 0.0)


def test_a_few_wild_locations_do_not_move_the_law() -> None:
    variances = scattered(Law(2.0, 0.05))
    variances[::20] *= 50.0
    found = law_of(variances, VALUES, DEGREES, least_clump=1.0)
    assert (found.clump, found.phi) == pytest.approx((2.0, 0.05), rel=0.3)


def test_a_location_keeps_what_it_has_of_its_own() -> None:
    law = Law(1.0, 0.05)
    variances = scattered(law)
    alike, weight = own_factors(variances, law.at(VALUES), DEGREES)
    assert weight > MOST_WEIGHT / 4
    assert np.abs(np.log(alike)).max() < 0.5
    variances[::2] *= 20.0
    apart, less = own_factors(variances, law.at(VALUES), DEGREES)
    assert less == pytest.approx(LEAST_WEIGHT, abs=2.0)
    assert np.median(apart[::2]) > 5 * np.median(apart[1::2])
    assert own_factors(np.zeros(3), np.zeros(3), DEGREES)[0].tolist() == [1.0, 1.0, 1.0]
