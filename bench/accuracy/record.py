"""Records real programs for the lab, unchanged, slower on purpose, and under two releases of their library.

    python -m bench.accuracy.record FOLDER [programs | upgrades]

Needs py-spy, which may need root, and pip with a package index. The variants take turns, so that a busy minute of the
machine does not fall on one of them alone. `bench.accuracy.recorded` turns the folder into results.
"""

import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.accuracy.recording import (
    C_PROFILE,
    CPU_CLOCK,
    PY_SPY,
    SUFFIXES,
    RecordError,
    check_out,
    install,
    record,
    with_loop,
    write_manifest,
)

PROGRAMS = Path(__file__).resolve().parent / "programs"
UNCHANGED = "unchanged"
UNCHANGED_RUNS, SLOWER_RUNS, UPGRADE_RUNS = 16, 4, 3


@dataclass(frozen=True, slots=True)
class Plant:
    """A loop at the start of a function; ``file`` is relative to the library's folder."""

    name: str
    file: str
    function: str
    loops: int


@dataclass(frozen=True, slots=True)
class Program:
    """A script with its library; ``rounds`` for each profiler are some seconds of work."""

    script: str
    requirements: tuple[str, ...]
    rounds: dict[str, int]
    plants: tuple[Plant, ...] = ()


@dataclass(frozen=True, slots=True)
class Upgrade:
    """Two releases of the library of one script, and what is known of them."""

    name: str
    script: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    rounds: dict[str, int]
    known: str


REAL_PROGRAMS = (
    Program(
        "templates.py",
        ("jinja2==3.1.6", "markupsafe==3.0.3"),
        {PY_SPY: 220, C_PROFILE: 30, CPU_CLOCK: 20},
        (
            Plant("do_replace", "jinja2/filters.py", "do_replace", 100),
            Plant("iter_child_nodes", "jinja2/nodes.py", "Node.iter_child_nodes", 13),
        ),
    ),
    Program(
        "versions.py",
        ("packaging==26.0",),
        {PY_SPY: 90, C_PROFILE: 20, CPU_CLOCK: 12},
        (
            Plant("__init__", "packaging/version.py", "Version.__init__", 100),
            Plant("_pad_version", "packaging/specifiers.py", "_pad_version", 60),
        ),
    ),
    Program(
        "markdown.py",
        ("mistune==3.1.4",),
        {PY_SPY: 1000, C_PROFILE: 150, CPU_CLOCK: 100},
        (
            Plant("render_token", "mistune/renderers/html.py", "HTMLRenderer.render_token", 66),
            Plant("escape", "mistune/util.py", "escape", 43),
        ),
    ),
    Program(
        "documents.py",
        ("docutils==0.22.2",),
        {PY_SPY: 60, C_PROFILE: 14, CPU_CLOCK: 10},
        (
            Plant("check_line", "docutils/statemachine.py", "StateMachine.check_line", 150),
            Plant("__init__", "docutils/nodes.py", "Element.__init__", 100),
        ),
    ),
)
UPGRADES = (
    Upgrade(
        "slower",
        "markdown.py",
        ("mistune==3.0.2",),
        ("mistune==3.1.0",),
        {PY_SPY: 1000, CPU_CLOCK: 100},
        "Slower: since 3.1.0 `_get_method` evaluates a `typing.cast` for every token; a fifth more calls in all.",
    ),
    Upgrade(
        "faster",
        "versions.py",
        ("packaging==25.0",),
        ("packaging==26.0",),
        {PY_SPY: 120, CPU_CLOCK: 12},
        "Faster: the release notes of 26.0 name many improvements of versions and specifiers.",
    ),
    Upgrade(
        "neither",
        "templates.py",
        ("jinja2==3.1.5", "markupsafe==3.0.3"),
        ("jinja2==3.1.6", "markupsafe==3.0.3"),
        {PY_SPY: 220, CPU_CLOCK: 20},
        "Neither: a release with one security fix, off the path of this script.",
    ),
    Upgrade(
        "rewritten",
        "markdown.py",
        ("mistune==0.8.4",),
        ("mistune==2.0.5",),
        {PY_SPY: 1000, CPU_CLOCK: 100},
        "Rewritten: hardly a function kept its name. Its users report it slower; this script does not show that.",
    ),
)


