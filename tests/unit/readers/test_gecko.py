"""No file of Firefox stands behind these tests: all were written by hand after the documentation."""

import json
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.firefox import FirefoxReader
from profgate.readers.gecko import FrameLocation, GeckoReader, located
from stack_rows import rows

BY_HAND = Path(__file__).parents[2] / "data" / "gecko" / "by-hand-30.json"
TEXTS = ["main", "work (https://shop.example/a.js:3:1)", "0x1f3a"]
LIBRARY = {"start": 4096, "end": 8192, "offset": 0, "name": "libshop.so"}


def table(schema: list[str], data: list[Any]) -> dict[str, Any]:
    return {"schema": {name: number for number, name in enumerate(schema)}, "data": data}


def thread(stack: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "samples": table(["stack", "time"], [[number, at] for at, number in enumerate(stack)]),
        "stackTable": table(["prefix", "frame"], [[None, 0], [0, 1], [1, 2]]),
        "frameTable": table(["location", "line"], [[0, 9], [1, 5], [2]]),
        "stringTable": TEXTS,
        **more,
    }


def document(*threads: Any, **more: Any) -> bytes:
    return json.dumps({"meta": {"version": 30, "stackwalk": 1}, "threads": threads, **more}).encode()


def read(data: bytes) -> Profile:
    return GeckoReader().read(source_of("a.json", data))


def test_all_processes_of_the_documented_file_are_read() -> None:
    found = read(BY_HAND.read_bytes())
    script = "https://shop.example/cart.js"
    assert rows(found) == [
        ("(root)", [1]),
        ("(root);Startup::XRE_Main;0x2010", [2]),
        (f"(root);addToCart;(root scope) {script}", [1]),
        ("(root);addToCart;nsThread::Run()", [1]),
        ("(root);0xffff0000", [1]),
        ("(root);0x2010", [1]),
    ]
    assert found.stacks is not None
    assert found.stacks.root_values.tolist() == [1]
    assert (found.metrics[0].name, found.metrics[0].unit, found.periods) == ("samples", "samples", (1,))
    assert (found.facts.format, found.facts.profiler) == ("gecko", "Firefox")
    frames = found.frames
    places = zip(frames.files, frames.lines, frames.modules, strict=True)
    where = dict(zip(frames.names, places, strict=True))
    assert where["addToCart"] == (script, 12, None)
    assert where["0x2010"] == (None, None, "libxul.so")
    assert where["nsThread::Run()"] == (None, None, "libxul.so")
    assert where["0xffff0000"] == (None, None, None)
    assert list(found.warning_counts.values()) == [2]  # bare addresses


def test_the_address_of_a_library_changes_no_frame() -> None:
    moved = LIBRARY | {"start": 104096, "end": 108192}
    first = read(document(thread([2], stringTable=["main", "work", "0x1f3a"]), libs=[LIBRARY]))
    second = read(document(thread([2], stringTable=["main", "work", hex(0x1F3A + 100000)]), libs=[moved]))
    assert rows(first) == rows(second) == [("main;work;0xf3a", [1])]
    assert first.frames == second.frames


@pytest.mark.parametrize(
    ("address", "inside"), [("0xfff", False), ("0x1000", True), ("0x1fff", True), ("0x2000", False)]
)
def test_a_library_ends_before_its_end(address: str, inside: bool) -> None:
    found = read(document(thread([2], stringTable=["main", "work", address]), libs=[LIBRARY]))
    assert found.frames.modules[2] == ("libshop.so" if inside else None)


def test_newer_versions_are_refused_before_their_tables() -> None:
    with pytest.raises(ProfileError, match="version 37 of this format, of which versions up to 36 are read"):
        read(document({}, meta={"version": 37}))


def test_both_formats_of_a_recording_agree() -> None:
    processed = {
        "meta": {"preprocessedProfileVersion": 47},
        "threads": [
            {
                "samples": {"stack": [2, 1, None, 1], "weight": None},
                "stackTable": {"prefix": [None, 0, 1], "frame": [0, 1, 2]},
                "frameTable": {"func": [0, 1, 2], "line": [9, 5, None]},
                "funcTable": {"name": [0, 1, 2], "fileName": [None, 3, None], "lineNumber": [None, 3, None]},
                "resourceTable": {},
                "stringArray": ["main", "work", "0x1f3a", "https://shop.example/a.js"],
            }
        ],
    }
    new = FirefoxReader().read(source_of("a.json", json.dumps(processed).encode()))
    raw = read(document(thread([2, 1, None, 1])))
    assert rows(raw) == rows(new)
    assert raw.frames == new.frames
    assert (raw.metrics, raw.periods) == (new.metrics, new.periods)


@pytest.mark.parametrize(
    ("location", "place"),
    [
        ("Startup::XRE_Main", FrameLocation("Startup::XRE_Main")),
        ("f (a.js:12)", FrameLocation("f", "a.js", 12)),
        ("f (a.js:12:7)", FrameLocation("f", "a.js", 12)),
        ("f (http://shop.example:80/a.js:12:7)", FrameLocation("f", "http://shop.example:80/a.js", 12)),
        ("f (loader.js -> a.js:12:7)", FrameLocation("f", "a.js", 12)),
        ("a.js:12:7", FrameLocation("(root scope) a.js", "a.js", 12)),
        ("get x (y) (a.js:1:2)", FrameLocation("get x (y)", "a.js", 1)),
        ("f (a.js:12:7)[1]", FrameLocation("f", "b.js", 12)),
        ("f (:12:7)[1]", FrameLocation("f", "b.js", 12)),
        ("f (a.js:12:7)[9]", FrameLocation("f", "a.js", 12)),
        ("f (:12:7)[9]", FrameLocation("f", None, 12)),
        ("f (:12:7)", FrameLocation("f (:12:7)")),
        ("slice[3]", FrameLocation("slice[3]")),
        ("f(int) (in libx.so)", FrameLocation("f(int)", module="libx.so")),
        ("f(int) (in libx.so) + 12", FrameLocation("f(int)", module="libx.so")),
        ("f(int) (in libx.so) (x.cpp:12)", FrameLocation("f(int)", module="libx.so")),
        ("non-virtual thunk to f() (in libx.so)", FrameLocation("f()", module="libx.so")),
        ("f (in libx.so", FrameLocation("f (in libx.so")),
        ("", FrameLocation("")),
    ],
)
def test_locations_are_split_as_in_the_viewer(location: str, place: FrameLocation) -> None:
    assert located(location, ["a.js", "b.js"]) == place


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": table(["stack"], [[9]])}, "a sample of stack 9, but there are 3 stacks"),
        ({"samples": table(["time"], [[1]])}, "the schema of 'samples' has no 'stack'"),
        ({"samples": {"schema": {"stack": -1}, "data": [[1]]}}, "something other than a column"),
        ({"stackTable": table(["prefix", "frame"], [[7, 0]])}, "do not fit together"),
        ({"stackTable": table(["prefix", "frame"], [[1, 0], [0, 0]])}, "circle"),
        ({"frameTable": table(["location"], [[0], [1], [9]])}, "names text 9, but there are 3 texts"),
        ({"stringTable": [1, 2, 3]}, "names text 0"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        read(document(thread([1], **change), processes=[]))
    assert caught.value.where.startswith("a.json")
