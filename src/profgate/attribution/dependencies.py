"""Finds dependencies whose versions differ between the lock files of both sides."""

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator

from profgate.attribution.function_changes import texts_of
from profgate.attribution.grammars import language_of
from profgate.model.attribution import SourceDiff
from profgate.model.record import Record, field

_Versions = Iterable[tuple[str, str]]


class Dependencies(Record):
    """Changed versions (``name old → new``) by a prefix of paths or names."""

    moved: dict[str, str] = field(default_factory=dict)

    def of(self, name: str, file: str | None) -> str | None:
        """Return the name and both versions of a frame's package, or None if the package version did not change."""
        if not self.moved:
            return None
        starts: Iterable[str] = (name.partition("::")[0].lstrip("<"), name.rpartition("/")[0] or name.partition(".")[0])
        if file is not None:
            starts = _starts(file)
        return next((self.moved[start] for start in starts if start in self.moved), None)


def is_lock_file(path: str) -> bool:
    """Return whether a file specifies the exact versions of dependencies."""
    return _reader_of(path) is not None


def dependency_changes(diff: SourceDiff) -> Dependencies:
    """Return the packages whose versions differ between the sides of the lock files that can be read."""
    found = Dependencies()
    for changed in diff.files:
        read = _reader_of(changed.path)
        if read is None:
            continue
        before, after = texts_of(diff, changed)
        try:
            old, new = (None if text is None else dict(read(text)) for text in (before, after))
        except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
            old = new = None
        if old is None or new is None:
            continue
        for name in sorted(old.keys() | new.keys()):
            if old.get(name) != new.get(name):
                folder = name if "/" in name else re.sub(r"[-.]", "_", name.lower())
                versions = f"{name} {old.get(name, '(none)')} → {new.get(name, '(none)')}"
                found.moved.update({name: versions, folder: versions})
    return found


def _starts(file: str) -> Iterator[str]:
    """Yield the leading folders of a path, longest first, then the package folders without version suffixes."""
    parts = file.removesuffix(".py").split("/")
    for count in range(min(len(parts), 6), 0, -1):
        yield "/".join(parts[:count])
    for part in parts[:-1]:  # for example, the folders in a cargo registry have version suffixes
        if found := re.match(r"([\w-]+?)-\d+\.\d+", part):
            yield found[1]


def _requirements(text: str) -> _Versions:
    # ``name[extra] == 1.2``, the format of pip's requirements files
    found = re.findall(
        r"^[ \t]*+([A-Za-z0-9][\w.-]*+)(?:\[[^]\n]*+\])?[ \t]*+===?[ \t]*+([\w.+!-]+)", text, re.MULTILINE
    )
    return ((name.lower(), version) for name, version in found)


def _go(text: str) -> _Versions:
    # in go.sum, a version ends with /go.mod if the line has the hash of the module's go.mod only
    found = re.findall(
        r"^[ \t]*+(?:require[ \t]++)?((?=[\w~-]++\.)[\w.~-]++(?:/\S++)?)[ \t]++(v\d\S*)", text, re.MULTILINE
    )
    return ((name, version.removesuffix("/go.mod")) for name, version in found)


def _npm(text: str) -> _Versions:
    document = json.loads(text) if text.strip() else {}
    listed = document.get("packages", document.get("dependencies")) or {}
    for place, entry in listed.items():
        if place and isinstance(entry, dict):
            yield place.rpartition("node_modules/")[2], str(entry.get("version", ""))


def _toml(text: str) -> _Versions:
    # maximum number of dots in a line; URLs contain several dots
    if any(line.count(".") > 100 for line in text.splitlines()):
        raise ValueError("a key of so many parts would take tomllib a time that grows with their square")
    return ((str(entry["name"]), str(entry.get("version", ""))) for entry in tomllib.loads(text).get("package", []))


_READERS: dict[str, Callable[[str], _Versions]] = {
    **dict.fromkeys(("go.sum", "go.mod"), _go),
    **dict.fromkeys(("package-lock.json", "npm-shrinkwrap.json"), _npm),
    **dict.fromkeys(("cargo.lock", "poetry.lock", "uv.lock"), _toml),
}


def _reader_of(path: str) -> Callable[[str], _Versions] | None:
    name = path.rpartition("/")[2].lower()
    stem, _, suffix = name.rpartition(".")
    if suffix in {"txt", "lock", "in"} and ("requirements" in stem or stem.startswith("constraints")):
        return _requirements
    return _READERS.get(name)


def wanted_texts(diff: SourceDiff) -> tuple[list[str], list[str]]:
    """Return two lists with the paths of the sources and lock files to read on each side, at most 200 paths each."""
    files = [file for file in diff.files if language_of(file.path) is not None or is_lock_file(file.path)][:200]
    before = [file.previous_path for file in files if file.status != "added"]
    return before, [file.path for file in files if file.status != "removed"]
