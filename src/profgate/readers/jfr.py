"""What the JDK's `jfr print --json` writes of a flight recording: samples of threads, and of allocations."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, decode, listing, mapping, wrong
from profgate.readers.quantities import MAX_TOTAL, sum_of
from profgate.readers.stack_events import stacks_from_paths

_LOOKS = re.compile(rb'\A\s*\{\s*"recording"\s*:\s*\{\s*"events"')
_SAMPLES = {"jdk.ExecutionSample", "jdk.NativeMethodSample"}
# the field that says how much was allocated
_WEIGHTS: Mapping[str, str] = {
    "jdk.ObjectAllocationSample": "weight",
    "jdk.ObjectAllocationInNewTLAB": "tlabSize",
    "jdk.ObjectAllocationOutsideTLAB": "allocationSize",
}
_TRUNCATED = "[truncated]"
_MAX_LINE = 1 << 31


class JfrReader:
    """Reads flight recordings of the JDK as `jfr print --json` writes them: samples, and allocated bytes."""

    name = "jfr"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it is JSON with the events of a recording" if _LOOKS.match(source.head) else None

    def read(self, source: SourceFile) -> Profile:
        """Samples of running threads; sampled allocations in bytes where they were recorded. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        recording = mapping(document.get("recording"), where, "'recording'")
        events = _Events(where)
        for number, entry in enumerate(listing(recording.get("events"), where, "'events'")):
            place = f"{where}: event {number}"
            events.add(mapping(entry, place, "it"), place)
        return events.profile()


@dataclass
class _Events:
    """The events while they are read, a path for each."""

    where: str
    frames: dict[tuple[str, int | None], int] = field(default_factory=dict)
    flat: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    samples: list[int] = field(default_factory=list)
    allocated: list[int] = field(default_factory=list)
    truncated: int = 0
    without: int = 0

    def add(self, event: Json, where: str) -> None:
        kind = event.get("type")
        if not isinstance(kind, str) or (kind not in _SAMPLES and kind not in _WEIGHTS):
            return
        values = mapping(event.get("values"), where, "'values'")
        if values.get("stackTrace") is None:
            self.without += 1
            return
        trace = mapping(values["stackTrace"], where, "'stackTrace'")
        path = [
            self.frame_of(mapping(one, where, "a frame"), where)
            for one in listing(trace.get("frames"), where, "'frames'")
        ]
        if trace.get("truncated") is True:
            # a stack whose callers are unknown is no stack from the root
            path.append(self.frames.setdefault((_TRUNCATED, None), len(self.frames)))
            self.truncated += 1
        self.flat.extend(reversed(path))
        self.ends.append(len(self.flat))
        self.samples.append(int(kind in _SAMPLES))
        weight = values.get(_WEIGHTS.get(kind, ""), 0)
        if isinstance(weight, bool) or not isinstance(weight, int) or not 0 <= weight <= MAX_TOTAL:
            raise wrong(where, f"{str(weight)[:40]!r} cannot be a number of bytes")
        self.allocated.append(weight)

    def frame_of(self, frame: Json, where: str) -> int:
        method = mapping(frame.get("method"), where, "'method'")
        owner = mapping(method.get("type") or {}, where, "'type'")
        name = ".".join(str(part).replace("/", ".") for part in (owner.get("name"), method.get("name")) if part)
        line = frame.get("lineNumber")
        first = line if isinstance(line, int) and not isinstance(line, bool) and 0 < line < _MAX_LINE else None
        return self.frames.setdefault((name or "[unknown]", first), len(self.frames))

    def profile(self) -> Profile:
        """All of it. Raises ProfileError where the sums do not fit."""
        known: list[tuple[Metric, list[int], int | None]] = [(Metric("samples", "samples"), self.samples, 1)]
        if any(self.allocated):
            known.append((Metric("allocated", "bytes", kind=MetricKind.SAMPLED), self.allocated, None))
        values = np.array([column for _, column, _ in known], np.int64).reshape(len(known), -1)
        for row in values:
            sum_of(row, self.where)
        keys = list(self.frames)
        told = {"stacks cut at the depth of the recording": self.truncated, "events without a stack": self.without}
        return Profile(
            name=self.where,
            configuration=Configuration(),
            metrics=tuple(metric for metric, _, _ in known),
            frames=FrameList(
                [key[0] for key in keys], [None] * len(keys), [key[1] for key in keys], [None] * len(keys)
            ),
            stacks=stacks_from_paths(
                np.array(self.flat, np.int64), np.array(self.ends, np.int64), values, where=self.where
            ),
            periods=tuple(period for _, _, period in known),
            facts=Facts(format=JfrReader.name, profiler="jfr", runtime="java"),
            warnings=tuple(f"{what}: {count}" for what, count in told.items() if count),
        )
