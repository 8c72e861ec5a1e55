"""Creation of a plan from options and detected values."""

import sys
from collections.abc import Sequence
from itertools import chain, count, filterfalse
from pathlib import PurePosixPath

from profgate.errors import ProfgateError
from profgate.measuring.init.candidates import TIMED, Candidate, Files, Kind, within
from profgate.measuring.init.new_benchmarks import repeated_tests
from profgate.measuring.init.recipes import RECIPES, Recipe, extent_for, recipe_of
from profgate.measuring.init.repository import HOSTED, SETUPS, WORKFLOWS, Project, candidates, pattern_of
from profgate.measuring.init.workflow import Plan
from profgate.model.record import Record, replace
from profgate.model.visible_text import plain

NOTHING = "nothing"
MOST_BENCHMARKS = 2  # that are tried before the tests are repeated


class Options(Record):
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
        setup, timed = SETUPS[recipe.language](files, under), TIMED.search(command) is not None
        found = [
            Candidate(
                recipe.language, command, "the option --command", package=under, folder=under, setup=setup, timed=timed
            )
        ]
    else:
        found = candidates(files, recipe, under, build=options.measure)
    unseen = "; ".join(each.place for each in found if not each.command and ": " in each.place)[:200]
    if options.measure and not options.command:
        found = _ordered(files, found)
    found = [each for each in found if each.command]
    if found and not options.command:
        sys.stdout.write(f"Records: {plain(*within(found[0].folder, [found[0].command]))} ({plain(found[0].place)}).\n")
    problem = (
        f"no benchmark was found{unseen and f' that can be recorded ({unseen})'}; write one, then run profgate init "
        f"--replace --measure --command 'COMMAND', such as '{recipe.example}'"
    )
    if recipe.language == "native code" and not options.measure:
        problem = "only the build system knows which programs it builds; run profgate init --replace --measure"
    return [
        Plan(
            recipe,
            each if options.install is None else replace(each, setup=tuple({options.install.strip()} - {"", NOTHING})),
            options.branch or project.branch,
            tuple(map(str.strip, (options.runner or HOSTED).split(","))),
            extent_for(recipe.rate, None),
            pattern_of(project, recipe.language),
            "" if each.command else problem,
        )
        for each in found or [Candidate(recipe.language, "", "")]
    ]


def _ordered(files: Files, found: Sequence[Candidate]) -> list[Candidate]:
    """Return the commands in the order of the trials: those with a fixed amount of work come before timed ones."""
    benchmarks, tests = (repeated_tests(files, found, kind) for kind in Kind)
    others = [each for each in found if each.command and not (benchmarks and "--benchmark-only" in each.command)]
    rest = [each for each in others if each.kind is Kind.TESTS]
    most = MOST_BENCHMARKS if tests else None
    fixed, timed = ([each for each in others if each.timed is how and each not in rest][:most] for how in (False, True))
    return [*benchmarks, *fixed, *tests, *rest[:MOST_BENCHMARKS], *timed, *rest[MOST_BENCHMARKS:]]


def workflow_path(project: Project) -> str:
    """Return the path of the existing workflow, or an unused path."""
    stems = {PurePosixPath(path).stem for path in project.workflows}
    names = chain(("performance", "profgate"), map("profgate-{}".format, count(2)))
    return project.ours or f"{WORKFLOWS}/{next(filterfalse(stems.__contains__, names))}.yml"


def _recipe(files: Files, project: Project, options: Options) -> Recipe:
    """Return the recipe of the option, of the command or of the most source files."""
    if options.language is None and project.recipes:
        sys.stdout.write(f"Detected: {' and '.join(each.language for each in project.recipes)}.\n")
    named = next((each for each in RECIPES if each.language == options.language), recipe_of(options.command or ""))
    recipe = named or next(iter(project.recipes), None)
    if recipe is None:
        marks = ", ".join(mark for recipe in RECIPES for mark in recipe.marks)
        raise ProfgateError(files.top, f"contains none of {marks}; name the language with --language")
    return recipe
