"""Reader for trace events (Chrome, Node.js, viztracer, py-spy's chrometrace): calls with a start and a duration.

Source: "Trace Event Format", a document of the Chromium project.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.record import Record, Struct, field
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.builders import ROOT, Frames, Tree
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, decode, number, numbered_objects, wrong
from profgate.readers.quantities import MAX_TOTAL
from profgate.readers.reader import BuiltInReader
from profgate.readers.trace_samples import samples_in_trace

_MAX_MICROSECONDS = 1 << 52
# start and duration may each be rounded to a microsecond, so a callee can seem to end this much after its caller
_ROUNDING = 2_000


class TraceEventsReader(BuiltInReader):
    """Reader for trace events (Chrome, Node.js, Hermes, viztracer): calls with times, or sampled CPU profiles."""

    name = "trace-events"
    looks = "JSON events with the key ph, or the key traceEvents"
    record = "viztracer -o a.json bench.py"
    keys = ("traceEvents",)
    pattern = re.compile(rb'\s*\[.*"ph"', re.DOTALL)

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with time in nanoseconds, exact call counts and all threads combined."""
        where = source.name
        document = decode(_closed(read_all(unwrap(source))), where)
        events = document.get("traceEvents") if isinstance(document, dict) else document
        sampled = samples_in_trace(document, events, where, self.name)
        if sampled is not None:
            return sampled
        trace = _Trace()
        for place, event in numbered_objects(events, where, "'traceEvents'", "event"):
            trace.add(event, place)
        tree = Tree()
        for spans in trace.spans():
            _add_spans(tree, spans, trace.warnings)
        if sum(tree.own) > MAX_TOTAL:
            raise ProfileError(where, "the times add up to more than 2^63 nanoseconds; record less")
        values = tree.values()
        return Profile(
            name=where,
            metrics=(Metric("time", "nanoseconds", kind=MetricKind.SAMPLED if trace.sampled else MetricKind.TIMED),),
            frames=trace.frames.listed(),
            stacks=tree.stacks(values, where, calls=not trace.sampled),
            periods=(None,),
            facts=Facts(format=TraceEventsReader.name),
            warning_counts=+trace.warnings,
        )


class _Span(NamedTuple):
    """Call with its start and end in nanoseconds, and its frame number."""

    start: int
    end: int
    frame: int


class _Mark(Record):
    """Start or end of a call. An end has no frame and sometimes no name."""

    time: int
    name: str | None
    frame: int | None


class _Thread(Struct):
    whole: list[_Span] = field(default_factory=list)
    marks: list[_Mark] = field(default_factory=list)

    def spans(self, warnings: Counter[str]) -> list[_Span]:
        """Return all calls, sorted so that outer calls are first. A call without an end lasts until the last event."""
        found, waiting = list(self.whole), list[tuple[str | None, int]]()  # waiting: names and indices of open calls
        running = Counter[str | None]()
        last = max([*(mark.time for mark in self.marks), *(span.end for span in self.whole)], default=0)
        for mark in sorted(self.marks, key=lambda mark: mark.time):
            if mark.frame is not None:
                waiting.append((mark.name, len(found)))
                running[mark.name] += 1
                found.append(_Span(mark.time, last, mark.frame))
                continue
            if not waiting or (mark.name is not None and not running[mark.name]):
                warnings["ends without a beginning"] += 1
                continue
            closed = None
            while closed is None or mark.name not in {None, closed}:  # also closes the inner calls
                warnings["calls that are not opened and closed in order"] += closed is not None
                closed, place = waiting.pop()
                running[closed] -= 1
                found[place] = found[place]._replace(end=mark.time)
        warnings["calls that are never closed"] += len(waiting)
        return sorted(found, key=lambda span: (span.start, -span.end))


