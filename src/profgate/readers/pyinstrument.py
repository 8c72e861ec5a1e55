"""Reader for pyinstrument's JSON, which contains one call tree with inclusive times."""

import numpy as np

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.model.units import Metric
from profgate.readers.builders import ROOT, Frames, Tree
from profgate.readers.json_text import Json, document_of, listing, mapping, number, wrong
from profgate.readers.reader import BuiltInReader


class PyinstrumentReader(BuiltInReader):
    """Reader for the output of `pyinstrument -r json`: stacks with self times, up to 300 nested calls deep."""

    name = "pyinstrument"
    looks = "JSON with the keys root_frame and sample_count"
    record = "pyinstrument -r json -o a.json bench.py"
    keys = ("root_frame", "sample_count")

    def read(self, source: SourceFile) -> Profile:
        """Return a profile of wall time in nanoseconds. Raises ProfileError if the file is invalid."""
        where, tree, frames, clamped = source.name, Tree(), Frames(), 0
        root = document_of(source).get("root_frame")
        waiting = [] if root is None else [(mapping(root, where, "'root_frame'"), ROOT)]
        while waiting:
            call, parent = waiting.pop()
            place = f"{where}: call {len(tree.parent)}"
            number = tree.add(parent, _frame_number(frames, call, place))
            children = [
                mapping(child, place, "a call below it") for child in listing(call.get("children"), place, "'children'")
            ]
            # pyinstrument lists the self time of a function as one of its calls
            callees = [child for child in children if child.get("function") != "[self]"]
            # the self time of a call is its time minus the time of its callees
            tree.own[number] = own = _time_of(call, place) - sum(_time_of(callee, place) for callee in callees)
            # pyinstrument rounds times to microseconds
            clamped += own < -1000 * (len(callees) + 1)
            waiting += [(callee, number) for callee in reversed(callees)]
        warning = "calls take less time than what they call, so that they were given none of their own"
        return Profile(
            name=where,
            metrics=(Metric("time", "nanoseconds"),),
            frames=frames.listed(),
            stacks=tree.stacks(np.maximum(tree.values(), 0), where),
            # the value of a sample is the time since the previous sample, so there is no constant period
            periods=(None,),
            facts=Facts(format=self.name, profiler="pyinstrument", runtime="python"),
            warning_counts={warning: clamped} if clamped else {},
        )


def _frame_number(frames: Frames, call: Json, where: str) -> int:
    name, owner, file = call.get("function"), call.get("class_name"), call.get("file_path")
    if not isinstance(name, str) or not name:
        raise wrong(where, "has no 'function'")
    qualified = f"{owner}.{name}" if isinstance(owner, str) and owner else name
    return frames.number_of(qualified, None if file == "<built-in>" else file, call.get("line_no"))


def _time_of(call: Json, where: str) -> int:
    return round(10**9 * number(call.get("time"), where, "a time", 0, 1 << 32))
