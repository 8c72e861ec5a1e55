"""Reader for V8's CPU profiles (Node.js, Chrome, Deno), which contain a call tree and timed samples."""

import re
from dataclasses import dataclass, field
from urllib.parse import unquote

import numpy as np

from profgate.model.arrays import IntArray, read_only
from profgate.model.profile import ClaimedSource, Facts, FrameList, Profile, Stacks
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.model.visible_text import cut
from profgate.readers.builders import line_of
from profgate.readers.json_text import (
    Json,
    document_of,
    ends_hold,
    is_integer,
    listing,
    mapping,
    number,
    numbered_objects,
    wrong,
)
from profgate.readers.quantities import MAX_TOTAL, in_base_unit, whole_numbers
from profgate.readers.reader import BuiltInReader
from profgate.readers.stack_events import stacks_from_parents

SOURCE = "profgateSource"
"""Key of a call frame with the function's name, file and line in the sources, and its script in the checkout."""
NOTES = "profgateNotes"
"""Key of a profile with the reasons why source maps were not used."""
NAMELESS = "(anonymous)"
MODULE = "<module>"  # the top-level code of a script, to which V8 gives no name
LONGEST_TEXT = 500  # in characters
_ROOT, _COLLECTOR, _IDLE = "(root)", "(garbage collector)", "(idle)"
_NO_FRAME = -1  # frame that stands for the root and for idle time
_FILE = "file://"


