"""Reader for binary files of Python's sampling profiler (``python -m profiling.sampling run --binary``, Python 3.15).

Source: InternalDocs/profiling_binary_format.md in CPython, format version 1. The mode bits were determined by
experiments with Python 3.15.2.
"""

import re
import struct

from profgate.errors import ProfileError
from profgate.model.call_tree import MAX_DEPTH
from profgate.model.profile import PYTHON_SAMPLING, Facts, FrameList, Profile
from profgate.model.record import Record, Struct, field
from profgate.model.source import SourceFile, source_of
from profgate.model.units import Metric
from profgate.readers.builders import ROOT, Frames, Tree, call_graph
from profgate.readers.containers import inflate, read_all, unwrap
from profgate.readers.folded import unnumbered
from profgate.readers.reader import BuiltInReader

MODES = ("wall", "cpu", "gil", "all", "exception")
NO_FILE = "~"  # file name of frames for native code and garbage collection

_HEADER = struct.Struct("<4sI3BxQQQIQQII")  # of 64 bytes
_FOOTER = struct.Struct("<IIQ16x")
_VERSION = 1
_UNPACKED, _ZSTANDARD = 0, 1
_REPEAT, _FULL, _SUFFIX, _POP_PUSH = range(4)
_MOST_PATHS = 1 << 22  # limits memory use; even programs with a million functions have fewer paths than this


class PythonSamplingReader(BuiltInReader):
    """Reader for Python's sampling profiler: stacks with sample counts, all threads combined.

    Column numbers are ignored.
    """

    name = "python-sampling"
    looks = "the letters HCAT, followed by a number"
    record = "python -m profiling.sampling run --binary -o a.bin bench.py"
    # the small binary number after the letters distinguishes the format from text
    pattern = re.compile(rb"HCAT(?=.{0,2}\0\0)", re.DOTALL)

    def read(self, source: SourceFile) -> Profile:
        """Return a profile of sample counts, with the sampling interval, mode and Python version."""
        where, data = source.name, read_all(unwrap(source))
        header = _header_of(where, data)
        frames = Frames()
        numbers = _frame_numbers(where, data, header, frames)
        samples = _Samples(_records(where, data, header), numbers)
        samples.add_all()
        if samples.count != header.samples:
            raise samples.data.error(
                f"the header states {header.samples} samples, but the file contains {samples.count}"
            )
        values = samples.tree.values()
        left_out = "samples without a frame, which are left out, as by Python's own replay"
        return Profile(
            name=where,
            metrics=(Metric("samples", "samples"),),
            frames=frames.listed(),
            stacks=samples.tree.stacks(values, where),
            periods=(1,),
            facts=Facts(
                format=PythonSamplingReader.name,
                profiler=PYTHON_SAMPLING,
                runtime=header.python,
                rate=1e6 / header.interval if header.interval else None,
                mode=header.mode,
            ),
            warning_counts={left_out: samples.empty} if samples.empty else {},
        )


class _Header(Record):
    """Header and footer fields that the reader uses. The interval is in microseconds, and offsets are in bytes."""

    python: str
    interval: int
    samples: int
    texts_at: int
    frames_at: int
    packing: int
    mode: str | None
    text_count: int
    frame_count: int


class _Bytes(Struct):
    """Reader of consecutive bytes. ``base`` is the file offset of the first byte, for error messages."""

    where: str
    data: bytes
    base: int = 0
    at: int = 0

    def error(self, what: str) -> ProfileError:
        return ProfileError(f"{self.where}: byte {self.base + self.at}", f"{what}; record the profile again")

    def take(self, count: int) -> bytes:
        if count > len(self.data) - self.at:
            raise self.error(f"expected {count} more bytes, {len(self.data) - self.at} are left")
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self) -> int:
        """Return the next unsigned varint: seven bits per byte, with the least significant byte first."""
        number = shift = 0
        while True:
            if self.at >= len(self.data) or shift > 63:
                raise self.error("expected a number of at most ten bytes")
            byte = self.data[self.at]
            self.at += 1
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7

    def signed(self) -> int:
        """Return the next signed varint. The sign is stored in the lowest bit."""
        number = self.varint()
        return (number >> 1) ^ -(number & 1)


