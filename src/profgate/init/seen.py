"""What a repository shows of itself: its language, its commands, what installs it, and what its workflows run on."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from profgate.errors import ProfgateError
from profgate.init.commands import COMMANDS, Found, installation
from profgate.init.recipes import RECIPES, Recipe
from profgate.io.files import exists, read_loosely, sources_under
from profgate.io.git import base_branch

WORKFLOWS = ".github/workflows"
LARGEST_FILE = 1 << 20
MOST_FILES = 500
SKIPPED = frozenset({"node_modules", "vendor", "third_party", "target", "build", "dist"})
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
        """The name of its version."""
        return f"{self.uses.partition('@')[0].removeprefix('actions/setup-')}-version"


@dataclass(frozen=True, slots=True)
class Seen:
    """What there is to see; the first of each list is the best guess."""

    recipes: tuple[Recipe, ...]
    workflows: tuple[str, ...]
    ours: str | None
    runners: tuple[tuple[str, ...], ...]
    setups: tuple[SetupStep, ...]
    branches: tuple[str, ...]


class Repository:
    """The files below a folder, read as text and never further than they help."""

    def __init__(self, top: str) -> None:
        self.top = top

    def read(self, name: str) -> str:
        """The text of a file; empty where there is none, or one that is too large or unreadable."""
        place = os.path.join(self.top, *name.split("/"))  # noqa: PTH118 - commands pass plain paths
        try:
            return read_loosely(place, LARGEST_FILE) if exists(place) else ""
        except ProfgateError:
            return ""

    def listed(self, pattern: str) -> list[str]:
        """The paths that fit, from the top; none where the folder cannot be listed."""
        pattern = pattern.removeprefix("./")
        folder = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0]
        try:
            found = sources_under(os.path.join(self.top, *pattern.split("/")))  # noqa: PTH118 - as above
        except ProfgateError:
            return []
        names = [f"{folder}/{one.name}".lstrip("/") for one in found]
        return [name for name in names if not SKIPPED & set(name.split("/"))][:MOST_FILES]

    def commands(self, recipe: Recipe) -> list[Found]:
        """The commands of a language."""
        return COMMANDS[recipe.language](self.read, self.listed)

    def installation(self, recipe: Recipe, needs: Sequence[str]) -> list[str]:
        """The lines that install what it and the command need."""
        return installation(recipe.language, self.read, needs)


def seen_in(repository: Repository) -> Seen:
    """What the folder shows."""
    top = repository.top
    recipes = [one for one in RECIPES if any(exists(os.path.join(top, mark)) for mark in one.marks)]  # noqa: PTH118
    names = sorted([*repository.listed(f"{WORKFLOWS}/*.yml"), *repository.listed(f"{WORKFLOWS}/*.yaml")])
    texts = {name: repository.read(name) for name in names}
    parsed = [_parsed(text) for text in texts.values()]
    jobs = [job for one in parsed for job in _maps(one.get("jobs"))]
    branches = [base_branch(top), *(branch for one in parsed for branch in _pushed(one)), "main"]
    return Seen(
        recipes=tuple(recipes),
        workflows=tuple(names),
        ours=next((name for name, text in texts.items() if "profgate/profgate@" in text), None),
        runners=tuple(_by_number([runner for job in jobs if (runner := _runner(job.get("runs-on")))])),
        setups=tuple(_by_number([step for job in jobs for step in _setups(job.get("steps"))])),
        branches=tuple(dict.fromkeys(one for one in branches if one and BRANCH.fullmatch(one))),
    )


def _parsed(text: str) -> dict[Any, Any]:
    """A workflow, empty where it is none; only plain values are looked at, so that aliases cannot grow."""
    import yaml

    try:
        value = yaml.safe_load(text)
    except (yaml.YAMLError, RecursionError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}


def _maps(value: object) -> list[dict[Any, Any]]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [one for one in inside if isinstance(one, dict)]


def _runner(value: object) -> tuple[str, ...]:
    """The labels of a Linux runner, which the action needs; empty where they are reckoned or of another system."""
    given = value if isinstance(value, list) else [value]
    words = [one for one in given if isinstance(one, str) and RUNNER.fullmatch(one)]
    if len(words) < len(given):
        return ()
    foreign = any(one.lower().startswith(("windows", "macos")) for one in words)
    return () if foreign else tuple(words)


def _setups(steps: object) -> Iterator[SetupStep]:
    for step in _maps(steps):
        uses, given = step.get("uses"), step.get("with")
        named = SETUP.fullmatch(uses) if isinstance(uses, str) else None
        version = str(given.get(f"{named[1]}-version", "")) if named and isinstance(given, dict) else ""
        if named and VERSION.fullmatch(version):
            yield SetupStep(named[0], version)


def _pushed(workflow: dict[Any, Any]) -> list[str]:
    """The branches whose pushes run a workflow; YAML 1.1 reads a bare ``on`` as true."""
    events = workflow.get("on", workflow.get(True))
    push = events.get("push") if isinstance(events, dict) else None
    branches = push.get("branches") if isinstance(push, dict) else None
    return [one for one in branches if isinstance(one, str)] if isinstance(branches, list) else []


def _by_number(found: Sequence[Any]) -> list[Any]:
    """Each once, the most frequent first."""
    return [one for one, _ in Counter(found).most_common()]
