"""Which lines a page shows, how the lines of both sides are paired, and the text of whole functions."""

import numpy as np

from comparisons import from_stacks
from profgate.flamegraph.page_lines import SELF, TOTAL, page_lines, whole_function
from profgate.model.attribution import ChangedFile, Edit, Hunk, LineRange, SourceDiff, SourceStates, SourceTexts
from profgate.model.comparison import Comparison, LineCosts
from profgate.model.record import replace

# before: line 5 was replaced by the lines 5 to 7
EDIT = Edit(LineRange(5, 5), LineRange(5, 7))
FILE = ChangedFile("a.py", "a.py", "modified", (Hunk(LineRange(4, 6), LineRange(4, 8), "", (EDIT,), ""),))
STATES = SourceStates(("changed", "changed"), ("a.py", "a.py"), (None, None))


def given(lines: list[tuple[int, int, list[int]]], runs: int = 1) -> Comparison:
    """Return a comparison with lines, given as symbol, line and the value of each run."""
    side = [{"f": 10, "g": 4}] * runs
    comparison = from_stacks(side, side)
    symbol, line = (np.array([row[place] for row in lines], np.int64) for place in (0, 1))
    values = np.array([row[2] for row in lines], np.int64).T
    return replace(comparison, lines=LineCosts(symbol, line, values, values))


def test_lines_are_paired_by_the_edits() -> None:
    comparison = given([(0, 4, [1, 0]), (0, 5, [2, 3]), (0, 6, [7, 0]), (0, 8, [0, 9])])
    (found,) = page_lines(comparison, (), STATES, SourceDiff((FILE,)))
    assert found["rows"] == [(4, 4, 1, 1, 0, 0), (5, 0, 2, 2, 0, 0), (0, 5, 0, 0, 3, 3), (6, 8, 7, 7, 9, 9)]


def test_repeated_runs_are_tested() -> None:
    noisy, clear = [10, 90, 40, 60, 20, 80], [10, 11, 12, 90, 91, 92]
    (found,) = page_lines(given([(0, 1, noisy), (0, 2, clear)], runs=3), (), None, None)
    assert [row[6] for row in found["rows"]] == [0, SELF + TOTAL]


def test_whole_function_has_both_versions() -> None:
    texts = SourceTexts(
        {"a.py": "x\ndef f():\n    old()\n    end()\n"}, {"a.py": "def f():\r\n    new()\r\n    end()\r\n"}
    )
    found = whole_function(texts, FILE, (LineRange(2, 4), LineRange(1, 3)))
    assert found == (2, 1, [" def f():", "-    old()", "+    new()", "     end()"])
    assert whole_function(texts, FILE, (None, LineRange(3, 3))) == (0, 3, ["+    end()"])
