import json
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.cpuprofile import CpuprofileReader
from stack_rows import own_values, rows

RECORDED = Path(__file__).parents[2] / "data" / "cpuprofile" / "node-20.20.cpuprofile"
SPECIAL = ("(root)", "(idle)", "(program)", "(garbage collector)")


def node(number: int, name: str, children: list[int] | None = None, line: int = 0, **more: Any) -> dict[str, Any]:
    url = "" if name in SPECIAL else "file:///app/a.js"
    call = {"functionName": name, "scriptId": "1", "url": url, "lineNumber": line, "columnNumber": 2}
    return {"id": number, "callFrame": call, "children": children or [], **more}


NODES = [
    node(1, "(root)", [2, 3, 4, 7]),
    node(2, "(idle)"),
    node(3, "(garbage collector)"),
    node(4, "main", [5, 6], 9),
    node(5, "work", line=19),
    node(6, "", line=29),
    node(7, "(program)"),
]


def document(samples: list[Any], deltas: list[Any], end: Any = 0, nodes: list[Any] = NODES) -> bytes:
    return json.dumps(
        {"nodes": nodes, "startTime": 0, "endTime": end, "samples": samples, "timeDeltas": deltas}
    ).encode()


def read(data: bytes) -> Profile:
    return CpuprofileReader().read(source_of("a.cpuprofile", data))


def test_a_recorded_file_has_its_whole_duration() -> None:
    found, written = read(RECORDED.read_bytes()), json.loads(RECORDED.read_text())
    times = [sum(written["timeDeltas"][: number + 1]) for number in range(len(written["timeDeltas"]))]
    assert found.stacks is not None
    whole = int(found.stacks.values.sum() + found.stacks.root_values.sum())
    assert whole == (max(written["endTime"] - written["startTime"], *times) - times[0]) * 1000
    by_leaf = own_values(found)
    assert max(by_leaf, key=lambda name: by_leaf[name]) == "price"
    frame = found.frames.names.index("price")
    assert (found.frames.files[frame], found.frames.lines[frame]) == ("/app/shop.js", 3)
    assert (found.facts.format, found.facts.runtime) == ("cpuprofile", "javascript")


@pytest.mark.parametrize("name", ["node-22.23", "node-24.21", "node-26.10", "deno-2.9", "bun-1.4"])
def test_recorded_shares_are_those_of_the_program(name: str) -> None:
    (path,) = RECORDED.parent.glob(f"{name}.*")
    times = own_values(read(path.read_bytes()))
    work = [times[function] / sum(times.values()) for function in ("heavy", "medium", "light")]
    assert work == pytest.approx([0.6, 0.3, 0.1], abs=0.04)


def test_answer_of_the_protocol_is_read() -> None:
    data = json.dumps({"id": 7, "profile": json.loads(document([4, 5], [100, 10], end=200))}).encode()
    assert rows(read(data)) == [("main", [10_000]), ("main;work", [90_000])]


def test_a_sample_lasts_until_the_next() -> None:
    found = read(document([4, 5, 5, 4], [100, 10, 20, 30], end=200))
    assert rows(found) == [("main", [10_000 + 40_000]), ("main;work", [50_000])]
    assert (found.frames.names[1:3], found.frames.lines[1:3]) == (["main", "work"], [10, 20])
    assert (found.warnings, found.warning_counts) == ((), {})


def test_the_period_is_the_mean_time_of_busy_samples() -> None:
    assert read(document([4, 5, 5, 4], [100, 10, 20, 30], end=200)).periods == (25_000,)
    assert read(document([2, 7, 1, 4], [0, 5, 6, 7], end=18)).periods == (4333,)
    assert read(document([4], [0])).periods == (1,)


def test_idle_time_is_dropped_and_root_time_stays() -> None:
    found = read(document([2, 7, 1, 4], [0, 5, 6, 7], end=18))
    assert rows(found) == [("(program)", [6000])]
    assert found.stacks is not None
    assert found.stacks.root_values.tolist() == [7000]
    assert "(idle)" not in found.frames.names


def test_the_garbage_collector_is_below_what_it_interrupted() -> None:
    found = read(document([5, 3, 3, 4, 3], [0, 1, 2, 4, 8], end=31))
    assert sorted(rows(found)) == [
        ("main", [8000]),
        ("main;(garbage collector)", [16_000]),
        ("main;work", [1000]),
        ("main;work;(garbage collector)", [6000]),
    ]


def test_times_that_go_back_are_held() -> None:
    found = read(document([4, 5, 4, 5], [0, 10, -4, 6], end=20))
    assert rows(found) == [("main", [12_000]), ("main;work", [8000])]
    assert found.warnings == ("25 % of the samples are out of order, so their functions' times are unreliable",)
    assert read(document([4, 5] * 51, [0] + [10] * 50 + [-4] + [10] * 50, end=1010)).warnings == ()


def test_parents_may_be_named_instead_of_children() -> None:
    nodes = [node(1, "(root)"), node(2, "main", parent=1), node(3, "work", parent=2)]
    assert rows(read(document([3, 2], [0, 1], 3, nodes))) == [("main", [2000]), ("main;work", [1000])]


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("file:///app/a%20b.js", "/app/a b.js"),
        ("file:///C:/app/a.js", "C:/app/a.js"),
        ("node:internal/fs", "node:internal/fs"),
        ("https://shop.example/a.js", "https://shop.example/a.js"),
        ("", None),
    ],
)
def test_addresses_of_files_become_paths(url: str, file: str | None) -> None:
    item = node(1, "main")
    item["callFrame"]["url"] = url
    assert read(document([1], [0], 1, [item])).frames.files == [file]


@pytest.mark.parametrize(
    ("name", "column", "shown"),
    [("", 0, ("<module>", None)), ("", 2, ("(anonymous)", 1)), ("main", 0, ("main", 1))],
)
def test_top_level_code_of_a_script_is_its_module(name: str, column: int, shown: tuple[str, int | None]) -> None:
    item = node(1, name)
    item["callFrame"]["columnNumber"] = column
    frames = read(document([1], [0], 1, [item])).frames
    assert (frames.names[0], frames.lines[0]) == shown


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (document([9], [1]), "names node 9, which it does not contain"),
        (document([4], []), "1 samples and 0 times"),
        (document([4], [1 << 70]), "for a time in"),
        (document([4, 4], [1 << 62, 1 << 62]), "more than 2"),
        (document([], [], nodes=[node(1, "a"), node(1, "b")]), "id 1 of another node"),
        (document([], [], nodes=[node(1, "a", [2, 3]), node(2, "b", [3]), node(3, "c")]), "two callers"),
        (document([], [], nodes=[node(1, "a", [2]), node(2, "b", [1])]), "circle"),
        (b'{"nodes": [], "samples": []}', "no 'timeDeltas'"),
    ],
)
def test_what_does_not_fit_together_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ProfileError, match=message) as caught:
        read(data)
    assert caught.value.where.startswith("a.cpuprofile")
