import json

import pytest

from profgate.model.units import Metric, MetricKind
from profgate.track.track_folder import record_from_json, record_to_json
from profgate.track.versions import BenchmarkValue, TrackRun

RECORD = TrackRun(
    (
        BenchmarkValue("work", Metric("calls", "count", kind=MetricKind.COUNTED), 12.0, "bench.py", 3, "d1"),
        BenchmarkValue("work", Metric("speed", "1/s", "higher", MetricKind.TIMED), 0.5),
    ),
    seconds=1.25,
    machine="Linux",
    warnings=("x.bin: no format",),
)


def test_record_round_trip() -> None:
    assert record_from_json(record_to_json(RECORD)) == RECORD
    assert record_from_json(record_to_json(TrackRun(problem="make failed"))) == TrackRun(problem="make failed")


@pytest.mark.parametrize(
    "text", ["", "[]", "null", "{", '{"schema": 1}', '{"schema": "profgate.track-run/1"}', "[" * 9999]
)
def test_invalid_text_is_measured_again(text: str) -> None:
    assert record_from_json(text) is None


def test_record_of_later_version_is_measured_again() -> None:
    assert record_from_json(record_to_json(RECORD).replace("run/1", "run/2")) is None


@pytest.mark.parametrize(("key", "value"), [("kind", "other"), ("values", [1]), ("value", "text")])
def test_damaged_record_is_measured_again(key: str, value: object) -> None:
    content = json.loads(record_to_json(RECORD))
    where = content if key in content else content["values"][0]
    (where if key in where else where["metric"])[key] = value
    assert record_from_json(json.dumps(content)) is None
