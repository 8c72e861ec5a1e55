"""What is recorded, in which order: rounds over all variants of a program, with base jobs spread over the session."""

import json
import os
import platform
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.field.calibrate import calibrate
from bench.field.programs import (
    LIBRARY,
    PROGRAMS,
    SUFFIXES,
    Edit,
    Neighbour,
    Program,
    Slower,
    variants_of,
)
from bench.field.recorders import RATE, record, tool
from bench.field.upgrades import UPGRADES, Upgrade, install
from bench.field.variants import make_tree

UNCHANGED = "unchanged"
ROUNDS, UNCHANGED_IN_ROUND = 5, 4
JOBS, RUNS_IN_JOB = 9, 5
TARGET_JOBS: dict[str, int] = {"small-5": 3, "middle-10": 5, "everything-3": 7}  # and the base job they follow
EVERYTHING_3, THREE_TIMES = Slower(3.0), ("numeric", "interpreter", "short", "records", "orders", "search", "paths")
FEW, FEW_RUNS, FEW_AFTER = "few", 10, 9  # runs too short to judge, after the last base job
FEWER = Slower(0.08)
QUICK_PROGRAMS = ("numeric", "orders")
QUICK_VARIANTS = ("new-10", "middle-5", "renamed")
BURNER = """
import time
while True:
    end = time.monotonic() + 0.02
    while time.monotonic() < end:
        pass
    time.sleep(0.01)
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One recording: ``edit`` None is the unchanged program; ``side`` is a library folder of an upgrade."""

    subject: Program | Upgrade
    variant: str
    edit: Edit | None
    output: Path
    side: Path | None = None


def _suffix(program: Program) -> str:
    return f"{SUFFIXES[program.recorder]}.xz"


