"""Escape untrusted text: for Markdown, where names become inline code, and for the other styles of output."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeVar
from urllib.parse import quote

from profgate.model.record import Record, replace
from profgate.model.visible_text import NAME_LENGTH, cut, name_text, plain
from profgate.report.numbers import counted
from profgate.report.wording import Quote

Item = TypeVar("Item")
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
LONGEST_NAME = 60


def code_span(text: str, length: int = NAME_LENGTH) -> str:
    """Format any name as inline code, outside tables."""
    shown = name_text(text, length)
    longest = max((len(ticks) for ticks in re.findall("`+", shown)), default=0)
    fence, pad = "`" * (longest + 1), " " if "`" in (shown[0], shown[-1]) else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def sentence(text: str) -> str:
    """Escape markup, mentions and links in a sentence."""
    shown = ACTIVE.sub(lambda match: f"&#{ord(match.group())};", cut(plain(text), SENTENCE_LENGTH))
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


def table(headings: Sequence[str], alignments: str, rows: Iterable[Sequence[str]]) -> str:
    """Return a table. ``alignments`` contains ``l`` or ``r`` for each column. Pipes in cells are escaped."""
    marks = [":--" if alignment == "l" else "--:" for alignment in alignments]
    lines = [f"| {' | '.join(line)} |" for line in (headings, marks)]
    for row in rows:
        cells = [cell.replace("|", "\\|") for cell in row]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def bullets(lines: Iterable[str]) -> str:
    """Return the lines as a list."""
    return "\n".join(f"- {line}" for line in lines)


def limited(
    items: Sequence[Item], limit: int, noun: str, where: str = " in the report", text: Callable[[Item], str] = str
) -> list[str]:
    """Return the texts of at most ``limit`` items, and the number of further ones: ``and 3 more notes in the report``.

    The texts of the further items are not created.
    """
    more = len(items) - limit
    return [*map(text, items[:limit]), *([f"and {counted(more, f'more {noun}')}{where}"] if more > 0 else [])]


def dotted(*parts: str) -> str:
    """Join the nonempty parts of a line."""
    return " · ".join(filter(None, parts))


def paragraphs(*parts: str) -> str:
    """Return the nonempty parts as paragraphs."""
    return "\n\n".join(filter(None, parts)) + "\n"


def plain_name(name: str) -> str:
    """Format a name for a sentence that is escaped later."""
    return name_text(name, LONGEST_NAME)


class Style(Record):
    """How an output writes the cells of a view.

    ``code`` writes a name with a maximum length, ``name`` a name in a sentence that ``text`` writes afterwards, and
    ``link`` a label with a URL, which is left out by default.
    """

    code: Callable[..., str]
    name: Quote
    text: Callable[[str], str]
    link: Callable[[str, str | None], str] = lambda _label, _url: ""

    def naming(self, names: Mapping[str, str]) -> "Style":
        """Return this style with other names for functions."""
        return replace(
            self,
            code=lambda text, *length: self.code(names.get(text, text), *length),
            name=lambda text: self.name(names.get(text, text)),
        )


PLAIN = Style(name_text, plain_name, plain)


MARKDOWN = Style(code_span, plain_name, sentence, link)
