"""Reader for the Firefox profiler's processed format, which samply also writes.

Source: "Processed profile format" and "CHANGELOG-formats" in the Firefox profiler's documentation, versions up to 58.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import Json, document_of, listing, mapping, numbered_objects, weights_of, wrong
from profgate.readers.quantities import refuse_expansion
from profgate.readers.reader import BuiltInReader
from profgate.readers.stack_tables import NONE, WEIGHTS, Threads, numbers, text

# files written by samply contain addresses, which the viewer converts to function names
_ADVICE = "open it with `samply load`, wait for the names and save it there"
T = TypeVar("T")


class FirefoxReader(BuiltInReader):
    """Reader for processed profiles of the Firefox profiler (Firefox, samply): stacks of all threads combined."""

    name = "firefox"
    looks = "JSON with the key preprocessedProfileVersion"
    record = "samply record --save-only --presymbolicate -o a.json CMD"
    keys = ("preprocessedProfileVersion",)

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with one metric per kind of weight: samples, nanoseconds or bytes."""
        where = source.name
        document = document_of(source)
        threads = Threads(where, source.size)
        tables = _Tables(threads, mapping(document.get("shared", {}), where, "'shared'"), _libraries(document, where))
        for place, thread in numbered_objects(document.get("threads"), where, "'threads'", "thread"):
            tables.add(thread, place)
        meta = mapping(document.get("meta"), where, "'meta'")
        return threads.profile(meta.get("product"), FirefoxReader.name, _ADVICE)


@dataclass
class _Tables:
    """Data that all threads share: frames, tables and library names."""

    threads: Threads
    shared: Json
    libraries: list[str | None]
    known: dict[tuple[int, ...], Any] = field(default_factory=dict)
    rows: int = 0

    def add(self, thread: Json, where: str) -> None:
        prefix, frame = self.once(thread, ("stackTable",), self.stacks_of, where)
        frames = self.once(thread, ("frameTable", "funcTable", "resourceTable", "stringArray"), self.frames_of, where)
        samples = mapping(thread.get("samples"), where, "'samples'")
        stacks = numbers(samples.get("stack"), f"{where}: 'samples.stack'")
        kind = str(samples.get("weightType", "samples"))
        if kind not in WEIGHTS:
            raise wrong(where, f"has weights of the type {kind[:40]!r}; supported are {', '.join(WEIGHTS)}")
        weight = samples.get("weight")
        written = [1] * len(stacks) if weight is None else listing(weight, where, "'samples.weight'")
        weights = weights_of(written, len(stacks), where)
        self.threads.add(prefix, frame, frames, stacks, weights, where, kind)

    def table(self, thread: Json, name: str, where: str) -> Json:
        """Return a table of the thread or, in newer versions of the format, the shared table that replaces it."""
        return mapping(thread.get(name, self.shared.get(name)), where, repr(name))

    def once(self, thread: Json, names: tuple[str, ...], compute: Callable[[Json, str], T], where: str) -> T:
        """Return what ``compute`` returns for these tables, which are read once if threads share them."""
        tables = tuple(id(thread.get(name, self.shared.get(name))) for name in names)
        if tables not in self.known:
            self.known[tables] = compute(thread, where)
        found: T = self.known[tables]
        return found

    def stacks_of(self, thread: Json, where: str) -> tuple[IntArray, IntArray]:
        """Return int64 arrays with the caller and the frame of each stack."""
        table = self.table(thread, "stackTable", where)
        prefix, frame = (numbers(table.get(key), f"{where}: 'stackTable.{key}'") for key in ("prefix", "frame"))
        return prefix, frame

    def frames_of(self, thread: Json, where: str) -> IntArray:
        """Return an int64 array that maps the frames of the thread to frame numbers of the profile."""
        texts = listing(thread.get("stringArray", self.shared.get("stringArray")), where, "'stringArray'")
        functions, frames = self.table(thread, "funcTable", where), self.table(thread, "frameTable", where)
        calls = numbers(frames.get("func"), f"{where}: 'frameTable.func'")
        lines = _column(frames, "line", len(calls), f"{where}: 'frameTable.line'")
        names = numbers(functions.get("name"), f"{where}: 'funcTable.name'")
        self.rows += len(calls) + len(names)
        refuse_expansion(self.rows, self.threads.bytes, where)
        if np.any((calls < 0) | (calls >= len(names))):
            raise wrong(where, "has a frame of a function that it does not contain")
        first = _column(functions, "lineNumber", len(names), f"{where}: 'funcTable.lineNumber'")
        files = self.files_of(functions, len(names), where)
        modules = self.modules_of(thread, functions, len(names), where)
        keys = [
            (text(texts, name, where) or "", text(texts, file, where), line, module)
            for name, file, line, module in zip(names, files, first.tolist(), modules, strict=True)
        ]
        found = []
        for call, line in zip(calls.tolist(), lines.tolist(), strict=True):
            name, file, begin, module = keys[call]
            found.append(self.threads.frames.number_of(name, file, begin if begin > 0 else line, module))
        return np.array(found, dtype=np.int64)

    def files_of(self, functions: Json, count: int, where: str) -> IntArray:
        """Return the string index of each function's file, which is in a table of sources since version 58."""
        if "source" not in functions:
            return _column(functions, "fileName", count, f"{where}: 'funcTable.fileName'")
        sources = mapping(self.shared.get("sources"), where, "'sources'")
        names = numbers(sources.get("filename"), f"{where}: 'sources.filename'")
        return _picked(names, _column(functions, "source", count, f"{where}: 'funcTable.source'"), where)

    def modules_of(self, thread: Json, functions: Json, count: int, where: str) -> list[str | None]:
        """Return the library of each function, which is specified by the function's resource."""
        resources = self.table(thread, "resourceTable", where)
        library = numbers(resources.get("lib", []), f"{where}: 'resourceTable.lib'")
        picked = _picked(library, _column(functions, "resource", count, f"{where}: 'funcTable.resource'"), where)
        if np.any(picked >= len(self.libraries)):
            raise wrong(where, "has a resource in a library that the profile does not contain")
        return [self.libraries[number] if number >= 0 else None for number in picked.tolist()]


def _libraries(document: Json, where: str) -> list[str | None]:
    libraries = numbered_objects(document.get("libs", []), where, "'libs'", "library")
    names = [library.get("name") for _, library in libraries]
    return [name if isinstance(name, str) and name else None for name in names]


def _column(table: Json, name: str, count: int, where: str) -> IntArray:
    """Return a column of a table, or a column filled with -1 if the table does not contain this column."""
    column = numbers(table[name], where) if name in table else np.full(count, NONE, dtype=np.int64)
    if len(column) != count:
        raise wrong(where, f"has {len(column)} rows instead of {count}")
    return column


def _picked(values: IntArray, rows: IntArray, where: str) -> IntArray:
    """Return the values at the given rows, or -1 for row -1."""
    if np.any(rows >= len(values)):
        raise wrong(where, "has a function whose source or resource it does not contain")
    return np.append(values, NONE)[rows]
