"""The programs profgate is measured against, as far as they are installed, and the commands that do the same work."""

import shutil
import subprocess
import sys
from pathlib import Path

from bench.files import Pair
from bench.harness import Contender

PERL = "difffolded.pl | flamegraph.pl"
INFERNO = "inferno-diff-folded | inferno-flamegraph"
PPROF = "pprof -top -diff_base"


def profgate(*arguments: object, output: Path | None = None, folder: Path | None = None) -> Contender:
    """A command of profgate, named after its first argument."""
    command = (sys.executable, "-I", "-m", "profgate", *map(str, arguments))
    return Contender(f"profgate {arguments[0]}", (command,), output, folder)


def profgate_page(pair: Pair, folder: Path) -> Contender:
    """Two files to one page, which holds picture and table."""
    return profgate("flamegraph", pair.base, pair.target, "-o", folder / "profgate.html")


def profgate_table(pair: Pair, folder: Path) -> Contender:
    """Two files to the table of who carries the change."""
    return profgate("overweight", pair.base, pair.target, "--format", "json", output=folder / "profgate.json")


def python(code: str) -> Contender:
    """What every program costs that does as much."""
    return Contender(f"python -c '{code}'", ((sys.executable, "-c", code),))


def folded_peer(name: str, pair: Pair, folder: Path) -> Contender | None:
    """The pipe of two programs that draws the difference of two folded files; None where one is not installed."""
    programs = tuple(shutil.which(part) for part in name.split(" | "))
    if not all(programs):
        return None
    compare, draw = (str(program) for program in programs)
    return Contender(name, ((compare, str(pair.base), str(pair.target)), (draw,)), folder / f"{Path(draw).stem}.svg")


def pprof_peer(pair: Pair, folder: Path) -> Contender | None:
    """Pprof's table of a difference, by pprof itself or by Go's tools; None where neither is installed."""
    program = _pprof()
    if program is None:
        return None
    command = (*program, "-top", f"-diff_base={pair.base}", str(pair.target))
    return Contender(PPROF, (command,), folder / "pprof.txt")


def _pprof() -> tuple[str, ...] | None:
    if alone := shutil.which("pprof"):
        return (alone,)
    go = shutil.which("go")
    if go is not None and subprocess.run([go, "tool", "-n", "pprof"], capture_output=True, check=False).returncode == 0:
        return (go, "tool", "pprof")
    return None
