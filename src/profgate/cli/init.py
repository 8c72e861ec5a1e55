"""The ``profgate init`` command."""

import os
import sys
from pathlib import Path

import click

from profgate.cli.options import Choice, Decorator, Place, bundled, command
from profgate.errors import ProfgateError
from profgate.init.questions import Options, Questions, plan, workflow_path
from profgate.init.recipes import RECIPES
from profgate.init.repository import detected
from profgate.init.repository_files import Files
from profgate.init.workflow import POLICY
from profgate.io.files import exists, write_text

NO_TERMINAL = "Standard input is not a terminal: the detected values are used, as with --yes.\n"
NEXT = (
    "Review the workflow, commit both files and push. The first push to the base branch records a baseline;\n"
    "after that make the job profgate a required check.\n"
)
plan_options: Decorator = bundled(
    "options",
    Options,
    click.option("--language", type=Choice([recipe.language for recipe in RECIPES]), help="Programming language."),
    click.option("--command", metavar="TEXT", help="Command whose execution is profiled."),
    click.option(
        "--install",
        metavar="TEXT",
        help="Shell command that installs the requirements of the command (may be empty).",
    ),
    click.option("--measure", is_flag=True, help="Run the command once, to choose the number of runs."),
    click.option("--branch", metavar="NAME", help="Branch that pull requests are merged into."),
    click.option("--runner", metavar="LABEL", help="Label of the runner, or several labels separated by commas."),
)


@command("profgate init", "profgate init --yes --command 'python bench.py' --measure")
@click.argument("folder", default=".", type=Place("the top of the repository", "dir"), metavar="[DIR]")
@click.option("-y", "--yes", is_flag=True, help="Use the detected values without asking.")
@plan_options
def init(folder: str, options: Options, *, yes: bool) -> int:
    """Write a workflow and a policy for the repository in DIR, based on its files and your answers.

    Asks before replacing existing files.
    """
    if not os.path.isdir(folder):  # noqa: PTH112 - the path is a string
        raise ProfgateError(folder, "is not a folder; specify the root folder of a repository")
    ask = not yes and sys.stdin.isatty()
    if not ask and not yes:
        sys.stdout.write(NO_TERMINAL)
    files, questions = Files(folder), Questions(ask=ask)
    project = detected(files)
    workflow = workflow_path(project, questions)
    planned = plan(files, project, questions, options)
    written = planned.files(workflow)
    for path in written:
        if Path(os.path.realpath(f"{folder}/{path}")) != Path(os.path.realpath(folder), path):
            raise ProfgateError(path, "is a link or in a folder that is a link; nothing was written")
    for path, text in written.items():
        place = f"{folder}/{path}"
        if path == POLICY and exists(place) and not questions.agreed(f"{path} exists. Replace it?"):
            sys.stdout.write(f"{path} exists and was not changed.\n")
            continue
        write_text(place, text)
        sys.stdout.write(f"Wrote {path}.\n")
    sys.stdout.write("".join(f"{note}\n" for note in planned.notes()) + NEXT)
    return 0
