"""Counts of real programs under six sets of CPU features and four sizes of the environment.

The loader of glibc chooses variants of memcpy, strlen and others by the features of the CPU, and the size of the
environment moves the stack. A condition is a set of features and a size; each stands for a machine. Callgrind records
all programs under the twelve conditions of `CONDITIONS`, with randomized addresses. The comparisons are fixed here,
before anything is recorded:

- unchanged, other machine: for each program, `PAIRS` ordered pairs of different conditions, drawn at random from a
  generator with the program's name as its seed;
- unchanged, one job: for each condition of `PLANTED`, the first half of its runs against the second half;
- an own function of the program takes 3 % or 1 % of the run more: both functions of each program, in the conditions of
  `PLANTED`, against the unchanged program in the same condition (one job), and against the unchanged program in another
  condition, with a confirmation in the first. In Python and Node, callgrind sees the functions of the interpreter, so
  these rows count the total and any function.

A side has two runs. If the two runs of a program differ, it has five.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from bench.field.judging import LISTED, TOTAL, Replayed, as_source, bare, profile_of, worse_findings
from bench.field.recorders import RecordError, store, tool
from bench.field.table import exact_interval

from profgate import pipeline
from profgate.decide.judge.shards import is_open, needs_more_suspects, suspects_in, with_measurement
from profgate.errors import ProfgateError
from profgate.measuring.decision import decided
from profgate.model.policy import Policy
from profgate.model.profile import Profile
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.pipeline import PipelineInput

SOURCES = Path(__file__).resolve().parent / "counted"
FEATURES = (  # tunables of glibc; each removes features of the CPU from those that the loader sees
    "",
    "-AVX512VL",
    "-AVX512VL,-AVX2",
    "-AVX512VL,-AVX2,-ERMS",
    "-AVX_Fast_Unaligned_Load",
    "-AVX512VL,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-SSSE3,-SSE4_2,-ERMS,-FSRM",
)
SIZES = (0, 100, 1000, 5000)  # bytes of a variable that is added to the environment
CONDITIONS = tuple((features, (features + step) % len(SIZES)) for features in range(len(FEATURES)) for step in (0, 2))
PLANTED = (0, 7)  # the conditions in which the changed programs run
PERCENTS = (3, 1)
PAIRS = 24
FEWEST_SHARE = 0.01  # of the run that the work of a constant takes
EXACT, SAMPLES = 2, 5  # runs of a side whose counts are equal, and of one whose counts differ
TIMEOUT = 300.0
UNCHANGED = "unchanged"
ANY = "*"  # the total or any function
OTHER_VALGRIND = "other-valgrind"
PYTHON = sys.executable


@dataclass(frozen=True, slots=True)
class Counted:
    """A program: how it is built and run, and its own functions with the constants that are their work."""

    name: str
    source: str
    build: tuple[str, ...] = ()
    run: tuple[str, ...] = ("./program",)
    functions: tuple[tuple[str, str], ...] = ()
    held_out: bool = False
    env: tuple[tuple[str, str], ...] = ()
    unnamed: bool = False  # callgrind names the functions of the interpreter, not those of the program


_C = ("gcc", "-O1", "-g", "-o", "program")
_CPP = ("g++", "-O1", "-g", "-std=c++17", "-o", "program")
_RUST = ("rustc", "-O", "-g", "-o", "program")
_WORDS = (("mixed", "MIXED"), ("digits", "DIGITS"))
_SEED = (("PYTHONHASHSEED", "0"),)
PROGRAMS = (
    Counted("words", "words.c", (*_C, "words.c"), functions=_WORDS),
    Counted("words, static", "words.c", (*_C, "-static", "words.c"), functions=_WORDS, held_out=True),
    Counted("waves", "waves.c", (*_C, "waves.c", "-lm"), functions=(("smoothed", "SMOOTHED"), ("peak", "PEAK"))),
    Counted(
        "ordered",
        "ordered.c",
        (*_C, "ordered.c"),
        functions=(("weight", "WEIGHT"), ("checked", "CHECKED")),
        held_out=True,
    ),
    Counted("catalog", "catalog.cpp", (*_CPP, "catalog.cpp"), functions=(("score", "SCORE"), ("folded", "FOLDED"))),
    Counted(
        "sheet",
        "sheet.cpp",
        (*_CPP, "sheet.cpp"),
        functions=(("parity", "PARITY"), ("distance", "DISTANCE")),
        held_out=True,
    ),
    Counted("ledger", "ledger.rs", (*_RUST, "ledger.rs"), functions=(("rounded", "ROUNDED"), ("tax", "TAX"))),
    Counted("visits", "visits.rs", (*_RUST, "visits.rs"), functions=(("mark", "MARK"), ("level", "LEVEL"))),
    Counted(
        "tokens",
        "tokens.go",
        ("go", "build", "-o", "program", "tokens.go"),
        functions=(("classOf", "class"), ("widthOf", "width")),
        env=(("GODEBUG", "asyncpreemptoff=1"),),  # valgrind cannot deliver the signals that preempt goroutines
    ),
    Counted(
        "extension",
        "extension.c",
        ("gcc", "-O1", "-g", "-shared", "-fPIC", "-o", "library.so", "extension.c"),
        ("{python}", "-S", "extension.py"),
        (("levels", "LEVELS"), ("edges", "EDGES")),
        held_out=True,
        env=_SEED,
        unnamed=True,
    ),
    Counted(
        "report",
        "report.py",
        (),
        ("{python}", "-S", "report.py"),
        (("rank", "RANK"), ("check", "CHECK")),
        env=_SEED,
        unnamed=True,
    ),
    Counted(
        "orders",
        "orders.js",
        (),
        ("{node}", "--jitless", "--hash-seed=1", "--random-seed=1", "orders.js"),
        (("weight", "WEIGHT"), ("digit", "DIGIT")),
        held_out=True,
        unnamed=True,
    ),
    Counted("sort", "input.txt", run=("sort", "input.txt"), held_out=True),
    Counted("gzip", "input.txt", run=("gzip", "-c", "input.txt")),
)


def environment(program: Counted, condition: tuple[int, int]) -> dict[str, str]:
    """Return the variables that a recorded program sees, and no others."""
    features, size = FEATURES[condition[0]], SIZES[condition[1]]
    found = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C", **dict(program.env)}
    if features:
        found["GLIBC_TUNABLES"] = f"glibc.cpu.hwcaps={features}"
    return found | ({"PADDING": "x" * size} if size else {})


def _source(program: Counted, constant: str, value: int) -> str:
    """Return the source with another value for a constant."""
    text = (SOURCES / program.source).read_text(encoding="utf-8")
    if not constant:
        return text
    if program.source.endswith(".go"):  # const class, width, lines = 1000, 1000, 9000
        names = [name for _, name in program.functions]
        values = ["1000"] * len(names)
        values[names.index(constant)] = str(value)
        return text.replace("1000, 1000,", f"{', '.join(values)},")
    return re.sub(rf"\b({constant}(?:: u32)?) = 1000\b", rf"\g<1> = {value}", text)


def _input() -> str:
    return "".join(f"{number * 7919 % 60007} line {number}\n" for number in range(1, 60001))


def _tree(program: Counted, folder: Path, constant: str = "", value: int = 1000) -> Path:
    """Build a program in a new folder. Raises RecordError."""
    folder.mkdir(parents=True)
    if program.source == "input.txt":
        (folder / program.source).write_text(_input(), encoding="utf-8")
        return folder
    (folder / program.source).write_text(_source(program, constant, value), encoding="utf-8")
    if program.source == "extension.c":
        shutil.copy(SOURCES / "extension.py", folder)
    if program.build:
        _run([tool(program.build[0]), *program.build[1:]], folder, dict(os.environ))
    return folder


def _run(call: Sequence[str], folder: Path, variables: dict[str, str]) -> None:
    outcome = subprocess.run(
        call, cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=TIMEOUT, errors="replace"
    )
    if outcome.returncode:
        last = (outcome.stderr.strip().splitlines() or ["no output"])[-1]
        raise RecordError(f"{' '.join(call)}: {last}")


def _command(program: Counted) -> list[str]:
    # the interpreter itself, because a script that starts it would be recorded instead
    real = Path(sysconfig.get_config_var("BINDIR"), f"python{sysconfig.get_python_version()}")
    known = {"{python}": str(real), "{node}": shutil.which("node") or "node"}
    words = [known.get(word, word) for word in program.run]
    return [words[0] if "/" in words[0] else tool(words[0]), *words[1:]]


def _record(program: Counted, tree: Path, condition: tuple[int, int], output: Path, other: str | None = None) -> None:
    """Record one run, unless it exists."""
    if output.exists():
        return
    raw = tree / f"raw-{output.parent.name}-{output.stem}"
    variables = environment(program, condition)
    valgrind = other or tool("valgrind")
    if other:  # PREFIX/bin/valgrind.bin and PREFIX/libexec/valgrind, unpacked anywhere
        variables["VALGRIND_LIB"] = str(Path(other).resolve().parents[1] / "libexec" / "valgrind")
    _run([valgrind, "--tool=callgrind", f"--callgrind-out-file={raw}", *_command(program)], tree, variables)
    store(raw, output)


def runs_of(folder: Path) -> list[Path]:
    """Return the recorded runs of one condition."""
    return sorted(folder.glob("run-*.xz"), key=lambda path: int(re.findall(r"\d+", path.name)[0]))


def cost_of(run: Path, function: str | None = None) -> float:
    """Return the instructions of a function itself, or of the whole run."""
    profile = profile_of(run)
    chosen = np.array([function is None or bare(name) == function for name in profile.frames.names])
    return 0.0 if profile.graph is None else float(profile.graph.self_value[0][chosen].sum())


def sizes_differ(runs: Sequence[Path]) -> bool:
    """Return whether the totals of runs differ by more than the product's bound for equal counts."""
    sums = [cost_of(path) for path in runs]
    return max(sums) - min(sums) > 1e-4 * max(sums)


