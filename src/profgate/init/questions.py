"""Creation of a plan from options, answers on the terminal and detected values, in this order of precedence."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from profgate.errors import ProfgateError
from profgate.init.commands import COMMANDS, installation
from profgate.init.measure import measured
from profgate.init.recipes import RECIPES, Recipe, extent_for
from profgate.init.repository import HOSTED, WORKFLOWS, Project
from profgate.init.repository_files import Files
from profgate.init.workflow import Plan, branch_mistake, line_mistake, runner_mistake
from profgate.model.visible_text import plain

NAMES = ("performance", "profgate")
VERSION_OPTIONS = {"Python": "python-version", "Node": "node-version", "Go": "go-version"}


@dataclass(frozen=True, slots=True)
class Options:
    """Command-line options.

    The user is asked for options that are None. If ``measure`` is true, the command is run once to measure it.
    """

    language: str | None = None
    command: str | None = None
    install: str | None = None
    branch: str | None = None
    runner: str | None = None
    measure: bool = False


class Questions:
    """Questions on the terminal. If ``ask`` is false, the first choice is used."""

    def __init__(self, *, ask: bool) -> None:
        self._ask = ask

    def answer(self, question: str, choices: Sequence[tuple[str, str]], mistake: Callable[[str], str]) -> str:
        """Ask until the input is an empty line, the number of a choice or a valid value, and return the chosen value.

        An empty line selects the first choice. A choice is a value and a description of where it was found. ``mistake``
        returns the reason why a value is invalid, or "" if the value is valid.
        """
        if not self._ask:
            return choices[0][0]
        if len(choices) > 1:
            rows = [f"  {number}. {value}{_place(place)}\n" for number, (value, place) in enumerate(choices, 1)]
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


def plan(files: Files, project: Project, questions: Questions, options: Options) -> Plan:
    """Return the plan of the workflow. Raises ProfgateError if no valid plan is possible."""
    recipe = _recipe(files.top, project, questions, options.language)
    found = COMMANDS[recipe.language](files)
    commands = [(each.command, each.place) for each in found] or [(recipe.command, "an example")]
    command = options.command
    if command is None:
        command = questions.answer("Command to record", commands[:9], line_mistake)
        place = next((where for text, where in commands if text == command), "your answer")
        sys.stdout.write(f"Records: {plain(command)} ({plain(place)}).\n")
    needs = next((each.needs for each in found if each.command == command), ())
    install = options.install
    if install is None:
        install = " && ".join(installation(recipe.language, files, needs))
        if install:
            install = questions.answer("Command that installs it", [(install, ""), ("nothing", "")], line_mistake)
    runners = [(",".join(labels), "your workflows") for labels in project.runners] or [(HOSTED, "GitHub's own")]
    runner = options.runner or questions.answer("Runner", runners, runner_mistake)
    branch = options.branch
    if branch is None:
        branch = questions.answer("Base branch", [(name, "") for name in project.branches], branch_mistake)
    extent = extent_for(recipe.rate, None)
    if options.measure:
        command, extent = measured(files.top, recipe, command)
    version = VERSION_OPTIONS.get(recipe.language)
    return Plan(
        recipe,
        command,
        () if install in {"", "nothing"} else tuple(install.split(" && ")),
        branch,
        tuple(label.strip() for label in runner.split(",")),
        extent,
        next((step for step in project.setups if step.option == version), None),
    )


def workflow_path(project: Project, questions: Questions) -> str:
    """Return an unused path for the workflow, or the path of an existing workflow that may be replaced.

    Raises ProfgateError if a workflow uses profgate and must not be replaced, or if all possible names are taken.
    """
    if project.ours is not None:
        if questions.agreed(f"{project.ours} uses profgate already. Replace it?"):
            return project.ours
        raise ProfgateError(project.ours, "uses profgate already; nothing was written")
    stems = {PurePosixPath(path).stem for path in project.workflows}
    free = next((name for name in NAMES if name not in stems), None)
    if free is None:
        raise ProfgateError(WORKFLOWS, f"already contains {' and '.join(NAMES)}; rename one of them")
    return f"{WORKFLOWS}/{free}.yml"


def _recipe(top: str, project: Project, questions: Questions, language: str | None) -> Recipe:
    known = {recipe.language: recipe for recipe in RECIPES}
    if language is not None:
        return known[language]
    if not project.recipes:
        marks = ", ".join(mark for recipe in RECIPES for mark in recipe.marks)
        raise ProfgateError(top, f"contains none of {marks}; name the language with --language")
    sys.stdout.write(f"Detected: {' and '.join(recipe.language for recipe in project.recipes)}.\n")
    if len(project.recipes) == 1:
        return project.recipes[0]
    choices = [(recipe.language, recipe.marks[0]) for recipe in project.recipes]
    unknown = f"is none of {', '.join(known)}"
    return known[questions.answer("Language", choices, lambda text: "" if text in known else unknown)]


def _place(place: str) -> str:
    return f" ({plain(place)})" if place else ""
