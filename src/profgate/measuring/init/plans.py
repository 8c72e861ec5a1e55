"""Creation of a plan from options and detected values."""

import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from profgate.errors import ProfgateError
from profgate.measuring.init.candidates import TIMED, Candidate, Kind
from profgate.measuring.init.recipes import RECIPES, Recipe, extent_for, recipe_of
from profgate.measuring.init.repeated_tests import repeated_tests
from profgate.measuring.init.repository import WORKFLOWS, Project, candidates, default_setup, pattern_of
from profgate.measuring.init.repository_files import Files
from profgate.measuring.init.workflow import Plan
from profgate.model.visible_text import plain

NAMES = ("performance", "profgate")
NOTHING = "nothing"
MOST_BENCHMARKS = 2  # that are tried before the tests are repeated


@dataclass(frozen=True, slots=True)
class Options:
    """Command-line options. Those that are None are detected.

    ``measure`` makes a trial recording, and ``replace`` replaces an existing workflow of profgate.
    """

    language: str | None = None
    command: str | None = None
    install: str | None = None
    branch: str | None = None
    runner: str | None = None
    measure: bool = False
    replace: bool = False


def plans(files: Files, under: str, project: Project, options: Options) -> list[Plan]:
    """Return the plans of the workflow, the best one first. ``under`` is the folder that is examined.

    There are several only if the command is detected. Raises ProfgateError if there is none.
    """
    recipe, all_found = _detected(files, under, project, options)
    found = [each for each in all_found if each.command]
    if not options.command and options.measure:
        found = _ordered(files, recipe, found, all_found)
    if found and not options.command:
        sys.stdout.write(f"Records: {plain(label(found[0]))} ({plain(found[0].place)}).\n")
    setup = options.install
    branch = project.branch if options.branch is None else options.branch
    labels = tuple(map(str.strip, options.runner.split(","))) if options.runner else project.runner
    common = Plan(recipe, "", (), branch, labels, extent_for(recipe.rate, None), pattern_of(project, recipe.language))
    planned = [
        replace(
            common,
            command=each.command,
            install=each.setup if setup is None else _lines(setup),
            folder=each.folder,
            workload=each.workload,
            timed=each.timed,
            new_files=each.new_files,
            update=each.update,
        )
        for each in found
    ]
    example = f"COMMAND', such as '{recipe.example}"
    problem = f"write one, then run profgate init --replace --measure --command '{example}'"
    if recipe.language == "native code" and not options.measure:
        problem = "only the build system knows which programs it builds; run profgate init --replace --measure"
    else:
        seen = "; ".join(each.place for each in all_found if not each.command and ": " in each.place)[:200]
        problem = f"no benchmark was found{f' that can be recorded ({seen})' if seen else ''}; {problem}"
    return planned or [replace(common, install=_lines(setup or ""), problem=problem)]


def _ordered(files: Files, recipe: Recipe, found: list[Candidate], all_found: list[Candidate]) -> list[Candidate]:
    """Return the commands in the order of the trials: those with a fixed amount of work come before timed ones."""
    benchmarks, tests = (repeated_tests(files, all_found, kind) for kind in Kind)
    others = [each for each in found if each.kind is Kind.BENCHMARK and not (benchmarks and "pytest" in each.command)]
    fixed = [each for each in others if not each.timed]
    timed = [each for each in others if each.timed]
    rest = [each for each in found if each.kind is Kind.TESTS]
    programs = rest[:MOST_BENCHMARKS] if recipe.machine else []  # no tool starts them, so they can be repeated
    most = MOST_BENCHMARKS if tests else None
    return [*benchmarks, *fixed[:most], *tests, *programs, *timed[:most], *rest[len(programs) :]]


def label(candidate: Candidate) -> str:
    """Return the command of a candidate as a line that starts at the top."""
    folder = "" if candidate.folder == "." else f"cd {shlex.quote(candidate.folder)} && "
    return f"{folder}{candidate.command}"


def workflow_path(project: Project) -> str:
    """Return the path of the existing workflow, or an unused path. Raises ProfgateError if all names are taken."""
    if project.ours is not None:
        return project.ours
    stems = {PurePosixPath(path).stem for path in project.workflows}
    free = next((name for name in NAMES if name not in stems), None)
    if free is None:
        raise ProfgateError(WORKFLOWS, f"already contains {' and '.join(NAMES)}; rename one of them")
    return f"{WORKFLOWS}/{free}.yml"


def _detected(files: Files, under: str, project: Project, options: Options) -> tuple[Recipe, list[Candidate]]:
    """Return the language of the option, of the command or of the most source files, and its candidates."""
    known = {recipe.language: recipe for recipe in RECIPES}
    if options.language is None and project.recipes:
        sys.stdout.write(f"Detected: {' and '.join(each.language for each in project.recipes)}.\n")
    recipe = known[options.language] if options.language else recipe_of(options.command or "")
    if recipe is None and not project.recipes:
        marks = ", ".join(mark for recipe in RECIPES for mark in recipe.marks)
        raise ProfgateError(files.top, f"contains none of {marks}; name the language with --language")
    recipe = recipe or project.recipes[0]
    if options.command:
        return recipe, [_named(files, recipe, options.command, under)]
    return recipe, candidates(files, recipe, under, build=options.measure)


def _named(files: Files, recipe: Recipe, command: str, under: str) -> Candidate:
    """Return a command that the user named."""
    setup = default_setup(files, recipe.language, under)
    timed = TIMED.search(command) is not None
    return Candidate(recipe.language, command, "the option --command", Kind.BENCHMARK, under, under, setup, timed=timed)


def _lines(setup: str) -> tuple[str, ...]:
    """Return the lines of a setup command. Each part fails on its own, which sh ignores within ``a && b``."""
    if setup in {"", NOTHING}:
        return ()
    return (setup,) if "(" in setup else tuple(setup.split(" && "))
