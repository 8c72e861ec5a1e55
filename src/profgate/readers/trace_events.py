"""Trace events (Chrome, node, viztracer, py-spy's chrometrace): calls with a beginning and a duration.

Source: "Trace Event Format", the document of the Chromium project.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

import numpy as np

from profgate.errors import ProfileError
from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.quantities import MAX_TOTAL
from profgate.readers.stack_events import stacks_from_parents

_MAX_MICROSECONDS = 1 << 52
_NANOSECONDS = 1000
_MAX_LINE = 1 << 31
_NESTED = ("X", "B", "E")
_ASYNCHRONOUS = ("b", "e", "n", "S", "T", "p", "F")
_SAMPLES = ("Profile", "ProfileChunk")
_ROOT = -1  # the parent of a call that no other contains


class TraceEventsReader:
    """Reads trace events (Chrome, node, viztracer, py-spy's chrometrace): stacks of nested events, times and calls."""

    name = "trace-events"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source):
            return "it is JSON with 'traceEvents'" if ends_hold(source, b'"traceEvents"') else None
        if source.head.lstrip().startswith(b"[") and b'"ph"' in source.head:
            return "it is a JSON array of events with 'ph'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """One metric, the time in nanoseconds, of all threads together; with exact calls. Raises ProfileError."""
        where = source.name
        document = decode(_closed(read_all(unwrap(source))), where)
        events = document.get("traceEvents") if isinstance(document, dict) else document
        trace = _Trace(where)
        for number, event in enumerate(listing(events, where, "'traceEvents'")):
            trace.add(mapping(event, f"{where}: event {number}", "it"), f"{where}: event {number}")
        tree = _Tree()
        for thread in trace.threads.values():
            tree.add_thread(thread.spans(trace.warnings), trace.warnings)
        if sum(tree.own) > MAX_TOTAL:
            raise ProfileError(where, "the times add up beyond 2^63 nanoseconds; record less")
        return Profile(
            name=where,
            configuration=Configuration(),
            metrics=(Metric("time", "nanoseconds", kind=MetricKind.TIMED),),
            frames=trace.frame_list(),
            stacks=stacks_from_parents(
                np.array(tree.parent, dtype=np.int64),
                np.array(tree.frame, dtype=np.int64),
                np.array(tree.own, dtype=np.int64).reshape(1, -1),
                np.array(tree.calls, dtype=np.int64),
                where=where,
            ),
            periods=(None,),
            facts=Facts(format=TraceEventsReader.name),
            warnings=tuple(f"{count} {what}" for what, count in sorted((+trace.warnings).items())),
        )


class _Span(NamedTuple):
    """A call: nanoseconds, and the number of its frame."""

    start: int
    end: int
    frame: int


class _Mark(NamedTuple):
    """Where a call begins or ends; an end may leave out whose it is, and has no frame."""

    time: int
    name: str | None
    frame: int | None


@dataclass
class _Thread:
    """The events of one thread; ``marks`` are beginnings, with their frame, and ends, in the order of the file."""

    whole: list[_Span] = field(default_factory=list)
    marks: list[_Mark] = field(default_factory=list)

    def spans(self, warnings: Counter[str]) -> list[_Span]:
        """All calls, outer ones first; a call that never ends lasts as long as the thread is seen."""
        found, waiting = list(self.whole), list[_Mark]()
        running = Counter[str | None]()
        last = max([*(mark.time for mark in self.marks), *(span.end for span in self.whole)], default=0)
        for mark in sorted(self.marks, key=lambda mark: mark.time):
            if mark.frame is not None:
                waiting.append(mark)
                running[mark.name] += 1
            elif not waiting or (mark.name is not None and not running[mark.name]):
                warnings["ends without a beginning"] += 1
            else:
                closed = _closed_by(mark, waiting)
                running.subtract(begun.name for begun in closed)
                found += [_Span(begun.time, mark.time, begun.frame or 0) for begun in closed]
                warnings["calls that are not opened and closed in order"] += len(closed) - 1
        warnings["calls that are never closed"] += len(waiting)
        found += [_Span(begun.time, last, begun.frame or 0) for begun in waiting]
        return sorted(found, key=lambda span: (span.start, -span.end))


def _closed_by(end: _Mark, waiting: list[_Mark]) -> list[_Mark]:
    """Takes the innermost call of the end's name off those that wait, and the calls inside it, which end with it."""
    at = len(waiting) - 1
    while end.name is not None and waiting[at].name != end.name:
        at -= 1
    closed = waiting[at:]
    del waiting[at:]
    return closed


