"""Which packages a change moves to another version, read from the lock files of both sides."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from profgate.attribute.function_changes import sides_of
from profgate.model.attribution import SourceDiff

MOST_NAMED = 5
MOST_DOTS = 100  # in a line; addresses have some, keys have few
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.-]*)(?:\[[^\]]*\])?\s*===?\s*([\w.+!-]+)", re.MULTILINE)
_GO_MODULE = re.compile(r"^\s*(?:require\s+)?([\w.~-]+\.[\w.~-]+/\S+|[\w.-]+\.\w+)\s+(v\d\S*)", re.MULTILINE)
Versions = dict[str, str]


@dataclass(frozen=True, slots=True)
class Dependencies:
    """Packages by the first part of the paths or names their functions have, each with ``name old → new``.

    ``unread`` are lock files whose versions are not known on both sides.
    """

    moved: dict[str, str]
    unread: tuple[str, ...] = ()

    def of(self, name: str, file: str | None) -> str | None:
        """The package a frame belongs to, in words; None where it is none of those that moved."""
        if not self.moved:
            return None
        if file is not None:
            return next((self.moved[start] for start in _starts(file) if start in self.moved), None)
        words = (name.partition("::")[0].lstrip("<"), name.rpartition("/")[0] or name.partition(".")[0])
        return next((self.moved[word] for word in words if word in self.moved), None)


def is_lock_file(path: str) -> bool:
    """Whether a file says which versions of packages a build takes."""
    return _reader_of(path) is not None


def dependency_changes(diff: SourceDiff) -> Dependencies:
    """The packages whose versions differ between the sides of the diff."""
    moved: dict[str, str] = {}
    unread = []
    for changed in diff.files:
        read = _reader_of(changed.path)
        if read is None:
            continue
        before, after = sides_of(diff, changed)
        try:
            old, new = (None if text is None else dict(read(text)) for text in (before, after))
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            old = new = None
        if old is None or new is None:
            unread.append(changed.path)
            continue
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                said = f"{name} {old.get(name, '(none)')} → {new.get(name, '(none)')}"
                moved |= dict.fromkeys(_names(name), said)
    return Dependencies(moved, tuple(unread))


def _names(name: str) -> tuple[str, ...]:
    """A package's name and what its folder is most often called."""
    return name, re.sub(r"[-.]", "_", name.lower()) if "/" not in name else name


def _starts(file: str) -> Iterator[str]:
    """The first folders of a path, the longest first, each as it is and without a version behind it."""
    parts = file.removesuffix(".py").split("/")
    for count in range(min(len(parts), 6), 0, -1):
        start = "/".join(parts[:count])
        yield start
    for part in parts[:-1]:  # below a cargo registry the version stands in the folder's name
        yield from (found[1] for found in [re.match(r"([\w-]+?)-\d+\.\d+", part)] if found)


def _requirements(text: str) -> Iterator[tuple[str, str]]:
    yield from ((found[1].lower(), found[2]) for found in _REQUIREMENT.finditer(text))


def _go(text: str) -> Iterator[tuple[str, str]]:
    yield from ((found[1], found[2].removesuffix("/go.mod")) for found in _GO_MODULE.finditer(text))


def _npm(text: str) -> Iterator[tuple[str, str]]:
    document = json.loads(text) if text.strip() else {}
    for place, entry in _mapping(document.get("packages")).items():
        if place and isinstance(entry, dict):
            yield place.rpartition("node_modules/")[2], str(entry.get("version", ""))
    if "packages" not in document:
        for name, entry in _mapping(document.get("dependencies")).items():
            if isinstance(entry, dict):
                yield name, str(entry.get("version", ""))


def _toml(text: str) -> Iterator[tuple[str, str]]:
    if any(line.count(".") > MOST_DOTS for line in text.splitlines()):
        raise ValueError("a key of so many parts would take tomllib a time that grows with their square")
    packages = tomllib.loads(text).get("package", [])
    for entry in packages if isinstance(packages, list) else []:
        yield str(entry["name"]), str(entry.get("version", ""))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _reader_of(path: str) -> Callable[[str], Iterator[tuple[str, str]]] | None:
    name = path.rpartition("/")[2].lower()
    if re.fullmatch(r"(?:[\w.-]*requirements[\w.-]*|constraints[\w.-]*)\.(?:txt|lock|in)", name):
        return _requirements
    known = {
        "go.sum": _go,
        "go.mod": _go,
        "package-lock.json": _npm,
        "npm-shrinkwrap.json": _npm,
        "cargo.lock": _toml,
        "poetry.lock": _toml,
        "uv.lock": _toml,
    }
    return known.get(name)
