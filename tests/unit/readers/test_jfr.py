import gzip
import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import JFR_EVENTS, source_of
from profgate.readers.jfr import BYTES_FIELDS, SAMPLES, JfrReader
from stack_rows import rows

RECORDED = Path(__file__).parents[2] / "data" / "jfr"
TUTORIAL = Path(__file__).parents[3] / "docs" / "tutorials" / "java.md"


def read(*events: Any) -> Profile:
    document = {"recording": {"events": events}}
    return JfrReader().read(source_of("a.json", json.dumps(document).encode()))


def event(*leaf_first: str, kind: str = "jdk.ExecutionSample", truncated: bool = False, **more: Any) -> dict[str, Any]:
    frames = [{"method": {"type": {"name": "org/Shop"}, "name": name}, "lineNumber": 7} for name in leaf_first]
    return {"type": kind, "values": {"stackTrace": {"truncated": truncated, "frames": frames}, **more}}


def recorded(name: str) -> Profile:
    return JfrReader().read(source_of("a.json", gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes())))


@pytest.mark.parametrize(
    ("name", "samples"),
    [("jdk-25.0.2", 60), ("async-profiler-4.1", 60)],  # jdk.CPUTimeSample, profiler.WallClockSample
)
def test_samples_of_recorded_files(name: str, samples: int) -> None:
    found = rows(recorded(name))
    assert sum(value for _, [value] in found) == samples
    assert any("Bench.main;Bench.text" in path for path, _ in found)


def test_a_recorded_file_agrees_with_jfr_summary() -> None:
    found = recorded("jdk-17.0.15")
    # `jfr summary`: jdk.ExecutionSample 11
    assert sum(value for _, [value] in rows(found)) == 11
    assert any("Shop.main;Shop.sorted;java.util.Collections.sort" in path for path, _ in rows(found))
    assert found.periods == (1,)


def test_allocations_are_a_second_metric() -> None:
    found = read(event("sort", "main"), event("list", "main", kind="jdk.ObjectAllocationSample", weight=4096))
    assert [metric.name for metric in found.metrics] == ["samples", "allocated"]
    assert dict(rows(found)) == {"org.Shop.main;org.Shop.sort": [1, 0], "org.Shop.main;org.Shop.list": [0, 4096]}


@pytest.mark.parametrize(
    ("kinds", "count"),
    [
        (["jdk.CPUTimeSample"], 1),
        (["jdk.ExecutionSample", "jdk.NativeMethodSample"], 2),
        (["jdk.ExecutionSample", "jdk.CPUTimeSample"], 1),  # both sample the same threads
        (["profiler.WallClockSample"], 3),
        (["profiler.WallClockSample", "jdk.ExecutionSample"], 1),
        (["profiler.LiveObject"], 0),
    ],
)
def test_most_precise_samples_are_counted(kinds: list[str], count: int) -> None:
    found = rows(read(*(event("sort", kind=kind, samples=3, size=64) for kind in kinds)))
    assert sum(values[0] for _, values in found) == count


def test_bytes_of_native_code_are_a_metric_of_their_own() -> None:
    kinds = "profiler.Malloc", "jdk.ObjectAllocationOutsideTLAB"
    found = read(*(event("sort", kind=kind, size=64, allocationSize=8) for kind in kinds))
    assert [metric.name for metric in found.metrics] == ["allocated", "malloc"]
    assert sorted(values for _, values in rows(found)) == [[0, 64], [8, 0]]


def test_frames_of_the_profiler_and_lost_samples() -> None:
    handler = {"method": {"type": {"name": "libasyncProfiler.so"}, "name": "WallClock::signalHandler"}}
    interrupted = event("sort", "main")
    interrupted["values"]["stackTrace"]["frames"].insert(0, handler)
    lost = {"type": "jdk.CPUTimeSamplesLost", "values": {"lostSamples": 5}}
    found = read(interrupted, lost, lost)
    assert rows(found) == [("org.Shop.main;org.Shop.sort", [1])]
    assert list(found.warning_counts.values()) == [10]


def test_cut_stacks_do_not_pass_for_whole_ones() -> None:
    found = read(event("sort", "main", truncated=True))
    assert rows(found) == [("[truncated];org.Shop.main;org.Shop.sort", [1])]
    assert list(found.warning_counts.values()) == [1]


def test_samples_without_a_stack_are_reported() -> None:
    found = read({"type": "jdk.CPULoad", "values": 7}, {"type": "jdk.ExecutionSample", "values": {"stackTrace": None}})
    assert rows(found) == []
    assert list(found.warning_counts.values()) == [1]


@pytest.mark.parametrize(
    ("version", "runtime"),
    [
        ("OpenJDK 64-Bit Server VM (25.0.2+10) for linux", "25.0.2+10"),
        ("17.0.15+6", "17.0.15+6"),
        ("none", "java"),
    ],
)
def test_runtime_is_the_version_of_the_jdk(version: object, runtime: str) -> None:
    java = {"type": "jdk.JVMInformation", "values": {"jvmVersion": version}}
    assert read(java, event("sort")).facts.runtime == runtime


def test_all_events_that_are_read_are_printed() -> None:
    assert {"jdk.JVMInformation", "jdk.CPUTimeSamplesLost", *chain(*SAMPLES), *BYTES_FIELDS} == set(JFR_EVENTS)
    assert f"--events {','.join(JFR_EVENTS)} " in TUTORIAL.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (7, "event 0: it is not a JSON object"),
        ({"type": "jdk.ExecutionSample"}, "'values' is not a JSON object"),
        ({"type": "jdk.ExecutionSample", "values": {"stackTrace": {"frames": [{}]}}}, "'method' is not a JSON object"),
        (event("f", kind="jdk.ObjectAllocationSample", weight=-1), "cannot be a number of bytes"),
    ],
)
def test_events_of_another_shape_are_refused(entry: Any, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(entry)
