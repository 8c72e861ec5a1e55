"""How much work a plant has to do so that it takes the percentage of the run that its name states."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Lock

from bench.field.programs import Edit, Growth, NewFunction, Program, variants_of
from bench.field.recorders import RecordError, environment, plain_command, run, tool
from bench.field.variants import FEWEST_LOOPS, make_tree

TIMED = 4  # runs a side
PART = 3  # of the rounds
FIRST, MOST = 60, 4_000_000
STATEMENTS = 60
ENOUGH = 0.35  # growth that is measured well
WRITING = Lock()


def _child_time(call: list[str], tree: Path) -> float:
    with subprocess.Popen(call, cwd=tree, env=environment(), stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if status != 0:
        raise RecordError(f"{' '.join(call)}: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def _instructions(call: list[str], tree: Path) -> float:
    counts = tree / "counts"
    run([tool("valgrind"), "--tool=callgrind", f"--callgrind-out-file={counts}", *call], tree)
    found = re.search(r"^(?:summary|totals): (\d+)", counts.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise RecordError(f"{counts}: callgrind wrote no total")
    return float(found[1])


def _growth(program: Program, edit: Edit, rounds: int, library: Path | None, work: Path, amount: int) -> float:
    """Relative growth of processor time, the least of a few runs a side in turns, or of instructions."""
    call = plain_command(program.recorder, program.file, rounds)
    sides: dict[Path, list[float]] = {work / f"{program.name}-before": [], work / f"{program.name}-after": []}
    for tree, changed in zip(sides, (None, edit), strict=True):
        make_tree(program, changed, amount, library, tree)
    cost, times = (_instructions, 1) if program.exact else (_child_time, TIMED)
    for _ in range(times):
        for tree, costs in sides.items():
            costs.append(cost(call, tree))
    before, after = (min(costs) for costs in sides.values())
    return after / before - 1.0


def _amounts(edits: dict[str, int], growth: Callable[[int], float], fewest: int) -> dict[str, int]:
    """Amounts for plants of some percentages at one place; ``growth`` measures one amount.

    Where a plant needs fewer than ``fewest`` rounds of its loop, it gets statements instead.
    """
    amount = FIRST
    while (grown := growth(amount)) < ENOUGH and amount < MOST:
        amount = int(amount * min(20.0, max(2.0, 1.2 * ENOUGH / max(grown, 0.02))))
    each = grown / amount
    found = {name: max(1, round(percent / 100.0 / each)) for name, percent in edits.items()}
    if min(found.values()) >= fewest:
        return found
    statements = growth(-STATEMENTS) / STATEMENTS
    return {
        name: loops if loops >= fewest else -max(1, round(edits[name] / 100.0 / statements))
        for name, loops in found.items()
    }


def calibrate(program: Program, library: Path | None, work: Path, output: Path) -> dict[str, int]:
    """The amount of each planted variant; read from ``output`` where it was measured before."""
    known = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
    if program.name in known:
        return dict(known[program.name])
    rounds = max(1, program.rounds // PART)
    fewest = FEWEST_LOOPS if program.file.endswith(".py") else 1  # starting a loop costs nothing in the others
    places: dict[str, dict[str, Growth | NewFunction]] = {}
    for name, edit in variants_of(program).items():
        if isinstance(edit, Growth | NewFunction):
            place = f"new:{edit.caller}" if isinstance(edit, NewFunction) else edit.function
            places.setdefault(place, {})[name] = edit
    amounts: dict[str, int] = {}
    for variants in places.values():
        first = next(iter(variants.values()))
        percents = {name: edit.percent for name, edit in variants.items()}
        amounts |= _amounts(percents, partial(_growth, program, first, rounds, library, work), fewest)
    with WRITING:
        known = json.loads(output.read_text(encoding="utf-8")) if output.exists() else {}
        output.write_text(json.dumps(known | {program.name: amounts}, indent=1) + "\n", encoding="utf-8")
    return amounts
