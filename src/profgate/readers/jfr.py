"""What the JDK's `jfr print --json` writes of a flight recording: samples of threads, and of allocations."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.readers.builders import Frames, Paths
from profgate.readers.json_text import Json, document_of, listing, mapping, numbered_objects, wrong
from profgate.readers.quantities import MAX_TOTAL
from profgate.readers.reader import BuiltInReader

_SAMPLES = {"jdk.ExecutionSample", "jdk.NativeMethodSample"}
# the field that holds the allocated bytes
_WEIGHTS: Mapping[str, str] = {
    "jdk.ObjectAllocationSample": "weight",
    "jdk.ObjectAllocationInNewTLAB": "tlabSize",
    "jdk.ObjectAllocationOutsideTLAB": "allocationSize",
}


class JfrReader(BuiltInReader):
    """Reads flight recordings of the JDK as `jfr print --json` writes them: samples, and allocated bytes."""

    name = "jfr"
    looks = "JSON with a recording's events"
    record = "java -XX:StartFlightRecording=filename=a.jfr,settings=profile -jar bench.jar"
    proven = "JDK 17.0.15"
    pattern = re.compile(rb'\s*\{\s*"recording"\s*:\s*\{\s*"events"')

    def read(self, source: SourceFile) -> Profile:
        """Samples of running threads; sampled allocations in bytes where they were recorded. Raises ProfileError."""
        recording = mapping(document_of(source).get("recording"), source.name, "'recording'")
        events = _Events(source.name)
        for where, event in numbered_objects(recording.get("events"), source.name, "'events'", "event"):
            events.add(event, where)
        return events.profile()


@dataclass
class _Events:
    """The events read so far."""

    where: str
    frames: Frames = field(default_factory=Frames)
    paths: Paths = field(default_factory=Paths)
    samples: list[int] = field(default_factory=list)
    allocated: list[int] = field(default_factory=list)
    truncated: int = 0
    without_stack: int = 0

    def add(self, event: Json, where: str) -> None:
        kind = event.get("type")
        if not isinstance(kind, str) or (kind not in _SAMPLES and kind not in _WEIGHTS):
            return
        values = mapping(event.get("values"), where, "'values'")
        if values.get("stackTrace") is None:
            self.without_stack += 1
            return
        trace = mapping(values["stackTrace"], where, "'stackTrace'")
        frames = listing(trace.get("frames"), where, "'frames'")
        path = [self.frame_number(mapping(frame, where, "a frame"), where) for frame in frames]
        if trace.get("truncated") is True:
            # a stack whose callers are unknown is no stack from the root
            path.append(self.frames.number_of("[truncated]"))
            self.truncated += 1
        self.paths.add(reversed(path))
        self.samples.append(int(kind in _SAMPLES))
        weight = values.get(_WEIGHTS.get(kind, ""), 0)
        if isinstance(weight, bool) or not isinstance(weight, int) or not 0 <= weight <= MAX_TOTAL:
            raise wrong(where, f"{str(weight)[:40]!r} cannot be a number of bytes")
        self.allocated.append(weight)

    def frame_number(self, frame: Json, where: str) -> int:
        method = mapping(frame.get("method"), where, "'method'")
        owner = mapping(method.get("type") or {}, where, "'type'")
        name = ".".join(str(part).replace("/", ".") for part in (owner.get("name"), method.get("name")) if part)
        return self.frames.number_of(name, line=frame.get("lineNumber"))

    def profile(self) -> Profile:
        """The profile of all events. Raises ProfileError where the sums do not fit."""
        allocates = any(self.allocated)
        values = np.array([self.samples, self.allocated][: 1 + allocates], np.int64)
        warnings = {
            "stacks cut at the depth of the recording": self.truncated,
            "events without a stack": self.without_stack,
        }
        return Profile(
            name=self.where,
            metrics=(Metric("samples", "samples"), Metric("allocated", "bytes", kind=MetricKind.SAMPLED))[
                : 1 + allocates
            ],
            frames=self.frames.listed(),
            stacks=self.paths.stacks(values, self.where),
            periods=(1, None)[: 1 + allocates],
            facts=Facts(format=JfrReader.name, profiler="jfr", runtime="java"),
            warnings=tuple(f"{what}: {count}" for what, count in warnings.items() if count),
        )
