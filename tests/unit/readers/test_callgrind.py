from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers.callgrind import CallgrindReader, components_of

RECORDED = Path(__file__).parents[2] / "data" / "callgrind"
# what callgrind_annotate 3.19 prints of the recorded file: exclusive (fib: of both its levels) and inclusive Ir
ANNOTATED = {
    "main": (62, 41_756),
    "serve": (6_475, 38_570),
    "scan": (7_715, 7_715),
    "fib": (24_380, 24_380),
    "printf": (29, 2_507),
}
# written by hand after Xdebug's documentation and not by Xdebug
XDEBUG = """\
version: 1
creator: xdebug 3.3.1 (PHP 8.2.7)
cmd: /app/shop.php
part: 1
positions: line

events: Time_(10ns) Memory_(bytes)

fl=(1) php:internal
fn=(1) php::strlen
4 12 0

fl=(2) /app/shop.php
fn=(2) price
3 100 -32
cfl=(1)
cfn=(1)
calls=2 0 0
4 24 0

fl=(2)
fn=(3) {main}
1 50 400
cfl=(2)
cfn=(2)
calls=1 0 0
7 124 -32

summary: 174 368
"""


def read(text: str) -> Profile:
    return CallgrindReader().read(source_of("callgrind.out", text.encode()))


def text_of(*lines: str) -> str:
    return "\n".join(["# callgrind format", "events: Ir Dr", *lines, ""])


def table(profile: Profile, metric: int = 0) -> dict[str, tuple[int, int, int]]:
    """Self cost, inclusive cost and calls by function."""
    graph = profile.graph
    assert graph is not None
    columns = graph.self_value[metric].tolist(), graph.total_value[metric].tolist(), graph.calls.tolist()
    return dict(zip(profile.frames.names, zip(*columns, strict=True), strict=True))


def edges(profile: Profile, metric: int = 0) -> dict[tuple[str, str], tuple[int, int]]:
    """Calls and their inclusive cost by caller and callee."""
    graph, names = profile.graph, profile.frames.names
    assert graph is not None
    rows = zip(graph.caller, graph.callee, graph.edge_calls.tolist(), graph.edge_total[metric].tolist(), strict=True)
    return {(names[caller], names[callee]): (calls, cost) for caller, callee, calls, cost in rows}


def test_a_recorded_file_agrees_with_callgrind_annotate() -> None:
    found = read((RECORDED / "callgrind-3.19.out").read_text())
    assert found.graph is not None
    assert int(found.graph.self_value.sum()) == 41_756
    costs = table(found)
    assert {name: costs[name][:2] for name in ANNOTATED} == ANNOTATED
    assert (costs["scan"][2], costs["serve"][2]) == (5, 5)
    assert edges(found)["serve", "scan"] == (5, 7_715)
    assert edges(found)["serve", "fib"] == (5, 24_380)
    frame = found.frames.names.index("scan")
    assert (found.frames.files[frame], found.frames.modules[frame]) == ("/app/shop.c", "/app/shop5")
    assert found.metrics[0].kind is MetricKind.COUNTED
    assert (found.facts.profiler, found.facts.profiler_version) == ("callgrind", "3.19.0")
    assert (found.warnings, found.warning_counts) == ((), {})


def test_name_compression_changes_nothing() -> None:
    plain = (RECORDED / "callgrind-3.19-uncompressed.out").read_text()
    assert "(1)" not in plain
    assert table(read(plain)) == table(read((RECORDED / "callgrind-3.19.out").read_text()))
    assert edges(read(plain)) == edges(read((RECORDED / "callgrind-3.19.out").read_text()))


def test_cachegrind_knows_no_callers() -> None:
    found = read("desc: LL cache: 3 B\ncmd: ./shop\nevents: Ir Dr\nfl=a.c\nfn=main\n16 400 3\n17 2\nsummary: 402 3\n")
    assert table(found) == {"main": (402, 402, 0)}
    assert table(found, 1) == {"main": (3, 3, 0)}
    assert edges(found) == {}
    assert found.frames.lines == [16]


