"""Lines of JSON of Python 3.15's sampling profiler; `test_python_sampling` compares recorded ones with other forms."""

import json
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.python_sampling_jsonl import PythonSamplingJsonlReader

META = {"type": "meta", "sample_interval_usec": 1000, "mode": "cpu"}
TEXTS = {"type": "string_table", "strings": [{"str_id": 0, "value": "a.py"}, {"str_id": 1, "value": "fib"}]}
LINES = [{"frame_id": row, "path_str_id": 0, "func_str_id": 1, "line": line} for row, line in enumerate((9, 5, -1))]
FRAMES = {"type": "frame_table", "frames": LINES}
COUNTS = {
    "type": "agg",
    "entries": [
        {"frame_id": 0, "self": 3, "cumulative": 4},
        {"frame_id": 1, "self": 1, "cumulative": 3},
        {"frame_id": 2, "self": 0, "cumulative": 1},
    ],
}
END = {"type": "end", "samples_total": 4}


def read(*records: dict[str, Any]) -> Profile:
    data = "".join(json.dumps({"v": 0, "run_id": "a"} | record) + "\n" for record in records).encode()
    return PythonSamplingJsonlReader().read(source_of("a.jsonl", data))


def test_lines_of_a_function_are_added_up() -> None:
    found = read(META, TEXTS, FRAMES, COUNTS, {"type": "news"}, END)
    assert (found.frames.names, found.frames.files, found.frames.lines) == (["fib"], ["a.py"], [5])
    assert found.graph is not None
    assert (found.graph.self_value.tolist(), found.graph.total_value.tolist()) == ([[4]], [[4]])


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ((META, TEXTS, FRAMES, COUNTS), "a.jsonl: has no record 'end': the file is cut off"),
        ((META | {"v": 1}, END), "a.jsonl:1: expected version 0 of the records, found 1"),
        ((META, END | {"run_id": "b"}), "a.jsonl:2: contains a second run"),
        ((META, FRAMES, COUNTS, END), "a.jsonl:3: counts samples of a frame that is not described before"),
        ((META | {"sample_interval_usec": "fast"}, END), "expected a number for 'sample_interval_usec', found 'fast'"),
        ((META, TEXTS | {"strings": [{"str_id": 0, "value": 1}]}, END), "a.jsonl:2: expected a text for 'value'"),
        (
            (META, TEXTS, FRAMES | {"frames": [LINES[0] | {"line": -2}]}, END),
            "expected a number for 'line', found '-2'",
        ),
    ],
)
def test_damaged_lines_are_an_error_with_their_place(records: tuple[dict[str, Any], ...], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(*records)
