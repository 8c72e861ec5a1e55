import marshal
import profile
import pstats
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.pstats import PstatsReader, loads

RECORDED = Path(__file__).parents[2] / "data" / "pstats" / "cprofile-3.11.pstats"
MAIN = ("app.py", 1, "main")
WORK = ("app.py", 5, "work")
LEN = ("~", 0, "<built-in method builtins.len>")
SMALL = {
    MAIN: (1, 1, 0.25, 1.5, {}),
    WORK: (2, 3, 1.0, 1.25, {MAIN: (2, 2, 0.75, 1.25), WORK: (1, 1, 0.25, 0.5)}),
    LEN: (4, 4, 0.25, 0.25, {WORK: (4, 4, 0.25, 0.25)}),
}


def read(data: bytes) -> Profile:
    return PstatsReader().read(source_of("run.pstats", data))


def judge(path: Path) -> pstats.Stats:
    return pstats.Stats(str(path))


def test_rows_and_edges_agree_with_the_standard_module() -> None:
    found, expected = read(RECORDED.read_bytes()), judge(RECORDED)
    graph, frames = found.graph, found.frames
    assert graph is not None
    keys = [
        (file or "~", line or 0, name)
        for name, file, line in zip(frames.names, frames.files, frames.lines, strict=True)
    ]
    for number, key in enumerate(keys):
        _, calls, own, total, _ = expected.stats[key]  # type: ignore[attr-defined]
        assert graph.calls[number] == calls
        assert graph.self_value[0, number] == round(own * 1e9)
        assert graph.total_value[0, number] == round(total * 1e9)
    edges = {
        (caller, callee): (row[0], round(row[3] * 1e9))
        for callee, (*_, callers) in expected.stats.items()  # type: ignore[attr-defined]
        for caller, row in callers.items()
    }
    columns = zip(graph.caller, graph.callee, graph.edge_calls, graph.edge_total[0], strict=True)
    assert {(keys[caller], keys[callee]): (calls, total) for caller, callee, calls, total in columns} == edges


def test_the_profiler_written_in_python_counts_callers_without_times() -> None:
    recorder = profile.Profile()
    recorder.runcall(sorted, [3, 1, 2])
    recorder.create_stats()
    found = read(marshal.dumps(recorder.stats))
    assert found.graph is not None
    assert found.graph.edge_total.sum() == 0
    assert list(found.warning_counts) == ["callers without times, of which only the calls are known"]


def test_a_caller_without_a_row_gets_a_frame() -> None:
    found = read(marshal.dumps({WORK: SMALL[WORK]}))
    assert found.frames.names == ["work", "main"]
    assert found.graph is not None
    assert found.graph.self_value.tolist() == [[1_000_000_000, 0]]


def test_negative_times_are_taken_for_zero_and_counted() -> None:
    found = read(marshal.dumps({MAIN: (1, 1, -1e-9, 0.0, {})}))
    assert found.graph is not None
    assert found.graph.self_value.tolist() == [[0]]
    assert list(found.warning_counts.values()) == [1]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ((1, 2), "no table of functions"),
        ({MAIN: (1, 1, 0.5)}, "no row"),
        ({MAIN: (1, 1, float("nan"), 0.5, {})}, "for a time"),
        ({MAIN: (1, 1, 1e300, 0.5, {})}, "for a time"),
        ({("a", "b", "c"): (1, 1, 0.5, 0.5, {})}, "is no"),
    ],
)
def test_rows_of_another_shape_are_refused_by_name(table: tuple[int, ...] | dict[object, object], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(marshal.dumps(table))


SAMPLED = {
    ("a.py", 9, "fib"): (3, 4, 0.0015, 0.002, {("a.py", 5, "fib"): 3, ("a.py", 2, "main"): 1}),
    ("a.py", 5, "fib"): (1, 3, 0.0005, 0.0015, {("a.py", 2, "main"): 3}),
    ("a.py", 2, "main"): (0, 4, 0.0, 0.002, {}),
    ("__sampled__",): True,
}


def test_counts_of_the_sampling_profiler_are_samples() -> None:
    found = read(marshal.dumps(SAMPLED))
    assert (found.frames.names, found.frames.files, found.frames.lines) == (["fib", "main"], ["a.py"] * 2, [5, 2])
    assert (found.metrics[0].unit, found.periods, found.facts.rate) == ("samples", (1,), 2000.0)
    graph = found.graph
    assert graph is not None
    assert (graph.self_value.tolist(), graph.total_value.tolist()) == ([[4, 0]], [[4, 4]])
    edges = zip(graph.caller.tolist(), graph.callee.tolist(), graph.edge_total[0].tolist(), strict=True)
    assert sorted(edges) == [(0, 0, 3), (1, 0, 4)]


def test_unknown_numbers_of_calls_do_not_refuse_the_file() -> None:
    found = read(marshal.dumps({MAIN: (-1, -1, 0.5, 0.5, {})})).graph  # as pyinstrument writes
    assert found is not None
    assert (found.calls.tolist(), found.self_value.tolist()) == ([0], [[500_000_000]])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ((1, 1, 0.1, 0.1), "has no row of samples, times and callers"),
        ((-2, 1, 0.1, 0.1, {}), "has '-2' for a number of calls"),
        ((1, 1, 0.1, 0.1, {("x",): 1}), "is not a .file, line, name."),
        ((1, 1, 0.1, 0.1, {("a.py", 1, "main"): 0.5}), "has '0.5' for a number"),
    ],
)
def test_damaged_counts_of_samples_are_an_error(row: tuple[object, ...], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(marshal.dumps({("__sampled__",): True, ("a.py", 9, "f"): row}))


SCALARS = (
    st.just(True)
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
)
KEYS = SCALARS | st.tuples(SCALARS, SCALARS)
VALUES = st.recursive(
    KEYS, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(KEYS, inner), max_leaves=9
)


@given(value=VALUES)
def test_the_interpreters_own_writer_is_understood(value: object) -> None:
    data = marshal.dumps(value)  # type: ignore[arg-type]
    assert loads(data, "x") == value


def test_references_name_earlier_objects() -> None:
    shared = ("a" * 300, 1)
    assert loads(marshal.dumps((shared, shared, {shared: shared})), "x") == (shared, shared, {shared: shared})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "ends 1 bytes too early"),
        (b"c", "type 'c' does not belong"),
        (b"u\x05\x00\x00\x00abc", "are announced"),
        (b"r\x00\x00\x00\x00", "names no earlier object"),
        (b"\xa9\x01r\x00\x00\x00\x00", "refers to an object that contains"),
        (b"{{0T0", "used as a key"),
        (b"l\xff\x00\x00\x00", "255 digits"),
        (b"0", "end mark"),
        (b"\xa9\x01\xa9\x01Tr\x01\x00\x00\x00", "follow"),
        (b")\x02\xa9\x01)\x00r\x00\x00\x00\x00", "repeats a table"),
        (b"TT", "follow the end"),
        (b")\x01" * 40 + b"T", "nested too deeply"),
    ],
)
def test_what_does_not_belong_is_named_with_its_byte(data: bytes, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        loads(data, "x")
