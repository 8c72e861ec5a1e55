"""Count the bytecodes that each function of profgate executes, and write them as callgrind does: bench.counts OUT.

The counts are exact: with PYTHONHASHSEED=0, each run has the same. Compiled code is not counted.
"""

import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

from profgate.__main__ import main as profgate

ROOT = Path(__file__).resolve().parent.parent
SHOP = ROOT / "examples" / "shop" / "profiles"
Place = tuple[str, str, int]
SIDES = (str(SHOP / "baseline"), str(SHOP / "target"))


class Counts:
    """Counts bytecodes by function, and inclusive counts by caller and callee."""

    def __init__(self) -> None:
        self._own = Counter[Place]()
        self._calls = defaultdict[tuple[Place, Place], list[int]](lambda: [0, 0])
        self._open: list[tuple[Place, int]] = []
        self._total = 0

    def trace(self, frame: FrameType, event: str, _argument: object) -> Callable[..., Any] | None:
        """Receive an event of the interpreter."""
        if event == "call":
            frame.f_trace_opcodes, frame.f_trace_lines = True, False
            self._open.append((_place(frame.f_code), self._total))
        elif event == "opcode":
            self._total += 1
            self._own[_place(frame.f_code)] += 1
        elif event == "return":
            place, before = self._open.pop()
            if self._open:
                edge = self._calls[self._open[-1][0], place]
                edge[0] += 1
                edge[1] += self._total - before
        return self.trace

    def text(self) -> str:
        """Return the file."""
        called = defaultdict[Place, list[Place]](list)
        for caller, callee in sorted(self._calls):
            called[caller].append(callee)
        lines = ["# callgrind format", "creator: bench.counts", "positions: line", "events: Bytecodes"]
        for place in sorted({*self._own, *called}):
            file, name, line = place
            lines += [f"fl={file}", f"fn={name}", f"{line} {self._own[place]}"]
            for callee in called[place]:
                calls, inclusive = self._calls[place, callee]
                lines += [f"cfl={callee[0]}", f"cfn={callee[1]}", f"calls={calls} {callee[2]}", f"{line} {inclusive}"]
        return "\n".join([*lines, f"totals: {self._total}"]) + "\n"


@cache
def _place(code: CodeType) -> Place:
    file = code.co_filename
    for folder in (str(ROOT), sys.prefix, sys.base_prefix):
        file = file.removeprefix(f"{folder}/")
    return file, code.co_qualname, code.co_firstlineno


def _work(folder: str) -> None:
    with redirect_stdout(sys.stderr):
        profgate(["compare", *SIDES, "--output-dir", folder, "--fail-on", "never"])
        profgate(["flamegraph", *(f"{side}/pyspy" for side in SIDES), "-o", f"{folder}/page.html"])


def main(output: str) -> None:
    """Run the work twice, and write the counts of the second time, in which nothing is imported."""
    counts = Counts()
    with tempfile.TemporaryDirectory() as folder:
        _work(folder)
        sys.settrace(counts.trace)
        _work(folder)
        sys.settrace(None)
    Path(output).write_text(counts.text(), encoding="utf-8")


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        sys.exit("bench.counts: set PYTHONHASHSEED=0, so that sets have the same order in each run")
    main(sys.argv[1])
