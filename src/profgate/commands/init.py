"""``profgate init``: the workflow and the policy for this repository, from what it can see and what you answer."""

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from profgate.adapters.checkout import base_branch
from profgate.adapters.files import exists, read_loosely, sources_under, write_text
from profgate.commands.inputs import folder
from profgate.errors import ProfgateError
from profgate.report.templates import render_template

POLICY = ".github/profgate.yml"
WORKFLOWS = ".github/workflows"
NAMES = ("performance", "profgate")
BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")
LARGEST_WORKFLOW = 1 << 20


@dataclass(frozen=True, slots=True)
class Recipe:
    """How programs of a language are recorded: what tells it, the command to begin with, the lines around it."""

    language: str
    marks: tuple[str, ...]
    command: str
    lines: tuple[str, ...]


def _loop(line: str, *before: str) -> tuple[str, ...]:
    return (*before, "mkdir -p profiles/main", "for run in 1 2 3 4 5; do", f"  {line}", "done")


RECIPES = (
    Recipe(
        "Python",
        ("pyproject.toml", "setup.py", "setup.cfg", "requirements.txt"),
        "python -m pytest",
        _loop(
            'py-spy record --format raw --rate 200 --output "profiles/main/run-$run.folded" -- COMMAND',
            "pip install py-spy",
        ),
    ),
    Recipe(
        "Go",
        ("go.mod",),
        "go test -run '^$' -bench . .",
        _loop('COMMAND -cpuprofile "$PWD/profiles/main/run-$run.pb.gz"'),
    ),
    Recipe(
        "Node",
        ("package.json",),
        "bench.js",
        _loop('node --cpu-prof --cpu-prof-dir=profiles/main --cpu-prof-name="run-$run.cpuprofile" COMMAND'),
    ),
    Recipe(
        "native code",
        ("Cargo.toml", "CMakeLists.txt", "Makefile", "meson.build"),
        "./bench",
        _loop(
            'perf record -F 400 -g -o perf.data -- COMMAND && perf script -i perf.data > "profiles/main/run-$run.perf"',
            "sudo sysctl -w kernel.perf_event_paranoid=-1",
        ),
    ),
)


def run(argv: Sequence[str]) -> int:
    """Writes both files, or none: nothing that exists is overwritten. Raises ProfgateError."""
    parser = argparse.ArgumentParser(prog="profgate init", description=__doc__.replace("`", ""))
    parser.add_argument("folder", metavar="DIR", nargs="?", default=".", type=folder, help="top of the repository")
    parser.add_argument("--yes", "-y", action="store_true", help="ask nothing, take what is seen")
    parser.add_argument("--command", metavar="TEXT", help="the command to record")
    parser.add_argument("--branch", metavar="NAME", help="the branch that pull requests are merged into")
    arguments = parser.parse_args(argv)
    top = arguments.folder
    if not os.path.isdir(top):  # noqa: PTH112 - a question, not a path
        raise ProfgateError(top, "is no folder; name the top of a repository")
    name, seen = _free_name(top), _recipe(top)
    recipe = seen or RECIPES[-1]
    ask = not arguments.yes and sys.stdin.isatty()
    unseen = f"No language is told by the files here; the workflow is that for {recipe.language}.\n"
    sys.stdout.write(f"This looks like {seen.language}.\n" if seen else unseen)
    command = _answer("Command to record", arguments.command, recipe.command, ask=ask)
    branch = _answer("Base branch", arguments.branch, base_branch(top) or "main", ask=ask)
    for path, text in files_for(name, recipe, command, branch).items():
        place = os.path.join(top, *path.split("/"))  # noqa: PTH118 - doors pass plain paths
        if path == POLICY and exists(place):
            sys.stdout.write(f"{path} is there and stays as it is.\n")
            continue
        write_text(place, text)
        sys.stdout.write(f"Wrote {path}.\n")
    sys.stdout.write(
        "Look at the workflow, commit both files and push. The first push to the base branch records a baseline;\n"
        "after that make the job profgate a required check.\n"
    )
    return 0


def files_for(name: str, recipe: Recipe, command: str, branch: str) -> dict[str, str]:
    """Path and text of each file. Raises ProfgateError for a command or a branch that a workflow cannot hold."""
    if not command.isprintable() or not command.strip() or "${{" in command:
        raise ProfgateError("--command", "must be one line of shell, without ${{")
    if not BRANCH.fullmatch(branch):
        raise ProfgateError("--branch", f"{branch[:60]!r} is no branch that can be written into a workflow")
    lines = [line.replace("COMMAND", command.strip()) for line in recipe.lines]
    workflow = render_template("init/workflow.yml.j2", name=name, branch=branch, lines=lines)
    return {f"{WORKFLOWS}/{name}.yml": workflow, POLICY: render_template("init/profgate.yml.j2")}


def _recipe(top: str) -> Recipe | None:
    """The first language whose mark stands at the top."""
    seen = (one for one in RECIPES if any(exists(os.path.join(top, mark)) for mark in one.marks))  # noqa: PTH118
    return next(seen, None)


def _free_name(top: str) -> str:
    """A name for the workflow that no file has. Raises ProfgateError where profgate is used already."""
    place = os.path.join(top, *WORKFLOWS.split("/"))  # noqa: PTH118 - doors pass plain paths
    taken = [source.path or "" for source in sources_under(place)] if exists(place) else []
    for path in taken:
        if path.endswith((".yml", ".yaml")) and "profgate/profgate@" in read_loosely(path, LARGEST_WORKFLOW):
            raise ProfgateError(path, "uses profgate already; nothing was written")
    stems = {os.path.basename(path).partition(".")[0] for path in taken}  # noqa: PTH119 - doors pass plain paths
    free = next((name for name in NAMES if name not in stems), None)
    if free is None:
        raise ProfgateError(WORKFLOWS, f"holds {' and '.join(NAMES)} already; rename one of them")
    return free


def _answer(question: str, given: str | None, seen: str, *, ask: bool) -> str:
    if given is not None or not ask:
        return seen if given is None else given
    sys.stdout.write(f"{question} [{seen}]: ")
    sys.stdout.flush()
    return sys.stdin.readline().strip() or seen
