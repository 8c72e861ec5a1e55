"""Reader for V8's CPU profiles (Node.js, Chrome, Deno, Bun), which contain a call tree and timed samples."""

import re
from collections.abc import Iterable, Sequence
from urllib.parse import unquote

import numpy as np

from profgate.model.arrays import BoolArray, IntArray, read_only
from profgate.model.profile import ClaimedSource, Facts, FrameList, Profile, Stacks
from profgate.model.record import Struct, field
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
from profgate.readers.quantities import MAX_TOTAL, in_base_unit, sum_of, whole_numbers
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
NOTHING = read_only(np.zeros(0, np.int64))


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
        document = without_envelope(document_of(source))
        return sampled_profile([document], source.name, self.name, notes_in(document))


def sampled_profile(documents: Iterable[Json], where: str, reader: str, warnings: Sequence[str] = ()) -> Profile:
    """Return the samples of all documents, which have the keys of a .cpuprofile file, as one profile."""
    tree = CallNodes(where)
    samples, durations, exponents = [], [], set()
    backwards = count = 0
    for document in documents:
        if "timeDeltas" not in document:
            raise wrong(where, "has no 'timeDeltas', so the durations of its samples are unknown")
        tree.add_all(document.get("nodes"))
        sampled = tree.numbers_of(listing(document.get("samples"), where, "'samples'"))
        steps, exponent, disordered = _durations(document, len(sampled), where)
        values, _, exponent = in_base_unit(steps, "us", exponent, where)
        samples.append(sampled)
        durations.append(values)
        exponents.add(exponent)
        count += len(sampled)
        backwards += disordered
    if len(exponents) > 1:
        raise wrong(where, "has samples that last longer than any recording")
    # V8 writes some samples out of order; up to this share, no time changes noticeably
    if backwards > 0.01 * count:
        share = 100 * backwards / count
        disorder = f"{share:.0f} % of the samples are out of order, so their functions' times are unreliable"
        warnings = [*warnings, disorder]
    time = np.concatenate(durations)
    sum_of(time, where)
    return tree.profile(
        tree.stacks_of_samples(samples, time),
        Metric("time", "nanoseconds", exponent=exponents.pop()),
        tree.mean_duration(np.concatenate(samples), time),
        reader,
        warnings,
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


class CallNodes(Struct):
    """The nodes of V8's call trees, of which each has a call frame. Ids are unique in their tree only."""

    where: str
    profiler: str = "v8"
    numbers: dict[int, int] = field(default_factory=dict)  # by id, of the last tree
    names: list[str] = field(default_factory=list)  # empty strings except for root, garbage collector and idle nodes
    frame: list[int] = field(default_factory=list)
    frames: dict[tuple[str, str | None, int | None, object], int] = field(default_factory=dict)
    links: list[tuple[int, int]] = field(default_factory=list)  # of the last tree
    callers: list[IntArray] = field(default_factory=list)  # by tree
    sources: dict[int, ClaimedSource] = field(default_factory=dict)  # by frame

    def add_all(self, nodes: object) -> None:
        """Add a tree, given as a list of nodes."""
        self.numbers, self.links = {}, []
        first = len(self.names)
        for place, node in numbered_objects(nodes, self.where, "'nodes'", "node"):
            self.add(node, place)
        parent = np.full(len(self.names) - first, -1, dtype=np.int64)
        above = self.numbers_of([link[0] for link in self.links])
        below = self.numbers_of([link[1] for link in self.links])
        parent[below - first] = above
        if np.any(parent[below - first] != above):
            raise wrong(self.where, "has a node with two callers")
        self.callers.append(parent)

    def add(self, node: Json, where: str) -> None:
        """Add a node to the last tree."""
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

    def stacks_of_samples(self, samples: Sequence[IntArray], durations: IntArray) -> Stacks:
        """Return stacks of self times for the node numbers of samples by tree, and the durations of all samples.

        The samples of the garbage collector are moved to the calls that it interrupted.
        """
        frame = np.array(self.frame, dtype=np.int64)
        collector = np.array([name == _COLLECTOR for name in self.names], dtype=np.bool_)
        sampled, hosts = [], [np.zeros(0, np.int64)]
        count = len(frame)
        for numbers in samples:
            moved, interrupted = _with_collections(numbers, frame, collector, count)
            sampled.append(moved)
            hosts.append(interrupted)
            count += len(interrupted)
        own = np.zeros(count, dtype=np.int64)
        np.add.at(own, np.concatenate(sampled), durations)
        return self.stacks(own, np.concatenate(hosts), frame[collector][:1])

    def stacks(self, own: IntArray, hosts: IntArray = NOTHING, collector: IntArray = NOTHING) -> Stacks:
        """Return stacks of self values, of which the last belong to the frame ``collector``, called by ``hosts``."""
        parent = np.concatenate([*self.callers, hosts])
        frame = np.append(np.array(self.frame, dtype=np.int64), np.repeat(collector, len(hosts)))
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

    def profile(
        self, stacks: Stacks, metric: Metric, period: int | None, reader: str, warnings: Iterable[str] = ()
    ) -> Profile:
        """Return the profile of the stacks."""
        frames = FrameList.of_names([])
        for name, file, line, _ in self.frames:
            frames.append(name, file, line)
        return Profile(
            name=self.where,
            metrics=(metric,),
            frames=frames._replace(sources=self.sources),
            stacks=stacks,
            periods=(period,),
            facts=Facts(format=reader, profiler=self.profiler, runtime="javascript"),
            warnings=tuple(warnings),
            program=next((file for file in frames.files if file and not file.startswith("node:")), ""),
        )


def _with_collections(
    sampled: IntArray, frame: IntArray, collector: BoolArray, count: int
) -> tuple[IntArray, IntArray]:
    """Move the collector's samples to new nodes, numbered from ``count``, below the calls that it interrupted.

    Return the node of each sample, and the interrupted call of each new node.
    """
    collecting = collector[sampled]
    before = np.maximum.accumulate(np.where(collecting, -1, np.arange(len(sampled))))
    interrupted = np.where(before >= 0, sampled[before], -1) if len(sampled) else sampled
    moved = collecting & (interrupted >= 0)
    moved[moved] = frame[interrupted[moved]] != _NO_FRAME
    hosts, number = np.unique(interrupted[moved], return_inverse=True)
    sampled = sampled.copy()
    sampled[moved] = count + number
    return sampled, hosts


def notes_in(document: Json) -> list[str]:
    """Return the reasons why source maps were not used for a profile."""
    notes = document.get(NOTES)
    texts = notes[:10] if isinstance(notes, list) else []
    return [cut(text, LONGEST_TEXT) for text in texts if isinstance(text, str)]


def without_envelope(document: Json) -> Json:
    """Return the profile in the answer of V8's debugging protocol, which scripts often write as it is."""
    profile = document.get("profile")
    return profile if isinstance(profile, dict) else document


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
