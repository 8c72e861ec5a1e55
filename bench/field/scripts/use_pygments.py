"""Highlight Python and JavaScript."""

from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import JavascriptLexer, PythonLexer

CODE = Path(__file__).read_text(encoding="utf-8") * 4
SCRIPT = "function f(a, b) { return a.map((x) => x * 2).filter((y) => y > b) || `t${a}`; } // note\n" * 30


def work():
    """One unit of work."""
    return len(highlight(CODE, PythonLexer(), HtmlFormatter())) + len(
        highlight(SCRIPT, JavascriptLexer(), HtmlFormatter(linenos=True))
    )


if __name__ == "__main__":
    import sys

    for _ in range(int(sys.argv[1])):
        work()
