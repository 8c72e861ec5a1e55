import json
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers.trace_events import TraceEventsReader
from stack_rows import own_values, rows

RECORDED = Path(__file__).parents[2] / "data" / "trace-events"


def whole(name: Any, ts: Any, dur: Any, tid: int = 1, **more: Any) -> dict[str, Any]:
    return {"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": ts, "dur": dur, **more}


def mark(ph: str, name: str | None, ts: float, tid: int = 1) -> dict[str, Any]:
    event = {"ph": ph, "pid": 1, "tid": tid, "ts": ts}
    return event if name is None else event | {"name": name}


def read(*events: Any) -> Profile:
    return TraceEventsReader().read(source_of("a.json", json.dumps({"traceEvents": events}).encode()))


def test_a_recorded_trace_has_its_time_and_calls() -> None:
    data = (RECORDED / "viztracer-1.1.1.json").read_bytes()
    found, events = TraceEventsReader().read(source_of("a.json", data)), json.loads(data)["traceEvents"]
    calls = [event for event in events if event["ph"] == "X"]
    assert found.stacks is not None
    assert found.stacks.calls is not None
    assert int(found.stacks.values.sum()) == round(max(event["dur"] for event in calls) * 1000)
    assert int(found.stacks.calls.sum()) == len(calls)
    by_name = dict.fromkeys(found.frames.names, 0)
    for (path, _), count in zip(rows(found), found.stacks.calls.tolist(), strict=True):
        by_name[path.split(";")[-1]] += count
    assert by_name == {name: sum(event["name"] == name for event in calls) for name in by_name}
    assert (found.warnings, found.warning_counts) == ((), {})


def test_a_recorded_trace_of_marks_is_read_without_disorder() -> None:
    data = (RECORDED / "node-20.20.json").read_bytes()
    found = TraceEventsReader().read(source_of("a.json", data))
    assert list(found.warning_counts.values()) == [2]
    assert found.stacks is not None
    assert found.stacks.calls is not None
    kinds = [event["ph"] for event in json.loads(data)["traceEvents"]]
    assert int(found.stacks.calls.sum()) == kinds.count("X") + kinds.count("B")


def test_events_nest_by_time_in_any_order() -> None:
    found = read(whole("work", 1, 2), whole("main", 0, 10), whole("work", 4, 1.5), whole("rest", 1, 0.25))
    assert rows(found) == [("main", [6500]), ("main;work", [3250]), ("main;work;rest", [250])]
    assert found.stacks is not None
    assert found.stacks.calls is not None
    assert found.stacks.calls.tolist() == [1, 2, 1]
    assert found.metrics[0].kind is MetricKind.TIMED


def test_beginnings_and_ends_are_calls_too() -> None:
    events = mark("B", "main", 0), mark("B", "work", 1), mark("E", "work", 3), whole("rest", 4, 1), mark("E", None, 6)
    assert rows(read(*events)) == [("main", [3000]), ("main;work", [2000]), ("main;rest", [1000])]


def test_arguments_hold_file_and_line() -> None:
    found = read(whole("main", 0, 1, args={"filename": "shop.py", "line": 7}), whole("work", 0, 1, args=[3]))
    assert (found.frames.files, found.frames.lines) == (["shop.py", None], [7, None])


@pytest.mark.parametrize(
    ("events", "expected", "warning"),
    [
        (
            [mark("B", "main", 0), mark("B", "work", 1), mark("E", "main", 3)],
            [("main", 1000), ("main;work", 2000)],
            "1 calls that are not opened and closed in order",
        ),
        ([whole("main", 0, 3), mark("E", "work", 1)], [("main", 3000)], "1 ends without a beginning"),
        ([whole("main", 0, 3), mark("E", None, 1)], [("main", 3000)], "1 ends without a beginning"),
        ([mark("B", "main", 0), whole("work", 1, 3)], [("main", 1000), ("main;work", 3000)], "1 calls that are never"),
        ([whole("main", 0, 9), whole("work", 2, 10)], [("main", 2000), ("work", 10000)], "1 calls that overlap"),
        ([whole("a", 0, 3), whole("b", 2, 3)], [("a", 2000), ("b", 3000)], "1 calls that overlap"),
        (
            [whole("main", 0, 30), whole("a", 1, 9), whole("a1", 2, 8), whole("b", 4, 9)],
            [("main", 18000), ("main;a", 1000), ("main;a;a1", 2000), ("main;b", 9000)],
            "2 calls that overlap",
        ),
        (
            [whole("main", 0, 9), whole("work", 2, 3), whole("Profiler (0)", 0, 10) | {"pid": "Spans"}],
            [("main", 6000), ("main;work", 3000)],
            "1 rows 'Profiler (0)' that last",
        ),
        ([whole("main", 0, 3), mark("X", "work", 1)], [("main", 3000)], "1 events without a duration"),
        ([whole("main", 0, 3), mark("b", "work", 1)], [("main", 3000)], "1 asynchronous events"),
    ],
)
def test_disorder_is_survived_and_counted(events: list[Any], expected: list[tuple[str, int]], warning: str) -> None:
    found = read(*events)
    assert rows(found) == [(path, [value]) for path, value in expected]
    ((what, count),) = found.warning_counts.items()
    assert f"{count} {what}".startswith(warning)


