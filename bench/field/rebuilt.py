"""Programs that are built again with their code elsewhere, and programs with a slower function, measured in turns.

Recordings are in folders MACHINE/PROGRAM/KIND/{base,after}, where MACHINE is a condition of `machines` or a computer,
with a file ``done`` that states the order of the runs, and optionally MACHINE/PROGRAM/language. Other programs that
were recorded in this way are judged, too.
"""

import hashlib
import json
import os
import random
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from bench.field.builds import BASE, BY_NAME, KINDS, PLANTS, PROGRAMS, Rebuilt, built, planted_value
from bench.field.cases import runs_in
from bench.field.machines import CONDITIONS, PLAIN, Condition, neighbour_of, quota_of
from bench.field.recorders import record_with_perf, store, tool

RATE = 3999  # samples a second
BLOCKS, FEWER_BLOCKS = 10, 5  # of two runs a side: of a rebuilt program, and of each machine that is imitated
ORDERS = ("ABBA", "BAAB")
DONE, LANGUAGE, CONSTANTS = "done", "language", "constants.json"
ON_MACHINES = ("unused", "plant15")  # what is recorded on each machine that is imitated


def order_of(program: str, kind: str, blocks: int) -> list[str]:
    """Return the order of the runs in each block: as many ABBA as BAAB, at random."""
    draw = random.Random(hashlib.sha256(f"{program} {kind}".encode()).digest())
    orders = [*ORDERS] * -(-blocks // 2)
    draw.shuffle(orders)
    return orders[:blocks]


class _Lane:
    """Records programs on one processor, until all is recorded or the time has ended."""

    def __init__(self, number: int, folder: Path, deadline: float) -> None:
        self.processors = sorted(os.sched_getaffinity(0))
        self.own = self.processors[number % len(self.processors)]
        self.folder, self.deadline, self.left = folder, deadline, 0

    def record(self, programs: Sequence[Rebuilt], conditions: Sequence[Condition], *, quick: bool) -> int:
        """Record what is missing, and return how many comparisons are still missing. Raises RecordError."""
        os.sched_setaffinity(0, {self.own})  # of this thread and its commands
        for program in programs:
            work = self.folder / "work"
            base = built(program, BASE, work)
            values = self._constants(program, base, work)
            for condition in conditions:
                plain = condition is PLAIN
                kinds = (*KINDS, *PLANTS) if plain and not quick else ON_MACHINES
                for kind in kinds:
                    place = self.folder / condition.name / program.name / kind
                    self._pairs(program, kind, condition, place, base, values.get(kind))
        return self.left

    def _constants(self, program: Rebuilt, base: Path, work: Path) -> dict[str, int]:
        path = self.folder / PLAIN.name / program.name / CONSTANTS
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(planted_value(program, base, work)), encoding="utf-8")
        return dict(json.loads(path.read_text(encoding="utf-8")))

    def _pairs(
        self, program: Rebuilt, kind: str, condition: Condition, place: Path, base: Path, value: int | None
    ) -> None:
        if (place / DONE).exists():
            return
        if time.monotonic() > self.deadline:
            self.left += 1
            return
        work = self.folder / "work"
        after = built(program, kind, work) if value is None else built(program, kind, work, value)
        sides = {"A": (base, place / "base"), "B": (after, place / "after")}
        place.mkdir(parents=True, exist_ok=True)
        (place.parent / LANGUAGE).write_text(program.language.name, encoding="utf-8")
        orders = order_of(program.name, kind, BLOCKS if condition is PLAIN else FEWER_BLOCKS)
        with neighbour_of(condition, self.processors, self.own):
            for tree, _ in sides.values():
                self._run(condition, tree, place / "warm-up.perf.xz")
            counts = dict.fromkeys(sides, 0)
            for side in "".join(orders):
                counts[side] += 1
                tree, output = sides[side]
                self._run(condition, tree, output / f"run-{counts[side]}.perf.xz")
        (place / "warm-up.perf.xz").unlink()
        (place / DONE).write_text(" ".join(orders), encoding="utf-8")
        print(f"field: recorded {condition.name} {program.name} {kind}", file=sys.stderr)

    def _run(self, condition: Condition, tree: Path, output: Path) -> None:
        raw = tree.parent / f"{tree.name}-recorded"
        with quota_of(condition, tree.parent) as words:
            call = [*words, *([tool(condition.words[0]), *condition.words[1:]] if condition.words else []), "./program"]
            record_with_perf(call, tree, raw, RATE, condition.variables, ["--no-inline"])
        store(raw, output)


def record_rebuilt(folder: Path, minutes: float, *, machines: bool, quick: bool = False) -> bool:
    """Record what is missing, on two processors, and return whether all is recorded. Raises RecordError.

    With ``machines``, the conditions that stand for other machines are recorded, too.
    """
    deadline = time.monotonic() + 60.0 * minutes
    conditions = CONDITIONS if machines else (PLAIN,)
    programs = PROGRAMS[:1] if quick else PROGRAMS
    folder.mkdir(parents=True, exist_ok=True)
    lanes = [_Lane(number, folder, deadline) for number in range(min(2, len(os.sched_getaffinity(0))))]
    with ThreadPoolExecutor(len(lanes)) as pool:
        started = [
            pool.submit(lane.record, programs[number :: len(lanes)], conditions, quick=quick)
            for number, lane in enumerate(lanes)
        ]
    left = sum(lane.result() for lane in started)
    if left:
        print(f"field: {left} comparisons are not recorded; start again to continue", file=sys.stderr)
    return left == 0


@dataclass(frozen=True, slots=True)
class Pair:
    """The recordings of a program and of one that was built again, on one machine."""

    machine: str
    program: str
    kind: str
    place: Path

    def sides(self) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
        """Return the runs of both sides."""
        return runs_in(self.place / "base"), runs_in(self.place / "after")

    @property
    def language(self) -> str:
        """The language that the folder or the program states, or an empty text."""
        path = self.place.parent / LANGUAGE
        if path.exists():
            return path.read_text(encoding="utf-8").strip()
        return BY_NAME[self.program].language.name if self.program in BY_NAME else ""

    @property
    def held_out(self) -> bool:
        """Whether rules may not be developed on the program. Programs of others are held out."""
        return self.program not in BY_NAME or BY_NAME[self.program].held_out

    @property
    def function(self) -> str:
        """The function that a plant makes slower, or an empty text."""
        return BY_NAME[self.program].function if self.kind in PLANTS else ""


def pairs_in(folder: Path) -> list[Pair]:
    """Return all pairs that are recorded completely."""
    found = []
    for done in sorted(folder.glob(f"*/*/*/{DONE}")):
        machine, program, kind = done.parent.relative_to(folder).parts
        if kind not in PLANTS or program in BY_NAME:
            found.append(Pair(machine, program, kind, done.parent))
    return found
