import gc
import json
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers.speedscope import SpeedscopeReader
from stack_rows import rows

RECORDED = Path(__file__).parents[2] / "data" / "speedscope" / "py-spy-0.4.3.speedscope.json"
SCHEMA = "https://www.speedscope.app/file-format-schema.json"
FRAMES = [{"name": "main", "file": "a.py", "line": 3}, {"name": "work"}, {"name": "rest", "file": ""}]


def sampled(samples: list[Any], weights: list[Any], unit: str = "seconds") -> dict[str, Any]:
    return {"type": "sampled", "name": "t", "unit": unit, "startValue": 0, "samples": samples, "weights": weights}


def evented(events: list[Any], unit: str = "milliseconds", end: Any = 0) -> dict[str, Any]:
    rows = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]
    return {"type": "evented", "name": "t", "unit": unit, "startValue": 0, "endValue": end, "events": rows}


def document(*profiles: dict[str, Any]) -> bytes:
    return json.dumps({"$schema": SCHEMA, "shared": {"frames": FRAMES}, "profiles": profiles}).encode()


def read(data: bytes) -> Profile:
    return SpeedscopeReader().read(source_of("a.json", data))


def test_a_recorded_file_has_its_own_sum_of_weights() -> None:
    found = read(RECORDED.read_bytes())
    stated = json.loads(RECORDED.read_text())["profiles"]
    assert found.stacks is not None
    assert int(found.stacks.values.sum()) == round(sum(sum(item["weights"]) for item in stated) * 1e9)
    assert found.periods == (10_000_000,)
    assert (found.facts.profiler, found.facts.profiler_version) == ("py-spy", "0.4.3")
    assert found.facts.rate == pytest.approx(100)
    assert {"leaf", "branch"} <= {name.split(" ")[0] for name in found.frames.names}
    assert sum(len(item["samples"]) for item in stated) == found.stacks.values.shape[1]


def test_sampled_weights_are_exact_integers_of_the_base_unit() -> None:
    found = read(document(sampled([[0, 1], [0], []], [0.1, 0.2, 0.3])))
    assert rows(found) == [("main;work", [100_000_000]), ("main", [200_000_000])]
    assert found.stacks is not None
    assert found.stacks.root_values.tolist() == [300_000_000]
    assert (found.metrics[0].unit, found.metrics[0].exponent) == ("nanoseconds", 0)
    assert found.metrics[0].kind is MetricKind.SAMPLED
    assert found.frames.files == ["a.py", None, None]
    assert found.frames.lines == [3, None, None]


def test_values_finer_than_the_base_unit_keep_an_exponent() -> None:
    found = read(document(sampled([[0], [1]], [1.25, 2], "nanoseconds")))
    assert rows(found) == [("main", [125]), ("work", [200])]
    assert found.metrics[0].exponent == -2


def test_threads_of_other_units_are_metrics_of_their_own() -> None:
    found = read(document(sampled([[0]], [2], "none"), sampled([[1]], [64], "bytes")))
    assert [(metric.name, metric.kind) for metric in found.metrics] == [
        ("samples", MetricKind.SAMPLED),
        ("bytes", MetricKind.SAMPLED),
    ]
    assert rows(found) == [("main", [2, 0]), ("work", [0, 64])]


def test_events_give_self_times_and_calls() -> None:
    events = [("O", 0, 0), ("O", 1, 1), ("C", 1, 3), ("O", 1, 4), ("C", 1, 4.5), ("C", 0, 6)]
    found = read(document(evented(events)))
    assert rows(found) == [("main", [3_500_000]), ("main;work", [2_500_000])]
    assert found.stacks is not None
    assert found.stacks.calls is not None
    assert found.stacks.calls.tolist() == [1, 2]
    assert found.metrics[0].kind is MetricKind.TIMED
    assert (found.warnings, found.warning_counts) == ((), {})


def test_time_without_an_open_call_belongs_to_nobody() -> None:
    found = read(document(evented([("O", 0, 5), ("C", 0, 6), ("O", 0, 9), ("C", 0, 10)], end=99)))
    assert rows(found) == [("main", [2_000_000])]


