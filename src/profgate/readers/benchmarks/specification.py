"""Specification of a format for benchmark results, and a reader that follows such a specification."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, starmap
from typing import Any

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.record import Struct, field
from profgate.model.source import HEAD_SIZE, SourceFile
from profgate.readers.benchmarks.results import Results, measured, quantity_of
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, decode, document_of, listing, mapping, objects_by_line, refuse_newer, wrong
from profgate.readers.reader import BuiltInReader

_DONE = re.compile(r"--- SKIP|ok$|FAILED$|ignored")  # results of tests that are no benchmarks, or of skipped ones


class Record(Struct):
    """The fields and the position of an entry in a file.

    The methods take paths to values, and raise ProfileError if the value has another type or, unless it is optional, is
    missing. A path consists of keys joined by dots.
    """

    where: str
    fields: Json
    parent: "Record | None" = None

    def get(self, path: str) -> object:
        """Return the value at a path, or None if there is none."""
        value = self.fields.get(path)
        if value is not None or "." not in path:
            return value
        around, _, key = path.rpartition(".")
        return self.child(around, optional=True).fields.get(key)

    def text(self, path: str) -> str:
        """Return the string at a path, or "" if the value is not a string."""
        value = self.get(path)
        return value if isinstance(value, str) else ""

    def joined(self, *paths: str) -> str:
        """Return the non-empty strings at these paths, joined by dots."""
        return ".".join(filter(None, map(self.text, paths)))

    def inherited(self, path: str) -> str | None:
        """Return the text at a path in the record or else in the surrounding document, or None if neither has one."""
        value = self.get(path)
        if isinstance(value, str | int) and value != "":
            return str(value)
        return self.parent.inherited(path) if self.parent else None

    def error(self, what: str) -> ProfileError:
        """Return an error at the position of this record."""
        return wrong(self.where, what)

    def number(self, path: str) -> float:
        """Return the measurement at a path, or NaN if there is none."""
        return measured(self.get(path))

    def child(self, path: str, *, optional: bool = False) -> "Record":
        """Return the object at a path."""
        value = self.get(path)
        return Record(self.where, {} if optional and value is None else mapping(value, self.where, repr(path)))

    def array(self, path: str, *, optional: bool = False) -> list[object]:
        """Return the array at a path."""
        value = self.get(path)
        return [] if optional and value is None else listing(value, self.where, repr(path))

    def children(self, path: str, *, optional: bool = False) -> list["Record"]:
        """Return the objects in the array at a path."""
        prefix, entries = f"{self.where}: {path}", enumerate(self.array(path, optional=optional))
        return [Record(where := f"{prefix}[{number}]", mapping(entry, where, "it"), self) for number, entry in entries]


class ResultFormat(BuiltInReader, Struct):
    """Reader for benchmark results in a format that is defined by a specification.

    The format is also recognised by the pattern ``line``, which is searched for in the first bytes of the file and, if
    ``at_end`` is true, also in the last bytes. All lines that match contain ``word``, which is searched for first.
    ``records`` splits a file into records, and ``select`` filters or completes the records. The name of a benchmark
    consists of the strings at the paths in ``title``, joined by dots. The value is at the path ``value``. The unit is
    the string at the path "unit" or, if there is none, ``unit``. If records have several values, ``add`` is used
    instead of these paths. ``facts`` maps the names of facts to paths in the first record or in the surrounding
    document. ``newest`` contains the path of the format's version and the last one that is known. ``scenarios`` is
    passed to `Results`.
    """

    name: str
    looks: str
    record: str
    records: Callable[[SourceFile], Iterable[Record]]
    counted: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    pattern: re.Pattern[bytes] | None = None
    line: re.Pattern[bytes] | None = None
    word: bytes = b""
    at_end: bool = False
    select: Callable[[Iterable[Record], Results], Iterable[Record]] | None = None
    title: tuple[str, ...] = ("name",)
    value: str = "value"
    unit: str = "s"
    add: Callable[[Results, Record], None] | None = None
    profiler: str | None = None
    facts: Mapping[str, str] = field(default_factory=dict)
    newest: tuple[str, int] | None = None
    scenarios: bool = True

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        if super().fits(source) or (self.line and self.word in source.head and self.line.search(source.head)):
            return True
        if not self.line or not self.at_end or source.size <= len(source.head):
            return False
        with source.open(max(0, source.size - HEAD_SIZE), None) as stream:
            return self.line.search(stream.read()) is not None

    def read(self, source: SourceFile) -> Profile:
        """Return the measurements in base units."""
        source = unwrap(source)
        results = Results(source.name, self.scenarios, self.counted)
        facts: dict[str, Any] | None = None
        records = self.records(source)
        for record in self.select(records, results) if self.select else records:
            if facts is None:
                if self.newest:
                    refuse_newer(record.inherited(self.newest[0]), self.newest[1], source.name)
                stated = ((fact, record.inherited(path)) for fact, path in self.facts.items())
                facts = {fact: value.removesuffix(" (64-bit)") for fact, value in stated if value}  # added by pyperf
            (self.add or self._add)(results, record)
        return results.profile(Facts(**{"format": self.name, "profiler": self.profiler, **(facts or {})}))

    def _add(self, results: Results, record: Record) -> None:
        quantity = quantity_of(record.text("unit") or self.unit)
        results.add(record.joined(*self.title), quantity, [record.number(self.value)])


def whole(source: SourceFile) -> list[Record]:
    """Return a JSON document as one record."""
    return [Record(source.name, document_of(source))]


def listed(path: str) -> Callable[[SourceFile], list[Record]]:
    """Return a function that splits a JSON document into the objects of the array at ``path``."""
    return lambda source: Record(source.name, document_of(source)).children(path)


def json_array(source: SourceFile) -> list[Record]:
    """Return the objects in a file that contains a JSON array."""
    return Record(source.name, {"entry": decode(read_all(source), source.name)}).children("entry")


def json_lines(source: SourceFile) -> Iterator[Record]:
    """Yield the objects in a file that contains one JSON object per line."""
    return starmap(Record, objects_by_line(source))


def lines(pattern: str) -> Callable[[SourceFile], Iterator[Record]]:
    """Return a function that yields the named groups for every line that completely matches ``pattern``."""
    compiled = re.compile(pattern)

    def matches(source: SourceFile) -> Iterator[Record]:
        for number, line in enumerate(read_all(source).splitlines(), start=1):
            # longer lines are output from the programs under test
            match = compiled.fullmatch(line.decode(errors="replace").rstrip()) if len(line) <= 10_000 else None
            if match:
                yield Record(f"{source.name}:{number}", match.groupdict())

    return matches


def completed(written: Iterable[Record], result: re.Pattern[str], results: Results) -> Iterator[Record]:
    """Yield the lines, and the groups of ``result`` in their ``text`` with the last line that had a ``name``.

    Tools write the name of a benchmark before it runs, so its output may separate the name from the result.
    """
    waiting, lost = Record("", {}), list[str]()
    for line in chain(written, [Record("", {"name": "(end)"})]):
        if line.text("name"):
            if (waiting.get("processors") or waiting.text("text")) and not _DONE.match(waiting.text("text")):
                lost.append(f"{waiting.text('name')} {waiting.text('text')}")
            waiting = line
        match = result.fullmatch(line.text("text")) if waiting.fields else None
        yield line if match is None else Record(waiting.where, {**waiting.fields, **match.groupdict()})
        waiting = waiting if match is None else Record("", {})
    if lost:
        results.warnings[f"benchmarks without results, the first is {lost[0][:80]!r}"] = len(lost)
