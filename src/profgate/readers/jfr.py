"""Reader for the output of the JDK's `jfr print --json`: thread samples and allocation samples."""

import re
from collections import Counter
from itertools import dropwhile

import numpy as np

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.readers.builders import Frames, Paths
from profgate.readers.json_text import document_of, is_integer, listing, mapping, numbered_objects, wrong
from profgate.readers.quantities import MAX_TOTAL
from profgate.readers.reader import BuiltInReader

# maps event types to the field that contains the number of allocated bytes
BYTES_FIELDS = {
    "jdk.ObjectAllocationSample": "weight",
    "jdk.ObjectAllocationInNewTLAB": "tlabSize",
    "jdk.ObjectAllocationOutsideTLAB": "allocationSize",
    "profiler.Malloc": "size",
}
_METRICS = {
    "samples": Metric("samples", "samples"),
    "allocated": Metric("allocated", "bytes"),
    "malloc": Metric("malloc", "bytes"),  # of native code
}
_METRIC_OF = {**dict.fromkeys(BYTES_FIELDS, "allocated"), "profiler.Malloc": "malloc"}
_JAVA, _LOST = "jdk.JVMInformation", "jdk.CPUTimeSamplesLost"
_WALL_CLOCK = "profiler.WallClockSample"  # the event has the number of samples, because async-profiler merges them
# events that sample threads, the most precise first; a recording can have several, which sample the same threads
SAMPLES = (("jdk.CPUTimeSample",), ("jdk.ExecutionSample", "jdk.NativeMethodSample"), (_WALL_CLOCK,))


class JfrReader(BuiltInReader):
    """Reader for JDK flight recordings printed by `jfr print --json`: samples and allocated bytes."""

    name = "jfr"
    looks = "JSON with the events of a recording"
    record = "java -XX:StartFlightRecording=filename=a.jfr,settings=profile -jar bench.jar"
    pattern = re.compile(rb'\s*\{\s*"recording"\s*:\s*\{\s*"events"')

    def read(self, source: SourceFile) -> Profile:
        """Return a profile with the samples of running threads and the bytes of sampled allocations, if recorded."""
        where, frames, paths, runtime = source.name, Frames(), Paths(), "java"
        values_of, warnings = {name: list[int]() for name in _METRICS}, Counter[str]()
        recording = mapping(document_of(source).get("recording"), where, "'recording'")
        events = [
            (str(event.get("type")), place, event)
            for place, event in numbered_objects(recording.get("events"), where, "'events'", "event")
        ]
        known = {kind for kind, _, _ in events}
        sampling = next((kinds for kinds in SAMPLES if known.intersection(kinds)), ())
        for kind, place, event in events:
            if kind not in sampling and kind not in BYTES_FIELDS and kind not in {_JAVA, _LOST}:
                continue
            values = mapping(event.get("values"), place, "'values'")
            if kind == _JAVA:
                version = re.search(r"(?:^|\()(\d[\w.+-]*)", str(values.get("jvmVersion")))
                runtime = version[1] if version else runtime
                continue
            if kind == _LOST:
                lost = values.get("lostSamples")
                warnings["samples lost by the JDK"] += lost if is_integer(lost) else 0
                continue
            if values.get("stackTrace") is None:
                warnings["events without a stack"] += 1
                continue
            trace = mapping(values["stackTrace"], place, "'stackTrace'")
            calls = [_call_of(frame, place) for frame in listing(trace.get("frames"), place, "'frames'")]
            # a signal that interrupts async-profiler's own handler is counted for the interrupted function
            calls = list(dropwhile(lambda call: call[0].startswith("libasyncProfiler"), calls))
            path = [frames.number_of(name, line=line) for name, line in calls]
            if trace.get("truncated") is True:
                # the outermost frames of a truncated stack are unknown, so the stack gets a special root frame
                path.append(frames.number_of("[truncated]"))
                warnings["stacks cut at the depth of the recording"] += 1
            field, unit = BYTES_FIELDS.get(kind), "bytes"
            weight = values.get(field, 0) if field else 1
            if kind == _WALL_CLOCK:
                weight, unit = values.get("samples", 1), "samples"
            if not is_integer(weight, 0, MAX_TOTAL):
                raise wrong(place, f"{str(weight)[:40]!r} cannot be a number of {unit}")
            paths.add(reversed(path))  # a stack trace begins with its top frame
            counted = _METRIC_OF.get(kind, "samples")
            for name, column in values_of.items():
                column.append(weight if name == counted else 0)
        rows = {name: column for name, column in values_of.items() if any(column)} or {"samples": values_of["samples"]}
        return Profile(
            name=where,
            metrics=tuple(_METRICS[name] for name in rows),
            frames=frames.listed(),
            stacks=paths.stacks(np.array(list(rows.values()), np.int64), where),
            periods=tuple(1 if name == "samples" else None for name in rows),
            facts=Facts(format=self.name, profiler="jfr", runtime=runtime),
            warning_counts=+warnings,
        )


def _call_of(frame: object, where: str) -> tuple[str, object]:
    """Return the name and the line of a frame."""
    call = mapping(frame, where, "a frame")
    method = mapping(call.get("method"), where, "'method'")
    owner = mapping(method.get("type") or {}, where, "'type'")
    name = ".".join(str(part).replace("/", ".") for part in (owner.get("name"), method.get("name")) if part)
    return name, call.get("lineNumber")
