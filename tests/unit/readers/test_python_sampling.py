"""Recordings of Python 3.15's sampling profiler; its own replay to other forms is what each form is compared with."""

import struct
from collections import Counter
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers import python_sampling
from profgate.readers.python_sampling import PythonSamplingReader
from profgate.readers.registry import read_profile
from stack_rows import paths_of

DATA = Path(__file__).parents[2] / "data"
RECORDINGS = ("threads", "cpu", "gil")

Frame = tuple[str, str]
Paths = Counter[tuple[Frame, ...]]


def replayed(name: str) -> Paths:
    """Stacks of (file, function) as the profiler's own replay wrote them."""
    paths: Paths = Counter()
    for line in (DATA / "folded" / f"python-3.15.2-{name}.collapsed").read_text().splitlines():
        stack, _, count = line.rpartition(" ")
        thread, *frames = stack.split(";")
        assert thread.startswith("tid:")
        paths[tuple(place(frame) for frame in frames)] += int(count)
    return paths


def place(frame: str) -> Frame:
    parts = frame.split(":")
    return (parts[0], parts[1]) if len(parts) == 3 else ("", frame)


def frames_of(profile: Profile) -> list[Frame]:
    frames = profile.frames
    files = [PurePosixPath(file).name if file else "" for file in frames.files]
    return list(zip(files, frames.names, strict=True))


def stacks_of(profile: Profile) -> Paths:
    paths: Paths = Counter()
    for path, (value,) in paths_of(profile.stacks, frames_of(profile)):
        paths[path] += value
    return paths


def recorded(folder: str, name: str) -> Profile:
    [path] = (DATA / folder).glob(f"python-3.15.2-{name}.*")
    return read_profile(source_of(path.name, path.read_bytes()))


@pytest.mark.parametrize("name", RECORDINGS)
@pytest.mark.parametrize("folder", ["python-sampling", "folded"])
def test_stacks_are_those_of_the_replay(folder: str, name: str) -> None:
    assert stacks_of(recorded(folder, name)) == replayed(name)


@pytest.mark.parametrize(("name", "mode"), [("threads", "wall"), ("cpu", "cpu"), ("gil", "gil")])
def test_interval_and_mode_are_facts(name: str, mode: str) -> None:
    binary = recorded("python-sampling", name).facts
    assert (binary.rate, binary.mode, binary.runtime) == (1000.0, mode, "3.15.2")
    assert (recorded("pstats", name).facts.rate, recorded("pstats", name).facts.mode) == (1000.0, None)
    assert (recorded("folded", name).facts.rate, recorded("folded", name).facts.mode) == (None, None)
    assert {recorded(folder, name).facts.profiler for folder in ("pstats", "folded")} == {binary.profiler}


def test_native_frames_have_no_file_and_tasks_no_line() -> None:
    threads, tasks = recorded("python-sampling", "threads").frames, recorded("folded", "async").frames
    native = threads.names.index("<native>")
    assert (threads.files[native], threads.lines[native]) == (None, None)
    [task] = {place for place in zip(tasks.names, tasks.files, tasks.lines, strict=True) if place[1] == "<task>"}
    assert task == ("Task-*", "<task>", None)


# below: files written here

FULL, SUFFIX, POP_PUSH = 1, 2, 3
FRAMES = (("a.py", "main", 3), ("a.py", "f", 5), ("a.py", "f", 6), ("/lib/_sync_coordinator.py", "run", 1))


def varint(number: int) -> bytes:
    return bytes([number]) if number < 0x80 else bytes([number & 0x7F | 0x80]) + varint(number >> 7)


def record(kind: int, *numbers: int, thread: int = 1) -> bytes:
    return struct.pack("<QIB", thread, 0, kind) + b"\x05\x02" + b"".join(map(varint, numbers))


def repeat(count: int, thread: int = 1) -> bytes:
    return struct.pack("<QIB", thread, 0, 0) + varint(count) + b"\x85\x01\x02" * count