@dataclass
class _Trace:
    """The events while they are read."""

    where: str
    threads: dict[tuple[str, str], _Thread] = field(default_factory=dict)
    frames: dict[tuple[str, str | None, int | None], int] = field(default_factory=dict)
    warnings: Counter[str] = field(default_factory=Counter)

    def add(self, event: Json, where: str) -> None:
        """One event; those that are neither calls nor marks of one tell nothing about stacks."""
        kind = event.get("ph")
        if kind in _ASYNCHRONOUS:
            self.warnings["asynchronous events belong to no stack and were left out"] += 1
        elif event.get("name") in _SAMPLES:
            self.warnings["parts of a sampled CPU profile were left out: save it as .cpuprofile"] += 1
        if kind not in _NESTED:
            return
        thread = self.threads.setdefault((str(event.get("pid")), str(event.get("tid"))), _Thread())
        start = _nanoseconds(event, "ts", where)
        if kind == "X":
            if "dur" not in event:
                self.warnings["events without a duration were left out"] += 1
                return
            length = _nanoseconds(event, "dur", where)
            if length < 0:
                raise wrong(where, "has a negative duration")
            thread.whole.append(_Span(start, start + length, self.frame_of(event, where)))
        else:
            name = event.get("name")
            frame = self.frame_of(event, where) if kind == "B" else None
            thread.marks.append(_Mark(start, name if isinstance(name, str) else None, frame))

    def frame_of(self, event: Json, where: str) -> int:
        name, args = event.get("name"), event.get("args")
        if not isinstance(name, str):
            raise wrong(where, "has no name")
        file, line = (args.get("filename"), args.get("line")) if isinstance(args, dict) else (None, None)
        known = file if isinstance(file, str) and file else None
        first = line if isinstance(line, int) and 0 < line < _MAX_LINE else None
        return self.frames.setdefault((name or "[unknown]", known, first), len(self.frames))

    def frame_list(self) -> FrameList:
        """The frames met, in the order of their numbers."""
        keys = list(self.frames)
        return FrameList(
            [key[0] for key in keys], [key[1] for key in keys], [key[2] for key in keys], [None] * len(keys)
        )


@dataclass
class _Tree:
    """The call tree of all threads; a node is a path of frames."""

    parent: list[int] = field(default_factory=list)
    frame: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    calls: list[int] = field(default_factory=list)
    children: dict[tuple[int, int], int] = field(default_factory=dict)

    def add_thread(self, spans: Iterable[_Span], warnings: Counter[str]) -> None:
        """Calls by their beginning, outer ones first: what begins before another has ended lies inside it."""
        inside: list[tuple[int, int]] = []
        for start, end, frame in spans:
            while inside and inside[-1][0] <= start:
                inside.pop()
            parent = _ROOT
            if inside:
                outer, parent = inside[-1]
                if end > outer:
                    warnings["calls that outlast their caller were cut at its end"] += 1
                    end = outer  # noqa: PLW2901 - what is cut off is gone for all that follows
                self.own[parent] -= end - start
            node = self.node_of(parent, frame)
            self.own[node] += end - start
            self.calls[node] += 1
            inside.append((end, node))

    def node_of(self, parent: int, frame: int) -> int:
        node = self.children.setdefault((parent, frame), len(self.parent))
        if node == len(self.parent):
            self.parent.append(parent)
            self.frame.append(frame)
            self.own.append(0)
            self.calls.append(0)
        return node


def _closed(data: bytes) -> bytes:
    """The text with the last bracket, which a program that writes events as they come may leave out."""
    end = data.rstrip(b" \t\r\n,")
    return end + b"]" if data.lstrip()[:1] == b"[" and end.endswith(b"}") else data


def _nanoseconds(event: Json, key: str, where: str) -> int:
    value = event.get(key)
    limit = _MAX_MICROSECONDS
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not -limit <= value <= limit:
        raise wrong(where, f"has {str(value)[:40]!r} for {key!r}")
    return round(value * _NANOSECONDS)
