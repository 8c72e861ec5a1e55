"""Most files of these tests were written by hand after the documentation."""

import json
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.firefox import FirefoxReader
from stack_rows import rows

TEXTS = ["main", "work", "0x1f3a", "shop.rs", "shop"]
# main -> work -> 0x1f3a, and main -> work in another node
STACKS = {"prefix": [None, 0, 1, 0], "frame": [0, 1, 2, 1]}
FRAMES = {"func": [0, 1, 2], "line": [3, 9, None], "address": [1, 2, 3]}
FUNCTIONS = {"name": [0, 1, 2], "resource": [0, 0, -1], "fileName": [3, None, None], "lineNumber": [2, None, None]}
RESOURCES = {"lib": [0], "name": [4], "type": [1]}


def samples(stack: list[Any], **more: Any) -> dict[str, Any]:
    return {"stack": stack, "time": list(range(len(stack))), "weight": None, "weightType": "samples", **more}


def thread(stack: list[Any], **more: Any) -> dict[str, Any]:
    columns = {"stackTable": STACKS, "frameTable": FRAMES, "funcTable": FUNCTIONS, "resourceTable": RESOURCES}
    return {"name": "t", "stringArray": TEXTS, "samples": samples(stack), **columns, **more}


def document(*threads: Any, **more: Any) -> bytes:
    meta = {"preprocessedProfileVersion": 47, "product": "shop", "interval": 1}
    return json.dumps({"meta": meta, "libs": [{"name": "libshop.so"}], "threads": threads, **more}).encode()


def read(data: bytes) -> Profile:
    return FirefoxReader().read(source_of("a.json", data))


def test_samples_are_counted_by_their_stack() -> None:
    found = read(document(thread([2, 2, 1, None, 3])))
    assert rows(found) == [("main;work", [1]), ("main;work;0x1f3a", [2]), ("main;work", [1])]
    assert found.stacks is not None
    assert found.stacks.root_values.tolist() == [1]
    assert (found.metrics[0].name, found.metrics[0].unit, found.periods) == ("samples", "samples", (1,))
    assert found.frames.files == ["shop.rs", None, None]
    assert found.frames.lines == [2, 9, None]
    assert found.frames.modules == ["libshop.so", "libshop.so", None]
    assert list(found.warning_counts.values()) == [1]  # a bare address


def test_newer_versions_share_texts_sources_and_tables() -> None:
    functions = {key: value for key, value in FUNCTIONS.items() if key != "fileName"} | {"source": [0, None, None]}
    shared = {
        "stringArray": TEXTS,
        "sources": {"filename": [3], "uuid": [None]},
        "stackTable": STACKS,
        "frameTable": FRAMES,
        "funcTable": functions,
        "resourceTable": RESOURCES,
    }
    new = read(document({"samples": samples([2, 2, 1, None, 3])}, shared=shared))
    old = read(document(thread([2, 2, 1, None, 3])))
    assert rows(new) == rows(old)
    assert new.frames == old.frames


def test_threads_that_share_tables_add_up() -> None:
    names = ("stackTable", "frameTable", "funcTable", "resourceTable", "stringArray")
    whole = thread([])
    shared = {name: whole[name] for name in names}
    found = read(document({"samples": samples([0, 1])}, {"samples": samples([1, 3])}, shared=shared))
    assert rows(found) == [("main", [1]), ("main;work", [2]), ("main;work", [1])]
    other = {"stackTable": {"prefix": [None], "frame": [2]}, "samples": samples([0])}
    assert rows(read(document({"samples": samples([0])}, other, shared=shared))) == [("main", [1]), ("0x1f3a", [1])]


def shared(version: int, **more: Any) -> Profile:
    tables = {"stackTable": STACKS, "frameTable": FRAMES, "funcTable": FUNCTIONS, "resourceTable": RESOURCES}
    meta = {"preprocessedProfileVersion": version}
    texts = {"stringArray": TEXTS, "sources": {"filename": [3]}}
    return read(document({"samples": samples([2, 2, 3])}, meta=meta, shared={**tables, **texts, **more}))


