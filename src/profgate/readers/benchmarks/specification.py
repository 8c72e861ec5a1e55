"""What a specification of a result format states, and the interpreter that reads any file by it."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from statistics import median
from typing import Any

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.source import HEAD_SIZE, SourceFile
from profgate.readers.benchmarks.results import Results, measured
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_lines import objects_of
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong

_LONGEST_LINE = 10_000  # longer ones are output of the programs themselves


@dataclass(frozen=True, slots=True)
class Record:
    """The fields of one entry of a file and its place. Paths are keys joined by dots."""

    where: str
    fields: Json
    parent: "Record | None" = None

    def get(self, path: str) -> object:
        """The value at a path, None where it is missing. Raises ProfileError where the path crosses no object."""
        around, _, key = path.rpartition(".")
        return (self.child(around, optional=True) if around else self).fields.get(key)

    def inherited(self, path: str) -> object:
        """The value at a path of the record, or of the document around it."""
        found = self.get(path)
        return self.parent.inherited(path) if found is None and self.parent else found

    def text(self, path: str) -> str:
        """The text at a path, "" for anything else."""
        value = self.get(path)
        return value if isinstance(value, str) else ""

    def error(self, what: str) -> ProfileError:
        """The error about this record."""
        return wrong(self.where, what)

    def number(self, path: str) -> float:
        """The measured value at a path. Raises ProfileError for anything else."""
        return measured(self.get(path), self.where)

    def child(self, path: str, *, optional: bool = False) -> "Record":
        """The object at a path. Raises ProfileError for anything else, unless it is missing and optional."""
        value = self.get(path)
        return Record(self.where, {} if optional and value is None else mapping(value, self.where, repr(path)), self)

    def array(self, path: str, *, optional: bool = False) -> list[object]:
        """The array at a path. Raises ProfileError for anything else, unless it is missing and optional."""
        value = self.get(path)
        return [] if optional and value is None else listing(value, self.where, repr(path))

    def children(self, path: str, *, optional: bool = False) -> list["Record"]:
        """The array of objects at a path. Raises ProfileError for anything else."""
        return _objects(self.array(path, optional=optional), self.where, path, self)


# how a file is divided: the document around all records, where there is one, and the records
Division = Callable[[SourceFile], tuple[Record | None, Iterable[Record]]]


@dataclass
class ResultFormat:
    """A reader of benchmark results, specified by what is particular to the format.

    ``keys`` are those of a JSON object, ``pattern`` is one of the beginning of a file (and of its end): either
    recognises it, and ``looks`` is the sentence about that. ``records`` divides a file, ``select`` chooses among or
    completes the records, and ``add`` adds the values of one. ``facts`` are paths of the document, else of the first
    record. ``scenarios`` and ``combine`` are those of `Results`.
    """

    name: str
    looks: str
    records: Division
    add: Callable[[Results, Record], None]
    keys: tuple[str, ...] = ()
    pattern: re.Pattern[bytes] | None = None
    at_end: bool = False
    select: Callable[[Iterable[Record], Results], Iterable[Record]] | None = None
    profiler: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    scenarios: bool = True
    combine: Callable[[list[float]], float] = median

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        quoted = [f'"{key}"'.encode() for key in self.keys]
        found = bool(quoted) and begins_object(source) and ends_hold(source, *quoted)
        if self.pattern is not None and not found:
            found = self.pattern.search(source.head) is not None
            if self.at_end and not found:
                with source.open(max(0, source.size - HEAD_SIZE), None) as stream:
                    found = self.pattern.search(stream.read()) is not None
        return self.looks if found else None

    def read(self, source: SourceFile) -> Profile:
        """Measurements in base units. Raises ProfileError with the place and what is wrong there."""
        source = unwrap(source)
        results = Results(source.name, self.scenarios, self.combine)
        document, records = self.records(source)
        for record in self.select(records, results) if self.select else records:
            document = document or record
            self.add(results, record)
        facts: dict[str, Any] = {}
        if document:
            facts = {fact: document.text(path).removesuffix(" (64-bit)") or None for fact, path in self.facts.items()}
        return results.profile(Facts(format=self.name, profiler=self.profiler, **facts))


def listed(path: str) -> Division:
    """The objects of an array in a JSON document."""

    def divided(source: SourceFile) -> tuple[Record, Iterable[Record]]:
        document = json_document(source)
        return document, document.children(path)

    return divided


def json_document(source: SourceFile) -> Record:
    """The JSON object of a whole file. Raises ProfileError for anything else."""
    return Record(source.name, mapping(decode(read_all(source), source.name), source.name, "the document"))


def json_array(source: SourceFile) -> tuple[None, Iterable[Record]]:
    """The objects of a file that is a JSON array."""
    entries = listing(decode(read_all(source), source.name), source.name, "the document")
    return None, _objects(entries, source.name, "entry")


def json_lines(source: SourceFile) -> tuple[None, Iterable[Record]]:
    """The JSON objects of a file, one a line."""
    return None, (Record(where, fields) for where, fields in objects_of(source))


def lines(pattern: str) -> Division:
    """The named groups of every line that matches as a whole, blanks at its end aside."""
    compiled = re.compile(pattern)

    def divided(source: SourceFile) -> tuple[None, Iterable[Record]]:
        written = enumerate(read_all(source).splitlines(), start=1)
        short = (
            (number, line.decode(errors="replace").rstrip()) for number, line in written if len(line) <= _LONGEST_LINE
        )
        matches = ((number, compiled.fullmatch(line)) for number, line in short)
        return None, (Record(f"{source.name}:{number}", match.groupdict()) for number, match in matches if match)

    return divided


def number_in(text: str, where: str) -> Decimal:
    """A number as programs print it, also ``1,234.5``. Raises ProfileError for anything else."""
    try:
        return Decimal(text.strip().replace(",", ""))
    except InvalidOperation:
        raise wrong(where, f"{text[:40]!r} is no number") from None


def _objects(entries: list[object], where: str, what: str, parent: Record | None = None) -> list[Record]:
    places = (f"{what}[{number}]" for number in range(len(entries)))
    return [
        Record(f"{where}: {place}", mapping(entry, where, place), parent)
        for place, entry in zip(places, entries, strict=True)
    ]
