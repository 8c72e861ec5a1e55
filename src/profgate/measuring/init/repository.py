"""Detection of the languages, workflows, runners and branches of a repository."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
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
    subtable,
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

WORKFLOWS = ".github/workflows"
RUNNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")
HOSTED = "ubuntu-latest"
VERSION = re.compile(r"(?<![\w.-])\d{1,3}(?:\.\d{1,3}){0,2}(?=\.x|[^\w.-]|$)")
OTHER = re.compile(r"windows|macos|ubuntu-(?:16|18|20)", re.IGNORECASE)  # GitHub no longer has the last three
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
SETUPS: Mapping[str, Callable[[Files, str], tuple[str, ...]]] = {
    "Python": python_setup,
    "Node": node_setup,
    "Java": java_setup,
    "native code": native_setup,
}
INPUT = re.compile(r"\bstdin\b(?!\s*=)|\bSystem\.in\b|\bstd::cin\b")


@dataclass(frozen=True, slots=True)
class Pattern:
    """What the workflow takes over from the repository's own test job for a language.

    ``action`` installs the language with ``options``, or is "". ``setup`` prepares a checkout, and ``machine`` the
    runner.
    """

    action: str = ""
    options: Mapping[str, str] = field(default_factory=dict)
    services: Mapping[str, Any] = field(default_factory=dict)
    setup: tuple[str, ...] = ()
    machine: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Project:
    """Detected properties of a repository, the best guess of each list first. ``ours`` is a workflow with profgate."""

    recipes: tuple[Recipe, ...]
    workflows: tuple[str, ...]
    ours: str | None
    runner: tuple[str, ...]
    branch: str
    jobs: tuple[Mapping[Any, Any], ...]


def detected(files: Files) -> Project:
    """Detect the properties of a repository. The language with the most source files comes first."""
    import yaml

    marked = [recipe for recipe in RECIPES if any(map(files.projects, recipe.marks))]
    names = sorted([*files.listed(f"{WORKFLOWS}/*.yml"), *files.listed(f"{WORKFLOWS}/*.yaml")])
    ours, jobs, pushed = None, list[dict[Any, Any]](), list[str]()
    for name in names:
        text = files.read(name)
        if ours is None and "profgate/profgate" in text:
            ours = name
        # only scalars are read, so aliases are harmless
        workflow: dict[Any, Any] = table_of(text, yaml.safe_load, yaml.YAMLError)
        jobs += entries(workflow.get("jobs"), dict)
        triggers = {"on": workflow.get("on", workflow.get(True))}  # YAML 1.1 parses an unquoted on as true
        pushed += entries(subtable(triggers, "on", "push").get("branches"), str)
    branches = filter(BRANCH.fullmatch, filter(None, [base_branch(files.top), *pushed, "main"]))
    runners = Counter(filter(None, map(_runner, jobs)))
    return Project(
        recipes=tuple(sorted(marked, key=lambda recipe: -files.count(recipe.endings))),
        workflows=tuple(names),
        ours=ours,
        runner=max(runners, key=runners.__getitem__, default=(HOSTED,)),
        branch=next(branches),
        jobs=tuple(jobs),
    )


def candidates(files: Files, recipe: Recipe, under: str = ".", *, build: bool = False) -> list[Candidate]:
    """Return the commands of a language that can be recorded in a folder and below it, the best one first.

    The build system of native code is asked only if ``build`` is true.
    """
    if recipe.language == "native code":
        return ranked(each for each in built_candidates(files) if not _reads_input(files, each)) if build else []
    folders = dict.fromkeys(chain.from_iterable(map(files.projects, recipe.marks)))
    found = list[Candidate]()
    for folder in islice(folders, 200):
        if under == "." or f"{folder}/".startswith(f"{under}/"):
            found += FINDERS[recipe.language](files, folder)
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
    job = max(using or project.jobs, key=_tests, default={})
    if not using:  # a job without this language needs its services and packages for something else
        return Pattern(setup=_submodules(job), machine=() if name else _packages(job))
    # of the action and of the matrix, such as 'python-version': ['3.9', '3.13']
    stated = re.findall(rf"'[\w-]{{0,40}}{name}[\w-]{{0,40}}': (\[[^\]]*\]|'[^']*'|[\d.]+)", str(using))
    newest = max((tuple(map(int, each.split("."))) for each in VERSION.findall(" ".join(stated))), default=())
    options = {f"{name}-version": ".".join(map(str, newest)) if newest >= oldest else instead}
    options |= {"distribution": "temurin"} if name == "java" else {}
    return Pattern(f"{action}@v{major}", options, _services(job), _submodules(job), _packages(job))


def _runner(job: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the runner labels of a job, or () for expressions, retired runners and systems other than Linux."""
    labels: list[Any] = value if isinstance(value := job.get("runs-on"), list) else [value]
    usable = [isinstance(label, str) and RUNNER.fullmatch(label) and not OTHER.match(label) for label in labels]
    return tuple(labels) if all(usable) else ()


def _tests(job: Mapping[Any, Any]) -> tuple[bool, bool]:
    """Return whether a job contains the word "test", and whether it runs on Linux."""
    return "test" in str(job.get("steps")), _runner(job) != ()


def _services(job: Mapping[Any, Any]) -> dict[str, Any]:
    """Return the service containers of a job, unless they use expressions or credentials."""
    services = subtable(job, "services")
    known = {"image", "env", "ports", "options"}
    valid = all(isinstance(each, dict) and each.keys() <= known for each in services.values())
    named = all(RUNNER.fullmatch(str(name)) for name in services)
    plain = not re.search(r"\$\{\{|\.\.\.", text := str(services)) and len(text) <= 5000  # str writes ... for a cycle
    return dict(json.loads(json.dumps(services, default=str))) if valid and named and plain else {}


def _submodules(job: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the line that checks out the submodules, if the job does so."""
    found = re.search(r"'submodules': '?(true|recursive)", str(job.get("steps")), re.IGNORECASE)
    how = " --recursive" if found and found[1].lower() == "recursive" else ""
    return (f"git submodule update --init{how}",) if found else ()


def _packages(job: Mapping[Any, Any]) -> tuple[str, ...]:
    """Return the line that installs the Debian packages which the job installs, but for tools that check the code."""
    found = list[str]()
    for step in entries(job.get("steps"), dict):
        for words in INSTALLED.findall(str(step.get("run", "")).replace("\\\n", " ")):
            found += [word for word in words.split() if not word.startswith("-") and word not in CHECKERS]
    return (f"sudo apt-get update && sudo apt-get install -y {' '.join(found)}",) if found else ()


def default_setup(files: Files, language: str, folder: str) -> tuple[str, ...]:
    """Return shell lines that prepare a checkout for a command that the user names."""
    lines = {"Go": ("go mod download",), "Rust": ("cargo build --release --bins --examples",)}
    return SETUPS[language](files, folder) if language in SETUPS else within(folder, lines.get(language, ()))