class _Trace(Struct):
    threads: dict[tuple[str, str], _Thread] = field(default_factory=dict)
    names: dict[tuple[str, str], object] = field(default_factory=dict)
    sampled: bool = False
    frames: Frames = field(default_factory=Frames)
    warnings: Counter[str] = field(default_factory=Counter)

    def add(self, event: Json, where: str) -> None:
        kind, name = event.get("ph"), event.get("name")
        place, args = (str(event.get("pid")), str(event.get("tid"))), event.get("args")
        arguments = args if isinstance(args, dict) else {}
        if name == "thread_name":
            self.names[place] = arguments.get("name")
        elif "avg ms" in arguments or event.get("cat") == "Trace":
            return  # clang's sum of all calls of one kind, or PyTorch's row of the whole recording
        if kind in ("b", "e", "n", "S", "T", "p", "F"):
            self.warnings["asynchronous events that belong to no stack and were left out"] += 1
        if kind not in ("X", "B", "E"):
            return
        thread = self.threads.setdefault(place, _Thread())
        self.sampled = self.sampled or event.get("cat") == "py-spy"
        start = _nanoseconds(event, "ts", where)
        # X is a whole call; B and E are the beginning and the end of one (Trace Event Format)
        if kind == "X":
            if "dur" not in event:
                self.warnings["events without a duration that were left out"] += 1
                return
            length = _nanoseconds(event, "dur", where)
            if length < 0:
                raise wrong(where, "has a negative duration")
            thread.whole.append(_Span(start, start + length, self.frame_number(name, arguments, where)))
        else:
            frame = self.frame_number(name, arguments, where) if kind == "B" else None
            thread.marks.append(_Mark(start, name if isinstance(name, str) else None, frame))

    def spans(self) -> Iterator[list[_Span]]:
        """Yield the calls of each thread, without rows that repeat the time of the calls of other threads."""
        threads = {place: thread.spans(self.warnings) for place, thread in self.threads.items()}
        every, spent = list(chain.from_iterable(threads.values())), Counter[str]()
        for (process, _), spans in threads.items():
            spent[process] += sum(span.end - span.start for span in spans)
        whole = max((span.end for span in every), default=0) - min((span.start for span in every), default=0)
        total = spent.total()
        for place, spans in threads.items():
            nested = total - spent[place[0]] > whole  # calls of other processes
            if len(spans) == 1 and nested and spans[0].end - spans[0].start >= 0.9 * whole:
                name = self.frames.listed().names[spans[0].frame]
                self.warnings[f"rows {name[:80]!r} that last as long as all other calls and were left out"] += 1
            elif self.names.get(place) != "Critical Path":  # of Bazel, which repeats rows of other threads
                yield spans

    def frame_number(self, name: object, place: Json, where: str) -> int:
        if not isinstance(name, str):
            raise wrong(where, "has no name")
        return self.frames.number_of(name, place.get("filename"), place.get("line"))


def _add_spans(tree: Tree, spans: Iterable[_Span], warnings: Counter[str]) -> None:
    """Add calls to the tree, with outer calls first. Each call is nested in the call that is running when it starts.

    Calls of a stack cannot overlap, so the earlier of two such calls ends where the later one starts, as in Perfetto.
    """
    inside: list[tuple[int, int]] = []  # the end and the node of each running call
    for start, end, frame in spans:
        while inside and inside[-1][0] <= start:
            inside.pop()
        while inside and end - inside[-1][0] > min(_ROUNDING, inside[-1][0] - start):
            outer, node = inside.pop()
            warnings["calls that overlap a later one were ended at its start"] += 1
            tree.own[node] -= outer - start
            if inside:
                tree.own[inside[-1][1]] += outer - start
        parent = ROOT
        if inside:
            outer, parent = inside[-1]
            end = min(end, outer)  # noqa: PLW2901 - the time that is cut off is not used again
            tree.own[parent] -= end - start
        node = tree.below(parent, frame)
        tree.calls[node] += 1
        tree.own[node] += end - start
        inside.append((end, node))


def _closed(data: bytes) -> bytes:
    """Return the data with the final bracket, which programs that stream events may omit."""
    end = data.rstrip(b" \t\r\n,")
    return end + b"]" if data.lstrip()[:1] == b"[" and end.endswith(b"}") else data


def _nanoseconds(event: Json, key: str, where: str) -> int:
    # times are microseconds, with fractions
    return round(1000 * number(event.get(key), where, repr(key), -_MAX_MICROSECONDS, _MAX_MICROSECONDS))
