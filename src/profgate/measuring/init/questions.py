"""Creation of a plan from options, answers on the terminal and detected values, in this order of precedence."""

import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from profgate.errors import ProfgateError
from profgate.measuring.init.candidates import TIMED, Candidate, Kind
from profgate.measuring.init.recipes import RECIPES, Recipe, extent_for, recipe_of
from profgate.measuring.init.repeated_tests import repeated_tests
from profgate.measuring.init.repository import HOSTED, WORKFLOWS, Project, candidates, default_setup, pattern_of
from profgate.measuring.init.repository_files import Files
from profgate.measuring.init.workflow import Plan, branch_mistake, line_mistake, runner_mistake
from profgate.model.visible_text import plain

NAMES = ("performance", "profgate")
NOTHING = "nothing"
MOST_BENCHMARKS = 2  # that are tried before the tests are repeated


@dataclass(frozen=True, slots=True)
class Options:
    """Command-line options. The user is asked for those that are None.

    ``measure`` makes a trial recording, and ``replace`` replaces an existing workflow of profgate.
    """

    language: str | None = None
    command: str | None = None
    install: str | None = None
    branch: str | None = None
    runner: str | None = None
    measure: bool = False
    replace: bool = False


class Questions:
    """Questions on the terminal. If ``ask`` is false, the first choice is used."""

    def __init__(self, *, ask: bool) -> None:
        self._ask = ask

    def answer(self, question: str, choices: Sequence[tuple[str, str]], mistake: Callable[[str], str]) -> str:
        """Ask until the input is empty (the first choice), the number of a choice, or a value without a ``mistake``.

        A choice is a value and a description of where it was found.
        """
        if not self._ask:
            return choices[0][0]
        if len(choices) > 1:
            shown = [f"{value} ({plain(place)})" if place else value for value, place in choices]
            rows = [f"  {number}. {text}\n" for number, text in enumerate(shown, 1)]
            sys.stdout.write(f"{question}:\n{''.join(rows)}")
        while True:
            text = self._line(f"{question} [{choices[0][0]}]: ")
            value = choices[int(text) - 1][0] if text.isdigit() and 0 < int(text) <= len(choices) else text
            if not value:
                return choices[0][0]
            problem = mistake(value)
            if not problem:
                return value
            sys.stdout.write(f"  That {problem}.\n")

    def agreed(self, question: str) -> bool:
        """Return whether the user agrees. The result is False if no questions may be asked."""
        return self._ask and self._line(f"{question} [y/N]: ").lower() in {"y", "yes"}

    def _line(self, prompt: str) -> str:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise ProfgateError("profgate init", "input ended before the last question; nothing more was written")
        return line.strip()


def plans(files: Files, under: str, project: Project, questions: Questions, options: Options) -> list[Plan]:
    """Return the plans of the workflow, the best one first. ``under`` is the folder that is examined.

    There are several only if the command is detected and no question is asked. Raises ProfgateError if there is none.
    """
    recipe, all_found = _detected(files, under, project, questions, options)
    found = [each for each in all_found if each.command]
    if not options.command and options.measure:
        found = _ordered(files, recipe, found, all_found)
    if not options.command:
        choices = [(label(each), each.place) for each in found[:9]] or [(NOTHING, "no benchmark was found")]
        chosen = questions.answer("Command to record", choices, line_mistake)
        while found and label(found[0]) != chosen:
            del found[0]
        if not found and chosen != NOTHING:
            found = [_named(files, recipe, chosen, under)]
        if found:
            sys.stdout.write(f"Records: {plain(chosen)} ({plain(found[0].place)}).\n")
    setup = options.install
    if setup is None and found and found[0].setup:
        default = " && ".join(found[0].setup)
        setup = questions.answer("Command that installs it", [(default, ""), (NOTHING, "")], line_mistake)
        setup = None if setup == default else setup
    runners = [(",".join(labels), "your workflows") for labels in project.runners] or [(HOSTED, "GitHub's own")]
    runner = options.runner or questions.answer("Runner", runners, runner_mistake)
    branch = options.branch
    if branch is None:
        branch = questions.answer("Base branch", [(name, "") for name in project.branches], branch_mistake)
    labels = tuple(each.strip() for each in runner.split(","))
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


def _detected(
    files: Files, under: str, project: Project, questions: Questions, options: Options
) -> tuple[Recipe, list[Candidate]]:
    """Return the language of the option, of the command or of the most source files, and its candidates."""
    known = {recipe.language: recipe for recipe in RECIPES}
    if options.language is None and project.recipes:
        sys.stdout.write(f"Detected: {' and '.join(each.language for each in project.recipes)}.\n")
    recipe = known[options.language] if options.language else recipe_of(options.command or "")
    if recipe is None and not project.recipes:
        marks = ", ".join(mark for recipe in RECIPES for mark in recipe.marks)
        raise ProfgateError(files.top, f"contains none of {marks}; name the language with --language")
    if recipe is None and len(project.recipes) == 1:
        recipe = project.recipes[0]
    if recipe is None:
        choices = [(recipe.language, recipe.marks[0]) for recipe in project.recipes]
        unknown = f"is none of {', '.join(known)}"
        recipe = known[questions.answer("Language", choices, lambda text: "" if text in known else unknown)]
    if options.command:
        return recipe, [_named(files, recipe, options.command, under)]
    return recipe, candidates(files, recipe, under, build=options.measure)


def _named(files: Files, recipe: Recipe, command: str, under: str) -> Candidate:
    """Return a command that the user named."""
    setup = default_setup(files, recipe.language, under)
    timed = TIMED.search(command) is not None
    return Candidate(recipe.language, command, "your answer", Kind.BENCHMARK, under, under, setup, timed=timed)


def _lines(setup: str) -> tuple[str, ...]:
    """Return the lines of a setup command. Each part fails on its own, which sh ignores within ``a && b``."""
    if setup in {"", NOTHING}:
        return ()
    return (setup,) if "(" in setup else tuple(setup.split(" && "))