def _header_of(where: str, data: bytes) -> _Header:
    """Return the header and footer fields. Raises ProfileError if these fields do not match the file."""
    if len(data) < _HEADER.size + _FOOTER.size:
        raise ProfileError(where, "the file ends within its header; record the profile again")
    _, version, *python, _, interval, samples, _, texts_at, frames_at, packing, mode = _HEADER.unpack_from(data)
    text_count, frame_count, size = _FOOTER.unpack(data[-_FOOTER.size :])
    if version != _VERSION:
        what = f"expected format version {_VERSION}, found {version}; convert it with the Python that recorded it"
        raise ProfileError(where, f"{what}: python -m profiling.sampling replay --collapsed -o a.collapsed FILE")
    if size != len(data):
        raise ProfileError(where, f"expected {size} bytes, found {len(data)}; the file is cut off, record it again")
    if not _HEADER.size <= texts_at <= frames_at <= len(data) - _FOOTER.size:
        raise ProfileError(where, "the tables lie outside the file; record the profile again")
    if packing not in (_UNPACKED, _ZSTANDARD):
        raise ProfileError(where, f"expected no compression or zstandard, found type {packing}; record with another")
    mode &= 7  # the other bits are flags
    if mode > len(MODES):
        raise ProfileError(where, f"expected a mode up to {len(MODES)}, found {mode}; update profgate")
    name = MODES[mode - 1] if mode else None
    version_of_python = ".".join(map(str, python))
    return _Header(version_of_python, interval, samples, texts_at, frames_at, packing, name, text_count, frame_count)


def _records(where: str, data: bytes, header: _Header) -> _Bytes:
    where, packed = f"{where}: samples", data[_HEADER.size : header.texts_at]
    if header.packing == _ZSTANDARD:
        return _Bytes(where, inflate(source_of(where, packed)))
    return _Bytes(where, packed, _HEADER.size)


def _frame_numbers(where: str, data: bytes, header: _Header, frames: Frames) -> list[int]:
    """Add the frames in the file to ``frames`` and return their numbers; the profiler's own frames are `ROOT`."""
    table = _Bytes(where, data[: header.frames_at], at=header.texts_at)
    if header.text_count > header.frames_at - header.texts_at:
        raise table.error(f"{header.text_count} texts do not fit between the tables")
    texts = [table.take(table.varint()).decode(errors="replace") for _ in range(header.text_count)]
    table = _Bytes(where, data[: len(data) - _FOOTER.size], at=header.frames_at)
    if header.frame_count > len(data) - header.frames_at:
        raise table.error(f"{header.frame_count} frames do not fit behind the texts")
    numbers = []
    for _ in range(header.frame_count):
        file, name, line = table.varint(), table.varint(), table.signed()
        for _ in range(3):  # end line, column and end column, relative to the start
            table.varint()
        table.take(1)  # the opcode
        if max(file, name) >= len(texts):
            raise table.error(f"a frame has text {max(file, name)}, but there are {len(texts)} texts")
        if texts[file].endswith("_sync_coordinator.py"):  # frames that start the program; the profiler omits them, too
            numbers.append(ROOT)
        else:
            numbers.append(frames.number_of(texts[name], None if texts[file] == NO_FILE else texts[file], line))
    return numbers


