from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.errors import ProfileError
from profgate.readers.quantities import in_base_unit, period_of, whole_numbers

DECIMALS = st.decimals(0, 10**6, allow_nan=False, places=6) | st.integers(0, 10**9)


@given(st.lists(DECIMALS, max_size=20))
def test_values_stay_exact(values: list[int | Decimal]) -> None:
    numbers, exponent, rounded = whole_numbers(values, 6, "x")
    assert [Fraction(number) * Fraction(10) ** exponent for number in numbers] == [Fraction(value) for value in values]
    assert not rounded


def test_what_does_not_fit_is_rounded_and_reported() -> None:
    numbers, exponent, rounded = whole_numbers([Decimal("123456789.5"), Decimal("1e-15")], 20, "x")
    assert rounded
    assert numbers[0] * Decimal(10) ** exponent == Decimal("123456789.5")


@pytest.mark.parametrize("value", [Decimal("1e50"), Decimal("1e-50"), Decimal("nan"), Decimal("inf"), 1 << 64])
def test_what_is_no_measurement_is_refused(value: int | Decimal) -> None:
    with pytest.raises(ProfileError, match="x: "):
        whole_numbers([value], 60, "x")


def test_units_are_taken_to_their_base_while_they_fit() -> None:
    values = np.array([5, 7], dtype=np.int64)
    scaled, unit, exponent = in_base_unit(values, "seconds", -2, "x")
    assert (scaled.tolist(), unit, exponent) == ([50_000_000, 70_000_000], "nanoseconds", 0)
    scaled, unit, exponent = in_base_unit(values, "kb", 0, "x")
    assert (scaled.tolist(), unit, exponent) == ([5120, 7168], "bytes", 0)
    scaled, unit, exponent = in_base_unit(np.array([1 << 60]), "seconds", 0, "x")
    assert (scaled.tolist(), unit, exponent) == ([1 << 60], "nanoseconds", 9)
    with pytest.raises(ProfileError, match="add up to more than"):
        in_base_unit(np.array([1 << 60]), "kb", 0, "x")


@pytest.mark.parametrize(
    ("values", "period"), [([10, 10, 20], 10), ([10, 0, 10], 10), ([13, 17], None), ([6, 10, 14], None), ([], None)]
)
def test_the_period_divides_all_values(values: list[int], period: int | None) -> None:
    assert period_of(np.array(values, dtype=np.int64)) == period
