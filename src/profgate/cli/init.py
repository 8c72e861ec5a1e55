"""``profgate init``: writes the workflow and the policy for this repository, from its files and your answers."""

import argparse
import json
import math
import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from profgate.cli.sides_options import folder
from profgate.errors import ProfgateError
from profgate.init.measure import measured
from profgate.init.recipes import FEWEST_RUNS, RECIPES, SAMPLES, Extent, Recipe, extent_for
from profgate.init.seen import BRANCH, HOSTED, RUNNER, WORKFLOWS, Repository, Seen, SetupStep, seen_in
from profgate.io.files import exists, write_text
from profgate.model.visible_text import plain
from profgate.report.templates import render_template

POLICY = ".github/profgate.yml"
NAMES = ("performance", "profgate")
NO_LANGUAGE = "holds none of {}; name the language with --language"
UNMEASURED = "{runs} runs give {samples:,} samples, which is enough, if each takes {seconds:.0f} s or longer;"
MEASURE = "profgate init --measure runs the command and writes the number of runs that it needs"
MEASURED = "{runs} runs of {seconds:.1f} s at {rate:,} samples a second give about {samples:,} samples."
TOO_SHORT = "{needed:,} are needed: let the command do {times:.0f} times the work."
NOT_ASKED = "Standard input is no terminal, so nothing is asked: what is seen is taken, as with --yes.\n"
BARE_WORD = re.compile(r"[a-z]+-[a-z0-9.-]*[a-z0-9]")  # which YAML reads as a text in any case
NEXT = (
    "Look at the workflow, commit both files and push. The first push to the base branch records a baseline;\n"
    "after that make the job profgate a required check.\n"
)


@dataclass(frozen=True, slots=True)
class Plan:
    """What the workflow will be made of."""

    recipe: Recipe
    command: str
    install: tuple[str, ...]
    branch: str
    runner: tuple[str, ...]
    extent: Extent
    language_step: SetupStep | None = None


