"""Removes what recordings contain besides samples, such as environment variables, before others can read them."""

import gzip
import json

from profgate.errors import ProfileError
from profgate.io.converters import converted, is_recording
from profgate.model.source import JFR_ARGUMENTS, JFR_EVENTS, SourceFile, source_of
from profgate.readers.containers import unwrap
from profgate.readers.jfr import JfrReader
from profgate.readers.json_text import document_of, mapping, numbered_objects


def without_private_events(source: SourceFile) -> SourceFile:
    """Return a recording without anything but samples, if it is one of the JDK or memray, or else the same profile.

    Raises ProfileError if the tool that converts the recording is missing, or if the recording is damaged.
    """
    result = converted(source)
    if is_recording(result):
        what = "may contain environment variables and command lines, and its tool is missing or fails here"
        raise ProfileError(source.name, f"{what}; convert it in the step before: jfr print or memray transform")
    plain = unwrap(result)
    if not JfrReader.pattern.match(plain.head):
        return result
    events = mapping(document_of(plain).get("recording"), source.name, "'recording'").get("events")
    kept = []
    for place, event in numbered_objects(events, source.name, "'events'", "event"):
        if event.get("type") not in JFR_EVENTS:
            continue
        values = mapping(event.get("values"), place, "'values'")
        kept.append({**event, "values": {name: part for name, part in values.items() if name not in JFR_ARGUMENTS}})
    data = json.dumps({"recording": {"events": kept}}).encode()
    return source_of(source.name, gzip.compress(data, mtime=0))
