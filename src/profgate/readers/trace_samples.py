"""Sampled profiles in trace events, which V8 and Hermes write beside events with a duration or instead of them.

Source: "Trace Event Format", a document of the Chromium project, section "Sampling events and stack frames".
"""

import re
from collections import Counter
from typing import Any

import numpy as np

from profgate.model.profile import Profile
from profgate.model.units import Metric
from profgate.readers.cpuprofile import CallNodes, sampled_profile
from profgate.readers.json_text import Json, listing, mapping, numbered_objects

_PLACE = re.compile(r"(.+):(\d{1,9}):(\d{1,9})\)")
_LEFT_OUT = "only the sampled CPU profile of this trace is read; its other events are left out"


def samples_in_trace(document: object, events: object, where: str, reader: str) -> Profile | None:
    """Return the profile of the samples that a trace contains, or None if it contains no samples."""
    if isinstance(document, dict) and document.get("samples") and document.get("stackFrames"):
        return _stack_frames(document, where, reader)
    profiles = _chunks(events, where)
    samples = Counter[str]()
    for profile in profiles:
        samples[profile["source"]] += len(profile["samples"])
    if not samples.total():
        return None
    # the inspector and the trace can each start a profiler, and these would count the time of a thread twice
    source = samples.most_common(1)[0][0]
    return sampled_profile([profile for profile in profiles if profile["source"] == source], where, reader, [_LEFT_OUT])


def _chunks(events: object, where: str) -> list[dict[str, Any]]:
    """Return the profile of each thread, put together from its chunks, as the content of a .cpuprofile file."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for place, event in numbered_objects(events, where, "'traceEvents'", "event"):
        if event.get("ph") != "P" or event.get("name") not in ("Profile", "ProfileChunk"):
            continue
        data = mapping(mapping(event.get("args"), place, "'args'").get("data"), place, "'data'")
        stated = {**data, **mapping(data.get("cpuProfile", {}), place, "'cpuProfile'")}
        key = str(event.get("pid")), str(event.get("id"))
        profile = found.setdefault(key, {"nodes": [], "samples": [], "timeDeltas": [], "source": ""})
        for name, value in stated.items():
            if name in ("startTime", "endTime"):
                profile[name] = value
            elif name == "source":
                profile[name] = str(value)
            elif name in profile:
                profile[name] += listing(value, place, repr(name))
    return list(found.values())


def _stack_frames(document: Json, where: str, reader: str) -> Profile:
    """Return the samples of Hermes, each of which states the number of its innermost frame."""
    frames = mapping(document["stackFrames"], where, "'stackFrames'")
    numbers = {key: number for number, key in enumerate(frames)}
    nodes = []
    for key, number in numbers.items():
        place = f"{where}: stack frame {key[:20]}"
        frame = mapping(frames[key], place, "it")
        node: Json = {"id": number, "callFrame": _call_frame(str(frame.get("name") or ""))}
        if "parent" in frame:
            node["parent"] = numbers.get(str(frame["parent"]))
        nodes.append(node)
    tree = CallNodes(where, profiler="hermes")
    tree.add_all(nodes)
    samples = numbered_objects(document["samples"], where, "'samples'", "sample")
    sampled = tree.numbers_of([numbers.get(str(sample.get("sf"))) for _, sample in samples])
    own = np.bincount(sampled, minlength=len(nodes)).astype(np.int64)
    return tree.profile(tree.stacks(own), Metric("samples", "samples"), 1, reader)


def _call_frame(name: str) -> Json:
    """Return the call frame of ``function(file:line:column)``."""
    function, opened, rest = name.rpartition("(")
    place = _PLACE.fullmatch(rest) if opened else None
    if place is None:
        return {"functionName": name}
    url, line, column = place.groups()
    return {"functionName": function, "url": url, "lineNumber": int(line) - 1, "columnNumber": int(column) - 1}