def test_callers_are_distances_since_version_66() -> None:
    found = shared(68, stackTable={"prefixOffset": [0, 1, 1, 3], "frame": STACKS["frame"]})
    assert rows(found) == rows(shared(60)) == [("main;work;0x1f3a", [2]), ("main;work", [1])]
    for offsets in ([1, 0, 0, 0], [0, -1, 0, 0], [0, 2, 0, 0]):
        with pytest.raises(ProfileError, match=r"leads to no other stack|not a row"):
            shared(68, stackTable={"prefixOffset": offsets, "frame": STACKS["frame"]})


def test_frames_name_their_library_since_version_70() -> None:
    frames, functions = FRAMES | {"lib": [-1, 0, 0]}, {"name": [0, 1, 2], "resource": [-1, -1, -1]}
    found = shared(70, frameTable=frames, funcTable=functions, resourceTable={"name": [4]})
    assert dict(zip(found.frames.names, found.frames.modules, strict=True)) == {
        "main": None,
        "work": "libshop.so",
        "0x1f3a": "libshop.so",
    }


def test_newer_versions_are_refused_before_their_tables() -> None:
    with pytest.raises(ProfileError, match="version 71 of this format, of which versions up to 70 are read"):
        read(document({}, meta={"preprocessedProfileVersion": 71}))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"string_table": 7}, "'string_table' is not a JSON array"),
        ({"data": [{"symbol_table": [{"symbol": 1}]}]}, "names text 1, but there are 1 texts"),
        ({"data": [{"symbol_table": [{"symbol": 0}], "known_addresses": [[2, 1]]}]}, "address of a symbol"),
        ({"data": [{"symbol_table": [], "known_addresses": [[2]]}]}, "symbols of library 0"),
    ],
)
def test_damaged_symbols_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(document(thread([1]), profgateSymbols={"string_table": ["work"], "data": [], **change}))


def test_weights_decide_the_metric() -> None:
    timed = thread([], samples=samples([1, 0], weight=[1.5, 2], weightType="tracing-ms"))
    sized = thread([], samples=samples([1], weight=[64], weightType="bytes"))
    found = read(document(timed, sized))
    assert [(metric.name, metric.unit) for metric in found.metrics] == [("time", "nanoseconds"), ("bytes", "bytes")]
    assert rows(found) == [("main", [2_000_000, 0]), ("main;work", [1_500_000, 0]), ("main;work", [0, 64])]
    assert found.periods == (None, None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"samples": samples([9])}, "a sample of stack 9, but there are 4 stacks"),
        ({"samples": samples([1 << 70])}, "not a row"),
        ({"samples": samples([1], weight=[-1])}, "negative"),
        ({"samples": samples([1], weightType="furlongs")}, "'furlongs'"),
        ({"stackTable": {"prefix": [7], "frame": [0]}}, "do not fit together"),
        ({"stackTable": {"prefix": [1, 0], "frame": [0, 0]}}, "circle"),
        ({"frameTable": {"func": [7]}}, "a function that it does not contain"),
        ({"frameTable": FRAMES | {"line": []}}, "0 rows instead of 3"),
        ({"funcTable": FUNCTIONS | {"name": [0, 1, 9]}}, "names text 9, but there are 5 texts"),
        ({"funcTable": {"name": [0, 1, 2], "source": [0, 0, 0]}}, "'sources' is not a JSON object"),
        ({"resourceTable": {"lib": [5]}}, "a library that the profile does not contain"),
        ({"stringArray": [1, 2, 3, 4, 5]}, "names text 0"),
    ],
)
def test_tables_that_do_not_fit_together_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        read(document(thread([1], **change)))
    assert caught.value.where.startswith("a.json")
