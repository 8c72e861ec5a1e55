"""Timelines of readers: their sums are the values of the stacks, and each value is in the bin of its time."""

import json
import struct
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.model.timeline import MOST_BINS, Timeline
from profgate.readers.registry import read_profile
from profgate.readers.time_bins import MOST_THREADS, OTHERS, Clock, timeline_of, times_in

DATA = Path(__file__).parents[2] / "data"
RECORDINGS = [
    *("cpuprofile/node-20.20.cpuprofile", "speedscope/py-spy-0.4.3.speedscope.json"),
    *("trace-events/node-20.20.json", "trace-events/viztracer-1.1.1.json"),
    *("firefox/python-3.15.2-cpu.json", "gecko/by-hand-30.json"),
    *(f"python-sampling/python-3.15.2-{name}.bin" for name in ("cpu", "gil", "threads")),
]
WITHOUT_TIMES = ["speedscope/memray-1.20.json", "folded/python-3.15.2-cpu.collapsed", "pprof/go-1.19.8-cpu.pb.gz"]
SPEEDSCOPE = "https://www.speedscope.app/file-format-schema.json"
FRAMES = [{"name": "main"}, {"name": "work"}]
TABLES: dict[str, Any] = {
    "stringTable": ["main"],
    "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0]]},
    "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0]]},
}
INTERVALS = st.lists(st.tuples(st.integers(-1, 4), st.integers(0, 10**12), st.integers(0, 10**10)), max_size=30)


def recorded(name: str) -> Profile:
    path = DATA / name
    return read_profile(source_of(path.name, path.read_bytes()))


def timeline_in(profile: Profile) -> Timeline:
    assert profile.stacks is not None
    assert profile.stacks.timeline is not None
    return profile.stacks.timeline


def read(document: object) -> Profile:
    return read_profile(source_of("a.json", json.dumps(document).encode()))


def speedscope(*profiles: dict[str, Any]) -> Profile:
    return read({"$schema": SPEEDSCOPE, "shared": {"frames": FRAMES}, "profiles": profiles})


def evented(name: str, *events: tuple[str, int, float], unit: str = "seconds") -> dict[str, Any]:
    rows = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]
    return {"type": "evented", "name": name, "unit": unit, "startValue": 0, "endValue": 0, "events": rows}


