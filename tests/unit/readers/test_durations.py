"""The file that ``profgate ranks record`` writes, read back."""

import json

import pytest

from profgate.errors import ProfileError
from profgate.model.durations import DurationRun, durations_from_json, durations_to_json

RUN = DurationRun("monday", "nanoseconds", {"b": 2.5, "a": 1e9}, "c0ffee", "2026-01-02T03:04:05+00:00")


def test_round_trip_sorts_the_tests() -> None:
    text = durations_to_json(RUN)
    assert list(json.loads(text)["durations"]) == ["a", "b"]
    assert durations_from_json(text.encode(), "x.json") == RUN


def document(**changes: object) -> bytes:
    content = json.loads(durations_to_json(RUN)) | changes
    return json.dumps({name: value for name, value in content.items() if value is not None}).encode()


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"{", "not JSON"),
        (document(schema="profgate.durations/2"), "schema"),
        (document(label=7), "'label'"),
        (document(durations=None), "'durations'"),
        (document(durations={"a": True}), "duration of 'a'"),
        (document(durations={"a": -1}), "duration of 'a'"),
        (document(durations={"a": 1e300}), "duration of 'a'"),
        (document().replace(b"2.5", b"NaN"), "duration of 'b'"),
        (document().replace(b"2.5", b"1" * 5000), "not JSON"),
    ],
)
def test_other_files_are_refused_with_the_reason(data: bytes, what: str) -> None:
    with pytest.raises(ProfileError, match=what):
        durations_from_json(data, "x.json")
