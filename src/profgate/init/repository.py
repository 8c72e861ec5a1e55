"""Detection of the languages, workflows, runners and branches of a repository."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from profgate.init.recipes import RECIPES, Recipe
from profgate.init.repository_files import Files
from profgate.io.git import base_branch

WORKFLOWS = ".github/workflows"
RUNNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,200}")
VERSION = re.compile(r"[0-9][0-9A-Za-z.*-]{0,30}|stable|lts/\*")
SETUP = re.compile(r"actions/setup-(python|node|go)@[A-Za-z0-9._-]{1,60}")
HOSTED = "ubuntu-latest"


@dataclass(frozen=True, slots=True)
class SetupStep:
    """A step of an existing workflow that installs a language, such as ``actions/setup-python@v5``."""

    uses: str
    version: str

    @property
    def option(self) -> str:
        """Name of the action input that selects the language version."""
        return f"{self.uses.partition('@')[0].removeprefix('actions/setup-')}-version"


@dataclass(frozen=True, slots=True)
class Project:
    """Detected properties of a repository.

    The first entry of each list is the best guess. ``ours`` is the path of a workflow that already uses profgate.
    """

    recipes: tuple[Recipe, ...]
    workflows: tuple[str, ...]
    ours: str | None
    runners: tuple[tuple[str, ...], ...]
    setups: tuple[SetupStep, ...]
    branches: tuple[str, ...]


def detected(files: Files) -> Project:
    """Detect the properties of a repository."""
    recipes = [recipe for recipe in RECIPES if any(map(files.listed, recipe.marks))]
    names = sorted([*files.listed(f"{WORKFLOWS}/*.yml"), *files.listed(f"{WORKFLOWS}/*.yaml")])
    texts = {name: files.read(name) for name in names}
    parsed = [_parsed(text) for text in texts.values()]
    jobs = [job for workflow in parsed for job in _maps(workflow.get("jobs"))]
    branches = [base_branch(files.top), *(branch for workflow in parsed for branch in _pushed(workflow)), "main"]
    return Project(
        recipes=tuple(recipes),
        workflows=tuple(names),
        ours=next((name for name, text in texts.items() if "profgate/profgate@" in text), None),
        runners=tuple(_most_frequent([runner for job in jobs if (runner := _runner(job.get("runs-on")))])),
        setups=tuple(_most_frequent([step for job in jobs for step in _setups(job.get("steps"))])),
        branches=tuple(dict.fromkeys(name for name in branches if name and BRANCH.fullmatch(name))),
    )


def _parsed(text: str) -> dict[Any, Any]:
    """Parse a workflow. The result is empty if the workflow is invalid.

    Aliases cannot exhaust memory, because callers read only scalars.
    """
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _maps(value: object) -> list[dict[Any, Any]]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [entry for entry in inside if isinstance(entry, dict)]


def _runner(value: object) -> tuple[str, ...]:
    """Return the runner labels, or () for expressions and systems other than Linux. The action requires Linux."""
    given = value if isinstance(value, list) else [value]
    labels = [label for label in given if isinstance(label, str) and RUNNER.fullmatch(label)]
    if len(labels) < len(given):
        return ()
    foreign = any(label.lower().startswith(("windows", "macos")) for label in labels)
    return () if foreign else tuple(labels)


def _setups(steps: object) -> Iterator[SetupStep]:
    for step in _maps(steps):
        uses, given = step.get("uses"), step.get("with")
        named = SETUP.fullmatch(uses) if isinstance(uses, str) else None
        version = str(given.get(f"{named[1]}-version", "")) if named and isinstance(given, dict) else ""
        if named and VERSION.fullmatch(version):
            yield SetupStep(named[0], version)


def _pushed(workflow: dict[Any, Any]) -> list[str]:
    """Return the branches whose pushes trigger a workflow.

    YAML 1.1 parses an unquoted ``on`` as true, so the key may be true instead of ``on``.
    """
    events = workflow.get("on", workflow.get(True))
    push = events.get("push") if isinstance(events, dict) else None
    branches = push.get("branches") if isinstance(push, dict) else None
    return [name for name in branches if isinstance(name, str)] if isinstance(branches, list) else []


def _most_frequent(found: Sequence[Any]) -> list[Any]:
    """Return the entries without duplicates, with the most frequent entries first."""
    return [entry for entry, _ in Counter(found).most_common()]