def seconds(profile: Profile) -> dict[tuple[str, str], list[tuple[float, float]]]:
    """The start of each bin in seconds and its value, by thread and function, for paths that all have other leaves."""
    stacks, timeline = profile.stacks, timeline_in(profile)
    assert stacks is not None
    leaves = [profile.frames.names[number] for number in stacks.frame[stacks.leaf].tolist()]
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for row, cell, value in np.stack([timeline.row, timeline.cell, timeline.values[0]]).T.tolist():
        key = (timeline.threads[cell // MOST_BINS], leaves[row] if row >= 0 else "")
        found.setdefault(key, []).append((cell % MOST_BINS * 2**timeline.scale / 1e9, value / 1e9))
    return found


def spans(profile: Profile) -> dict[tuple[str, str], tuple[float, float, float]]:
    """The start of the first and last bin in half seconds, and the sum of the values, by thread and function."""
    return {
        key: (round(2 * bins[0][0]) / 2, round(2 * bins[-1][0]) / 2, round(sum(value for _, value in bins), 6))
        for key, bins in seconds(profile).items()
    }


@pytest.mark.parametrize("name", RECORDINGS)
def test_bins_of_a_recording_add_up_to_its_values(name: str) -> None:
    profile = recorded(name)
    timeline, stacks = timeline_in(profile), profile.stacks
    assert stacks is not None
    sums = np.zeros((len(stacks.values), stacks.values.shape[1] + 1), np.int64)
    for line, values in zip(sums, timeline.values, strict=True):
        np.add.at(line, timeline.row, values)
    assert np.array_equal(sums[:, :-1], stacks.values)
    assert sums[:, -1].tolist() == stacks.root_values.tolist()
    assert timeline.values.min() >= 0
    assert MOST_BINS / 2 <= timeline.bins <= MOST_BINS
    assert timeline.cell.max() < len(timeline.threads) * MOST_BINS


@pytest.mark.parametrize("name", WITHOUT_TIMES)
def test_profiles_without_times_have_no_timeline(name: str) -> None:
    stacks = recorded(name).stacks
    assert stacks is not None
    assert stacks.timeline is None


def test_python_formats_have_the_same_times() -> None:
    binary, gecko = (timeline_in(recorded(name)) for name in RECORDINGS if "python-3.15.2-cpu" in name)
    by_bin = [Counter(dict.fromkeys(range(MOST_BINS), 0)) for _ in range(2)]
    for found, timeline in zip(by_bin, (binary, gecko), strict=True):
        for cell, value in zip(timeline.cell.tolist(), timeline.values[0].tolist(), strict=True):
            found[cell] += value
    assert by_bin[0] == by_bin[1]


def test_calls_of_speedscope_are_in_the_bins_of_their_time() -> None:
    first = evented("one", ("O", 0, 5.0), ("O", 1, 6.0), ("C", 1, 8.0), ("C", 0, 9.0))
    second = evented("two", ("O", 1, 7000), ("C", 1, 7500), unit="milliseconds")
    found = speedscope(first, second)
    assert spans(found) == {
        ("one", "main"): (0.0, 4.0, 2.0),
        ("one", "work"): (1.0, 3.0, 2.0),
        ("two", "work"): (2.0, 2.5, 0.5),
    }
    assert timeline_in(found).span == 4_000_000_000
    whole = [value for start, value in seconds(found)["one", "work"][1:-1]]
    assert set(whole) == {2 ** timeline_in(found).scale / 1e9}


def test_samples_of_speedscope_last_as_long_as_their_weight() -> None:
    profile = {"type": "sampled", "name": "t", "unit": "seconds", "startValue": 2}
    found = speedscope({**profile, "samples": [[0], [0, 1], []], "weights": [1, 2, 1]})
    assert spans(found) == {("t", "main"): (0.0, 1.0, 1.0), ("t", "work"): (1.0, 3.0, 2.0), ("t", ""): (3.0, 4.0, 1.0)}


def test_only_parts_in_units_of_time_have_times() -> None:
    memory = {"type": "sampled", "name": "m", "unit": "bytes", "startValue": 0, "samples": [[0]], "weights": [7]}
    timeline = timeline_in(speedscope(memory, evented("t", ("O", 1, 0), ("C", 1, 1))))
    assert timeline.threads == ("t",)
    assert timeline.values.sum(axis=1).tolist() == [0, 10**9]


def test_self_time_of_trace_events_excludes_the_time_of_inner_calls() -> None:
    def call(name: str, ts: float, dur: float, tid: int = 1) -> dict[str, Any]:
        return {"ph": "X", "pid": 1, "tid": tid, "name": name, "ts": 1.7e15 + ts * 1e6, "dur": dur * 1e6}

    name = {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "Main"}}
    found = read({"traceEvents": [name, call("main", 0, 4), call("work", 1, 2), call("other", 1, 1, tid=7)]})
    assert spans(found) == {
        ("Main", "main"): (0.0, 4.0, 2.0),
        ("Main", "work"): (1.0, 3.0, 2.0),
        ("thread 7", "other"): (1.0, 2.0, 1.0),
    }
    assert not [start for start, _ in seconds(found)["Main", "main"] if 1.1 < start < 2.9]


def test_idle_time_of_a_cpuprofile_is_left_out() -> None:
    def node(number: int, name: str, *children: int) -> dict[str, Any]:
        url = "" if name.startswith("(") else "file:///a.js"
        return {"id": number, "callFrame": {"functionName": name, "url": url}, "children": list(children)}

    nodes = [node(1, "(root)", 2, 3, 4), node(2, "(idle)"), node(3, "work"), node(4, "(garbage collector)")]
    samples = {"samples": [3, 4, 2, 1, 3], "timeDeltas": [500, 10**6, 10**6, 10**6, 10**6]}
    found = read({"nodes": nodes, "startTime": 0, "endTime": 5_000_500, **samples})
    assert spans(found) == {
        ("main thread", "work"): (0.0, 5.0, 2.0),
        ("main thread", "(garbage collector)"): (1.0, 2.0, 1.0),
        ("main thread", ""): (3.0, 4.0, 1.0),
    }


def test_processed_firefox_profiles_have_times_or_differences() -> None:
    thread = {
        "stringArray": ["main"],
        "stackTable": {"prefix": [None], "frame": [0]},
        "frameTable": {"func": [0]},
        "funcTable": {"name": [0]},
        "resourceTable": {},
    }
    meta = {"meta": {"preprocessedProfileVersion": 58}}
    for times in ({"time": [10, 12, 15]}, {"timeDeltas": [10, 2, 3]}):
        found = read({**meta, "threads": [{"name": "t", "samples": {"stack": [0, 0, None], **times}, **thread}]})
        timeline = timeline_in(found)
        assert (timeline.span, timeline.threads, timeline.row.tolist()) == (5_000_000, ("t",), [-1, 0, 0])
        assert (timeline.cell << timeline.scale).tolist()[0] == pytest.approx(5_000_000, rel=0.02)
    unknown = read({**meta, "threads": [{"name": "t", "samples": {"stack": [0], "time": ["x"]}, **thread}]})
    assert unknown.stacks is not None
    assert unknown.stacks.timeline is None


def test_processes_of_firefox_begin_at_their_own_time() -> None:
    def process(start: int, *inner: Any) -> dict[str, Any]:
        samples = {"schema": {"stack": 0, "time": 1}, "data": [[0, 0]]}
        threads = [{"name": f"t{start}", "samples": samples, **TABLES}]
        return {"meta": {"version": 30, "stackwalk": 1, "startTime": start}, "threads": threads, "processes": inner}

    timeline = timeline_in(read(process(1000, process(3000))))
    assert timeline.span == 2_000_000_000
    assert timeline.threads == ("t1000", "t3000")
    assert timeline.cell.tolist() == [0, MOST_BINS + timeline.bins - 1]


def test_repeated_samples_of_python_have_their_own_times() -> None:
    tables = bytes([4]) + b"a.py" + bytes([1]) + b"f" + bytes([0, 1, 2, 0, 0, 0, 0])
    thread = struct.pack("<QI", 9, 1)
    records = thread + b"\x01\x05\x00\x01\x00" + thread + b"\x00\x02" + b"\x0a\x00" + b"\x14\x00"
    start, frames_at = 64, 64 + len(records) + 7
    header = struct.pack("<4sI3BxQQQIQQII", b"HCAT", 1, 3, 15, 2, 0, 1000, 3, 1, start + len(records), frames_at, 0, 1)
    body = header + records + tables
    data = body + struct.pack("<IIQ16x", 2, 1, len(body) + 32)
    timeline = timeline_in(read_profile(source_of("a.bin", data)))
    assert timeline.threads == ("thread 9 of interpreter 1",)
    assert timeline.span == 30_000
    starts = (timeline.cell << timeline.scale).tolist()
    assert starts == pytest.approx([0, 10_000, 30_000], rel=0.05)
    assert timeline.values.tolist() == [[1, 1, 1]]


@settings(max_examples=200, deadline=None)
@given(st.lists(INTERVALS, min_size=1, max_size=4), st.lists(st.integers(0, 2**61), min_size=6, max_size=6))
def test_any_intervals_divide_the_values_exactly(threads: list[list[tuple[int, int, int]]], values: list[int]) -> None:
    clock = Clock()
    for thread in threads:
        node, start, length = np.array(thread, np.int64).reshape(-1, 3).T
        clock.add_thread("t", node, start.astype(np.float64), (start + length).astype(np.float64))
    nodes = {node for thread in threads for node, _, _ in thread}
    own = np.array([value if node in nodes else 0 for node, value in zip((0, 1, 2, 3, 4, -1), values, strict=True)])
    found = timeline_of(clock.threads, own[None, :-1], own[-1:])
    if found is None:
        return
    sums = np.zeros(6, np.int64)
    np.add.at(sums, found.row, found.values[0])
    assert sums.tolist() == own.tolist()
    assert found.values.min(initial=0) >= 0
    assert found.bins <= MOST_BINS


def test_the_smallest_of_many_threads_are_combined() -> None:
    clock = Clock()
    for number in range(MOST_THREADS + 10):
        clock.add_thread(
            f"t{number}", np.zeros(1, np.int64), np.zeros(1), np.array([1000.0 if number == 40 else number])
        )
    found = timeline_of(clock.threads, np.array([[5000]]))
    assert found is not None
    assert len(found.threads) == MOST_THREADS
    assert {"t40", "t41", "t11", OTHERS} < set(found.threads)
    assert "t5" not in found.threads
    assert found.values.sum() == 5000


def test_bins_are_longer_if_intervals_overlap_many_of_them() -> None:
    clock = Clock()
    for number in range(2000):
        clock.add_thread("t", np.array([number]), np.zeros(1), np.array([1e9]))
    found = timeline_of(clock.threads, np.full((1, 2000), 7))
    assert found is not None
    assert len(found.row) < 3 * 2000 + 2**16
    assert found.values.sum() == 14_000


@pytest.mark.parametrize("times", [[], [(0, 5, 5)], [(0, -1e300, 1e300)] * 4])
def test_times_that_give_no_axis_are_ignored(times: list[tuple[int, float, float]]) -> None:
    clock = Clock()
    node, start, end = np.array(times).reshape(-1, 3).T
    clock.add_thread("t", node.astype(np.int64), start, end)
    assert timeline_of(clock.threads, np.array([[5]])) is None


@pytest.mark.parametrize("values", [None, "12", [1], [1, None], [1, "2"], [1, True]])
def test_a_column_that_is_not_a_list_of_times_is_unknown(values: object) -> None:
    assert times_in(values, 2) is None
