"""pprof profiles, as Go, Rust, Node.js and others write them: protobuf, gzipped or bare."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from profgate.errors import ProfileError
from profgate.model.arrays import BoolArray, IntArray
from profgate.model.profile import Configuration, Facts, FrameList, Profile, Stacks
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.containers import read_all, unwrap
from profgate.readers.protobuf_wire import LENGTH, VARINT, fields, repeated_varints, signed, truncated, varint
from profgate.readers.quantities import in_base_unit
from profgate.readers.stack_events import stacks_from_paths

# field numbers of the published schema, by message
_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING, _PERIOD_TYPE, _PERIOD = 1, 2, 3, 4, 5, 6, 11, 12
_MESSAGES = {_SAMPLE_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING, _PERIOD_TYPE}
_WIRE = {
    **dict.fromkeys([*_MESSAGES, 13], LENGTH),
    **dict.fromkeys([7, 8, 9, 10, _PERIOD, 14, 15], VARINT),
}
_LISTS = {13}  # comment: numbers, packed or one by one
_SAMPLE_LOCATION, _SAMPLE_VALUE = 1, 2
_ID = 1
_MAPPING_FILE = 5
_LOCATION_MAPPING, _LOCATION_ADDRESS, _LOCATION_LINE = 2, 3, 4
_LINE_FUNCTION, _LINE_LINE = 1, 2
_FUNCTION_NAME, _FUNCTION_SYSTEM_NAME, _FUNCTION_FILE, _FUNCTION_START = 2, 3, 4, 5
_COUNTED = ("alloc", "inuse", "objects", "space", "contentions")
_MAX_LINE = 1 << 31
_SNIFFED_FIELDS = 2000
_DENSE = 8
# inlined calls let a small file name more frames than memory holds
_MAX_FRAMES = 100_000_000


class PprofReader:
    """Reads profile.proto messages."""

    name = "pprof"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        types = 0
        whole = source.size <= len(source.head)
        try:
            for count, (number, wire, start, end) in enumerate(fields(source.head, 0, len(source.head), source.name)):
                if _WIRE.get(number) != wire and not (number in _LISTS and wire == VARINT):
                    return None
                if number == _SAMPLE_TYPE:
                    if not _is_value_type(source.head, start, end):
                        return None
                    types += 1
                if types and count > _SNIFFED_FIELDS:
                    break
        except ProfileError:
            # the last field may reach beyond what can be seen; in a whole file that means it was cut off
            if whole and not types:
                return None
        return f"its first fields are those of a profile message with {types} sample types" if types else None

    def read(self, source: SourceFile) -> Profile:
        """All sample types as metrics over one set of stacks, inlined calls as frames of their own."""
        data = read_all(unwrap(source))
        message = _Message(data, source.name)
        message.split()
        return message.profile()


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    file: str | None
    start: int | None


@dataclass(frozen=True, slots=True)
class _Locations:
    """Locations by id: ``ids`` int64[location] ascending; location ``k`` has ``frames[offsets[k]:offsets[k + 1]]``."""

    ids: IntArray
    offsets: IntArray
    frames: IntArray


@dataclass
class _Frames:
    """Frames of the profile, one for each function in each binary."""

    names: list[str] = field(default_factory=list)
    files: list[str | None] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    modules: list[str | None] = field(default_factory=list)
    numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number_of(self, key: tuple[object, ...], function: _Function, line: int | None, module: str | None) -> int:
        number = self.numbers.setdefault(key, len(self.names))
        if number == len(self.names):
            self.names.append(function.name)
            self.files.append(function.file)
            self.lines.append(function.start or line)
            self.modules.append(module)
        elif not function.start and line:
            self.lines[number] = min(line, self.lines[number] or line)
        return number


@dataclass
class _Message:
    """The outer message while it is read; places are byte ranges."""

    data: bytes
    where: str
    places: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: {number: [] for number in _MESSAGES})
    strings: list[str] = field(default_factory=list)
    period: int = 0
    warnings: list[str] = field(default_factory=list)

    def split(self) -> None:
        """Find the parts of the outer message."""
        for number, wire, start, end in fields(self.data, 0, len(self.data), self.where):
            if number in self.places:
                if wire != LENGTH:
                    raise truncated(self.where, start, f"field {number} has wire type {wire}")
                self.places[number].append((start, end))
            elif number == _PERIOD and wire == VARINT:
                self.period = signed(varint(self.data, start, end, self.where)[0])
        self.strings = [self.data[start:end].decode(errors="replace") for start, end in self.places[_STRING]]
        if not self.strings or self.strings[0]:
            raise truncated(self.where, len(self.data), "the string table is missing")
        if not self.places[_SAMPLE_TYPE]:
            raise truncated(self.where, len(self.data), "no sample type is declared")

    def profile(self) -> Profile:
        types = [self.value_type(*place) for place in self.places[_SAMPLE_TYPE]]
        period_type = [self.value_type(*place) for place in self.places[_PERIOD_TYPE]]
        frames = _Frames()
        paths, offsets, values = self.samples(self.locations(frames), len(types))
        metrics, periods, columns = [], [], []
        for (name, unit), column in zip(types, values, strict=True):
            where = f"{self.where}: sample type {name}"
            column, base, exponent = in_base_unit(column, unit, 0, where)  # noqa: PLW2901 - the same in other units
            counted = name.startswith(_COUNTED)
            metrics.append(
                Metric(name, base, kind=MetricKind.COUNTED if counted else MetricKind.SAMPLED, exponent=exponent)
            )
            columns.append(column)
            periods.append(None if counted else self.period_for(name, unit, period_type))
        stacks = stacks_from_paths(paths, offsets, np.array(columns, dtype=np.int64), where=self.where)
        return self.result(metrics, frames, stacks, periods)

    def result(self, metrics: list[Metric], frames: _Frames, stacks: Stacks, periods: list[int | None]) -> Profile:
        sampled = next(
            (
                period
                for metric, period in zip(metrics, periods, strict=True)
                if period and metric.unit == "nanoseconds"
            ),
            None,
        )
        return Profile(
            name=self.where,
            configuration=Configuration(),
            metrics=tuple(metrics),
            frames=FrameList(frames.names, frames.files, frames.lines, frames.modules),
            stacks=stacks,
            periods=tuple(periods),
            facts=Facts(format=PprofReader.name, rate=1e9 / sampled if sampled else None),
            warnings=tuple(self.warnings),
        )

    def period_for(self, name: str, unit: str, period_type: list[tuple[str, str]]) -> int | None:
        """The value of one sample: 1 where samples are counted, the period where its type is this one."""
        if name in {"samples", "sample"}:
            return 1
        if (name, unit) not in period_type or self.period <= 0:
            return None
        scaled, _, _ = in_base_unit(np.array([self.period], dtype=np.int64), unit, 0, self.where)
        return int(scaled[0])

    def value_type(self, start: int, end: int) -> tuple[str, str]:
        numbers = self.numbers(start, end)
        return self.string(numbers.get(1, 0), start), self.string(numbers.get(2, 0), start)

    def numbers(self, start: int, end: int) -> dict[int, int]:
        """The plain numbers of a small message; of a repeated one the last counts, as the format says."""
        return {
            number: varint(self.data, at, stop, self.where)[0]
            for number, wire, at, stop in fields(self.data, start, end, self.where)
            if wire == VARINT
        }

    def string(self, number: int, at: int) -> str:
        if number >= len(self.strings):
            raise truncated(self.where, at, f"string {number} does not exist, there are {len(self.strings)}")
        return self.strings[number]

    def mappings(self) -> dict[int, str | None]:
        """File names of the binaries by id."""
        found = {}
        for start, end in self.places[_MAPPING]:
            numbers = self.numbers(start, end)
            found[numbers.get(_ID, 0)] = self.string(numbers.get(_MAPPING_FILE, 0), start) or None
        return found

    def functions(self) -> dict[int, _Function]:
        found = {}
        for start, end in self.places[_FUNCTION]:
            numbers = self.numbers(start, end)
            name = self.string(numbers.get(_FUNCTION_NAME, 0), start)
            system = self.string(numbers.get(_FUNCTION_SYSTEM_NAME, 0), start)
            found[numbers.get(_ID, 0)] = _Function(
                name or system,
                self.string(numbers.get(_FUNCTION_FILE, 0), start) or None,
                _line_number(numbers.get(_FUNCTION_START, 0)),
            )
        return found

    def locations(self, frames: _Frames) -> _Locations:
        """Frames of each location, innermost first, as the file has them."""
        mappings, functions = self.mappings(), self.functions()
        found: dict[int, list[int]] = {}
        for start, end in self.places[_LOCATION]:
            numbers = self.numbers(start, end)
            location = numbers.get(_ID, 0)
            if location in found or not location:
                raise truncated(self.where, start, f"location {location} stands twice or has no number")
            address = f"[{numbers.get(_LOCATION_ADDRESS, 0):#x}]"
            binary = numbers.get(_LOCATION_MAPPING, 0)
            module = mappings.get(binary)
            own = []
            for function_id, line in self.lines(start, end):
                function = functions.get(function_id)
                if function is None:
                    raise truncated(self.where, start, f"function {function_id} does not exist")
                if function.name:
                    own.append(frames.number_of((function_id, binary), function, line, module))
                else:
                    own.append(
                        frames.number_of((address, function_id, binary), _nameless(address, function), line, module)
                    )
            if not own:
                own.append(frames.number_of((address, binary), _Function(address, None, None), None, module))
            found[location] = own
        return _locations_of(found)

    def lines(self, start: int, end: int) -> Iterator[tuple[int, int | None]]:
        for number, wire, at, stop in fields(self.data, start, end, self.where):
            if number == _LOCATION_LINE and wire == LENGTH:
                numbers = self.numbers(at, stop)
                yield numbers.get(_LINE_FUNCTION, 0), _line_number(numbers.get(_LINE_LINE, 0))

    def samples(self, locations: _Locations, types: int) -> tuple[IntArray, IntArray, IntArray]:
        """Paths root first with their offsets, and int64[type, sample]; the samples stand in reverse order."""
        places = np.array(self.places[_SAMPLE], dtype=np.int64).reshape(-1, 2)
        found = repeated_varints(
            self.data, places[:, 0].copy(), places[:, 1].copy(), (_SAMPLE_LOCATION, _SAMPLE_VALUE), self.where
        )
        counts, values = found[_SAMPLE_VALUE]
        self.refuse(counts != types, places, f"a sample does not have {types} values")
        values = values.reshape(-1, types).T
        self.refuse(
            np.any(values < 0, axis=0, keepdims=True)[0],
            places,
            "a value is negative, as in a difference of two profiles",
        )
        counts, ids = found[_SAMPLE_LOCATION]
        order = _rows_of(locations.ids, ids)
        unknown = order < 0
        if unknown.any():
            sample = int(np.searchsorted(np.cumsum(counts), np.flatnonzero(unknown)[0], side="right"))
            raise truncated(self.where, int(places[sample, 0]), f"location {ids[unknown][0]} does not exist")
        frames = int((locations.offsets[order + 1] - locations.offsets[order]).sum())
        if frames > _MAX_FRAMES:
            raise ProfileError(
                self.where, f"the stacks have {frames} frames, at most {_MAX_FRAMES} can be read; record less"
            )
        return *_expanded(locations, order, counts), values[:, ::-1]

    def refuse(self, bad: BoolArray, places: IntArray, what: str) -> None:
        if bad.any():
            raise truncated(self.where, int(places[bad][0, 0]), what)


def _is_value_type(data: bytes, start: int, end: int) -> bool:
    return all(number in {1, 2} and wire == VARINT for number, wire, _, _ in fields(data, start, end, ""))


def _line_number(value: int) -> int | None:
    return value if 0 < value < _MAX_LINE else None


def _nameless(address: str, function: _Function) -> _Function:
    return _Function(address, function.file, function.start)


def _locations_of(found: dict[int, list[int]]) -> _Locations:
    # ids are unsigned in the file and compared as the int64 of the same bits
    by_id = sorted((signed(location), own) for location, own in found.items())
    sizes = np.array([len(own) for _, own in by_id], dtype=np.int64)
    return _Locations(
        np.array([location for location, _ in by_id], dtype=np.int64),
        np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes))),
        np.array([frame for _, own in by_id for frame in own], dtype=np.int64),
    )


def _rows_of(known: IntArray, ids: IntArray) -> IntArray:
    """Place of each id among the ``known`` ones, which ascend; -1 where it is not among them."""
    if not len(known):
        return np.full(len(ids), -1, dtype=np.int64)
    if known[0] > 0 and known[-1] < _DENSE * len(known) + _DENSE:
        # numbered from 1 on, as most writers do: a table is several times faster than a search
        table = np.full(int(known[-1]) + 2, -1, dtype=np.int64)
        table[known] = np.arange(len(known))
        return table[np.where((ids >= 0) & (ids <= known[-1]), ids, 0)]
    rows = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[rows] == ids, rows, -1)


def _expanded(locations: _Locations, order: IntArray, counts: IntArray) -> tuple[IntArray, IntArray]:
    """Frames root first of all samples, last sample first, and where each begins."""
    sizes = locations.offsets[order + 1] - locations.offsets[order]
    before = np.cumsum(sizes) - sizes
    at = order
    if len(locations.frames) > len(locations.ids):
        at = np.arange(int(sizes.sum()), dtype=np.int64) + np.repeat(locations.offsets[order] - before, sizes)
    ends = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(sizes)))[np.cumsum(counts)]
    # leaf first within a sample: reversed as a whole, every stack begins at its root
    bounds = np.concatenate((np.zeros(1, dtype=np.int64), ends))
    offsets = len(at) - bounds[::-1]
    return locations.frames[at][::-1], offsets