def _tell(text: str) -> None:
    print(f"record: {text}", file=sys.stderr, flush=True)


def _library(folder: Path, requirements: tuple[str, ...]) -> Path:
    library = folder / "releases" / "+".join(requirements)
    install(requirements, library)
    return library


def _slower(library: Path, plant: Plant) -> Path:
    """A copy of the library with the plant in it."""
    copy = library.with_name(f"{library.name}+{plant.name}")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(library, copy, ignore=shutil.ignore_patterns("__pycache__"))
    file = copy / plant.file
    file.write_text(with_loop(file.read_text(encoding="utf-8"), plant.function, plant.loops), encoding="utf-8")
    return copy


def _turns(program: Program, library: Path) -> Iterator[tuple[int, str, Path]]:
    """(run, variant, library) in the order of recording."""
    slower = {plant.name: _slower(library, plant) for plant in program.plants}
    every = UNCHANGED_RUNS // SLOWER_RUNS
    for run in range(1, UNCHANGED_RUNS + 1):
        yield run, UNCHANGED, library
        if run % every == 0:
            yield from ((run // every, name, copy) for name, copy in slower.items())


def record_programs(folder: Path) -> None:
    """``FOLDER/programs/NAME/PROFILER/VARIANT/run-N``; what was recorded whole stays."""
    for program in REAL_PROGRAMS:
        library, script = _library(folder, program.requirements), PROGRAMS / program.script
        for profiler, rounds in program.rounds.items():
            place = folder / "programs" / script.stem / profiler
            if len(list(place.glob("*/run-*"))) == UNCHANGED_RUNS + SLOWER_RUNS * len(program.plants):
                continue
            _tell(f"{program.script} under {profiler}")
            for run, variant, version in _turns(program, library):
                check_out(version, script, folder / "work")
                output = place / variant / f"run-{run}{SUFFIXES[profiler]}"
                record(profiler, folder / "work", [script.name, str(rounds)], output)


def record_upgrades(folder: Path) -> None:
    """``FOLDER/upgrades/NAME/SIDE/PROFILER/run-N`` with a manifest a side, as profgate reads them."""
    for upgrade in UPGRADES:
        _tell(f"{upgrade.name}: {upgrade.before[0]} to {upgrade.after[0]}")
        script, place = PROGRAMS / upgrade.script, folder / "upgrades" / upgrade.name
        shutil.rmtree(place, ignore_errors=True)
        sides = {"baseline": _library(folder, upgrade.before), "target": _library(folder, upgrade.after)}
        for profiler, rounds in upgrade.rounds.items():
            for run in range(1, UPGRADE_RUNS + 1):
                for side, library in sides.items():
                    check_out(library, script, folder / "work")
                    output = place / side / profiler / f"run-{run}{SUFFIXES[profiler]}"
                    record(profiler, folder / "work", [script.name, str(rounds)], output)
        for side in sides:
            write_manifest(place / side, f"python {script.name}")


def main(arguments: list[str]) -> int:
    """Record everything, or the part asked for."""
    parts = {"programs": record_programs, "upgrades": record_upgrades}
    if not 1 <= len(arguments) <= 2 or arguments[-1].startswith("-") or not set(arguments[1:]) <= set(parts):
        print(__doc__)
        return 2
    folder = Path(arguments[0]).resolve()
    try:
        for name, recorder in parts.items():
            if name in arguments[1:] or len(arguments) == 1:
                recorder(folder)
    except RecordError as error:
        print(f"record: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
