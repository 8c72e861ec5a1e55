"""Conversion of the values in a file to exact integers in base units.

The functions raise ProfileError with location ``where`` if a value is not finite or a sum exceeds 63 bits.
"""

from collections.abc import Sequence
from decimal import Decimal

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import IntArray
from profgate.model.units import base_unit

MAX_TOTAL = 2**63 - 1
# the tool would write the same again
NOT_READ = "the file is damaged, or this version of its format is not read"
# real measurements have smaller exponents; converting a number with a larger exponent could exhaust memory
_MAX_DECIMALS = 40


def whole_numbers(values: Sequence[int | Decimal], decimals: int, where: str) -> tuple[list[int], int, bool]:
    """Return the values as integers, their common decimal exponent, and whether digits were removed by rounding.

    At most ``decimals`` decimal places are kept. Fewer are kept if sums over several runs could overflow.
    """
    distinct = set(values)
    exponent = min((_power(value, where) for value in distinct), default=0)
    total = sum((abs(Decimal(value)) for value in values), Decimal())
    if total > MAX_TOTAL:
        raise ProfileError(where, "the values add up to more than 2^63; record less")
    finest = max(exponent, -decimals)
    while finest < 0 and total.scaleb(-finest) > 2**58:
        finest += 1
    scaled = {value: int(Decimal(value).scaleb(-finest).to_integral_value()) for value in distinct}
    return [scaled[value] for value in values], finest, finest != exponent


def in_base_unit(values: IntArray, unit: str, exponent: int, where: str) -> tuple[IntArray, str, int]:
    """Return the values in the base unit of ``unit``, the base unit, and the decimal exponent of the values.

    If the exponent is positive and the sum still fits in 63 bits, values are multiplied so that the exponent becomes 0.
    """
    base, factor, power = base_unit(unit)
    exponent += power
    total = sum_of(values, where)
    if exponent > 0 and total * factor * 10**exponent <= MAX_TOTAL:
        factor *= 10**exponent
        exponent = 0
    if total * factor > MAX_TOTAL:
        raise ProfileError(where, f"the values add up to more than 2^63 {base}; record less")
    return values * factor, base, exponent


def sum_of(values: IntArray, where: str) -> int:
    """Return the exact sum of non-negative values."""
    # the sums of the upper and lower halves cannot overflow
    high, low = int((values >> 32).sum()), int((values & 0xFFFFFFFF).sum())
    total = (high << 32) + low
    if total > MAX_TOTAL:
        raise ProfileError(where, "the values add up to more than 2^63; record less")
    return total


def most_rows(size: int) -> int:
    """Return how many frames or values a file of ``size`` bytes may describe."""
    return (1 << 16) + 16 * size


def refuse_expansion(rows: int, size: int, where: str) -> None:
    """Raise ProfileError if ``size`` bytes describe far more frames or values than the one per byte of profilers."""
    if rows > most_rows(size):
        raise ProfileError(where, f"describes more than {rows:,} frames or values in {size:,} bytes; record less")


def period_of(values: IntArray) -> int | None:
    """Return the greatest common divisor of the positive values if at least half of them equal it, otherwise None."""
    present = values[values > 0]
    if not len(present):
        return None
    divisor = int(np.gcd.reduce(present))
    return divisor if int((present == divisor).sum()) * 2 >= len(present) else None


def _power(value: int | Decimal, where: str) -> int:
    """Return the decimal exponent of the last nonzero digit, or 0 if the value is an integer."""
    number = Decimal(value)
    power = number.normalize().as_tuple().exponent if number.is_finite() else None
    if not isinstance(power, int) or power < -_MAX_DECIMALS or number.adjusted() > _MAX_DECIMALS:
        raise ProfileError(where, f"{str(value)[:60]} cannot be a measured value; {NOT_READ}")
    return min(power, 0)