def record_program(program: Counted, folder: Path, other_valgrind: str | None) -> None:
    """Record everything about one program. Raises RecordError."""
    place = folder / program.name.replace(", ", "-")
    with tempfile.TemporaryDirectory() as scratch:
        tree = _tree(program, Path(scratch) / "unchanged" / "tree")

        def record(tree: Path, variant: str, number: int, runs: range, other: str | None = None) -> list[Path]:
            here = place / variant / f"condition-{number}"
            for run in runs:
                _record(program, tree, CONDITIONS[number], here / f"run-{run}.callgrind.xz", other)
            return runs_of(here)

        differ = sizes_differ(record(tree, UNCHANGED, 0, range(1, 5)))
        side = SAMPLES if differ else EXACT
        for number in range(len(CONDITIONS)):
            record(tree, UNCHANGED, number, range(1, 2 * side + 1 if number in PLANTED else side + 1))
        if other_valgrind:
            record(tree, OTHER_VALGRIND, 0, range(1, side + 1), other_valgrind)
        whole = cost_of(runs_of(place / UNCHANGED / "condition-0")[0])
        for function, constant in program.functions:
            twice = _tree(program, Path(scratch) / f"{function}-twice" / "tree", constant, 2000)
            share = cost_of(record(twice, f"{function}-twice", 0, range(1, 2))[0]) / whole - 1.0
            if share < FEWEST_SHARE:
                raise RecordError(f"{program.name}: {constant} has no effect")
            for percent in PERCENTS:
                value = round(1000 * (1 + percent / 100 / share))
                variant = f"{function}-{percent}"
                changed = _tree(program, Path(scratch) / variant / "tree", constant, value)
                for number in PLANTED:
                    record(changed, variant, number, range(1, side + 1))
    (place / "complete.json").write_text(json.dumps({"differ": differ}), encoding="utf-8")


