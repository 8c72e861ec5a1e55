"""Escape untrusted text for Markdown: names become inline code, and sentences are escaped."""

import re
from collections.abc import Callable
from urllib.parse import quote

from profgate.model.visible_text import NAME_LENGTH, cut, name_text, plain

SENTENCE_LENGTH = 300
MARKER_KEY = re.compile(r"(?!.*--)[a-z0-9._-]{1,64}", re.ASCII)
SHA = re.compile(r"[0-9a-f]{7,64}", re.ASCII)
URL = re.compile(r"https?://[^\s]+", re.ASCII | re.IGNORECASE)
RELATIVE = re.compile(r"[A-Za-z0-9._~%/-][^:\s]*", re.ASCII)
# an underscore between letters or digits is not emphasis; the last two patterns match the start of a list, a rule or
# a heading
ACTIVE = re.compile(
    r"[&<>\"'`*\[\]|@#$~\\!]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])|:(?=//)"
    r"|^[-+=](?=\s|[-=]*\s*$)|^\d(?=\d{0,8}[.)](?:\s|$))",
    re.ASCII,
)


def code_span(text: str, length: int = NAME_LENGTH) -> str:
    """Format any name as inline code, outside tables."""
    shown = name_text(text, length)
    longest = max((len(ticks) for ticks in re.findall("`+", shown)), default=0)
    fence, pad = "`" * (longest + 1), " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def code_cell(text: str, length: int = NAME_LENGTH) -> str:
    """Format any name as inline code in a table cell."""
    return code_span(text, length).replace("|", "\\|")


def sentence(text: str, length: int = SENTENCE_LENGTH) -> str:
    """Escape markup, mentions and links in a sentence."""
    shown = ACTIVE.sub(lambda found: f"&#{ord(found.group())};", cut(plain(text), length))
    # GitHub detects mentions, references and URLs after rendering; an empty element prevents this
    return re.sub(r"(&#(?:64|35|58);|\bGH(?=-\d)|\bwww(?=\.))", r"\1<b></b>", shown)


def link(label: str, url: str | None) -> str:
    """Return a Markdown link with a trusted label, or only the label if the URL is unsafe."""
    target = link_target(url)
    return f"[{label}]({target})" if target else label


def link_target(url: str | None) -> str | None:
    """Return an http(s) or relative URL, percent-encoded for a Markdown link, or None for any other URL."""
    if not url or not (URL.fullmatch(url) or RELATIVE.fullmatch(url)):
        return None
    return quote(url, safe="%/:?#=&+,;~@!", errors="replace")


def short_sha(sha: str | None) -> str | None:
    """Return the first seven digits of a commit id, or None for any other text."""
    return sha[:7] if sha and SHA.fullmatch(sha) else None


def unbroken(text: str) -> str:
    """Keep numbers and their percent signs on one line."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


markdown_filters: dict[str, Callable[..., object]] = {
    "code_cell": code_cell,
    "code_span": code_span,
    "sentence": sentence,
}
