"""Reader for the Gecko profile format, written by `perf script report gecko` and by Firefox before processing.

Source: "Gecko profile format" and "CHANGELOG-formats" in the Firefox profiler's documentation. Locations are
parsed as in the Firefox profiler, so that a recording has the same functions in both formats.
"""

import re
from bisect import bisect_right
from typing import NamedTuple

import numpy as np

from profgate.model.arrays import IntArray
from profgate.model.profile import Profile
from profgate.model.source import SourceFile
from profgate.readers.json_text import (
    Json,
    document_of,
    ends_hold,
    listing,
    mapping,
    numbered_objects,
    refuse_newer,
    wrong,
)
from profgate.readers.reader import BuiltInReader
from profgate.readers.stack_tables import ADDRESS, NONE, Threads, numbers, text

NEWEST = 36
"""The last version of the Gecko profile format that is known."""
_ADVICE = "open it in profiler.firefox.com, wait for the names and save it there"
_SCRIPT = re.compile(r"(.*?):([0-9]{1,10})(?::[0-9]{1,10})?", re.DOTALL)


class GeckoReader(BuiltInReader):
    """Reader for unprocessed Firefox profiles: the stacks of all threads of all processes combined."""

    name = "gecko"
    looks = "JSON with the keys and tables of an unprocessed Firefox profile"
    record = "MOZ_PROFILER_STARTUP=1 MOZ_PROFILER_SHUTDOWN=a.json firefox URL"
    keys = ("meta", "version")

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        # every Gecko profile has one of these keys near its start or end, and processed profiles have none of them
        keys = (b'"stringTable"', b'"pausedRanges"', b'"stackwalk"')
        if not any(ends_hold(source, key) for key in keys) or ends_hold(source, b'"preprocessedProfileVersion"'):
            return False
        return super().fits(source)

    def read(self, source: SourceFile) -> Profile:
        """Return a profile of sample counts. Every sample counts as 1, as in the Firefox profiler."""
        document, threads = document_of(source), Threads(source.name, source.size)
        meta = mapping(document.get("meta"), source.name, "'meta'")
        refuse_newer(meta.get("version"), NEWEST, source.name)
        waiting = [(source.name, document)]
        while waiting:
            where, process = waiting.pop()
            libraries, sources = _libraries(process, where), _sources(process, where)
            for place, thread in numbered_objects(process.get("threads"), where, "'threads'", "thread"):
                prefix, frame = (_rows(thread, "stackTable", key, place) for key in ("prefix", "frame"))
                stacks = _rows(thread, "samples", "stack", place)
                frames = _frames_of(thread, threads, libraries, sources, place)
                threads.add(prefix, frame, frames, stacks, [1] * len(stacks), place)
            inner = numbered_objects(process.get("processes", []), where, "'processes'", "process")
            waiting += reversed(list(inner))
        return threads.profile(meta.get("product"), GeckoReader.name, _ADVICE)


class FrameLocation(NamedTuple):
    """Location of a frame. An unknown ``line`` is -1."""

    name: str
    file: str | None = None
    line: int = NONE
    module: str | None = None


def located(location: str, sources: list[str | None]) -> FrameLocation:
    """Parse a location such as ``call (in library) + 12``, ``call (file:line:column)[source]`` or a label."""
    name, within, rest = location.rpartition(" (in ")
    # a library, followed by an offset or by a source position in parentheses
    library = re.fullmatch(r"([^)]*)\)(?: \+ [0-9]+| \([^:]*:.*\))?", rest, re.DOTALL) if within else None
    if library is not None:
        return FrameLocation(name.removeprefix("non-virtual thunk to "), module=library[1] or None)
    numbered = re.search(r"\[([0-9]{1,9})\]\Z", location)
    script = location[: numbered.start()] if numbered else location
    name, opened, rest = script.rpartition(" (")
    place = _SCRIPT.fullmatch(rest[:-1]) if opened and rest.endswith(")") else None
    if place is None:
        name, place = "", _SCRIPT.fullmatch(script)
    # a location with neither a file nor a numbered source is a label
    if place is None or not (place[1] or numbered):
        return FrameLocation(location)
    source = int(numbered[1]) if numbered else len(sources)
    # if scripts load each other, their names are joined with "->"; the last script contains the function
    file = (sources[source] if source < len(sources) else None) or place[1].rpartition(" -> ")[2] or None
    return FrameLocation(name or f"(root scope) {file or '[unknown]'}", file, int(place[2]))