def record_counts(folder: Path, processes: int = 1, other_valgrind: str | None = None) -> None:
    """Record all programs; existing recordings stay. Raises RecordError."""
    with ThreadPoolExecutor(processes) as pool:
        list(pool.map(partial(record_program, folder=folder, other_valgrind=other_valgrind), PROGRAMS))


@dataclass(frozen=True, slots=True)
class Recorded:
    """Runs of one side under one condition, whose number is its CPU and environment."""

    runs: Sequence[Path]
    condition: int
    valgrind: str = ""

    def profiles(self, job: str) -> list[Profile]:
        """Return the runs as if this machine had recorded them in a job."""
        features, size = CONDITIONS[self.condition]
        facts: dict[str, Any] = {
            "job": job,
            "cpu_model": f"CPU {features}",
            "environment": f"{SIZES[size]} bytes: PADDING",
            **dict.fromkeys(("image", "c_library", "kernel", "architecture"), "equal"),
        }
        found = [profile_of(path) for path in self.runs]
        return [replace(profile, facts=replace(profile.facts, **facts)) for profile in found]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sides in the row of the table that counts them, and those that a confirmation measures, if any."""

    row: str
    program: Counted
    baseline: Recorded
    target: Recorded
    function: str = ""
    confirmed_by: tuple[Recorded, Recorded] | None = None


def _report(baseline: Recorded, target: Recorded, jobs: tuple[str, str]) -> Report:
    sides = [side.profiles(job) for side, job in zip((baseline, target), jobs, strict=True)]
    sources = [[as_source(run, each) for run, each in enumerate(profiles)] for profiles in sides]
    given = PipelineInput(sources[0], sources[1], pages=0)

    return pipeline.compare(given).report


def _confirmed(report: Report, sides: tuple[Recorded, Recorded]) -> Report:
    """Return the report after its suspects were decided by runs of one condition, unless these are too few."""
    if not is_open(report):
        return report
    policy = Policy(machines=1)  # the confirmation is on one machine
    given, widen = PipelineInput((), (), policy=policy, pages=0), needs_more_suspects(report)
    try:
        replayed = Replayed(*(side.profiles("one") for side in sides))
        decision = decided(replayed, given, suspects_in(report), widen=widen)
    except ProfgateError:  # the totals of two runs are equal, but not the costs of a suspect
        return report
    return with_measurement(report, decision.built.report, decision.measurement, policy)


def comparisons_of(program: Counted, folder: Path) -> Iterator[Comparison]:
    """Yield all comparisons of a program, which are the same for every call."""
    place = folder / program.name.replace(", ", "-")
    if not (place / "complete.json").exists():
        return
    side = SAMPLES if json.loads((place / "complete.json").read_text(encoding="utf-8"))["differ"] else EXACT

    def recorded(variant: str, number: int, first: int = 0) -> Recorded:
        runs = runs_of(place / variant / f"condition-{number}")[first : first + side]
        return Recorded(runs, number, "other" if variant == OTHER_VALGRIND else "")

    again = (recorded(UNCHANGED, PLANTED[0]), recorded(UNCHANGED, PLANTED[0], side))
    numbers = range(len(CONDITIONS))
    pairs = [(old, new) for old in numbers for new in numbers if old != new]
    for old, new in random.Random(program.name).sample(pairs, PAIRS):
        yield Comparison(
            "unchanged, other machine", program, recorded(UNCHANGED, old), recorded(UNCHANGED, new), "", again
        )
    for number in numbers:
        first, second = recorded(UNCHANGED, number), recorded(UNCHANGED, number, side)
        if len(second.runs) == side:
            yield Comparison("unchanged, one job", program, first, second)
    if other := recorded(OTHER_VALGRIND, 0).runs:
        yield Comparison(
            "unchanged, other valgrind", program, recorded(UNCHANGED, 0), Recorded(other, 0, "other"), "", again
        )
    for function, _ in program.functions:
        for percent in PERCENTS:
            where = ", interpreted" if program.unnamed else ""
            name = ANY if program.unnamed else function
            for number, elsewhere in zip(PLANTED, reversed(PLANTED), strict=True):
                target = recorded(f"{function}-{percent}", number)
                here = recorded(UNCHANGED, number)
                yield Comparison(f"+{percent} %{where}, one job", program, here, target, name)
                far = recorded(UNCHANGED, elsewhere)
                yield Comparison(f"+{percent} %{where}, other machine", program, far, target, name, (here, target))


def outcomes_of(comparison: Comparison) -> Iterator[tuple[str, str]]:
    """Yield the row of the table, and what the report shows of it: red, listed (of any colour) or nothing.

    If a function was changed, only rows that name it count.
    """
    jobs = ("first", "first" if comparison.row.endswith("one job") else "second")
    report = _report(comparison.baseline, comparison.target, jobs)
    yield comparison.row, _shown(report, comparison.function)
    if comparison.confirmed_by is not None:
        yield f"{comparison.row}, confirmed", _shown(_confirmed(report, comparison.confirmed_by), comparison.function)


def _shown(report: Report, function: str) -> str:
    found = worse_findings(report)
    if function and function != ANY:
        found = [one for one in found if one.location.name != TOTAL and bare(one.location.name) == function]
    colours = {one.colour for one in found} & LISTED
    return min(colours, default="")


def judged_program(program: Counted, folder: Path) -> list[tuple[str, bool, str, str]]:
    """Judge all comparisons of a program: row, whether the program is held out, what is shown, and the program."""
    return [
        (row, program.held_out, shown, program.name)
        for comparison in comparisons_of(program, folder)
        for row, shown in outcomes_of(comparison)
    ]


ROWS = (  # row, what counts as a hit, what is wanted of the rate
    ("unchanged, other machine", {"red"}, "red", "0"),
    ("unchanged, other machine, confirmed", {"red"}, "red", "0"),
    ("unchanged, other valgrind", {"red"}, "red", "0"),
    ("unchanged, other valgrind, confirmed", {"red"}, "red", "0"),
    ("unchanged, one job", {"red"}, "red", "0"),
    ("unchanged, one job", {"red", "yellow"}, "any row", ""),
    ("+3 %, one job", {"red"}, "red by name", "at least 95 %"),
    ("+3 %, other machine", {"red"}, "red by name", ""),
    ("+3 %, other machine, confirmed", {"red"}, "red by name", "at least 95 %"),
    ("+1 %, one job", {"red", "yellow"}, "listed", "at least 90 %"),
    ("+1 %, other machine, confirmed", {"red", "yellow"}, "listed", ""),
    ("+3 %, interpreted, one job", {"red"}, "red", "at least 95 %"),
    ("+3 %, interpreted, other machine, confirmed", {"red"}, "red", "at least 95 %"),
    ("+1 %, interpreted, one job", {"red", "yellow"}, "listed", "at least 90 %"),
    ("+1 %, interpreted, other machine, confirmed", {"red", "yellow"}, "listed", ""),
)


def counts_table(results: Sequence[tuple[str, bool, str, str]]) -> str:
    """Return the table of counts, with one column for each half of the programs."""
    lines = [
        "| counts | result | target | held-out programs | development programs |",
        "| --- | --- | --- | --- | --- |",
    ]
    measured = {row for row, *_ in results}
    for row, hits, name, wanted in (row for row in ROWS if row[0] in measured):
        cells = []
        for half in (True, False):
            shown = [colour for known, held_out, colour, _ in results if known == row and held_out == half]
            number = sum(colour in hits for colour in shown)
            if shown:
                low, high = exact_interval(number, len(shown))
                cells.append(f"{number} of {len(shown)} ({100 * low:.1f}–{100 * high:.1f})")
            else:
                cells.append("")
        lines.append(f"| {row} | {name} | {wanted} | {cells[0]} | {cells[1]} |")
    return "\n".join(lines)


def counts_text(folder: Path, processes: int = 1) -> str:
    """Judge the recordings of all programs. Return the table, and the programs that it contains."""
    with ProcessPoolExecutor(processes) as pool:
        judged = list(pool.map(partial(judged_program, folder=folder), PROGRAMS))
    names = [program.name for program, results in zip(PROGRAMS, judged, strict=True) if results]
    table = counts_table([result for results in judged for result in results])
    return f"{table}\n\nPrograms: {', '.join(names) or 'none, because nothing was recorded completely'}"
