"""pyinstrument's JSON: one call tree with inclusive times."""

from dataclasses import dataclass, field

import numpy as np

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.readers.builders import ROOT, Frames, Tree
from profgate.readers.json_text import Json, document_of, is_number, listing, mapping, wrong
from profgate.readers.reader import BuiltInReader

_SELF = "[self]"  # what pyinstrument calls the time that a function spends itself
_NO_FILE = "<built-in>"
_MAX_SECONDS = (1 << 32) - 1
_ROUNDING = 1000  # nanoseconds: times are written in whole microseconds


class PyinstrumentReader(BuiltInReader):
    """Reads what `pyinstrument -r json` writes: stacks with self times; trees of up to 300 calls in depth."""

    name = "pyinstrument"
    looks = "JSON with root_frame and sample_count"
    record = "pyinstrument -r json -o a.json bench.py"
    proven = "pyinstrument 5.1.3"
    keys = ("root_frame", "sample_count")

    def read(self, source: SourceFile) -> Profile:
        """One metric: time in nanoseconds, waiting included. Raises ProfileError."""
        where = source.name
        root = document_of(source).get("root_frame")
        calls = _Calls(where)
        if root is not None:
            calls.add_all(mapping(root, where, "'root_frame'"))
        warning = f"{calls.clamped} calls take less time than what they call; they were given none of their own"
        return Profile(
            name=where,
            metrics=(Metric("time", "nanoseconds"),),
            frames=calls.frames.listed(),
            stacks=calls.tree.stacks(np.maximum(calls.tree.values(), 0), where),
            periods=(None,),  # a sample is worth the time that passed since the previous sample
            facts=Facts(format=PyinstrumentReader.name, profiler="pyinstrument", runtime="python"),
            warnings=(warning,) if calls.clamped else (),
        )


@dataclass
class _Calls:
    """The calls read so far."""

    where: str
    tree: Tree = field(default_factory=Tree)
    frames: Frames = field(default_factory=Frames)
    clamped: int = 0

    def add_all(self, root: Json) -> None:
        """Add the root call and all below it; a call's own time is what its callees leave of it."""
        waiting = [(root, ROOT)]
        while waiting:
            call, parent = waiting.pop()
            where = f"{self.where}: call {len(self.tree.parent)}"
            number = self.tree.add(parent, self.frame_number(call, where))
            children = listing(call.get("children"), where, "'children'")
            callees = [mapping(child, where, "a call below it") for child in children]
            below = [callee for callee in callees if callee.get("function") != _SELF]
            own = _time_of(call, where) - sum(_time_of(callee, where) for callee in below)
            self.tree.own[number] = own
            self.clamped += own < -_ROUNDING * (len(below) + 1)
            waiting += [(callee, number) for callee in reversed(below)]

    def frame_number(self, call: Json, where: str) -> int:
        name, owner, file = call.get("function"), call.get("class_name"), call.get("file_path")
        if not isinstance(name, str) or not name:
            raise wrong(where, "has no 'function'")
        qualified = f"{owner}.{name}" if isinstance(owner, str) and owner else name
        return self.frames.number_of(qualified, None if file == _NO_FILE else file, call.get("line_no"))


def _time_of(call: Json, where: str) -> int:
    seconds = call.get("time")
    if not is_number(seconds, 0, _MAX_SECONDS):
        raise wrong(where, f"has {str(seconds)[:40]!r} for a time")
    return round(seconds * 10**9)
