"""How outputs write the names, sentences and links of a view."""

from collections.abc import Callable
from dataclasses import dataclass

from profgate.model.visible_text import name_text, plain
from profgate.report.markdown_text import code_span, link, sentence
from profgate.report.wording import Quote

LONGEST_NAME = 60


def plain_name(name: str) -> str:
    """Format a name for a sentence that is escaped later."""
    return name_text(name, LONGEST_NAME)


@dataclass(frozen=True, slots=True)
class Style:
    """How an output writes the cells of a view.

    ``code`` writes a name with a maximum length, ``name`` a name in a sentence that ``text`` writes afterwards, and
    ``link`` a label with a URL, which is left out by default.
    """

    code: Callable[..., str]
    name: Quote
    text: Callable[[str], str]
    link: Callable[[str, str | None], str] = lambda _label, _url: ""


PLAIN = Style(name_text, plain_name, plain)
SHORT = Style(plain_name, plain_name, plain)
RAW = Style(str, str, str)
MARKDOWN = Style(code_span, plain_name, sentence, link)