def test_calls_are_unknown_when_a_thread_is_sampled() -> None:
    found = read(document(evented([("O", 0, 0), ("C", 0, 1)]), sampled([[1]], [1], "milliseconds")))
    assert found.stacks is not None
    assert found.stacks.calls is None
    assert rows(found) == [("main", [1_000_000]), ("work", [1_000_000])]


@pytest.mark.parametrize(
    ("events", "end", "expected", "warning"),
    [
        ([("O", 0, 0), ("O", 1, 1), ("C", 0, 3)], 3, [("main", 1), ("main;work", 2)], "1 calls that are not opened"),
        ([("O", 0, 0), ("C", 1, 1), ("C", 0, 3)], 3, [("main", 3)], "1 calls that are not opened"),
        (
            [("O", 0, 0), ("O", 1, 1), ("O", 2, 2), ("C", 0, 4), ("C", 2, 5), ("O", 1, 5), ("C", 1, 6)],
            6,
            [("main", 1), ("main;work", 1), ("main;work;rest", 2), ("work", 1)],
            "3 calls that are not opened",
        ),
        ([("O", 0, 0)], 4, [("main", 4)], "1 calls that are never closed"),
    ],
)
def test_disordered_events_are_counted_and_survived(
    events: list[Any], end: int, expected: list[tuple[str, int]], warning: str
) -> None:
    found = read(document(evented(events, "nanoseconds", end)))
    assert rows(found) == [(path, [value]) for path, value in expected]
    assert any(f"{count} {what}".startswith(warning) for what, count in found.warning_counts.items())


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        (sampled([[0]], []), "1 samples and 0 weights"),
        (sampled([[7]], [1]), "there are 3 frames"),
        (sampled([[1 << 70]], [1]), "beyond all frames"),
        (sampled([[0]], [-1]), "negative weight"),
        (sampled([[0]], [1e300]), "beyond"),
        (sampled([[0], [0]], [1 << 62, 1 << 62], "none"), "more than"),
        (sampled([[0]], [1], "fortnights"), "the unit 'fortnights'"),
        (evented([("X", 0, 1)]), "the type 'X'"),
        (evented([("O", 0, "x")]), "no time"),
        ({"type": "other", "unit": "none"}, "the type 'other'"),
    ],
)
def test_inconsistent_profiles_are_refused_with_their_number(profile: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        read(document(profile))
    assert caught.value.where.startswith("a.json")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"shared": 1', r"line 1, column \d+"),
        (b'{"shared": NaN}', "'shared' is not"),
        (b'{"shared": ' + b"1" * 5000 + b"}", "number cannot be read"),
        (b'{"shared": {"frames": [{}]}}', "frame 0: has no name"),
        (b'{"shared": {"frames": []}}', "'profiles' is not a JSON array"),
    ],
)
def test_texts_that_are_no_such_document_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(data)
    assert gc.isenabled()


@pytest.mark.parametrize(
    ("exporter", "kinds", "names"),
    [
        ("memray@1.20.0", {MetricKind.COUNTED}, ["bytes", "allocations"]),
        ("py-spy@0.4.3", {MetricKind.SAMPLED}, ["bytes", "samples"]),
    ],
)
def test_tool_decides_what_is_counted(exporter: str, kinds: set[MetricKind], names: list[str]) -> None:
    content = json.loads(document(sampled([[0]], [8], "bytes"), sampled([[0]], [2], "none")))
    found = read(json.dumps(content | {"exporter": exporter}).encode())
    assert ({metric.kind for metric in found.metrics}, [metric.name for metric in found.metrics]) == (kinds, names)


def test_calls_of_pyinstrument_are_samples() -> None:
    content = json.loads(document(evented([("O", 0, 0), ("C", 0, 5)])))
    found = read(json.dumps(content | {"exporter": "pyinstrument"}).encode())
    assert found.metrics[0].kind is MetricKind.SAMPLED
    assert found.stacks is not None
    assert found.stacks.calls is None
    assert any("-r json" in text for text in found.warnings)
