"""Creation of a plan from options and detected values."""

import sys
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import PurePosixPath

from profgate.errors import ProfgateError
from profgate.measuring.init.candidates import TIMED, Candidate, Files, Kind, line_of
from profgate.measuring.init.new_benchmarks import repeated_tests
from profgate.measuring.init.recipes import RECIPES, Recipe, extent_for, recipe_of
from profgate.measuring.init.repository import WORKFLOWS, Project, candidates, default_setup, pattern_of
from profgate.measuring.init.workflow import Plan
from profgate.model.visible_text import plain

NOTHING = "nothing"
MOST_BENCHMARKS = 2  # that are tried before the tests are repeated


@dataclass(frozen=True, slots=True)
class Options:
    """Command-line options. Those that are None are detected.

    ``measure`` makes a trial recording, ``replace`` replaces an existing workflow of profgate, and ``expanded`` writes
    all jobs.
    """

    language: str | None = None
    command: str | None = None
    install: str | None = None
    branch: str | None = None
    runner: str | None = None
    measure: bool = False
    replace: bool = False
    expanded: bool = False


def plans(files: Files, under: str, project: Project, options: Options) -> list[Plan]:
    """Return the plans of the workflow, the best one first. ``under`` is the folder that is examined.

    There are several only if the command is detected. Raises ProfgateError if there is none.
    """
    recipe = _recipe(files, project, options)
    if command := options.command:
        setup, timed = default_setup(files, recipe.language, under), TIMED.search(command) is not None
        place, kind = "the option --command", Kind.BENCHMARK
        all_found = [Candidate(recipe.language, command, place, kind, under, under, setup, timed=timed)]
    else:
        all_found = candidates(files, recipe, under, build=options.measure)
    found = [each for each in all_found if each.command]
    if options.measure and not options.command:
        found = _ordered(files, recipe, found, all_found)
    if found and not options.command:
        sys.stdout.write(f"Records: {plain(line_of(found[0].folder, found[0].command))} ({plain(found[0].place)}).\n")
    branch = project.branch if options.branch is None else options.branch
    labels = tuple(map(str.strip, options.runner.split(","))) if options.runner else project.runner
    common = Plan(recipe, "", (), branch, labels, extent_for(recipe.rate, None), pattern_of(project, recipe.language))
    planned = [
        replace(
            common,
            command=each.command,
            install=each.setup if options.install is None else _lines(options.install),
            folder=each.folder,
            workload=each.workload,
            timed=each.timed,
            new_files=each.new_files,
            update=each.update,
        )
        for each in found
    ]
    seen = "; ".join(each.place for each in all_found if not each.command and ": " in each.place)[:200]
    problem = (
        f"no benchmark was found{f' that can be recorded ({seen})' if seen else ''}; write one, then run profgate "
    )
    problem += f"init --replace --measure --command 'COMMAND', such as '{recipe.example}'"
    if recipe.language == "native code" and not options.measure:
        problem = "only the build system knows which programs it builds; run profgate init --replace --measure"
    return planned or [replace(common, install=_lines(options.install or ""), problem=problem)]


def _ordered(files: Files, recipe: Recipe, found: list[Candidate], all_found: list[Candidate]) -> list[Candidate]:
    """Return the commands in the order of the trials: those with a fixed amount of work come before timed ones."""
    benchmarks, tests = (repeated_tests(files, all_found, kind) for kind in Kind)
    others = [each for each in found if each.kind is Kind.BENCHMARK and not (benchmarks and "pytest" in each.command)]
    rest = [each for each in found if each.kind is Kind.TESTS]
    most = MOST_BENCHMARKS if tests else None
    fixed, timed = ([each for each in others if each.timed is how][:most] for how in (False, True))
    programs = MOST_BENCHMARKS if recipe.machine else 0  # no tool starts them, so they can be repeated
    return [*benchmarks, *fixed, *tests, *rest[:programs], *timed, *rest[programs:]]


def workflow_path(project: Project) -> str:
    """Return the path of the existing workflow, or an unused path."""
    stems = {PurePosixPath(path).stem for path in project.workflows}
    names = chain(("performance", "profgate"), map("profgate-{}".format, count(2)))
    return project.ours or next(f"{WORKFLOWS}/{name}.yml" for name in names if name not in stems)


def _recipe(files: Files, project: Project, options: Options) -> Recipe:
    """Return the recipe of the option, of the command or of the most source files."""
    if options.language is None and project.recipes:
        sys.stdout.write(f"Detected: {' and '.join(each.language for each in project.recipes)}.\n")
    named = [each for each in RECIPES if each.language == options.language]
    started = recipe_of(options.command or "")
    known = [*named, *([started] if started else []), *project.recipes]
    if not known:
        marks = ", ".join(mark for recipe in RECIPES for mark in recipe.marks)
        raise ProfgateError(files.top, f"contains none of {marks}; name the language with --language")
    return known[0]


def _lines(setup: str) -> tuple[str, ...]:
    """Return the lines of a setup command. Each part fails on its own, which sh ignores within ``a && b``."""
    if setup in {"", NOTHING}:
        return ()
    return (setup.strip(),) if "(" in setup else tuple(setup.strip().split(" && "))
