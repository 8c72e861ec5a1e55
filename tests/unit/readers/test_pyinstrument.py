import json
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.pyinstrument import PyinstrumentReader
from stack_rows import rows

RECORDED = Path(__file__).parents[2] / "data" / "pyinstrument" / "pyinstrument-5.1.3.json"


def call(function: Any, time: Any, *children: Any, file: str = "shop.py", line: int = 3, **more: Any) -> dict[str, Any]:
    return {"function": function, "file_path": file, "line_no": line, "time": time, "children": list(children), **more}


def document(root: Any) -> bytes:
    return json.dumps({"start_time": 1.5, "duration": 1, "sample_count": 9, "root_frame": root}).encode()


def read(data: bytes) -> Profile:
    return PyinstrumentReader().read(source_of("a.json", data))


def test_a_recorded_file_has_its_root_and_leaf_times() -> None:
    found, written = rows(read(RECORDED.read_bytes())), json.loads(RECORDED.read_text())
    assert sum(value for _, [value] in found) == round(written["root_frame"]["time"] * 1e9)
    path = "<module>;main;sort_orders;<genexpr>;price"
    # what `pyinstrument -r text` prints of the same recording: [self] of price, and sleep
    assert dict(found)[path] == [28_813_000]
    assert dict(found)["<module>;main;wait;sleep"] == [215_028_000]


def test_own_time_is_what_the_callees_leave() -> None:
    found = read(document(call("main", 1.5, call("work", 1, call("rest", 0.25), line=9), call("rest", 0.25))))
    assert rows(found) == [
        ("main", [250_000_000]),
        ("main;work", [750_000_000]),
        ("main;work;rest", [250_000_000]),
        ("main;rest", [250_000_000]),
    ]
    assert found.frames.lines == [3, 9, 3]
    assert (found.warnings, found.warning_counts) == ((), {})


def test_what_pyinstrument_calls_self_is_the_callers_own() -> None:
    found = read(document(call("main", 3, call("[self]", 1, file="", line=0), call("work", 2))))
    assert rows(found) == [("main", [10**9]), ("main;work", [2 * 10**9])]
    assert found.frames.names == ["main", "work"]


def test_methods_carry_their_class_and_builtins_no_file() -> None:
    found = read(document(call("get", 1, call("sleep", 1, file="<built-in>", line=0), class_name="Shop")))
    assert (found.frames.names, found.frames.files) == (["Shop.get", "sleep"], ["shop.py", None])
    assert found.frames.lines == [3, None]


@pytest.mark.parametrize(
    ("root", "message"),
    [
        (7, "'root_frame' is not a JSON object"),
        (call(None, 1), "call 0: has no 'function'"),
        (call("main", -1), "'-1' for a time"),
        (call("main", 1, 7), "not a JSON object"),
        ({"function": "main", "time": 1}, "'children' is not a JSON array"),
    ],
)
def test_calls_of_another_shape_are_refused(root: Any, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(document(root))