def test_xdebug_times_are_nanoseconds() -> None:
    found = read(XDEBUG)
    assert [(metric.name, metric.unit, metric.kind) for metric in found.metrics] == [
        ("time", "nanoseconds", MetricKind.TIMED)
    ]
    assert table(found) == {"php::strlen": (120, 120, 2), "price": (1000, 1240, 1), "{main}": (500, 1740, 0)}
    assert edges(found) == {("price", "php::strlen"): (2, 240 // 2), ("{main}", "price"): (1, 1240)}
    assert found.warnings == ("Memory_(bytes) is left out: it has negative costs",)
    assert (found.facts.profiler, found.facts.runtime) == ("xdebug", "php")


def test_relative_positions_and_missing_costs() -> None:
    found = read(text_of("fl=a.c", "fn=f", "10 1", "+2 2 5", "* 4", "-5 8", "totals: 15 5"))
    assert table(found) == {"f": (15, 15, 0)}
    assert table(found, 1) == {"f": (5, 5, 0)}
    assert found.frames.lines == [7]


def test_inlined_files_stay_with_their_function() -> None:
    lines = ("fl=a.c", "fn=f", "9 1", "fi=b.h", "1 2", "cfn=g", "calls=1 1", "1 4", "fe=a.c", "9 8")
    found = read(text_of(*lines, "fl=b.h", "fn=g", "1 4", "totals: 15"))
    assert table(found) == {"f": (11, 15, 0), "g": (4, 4, 1)}
    assert (found.frames.files, found.frames.lines) == (["a.c", "b.h"], [9, 1])


def test_a_callees_file_and_object_hold_for_one_call() -> None:
    lines = ("ob=x", "fl=a.c", "fn=f", "cob=y", "cfi=b.c", "cfn=g", "calls=1 1", "1 4", "cfn=g", "calls=1 1", "1 2")
    found = read(text_of(*lines))
    assert list(zip(found.frames.names, found.frames.files, found.frames.modules, strict=True)) == [
        ("f", "a.c", "x"),
        ("g", "b.c", "y"),
        ("g", "a.c", "x"),
    ]
    assert found.warnings == ("the file ends without totals; it may be cut off",)


def test_a_functions_own_recursion_counts_once() -> None:
    lines = ("fn=main", "1 1", "cfn=f", "calls=1 1", "1 30", "fn=f", "1 10", "cfn=f'2", "calls=1 1", "1 20")
    found = read(text_of(*lines, "fn=f'2", "1 20", "cfn=f'2", "calls=3 1", "1 18", "totals: 31"))
    assert table(found) == {"main": (1, 31, 0), "f": (30, 30, 5)}
    assert edges(found) == {("main", "f"): (1, 30), ("f", "f"): (4, 30)}
    assert (found.warnings, found.warning_counts) == ((), {})


def test_functions_in_a_circle_cost_at_most_it() -> None:
    lines = ("fn=main", "1 1", "cfn=f", "calls=1 1", "1 60", "fn=f", "1 10", "cfn=g", "calls=9 1", "1 90")
    found = read(
        text_of(*lines, "fn=g", "1 40", "cfn=f", "calls=8 1", "1 80", "cfn=h", "calls=1 1", "1 10", "fn=h", "1 10")
    )
    assert {name: row[1] for name, row in table(found).items()} == {"main": 61, "f": 60, "g": 60, "h": 10}
    assert edges(found)["f", "g"] == (9, 60)
    assert list(found.warning_counts.values()) == [2]


@pytest.mark.parametrize(("functions", "calls"), [(1, 0), (40, 30), (40, 70), (300, 400), (20_000, 19_999)])
def test_circles_agree_with_scipy(functions: int, calls: int) -> None:
    caller, callee = np.random.default_rng(calls).integers(0, functions, (2, calls))
    if functions == 20_000:  # a chain
        caller, callee = np.arange(calls), np.arange(calls) + 1
    circle, sizes = components_of(caller, callee, functions)
    graph = csr_array((np.ones(calls), (caller, callee)), shape=(functions, functions))
    number, expected = connected_components(graph, connection="strong")
    assert len(set(zip(circle.tolist(), expected.tolist(), strict=True))) == len(sizes) == number
    assert sizes.tolist() == np.bincount(circle).tolist()


def test_jumps_cost_nothing_and_parts_are_added() -> None:
    part = ("fn=f", "1 5", "jcnd=1/2 +3", "* ", "jump=1 7", "+1", "totals: 5")
    assert table(read(text_of(*part, "part: 2", "events: Ir Dr", *part))) == {"f": (10, 10, 0)}


@pytest.mark.parametrize("line", ["0", str(1 << 31), str(1 << 63), "-7"])
def test_invalid_line_number_is_unknown(line: str) -> None:
    found = read(text_of("fn=f", f"{line} 5"))
    assert table(found) == {"f": (5, 5, 0)}
    assert found.frames.lines == [None]
    assert found.graph is not None
    assert found.graph.lines is None


def test_output_of_cachegrind_is_named() -> None:
    text = "desc: I1 cache: 32768 B\ncmd: ./a\nevents: Ir\nfl=a.c\nfn=main\n1 2\nsummary: 2\n"
    assert read(text).facts.profiler == "cachegrind"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["fn=f", "1 5", "totals: 6"], "add up to 5, but the file states 6"),
        (["fn=f", "1 5 6 7"], r"line 4: has 3 costs of 2 events"),
        (["fn=f", "1 " + "9" * 30], "beyond 2"),
        (["fn=f", *["1 " + "9" * 18] * 12], "add up to more than 2"),
        (["1 5"], "before any function"),
        (["fn=(7)", "1 5"], r"function \(7\), which was not defined"),
        (["events: Ir"], "other events"),
        (["version: 2"], "version 2 of this format, of which versions up to 1 are read"),
        (["positions: instr line", "fn=f", "1"], "2 positions come before"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_line(lines: list[str], message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        read(text_of(*lines))
    assert caught.value.where.startswith("callgrind.out")


@pytest.mark.parametrize(
    ("header", "event", "kind", "unit"),
    [
        ("creator: callgrind-3.19.0", "Ir", MetricKind.COUNTED, "count"),
        ("desc: I1 cache: 32768 B", "DLmw", MetricKind.COUNTED, "count"),
        ("creator: yappi", "Ticks", MetricKind.TIMED, "count"),
        ("version: 1", "Instructions", MetricKind.SAMPLED, "samples"),  # of stackprof
        ("creator: rbspy", "Samples", MetricKind.SAMPLED, "samples"),
    ],
)
def test_only_costs_of_valgrind_and_xdebug_are_counts(header: str, event: str, kind: MetricKind, unit: str) -> None:
    found = read(f"{header}\nevents: {event}\nfn=main\n1 2\n")
    metric = found.metrics[0]
    assert (metric.name, metric.kind, metric.unit) == (event, kind, unit)
    # only these tools write totals, without which a file may be cut off
    assert bool(found.warnings) == (kind is MetricKind.COUNTED)
