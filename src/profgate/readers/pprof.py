"""Reader for pprof profiles, which are optionally gzipped protobuf files (Go, Rust, Node.js and others)."""

import re
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, pairwise
from typing import Any

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import BoolArray, IntArray, RowArray
from profgate.model.kernels import Kernels
from profgate.model.profile import Facts, FrameList, Profile, Stacks
from profgate.model.record import Record, Struct, field, replace
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.builders import line_of
from profgate.readers.containers import read_all, unwrap
from profgate.readers.protobuf_wire import (
    LENGTH,
    VARINT,
    as_int64,
    fields,
    inner_messages,
    repeated_varints,
    single_varints,
    truncated,
    varint,
)
from profgate.readers.quantities import in_base_unit, most_rows, refuse_expansion, sum_of
from profgate.readers.reader import BuiltInReader
from profgate.readers.stack_events import ranges, stacks_from_events, stacks_from_paths

# field numbers from the published schema of the format
_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING, _PERIOD_TYPE, _PERIOD = 1, 2, 3, 4, 5, 6, 11, 12
_MESSAGES = {_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING, _PERIOD_TYPE}
_WIRE = {**dict.fromkeys([*_MESSAGES, 13], LENGTH), **dict.fromkeys([7, 8, 9, 10, _PERIOD, 14, 15], VARINT)}
_SAMPLE_LOCATION, _SAMPLE_VALUE = 1, 2
_ID = 1
_LOCATION_MAPPING, _LOCATION_ADDRESS, _LOCATION_LINE = 2, 3, 4
_LINE_FUNCTION, _LINE_LINE = 1, 2
_MAPPING_FILE = 5
_COUNTED = {"goroutine", "goroutineleak", "threadcreate"}  # every one is in the profile
_FUNCTION_NAME, _FUNCTION_SYSTEM_NAME, _FUNCTION_FILE, _FUNCTION_START = 2, 3, 4, 5


