"""Reader for the JSON of DHAT, which Valgrind and dhat-rs write: the allocations of each call stack.

Source: Valgrind's file dhat/dh_main.c, "File format".
"""

import re
from typing import Any

import numpy as np

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric, MetricKind
from profgate.model.visible_text import visible
from profgate.readers.builders import Frames, Paths
from profgate.readers.json_text import document_of, is_integer, listing, numbered_objects, wrong
from profgate.readers.quantities import refuse_expansion
from profgate.readers.reader import BuiltInReader

# what follows the name in ``0x10930F: alloc600 (burn.c:12)``: file, line and sometimes a column, or else the module
_PLACE = re.compile(r"in (?P<module>.*)\)|(?P<file>.*?):(?P<line>\d{1,9})(?::\d{1,9})?\)")
_FUNCTIONS_OF_DHAT = "/vgpreload_dhat-"  # its replacements of malloc


class DhatReader(BuiltInReader):
    """Reader for the allocations that `valgrind --tool=dhat` and dhat-rs count: in total, and at the peak."""

    name = "dhat"
    looks = "JSON with the keys dhatFileVersion and pps"
    record = "valgrind --tool=dhat --dhat-out-file=a.dhat.json CMD"
    counted = ("*",)
    keys = ("dhatFileVersion", "pps")

    def read(self, source: SourceFile) -> Profile:
        """Return a profile of allocated bytes and blocks and, if their lifetimes are known, of bytes at the peak."""
        where, document = source.name, document_of(source)
        if document.get("dhatFileVersion") != 2:
            raise wrong(where, f"has version {str(document.get('dhatFileVersion'))[:20]}, but only 2 is read")
        frames, paths, columns = Frames(), Paths(), list[list[int]]()
        table = [_frame_number(frames, text, where) for text in listing(document.get("ftbl"), where, "'ftbl'")]
        keys = ("tb", "tbk", "gb") if document.get("bklt") is True else ("tb", "tbk")
        for place, point in numbered_objects(document.get("pps"), where, "'pps'", "program point"):
            values: list[Any] = [point.get(key) for key in keys]
            stack: list[Any] = listing(point.get("fs"), place, "'fs'")
            if not all(map(is_integer, values)) or not all(is_integer(frame, 0, len(table) - 1) for frame in stack):
                raise wrong(place, "has a size, count or frame that is not a number in its range")
            columns.append(values)
            path = [table[frame] for frame in reversed(stack)]
            paths.add(frame for frame in path if frame is not None)
            refuse_expansion(len(paths.frames), source.size, where)
        unit = "count" if "bu" in document else "bytes"  # dhat-rs names the units of its ad hoc profiles
        what = visible(str(document.get("verb", "Allocated"))[:40].lower())
        metrics = ((what, unit), ("blocks", "count"), ("peak", unit))[: len(keys)]
        return Profile(
            name=where,
            metrics=tuple(Metric(name, unit, kind=MetricKind.COUNTED) for name, unit in metrics),
            frames=frames.listed(),
            stacks=paths.stacks(np.array(columns, np.int64).reshape(-1, len(keys)).T, where),
            periods=(None,) * len(keys),
            facts=Facts(format=self.name, profiler="dhat"),
        )


def _frame_number(frames: Frames, text: object, where: str) -> int | None:
    """Return the number of a frame, or None for the root and for functions of DHAT."""
    if text == "[root]":
        return None
    address, _, call = text.partition(": ") if isinstance(text, str) else ("", "", "")
    if not call or not address.startswith("0x"):
        raise wrong(where, f"has {str(text)[:60]!r} for a frame")
    call = call.removeprefix("???")  # an unknown name
    name, _, place = call.rpartition(" (")
    match = _PLACE.fullmatch(place)
    if match is None:
        return frames.number_of(call)
    if _FUNCTIONS_OF_DHAT in (match["module"] or ""):
        return None
    line = int(match["line"]) if match["line"] else None
    return frames.number_of(name, match["file"], module=match["module"], executed=line)
