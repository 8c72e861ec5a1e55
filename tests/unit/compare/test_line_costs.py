"""Costs of source lines: their sums, recursion, and the formats that record executed lines."""

import pytest

from comparisons import overlaid
from profgate.compare.symbols import with_first_lines
from profgate.model.attribution import LineRange, SourceStates
from profgate.model.comparison import Comparison
from profgate.model.source import source_of
from profgate.readers.callgrind import CallgrindReader
from profgate.readers.folded import FoldedReader
from profgate.readers.perf import PerfReader
from profgate.readers.reader import ProfileReader

BEFORE = "main (a.py:9);work (a.py:3) 4\nmain (a.py:9);work (a.py:4) 6\nmain (a.py:8) 1\n"
AFTER = "main (a.py:9);work (a.py:3);work (a.py:3) 5\nmain (a.py:9);work (a.py:3);work (a.py:4) 2\n"


def compared(before: str, after: str, reader: ProfileReader | None = None, ignore: tuple[str, ...] = ()) -> Comparison:
    read = (reader or FoldedReader()).read
    runs = [read(source_of(name, text.encode())) for name, text in (("before", before), ("after", after))]
    return overlaid(runs[:1], runs[1:], ignore=ignore)


def lines_of(comparison: Comparison) -> dict[tuple[str, int], tuple[list[int], list[int]]]:
    """Return the self and the total values of the runs by function and line."""
    found = comparison.lines
    assert found is not None
    names = [comparison.symbols.names[symbol] for symbol in found.symbol.tolist()]
    return {
        place: (own, total)
        for place, own, total in zip(
            zip(names, found.line.tolist(), strict=True), found.own.T.tolist(), found.total.T.tolist(), strict=True
        )
    }


def test_recursive_line_counts_once_per_stack() -> None:
    assert lines_of(compared(BEFORE, AFTER)) == {
        ("main", 8): ([1, 0], [1, 0]),
        ("main", 9): ([0, 0], [10, 7]),
        ("work", 3): ([4, 5], [4, 7]),
        ("work", 4): ([6, 2], [6, 2]),
    }


def test_ignored_stacks_have_no_line_cost() -> None:
    ignored = "main (a.py:9);idle (a.py:20) 3\n"
    assert lines_of(compared(BEFORE + ignored, AFTER, ignore=("idle",))) == lines_of(compared(BEFORE, AFTER))


@pytest.mark.parametrize("text", ["main;work 4\nmain 1\n", "main (a.py:1);work (a.py:3) 4\nmain (a.py:1) 1\n"])
def test_lines_of_declarations_are_not_executed_lines(text: str) -> None:
    assert compared(text, text).lines is None


def test_executed_line_is_not_where_a_function_begins() -> None:
    comparison = compared(BEFORE, AFTER)
    begins = {"main": None, "work": LineRange(2, 4)}
    names = comparison.symbols.names
    states = SourceStates((), (), (), spans=tuple((None, begins[name]) for name in names))
    assert with_first_lines(comparison, None).symbols.lines == [None, None]
    assert dict(zip(names, with_first_lines(comparison, states).symbols.lines, strict=True)) == {
        "main": None,
        "work": 2,
    }
    declared = compared("main (a.py:1);work (a.py:3) 4\n", "main (a.py:1);work (a.py:3) 4\n")
    assert with_first_lines(declared, None).symbols.lines == [1, 3]


def test_callgrind_lines_include_their_calls() -> None:
    text = "\n".join(
        [
            "# callgrind format",
            "events: Ir",
            *("fl=a.c", "fn=main", "3 10", "cfn=work", "calls=2 7", "4 30", "4 1", "fn=work", "7 20", "8 10", ""),
        ]
    )
    found = compared(text, text, CallgrindReader())
    assert lines_of(found) == {
        ("main", 3): ([10, 10], [10, 10]),
        ("main", 4): ([1, 1], [31, 31]),
        ("work", 7): ([20, 20], [20, 20]),
        ("work", 8): ([10, 10], [10, 10]),
    }


def test_perf_source_lines_do_not_split_functions() -> None:
    frames = "\tffff work+0x{} (/bin/a)\n  a.c:{}\n\tfff0 main+0x1 (/bin/a)\n  a.c:{}\n"
    samples = [frames.format(1, 7, 3), frames.format(2, 8, 3)]
    text = "\n".join(f"prog 1 1.0: 1 cycles:\n{sample}" for sample in samples) + "\n"
    found = compared(text, text, PerfReader())
    assert sorted(found.symbols.names) == ["main", "prog", "work"]
    assert lines_of(found) == {
        ("main", 3): ([0, 0], [2, 2]),
        ("work", 7): ([1, 1], [1, 1]),
        ("work", 8): ([1, 1], [1, 1]),
    }