class _Samples(Struct):
    """Samples of all threads. The stack of a thread is stored as a list of call paths, with the shortest path first."""

    data: _Bytes
    frames: list[int]
    tree: Tree = field(default_factory=Tree)
    stacks: dict[bytes, list[int]] = field(default_factory=dict)
    count: int = 0
    empty: int = 0  # number of samples without frames

    def add_all(self) -> None:
        data, tree = self.data, self.tree
        while data.at < len(data.data):
            key = data.take(12)  # the thread and the interpreter
            stack = self.stacks.setdefault(key, [])
            kind = data.take(1)[0]
            if kind == _REPEAT:
                weight = self.repeated()
            else:
                self.skip_sample()
                self.change(stack, kind)
                weight = 1
            self.count += weight
            path = stack[-1] if stack else ROOT
            if path != ROOT:
                tree.own[path] += weight
            elif not stack:
                self.empty += weight

    def repeated(self) -> int:
        """Skip further samples with the same stack, and return the number of these samples."""
        count = self.data.varint()
        if 2 * count > len(self.data.data) - self.data.at:
            raise self.data.error(f"{count} samples do not fit into the rest of the file")
        for _ in range(count):
            self.skip_sample()
        return count

    def skip_sample(self) -> None:
        """Skip the time since the previous sample, and the status of the thread."""
        self.data.varint()
        self.data.take(1)

    def change(self, stack: list[int], kind: int) -> None:
        """Remove the frames of finished calls from the stack, and add the frames of new calls."""
        data = self.data
        # a stack is stored from the innermost frame; records after the first one state only the frames that changed
        if kind == _FULL:
            stays = 0
        elif kind == _SUFFIX:
            stays = data.varint()
        elif kind == _POP_PUSH:
            stays = len(stack) - data.varint()
        else:
            raise data.error(f"expected a record of type 0 to 3, found {kind}")
        count = data.varint()
        if not 0 <= stays <= len(stack):
            raise data.error(f"a sample shares frames that its thread does not have, of {len(stack)}")
        if count > min(MAX_DEPTH - stays, len(data.data) - data.at):
            raise data.error(f"a stack of {stays + count} frames is cut off or deeper than {MAX_DEPTH}")
        innermost_first = [data.varint() for _ in range(count)]
        del stack[stays:]
        path = stack[-1] if stack else ROOT
        for number in reversed(innermost_first):
            if number >= len(self.frames):
                raise data.error(f"a sample has frame {number}, but there are {len(self.frames)} frames")
            frame = self.frames[number]
            path = path if frame == ROOT else self.tree.below(path, frame)
            stack.append(path)
        if len(self.tree.parent) > _MOST_PATHS:
            raise data.error(f"more than {_MOST_PATHS} call paths")


class SampledFunctions(Struct):
    """Table with one row per function, for formats that count samples by source line instead of by stack.

    Self samples are exact. For each line, the file contains the number of samples whose stack includes the line. The
    total of a function is the sum over its lines, limited to the number of all samples. For recursive functions, the
    sum is an upper bound.
    """

    numbers: dict[tuple[str, str], int] = field(default_factory=dict)
    lines: list[int | None] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    total: list[int] = field(default_factory=list)
    edges: dict[tuple[int, int], int] = field(default_factory=dict)

    def number(self, file: str, line: int, name: str) -> int:
        """Return the row of the function that contains this line."""
        row = self.numbers.setdefault((file, unnumbered(file, name)), len(self.own))
        if row == len(self.own):
            self.lines.append(None)
            self.own.append(0)
            self.total.append(0)
        first = self.lines[row]
        if line > 0 and (first is None or line < first):
            self.lines[row] = line
        return row

    def add(self, row: int, own: int, total: int) -> None:
        """Add the samples of one line of the function."""
        self.own[row] += own
        self.total[row] += total

    def add_edge(self, caller: int, callee: int, samples: int) -> None:
        """Add the samples in which a line of ``caller`` calls a line of ``callee``."""
        self.edges[caller, callee] = self.edges.get((caller, callee), 0) + samples

    def profile(self, where: str, reader: str, interval: int | None) -> Profile:
        """Return a call graph of sample counts, without calls. The ``interval`` is in microseconds."""
        frames, most = FrameList.of_names([]), sum(self.own)
        for (file, name), line in zip(self.numbers, self.lines, strict=True):
            frames.append(name or "[unknown]", None if file in {NO_FILE, ""} else file, line)
        return Profile(
            name=where,
            metrics=(Metric("samples", "samples"),),
            frames=frames,
            graph=call_graph(
                own=self.own,
                total=[min(total, most) for total in self.total],
                calls=[0] * len(self.own),
                edges=self.edges,
                edge_total=[min(samples, most) for samples in self.edges.values()],
                edge_calls=[0] * len(self.edges),
            ),
            periods=(1,),
            facts=Facts(
                format=reader,
                profiler=PYTHON_SAMPLING,
                runtime="python",
                rate=1e6 / interval if interval else None,
            ),
        )
