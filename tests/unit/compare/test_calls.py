"""Exact calls of paths and edges, from the events and tables of real formats."""

import json
import marshal

import pytest

from comparisons import overlaid
from profgate.compare.columns import by_calls
from profgate.errors import ComparisonError
from profgate.model.comparison import Comparison
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.pstats import PstatsReader
from profgate.readers.speedscope import SpeedscopeReader

Row = tuple[int, int, float, float]  # calls, primitive calls, self and inclusive seconds, as cProfile writes them


def events(*threads: str) -> Profile:
    """A recording where ``a(b()b())`` is a call of a that calls b twice; every event takes a millisecond."""
    names = sorted({letter for thread in threads for letter in thread if letter.isalpha()})
    profiles = []
    for thread in threads:
        rows: list[dict[str, object]] = []
        open_calls: list[str] = []
        for letter in thread.replace("(", ""):
            if letter.isalpha():
                open_calls.append(letter)
            frame = letter if letter.isalpha() else open_calls.pop()
            rows.append(
                {"type": "O" if letter.isalpha() else "C", "frame": names.index(frame), "at": len(rows)}  # milliseconds
            )
        profiles.append(
            {"type": "evented", "unit": "milliseconds", "startValue": 0, "endValue": len(rows), "events": rows}
        )
    document = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": name} for name in names]},
        "profiles": profiles,
    }
    return SpeedscopeReader().read(source_of("run.json", json.dumps(document).encode()))


def statistics(functions: dict[str, tuple[Row, dict[str, Row]]]) -> Profile:
    """What cProfile dumps: for each function its own row and a row for each caller."""
    table = {
        ("app.py", ord(name[0]), name): (
            own[1],
            own[0],
            own[2],
            own[3],
            {("app.py", ord(caller[0]), caller): row for caller, row in callers.items()},
        )
        for name, (own, callers) in functions.items()
    }
    return PstatsReader().read(source_of("run.pstats", marshal.dumps(table)))


def calls_by_path(comparison: Comparison) -> dict[str, tuple[int, int]]:
    tree = comparison.tree
    assert tree is not None
    assert tree.baseline_calls is not None
    assert tree.target_calls is not None
    paths = [""]
    for row in range(1, len(tree.parent)):
        paths.append(f"{paths[tree.parent[row]]}{comparison.symbols.names[tree.symbol[row]]}")
    pairs = zip(tree.baseline_calls.tolist(), tree.target_calls.tolist(), strict=True)
    return dict(zip(paths, pairs, strict=True))


def edge_rows(comparison: Comparison) -> dict[str, tuple[float, float, int, int]]:
    edges, names = comparison.edges, comparison.symbols.names
    assert edges is not None
    columns = zip(
        edges.caller.tolist(),
        edges.callee.tolist(),
        (edges.baseline_total / 1e9).tolist(),
        (edges.target_total / 1e9).tolist(),
        edges.baseline_calls.tolist(),
        edges.target_calls.tolist(),
        strict=True,
    )
    return {f"{names[caller]}>{names[callee]}": tuple(rest) for caller, callee, *rest in columns}


def test_calls_belong_to_one_path() -> None:
    comparison = overlaid([events("a(b()b(b()))")], [events("a(b()b(b()b()))")])
    assert calls_by_path(comparison) == {"": (0, 0), "a": (1, 1), "ab": (2, 2), "abb": (1, 2)}


def test_one_run_without_counts_leaves_its_side_unknown() -> None:
    stated = events("a(b())")
    sampled = {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": {"frames": [{"name": "a"}]},
        "profiles": [{"type": "sampled", "unit": "milliseconds", "samples": [[0]], "weights": [3], "startValue": 0}],
    }
    unknown = SpeedscopeReader().read(source_of("run.json", json.dumps(sampled).encode()))
    tree = overlaid([stated], [stated, unknown]).tree
    assert tree is not None
    assert tree.baseline_calls is not None
    assert tree.target_calls is None


def test_edges_of_all_runs_are_added() -> None:
    one = statistics(
        {
            "main": ((1, 1, 0.25, 1.5), {}),
            "work": ((3, 2, 1.25, 1.25), {"main": (2, 2, 1.0, 1.25), "work": (1, 1, 0.25, 0.5)}),
        }
    )
    other = statistics({"main": ((1, 1, 0.5, 0.75), {}), "log": ((4, 4, 0.25, 0.25), {"main": (4, 4, 0.25, 0.25)})})
    comparison = overlaid([one, one], [one, other])
    assert comparison.tree is None
    assert edge_rows(comparison) == {
        "main>log": (0.0, 0.25, 0, 4),
        "main>work": (2.5, 1.25, 4, 2),
        "work>work": (1.0, 0.5, 2, 1),
    }
    edges = comparison.edges
    assert edges is not None
    named = dict(
        zip(
            comparison.symbols.names,
            zip(edges.baseline_symbol_calls.tolist(), edges.target_symbol_calls.tolist(), strict=True),
            strict=True,
        )
    )
    assert named == {"log": (0, 4), "main": (2, 2), "work": (6, 3)}
    assert edges.run_calls is not None
    assert dict(zip(comparison.symbols.names, edges.run_calls.T.tolist(), strict=True)) == {
        "log": [0, 0, 0, 4],
        "main": [1, 1, 1, 1],
        "work": [3, 3, 3, 0],
    }


def test_calls_that_do_not_fit_are_refused() -> None:
    many = statistics({"main": ((1 << 61, 1 << 61, 0.25, 0.25), {})})
    with pytest.raises(ComparisonError, match="62 bits"):
        overlaid([many, many], [many])


def test_calls_stand_for_the_cost_of_paths() -> None:
    counted = by_calls(overlaid([events("a(b()b(b()))")], [events("a(b()b(b()b()))")]))
    assert counted is not None
    assert counted.tree is not None
    assert (counted.metric.name, counted.metric.kind) == ("calls", "counted")
    assert counted.tree.baseline_self.tolist() == [0, 1, 2, 1]
    assert counted.tree.target_self.tolist() == [0, 1, 2, 2]
    assert counted.tree.baseline_total.tolist() == [4, 4, 3, 1]
    assert counted.tree.target_total.tolist() == [5, 5, 4, 2]
