"""Every sentence that a page or a comment contains has fewer than 20 words."""

import ast
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
MOST_WORDS = 19
SOURCES = [
    *(path for kind in ("*.js", "*.html") for path in sorted((ROOT / "templates/page").glob(kind))),
    *sorted((ROOT / "src/profgate/report").glob("*.py")),
    ROOT / "src/profgate/flamegraph/page_input.py",
]
WORD = re.compile(r"[^\W_][\w'’.-]*")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
SHOWN_ATTRIBUTE = re.compile(r'(?:title|aria-label|placeholder)="([^"]*)"')


def strings_of_python(text: str) -> Iterator[str]:
    """Yield the strings that are no docstrings, with a word in place of each value."""
    tree = ast.parse(text)
    formatted = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)]
    left_out = {id(part) for node in formatted for part in ast.walk(node) if part is not node}
    left_out |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if id(node) not in left_out and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        elif id(node) not in left_out and isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "value" for part in node.values)


def strings_of_script(text: str) -> Iterator[str]:
    without_comments = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    for found in STRING.finditer(without_comments):
        yield re.sub(r"\$\{[^}]*\}", "value", found[1] or found[2] or "")


def strings_of_markup(text: str) -> Iterator[str]:
    yield from SHOWN_ATTRIBUTE.findall(text)
    items = text.replace("</span> <span", "</span>\n<span")  # the keys of the help are a list
    yield from re.sub(r"<(?!/?(?:b|kbd|code|span)\b)[^>]*>", "\n", items).split("\n")


def long_sentences(strings: Iterator[str]) -> list[str]:
    filled = (re.sub(r"<[^>]*>|\{\{[^}]*\}\}", "", text) for text in strings)
    sentences = chain.from_iterable(re.split(r"(?<=[.?!])\s+", re.sub(r"\{[^}]*\}", "value", text)) for text in filled)
    return [sentence for sentence in sentences if len(WORD.findall(sentence)) > MOST_WORDS]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_sentences_are_short(path: Path) -> None:
    strings = {".py": strings_of_python, ".js": strings_of_script}.get(path.suffix, strings_of_markup)
    assert long_sentences(strings(path.read_text(encoding="utf-8"))) == []


def test_long_sentence_is_found() -> None:
    words = " ".join(["word"] * 20)
    assert long_sentences(strings_of_python(f'x = f"Short. {words} {{x}}."')) == [f"{words} value."]
    assert long_sentences(strings_of_script(f"const x = `{words}`; // {words}")) == [words]
    assert long_sentences(strings_of_markup(f"<p>{words}</p><b>one</b>")) == [words]
