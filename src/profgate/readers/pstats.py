"""Reader for Python's call statistics (cProfile, profile, profiling.sampling): functions, callers and callees."""

import math
import struct
from collections import Counter
from collections.abc import Callable
from typing import cast

from profgate.errors import ProfileError
from profgate.model.profile import CallGraph, Facts, Profile
from profgate.model.record import Struct, field
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.builders import Frames, call_graph
from profgate.readers.containers import read_all, unwrap
from profgate.readers.python_sampling import NO_FILE, SampledFunctions
from profgate.readers.quantities import NOT_READ
from profgate.readers.reader import BuiltInReader

# if there are no samples, the sampling profiler's marker is the only entry in the dict
_MARKS, _MARK_END = (b")\x01", b"\xa9\x01"), 24
_SAMPLED = ("__sampled__",)  # key of files whose counts are samples, not calls
FLAG_REF = 0x80
MAX_NESTING = 16

Marshalled = bool | int | float | str | tuple["Marshalled", ...] | dict["Marshalled", "Marshalled"]


class PstatsReader(BuiltInReader):
    """Reader for the output of `python -m cProfile -o FILE`: functions, callers and callees, without stacks."""

    name = "pstats"
    looks = "a dictionary in Python's marshal format"
    record = "python -m cProfile -o a.pstats bench.py"

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        head = source.head
        named = head[1:].startswith((b")\x03", b"\xa9\x03")) or (
            head[1:].startswith(_MARKS) and _SAMPLED[0].encode() in head[:_MARK_END]
        )
        # the first bytes of a dict and of its first key, a tuple of three elements that identifies a function
        return head in (b"{0", b"\xfb0") or (head.startswith((b"{", b"\xfb")) and named)

    def read(self, source: SourceFile) -> Profile:
        """Return a call graph in nanoseconds, or in samples if a sampling profiler wrote the file."""
        statistics = loads(read_all(unwrap(source)), source.name)
        if not isinstance(statistics, dict):
            raise ProfileError(source.name, "contains no table of functions; write it with cProfile's dump_stats")
        if statistics.pop(_SAMPLED, False):
            return _sampled(source.name, statistics)
        table = _Table(source.name)
        for key, value in statistics.items():
            table.add(key, value)
        return Profile(
            name=source.name,
            metrics=(Metric("time", "nanoseconds", kind=MetricKind.TIMED),),
            frames=table.frames.listed(),
            graph=table.graph(),
            periods=(None,),
            facts=Facts(format=PstatsReader.name, profiler="cProfile", runtime="python"),
            warning_counts=table.warnings,
        )


def _sampled(where: str, statistics: dict[Marshalled, Marshalled]) -> Profile:
    """Return a profile of sample counts. The sampling interval is computed from the seconds in the file."""
    table, functions, interval = _Table(where), SampledFunctions(), None
    for key, value in statistics.items():
        if not isinstance(value, tuple) or len(value) != 5 or not isinstance(value[4], dict):
            raise table.error(key, "has no row of samples, times and callers")
        row, own = functions.number(*table.place(key)), table.count(key, value[0])
        functions.add(row, own, table.count(key, value[1]))
        if own and not interval:
            interval = round(table.nanoseconds(key, value[2]) / own / 1000)
        for caller, samples in value[4].items():
            functions.add_edge(functions.number(*table.place(caller)), row, table.count(key, samples))
    return functions.profile(where, PstatsReader.name, interval)


class _Table(Struct):
    where: str
    frames: Frames = field(default_factory=Frames)
    known: dict[Marshalled, int] = field(default_factory=dict)
    own: Counter[int] = field(default_factory=Counter)
    total: Counter[int] = field(default_factory=Counter)
    calls: Counter[int] = field(default_factory=Counter)
    edges: list[tuple[int, int]] = field(default_factory=list)
    edge_total: list[int] = field(default_factory=list)
    edge_calls: list[int] = field(default_factory=list)
    warnings: Counter[str] = field(default_factory=Counter)

    def add(self, key: Marshalled, value: Marshalled) -> None:
        function = self.function(key)
        if not isinstance(value, tuple) or len(value) != 5:
            raise self.error(key, "has no row of calls, times and callers")
        # primitive calls, calls, own time, time with callees (tottime and cumtime of the pstats module), and callers
        _, calls, own, total, callers = value
        self.calls[function] += self.count(key, calls)
        self.own[function] += self.nanoseconds(key, own)
        self.total[function] += self.nanoseconds(key, total)
        if not isinstance(callers, dict):
            raise self.error(key, "has no table of callers")
        for caller, row in callers.items():
            self.edges.append((self.function(caller), function))
            if isinstance(row, tuple) and len(row) == 4:
                self.edge_total.append(self.nanoseconds(key, row[3]))
                self.edge_calls.append(self.count(key, row[0]))
            else:
                # the profile module stores only the number of calls for each caller, without times
                self.edge_total.append(0)
                self.edge_calls.append(self.count(key, row))
                self.warnings["callers without times, of which only the calls are known"] += 1

    def function(self, key: Marshalled) -> int:
        number = self.known.get(key)
        if number is None:
            file, line, name = self.place(key)
            # built-in functions have the file "~" and line 0
            number = self.known[key] = self.frames.number_of(name, None if file == NO_FILE else file, line)
        return number

    def place(self, key: Marshalled) -> tuple[str, int, str]:
        match key:
            case (str() as file, int() as line, str() as name):
                return file, line, name
        raise self.error(key, "is not a (file, line, name)")

    def count(self, key: Marshalled, value: Marshalled) -> int:
        # pyinstrument does not know the numbers of calls and writes -1
        if type(value) is not int or not -1 <= value < 1 << 62:
            raise self.error(key, f"has {str(value)[:40]!r} for a number of calls")
        return max(0, value)

    def nanoseconds(self, key: Marshalled, value: Marshalled) -> int:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.error(key, f"has {str(value)[:40]!r} for a time")
        if not math.isfinite(value) or abs(value) > 9e9:
            raise self.error(key, f"has {value!r} for a time")
        if value < 0:
            self.warnings["negative times that were taken for 0"] += 1
        return max(0, round(value * 1e9))

    def error(self, key: Marshalled, what: str) -> ProfileError:
        return ProfileError(f"{self.where}: function {str(key)[:120]}", f"{what}; {NOT_READ}")

    def graph(self) -> CallGraph:
        # functions that occur only as callers have no entry, so their values are 0
        functions = range(len(self.frames.numbers))
        own, total, calls = (
            [column[function] for function in functions] for column in (self.own, self.total, self.calls)
        )
        return call_graph(
            own=own, total=total, calls=calls, edges=self.edges, edge_total=self.edge_total, edge_calls=self.edge_calls
        )


