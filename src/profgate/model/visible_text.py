"""Functions that make text from files safe to display on one line without invisible characters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

NAME_LENGTH = 80
NO_NAME = "(no name)"
MOST_PARTS = 12  # of a name, counted from its end
# Cc: control; Cf: bidi marks and zero-width characters; Cs: surrogates; Co: private use; Cn: unassigned
DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")

# GitHub's runner recognises a command after :: at the start of a line and after ##[ anywhere.
COMMAND = re.compile(r"(?:\A|(?<=[\r\n]))(?:[^\S\r\n]|[\ufeff\u200b-\u200f\u2060])*:(?=:)")

_OPENING, _CLOSING, _SEPARATORS = ("<", "(", "[", "{"), (">", ")", "]", "}"), ("::", ".", "/", "\\")
# brackets and separators in names of functions; a number after a point or a slash belongs to the part before it
_SIGNS = re.compile(r"operator(?:\(\)|\[\]|[<>=+*/%!&|^~-]{0,3})|->|[<>()\[\]{}]|::|[.\\](?![\d.]|$)|/(?![\d/]|$)")


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


def brief_path(path: str, length: int = 40) -> str:
    """Shorten a path to ``length`` characters, if possible, by removing its first folders: ``…/shop/orders.py``."""
    rest = path
    while "/" in rest and len(rest) > length - 2 * (rest != path):
        rest = rest.partition("/")[2]
    return rest if rest == path else f"…/{rest}"


def short_names(names: Iterable[str]) -> dict[str, str]:
    """Map each function's name to its class and itself: ``lexer::scan_string``, ``Parser.parse``, ``(*Router).Match``.

    If names would be equal, they also contain what encloses the class, as far as necessary.
    """
    forms = {name: name_forms(name) for name in names}
    times = Counter(form for of_name in forms.values() for form in of_name)
    return {name: next((form for form in of_name if times[form] == 1), name) for name, of_name in forms.items()}


def name_forms(name: str) -> list[str]:
    """Return the ways to write a function's name, from its class and itself to the full name.

    All but the full name lack template arguments, parameters and the type of the result.
    """
    text, starts, dropped, depth, end = "", [0], 0, 0, 0
    for sign in _SIGNS.finditer(name):
        text += "" if dropped else name[end : sign.start()]
        mark, end = sign[0], sign.end()
        step = (mark in _OPENING) - (mark in _CLOSING)
        # brackets at the beginning of a part are no arguments: (*Router).Match, <Vec as Clone>::clone, <init>
        if dropped or (step > 0 and text and text[-1] not in " .:/\\<([{,-"):
            dropped += step
            continue
        text, depth = text + mark, depth + step
        if not depth and mark in _SEPARATORS:
            starts.append(len(text))
    text = f"{text}{name[end:]}".removesuffix(" const")
    if dropped or depth or (" " in text and "::" not in text):  # no name of a function, or an unknown syntax
        return [name]
    forms, named = list[str](), 0
    for start, stop in list(pairwise([*starts, len(text)]))[: -MOST_PARTS - 1 : -1]:
        part = text[start:stop]
        if stop == len(text) or part[0] not in "<({" or part[1] == "*" or " as " in part:
            named += 1
            if named > 1 or start == 0:
                forms.append(_without_type(part) + text[stop:])
    return list(dict.fromkeys([*forms, name]))


def _without_type(part: str) -> str:
    """Return the beginning of a name without the type of the result, or without the trait of Rust."""
    owner, of_trait, rest = part.partition(" as ")
    if of_trait:
        return owner[1:].rpartition("::")[2] + rest[rest.find(">") + 1 :]
    return part if part[:1] in "<({" or "operator" in part else part.rpartition(" ")[2]


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
    return cut(full_name(text), length)


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
