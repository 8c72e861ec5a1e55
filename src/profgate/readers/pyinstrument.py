"""pyinstrument's JSON: one call tree with inclusive times."""

from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.stack_events import stacks_from_parents

_SELF = "[self]"  # pyinstrument's word for what a function spends itself, which here is no call
_NO_FILE = ("", "<built-in>")
_MAX_SECONDS = 1 << 32
_NANOSECONDS = 10**9
_ROUNDING = 1000  # nanoseconds: times are written in whole microseconds
_MAX_LINE = 1 << 31


class PyinstrumentReader:
    """Reads what `pyinstrument -r json` writes: stacks with self times; trees of up to 300 calls in depth."""

    name = "pyinstrument"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"root_frame"', b'"sample_count"'):
            return "it is JSON with 'root_frame' and 'sample_count'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """One metric: time in nanoseconds, waiting included. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        tree = _Tree(where)
        if document.get("root_frame") is not None:
            tree.add_all(mapping(document["root_frame"], where, "'root_frame'"))
        own = np.array(tree.own, dtype=np.int64)
        warning = f"{tree.clamped} calls take less time than what they call; they were given none of their own"
        return Profile(
            name=where,
            configuration=Configuration(),
            metrics=(Metric("time", "nanoseconds"),),
            frames=tree.frame_list(),
            stacks=stacks_from_parents(
                np.array(tree.parent, dtype=np.int64),
                np.array(tree.frame, dtype=np.int64),
                np.maximum(own, 0).reshape(1, -1),
                where=where,
            ),
            periods=(None,),  # a sample is worth the time that passed since the one before
            facts=Facts(format=PyinstrumentReader.name, profiler="pyinstrument", runtime="python"),
            warnings=(warning,) if tree.clamped else (),
        )


@dataclass
class _Tree:
    """The calls while they are read, a caller before its callees."""

    where: str
    parent: list[int] = field(default_factory=list)
    frame: list[int] = field(default_factory=list)
    own: list[int] = field(default_factory=list)
    frames: dict[tuple[str, str | None, int | None], int] = field(default_factory=dict)
    clamped: int = 0

    def add_all(self, root: Json) -> None:
        """The root call and all below it; a call's own time is what its callees leave of it."""
        waiting = [(root, -1)]
        while waiting:
            call, parent = waiting.pop()
            number = len(self.parent)
            where = f"{self.where}: call {number}"
            self.parent.append(parent)
            self.frame.append(self.frame_of(call, where))
            callees = [
                mapping(one, where, "a call below it") for one in listing(call.get("children"), where, "'children'")
            ]
            below = [one for one in callees if one.get("function") != _SELF]
            self.own.append(_time_of(call, where) - sum(_time_of(one, where) for one in below))
            self.clamped += self.own[-1] < -_ROUNDING * (len(below) + 1)
            waiting += [(one, number) for one in reversed(below)]

    def frame_of(self, call: Json, where: str) -> int:
        name, owner, file, line = (call.get(key) for key in ("function", "class_name", "file_path", "line_no"))
        if not isinstance(name, str) or not name:
            raise wrong(where, "has no 'function'")
        known = file if isinstance(file, str) and file not in _NO_FILE else None
        first = line if isinstance(line, int) and 0 < line < _MAX_LINE else None
        qualified = f"{owner}.{name}" if isinstance(owner, str) and owner else name
        return self.frames.setdefault((qualified, known, first), len(self.frames))

    def frame_list(self) -> FrameList:
        """The frames met, in the order of their numbers."""
        keys = list(self.frames)
        return FrameList(
            [key[0] for key in keys], [key[1] for key in keys], [key[2] for key in keys], [None] * len(keys)
        )


def _time_of(call: Json, where: str) -> int:
    seconds = call.get("time")
    if isinstance(seconds, bool) or not isinstance(seconds, int | Decimal) or not 0 <= seconds < _MAX_SECONDS:
        raise wrong(where, f"has {str(seconds)[:40]!r} for a time")
    return round(seconds * _NANOSECONDS)