@pytest.mark.parametrize("end", ["]", "", ",", ",\n"])
def test_an_array_may_lack_its_end(end: str) -> None:
    data = f"[{json.dumps(whole('main', 0, 1))},\n{json.dumps(whole('work', 2, 1))}{end}".encode()
    source = source_of("a.json", data)
    assert TraceEventsReader().recognizes(source)
    assert rows(TraceEventsReader().read(source)) == [("main", [1000]), ("work", [1000])]


def test_rows_that_sum_up_others_are_left_out() -> None:
    total = whole("Total Source", 0, 9, tid=2, args={"count": 3, "avg ms": 3})  # of clang
    path = {"ph": "M", "pid": 1, "tid": 3, "name": "thread_name", "args": {"name": "Critical Path"}}  # of Bazel
    profiler = whole("PyTorch Profiler (0)", 0, 99, cat="Trace")
    found = read(whole("Source", 0, 9), total, whole("compile", 0, 9, tid=3), path, profiler)
    assert (rows(found), found.warning_counts) == ([("Source", [9000])], {})


def test_callee_may_end_later_by_a_rounding_error() -> None:
    found = read(whole("main", 0, 3), whole("work", 2, 2))
    assert (rows(found), found.warning_counts) == ([("main", [2000]), ("main;work", [1000])], {})


def test_calls_of_a_sampler_are_not_counted() -> None:
    found = read(*({**mark(ph, "main", at), "cat": "py-spy"} for ph, at in (("B", 0), ("E", 3))))
    assert found.metrics[0].kind is MetricKind.SAMPLED
    assert found.stacks is not None
    assert found.stacks.calls is None


def test_other_events_are_no_stacks() -> None:
    assert rows(read({"ph": "M", "name": "thread_name"}, {"ph": "C", "ts": 1}, {})) == []


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([7], "event 0: it is not a JSON object"),
        ([whole("main", "0", 1)], "event 0: has '0' for 'ts'"),
        ([whole("main", 0, -1)], "negative duration"),
        ([whole(None, 0, 1)], "no name"),
        ([whole("main", 0, 1 << 52, tid=tid) for tid in range(3)], "add up to more than 2"),
    ],
)
def test_events_of_another_shape_are_refused(events: list[Any], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(*events)


def chunk(pid: int, number: str, source: str = "Internal", **data: Any) -> dict[str, Any]:
    args = {"data": {"source": source, **data}}
    return {"ph": "P", "name": "ProfileChunk", "pid": pid, "tid": 1, "id": number, "ts": 1, "args": args}


def call(number: int, name: str, **more: Any) -> dict[str, Any]:
    return {"id": number, "callFrame": {"functionName": name, "url": "a.js", "lineNumber": number}, **more}


def test_recorded_chunks_are_read_once() -> None:
    found = TraceEventsReader().read(source_of("a.json", (RECORDED / "node-26.10-cpu.json.gz").read_bytes()))
    times = own_values(found)
    work = [times[function] / sum(times.values()) for function in ("heavy", "medium", "light")]
    assert work == pytest.approx([0.6, 0.3, 0.1], abs=0.05)
    assert 0.2e9 < sum(times.values()) < 0.3e9  # two profilers recorded this time
    assert (found.metrics[0].kind, len(found.warnings)) == (MetricKind.SAMPLED, 1)


def test_chunks_of_a_thread_form_a_profile() -> None:
    first = {"nodes": [call(1, "(root)"), call(2, "main", parent=1)], "samples": [2, 2]}
    second = {"nodes": [call(3, "parse", parent=2)], "samples": [3]}
    found = read(
        {"ph": "P", "name": "Profile", "pid": 1, "id": "0x1", "args": {"data": {"startTime": 100}}},
        chunk(1, "0x1", cpuProfile=first, timeDeltas=[5, 10]),
        chunk(2, "0x1", cpuProfile={"nodes": [call(2, "other")], "samples": [2, 2]}, timeDeltas=[0, 7]),
        chunk(1, "0x1", cpuProfile=second, timeDeltas=[20]),
        chunk(1, "0x2", "Inspector", cpuProfile=second | {"nodes": [call(3, "parse")]}, timeDeltas=[20]),
        chunk(1, "0x1", endTime=175),
        whole("Profile", 100, 80),
    )
    times = [("(root);main", [30_000]), ("(root);main;parse", [40_000]), ("other", [7_000])]
    assert sorted(rows(found)) == times


def test_stack_frames_of_hermes_are_read() -> None:
    frames = {"1": {"name": "global(a.js:1:1)"}, "2": {"name": "parse(http://h:80/a.js:3:1)", "parent": 1}}
    samples = [{"sf": 2, "ts": "1", "weight": "1"}, {"sf": "2"}, {"sf": 1}]
    document = {
        "traceEvents": [],
        "samples": samples,
        "stackFrames": frames | {"3": {"name": "[native](", "parent": "2"}},
    }
    found = TraceEventsReader().read(source_of("a", json.dumps(document).encode()))
    assert sorted(rows(found)) == [("global", [1]), ("global;parse", [2])]
    place = found.frames.names.index("parse")
    assert (found.frames.files[place], found.frames.lines[place]) == ("http://h:80/a.js", 3)
    document["samples"] = [{"sf": 9}]
    with pytest.raises(ProfileError, match="names a node by 'None'"):
        TraceEventsReader().read(source_of("a", json.dumps(document).encode()))
