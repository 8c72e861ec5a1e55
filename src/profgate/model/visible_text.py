"""Functions that make text from files safe to display on one line without invisible characters."""

import re
import unicodedata
from collections.abc import Sequence

NAME_LENGTH = 80
NO_NAME = "(no name)"
# Cc: control; Cf: bidi marks and zero-width characters; Cs: surrogates; Co: private use; Cn: unassigned
DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")

# GitHub's runner recognises a command after :: at the start of a line and after ##[ anywhere.
COMMAND = re.compile(r"(?:\A|(?<=[\r\n]))(?:[^\S\r\n]|[\ufeff\u200b-\u200f\u2060])*:(?=:)")


def without_commands(text: str) -> str:
    """Return the text with both forms of workflow commands disabled. The value of a JSON document does not change."""
    return COMMAND.sub(r"\g<0> ", text.replace("##[", "\\u0023#["))


def visible(text: str) -> str:
    """Remove control, bidi and invisible characters, and replace line breaks and unusual spaces with spaces."""
    if text.isprintable():
        return text
    shown = (sign for sign in text if sign in BREAKS or unicodedata.category(sign) not in DROPPED)
    return "".join(sign if sign.isprintable() else " " for sign in shown)


def plain(text: str) -> str:
    """Return visible text on one line, without surrounding spaces."""
    return visible(text).strip()


def cut(text: str, length: int) -> str:
    """Shorten text to at most ``length`` characters by replacing its middle with an ellipsis."""
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    return f"{text[: length - 1 - tail]}…{text[-tail:]}" if tail else text[: length - 1] + "…"


def brief_name(text: str, length: int) -> str:
    """Shorten a name to ``length`` characters by removing text in brackets first, starting with the innermost brackets.

    This preserves the function name, which may be in the middle, as in ``Out& Store<Key, Value>::put(std::vector<Key>
    const&)``.
    """
    # maximum number of characters of a name whose brackets are parsed
    for depth in (3, 2, 1) if "::" in text and len(text) <= 4_000 else ():
        if len(text) <= length:
            break
        text = _without_inside(text, depth + (text[0] in "<("))
    return cut(text, length)


def brief_path(path: str, length: int = 40) -> str:
    """Shorten a path to ``length`` characters, if possible, by removing its first folders: ``…/shop/orders.py``."""
    rest = path
    while "/" in rest and len(rest) > length - 2 * (rest != path):
        rest = rest.partition("/")[2]
    return rest if rest == path else f"…/{rest}"


def _without_inside(text: str, deepest: int) -> str:
    """Remove text in brackets at this depth, unless brackets are unbalanced as in ``operator<<``."""
    parts, inside, depth = [], 0, 0
    for sign in text:
        depth -= sign in ">)"
        if depth < deepest:
            parts += ["…"] * (inside > 0) + [sign]
            inside = 0
        inside += depth >= deepest
        depth += sign in "<("
        if depth < 0:
            return text
    return text if depth else "".join(parts)


def full_name(text: str) -> str:
    """Return a nonempty name of visible characters for an HTML page."""
    return plain(text) or NO_NAME


def full_names(texts: Sequence[str]) -> list[str]:
    """Return the `full_name` of each string."""
    if all(map(str.isprintable, texts)):  # much faster than `full_name` for a million names
        names = list(map(str.strip, texts))
        return [name or NO_NAME for name in names] if "" in names else names
    return [full_name(text) for text in texts]


def name_text(text: str, length: int = NAME_LENGTH) -> str:
    """Return a nonempty name of visible characters for a text report, with limited length."""
    return brief_name(full_name(text), length)


def columns_of(text: str) -> int:
    """Return the width in terminal columns: two for wide characters, none for combining marks."""
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def fitting(text: str, columns: int) -> str:
    """Shorten text in the middle to fit a number of terminal columns."""
    length = len(text)
    while columns_of(shorter := cut(text, length)) > columns:
        length -= 1
    return shorter