_END: Marshalled = cast("Marshalled", object())  # marks the end of a dict, and objects that are not completely decoded


def loads(data: bytes, where: str) -> Marshalled:
    """Return a marshalled object of dicts, tuples, numbers and strings. Raises ProfileError with the byte offset."""
    decoder = _Decoder(data, where)
    found = decoder.value()
    if decoder.at != len(data):
        raise decoder.error(f"{len(data) - decoder.at} bytes follow the end of the statistics")
    return found


class _Decoder:
    """Decoder that reads objects in order. ``at`` is the position of the next byte."""

    def __init__(self, data: bytes, where: str) -> None:
        self.data = data
        self.where = where
        self.at = 0
        self.depth = 0
        self.references: list[Marshalled] = []
        self.kinds: dict[str, Callable[[], Marshalled]] = {
            "T": lambda: True,
            "i": lambda: int.from_bytes(self.take(4), "little", signed=True),
            "l": self.long,
            "g": lambda: float(struct.unpack("<d", self.take(8))[0]),
            "r": self.reference,
            **dict.fromkeys("sut", lambda: self.text(4, "utf-8")),
            **dict.fromkeys("aA", lambda: self.text(4, "ascii")),
            **dict.fromkeys("zZ", lambda: self.text(1, "ascii")),
            ")": self.tuple_of,
            "{": self.dict_of,
        }

    def error(self, what: str) -> ProfileError:
        return ProfileError(f"{self.where}: byte {self.at}", f"{what}; {NOT_READ}")

    def take(self, count: int) -> bytes:
        end = self.at + count
        if end > len(self.data):
            raise self.error(f"the file ends {end - len(self.data)} bytes too early")
        taken = self.data[self.at : end]
        self.at = end
        return taken

    def value(self) -> Marshalled:
        found = self._value()
        if found is _END:
            raise self.error("an end mark is where a value is expected")
        return found

    def _value(self) -> Marshalled:
        code = self.take(1)[0]
        kind, named = chr(code & ~FLAG_REF), bool(code & FLAG_REF)
        if kind == "0":
            return _END
        decode = self.kinds.get(kind)
        if decode is None:
            what = f"the type {kind!r} does not belong in call statistics, as python -m profile writes; record with:"
            raise ProfileError(f"{self.where}: byte {self.at}", f"{what} python -m cProfile -o a.pstats SCRIPT")
        if self.depth == MAX_NESTING and kind in "){":
            raise self.error("the statistics are nested too deeply")
        # an object with the flag gets the next number before its parts are read, as in CPython's marshal.c
        place = len(self.references)
        if named:
            self.references.append(_END)
        self.depth += 1
        found = decode()
        self.depth -= 1
        if named:
            self.references[place] = found
        return found

    def tuple_of(self) -> Marshalled:
        return tuple([self.value() for _ in range(self.size(1))])

    def dict_of(self) -> Marshalled:
        found: dict[Marshalled, Marshalled] = {}
        while (key := self._value()) is not _END:
            try:
                found[key] = self.value()
            except TypeError:
                raise self.error("a dict is used as a key") from None
        return found

    def size(self, width: int) -> int:
        size = int.from_bytes(self.take(width), "little")
        # each element has at least one byte, so this check prevents large allocations for damaged files
        if size > len(self.data) - self.at:
            raise self.error(f"{size} bytes or elements are announced, but {len(self.data) - self.at} bytes are left")
        return size

    def text(self, width: int, encoding: str) -> str:
        return self.take(self.size(width)).decode(encoding, errors="replace")

    def long(self) -> int:
        count = int.from_bytes(self.take(4), "little", signed=True)
        if abs(count) > 16:
            raise self.error(f"a number with {abs(count)} digits is too large")
        digits = struct.unpack(f"<{abs(count)}H", self.take(2 * abs(count)))
        # marshal writes digits of 15 bits, the lowest first
        size: int = sum(digit << (15 * place) for place, digit in enumerate(digits))
        return -size if count < 0 else size

    def reference(self) -> Marshalled:
        number = int.from_bytes(self.take(4), "little")
        if number >= len(self.references):
            raise self.error(f"reference {number} names no earlier object")
        found = self.references[number]
        if found is _END:
            raise self.error(f"reference {number} refers to an object that contains it")
        if not _is_flat(found):
            raise self.error(f"reference {number} repeats a table")
        return found


def _is_flat(value: Marshalled) -> bool:
    """Return whether a reference to the value is allowed. References to nested containers could exhaust memory."""
    if isinstance(value, tuple):
        return len(value) <= MAX_NESTING and not any(isinstance(part, tuple | dict) for part in value)
    return not isinstance(value, dict)
