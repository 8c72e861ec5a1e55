import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.report import numbers


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "nanoseconds", "0 ns"),
        (1, "nanoseconds", "1 ns"),
        (0.25, "nanoseconds", "0.25 ns"),
        (999, "nanoseconds", "999 ns"),
        (999.6, "nanoseconds", "1.00 µs"),
        (999_700, "nanoseconds", "1.00 ms"),
        (2.4e9, "nanoseconds", "2.40 s"),
        (41.2e9, "nanoseconds", "41.2 s"),
        (123e9, "nanoseconds", "123 s"),
        (5_432.1e9, "nanoseconds", "5,432 s"),
        (-0.5e9, "nanoseconds", "−500 ms"),
        (512, "bytes", "512 B"),
        (1536, "bytes", "1.50 KiB"),
        (1023.9 * 1024, "bytes", "1.00 MiB"),
        (3 << 30, "bytes", "3.00 GiB"),
        (50_212, "samples", "50,212 samples"),
        (12.5, "samples", "12.5 samples"),
        (1, "samples", "1 sample"),
        (1_234_567, "count", "1,234,567"),
        (24_768_007, "ms", "24,768 s"),
        (0.25, "ms", "250 µs"),
        (90, "minutes", "5,400 s"),
        (2048, "kB", "2.00 MiB"),
        (7, "in|struc*tions<b>", "7 instructionsb"),
        (None, "bytes", "–"),
        (math.nan, "bytes", "–"),
        (math.inf, "bytes", "–"),
    ],
)
def test_quantity(value: float | None, unit: str, text: str) -> None:
    assert numbers.quantity(value, unit) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.8e9, "+2.80 s"), (-1, "−1 ns"), (0, "0 ns"), (-0.0, "0 ns"), (None, "–"), (1e-9, "+1e-09 ns")],
)
def test_signed(value: float | None, text: str) -> None:
    assert numbers.signed(value, "nanoseconds") == text


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0.068, "+6.8 %"),
        (-0.0004, "−0.04 %"),
        (-0.00001, "≈0 %"),
        (-0.0, "0 %"),
        (0.9996, "+100 %"),
        (12.5, "+1,250 %"),
        (None, "–"),
        (math.inf, "–"),
    ],
)
def test_signed_percent(fraction: float | None, text: str) -> None:
    assert numbers.signed_percent(fraction) == text


@pytest.mark.parametrize(("fraction", "text"), [(0.116, "11.6 %"), (0.00001, "<0.01 %"), (0, "0 %"), (None, "–")])
def test_percent(fraction: float | None, text: str) -> None:
    assert numbers.percent(fraction) == text


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (2.4, 5.1, "2.1x"),
        (1, 1.04, "1.04x"),
        (1, 1.997, "2.0x"),
        (1, 1234, "1,234x"),
        (0, 3, "new"),
        (3, 0, "gone"),
        (0, 0, "–"),
        (1e9, 1, "<0.01x"),
        (-1, 1, "–"),
        (None, 1, "–"),
    ],
)
def test_ratio(before: float | None, after: float | None, text: str) -> None:
    assert numbers.ratio(before, after) == text


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        (100, 145, "+45.0 %"),
        (100, 199.4, "+99.4 %"),
        (100, 199.6, "2.0x"),
        (100, 76, "−24.0 %"),
        (1, 2000, ">1,000x"),
        (0, 3, "new"),
        (3, 0, "gone"),
        (0, 0, "–"),
        (None, 1, "–"),
    ],
)
def test_growth(before: float | None, after: float | None, text: str) -> None:
    assert numbers.growth(before, after) == text


def test_both_values_share_a_unit() -> None:
    assert numbers.from_to(0.8e9, 5.1e9, "nanoseconds") == "0.80 → 5.10 s"
    assert numbers.from_to(None, 5.1e9, "nanoseconds") == "– → 5.10 s"
    assert numbers.from_to(26.2e6, 890, "nanoseconds") == "26.2 ms → 890 ns"
    assert numbers.from_to(0, 210e6, "nanoseconds") == "0 → 210 ms"


def test_shares() -> None:
    assert numbers.share_from_to(0.058, 0.116) == "5.8 → 11.6 %"
    assert numbers.share_from_to(None, 0.116) == "– → 11.6 %"
    assert numbers.share_from_to(None, None) == "–"


@pytest.mark.parametrize(("value", "text"), [(0.0004, "0.0004"), (0.3, "0.3"), (1e-9, "<0.0001"), (None, "–")])
def test_probability(value: float | None, text: str) -> None:
    assert numbers.probability(value) == text


@given(st.floats(allow_nan=False, allow_infinity=False), st.sampled_from(["nanoseconds", "bytes", "samples", "count"]))
def test_no_number_is_shown_as_a_negative_zero(value: float, unit: str) -> None:
    text = numbers.quantity(value, unit)
    assert "-" not in text.replace("e-", "")
    assert (value < 0 and text.startswith("−")) or text[0].isdigit()
