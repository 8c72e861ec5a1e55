"""Count the bytecodes that each function of profgate executes, and write them as callgrind does: bench.counts OUT.

Each part of the work is a metric. The counts are exact: with PYTHONHASHSEED=0, each run has the same. Compiled code is
not counted.
"""

import gc
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import redirect_stdout
from functools import cache
from io import StringIO
from pathlib import Path
from types import CodeType, FrameType, SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import pytest

    from action_stage import Stage
    from fake_github import FakeGitHub

ROOT = Path(__file__).resolve().parent.parent
SHOP = ROOT / "examples" / "shop" / "profiles"
SIDES = (str(SHOP / "baseline"), str(SHOP / "target"))
WORKLOADS = 10
START, READING, COMPARE, PAGE, ACTION, NOTHING = range(6)
PARTS = ("Start", "Reading", "Compare", "Page", "Action")
IMPORT = "_find_and_load"  # the function of the interpreter that imports a module
GITHUB = ("tests/fake_github/", "site-packages/graphql/", "site-packages/werkzeug/")  # the GitHub of the tests
# which thread waits for a result, or is the last that holds a connection, depends on the machine
WAITING = ("/concurrent/futures/", "/threading.py", "/_weakrefset.py", "/connectionpool.py/_close_pool_connections")
Place = tuple[str, str, int]


class Counts:
    """Counts bytecodes by function, and inclusive counts by caller and callee, for the current part of the work."""

    def __init__(self) -> None:
        self.part = NOTHING
        self._own = defaultdict[Place, Counter[int]](Counter)
        self._calls = defaultdict[tuple[Place, Place], list[int]](lambda: [0] * (len(PARTS) + 1))
        self._open: list[tuple[Place, int, list[int]]] = []
        self._totals = [0] * (len(PARTS) + 1)

    def trace(self, frame: FrameType, event: str, _argument: object) -> Callable[..., Any] | None:
        """Receive an event of the interpreter."""
        if event == "call":
            place, part = _place(frame.f_code), self.part
            if place[1] == IMPORT:
                part = START
            elif any(name in f"{place[0]}/{place[1]}" for name in (*GITHUB, *WAITING)):
                part = NOTHING
            if part == self.part == NOTHING:
                return None
            frame.f_trace_opcodes, frame.f_trace_lines = part != NOTHING, False
            self._open.append((place, self.part, self._totals.copy()))
            self.part = part
        elif event == "opcode":
            self._totals[self.part] += 1
            self._own[_place(frame.f_code)][self.part] += 1
        elif event == "return":
            place, self.part, before = self._open.pop()
            if self._open:
                edge = self._calls[self._open[-1][0], place]
                spent = [now - then for now, then in zip(self._totals, before, strict=True)]
                edge[:] = [edge[0] + 1, *(old + new for old, new in zip(edge[1:], spent, strict=False))]
        return self.trace

    def text(self) -> str:
        """Return the file."""
        called = defaultdict[Place, list[Place]](list)
        for caller, callee in sorted(self._calls):
            if any(self._calls[caller, callee][1:]):
                called[caller].append(callee)
        lines = ["# callgrind format", "creator: bench.counts", "desc: exact counts", "positions: line"]
        lines.append(f"events: {' '.join(PARTS)}")
        for place in sorted({*self._own, *called}):
            file, name, line = place
            own = (self._own[place][part] for part in range(len(PARTS)))
            lines += [f"fl={file}", f"fn={name}", f"{line} {' '.join(map(str, own))}"]
            for callee in called[place]:
                calls, *inclusive = self._calls[place, callee]
                lines += [f"cfl={callee[0]}", f"cfn={callee[1]}", f"calls={calls} {callee[2]}"]
                lines += [f"{line} {' '.join(map(str, inclusive))}"]
        return "\n".join([*lines, f"totals: {' '.join(map(str, self._totals[:-1]))}"]) + "\n"


@cache
def _place(code: CodeType) -> Place:
    file = code.co_filename
    for folder in (str(ROOT), sys.prefix, sys.base_prefix):
        file = file.removeprefix(f"{folder}/")
    return file, code.co_qualname, code.co_firstlineno


def _work(folder: Path, counts: Any) -> None:  # noqa: ANN401 - anything that has the current part
    from bench.load import SIDES as NAMES
    from bench.load import write_files

    from action_stage import SLOWER, profiles
    from fake_github import FakeGitHub
    from profgate import api
    from profgate.__main__ import main as profgate

    write_files(folder / "several", range(WORKLOADS))
    with FakeGitHub(in_process=True) as fake:
        stage = _pull_request(fake, folder)
        counts.part = READING
        api.read(SIDES[0])
        counts.part = COMPARE
        for sides in (SIDES, tuple(str(folder / "several" / name) for name in NAMES)):
            profgate(["compare", *sides, "--output-dir", str(folder / "report"), "--fail-on", "never"])
        counts.part = PAGE
        profgate(["flamegraph", *(f"{side}/pyspy" for side in SIDES), "-o", f"{folder}/page.html"])
        counts.part = ACTION
        stage.compare(profiles(SLOWER, 77))
        counts.part = NOTHING


def _pull_request(fake: "FakeGitHub", folder: Path) -> "Stage":
    """Return a repository with base jobs and a pull request."""
    from action_stage import Stage

    silent = SimpleNamespace(readouterr=lambda: SimpleNamespace(out=""))
    stage = Stage(fake, folder / "stage", cast("pytest.CaptureFixture[str]", silent))
    stage.push_jobs()
    stage.open_pull(files={"src/cart.py": b"def parse(text):\n    return sorted(text)\n"})
    return stage


def main(output: str) -> None:
    """Do the work twice, and write the counts: of imports the first time, of all else the second time."""
    counts = Counts()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # the bytecodes of other processes would not be counted
    gc.disable()  # when it runs depends on addresses
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()):
        sys.settrace(counts.trace)
        _work(Path(folder, "first"), SimpleNamespace())
        _work(Path(folder, "second"), counts)
        sys.settrace(None)
    Path(output).write_text(counts.text(), encoding="utf-8")


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        sys.exit("bench.counts: set PYTHONHASHSEED=0, so that sets have the same order in each run")
    sys.path.insert(0, str(ROOT / "tests"))
    main(sys.argv[1])
