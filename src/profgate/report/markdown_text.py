"""Untrusted text in Markdown: names become inline code, sentences lose every sign that GitHub would act on."""

import re
import unicodedata
from collections.abc import Callable
from urllib.parse import quote

from profgate.report import numbers

NAME_LENGTH = 80
SENTENCE_LENGTH = 300
NO_NAME = "(no name)"
# Cc controls, Cf bidi marks and zero-width signs, Cs halves of pairs, Co private, Cn not assigned
DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
BREAKS = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f\x85\u2028\u2029")
MARKER_KEY = re.compile(r"(?!.*--)[a-z0-9._-]{1,64}", re.ASCII)
SHA = re.compile(r"[0-9a-f]{7,64}", re.ASCII)
URL = re.compile(r"https?://[^\s]+", re.ASCII | re.IGNORECASE)
RELATIVE = re.compile(r"[A-Za-z0-9._~%/-][^:\s]*", re.ASCII)
ACTIVE = re.compile(r"[&<>\"'`*_\[\]|@#$~\\!]|:(?=//)")


def plain(text: str) -> str:
    """Text on one line without control, bidi and invisible characters."""
    kept = []
    for sign in text:
        if sign in BREAKS:
            kept.append(" ")
        elif unicodedata.category(sign) not in DROPPED:
            kept.append(sign if sign.isprintable() else " ")
    return "".join(kept).strip()


def cut(text: str, length: int) -> str:
    """At most ``length`` characters; what is left out of the middle is shown as an ellipsis."""
    if len(text) <= length:
        return text
    tail = (length - 1) // 2
    return f"{text[: length - 1 - tail]}…{text[-tail:]}" if tail else text[: length - 1] + "…"


def name_text(text: str, length: int = NAME_LENGTH) -> str:
    """A name as every reporter shows it: harmless signs, a limited length, never empty."""
    return cut(plain(text), length) or NO_NAME


def code_span(text: str, length: int = NAME_LENGTH) -> str:
    """Any name as inline code outside tables."""
    shown = name_text(text, length)
    longest = max((len(ticks) for ticks in re.findall("`+", shown)), default=0)
    fence, pad = "`" * (longest + 1), " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def code_cell(text: str, length: int = NAME_LENGTH) -> str:
    """Any name as inline code in a table: no broken cell, no markup, no mention."""
    return code_span(text, length).replace("|", "\\|")


def html_text(text: str, length: int = NAME_LENGTH) -> str:
    """A name for the inside of an HTML element, where Markdown must not wake up either."""
    return _entities(name_text(text, length))


def html_code(text: str, length: int = NAME_LENGTH) -> str:
    """A name as ``<code>`` for places where Markdown is not read, such as ``<summary>``."""
    return f"<code>{html_text(text, length)}</code>"


def sentence(text: str, length: int = SENTENCE_LENGTH) -> str:
    """A sentence that may quote names: read as plain words by Markdown, with mentions and links taken apart."""
    shown = _entities(cut(plain(text), length))
    # GitHub looks for mentions, references and addresses in the finished text; an empty element parts them
    return re.sub(r"(&#(?:64|35|58);|\bGH(?=-\d)|\bwww(?=\.))", r"\1<b></b>", shown)


def link(label: str, url: str | None) -> str:
    """A Markdown link of our own label, or the label alone where there is no safe address."""
    target = link_target(url)
    return f"[{label}]({target})" if target else label


def link_target(url: str | None) -> str | None:
    """An address for the round brackets of a link: http(s) or relative, percent-encoded; else None."""
    if not url or not (URL.fullmatch(url) or RELATIVE.fullmatch(url)):
        return None
    return quote(url, safe="%/:?#=&+,;~@!", errors="replace")


def short_sha(sha: str | None) -> str | None:
    """The first seven digits of a commit id; None for anything that is no commit id."""
    return sha[:7] if sha and SHA.fullmatch(sha) else None


def _entities(text: str) -> str:
    return ACTIVE.sub(lambda found: f"&#{ord(found.group())};", text)


markdown_filters: dict[str, Callable[..., object]] = {
    "code_cell": code_cell,
    "code_span": code_span,
    "html_code": html_code,
    "sentence": sentence,
    "percent": numbers.percent,
    "signed_percent": numbers.signed_percent,
}
