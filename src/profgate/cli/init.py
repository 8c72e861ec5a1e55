"""The ``profgate init`` command."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from difflib import unified_diff
from pathlib import Path

import click

from profgate.cli.options import Choice, Decorator, Place, bundled, command
from profgate.errors import ProfgateError
from profgate.io.files import exists, read_loosely, write_text
from profgate.io.worktrees import quiet_git
from profgate.measuring.init.candidates import LARGEST_FILE, Files, top_of
from profgate.measuring.init.check import checked
from profgate.measuring.init.new_benchmarks import SKELETONS, skeleton
from profgate.measuring.init.plans import Options, plans, workflow_path
from profgate.measuring.init.recipes import RECIPES
from profgate.measuring.init.repository import Project, detected
from profgate.measuring.init.trial import FEW_SAMPLES, Trial, needed, trial_of
from profgate.measuring.init.workflow import Plan, check_of, open_line
from profgate.model.visible_text import visible
from profgate.report.templates import render_template

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
    click.option(
        "--measure", is_flag=True, help="Make a trial recording, to check the command and to choose the number of runs."
    ),
    click.option("--replace", is_flag=True, help="Replace the workflow of an earlier profgate init."),
    click.option("--expanded", is_flag=True, help="Write all jobs instead of calling the workflow of profgate."),
    click.option("--branch", metavar="NAME", help="Branch that pull requests are merged into."),
    click.option("--runner", metavar="LABEL", help="Label of the runner, or several labels separated by commas."),
)


def _print_skill(context: click.Context, _parameter: click.Parameter, requested: bool) -> None:
    if requested:
        sys.stdout.write(render_template("init/skill.md.j2", skeletons=SKELETONS, fewest=FEW_SAMPLES))
        context.exit()


@command("profgate init", "profgate init --yes --command 'python bench.py' --measure")
@click.argument("folder", default=".", type=Place("the top of the repository", folder=True), metavar="[DIR]")
@click.option("-y", "--yes", is_flag=True, help="Write the files without asking.")
@click.option("--check", is_flag=True, help="Set up and record as the written workflow does, and show the result.")
@click.option(
    "--skill",
    is_flag=True,
    expose_value=False,
    callback=_print_skill,
    help="Print instructions for writing a benchmark, as a SKILL.md.",
)
@plan_options
def init(folder: str, options: Options, *, yes: bool, check: bool) -> int:
    """Write a workflow and a policy for the repository in DIR, based on its files and the options.

    DIR may be a package of a monorepo; the workflow is written at the root of the repository. Only with --replace, an
    existing workflow of profgate is replaced; the difference is shown.
    """
    if not os.path.isdir(folder):  # noqa: PTH112 - the path is a string
        raise ProfgateError(folder, "is not a folder; specify the root folder of a repository")
    ask = not yes and sys.stdin.isatty()
    top, under = top_of(folder)
    files = Files(top)
    project = detected(files)
    workflow = workflow_path(project)
    if check:
        return _check(files, project)
    if project.ours is not None and not options.replace:
        raise ProfgateError(workflow, "uses profgate already; nothing was written; --replace writes it again")
    trial = _tried(files, under, project, options)
    written = trial.plan.files(workflow, expanded=options.expanded)
    written |= {path: text for path, text in trial.plan.benchmark.new_files.items() if text}
    for path in written:
        if Path(os.path.realpath(f"{top}/{path}")) != Path(os.path.realpath(top), path):
            raise ProfgateError(path, "is a link or in a folder that is a link; nothing was written")
    if ask:
        sys.stdout.write(f"Write {', '.join(sorted(written))}? [Y/n]: ")
        sys.stdout.flush()
        if sys.stdin.readline().strip().lower() not in {"", "y", "yes"}:
            raise ProfgateError(workflow, "nothing was written; the options of profgate init change its content")
    for path, text in written.items():
        _write(top, path, text, replace=path == workflow)
    _warn_of_missing(files, trial.plan, written)
    if line := open_line(written[workflow]):
        problem = f"{trial.plan.problem}; the workflow was written, but cannot run yet"
        raise ProfgateError(f"{workflow}:{line}", problem)
    sys.stdout.write("".join(f"{note}\n" for note in trial.plan.notes()) + trial.result)
    required = check_of(written[workflow], trial.plan.branch, project.branch)
    sys.stdout.write(
        "Review the workflow, commit the files and push. The first push to the base branch records a baseline;\n"
        f"after that make the check '{required}' required.\n"
    )
    return 0


def _tried(files: Files, under: str, project: Project, options: Options) -> Trial:
    """Return the plan that is written. A benchmark to be completed replaces a detected one that does not work."""
    planned = plans(files, under, project, options)
    trial = trial_of(files, planned) if options.measure and planned[0].benchmark.command else Trial(planned[0])
    # only the build system knows the programs of native code, which is asked with --measure
    asked = options.measure or trial.plan.recipe.language != "native code"
    return Trial(skeleton(files, trial.plan)) if trial.plan.problem and asked and not options.command else trial


def _check(files: Files, project: Project) -> int:
    """Show what the written workflow measures, as a table. Raises ProfgateError if an answer is not good enough."""
    rows, problem = checked(files, project)
    for question, answer, improvement in rows:
        sys.stdout.write(f"{question:<36} | {visible(answer):<28} | {improvement}\n")
    if problem:
        raise ProfgateError(project.ours or ".github/workflows", problem)
    return 0


def _write(top: str, path: str, text: str, *, replace: bool) -> None:
    """Write a file. If it exists, show the difference, and replace it only if requested."""
    place = f"{top}/{path}"
    before = read_loosely(place, LARGEST_FILE) if exists(place) else None
    if before is not None and before != text:
        difference = unified_diff(before.splitlines(), text.splitlines(), path, path, lineterm="", n=1)
        sys.stdout.write("".join(f"{visible(line)}\n" for line in difference))
        if not replace:
            sys.stdout.write(f"{path} exists and was not changed.\n")
            return
    write_text(place, text)
    sys.stdout.write(f"Wrote {path}.\n")


def _warn_of_missing(files: Files, plan: Plan, written: Iterable[str]) -> None:
    """Name the files that git does not track or that it ignores, because a checkout does not contain them."""
    with suppress(ProfgateError):  # git fails if it ignores none of them
        sys.stdout.write("".join(f"{visible(advice)}\n" for advice in needed(files, plan, "")[:1] if advice))
        ignored = quiet_git(files.top, "check-ignore", "--", *written)
        sys.stdout.write(
            ignored
            and "git ignores {paths}; add with git add --force {paths}\n".format(
                paths=" ".join(ignored.split("\n")).strip()
            )
        )
