"""What a specification of a result format states, and the interpreter that reads any file by it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from itertools import starmap
from typing import Any

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.source import HEAD_SIZE, SourceFile
from profgate.readers.benchmarks.results import Results, measured, quantity_of
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, decode, document_of, listing, mapping, objects_by_line, wrong
from profgate.readers.reader import BuiltInReader

_LONGEST_LINE = 10_000  # longer ones are output of the programs themselves


@dataclass(slots=True)
class Record:
    """The fields of one entry of a file and its place. Paths are keys joined by dots."""

    where: str
    fields: Json
    parent: "Record | None" = None

    def get(self, path: str) -> object:
        """The value at a path, None where it is missing. Raises ProfileError where the path crosses no object."""
        value = self.fields.get(path)
        if value is not None or "." not in path:
            return value
        around, _, key = path.rpartition(".")
        return self.child(around, optional=True).fields.get(key)

    def text(self, path: str) -> str:
        """The text at a path, "" for anything else."""
        value = self.fields.get(path)
        if value is None and "." in path:
            value = self.get(path)
        return value if isinstance(value, str) else ""

    def joined(self, *paths: str) -> str:
        """The texts at these paths, joined by dots."""
        return ".".join(filter(None, map(self.text, paths)))

    def inherited(self, path: str) -> str | None:
        """The text at a path of the record, or of the document around it; None where neither has one."""
        return self.text(path) or (self.parent.inherited(path) if self.parent else None)

    def error(self, what: str) -> ProfileError:
        """The error about this record."""
        return wrong(self.where, what)

    def number(self, path: str) -> float:
        """The measured value at a path. Raises ProfileError for anything else."""
        return measured(self.get(path), self.where)

    def child(self, path: str, *, optional: bool = False) -> "Record":
        """The object at a path. Raises ProfileError for anything else, unless it is missing and optional."""
        value = self.get(path)
        return Record(self.where, {} if optional and value is None else mapping(value, self.where, repr(path)))

    def array(self, path: str, *, optional: bool = False) -> list[object]:
        """The array at a path. Raises ProfileError for anything else, unless it is missing and optional."""
        value = self.get(path)
        return [] if optional and value is None else listing(value, self.where, repr(path))

    def children(self, path: str, *, optional: bool = False) -> list["Record"]:
        """The array of objects at a path. Raises ProfileError as `array` does, and for entries of another kind."""
        prefix, entries = f"{self.where}: {path}", enumerate(self.array(path, optional=optional))
        return [Record(where := f"{prefix}[{number}]", mapping(entry, where, "it"), self) for number, entry in entries]


@dataclass
class ResultFormat(BuiltInReader):
    """A reader of benchmark results, specified by what is particular to the format.

    A ``line`` of its first bytes recognises it too, with ``at_end`` of its last. ``records`` divides a file, and
    ``select`` chooses among the records or completes them. Of each, the paths in ``title`` give the name of the
    benchmark, joined by dots, ``value`` its value and "unit" the unit, else ``unit``; ``add`` is for records of more
    than one value. ``facts`` are paths of the first record or of the document around it. ``scenarios`` is that of
    `Results`.
    """

    name: str
    looks: str
    record: str
    records: Callable[[SourceFile], Iterable[Record]]
    proven: str = ""
    keys: tuple[str, ...] = ()
    pattern: re.Pattern[bytes] | None = None
    line: re.Pattern[bytes] | None = None
    at_end: bool = False
    select: Callable[[Iterable[Record], Results], Iterable[Record]] | None = None
    title: tuple[str, ...] = ("name",)
    value: str = "value"
    unit: str = "s"
    add: Callable[[Results, Record], None] | None = None
    profiler: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    scenarios: bool = True

    def fits(self, source: SourceFile) -> bool:
        """Whether this file looks like the format."""
        if super().fits(source) or (self.line and self.line.search(source.head)):
            return True
        if not self.line or not self.at_end:
            return False
        with source.open(max(0, source.size - HEAD_SIZE), None) as stream:
            return self.line.search(stream.read()) is not None

    def read(self, source: SourceFile) -> Profile:
        """Measurements in base units. Raises ProfileError with the place and what is wrong there."""
        source = unwrap(source)
        results = Results(source.name, self.scenarios)
        facts: dict[str, Any] | None = None
        records = self.records(source)
        for record in self.select(records, results) if self.select else records:
            if facts is None:
                stated = ((fact, record.inherited(path)) for fact, path in self.facts.items())
                facts = {fact: value.removesuffix(" (64-bit)") for fact, value in stated if value}  # pyperf's Python
            (self.add or self._add)(results, record)
        return results.profile(Facts(format=self.name, profiler=self.profiler, **facts or {}))

    def _add(self, results: Results, record: Record) -> None:
        quantity = quantity_of(record.text("unit") or self.unit)
        results.add(record.joined(*self.title), quantity, [record.number(self.value)])


def listed(path: str) -> Callable[[SourceFile], list[Record]]:
    """A division into the objects of an array in a JSON document."""
    return lambda source: Record(source.name, document_of(source)).children(path)


def json_array(source: SourceFile) -> list[Record]:
    """The objects of a file that is a JSON array."""
    return Record(source.name, {"entry": decode(read_all(source), source.name)}).children("entry")


def json_lines(source: SourceFile) -> Iterator[Record]:
    """The JSON objects of a file, one a line."""
    return starmap(Record, objects_by_line(source))


def lines(pattern: str) -> Callable[[SourceFile], Iterator[Record]]:
    """A division into the named groups of every line that matches as a whole."""
    compiled = re.compile(pattern)

    def matches(source: SourceFile) -> Iterator[Record]:
        for number, line in enumerate(read_all(source).splitlines(), start=1):
            match = compiled.fullmatch(line.decode(errors="replace").rstrip()) if len(line) <= _LONGEST_LINE else None
            if match:
                yield Record(f"{source.name}:{number}", match.groupdict())

    return matches


def number_in(text: str, where: str) -> Decimal:
    """A number as programs print it, also ``1,234.5``. Raises ProfileError for anything else."""
    try:
        return Decimal(text.strip().replace(",", ""))
    except InvalidOperation:
        raise wrong(where, f"{text[:40]!r} is no number") from None