def _round_steps(program: Program, folder: Path, number: int, *, quick: bool) -> list[Step]:
    """One run of each variant, the unchanged program spread among them; every other round in reverse order."""
    variants = {name: edit for name, edit in variants_of(program).items() if not quick or name in QUICK_VARIANTS}
    names = list(variants)
    every = max(1, -(-len(names) // UNCHANGED_IN_ROUND))
    steps = []
    for part in range(UNCHANGED_IN_ROUND):
        run = (number - 1) * UNCHANGED_IN_ROUND + part + 1
        steps.append(Step(program, UNCHANGED, None, folder / UNCHANGED / f"run-{run}.{_suffix(program)}"))
        for name in names[part * every : (part + 1) * every]:
            output = folder / name / f"run-{number}.{_suffix(program)}"
            steps.append(Step(program, name, variants[name], output))
    return steps if number % 2 else steps[::-1]


def _job_steps(program: Program, folder: Path, job: int) -> list[Step]:
    """The base job with this number, and the target job that follows it."""
    suffix = _suffix(program)
    runs = range(1, RUNS_IN_JOB + 1)
    steps = [Step(program, UNCHANGED, None, folder / "jobs" / f"base-{job}" / f"run-{run}.{suffix}") for run in runs]
    edits = variants_of(program) | ({"everything-3": EVERYTHING_3} if program.name in THREE_TIMES else {})
    for name, after in TARGET_JOBS.items():
        if after == job and name in edits:
            steps += [Step(program, name, edits[name], folder / "jobs" / name / f"run-{run}.{suffix}") for run in runs]
    if job == FEW_AFTER:
        steps += [Step(program, FEW, FEWER, folder / FEW / f"run-{run}.{suffix}") for run in range(1, FEW_RUNS + 1)]
    return steps


def lane_steps(programs: Sequence[Program], folder: Path, *, quick: bool) -> Iterator[Step]:
    """All recordings of some programs; the base jobs are spread evenly."""
    rounds = [
        _round_steps(program, folder / program.name, number, quick=quick)
        for program in programs
        for number in range(1, (2 if program.exact else ROUNDS) + 1)
    ]
    jobs = 3 if quick else JOBS
    for job in range(1, jobs + 1):
        for program in (program for program in programs if not program.exact):
            yield from _job_steps(program, folder / program.name, job)
        for steps in rounds[(job - 1) * len(rounds) // jobs : job * len(rounds) // jobs]:
            yield from steps


def upgrade_steps(upgrade: Upgrade, folder: Path, libraries: Path) -> Iterator[Step]:
    """Five runs a side in the order ABBA."""
    sides = {"before": libraries / "+".join(upgrade.before), "after": libraries / "+".join(upgrade.after)}
    for run in range(1, ROUNDS + 1):
        for side in sides if run % 2 else reversed(sides):
            output = folder / upgrade.name / side / f"run-{run}.speedscope.json.xz"
            yield Step(upgrade, side, None, output, sides[side])


@contextmanager
def _neighbour(edit: Edit | None) -> Iterator[None]:
    """Another process on the same processor while a run of this variant is recorded."""
    if not isinstance(edit, Neighbour):
        yield
        return
    with subprocess.Popen([sys.executable, "-S", "-c", BURNER]) as burner:
        try:
            yield
        finally:
            burner.kill()


class Lane(threading.Thread):
    """Records its steps on one processor until they or the time end."""

    def __init__(self, number: int, steps: Sequence[Step], folder: Path, deadline: float) -> None:
        super().__init__(name=f"lane-{number}")
        self.number, self.steps, self.folder, self.deadline = number, steps, folder, deadline
        self.left = sum(not step.output.exists() for step in steps)
        self.error: BaseException | None = None
        self.warm: set[str] = set()

    def run(self) -> None:
        """Record what is missing."""
        processors = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {processors[self.number % len(processors)]})
        try:
            for step in self.steps:
                if time.monotonic() > self.deadline:
                    return
                if not step.output.exists():
                    self._record(step)
                    self.left -= 1
        except BaseException as error:  # noqa: BLE001 - the main thread raises it again
            self.error = error

    def _record(self, step: Step) -> None:
        work = self.folder / "work"
        if isinstance(step.subject, Upgrade):
            upgrade = step.subject
            tree = work / upgrade.name
            upgrade.make_tree(step.side, tree)
            record("py-spy", tree, upgrade.script, upgrade.rounds, step.output)
            return
        program, tree = step.subject, work / step.subject.name
        library = self.folder / "libraries" / LIBRARY if program.name == "markdown" else None
        amounts = calibrate(program, library, work, self.folder / "calibration.json")
        make_tree(program, step.edit, amounts.get(step.variant, 0), library, tree)
        rounds = round(program.rounds * (step.edit.factor if isinstance(step.edit, Slower) else 1.0))
        if program.name not in self.warm:
            record(program.recorder, tree, program.file, rounds, work / f"warm-{program.name}.xz")
            self.warm.add(program.name)
        with _neighbour(step.edit):
            record(program.recorder, tree, program.file, rounds, step.output)


def _version(program: str) -> str:
    outcome = subprocess.run([tool(program), "--version"], capture_output=True, text=True, check=False)
    return (outcome.stdout + outcome.stderr).strip().splitlines()[0]


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def write_manifest(folder: Path) -> None:
    """What recorded: versions, rate, processor and dates."""
    path = folder / "manifest.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    now = datetime.now(UTC).isoformat(timespec="seconds")
    manifest = {
        "python": platform.python_version(),
        "py-spy": _version("py-spy"),
        "node": _version("node"),
        "perf": _version("perf"),
        "callgrind": _version("valgrind"),
        "rate": RATE,
        "rounds": {program.name: program.rounds for program in PROGRAMS},
        "processor": _processor(),
        "processors": os.cpu_count(),
        "system": platform.platform(),
        "begun": known.get("begun", now),
        "ended": now,
    }
    path.write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def record_all(folder: Path, *, quick: bool, minutes: float) -> bool:
    """Record what is missing, for at most this long; whether everything is there. Raises RecordError."""
    deadline = time.monotonic() + 60.0 * minutes
    programs = [program for program in PROGRAMS if not quick or program.name in QUICK_PROGRAMS]
    upgrades = UPGRADES[:1] if quick else UPGRADES
    libraries = folder / "libraries"
    for requirements in ((LIBRARY,), *(side for upgrade in upgrades for side in (upgrade.before, upgrade.after))):
        install(requirements, libraries)
    (folder / "work").mkdir(parents=True, exist_ok=True)
    write_manifest(folder)
    lanes = []
    for number in range(2):
        steps = list(lane_steps(programs[number::2], folder, quick=quick))
        for upgrade in upgrades if number == 1 else ():
            steps += upgrade_steps(upgrade, folder / "upgrades", libraries)
        lanes.append(Lane(number, steps, folder, deadline))
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    write_manifest(folder)
    for lane in lanes:
        if lane.error is not None:
            raise lane.error
    left = sum(lane.left for lane in lanes)
    print(f"field: {left} recordings are missing" if left else "field: all recorded", file=sys.stderr)
    return left == 0
