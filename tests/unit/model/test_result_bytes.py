"""Bytes of results create data of the expected types and nothing else."""

import json
import pickle
import random
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from history_samples import reading
from profgate.model import result_bytes
from profgate.model.history import Column, Reading
from profgate.model.reason import Reason, ReasonCode
from profgate.model.result_bytes import Failure, packed, unpacked

REASON = Reason(ReasonCode.TEXT, {"text": "a"}, (Reason(ReasonCode.EMPTY_FILE),))


def written(value: object, content: bytes = b"") -> bytes:
    text = json.dumps([False, value]).encode()
    return len(text).to_bytes(8, "little") + text + content


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (3, int),
        ([1, 2], list[int]),
        (("a", None, 1.5, True), tuple[str, str | None, float, bool]),
        ({"a": frozenset({1})}, dict[str, frozenset[int]]),
        (REASON, Reason),
        (Failure("a", "b"), int),
    ],
)
def test_data_is_kept(value: object, kind: Any) -> None:
    assert unpacked(packed(value), kind) == value


def test_arrays_are_kept_and_read_only() -> None:
    original = reading("main;f 3\nmain 1\n")
    back = unpacked(packed(original), Reading)
    assert isinstance(back, Reading)
    assert (back.series, back.columns[0].symbols) == (original.series, original.columns[0].symbols)
    assert back.columns[0].own.tolist() == original.columns[0].own.tolist()
    assert not back.columns[0].own.flags.writeable
    assert packed(back) == packed(original)


COLUMN = reading("main 1\n").columns[0]
IntArray = NDArray[np.int64]


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"", int),
        (b"\xff" * 8, int),
        (written(3)[:-1], int),
        (pickle.dumps(3), int),
        (written("3"), int),
        (written(True), int),
        (written([1, "2"]), list[int]),
        (written({"a": 1}), list[int]),
        (written([1, 2]), tuple[int, str]),
        (written([1]), tuple[int, int]),
        (written([[1], [2]]), dict[str, int]),
        (written([["a"], [1, 2]]), dict[str, int]),
        (written(["other", {}, []]), Reason),
        (written(["text", [[], []]]), Reason),
        (written("often"), Literal["never"]),
        (written(json.loads("[" * 500 + "]" * 500)), list[Reason]),
        (packed(replace(COLUMN, sum="1")), Column),  # type: ignore[arg-type]
        (packed(replace(COLUMN, own=[1])), Column),  # type: ignore[arg-type]
        (packed(replace(COLUMN, own=np.array([1.5]))), Column),
        (packed(replace(COLUMN, symbols=[("a", 1)])), Column),  # type: ignore[list-item]
        (written(["|O8", [1], 0, 8], bytes(8)), IntArray),
        (written(["<M8[s]", [1], 0, 8], bytes(8)), IntArray),
        (written(["<i8", [2], 0, 8], bytes(8)), IntArray),
        (written(["<i8", [1], 1, 8], bytes(8)), IntArray),
        (written(["<i8", [1], -8, 8], bytes(8)), IntArray),
        (written(["<i8", [1], 0, True], bytes(8)), IntArray),
        (written(["<i8", [1 << 62, 1 << 62], 0, 8], bytes(8)), IntArray),
    ],
)
def test_anything_else_is_refused(data: bytes, kind: Any) -> None:
    with pytest.raises(ValueError, match=r"^it(s text)? (is|has)"):
        unpacked(data, kind)


def test_results_are_bytes() -> None:
    with pytest.raises(ValueError, match="it is str, not bytes"):
        unpacked("text", int)
    with pytest.raises(TypeError, match="a result contains object"):
        packed([object()])


def test_size_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    data = packed("a" * 100)
    monkeypatch.setattr(result_bytes, "LARGEST_TEXT", 50)
    with pytest.raises(ValueError, match="text has more than 50 bytes"):
        unpacked(data, str)
    monkeypatch.setattr(result_bytes, "LARGEST_RESULT", 10)
    with pytest.raises(ValueError, match="it has 118 bytes, more than 10"):
        unpacked(data, str)


def test_damaged_bytes_are_read_or_refused() -> None:
    whole, chance = packed(reading("main;f 3\nmain 1\n")), random.Random(1)
    for _ in range(300):
        data = bytearray(whole)
        data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            assert isinstance(unpacked(bytes(data), Reading), (Reading, Failure))
        except ValueError:
            continue