class PprofReader(BuiltInReader):
    """Reader for pprof's protobuf files (Go and others), gzipped or not: stacks, with one metric per kind of value."""

    name = "pprof"
    looks = "protobuf that can be decoded to the end"
    record = "go test -bench . -cpuprofile cpu.pb.gz"
    counted = ("goroutine*", "threadcreate")

    def __init__(self, kernels: Kernels | None = None) -> None:
        self._kernels = kernels

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        types = 0
        try:
            for count, (number, wire, start, end) in enumerate(fields(source.head, 0, len(source.head), source.name)):
                # field 13, the comment, is a list of varints that may be packed
                if _WIRE.get(number) != wire and not (number == 13 and wire == VARINT):
                    return False
                if number == _SAMPLE_TYPE:
                    inner = fields(source.head, start, end, "")
                    if not all(part in {1, 2} and kind == VARINT for part, kind, _, _ in inner):
                        return False
                    types += 1
                if types and count > 2000:
                    break
        except ProfileError:
            pass  # the head may end within the last field
        return types > 0

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with one metric per sample type. Inlined calls are separate frames."""
        message = _Message(read_all(unwrap(source)), source.name, self._kernels)
        message.split()
        return message.profile()


class _Function(Record):
    name: str
    file: str | None = None
    start: int | None = None


class _Locations(Record):
    """Locations sorted by ``ids``. Location ``k`` has the frames ``frames[offsets[k]:offsets[k + 1]]`` (int32)."""

    ids: IntArray
    offsets: IntArray
    frames: RowArray

    @property
    def sizes(self) -> IntArray:
        """Number of frames of each location, as an int64 array."""
        return np.diff(self.offsets)


class _Frames(Struct):
    """Frames of the profile, with one frame per binary (the last part of a key), function and executed line."""

    functions: list[_Function] = field(default_factory=list)
    numbers: dict[tuple[tuple[Any, ...], int | None], int] = field(default_factory=dict)

    def number_of(self, key: tuple[Any, ...], function: _Function, line: int | None) -> int:
        number = self.numbers.setdefault((key, line), len(self.functions))
        if number == len(self.functions):
            self.functions.append(function)
        return number

    def finished(self) -> FrameList:
        """Return the frames. If the start of a function is unknown, the first executed line is used."""
        first: dict[tuple[Any, ...], int] = {}
        for key, line in self.numbers:
            if line:
                first[key] = min(line, first.get(key, line))
        frames, executed = FrameList.of_names([]), list[int | None]()
        for function, (key, line) in zip(self.functions, self.numbers, strict=True):
            frames.append(function.name, function.file, function.start or first.get(key), key[-1])
            executed.append(line)
        return frames._replace(executed=executed)


class _Message(Struct):
    data: bytes
    where: str
    kernels: Kernels | None = None
    places: dict[int, "array[int]"] = field(default_factory=lambda: {number: array("q") for number in _MESSAGES})
    strings: list[str] = field(default_factory=list)
    period: int = 0

    def split(self) -> None:
        at = skips = 0
        while at < len(self.data):
            at, skips = self.skip(at), skips + 1
            for number, wire, start, end in fields(self.data, at, len(self.data), self.where):
                at = end
                if number in self.places:
                    if wire != LENGTH:
                        raise truncated(self.where, start, f"field {number} has wire type {wire}")
                    self.places[number].extend((start, end))
                elif number == _PERIOD and wire == VARINT:
                    self.period = as_int64(varint(self.data, start, end, self.where)[0])
                # limits the calls of compiled code for a file in which usual and unusual fields alternate
                if self.kernels is not None and skips < 1000:
                    break
        texts = self.places[_STRING]
        ends = zip(texts[::2], texts[1::2], strict=True)
        self.strings = [self.data[start:end].decode(errors="replace") for start, end in ends]
        if not self.strings or self.strings[0]:
            raise truncated(self.where, len(self.data), "the string table is missing")
        if not self.places[_SAMPLE_TYPE]:
            raise truncated(self.where, len(self.data), "no sample type is declared")

    def skip(self, at: int) -> int:
        """Add the fields that compiled code can read, from byte ``at``, and return the end position."""
        known = bytes(tag & 7 == LENGTH and tag >> 3 in self.places for tag in range(256))
        while self.kernels is not None:
            found = self.kernels.fields(self.data, at, known)
            if found is None:
                self.kernels = None
            if not found:
                break
            rows = np.array(found).reshape(-1, 3)
            for number, places in self.places.items():
                places.frombytes(rows[rows[:, 0] >> 3 == number, 1:].tobytes())
            at = found[-1]
        return at

    def columns(self, number: int) -> tuple[IntArray, IntArray]:
        """Return the starts and ends of all fields with this number, as int64 arrays."""
        found = np.array(self.places[number])
        return found[::2].copy(), found[1::2].copy()

    def rows(self, number: int, requested: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield the byte offset and the requested varints of each message in field ``number``."""
        starts, ends = self.columns(number)
        return zip(starts.tolist(), *single_varints(self.data, starts, ends, requested, self.where), strict=True)

    def profile(self) -> Profile:
        types, period_types = self.value_types(_SAMPLE_TYPE), self.value_types(_PERIOD_TYPE)
        frames = _Frames()
        build, values = self.samples(self.locations(frames), len(types))
        metrics, periods, columns = [], [], []
        for (name, unit), column in zip(types, values, strict=True):
            scaled, base, exponent = in_base_unit(column, unit, 0, f"{self.where}: sample type {name}")
            kind = MetricKind.COUNTED if name in _COUNTED else MetricKind.SAMPLED
            metrics.append(Metric(name, base, kind=kind, exponent=exponent))
            columns.append(scaled)
            periods.append(self.period_for(name, unit, period_types))
        for place, metric in enumerate(metrics):
            space = next((at for at, other in enumerate(metrics) if other.name == _space_of(metric.name)), None)
            if space is not None and (period := periods[space]) and (size := sum_of(columns[space], self.where)):
                periods[place] = max(1, round(sum_of(columns[place], self.where) * period / size))
        times = (period for metric, period in zip(metrics, periods, strict=True) if metric.unit == "nanoseconds")
        return Profile(
            name=self.where,
            metrics=tuple(metrics),
            frames=frames.finished(),
            stacks=build(np.array(columns, dtype=np.int64)),
            periods=tuple(periods),
            facts=Facts(
                format=PprofReader.name,
                rate=next((1e9 / period for period in times if period), None),
                runtime=self.go_version(),
            ),
        )

    def go_version(self) -> str | None:
        """Return the version of Go in the path of its runtime, or None if there is none, as without setup-go."""
        scheduler = next((text for text in self.strings if text.endswith("/src/runtime/proc.go")), "")
        version = re.search(r"[/-]go[/-]?(\d{1,3}(?:\.\d{1,3}){1,2})", scheduler)
        return version and f"go {version[1]}"

    def period_for(self, name: str, unit: str, period_types: list[tuple[str, str]]) -> int | None:
        """Return the value of one sample of a type, or None if it is unknown.

        The value is 1 for sample counts. If the type and unit are those of the period, the value is the period.
        """
        if name in {"samples", "sample"}:
            return 1
        if name in _COUNTED:
            return None
        # a heap profile is sampled once in so many bytes, and its values are scaled up
        space = ("space", unit) in period_types and name.endswith("space")
        # values of these types are scaled up from samples of unequal size
        estimated = name.startswith(("alloc", "inuse", "objects", "contentions", "delay")) and not space
        if estimated or not (space or (name, unit) in period_types) or self.period <= 0:
            return None
        scaled, _, _ = in_base_unit(np.array([self.period], dtype=np.int64), unit, 0, self.where)
        return int(scaled[0])

    def value_types(self, number: int) -> list[tuple[str, str]]:
        """Return the name and unit of each value type in field ``number``."""
        return [(self.string(name, at), self.string(unit, at)) for at, name, unit in self.rows(number, (1, 2))]

    def string(self, number: int, at: int) -> str:
        if number >= len(self.strings):
            raise truncated(self.where, at, f"string {number} does not exist, but there are {len(self.strings)}")
        return self.strings[number]

    def functions(self) -> dict[int, _Function]:
        requested = (_ID, _FUNCTION_NAME, _FUNCTION_SYSTEM_NAME, _FUNCTION_FILE, _FUNCTION_START)
        found, strings = {}, self.strings
        for at, number, name, system, file, line in self.rows(_FUNCTION, requested):
            if max(name, system, file) >= len(strings):  # an error even if the string is not used
                self.string(max(name, system, file), at)
            found[number] = _Function(strings[name] or strings[system], strings[file] or None, line_of(line))
        return found

    def locations(self, frames: _Frames) -> _Locations:
        """Return the frames of each location, with the innermost frame first, as in the file."""
        modules = {
            number: self.string(file, at) or None for at, number, file in self.rows(_MAPPING, (_ID, _MAPPING_FILE))
        }
        functions = self.functions()
        found: dict[int, list[int]] = {}
        lines = self.lines()
        rows = self.rows(_LOCATION, (_ID, _LOCATION_ADDRESS, _LOCATION_MAPPING))
        for (start, location, place, binary), own_lines in zip(rows, lines, strict=True):
            if location in found or not location:
                raise truncated(self.where, start, f"location {location} occurs twice or has no number")
            module = modules.get(binary)
            own = found[location] = []
            for function_id, line in own_lines:
                function = functions.get(function_id)
                if function is None:
                    raise truncated(self.where, start, f"function {function_id} does not exist")
                key: tuple[object, ...] = (function_id, module)  # two numbers from the file could collide
                if not function.name:
                    address = f"[{place:#x}]"
                    key, function = (address, *key), replace(function, name=address)
                # Go's runtime inserts these calls to interrupt functions, to which their samples belong
                if function.name not in {"runtime.asyncPreempt", "runtime.asyncPreempt2"}:
                    own.append(frames.number_of(key, function, line_of(line)))
            if not own_lines:
                address = f"[{place:#x}]"
                own.append(frames.number_of((address, module), _Function(address), None))
        return _locations_of(found)

    def lines(self) -> Iterator[list[tuple[int, int]]]:
        """Yield a list of (function, line number) pairs for each location."""
        starts, ends = self.columns(_LOCATION)
        spans = inner_messages(self.data, starts, ends, _LOCATION_LINE, self.where)
        requested = (_LINE_FUNCTION, _LINE_LINE)
        lines = list(zip(*single_varints(self.data, spans.start, spans.end, requested, self.where), strict=True))
        bounds = np.searchsorted(spans.message, np.arange(len(starts) + 1)).tolist()
        return (lines[begin:end] for begin, end in pairwise(bounds))

    def samples(self, locations: _Locations, types: int) -> tuple[Callable[[IntArray], Stacks], IntArray]:
        """Return a function that makes stacks of all samples, in reverse order, and their int64 values.

        The values have one row per sample type. The function receives the converted values.
        """
        if (compiled := self.compiled_samples(locations, types)) is not None:
            return compiled
        places, ends = self.columns(_SAMPLE)
        found = repeated_varints(self.data, places, ends, (_SAMPLE_LOCATION, _SAMPLE_VALUE), self.where)
        counts, values = found[_SAMPLE_VALUE]
        self.refuse(counts != types, places, f"a sample does not have {types} values")
        values = values.reshape(-1, types).T
        self.refuse(
            np.asarray(np.any(values < 0, axis=0)), places, "a value is negative, as in a difference of two profiles"
        )
        counts, ids = found[_SAMPLE_LOCATION]
        order = _rows_of(locations.ids, ids)
        if order.min(initial=0) < 0:
            unknown = int(np.flatnonzero(order < 0)[0])
            sample = int(np.searchsorted(np.cumsum(counts), unknown, side="right"))
            raise truncated(self.where, int(places[sample]), f"location {ids[unknown]} does not exist")
        sizes = locations.sizes[order]
        refuse_expansion(int(sizes.sum()), len(self.data), self.where)
        # stacks in the file are leaf-first, so reversing the whole array puts the root of each stack first
        at = order if (locations.sizes == 1).all() else ranges(locations.offsets[order], sizes)
        paths = locations.frames[at][::-1]
        offsets = len(paths) - np.append(0, np.cumsum(sizes))[np.append(0, np.cumsum(counts))][::-1]
        return partial(stacks_from_paths, paths, offsets, where=self.where), values[:, ::-1]

    def compiled_samples(
        self, locations: _Locations, types: int
    ) -> tuple[Callable[[IntArray], Stacks], IntArray] | None:
        """Return the result of `samples`, or None if compiled code cannot read the samples."""
        (places, ends), table = self.columns(_SAMPLE), _table_of(locations.ids)
        if self.kernels is None or table is None:
            return None
        fresh, values = np.zeros(len(places), np.int64), np.zeros((types, len(places)), np.int64)
        given = [column.data for column in (places, ends, table, locations.offsets, locations.frames)]
        room = len(self.data)  # usually, each new frame has at least one byte
        depth, frame = np.empty(room, np.uint16), np.empty(room, np.int64)
        columns = [column.data for column in (fresh, values.ravel(), depth, frame)]
        count = self.kernels.samples(self.data, given, types, most_rows(room), columns)
        if count is None or (values < 0).any():
            return None
        return partial(stacks_from_events, depth[:count], frame[:count], fresh), values

    def refuse(self, bad: BoolArray, places: IntArray, what: str) -> None:
        if bad.any():
            raise truncated(self.where, int(places[bad][0]), what)


