"""The Firefox profiler's processed format, which samply writes too: tables of stacks, frames and functions.

Source: "Processed profile format" and "CHANGELOG-formats" of the Firefox profiler's documentation, versions up to 58.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.quantities import MAX_TOTAL
from profgate.readers.stack_tables import NONE, WEIGHTS, Forest, Planted, numbers, text

# samply leaves names to the viewer
_ADVICE = "open it with `samply load`, wait for the names and save it there"


class FirefoxReader:
    """Reads processed profiles of the Firefox profiler (Firefox, samply): stacks of all threads together."""

    name = "firefox"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"preprocessedProfileVersion"'):
            return "it is JSON with 'preprocessedProfileVersion'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """A metric for each kind of weight: samples, time in nanoseconds, bytes. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        forest = Forest(where)
        tables = _Tables(forest, mapping(document.get("shared", {}), where, "'shared'"), _libraries(document, where))
        for number, thread in enumerate(listing(document.get("threads"), where, "'threads'")):
            tables.add(mapping(thread, f"{where}: thread {number}", "it"), f"{where}: thread {number}")
        meta = mapping(document.get("meta"), where, "'meta'")
        return forest.profile(meta.get("product"), FirefoxReader.name, _ADVICE)


@dataclass
class _Tables:
    """What stands outside the threads, and where their stacks go."""

    forest: Forest
    shared: Json
    libraries: list[str | None]

    def add(self, thread: Json, where: str) -> None:
        """The stacks and samples of a thread."""
        table = self.table(thread, "stackTable", where)
        prefix, frame = (numbers(table.get(key), f"{where}: 'stackTable.{key}'") for key in ("prefix", "frame"))
        known = self.frames_of(thread, where)
        samples = mapping(thread.get("samples"), where, "'samples'")
        stacks = numbers(samples.get("stack"), f"{where}: 'samples.stack'")
        kind = str(samples.get("weightType", "samples"))
        if kind not in WEIGHTS:
            raise wrong(where, f"has weights of the type {kind[:40]!r}, known are {', '.join(WEIGHTS)}")
        weights = _weights(samples.get("weight"), len(stacks), where)
        self.forest.plant(Planted(prefix, frame, known, stacks, kind, weights), where)

    def table(self, thread: Json, name: str, where: str) -> Json:
        """A table, which newer versions share between threads."""
        return mapping(thread.get(name, self.shared.get(name)), where, repr(name))

    def frames_of(self, thread: Json, where: str) -> IntArray:
        """int64[frame of the thread]: the frame of the profile."""
        texts = listing(thread.get("stringArray", self.shared.get("stringArray")), where, "'stringArray'")
        functions, frames = self.table(thread, "funcTable", where), self.table(thread, "frameTable", where)
        calls = numbers(frames.get("func"), f"{where}: 'frameTable.func'")
        lines = _column(frames, "line", len(calls), f"{where}: 'frameTable.line'")
        names = numbers(functions.get("name"), f"{where}: 'funcTable.name'")
        if np.any((calls < 0) | (calls >= len(names))):
            raise wrong(where, "has a frame of a function that it does not hold")
        first = _column(functions, "lineNumber", len(names), f"{where}: 'funcTable.lineNumber'")
        files, modules = (
            self.files_of(functions, len(names), where),
            self.modules_of(thread, functions, len(names), where),
        )
        keys = [
            (text(texts, names[call], where), text(texts, files[call], where), modules[call])
            for call in range(len(names))
        ]
        found = []
        for call, line in zip(calls.tolist(), lines.tolist(), strict=True):
            name, file, module = keys[call]
            found.append(self.forest.frame_number(name, file, int(first[call]) if first[call] > 0 else line, module))
        return np.array(found, dtype=np.int64)

    def files_of(self, functions: Json, count: int, where: str) -> IntArray:
        """int64[function]: the text of its file; since version 58 by a table of sources."""
        if "source" not in functions:
            return _column(functions, "fileName", count, f"{where}: 'funcTable.fileName'")
        sources = mapping(self.shared.get("sources"), where, "'sources'")
        names = numbers(sources.get("filename"), f"{where}: 'sources.filename'")
        return _picked(names, _column(functions, "source", count, f"{where}: 'funcTable.source'"), where)

    def modules_of(self, thread: Json, functions: Json, count: int, where: str) -> list[str | None]:
        """The library of each function, by its resource."""
        resources = self.table(thread, "resourceTable", where)
        library = numbers(resources.get("lib", []), f"{where}: 'resourceTable.lib'")
        picked = _picked(library, _column(functions, "resource", count, f"{where}: 'funcTable.resource'"), where)
        if np.any(picked >= len(self.libraries)):
            raise wrong(where, "has a resource in a library that the profile does not hold")
        return [self.libraries[number] if number >= 0 else None for number in picked.tolist()]


def _libraries(document: Json, where: str) -> list[str | None]:
    found = []
    for number, entry in enumerate(listing(document.get("libs", []), where, "'libs'")):
        name = mapping(entry, f"{where}: library {number}", "it").get("name")
        found.append(name if isinstance(name, str) and name else None)
    return found


def _column(table: Json, name: str, count: int, where: str) -> IntArray:
    """A column that older and newer versions may leave out."""
    column = numbers(table[name], where) if name in table else np.full(count, NONE, dtype=np.int64)
    if len(column) != count:
        raise wrong(where, f"has {len(column)} rows instead of {count}")
    return column


def _picked(values: IntArray, rows: IntArray, where: str) -> IntArray:
    """The values of rows, -1 for no row."""
    if np.any(rows >= len(values)):
        raise wrong(where, "has a function whose source or resource it does not hold")
    return np.append(values, NONE)[rows]


def _weights(values: object, count: int, where: str) -> Sequence[int | Decimal]:
    """What each sample weighs, 1 where the profile does not say."""
    if values is None:
        return [1] * count
    weights = listing(values, where, "'samples.weight'")
    if len(weights) != count:
        raise wrong(where, f"has {len(weights)} weights for {count} samples")
    if set(map(type, weights)) - {int, Decimal}:
        raise wrong(where, "has a weight that is no number")
    if any(not 0 <= weight <= MAX_TOTAL for weight in weights):  # type: ignore[operator]
        raise wrong(where, "has a weight that is negative, as in a difference, or beyond 2^63")
    return weights  # type: ignore[return-value]
