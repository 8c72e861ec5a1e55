"""Format numbers for people, with readable units, typographic signs, and a dash for unknown values."""

import math
import re
from functools import lru_cache
from itertools import pairwise

from profgate.model.record import Record
from profgate.model.units import base_unit

UNKNOWN = "–"
SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "nanoseconds": ((1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")),
    "bytes": ((1.0, "B"), (2.0**10, "KiB"), (2.0**20, "MiB"), (2.0**30, "GiB"), (2.0**40, "TiB")),
}
LARGEST_MULTIPLE = 1_000
CACHED = 4096  # texts that are kept, because the rows of a picture or a report often have equal numbers


class Scale(Record):
    """A readable unit. Values are divided by ``factor`` and followed by ``sign``."""

    factor: float
    sign: str


@lru_cache(CACHED)
def quantity(value: float | None, unit: str) -> str:
    """Format a value in base units: ``2.40 s``, ``1.50 MiB``, ``50,212 samples``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    scale = scale_for(unit, value)
    return "1 sample" if (value, scale.sign) == (1, "samples") else f"{_digits(value, scale)} {scale.sign}".rstrip()


def signed(value: float | None, unit: str) -> str:
    """Format a difference in base units with its sign: ``+2.80 s``, ``−512 KiB``, ``0 ns``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    text = quantity(value, unit)
    return f"+{text}" if value > 0 and not text.startswith("0 ") and text != "0" else text


def from_to(from_value: float | None, to_value: float | None, unit: str) -> str:
    """Format two values: ``2.40 → 5.10 s``.

    Both values have the unit of the larger value, unless the smaller one is too small for this unit.
    """
    values = [value for value in (from_value, to_value) if value is not None and math.isfinite(value)]
    if len(values) < 2:
        return f"{quantity(from_value, unit)} → {quantity(to_value, unit)}"
    scale = scale_for(unit, max(values, key=abs))
    # a smaller value would be shown as 0.00 in the unit of the larger one
    if any(value and abs(value) / scale.factor < 0.005 for value in values):
        return f"{quantity(from_value, unit)} → {quantity(to_value, unit)}"
    left, right = (_digits(value, scale) for value in values)
    return f"{left} → {right} {scale.sign}".rstrip()


@lru_cache(CACHED)
def percent(fraction: float | None) -> str:
    """Format a share without a plus sign: ``5.8 %``, ``<0.01 %``, or ``–`` if unknown."""
    return _percent(fraction, "<0.01 %", "")


@lru_cache(CACHED)
def signed_percent(fraction: float | None) -> str:
    """Format a relative change: ``+6.8 %``, ``−0.04 %``, ``≈0 %``, or ``–`` if unknown."""
    return _percent(fraction, "≈0 %", "+")


def growth(before: float | None, after: float | None) -> str:
    """Format a change: ``+45.0 %``, ``2.7x`` from twice as much, ``−24.0 %``, ``new``, ``gone``, ``–`` if unknown."""
    text = ratio(before, after)
    if before is None or after is None or not text.endswith("x"):
        return text
    times = after / before
    # smallest ratio that is shown as such (2.0x) and not as a percentage
    if times < 1.995:
        return signed_percent(times - 1.0)
    return text if times <= LARGEST_MULTIPLE else f">{LARGEST_MULTIPLE:,}x"


def solid(text: str) -> str:
    """Keep each number and the word after it, such as its unit, on one line."""
    return re.sub(r"(?<=\d) ", "\N{NO-BREAK SPACE}", text)


def relative_growth(relative: float | None) -> str:
    """Format a relative change like `growth`."""
    return UNKNOWN if relative is None else growth(1.0, 1.0 + relative) if relative > -1.0 else signed_percent(relative)


def in_brackets(fraction: float | None) -> str:
    """Format a relative change as a suffix: `` (+6.8 %)``; empty if unknown."""
    return f" ({relative_growth(fraction)})" if fraction is not None else ""


def share_from_to(share_from: float | None, share_to: float | None) -> str:
    """Format the share of the total on each side: ``5.8 → 11.6 %``."""
    if share_from is None and share_to is None:
        return UNKNOWN
    return f"{percent(share_from).removesuffix(' %')} → {percent(share_to)}"


def ratio(from_value: float | None, to_value: float | None) -> str:
    """Format the target as a multiple of the baseline: ``2.1x``.

    The text is ``new`` or ``gone`` if one side is zero, and ``–`` if the ratio is unknown.
    """
    if from_value is None or to_value is None or not (math.isfinite(from_value) and math.isfinite(to_value)):
        return UNKNOWN
    if from_value == 0 or to_value == 0:
        return UNKNOWN if from_value == to_value else ("new" if from_value == 0 else "gone")
    times = to_value / from_value
    if times < 0:
        return UNKNOWN
    decimals = 0 if times >= 9.95 else 1 if times >= 1.995 else 2
    return f"{times:,.{decimals}f}x" if times >= 0.005 else "<0.01x"


def smallest_change(fraction: float) -> str:
    """Format the smallest visible change: ``18.5 %``, or ``27x`` for large changes.

    ``>1,000x`` means that no change would be visible.
    """
    if fraction >= LARGEST_MULTIPLE:
        return f">{LARGEST_MULTIPLE:,}x"
    # smallest visible change from which a ratio is easier to read
    return percent(fraction) if fraction < 5.0 else ratio(1.0, 1.0 + fraction)


def interval(low: float, high: float) -> str:
    """Format a confidence interval of a relative change: ``+9.5 to +11.5 %``."""
    return f"{signed_percent(low).removesuffix(' %')} to {signed_percent(high)}"


def duration(seconds: float) -> str:
    """Format a duration: ``45 s``, ``2 min 5 s``."""
    minutes, rest = divmod(round(seconds), 60)
    return " ".join(filter(None, (f"{minutes} min" if minutes else "", f"{rest} s" if rest or not minutes else "")))


def probability(value: float | None) -> str:
    """Format a p or q value: ``0.012``, ``<0.0001``."""
    if value is None or not math.isfinite(value):
        return UNKNOWN
    return "<0.0001" if value < 0.0001 else f"{value:.2g}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Format a number with its noun in the singular or plural: ``1 workload``, ``1,812 workloads``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def scale_for(unit: str, value: float) -> Scale:
    """Return the readable unit for a value. Unsafe characters are removed from an unknown unit."""
    (_, _, chosen), *larger = _scales(unit)
    for factor, least, scale in larger:
        if abs(value) / factor >= least:
            chosen = scale
    return chosen


@lru_cache(128)
def _scales(unit: str) -> tuple[tuple[float, float, Scale], ...]:
    """Return the readable units, each with the factor of the unit before it and the least value in that unit."""
    base, times, power = base_unit(unit)
    steps = tuple((size / (times * 10.0**power), sign) for size, sign in SCALES.get(base, ()))
    if not steps:  # a unit from an untrusted file is reduced to characters that are safe in all formats
        sign = "" if unit == "count" else re.sub(r"[^\w µ%/-]|_", "", unit)[:24].strip()
        return ((1.0, 0.0, Scale(1.0, sign)),)
    # 999.7 µs is formatted as 1.00 ms, because rounding would give 1000 µs
    larger = ((before[0], min(999.5, step[0] / before[0] - 0.5), Scale(*step)) for before, step in pairwise(steps))
    return ((1.0, 0.0, Scale(*steps[0])), *larger)


def _digits(value: float, scale: Scale) -> str:
    """Format a value with three significant digits. Large numbers and integers keep all digits."""
    number = float(f"{value / scale.factor:.12g}")  # without rounding errors of sums
    size = abs(number)
    if size >= 1e15:
        text = f"{number:.3g}"
    elif size >= 99.95 or (number == round(number) and (scale.factor == 1 or not number)):
        text = f"{number:,.0f}"
    elif size >= 9.995:
        text = f"{number:.1f}"
    elif size >= 0.00995:
        text = f"{number:.2f}"
    else:
        text = f"{number:.2g}"
    return _with_minus(text)


def _percent(fraction: float | None, tiny: str, plus: str) -> str:
    if fraction is None or not math.isfinite(fraction):
        return UNKNOWN
    value, size = fraction * 100, abs(fraction) * 100
    # smaller values would be 0.00 with two decimals
    if 0 < size < 0.005:
        return tiny
    decimals = 0 if size >= 99.95 or not value else 1 if size >= 0.095 else 2
    return f"{plus if value > 0 else ''}{_with_minus(f'{value:,.{decimals}f}')} %"


def _with_minus(text: str) -> str:
    body = text.removeprefix("-")
    return body if body == text or not body.strip("0.,") else "−" + body