def _space_of(name: str) -> str | None:
    """Return the type of the bytes of the objects of a type, such as ``alloc_space`` for ``alloc_objects``."""
    return name.removesuffix("objects") + "space" if name.endswith("objects") else None


def _locations_of(found: dict[int, list[int]]) -> _Locations:
    # ids are unsigned in the file, but are compared as int64 values with the same bits
    ids = np.fromiter(found, np.uint64, len(found)).view(np.int64)
    sizes = np.fromiter(map(len, found.values()), np.int64, len(found))
    order = np.argsort(ids)
    at = ranges((np.cumsum(sizes) - sizes)[order], sizes[order])
    frames = np.fromiter(chain.from_iterable(found.values()), np.int32)[at]
    return _Locations(ids[order], np.append(0, np.cumsum(sizes[order])), frames)


def _table_of(known: IntArray) -> RowArray | None:
    """Return the index of each id in the sorted array ``known``, -1 for missing ids, or None if most are missing."""
    # most programs number locations from 1; for other numbers, a table by id would have many unused rows
    if not len(known) or known[0] <= 0 or known[-1] > 8 * (len(known) + 1):
        return None
    table = np.full(int(known[-1]) + 1, -1, dtype=np.int32)
    table[known] = np.arange(len(known))
    return table


def _rows_of(known: IntArray, ids: IntArray) -> IntArray | RowArray:
    """Return the index of each id in the sorted array ``known``, or -1 for ids that are missing."""
    if not len(known):
        return np.full(len(ids), -1, dtype=np.int64)
    if (table := _table_of(known)) is not None:
        return np.where((ids < 0) | (ids > known[-1]), -1, table[np.clip(ids, 0, known[-1])])
    rows = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[rows] == ids, rows, -1)
