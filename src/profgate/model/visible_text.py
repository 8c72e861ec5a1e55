"""The one rule for text that came out of files, before a person sees it anywhere: one line, nothing invisible."""

import unicodedata

NAME_LENGTH = 80
LONGEST_READ = 4_000  # characters of a name that is shortened with care
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


def brief_name(text: str, length: int) -> str:
    """A name cut to its length; of a long one of C++ or Rust what stands in brackets is left out first, from within.

    The name proper of ``Out& Store<Key, Value>::put(std::vector<Key> const&)`` stands in the middle, outside of them.
    """
    for depth in (3, 2, 1) if "::" in text and len(text) <= LONGEST_READ else ():
        if len(text) <= length:
            break
        text = _without_inside(text, depth + (text[0] in "<("))
    return cut(text, length)


def _without_inside(text: str, deepest: int) -> str:
    """The text without what stands in brackets so deep; as it was where they do not match, as in ``operator<<``."""
    kept, inside, depth = [], 0, 0
    for sign in text:
        depth -= sign in ">)"
        if depth < deepest:
            kept += ["…"] * (inside > 0) + [sign]
            inside = 0
        inside += depth >= deepest
        depth += sign in "<("
        if depth < 0:
            return text
    return text if depth else "".join(kept)


def full_name(text: str) -> str:
    """A whole name as pages show it: visible signs, never empty."""
    return plain(text) or NO_NAME


def name_text(text: str, length: int = NAME_LENGTH) -> str:
    """A name as text reports show it: visible signs, a limited length, never empty."""
    return brief_name(full_name(text), length)


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