class _Library(NamedTuple):
    """Library that is loaded at ``base`` and occupies the addresses from ``begin`` to ``end`` (exclusive)."""

    begin: int
    end: int
    base: int
    name: str


def _in_library(address: str, libraries: list[_Library]) -> FrameLocation:
    """Return the address relative to its library, which does not change between runs, or else the address."""
    number = int(address, 16)
    at = bisect_right(libraries, number, key=lambda library: library.begin) - 1
    if at < 0 or number >= libraries[at].end:
        return FrameLocation(address)
    return FrameLocation(hex(number - libraries[at].base), module=libraries[at].name)


def _libraries(process: Json, where: str) -> list[_Library]:
    """Return the libraries that have a name, sorted by address."""
    found = []
    for place, library in numbered_objects(process.get("libs", []), where, "'libs'", "library"):
        name = library.get("name")
        begin, end, offset = library.get("start"), library.get("end"), library.get("offset", 0)
        if not (isinstance(begin, int) and isinstance(end, int) and isinstance(offset, int) and 0 <= offset <= begin):
            raise wrong(place, "has no 'start', 'end' and 'offset' that are addresses")
        if isinstance(name, str) and name:
            found.append(_Library(begin, end, begin - offset, name))
    return sorted(found)


def _sources(process: Json, where: str) -> list[str | None]:
    """Return the file of each numbered source. Versions of the format up to 30 have no numbered sources."""
    if "sources" not in process:
        return []
    names = _column(process, "sources", "filename", where)
    return [name if isinstance(name, str) and name else None for name in names]


def _frames_of(
    thread: Json, threads: Threads, libraries: list[_Library], sources: list[str | None], where: str
) -> IntArray:
    """Return an int64 array that maps the frames of the thread to frame numbers of the profile."""
    texts = listing(thread.get("stringTable"), where, "'stringTable'")
    locations = _rows(thread, "frameTable", "location", where)
    lines = _rows(thread, "frameTable", "line", where)
    places: dict[int, FrameLocation] = {}
    found = []
    for number, line in zip(locations.tolist(), lines.tolist(), strict=True):
        place = places.get(number)
        if place is None:
            location = text(texts, number, where) or "[unknown]"
            address = ADDRESS.fullmatch(location)
            place = places[number] = _in_library(location, libraries) if address else located(location, sources)
        name, file, first, module = place
        found.append(threads.frames.number_of(name, file, first if first > 0 else line, module))
    return np.array(found, dtype=np.int64)


def _rows(thread: Json, table: str, name: str, where: str) -> IntArray:
    return numbers(_column(thread, table, name, where), f"{where}: '{table}.{name}'")


def _column(holder: Json, table: str, name: str, where: str) -> list[object]:
    """Return a column of a table of rows, with None for missing values. Its index is in the schema of the table."""
    what = mapping(holder.get(table), where, repr(table))
    schema = mapping(what.get("schema"), where, f"the schema of '{table}'")
    rows = listing(what.get("data"), where, f"the data of '{table}'")
    if set(map(type, rows)) - {list}:
        raise wrong(where, f"'{table}' has a row that is not a JSON array")
    if name not in schema and name not in ("line", "prefix", "time"):
        raise wrong(where, f"the schema of '{table}' has no '{name}'")
    at = schema.get(name)
    if at is None:
        return [None] * len(rows)
    if type(at) is not int or at < 0:
        raise wrong(where, f"the schema of '{table}' numbers '{name}' by something other than a column index")
    return [row[at] if at < len(row) else None for row in rows]  # type: ignore[arg-type,index]
