import json

import pytest

from profgate.measuring.track.track_folder import record_from_json, record_to_json
from profgate.measuring.track.versions import BenchmarkValue, TrackRun
from profgate.model.units import Metric, MetricKind

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


def damaged(key: str, value: object) -> str:
    content = json.loads(record_to_json(RECORD))
    where = content if key in content else content["values"][0]
    (where if key in where else where["metric"])[key] = value
    return json.dumps(content)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "null", "{", '{"schema": 1}', '{"schema": "profgate.track-run/1"}', "[" * 9999),
        record_to_json(RECORD).replace("run/1", "run/2"),  # of a later version
        *(damaged(key, value) for key, value in {"kind": "other", "values": [1], "value": "text"}.items()),
    ],
)
def test_invalid_record_is_measured_again(text: str) -> None:
    assert record_from_json(text) is None