class CpuprofileReader(BuiltInReader):
    """Reader for V8's .cpuprofile files (`node --cpu-prof`, Chrome): stacks with self times; idle time is excluded."""

    name = "cpuprofile"
    looks = "JSON with the keys nodes, samples and timeDeltas"
    record = "node --cpu-prof --cpu-prof-dir=profiles bench.js"
    keys = ("nodes",)

    def fits(self, source: SourceFile) -> bool:
        """Return whether the file looks like this format."""
        # only the start and the end of the file are searched; at least one of them contains one of these keys
        shown = ends_hold(source, b'"callFrame"') or ends_hold(source, b'"timeDeltas"')
        return shown and b'"traceEvents"' not in source.head and super().fits(source)

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with time in nanoseconds. The period is the mean duration of a sample."""
        where = source.name
        document = document_of(source)
        if "timeDeltas" not in document:
            raise wrong(where, "has no 'timeDeltas', so the durations of its samples are unknown")
        tree = _Nodes(where)
        for place, node in numbered_objects(document.get("nodes"), where, "'nodes'", "node"):
            tree.add(node, place)
        sampled = tree.numbers_of(listing(document.get("samples"), where, "'samples'"))
        durations, exponent, backwards = _durations(document, len(sampled), where)
        frames = FrameList.of_names([])
        for name, file, line, _ in tree.frames:
            frames.append(name, file, line)
        notes = document.get(NOTES)
        texts = notes[:10] if isinstance(notes, list) else []
        warnings = [cut(text, LONGEST_TEXT) for text in texts if isinstance(text, str)]
        # V8 writes some samples out of order; up to this share, no time changes noticeably
        if backwards > 0.01 * len(sampled):
            share = 100 * backwards / len(sampled)
            warnings.append(f"{share:.0f} % of the samples are out of order, so their functions' times are unreliable")
        values, _, exponent = in_base_unit(durations, "us", exponent, where)
        return Profile(
            name=where,
            metrics=(Metric("time", "nanoseconds", exponent=exponent),),
            frames=frames._replace(sources=tree.sources),
            stacks=tree.stacks(sampled, values),
            periods=(tree.mean_duration(sampled, values),),
            facts=Facts(format=CpuprofileReader.name, profiler="v8", runtime="javascript"),
            warnings=tuple(warnings),
            program=next((file for file in frames.files if file and not file.startswith("node:")), ""),
        )


def _durations(document: Json, samples: int, where: str) -> tuple[IntArray, int, int]:
    """Return the int64 durations of the samples, their exponent, and the number of samples that go back in time.

    The unit of the durations is ``10**exponent`` microseconds. A sample lasts until the next sample, or until the end
    of the profile. Times must not decrease, so a time that is earlier than a previous time is replaced with the latest
    previous time.
    """
    deltas = listing(document["timeDeltas"], where, "'timeDeltas'")
    if len(deltas) != samples:
        raise wrong(where, f"has {samples} samples and {len(deltas)} times between them")
    # V8: delta k is the time between samples k - 1 and k; the first one counts from the start of the profile
    steps = [number(delta, where, "a time in 'timeDeltas'") for delta in deltas]
    start, end = (number(document.get(key, 0), where, f"a time in {key!r}") for key in ("startTime", "endTime"))
    numbers, exponent, _ = whole_numbers([*steps, end - start], 3, where)
    times = np.maximum.accumulate(np.cumsum(np.array(numbers[:-1], dtype=np.int64)))
    values = np.diff(times, append=max(numbers[-1], int(times[-1]))) if samples else times
    return values, exponent, sum(step < 0 for step in numbers[1:-1])


@dataclass
class _Nodes:
    where: str
    numbers: dict[int, int] = field(default_factory=dict)
    names: list[str] = field(default_factory=list)  # empty strings except for root, garbage collector and idle nodes
    frame: list[int] = field(default_factory=list)
    frames: dict[tuple[str, str | None, int | None, object], int] = field(default_factory=dict)
    links: list[tuple[int, int]] = field(default_factory=list)
    sources: dict[int, ClaimedSource] = field(default_factory=dict)  # by frame

    def add(self, node: Json, where: str) -> None:
        number, own = len(self.names), _id_of(node.get("id"), where)
        if self.numbers.setdefault(own, number) != number:
            raise wrong(where, f"has the id {own} of another node")
        call = mapping(node.get("callFrame"), where, "'callFrame'")
        name = str(call.get("functionName") or NAMELESS)
        special = not call.get("url") and name in {_ROOT, _COLLECTOR, _IDLE}
        self.names.append(name if special else "")
        self.frame.append(_NO_FRAME if special and name != _COLLECTOR else self.frame_number(name, call))
        self.links += [(own, _id_of(child, where)) for child in listing(node.get("children", []), where, "'children'")]
        if "parent" in node:
            self.links.append((_id_of(node["parent"], where), own))

    def frame_number(self, name: str, call: Json) -> int:
        """Return a function's frame number. Anonymous functions on the same line are distinguished by column."""
        url, line = call.get("url"), call.get("lineNumber")
        file = path_of(url) if isinstance(url, str) and url else None
        first = line_of(line + 1) if isinstance(line, int) else None  # V8 numbers lines from 0
        if file and name == NAMELESS and line == call.get("columnNumber") == 0:
            name, first = MODULE, None
        number = self.frames.setdefault((name, file, first, str(call.get("columnNumber"))), len(self.frames))
        if SOURCE in call and (source := _source_of(call[SOURCE])) is not None:
            self.sources[number] = source
        return number

    def numbers_of(self, ids: list[object]) -> IntArray:
        """Return an int64 array with the node number for each id."""
        try:
            return np.array([self.numbers[_id_of(node, self.where)] for node in ids], dtype=np.int64)
        except KeyError as error:
            raise wrong(self.where, f"names node {error.args[0]}, which it does not contain") from None

    def stacks(self, sampled: IntArray, durations: IntArray) -> Stacks:
        """Return stacks of self times; that of the root is its weight."""
        parent = self.parents()
        frame = np.array(self.frame, dtype=np.int64)
        sampled, parent, frame = self.with_collections(sampled, parent, frame)
        own = np.zeros(len(parent), dtype=np.int64)
        np.add.at(own, sampled, durations)
        roots = np.zeros(len(parent), np.bool_)
        roots[: len(self.names)] = [name == _ROOT for name in self.names]
        root = own[roots].sum(keepdims=True)
        # nodes whose parent is not a call become children of the root
        calls = frame != _NO_FRAME
        place = np.append(np.cumsum(calls) - 1, -1)
        above = np.where(parent >= 0, np.append(calls, False)[parent], False)
        values = own[calls].reshape(1, -1)
        found = stacks_from_parents(np.where(above, place[parent], -1)[calls], frame[calls], values, where=self.where)
        return found._replace(root_values=read_only(root))

    def mean_duration(self, sampled: IntArray, durations: IntArray) -> int | None:
        """Return the mean duration, at least 1, of the samples that are not idle, or None if there are none."""
        busy = durations[np.array([name != _IDLE for name in self.names], dtype=np.bool_)[sampled]]
        return max(1, round(float(busy.mean()))) if len(busy) else None

    def parents(self) -> IntArray:
        """Return an int64 array with the parent of each node, or -1 if a node has no parent."""
        parent = np.full(len(self.names), -1, dtype=np.int64)
        above, below = (self.numbers_of([link[end] for link in self.links]) for end in (0, 1))
        parent[below] = above
        if np.any(parent[below] != above):
            raise wrong(self.where, "has a node with two callers")
        return parent

    def with_collections(
        self, sampled: IntArray, parent: IntArray, frame: IntArray
    ) -> tuple[IntArray, IntArray, IntArray]:
        """Move the collector's samples to interrupted calls. Return samples' nodes, and nodes' parents and frames."""
        collecting = np.array([name == _COLLECTOR for name in self.names], dtype=np.bool_)[sampled]
        before = np.maximum.accumulate(np.where(collecting, -1, np.arange(len(sampled))))
        interrupted = np.where(before >= 0, sampled[before], -1) if len(sampled) else sampled
        moved = collecting & (interrupted >= 0)
        moved[moved] = frame[interrupted[moved]] != _NO_FRAME
        hosts, number = np.unique(interrupted[moved], return_inverse=True)
        collector = frame[sampled[moved]]
        sampled = sampled.copy()
        sampled[moved] = len(parent) + number
        return sampled, np.append(parent, hosts), np.append(frame, np.repeat(collector[:1], len(hosts)))


def _id_of(value: object, where: str) -> int:
    if not is_integer(value, -MAX_TOTAL):
        raise wrong(where, f"names a node by {str(value)[:40]!r}, which is not an integer of 64 bits")
    return value


def _source_of(value: object) -> ClaimedSource | None:
    """Return the source of a function, or None if it is invalid."""
    if not isinstance(value, dict):
        return None
    texts = [value.get(key) for key in ("name", "file", "script")]
    if not all(isinstance(text, str) and 0 < len(text) <= LONGEST_TEXT for text in texts):
        return None
    name, file, script = map(str, texts)
    return None if file.startswith(("/", "../")) else ClaimedSource(name, file, line_of(value.get("line")), script)


def path_of(url: str) -> str:
    """Return the path in a file URL, or any other URL unchanged."""
    if not url.startswith(_FILE):
        return url
    path = unquote(url.removeprefix(_FILE))
    # on Windows, a slash precedes the letter of the drive
    return path[1:] if re.match(r"/[A-Za-z]:/", path) else path
