"""The compiled loops say what the Python they stand in for says, whatever they are given."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.mutation import varint
from growing_files import part
from profgate.errors import ProfileError
from profgate.io.native import LIBRARY, NativeKernels
from profgate.model.call_tree import merged_paths
from profgate.model.source import source_of
from profgate.readers import folded_scan
from profgate.readers import pprof as readers_pprof
from profgate.readers.folded_scan import Scan, scan_file
from profgate.readers.pprof import PprofReader
from profgate.readers.protobuf_wire import fields

needs_library = pytest.mark.skipif(not Path(LIBRARY).exists(), reason="no C compiler when profgate was installed")
PIECES = st.sampled_from(
    ["main", "a", "b", "ü", ";", ";", ";", "; ", " ", "\t", "\x0b", "\r", "\x00", "#", "[", "]", "1"]
)
ENDS = st.sampled_from(
    [" 1", " 12", " 7 9", " 1.5 3", " 0", " -1", " 1e3", " 999999999999999999", " f.py:3)", " unit: ms", ""]
)
LINES = st.lists(st.builds("{}{}".format, st.lists(PIECES, max_size=9).map("".join), ENDS), max_size=12)


def outcome(text: bytes, kernels: NativeKernels | None) -> Scan | str:
    try:
        return scan_file(source_of("fuzz.folded", text), kernels=kernels)
    except ProfileError as error:
        return str(error)


@needs_library
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.integers(1, 3))
def test_lines_of_any_form_are_read_alike(lines: list[str], newline: str, times: int) -> None:
    text = newline.join([f"main;a;b;c {len(lines) + 1}", *lines * times, "main;a;b;d 3", ""]).encode()
    assert outcome(text, NativeKernels()) == outcome(text, None)


@needs_library
def test_blocks_and_folding_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"main;m{number // 900};f{number // 30 % 91};g{number} {number % 5 + 1}" for number in range(3000)]
    lines[1500:1500] = ["main;m1;f[u8; 3] 4", "main;odd 2.5", "# a comment"]
    text = ("\n".join(lines) + "\n").encode()
    monkeypatch.setattr(folded_scan, "BLOCK", 5000)
    whole = outcome(text, NativeKernels())
    assert isinstance(whole, Scan)
    assert (whole.lines, whole.bad_count) == (3002, 0)
    assert whole == outcome(text, None)
    monkeypatch.setattr(folded_scan, "FOLD_EVENTS", 700)
    whole_numbers = text.replace(b" 2.5", b" 2")
    assert outcome(whole_numbers, NativeKernels()) == outcome(whole_numbers, None)


IDS = st.sampled_from([1, 2, 3, 1, 2, 3, 130, 7])
SAMPLES = st.lists(st.tuples(st.lists(IDS, max_size=8), st.integers(0, 300), st.sampled_from("plpppa")), max_size=12)
"""Locations, the leaf first, a value, and whether locations are packed (p), loose (l) or in an unusual order (a)."""


def pprof(samples: list[tuple[list[int], int, str]], names: list[list[str]]) -> bytes:
    """A profile whose location ``n`` has the functions ``names[n - 1]``, and one more location, 130."""
    texts = ["", "samples", "count", *sorted({name for inlined in names for name in inlined})]
    out = part(1, part(1, 1) + part(2, 2))
    for ids, value, form in samples:
        rest = part(3, b"") if value % 2 else b""
        path = part(1, b"".join(map(varint, ids))) if form == "p" else b"".join(part(1, number) for number in ids)
        body = [path, part(2, value), rest] if form != "a" else [part(2, value), path, rest, part(1, b"")]
        out += part(2, b"".join(body))
    for number in range(len(texts)):
        out += part(5, part(1, number + 1) + part(2, number))
    for number, inlined in [*enumerate(names, 1), (130, ["count"])]:
        lines = (part(4, part(1, texts.index(name) + 1)) for name in inlined)
        out += part(4, part(1, number) + b"".join(lines))
    return out + b"".join(part(6, text.encode()) for text in texts)


def content(data: bytes, kernels: NativeKernels | None) -> object:
    try:
        profile = PprofReader(kernels).read(source_of("fuzz.pb", data))
    except ProfileError as error:
        return str(error)
    columns = (getattr(profile.stacks, name) for name in ("depth", "frame", "leaf", "values", "root_values"))
    return profile.frames, [(column.tolist(), column.dtype) for column in columns]


@needs_library
@given(
    SAMPLES,
    st.lists(st.lists(st.sampled_from(["f", "g", "h", "runtime.asyncPreempt"]), max_size=3), min_size=16, max_size=18),
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), max_size=2),
)
def test_samples_are_read_alike(
    samples: list[tuple[list[int], int, str]], names: list[list[str]], damages: list[tuple[int, int]]
) -> None:
    data = bytearray(pprof(samples, names))
    for place, byte in damages:
        data[place % len(data)] = byte
    assert content(bytes(data), NativeKernels()) == content(bytes(data), None)


@needs_library
def test_samples_that_have_more_frames_than_the_file_has_bytes_are_read_alike() -> None:
    data = pprof([([1] * 300 + [2], 1, "p"), ([1] * 300 + [3], 2, "p")], [[*"abcdefgh"] * 6, *"xy"] * 6)
    assert content(data, NativeKernels()) == content(data, None)


@needs_library
@pytest.mark.parametrize("form", ["p", "l"])
def test_compiled_code_reads_usual_samples(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(readers_pprof, "repeated_varints", None)
    data = pprof([([1, 2, 3], 5, form), ([2, 3], 7, form)], [["f"], ["runtime.asyncPreempt"], ["g", "h"]] * 6)
    found = content(data, NativeKernels())
    monkeypatch.undo()
    assert found == content(data, None)


@needs_library
@given(st.lists(st.tuples(st.sampled_from([10, 18, 26]), st.integers(0, 300), st.integers(1, 4))), st.integers(0, 5))
def test_fields_are_found_alike(parts: list[tuple[int, int, int]], cut: int) -> None:
    data = b"".join((bytes([tag]) + varint(size) + bytes(size)) * times for tag, size, times in parts)
    data = data[: len(data) - cut]
    found = NativeKernels().fields(data, 0, bytes(tag in {10, 18} for tag in range(256)))
    assert found is not None
    at = found[-1] if found else 0
    expected = [(number << 3 | wire, start, end) for number, wire, start, end in fields(data, 0, at, "f")]
    assert found.tolist() == [value for field in expected for value in field]
    if len(data) - at > 3 and data[at] != 26:
        with pytest.raises(ProfileError):
            next(fields(data, at, len(data), "f"))


@needs_library
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=60), st.integers(1, 3), st.booleans())
def test_paths_are_merged_alike(steps: list[tuple[int, int]], profiles: int, spread: bool) -> None:
    depths, symbols = [0], [0]
    for back, symbol in steps:
        depths.append(max(depths[-1] + 1 - back, 0))
        symbols.append(symbol * 1000 if spread else symbol)
    columns = np.array(depths * profiles, np.int64), np.array(symbols * profiles, np.int64)
    (tree, rows), (by_python, python_rows) = (merged_paths(*columns, kernels) for kernels in (NativeKernels(), None))
    assert [rows.tolist(), rows.dtype] == [python_rows.tolist(), python_rows.dtype]
    for name in ("parent", "symbol", "depth", "end"):
        found, expected = getattr(tree, name), getattr(by_python, name)
        assert [found.tolist(), found.dtype] == [expected.tolist(), expected.dtype]


@needs_library
@pytest.mark.parametrize(("depth", "symbol"), [([0, 2], [0, 0]), ([1], [0]), ([0], [-1]), ([], [])])
def test_a_damaged_stream_is_left_to_python(depth: list[int], symbol: list[int]) -> None:
    columns = [np.empty(3, dtype).data for dtype in (np.int64, np.int32, np.int32, np.int32, np.int64)]
    given = np.array(depth, np.uint16).data, np.array(symbol, np.int64).data
    assert NativeKernels().merged_paths(*given, 1, columns) is None


def test_without_a_library_python_reads(tmp_path: Path) -> None:
    nothing = NativeKernels(tmp_path / "kernels.so")
    assert nothing.line_scan() is None
    assert nothing.fields(bytes([10, 0, 10, 0, 10, 0]), 0, bytes([1] * 256)) is None
    data = pprof([([1, 2], 5, "p")], [["f"], ["g"]])
    assert content(data, nothing) == content(data, None)
    assert outcome(b"a;b 1\na;c 2\n", nothing) == outcome(b"a;b 1\na;c 2\n", None)
