"""Detection of the languages, workflows, runners and branches of a repository."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from typing import Any

from profgate.io.git import base_branch
from profgate.measuring.init.candidates import (
    Candidate,
    Files,
    Kind,
    entries,
    joined,
    ranked,
    table_of,
    within,
)
from profgate.measuring.init.finders import (
    go_candidates,
    java_candidates,
    java_setup,
    python_candidates,
    python_setup,
    rust_candidates,
)
from profgate.measuring.init.native_project import built_candidates, native_setup
from profgate.measuring.init.node_project import node_candidates, node_setup
from profgate.measuring.init.recipes import RECIPES, Recipe
from profgate.model.record import Record, field

WORKFLOWS = ".github/workflows"
RUNNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")
HOSTED = "ubuntu-latest"
VERSION = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){0,2}(?=\.x|[^\w.-]|$)")
INSTALLED = re.compile(  # the Debian packages and options of a line
    r"apt(?:-get)? (?:-y )?install ((?:[a-z0-9][a-z0-9.+-]{0,60} ?|-y |--[a-z-]+ )+)$", re.MULTILINE
)
CHECKERS = frozenset({"valgrind", "gdb", "lcov", "gcovr", "cppcheck", "clang-tidy", "clang-format", "doxygen"})
# by language: the setup action, its major version that runs today, the oldest version of the language that runs with
# the profiler, and the version that is used instead of an older one
CURRENT = {
    "Python": ("python", 6, (3, 10), "3.13"),
    "Node": ("node", 6, (20,), "lts/*"),
    "Go": ("go", 6, (1, 21), "stable"),
    "Java": ("java", 5, (17,), "21"),
    "Rust": ("", 0, (0,), "stable"),
}
FINDERS: Mapping[str, Callable[[Files, str], Iterator[Candidate]]] = {
    "Python": python_candidates,
    "Go": go_candidates,
    "Node": node_candidates,
    "Rust": rust_candidates,
    "Java": java_candidates,
}
# the shell lines that prepare a checkout for a command that the user names
SETUPS: Mapping[str, Callable[[Files, str], tuple[str, ...]]] = {
    "Python": python_setup,
    "Go": lambda _, folder: within(folder, ["go mod download"]),
    "Node": node_setup,
    "Rust": lambda _, folder: within(folder, ["cargo build --release --bins --examples"]),
    "Java": java_setup,
    "native code": native_setup,
}
INPUT = re.compile(r"\bstdin\b(?!\s*=)|\bSystem\.in\b|\bstd::cin\b")


class Pattern(Record):
    """What the workflow takes over from the repository's own test job for a language.

    ``action`` installs the language with ``options``, or is "". ``setup`` prepares a checkout, and ``machine`` the
    runner.
    """

    action: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    setup: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()


class Project(Record):
    """Detected properties of a repository, the best guess of each list first. ``ours`` is a workflow with profgate."""

    recipes: tuple[Recipe, ...]
    workflows: tuple[str, ...]
    ours: str | None
    branch: str
    jobs: tuple[Mapping[Any, Any], ...]


def detected(files: Files) -> Project:
    """Detect the properties of a repository. The language with the most source files comes first."""
    import yaml

    marked = [recipe for recipe in RECIPES if any(map(files.projects, recipe.marks))]
    names = sorted([*files.listed(f"{WORKFLOWS}/*.yml"), *files.listed(f"{WORKFLOWS}/*.yaml")])
    # only scalars are read, so aliases are harmless
    workflows = [table_of(files.read(name), yaml.safe_load, yaml.YAMLError) for name in names]
    jobs = [job for workflow in workflows for job in entries(workflow.get("jobs"), dict)]
    return Project(
        recipes=tuple(sorted(marked, key=lambda recipe: -files.count(recipe.endings))),
        workflows=tuple(names),
        # workflows without push, such as dispatch.yml, record no baselines
        ours=next(
            (name for name in names if "push:" in files.read(name) and "profgate/profgate" in files.read(name)), None
        ),
        branch=base_branch(files.top) or "main",
        jobs=tuple(jobs),
    )


def candidates(files: Files, recipe: Recipe, under: str = ".", *, build: bool = False) -> list[Candidate]:
    """Return the commands of a language that can be recorded in a folder and below it, the best one first.

    The build system of native code is asked only if ``build`` is true.
    """
    folders = dict.fromkeys(chain.from_iterable(map(files.projects, recipe.marks)))
    below = [folder for folder in islice(folders, 200) if under == "." or f"{folder}/".startswith(f"{under}/")]
    if recipe.language == "native code":
        found = built_candidates(files) if build else iter(())
    else:
        found = chain.from_iterable(FINDERS[recipe.language](files, folder) for folder in below)
    return ranked(each for each in found if not _reads_input(files, each))


def _reads_input(files: Files, candidate: Candidate) -> bool:
    """Return whether a file of a benchmark reads the standard input, which is empty in a job."""
    words = f"{candidate.place} {candidate.command}".split() if candidate.kind is Kind.BENCHMARK else []
    return any(INPUT.search(files.read(path)) for word in words for path in (word, joined(candidate.folder, word)))


def pattern_of(project: Project, language: str) -> Pattern:
    """Return what the newest job that tests this language uses, by its setup action. Old versions are replaced."""
    name, major, oldest, instead = CURRENT.get(language, ("", 0, (0,), ""))
    action = f"actions/setup-{name}"
    using = [job for job in project.jobs if name and f"{action}@" in str(job.get("steps"))]
    job = max(using or project.jobs, key=lambda job: "test" in str(job.get("steps")), default={})
    modules = re.search(r"'submodules': '?(?:true|recursive)", str(job.get("steps")), re.IGNORECASE)
    setup = ("git submodule update --init --recursive",) if modules else ()
    if not using:  # a job without this language needs its packages for something else
        return Pattern(setup=setup, machine=() if name else _packages(job))
    # of the action and of the matrix, such as 'python-version': ['3.9', '3.13']
    stated = re.findall(rf"'{name}(?:[_-]?ver\w{{0,40}})?': (\[[^\]]*\]|'[^']*'|[\d.]+)", str(using), re.IGNORECASE)
    newest = max((tuple(map(int, each.split("."))) for each in VERSION.findall(" ".join(stated))), default=())
    options = {f"{name}-version": ".".join(map(str, newest)) if newest >= oldest else instead}
    return Pattern(f"{action}@v{major}", options, setup, _packages(job))


def _packages(job: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the line that installs the Debian packages which the job installs, but for tools that check the code."""
    text = "\n".join(str(step.get("run", "")) for step in entries(job.get("steps"), dict)).replace("\\\n", " ")
    words = " ".join(INSTALLED.findall(text)).split()
    found = [word for word in words if not word.startswith("-") and word not in CHECKERS]
    return (f"sudo apt-get update && sudo apt-get install -y {' '.join(found)}",) if found else ()
