"""Values as the files write them, as exact integers in base units."""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray
from profgate.model.units import base_unit

MAX_TOTAL = 2**63 - 1
# beyond these a number is no measurement but an attack on whoever writes it out in full
_MAX_DECIMALS = 40
_ROOMY_TOTAL = 2**58


def whole_numbers(values: Sequence[int | Decimal], decimals: int, where: str) -> tuple[list[int], int, bool]:
    """Integers and the decimal exponent that makes them the given values, and whether digits had to be cut.

    The exponent is that of the value with the most decimals, of which ``decimals`` are stored at most, and fewer where
    the sum would overflow in the sums of several runs. Raises ProfileError, about ``where``, for values that
    are no finite number.
    """
    distinct = set(values)
    exponent = min((_power(value, where) for value in distinct), default=0)
    total = sum((abs(Decimal(value)) for value in values), Decimal())
    if total > MAX_TOTAL:
        raise ProfileError(where, "the values add up beyond 2^63; record less")
    finest = max(exponent, -decimals)
    while finest < 0 and total.scaleb(-finest) > _ROOMY_TOTAL:
        finest += 1
    scaled = {value: int(Decimal(value).scaleb(-finest).to_integral_value()) for value in distinct}
    return [scaled[value] for value in values], finest, finest != exponent


def in_base_unit(values: IntArray, unit: str, exponent: int, where: str) -> tuple[IntArray, str, int]:
    """Values in the base unit of ``unit``, that unit, and the exponent left, which is 0 wherever it fits 63 bits.

    Raises ProfileError, about ``where``, for values whose sum does not fit.
    """
    base, factor, power = base_unit(unit)
    exponent += power
    total = sum_of(values, where)
    if exponent > 0 and total * factor * 10**exponent <= MAX_TOTAL:
        factor *= 10**exponent
        exponent = 0
    if total * factor > MAX_TOTAL:
        raise ProfileError(where, f"the values add up beyond 2^63 {base}; record less")
    return values * factor, base, exponent


def sum_of(values: IntArray, where: str) -> int:
    """The exact sum of values that are not negative. Raises ProfileError where it does not fit 63 bits."""
    high, low = int((values >> 32).sum()), int((values & 0xFFFFFFFF).sum())
    total = (high << 32) + low
    if total > MAX_TOTAL:
        raise ProfileError(where, "the values add up beyond 2^63; record less")
    return total


def period_of(values: IntArray) -> int | None:
    """The value of one sample: what divides all values and is the value of at least half of them, else None."""
    present = values[values > 0]
    if not len(present):
        return None
    divisor = int(np.gcd.reduce(present))
    return divisor if int((present == divisor).sum()) * 2 >= len(present) else None


def _power(value: int | Decimal, where: str) -> int:
    """The exponent of the last decimal digit, at most 0."""
    number = Decimal(value)
    power = number.normalize().as_tuple().exponent if number.is_finite() else None
    if not isinstance(power, int) or power < -_MAX_DECIMALS or number.adjusted() > _MAX_DECIMALS:
        raise ProfileError(where, f"{str(value)[:60]} cannot be a measured value; record the profile again")
    return min(power, 0)
