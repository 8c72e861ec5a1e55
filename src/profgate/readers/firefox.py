"""Reader for the Firefox profiler's processed format, which samply also writes.

Source: "Processed profile format" and "CHANGELOG-formats" in the Firefox profiler's documentation, and for the symbols
that samply 0.13 writes beside a profile, its source `symbol_precog.rs`.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.profile import Profile
from profgate.model.record import Struct, field
from profgate.model.source import SourceFile
from profgate.readers.json_text import (
    Json,
    document_of,
    listing,
    mapping,
    numbered_objects,
    refuse_newer,
    weights_of,
    wrong,
)
from profgate.readers.quantities import refuse_expansion
from profgate.readers.reader import BuiltInReader
from profgate.readers.stack_tables import NONE, WEIGHTS, Threads, numbers, text

# files written by samply contain addresses, which the viewer converts to function names
_ADVICE = "record with --unstable-presymbolicate, or open it with `samply load`, wait for the names and save it there"
NEWEST = 70
"""The last version of the processed profile format that is known."""
SYMBOLS = "profgateSymbols"
"""Key of a profile with the symbols that samply wrote beside it."""
T = TypeVar("T")


class FirefoxReader(BuiltInReader):
    """Reader for processed profiles of the Firefox profiler (Firefox, samply): stacks of all threads combined."""

    name = "firefox"
    looks = "JSON with the key preprocessedProfileVersion"
    record = "samply record --save-only --unstable-presymbolicate -o a.json CMD"
    keys = ("preprocessedProfileVersion",)

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with one metric per kind of weight: samples, nanoseconds or bytes."""
        where = source.name
        document = document_of(source)
        meta = mapping(document.get("meta"), where, "'meta'")
        refuse_newer(meta.get("preprocessedProfileVersion"), NEWEST, where)
        threads = Threads(where, source.size)
        shared = mapping(document.get("shared", {}), where, "'shared'")
        tables = _Tables(threads, shared, _libraries(document, where), _symbols(document, where))
        for place, thread in numbered_objects(document.get("threads"), where, "'threads'", "thread"):
            tables.add(thread, place)
        return threads.profile(meta.get("product"), FirefoxReader.name, _ADVICE)


class _Tables(Struct):
    """Data that all threads share: frames, tables and library names."""

    threads: Threads
    shared: Json
    libraries: list[str | None]
    symbols: dict[tuple[int, int], tuple[str, str | None]]  # the name and file of addresses in libraries
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
        frame = numbers(table.get("frame"), f"{where}: 'stackTable.frame'")
        if "prefixOffset" not in table:  # since version 66, callers are stored as distances
            return numbers(table.get("prefix"), f"{where}: 'stackTable.prefix'"), frame
        offset = numbers(table["prefixOffset"], f"{where}: 'stackTable.prefixOffset'")
        prefix = np.arange(len(offset)) - offset
        if np.any((offset < 0) | (prefix < 0)):
            raise wrong(where, "has a stack whose 'prefixOffset' leads to no other stack")
        return np.where(offset > 0, prefix, NONE), frame

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
        keys = [
            (text(texts, name, where) or "", text(texts, file, where), line)
            for name, file, line in zip(names, files, first.tolist(), strict=True)
        ]
        # no other value depends on addresses, which can be of any kind in converted profiles
        addresses = _column(frames, "address", len(calls), f"{where}: 'frameTable.address'") if self.symbols else calls
        found = []
        columns = (calls, self.libraries_of(thread, calls, where), addresses, lines)
        for call, library, address, line in zip(*map(np.ndarray.tolist, columns), strict=True):
            name, file, begin = keys[call]
            name, file = self.symbols.get((library, address), (name, file))
            module = self.libraries[library] if library >= 0 else None
            found.append(self.threads.frames.number_of(name, file, begin if begin > 0 else line, module))
        return np.array(found, dtype=np.int64)

    def files_of(self, functions: Json, count: int, where: str) -> IntArray:
        """Return the string index of each function's file, which is in a table of sources since version 58."""
        if "source" not in functions:
            return _column(functions, "fileName", count, f"{where}: 'funcTable.fileName'")
        sources = mapping(self.shared.get("sources"), where, "'sources'")
        names = numbers(sources.get("filename"), f"{where}: 'sources.filename'")
        return _picked(names, _column(functions, "source", count, f"{where}: 'funcTable.source'"), where)

    def libraries_of(self, thread: Json, calls: IntArray, where: str) -> IntArray:
        """Return the number of each frame's library, or -1. Before version 70, the function's resource names it."""
        frames, functions = self.table(thread, "frameTable", where), self.table(thread, "funcTable", where)
        if "lib" in frames:
            found = _column(frames, "lib", len(calls), f"{where}: 'frameTable.lib'")
        else:
            resources = self.table(thread, "resourceTable", where)
            library = numbers(resources.get("lib", []), f"{where}: 'resourceTable.lib'")
            count = len(listing(functions.get("name"), where, "'funcTable.name'"))
            resource = _column(functions, "resource", count, f"{where}: 'funcTable.resource'")
            found = _picked(library, resource, where)[calls]
        if np.any(found >= len(self.libraries)):
            raise wrong(where, "has a resource in a library that the profile does not contain")
        return found


def _libraries(document: Json, where: str) -> list[str | None]:
    libraries = numbered_objects(document.get("libs", []), where, "'libs'", "library")
    names = [library.get("name") for _, library in libraries]
    return [name if isinstance(name, str) and name else None for name in names]


def _symbols(document: Json, where: str) -> dict[tuple[int, int], tuple[str, str | None]]:
    """Return the name and file of each address that samply's symbols contain, by library number and address.

    An inlined function counts as part of the function that contains its code.
    """
    stated = mapping(document.get(SYMBOLS, {}), where, "the symbols")
    texts = listing(stated.get("string_table", []), where, "'string_table'")
    numbered = {}
    for number, (_, library) in enumerate(numbered_objects(document.get("libs", []), where, "'libs'", "library")):
        numbered[str(library.get("debugName")), _build(library.get("breakpadId"))] = number
    found = {}
    for place, part in numbered_objects(stated.get("data", []), where, "'data'", "symbols of library"):
        known = numbered.get((str(part.get("debug_name")), _build(part.get("debug_id"))))
        names = []
        for symbol_place, symbol in numbered_objects(part.get("symbol_table"), place, "'symbol_table'", "symbol"):
            frames = symbol.get("frames") or [{}]
            outer = mapping(listing(frames, symbol_place, "'frames'")[-1], symbol_place, "a frame")
            name, file = numbers([symbol.get("symbol"), outer.get("file")], symbol_place).tolist()
            names.append((text(texts, name, symbol_place) or "", text(texts, file, symbol_place)))
        pairs = listing(part.get("known_addresses"), place, "'known_addresses'")
        flat = numbers([value for pair in pairs for value in listing(pair, place, "an address")], place)
        if len(flat) != 2 * len(pairs) or np.any((flat[1::2] < 0) | (flat[1::2] >= len(names))):
            raise wrong(place, "has an address of a symbol that it does not contain")
        if known is not None:
            for address, symbol_number in flat.reshape(-1, 2).tolist():
                found[known, address] = names[symbol_number]
    return found


def _build(identifier: object) -> str:
    """Return the UUID of a build without dashes and age, which the profile and its symbols write differently."""
    return str(identifier).replace("-", "")[:32].lower()


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
