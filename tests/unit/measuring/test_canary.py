import textwrap
import time
from itertools import count
from typing import Any

import pytest

from golden_files import Golden
from profgate.attribution.grammars import language_of, parser_of
from profgate.errors import ProfgateError
from profgate.measuring.canary import MARK, planted

PYTHON = '''\
from __future__ import annotations
from functools import cache


class Table:
    @property
    def size(self): return 1

    @cache
    def parse(self, text,
              more=1):
        # a comment
        """Documentation

  of several lines."""
        shown = f"""
{text}
  text""" \\
            "end"
        if more:
            return self.size, shown
        # the end

    def documented(self):
        """Only documentation."""

    async def wait(self): a = 1; return (a +
        1)


def countdown(number):
\tif number:
\t\treturn countdown(number - 1) + 1
\treturn 0


def steps():
    yield 1


double = lambda x: 2 * x
'''
SCRIPT = """\
'use strict'
const add = (a, b) => a + b // a comment
class Table {
  static async run (x) { // first
    return x // last
  }
  get size () { return 1 }
}
exports.made = { method: function () { return {} }, arrow: x => ({ x }) }
function * steps () { yield 1 }
"""
GO = """\
// Package shop is an example.
package shop // a comment

import "time"

type Table[T any] struct{ rows []T }

func (t *Table[T]) Parse(text string) (n int, err error) {
	return len(text), nil
}

func init() { _ = time.Now() }
"""
FUNCTIONS = [
    *(("a.py", PYTHON, name) for name in ("Table.size", "parse", "Table.documented", "wait", "countdown")),
    *(("a.js", SCRIPT, name) for name in ("add", "Table.run", "size", "method", "arrow")),
    ("a.go", GO, "example.com/shop.(*Table[...]).Parse"),
]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("path", "source", "function"), FUNCTIONS, ids=[one[2] for one in FUNCTIONS])
def test_changed_source_is_valid(path: str, source: str, function: str, end: str) -> None:
    found = planted(path, source.replace("\n", end).encode(), function, 0.12)
    language = language_of(path)
    assert language is not None
    assert not parser_of(language).parse(found).root_node.has_error
    assert MARK.encode() in found
    if path == "a.py":
        compile(found, path, "exec")
        assert found.count(end.encode()) == found.count(b"\n")
    with pytest.raises(ProfgateError, match="already"):
        planted(path, found, function, 0.12)


def test_planted_texts(golden: Golden) -> None:
    chosen = (FUNCTIONS[place] for place in (1, 4, 5, 10))
    texts = (planted(path, source.encode(), name, 0.12).decode() for path, source, name in chosen)
    golden.check("canary.txt", "\n".join(texts))


@pytest.mark.parametrize(
    ("path", "function", "text"),
    [
        ("a.py", "steps", "generator"),
        ("a.js", "steps", "generator"),
        ("a.py", "<lambda>", "name another one"),
        ("a.py", "other", "0 named functions"),
        ("a.rs", "parse", "only these can be changed"),
        ("a.ts", "parse", "only these can be changed"),
    ],
)
def test_other_functions_are_refused(path: str, function: str, text: str) -> None:
    sources = {"a.py": PYTHON, "a.js": SCRIPT}
    with pytest.raises(ProfgateError, match=text):
        planted(path, sources.get(path, "").encode(), function, 0.12)


def test_functions_of_one_name_are_refused() -> None:
    with pytest.raises(ProfgateError, match="2 named functions"):
        planted("a.py", textwrap.dedent("def f(): pass\nclass A:\n    def f(self): pass\n").encode(), "f", 0.12)


@pytest.mark.parametrize("size", [0.12, 0.5])
def test_work_is_a_share_of_the_time_of_the_run(monkeypatch: pytest.MonkeyPatch, size: float) -> None:
    """Also if a function calls itself, is called once or a million times, and returns the same as before."""
    ticks = count()
    monkeypatch.setattr(time, "process_time", lambda: next(ticks) * 1e-4)
    module: dict[str, Any] = {"__name__": "module"}
    exec(compile(planted("a.py", PYTHON.encode(), "countdown", size), "a.py", "exec"), module)  # noqa: S102
    state = module["_profgate_canary"]
    for depth in (0, 300, *range(200)):
        for _ in range(20):
            next(ticks)  # other work
        assert module["countdown"](depth) == depth
    own = time.process_time() - state["start"] - state["spent"]
    assert state["spent"] / own == pytest.approx(size, rel=0.1)
