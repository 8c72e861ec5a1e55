import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.dhat import DhatReader
from stack_rows import rows

DATA = Path(__file__).parents[2] / "data" / "dhat"
POINT = {"tb": 9, "tbk": 2, "gb": 4, "fs": [0]}


def read(points: Any, frames: Any = ("0x1: f (a.c:3)",), **more: object) -> Profile:
    document = {"dhatFileVersion": 2, "bklt": True, "pps": points, "ftbl": list(frames)} | more
    return DhatReader().read(source_of("a.json", json.dumps(document).encode()))


def total(profile: Profile, name: str) -> list[int]:
    found = [values for path, values in rows(profile) if name in path]
    return [sum(column) for column in zip(*found, strict=True)]


def test_valgrind_file_has_the_numbers_of_its_tool() -> None:
    data = gzip.decompress((DATA / "valgrind-3.19.json.gz").read_bytes())
    found = DhatReader().read(source_of("a.json", data))
    metrics = [(metric.name, metric.unit, metric.kind) for metric in found.metrics]
    assert metrics == [("allocated", "bytes", "counted"), ("blocks", "count", "counted"), ("peak", "bytes", "counted")]
    # valgrind printed: total 9,504,096 bytes in 7,001 blocks; at t-gmax 9,004,096 bytes
    assert total(found, "") == [9_504_096, 7_001, 9_004_096]
    assert total(found, "main;alloc600") == [6_000_000, 1_000, 6_000_000]
    assert not any("malloc" in path for path, _ in rows(found))


def test_file_of_rust_has_the_numbers_of_its_tool() -> None:
    found = DhatReader().read(source_of("a.json", (DATA / "dhat-rs-0.3.3.json").read_bytes()))
    # dhat-rs printed: total 948,000 bytes in 2,001 blocks; at t-gmax 948,000 bytes
    assert total(found, "") == [948_000, 2_001, 948_000]
    assert total(found, "burn::main;burn::alloc300")[:2] == [300_000, 1_000]


def test_copies_have_no_peak_and_unknown_frames_a_name() -> None:
    frames = [
        "[root]",
        "0x1: ???",
        "0x2: g<int>(char) (in /a/lib.so)",
        "0x3: ??? (in /a/lib.so)",
        "0x4: h (C:\\a.c:3:9)",
    ]
    found = read([{"tb": 9, "tbk": 2, "fs": [0, 1, 2, 3, 4]}], frames, bklt=False, verb="Copied")
    assert [metric.name for metric in found.metrics] == ["copied", "blocks"]
    assert rows(found) == [("h;[unknown];g<int>(char);[unknown]", [9, 2])]
    assert (found.frames.files, found.frames.executed) == ([None, None, None, "C:\\a.c"], [None, None, None, 3])


@pytest.mark.parametrize(
    ("points", "more", "message"),
    [
        ([POINT], {"dhatFileVersion": 3}, "version 3"),
        ([POINT | {"gb": None}], {}, "program point 0.*size, count or frame"),
        ([POINT | {"fs": [1]}], {}, "size, count or frame"),
        ([POINT | {"tb": 1 << 62}] * 3, {}, "more than 2"),
        ([POINT], {"ftbl": ["main"]}, "'main' for a frame"),
    ],
)
def test_file_of_another_shape_is_refused(points: Any, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(points, **more)