def run(argv: Sequence[str]) -> int:
    """Writes both files, or none: nothing that exists is overwritten unasked. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate init", description=__doc__.replace("`", ""))
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", type=folder, help="top of the repository")
    parser.add_argument("--yes", "-y", action="store_true", help="ask nothing, take what is found")
    parser.add_argument("--language", choices=[one.language for one in RECIPES], help="what is recorded")
    parser.add_argument("--command", metavar="TEXT", help="the command to record")
    parser.add_argument("--install", metavar="TEXT", help="what installs it, one line of shell; empty for nothing")
    parser.add_argument("--measure", action="store_true", help="run the command once, to record enough samples")
    parser.add_argument("--branch", metavar="NAME", help="the branch that pull requests are merged into")
    parser.add_argument("--runner", metavar="LABEL", help="the runner, or its labels with commas between")
    arguments = parser.parse_args(argv)
    top = arguments.folder
    if not os.path.isdir(top):  # noqa: PTH112 - a question, not a path
        raise ProfgateError(top, "is no folder; name the top of a repository")
    ask = not arguments.yes and sys.stdin.isatty()
    if not ask and not arguments.yes:
        sys.stdout.write(NOT_ASKED)
    repository = Repository(top)
    seen = seen_in(repository)
    questions = Questions(ask=ask)
    target = _target(seen, questions)
    plan = _plan(repository, seen, questions, arguments)
    for path, text in files_for(target, plan).items():
        place = os.path.join(top, *path.split("/"))  # noqa: PTH118 - doors pass plain paths
        if path == POLICY and exists(place) and not questions.agreed(f"{path} is there. Replace it?"):
            sys.stdout.write(f"{path} is there and stays as it is.\n")
            continue
        write_text(place, text)
        sys.stdout.write(f"Wrote {path}.\n")
    sys.stdout.write("".join(f"{note}\n" for note in _notes(plan)) + NEXT)
    return 0


def files_for(workflow: str, plan: Plan) -> dict[str, str]:
    """Path and text of each file. Raises ProfgateError for a command or a branch that a workflow cannot hold."""
    for option, problem in (
        ("--command", bad_line(plan.command)),
        *(("--install", bad_line(line)) for line in plan.install),
        ("--branch", bad_branch(plan.branch)),
        ("--runner", bad_runner(",".join(plan.runner))),
    ):
        if problem:
            raise ProfgateError(option, problem)
    name = os.path.basename(workflow).rpartition(".")[0]  # noqa: PTH119 - a name
    text = render_template(
        "init/workflow.yml.j2",
        name=name,
        branch=plan.branch,
        runner=_labels(plan.runner),
        language=plan.language_step,
        env=plan.recipe.env,
        setup=(*plan.recipe.setup, *plan.install),
        record=plan.recipe.record(plan.command.strip(), plan.extent.rate),
        runs=plan.extent.runs,
        notes=_notes(plan),
    )
    return {workflow: text, POLICY: render_template("init/profgate.yml.j2")}


def _notes(plan: Plan) -> list[str]:
    """Comments for the step that records: whether the samples are enough, and what to do."""
    extent, advice = plan.extent, plan.recipe.advice
    shown = {"runs": extent.runs, "rate": extent.rate, "samples": extent.samples or SAMPLES}
    if extent.seconds is None:
        notes = [UNMEASURED.format(**shown, seconds=SAMPLES / extent.rate / FEWEST_RUNS), MEASURE]
    else:
        notes = [MEASURED.format(**shown, seconds=extent.seconds)]
        if not extent.enough:
            notes.append(TOO_SHORT.format(needed=SAMPLES, times=math.ceil(SAMPLES / max(extent.samples, 1))))
    return [*notes, advice] if advice else notes


def bad_line(text: str) -> str:
    """Why a workflow cannot hold this line of shell, empty where it can."""
    fits = text.isprintable() and text.strip() and "${{" not in text
    return "" if fits else "must be one line of shell, without ${{"


def bad_branch(text: str) -> str:
    """Why this is no branch for a workflow, empty where it is one."""
    return "" if BRANCH.fullmatch(text) else f"{text[:60]!r} is no branch that can be written into a workflow"


def bad_runner(text: str) -> str:
    """Why these are no labels of a runner, empty where they are."""
    fits = all(RUNNER.fullmatch(one.strip()) for one in text.split(","))
    return "" if fits else f"{text[:60]!r} is no label of a runner, such as {HOSTED}"


class Questions:
    """What is asked at the terminal; where nobody can answer, the first answer that was seen is taken."""

    def __init__(self, *, ask: bool) -> None:
        self._ask = ask

    def answer(self, question: str, choices: Sequence[tuple[str, str]], bad: Callable[[str], str]) -> str:
        """An answer: the number of a choice, the first one for an empty line, or a text that is not ``bad``.

        A choice is a value and where it was seen.
        """
        if not self._ask:
            return choices[0][0]
        if len(choices) > 1:
            rows = [f"  {number}. {value}{_seen_at(place)}\n" for number, (value, place) in enumerate(choices, 1)]
            sys.stdout.write(f"{question}:\n{''.join(rows)}")
        while True:
            said = self._line(f"{question} [{choices[0][0]}]: ")
            value = choices[int(said) - 1][0] if said.isdigit() and 0 < int(said) <= len(choices) else said
            if not value:
                return choices[0][0]
            problem = bad(value)
            if not problem:
                return value
            sys.stdout.write(f"  That {problem}.\n")

    def agreed(self, question: str) -> bool:
        """Whether somebody said yes; nobody does where nothing is asked."""
        return self._ask and self._line(f"{question} [y/N]: ").lower() in {"y", "yes"}

    def _line(self, prompt: str) -> str:
        sys.stdout.write(prompt)
        sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            raise ProfgateError("profgate init", "was ended before its last question; nothing more was written")
        return line.strip()


def _plan(repository: Repository, seen: Seen, questions: Questions, arguments: argparse.Namespace) -> Plan:
    """Each answer from the command line, else from somebody, else from what is seen."""
    recipe = _language(repository.top, seen, questions, arguments.language)
    found = repository.commands(recipe)
    commands = [(one.command, one.place) for one in found] or [(recipe.command, "an example")]
    command = arguments.command
    if command is None:
        command = questions.answer("Command to record", commands[:9], bad_line)
        place = next((where for text, where in commands if text == command), "your answer")
        sys.stdout.write(f"Records: {plain(command)} ({plain(place)}).\n")
    needs = next((one.needs for one in found if one.command == command), ())
    install = " && ".join(repository.installation(recipe, needs))
    if arguments.install is not None:
        install = arguments.install
    elif install:
        install = questions.answer("What installs it", [(install, ""), ("nothing", "")], bad_line)
    runners = [(",".join(one), "your workflows") for one in seen.runners] or [(HOSTED, "GitHub's own")]
    runner = arguments.runner or questions.answer("Runner", runners, bad_runner)
    branches = [(one, "") for one in seen.branches]
    branch = arguments.branch
    branch = questions.answer("Base branch", branches, bad_branch) if branch is None else branch
    wanted = {"Python": "python-version", "Node": "node-version", "Go": "go-version"}.get(recipe.language)
    extent = extent_for(recipe.rate, None)
    if arguments.measure:
        command, extent = measured(repository.top, recipe, command)
    return Plan(
        recipe,
        command,
        () if install in {"", "nothing"} else tuple(install.split(" && ")),
        branch,
        tuple(one.strip() for one in runner.split(",")),
        extent,
        next((one for one in seen.setups if one.option == wanted), None),
    )


def _language(top: str, seen: Seen, questions: Questions, given: str | None) -> Recipe:
    named = {one.language: one for one in RECIPES}
    if given is not None:
        return named[given]
    if not seen.recipes:
        marks = ", ".join(mark for recipe in RECIPES for mark in recipe.marks)
        raise ProfgateError(top, NO_LANGUAGE.format(marks))
    sys.stdout.write(f"This looks like {' and '.join(one.language for one in seen.recipes)}.\n")
    if len(seen.recipes) == 1:
        return seen.recipes[0]
    known = ", ".join(named)
    choices = [(one.language, one.marks[0]) for one in seen.recipes]
    return named[questions.answer("Language", choices, lambda text: "" if text in named else f"is none of {known}")]


def _target(seen: Seen, questions: Questions) -> str:
    """The path of the workflow: a free name, or the one of a workflow with profgate that somebody gives up.

    Raises ProfgateError where profgate is used already, and where no name is free.
    """
    if seen.ours is not None:
        if questions.agreed(f"{seen.ours} uses profgate already. Replace it?"):
            return seen.ours
        raise ProfgateError(seen.ours, "uses profgate already; nothing was written")
    stems = {os.path.basename(path).rpartition(".")[0] for path in seen.workflows}  # noqa: PTH119 - a name
    free = next((name for name in NAMES if name not in stems), None)
    if free is None:
        raise ProfgateError(WORKFLOWS, f"holds {' and '.join(NAMES)} already; rename one of them")
    return f"{WORKFLOWS}/{free}.yml"


def _labels(runner: Sequence[str]) -> str:
    words = [one if BARE_WORD.fullmatch(one) else json.dumps(one) for one in runner]
    return words[0] if len(words) == 1 else f"[{', '.join(words)}]"


def _seen_at(place: str) -> str:
    return f" ({plain(place)})" if place else ""
