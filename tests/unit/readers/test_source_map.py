from typing import Any

import numpy as np
import pytest

from profgate.errors import ProfileError
from profgate.readers import source_map as module
from profgate.readers.source_map import UNKNOWN, SourceMap, read_source_map
from source_map_samples import source_map


def read(data: bytes) -> SourceMap:
    return read_source_map(data, "a.js.map")


def test_segments_have_absolute_positions() -> None:
    segments = [(0, 0, 0, 5, 2), (0, 9, 1, 3, 70, 1), (2, 4, 0, 3, 0), (2, 8)]
    found = read(source_map(segments))
    assert [(int(at) >> 32, int(at) & 0xFFFFFFFF) for at in found.position] == [
        (line, column) for line, column, *_ in segments
    ]
    assert found.fields.T.tolist() == [
        [0, 5, 2, UNKNOWN],
        [1, 3, 70, 1],
        [0, 3, 0, UNKNOWN],
        [UNKNOWN] * 4,
    ]


def test_segment_extends_to_the_next_one() -> None:
    found = read(source_map([(0, 4, 0, 0, 0), (0, 10), (3, 0, 0, 9, 0)]))
    places = [(0, 3), (0, 4), (0, 9), (0, 10), (1, 0), (3, 70)]
    assert [found.segment(*place) for place in places] == [None, 0, 0, None, None, 2]


def test_blocks_do_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    segments = [(line, column, 0, line, column, 0) for line in range(9) for column in range(0, 4000 * (line % 3), 97)]
    whole = read(source_map(segments))
    monkeypatch.setattr(module, "BLOCK", 50)
    parts = read(source_map(segments))
    assert np.array_equal(whole.position, parts.position)
    assert np.array_equal(whole.fields, parts.fields)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "version 3"),
        ({"sections": []}, "without sections"),
        ({"sourceRoot": "a" * 999}, "sourceRoot"),
        ({"mappings": "A\u0101"}, "damaged"),
        ({"mappings": "AAA"}, "damaged"),
        ({"mappings": "g"}, "damaged"),
        ({"mappings": "gggggggggggA"}, "32 bits"),
        ({"mappings": "AEAA"}, "outside"),
        ({"mappings": "AAAAI"}, "outside"),
        ({"mappings": "D"}, "outside"),
        ({"mappings": ",".join(["++++++D"] * 5)}, "outside"),
    ],
)
def test_invalid_map_is_an_error(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ProfileError, match=rf"a\.js\.map: .*{message}"):
        read(source_map([], **change))


@pytest.mark.parametrize("data", [b"", b"[1]", b"{", b"[" * 100_000, b'{"version": ' + b"3" * 9999 + b"}", b"\xff"])
def test_other_data_is_an_error(data: bytes) -> None:
    with pytest.raises(ProfileError, match=r"a\.js\.map: is not a source map"):
        read(data)


@pytest.mark.parametrize(("limit", "value", "what"), [("MOST_SEGMENTS", 3, "3 segments"), ("LARGEST", 20, "20 bytes")])
def test_large_map_is_an_error(monkeypatch: pytest.MonkeyPatch, limit: str, value: int, what: str) -> None:
    data = source_map([(0, column) for column in range(4)])
    read(data)
    monkeypatch.setattr(module, limit, value)
    with pytest.raises(ProfileError, match=what):
        read(data)