def binary(records: bytes, samples: int, frames: Sequence[tuple[str, str, int]] = FRAMES, *, mode: int = 1) -> bytes:
    texts = list(dict.fromkeys(text for file, name, _ in frames for text in (file, name)))
    table = b"".join(varint(len(text)) + text.encode() for text in texts)
    rows = b"".join(
        varint(texts.index(file)) + varint(texts.index(name)) + varint(2 * line) + b"\0\1\0\xff"
        for file, name, line in frames
    )
    at = 64 + len(records)
    magic = 0x54414348
    header = (magic, 1, 3, 15, 2, 0, 500, samples, 1, at, at + len(table), 0, mode)
    return (
        struct.pack("<II3BxQQQIQQII", *header)
        + records
        + table
        + rows
        + struct.pack("<IIQ16x", len(texts), len(frames), at + len(table) + len(rows) + 32)
    )


def read(data: bytes) -> Profile:
    return PythonSamplingReader().read(source_of("a.bin", data))


def test_each_kind_of_record_changes_its_stack() -> None:
    records = (
        record(FULL, 2, 1, 0)
        + record(FULL, 1, 0, thread=2)
        + repeat(3)
        + record(SUFFIX, 1, 2, 2, 1)
        + record(POP_PUSH, 2, 0)
        + repeat(1, thread=2)
    )
    main, f = ("a.py", "main"), ("a.py", "f")
    found = read(binary(records, 8))
    assert stacks_of(found) == {(main, f): 4, (main,): 3, (main, f, f): 1}
    assert (found.facts.rate, found.facts.mode) == (2000.0, "wall")


def test_frames_of_the_profiler_itself_are_left_out() -> None:
    found = read(binary(record(FULL, 3, 1, 0, 3) + record(FULL, 1, 3, thread=2), 2))
    assert stacks_of(found) == {(("a.py", "main"), ("a.py", "f")): 1}
    assert found.warnings == ()


@pytest.mark.parametrize(("mode", "name"), [(0, None), (1, "wall"), (4, "all"), (5, "exception"), (0x5A, "cpu")])
def test_mode_is_in_three_bits_beside_others(mode: int, name: str | None) -> None:
    assert read(binary(b"", 0, mode=mode)).facts.mode == name


def changed(at: int, number: int, size: int = 4) -> bytes:
    data = bytearray(binary(record(FULL, 1, 1), 1))
    data[at : at + size] = number.to_bytes(size, "little")
    return bytes(data)


SOUND = binary(record(FULL, 1, 1), 1)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (SOUND[:-1], r"a.bin: expected \d+ bytes, found \d+; the file is cut off"),
        (changed(4, 2), "expected format version 1, found 2; .* replay --collapsed"),
        (changed(28, 9, 8), "the header states 9 samples, but the file contains 1"),
        (changed(40, 1 << 40, 8), "the tables lie outside the file"),
        (changed(56, 7), "expected no compression or zstandard, found type 7"),
        (changed(56, 1), "samples: .*zstandard|damaged"),
        (changed(60, 6), "expected a mode up to 5, found 6"),
        (changed(len(SOUND) - 32, 1 << 30), "1073741824 texts do not fit"),
        (binary(record(FULL, 1, 9), 1), r"samples: byte \d+: a sample has frame 9, but there are 4 frames"),
        (binary(record(FULL, 99, 1), 1), "a stack of 99 frames is cut off"),
        (binary(record(FULL, 70_000) + b"\0" * 70_000, 1), "deeper than 65535"),
        (binary(record(SUFFIX, 1, 0), 1), "shares frames that its thread does not have, of 0"),
        (binary(record(FULL, 1, 1) + record(POP_PUSH, 2, 0), 2), "shares frames that its thread does not have, of 1"),
        (binary(record(FULL, 1, 1) + b"\1", 1), "expected 12 more bytes, 1 are left"),
        (binary(record(FULL)[:13] + b"\xff" * 11, 1), "expected a number of at most ten bytes"),
    ],
)
def test_a_damaged_file_is_an_error_with_its_place(data: bytes, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        read(data)


def test_call_paths_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python_sampling, "_MOST_PATHS", 2)
    assert read(binary(record(FULL, 2, 1, 0), 1)).stacks is not None
    with pytest.raises(ProfileError, match="more than 2 call paths"):
        read(binary(record(FULL, 3, 1, 1, 0), 1))
