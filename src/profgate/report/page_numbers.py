"""Numbers of the static page and picture in words: units, signs and percentages."""

_TIMES = {"nanoseconds": -9, "microseconds": -6, "milliseconds": -3, "seconds": 0, "ns": -9, "us": -6, "ms": -3, "s": 0}
_TIME_STEPS = ((60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTE_STEPS = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
_COUNT_STEPS = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1.0, ""))
_MINUS = "\N{MINUS SIGN}"
_THIN = "\N{NARROW NO-BREAK SPACE}"


def value_text(value: float, unit: str, exponent: int = 0) -> str:
    """The value times ten to the exponent in its unit, three to four digits: `1.24 ms`."""
    amount = value * 10.0**exponent
    if unit in _TIMES:
        return _stepped(amount * 10.0 ** _TIMES[unit], _TIME_STEPS, "ns")
    if unit in {"bytes", "B"}:
        return _stepped(amount, _BYTE_STEPS, "B")
    name = "" if unit in {"count", ""} else f" {unit}"
    if abs(amount) < 1e6:
        return _digits(amount) + name
    return _stepped(amount, _COUNT_STEPS, "") + name


def signed_text(value: float, unit: str, exponent: int = 0) -> str:
    """The same with a sign; what rounds to nothing has none."""
    text = value_text(abs(value), unit, exponent)
    if not value or not any(digit in text for digit in "123456789"):
        return value_text(0, unit, exponent)
    return ("+" if value > 0 else _MINUS) + text


def share_text(fraction: float | None) -> str:
    """A fraction as a percentage with two places, `-` for None."""
    if fraction is None:
        return "-"
    percent = abs(fraction) * 100
    if percent == 0:
        return "0 %"
    if percent < 0.01:
        return "< 0.01 %"
    shown = f"{percent:,.0f}".replace(",", _THIN) if percent >= 1000 else f"{percent:.2f}"
    return f"{_MINUS if fraction < 0 else ''}{shown} %"


def signed_share_text(fraction: float | None) -> str:
    """A fraction as a percentage with its sign."""
    text = share_text(fraction)
    return f"+{text}" if fraction is not None and fraction > 0 and not text.startswith("<") else text


def _stepped(amount: float, steps: tuple[tuple[float, str], ...], zero: str) -> str:
    if amount == 0:
        return f"0 {zero}".strip()
    step, name = next((step for step in steps if abs(amount) >= step[0]), steps[-1])
    return f"{_digits(amount / step)} {name}".strip()


def _digits(amount: float) -> str:
    if amount == int(amount) or abs(amount) >= 1000:
        return f"{amount:,.0f}".replace(",", _THIN)
    return f"{amount:.4g}" if abs(amount) >= 100 else f"{amount:.3g}"
