"""The one rule for text that came out of files, before a person sees it anywhere: one line, nothing invisible."""

import unicodedata

NAME_LENGTH = 80
NO_NAME = "(no name)"
# Cc controls, Cf bidi marks and zero-width signs, Cs halves of pairs, Co private, Cn not assigned
DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def visible(text: str) -> str:
    """Text without control, bidi and invisible characters; breaks and unusual blanks become blanks."""
    if text.isprintable():
        return text
    kept = []
    for sign in text:
        if sign in BREAKS:
            kept.append(" ")
        elif unicodedata.category(sign) not in DROPPED:
            kept.append(sign if sign.isprintable() else " ")
    return "".join(kept)


def plain(text: str) -> str:
    """Visible text on one line, without blanks around it."""
    return visible(text).strip()


def cut(text: str, length: int) -> str:
    """At most ``length`` characters; what is left out of the middle is shown as an ellipsis."""
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    return f"{text[: length - 1 - tail]}…{text[-tail:]}" if tail else text[: length - 1] + "…"


def full_name(text: str) -> str:
    """A whole name as pages show it: visible signs, never empty."""
    return plain(text) or NO_NAME


def name_text(text: str, length: int = NAME_LENGTH) -> str:
    """A name as text reports show it: visible signs, a limited length, never empty."""
    return cut(full_name(text), length)


def columns_of(text: str) -> int:
    """How many columns a terminal needs: wide signs two, combining marks none."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def fitting(text: str, columns: int) -> str:
    """Visible text that needs at most so many columns of a terminal, cut in the middle."""
    length = len(text)
    while columns_of(shorter := cut(text, length)) > columns:
        length -= 1
    return shorter
