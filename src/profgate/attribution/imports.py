"""Finds the files that a program can load, from the names of files in the texts of others.

A file can load another file only if its text contains the name of that file. This finds more files than are imported,
because a word can also mean something else, but it needs no rules by which a language searches for modules.
"""

from __future__ import annotations

import json
import posixpath
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping

from profgate.attribution.grammars import language_of
from profgate.attribution.reach import SCRIPTS
from profgate.model.record import Record

LANGUAGES = SCRIPTS | {"python", "go"}
PACKAGE = "package.json"  # names the file that is loaded for its folder
# files that Python loads with every file below their folder
_WITH_FOLDER = ("__init__.py", "conftest.py")
_FOLDERS = frozenset({"index", "package", "__init__", "__main__"})  # files that are loaded by the name of their folder
# names by which Python and its own modules load a file even if no file of the repository mentions it
_OF_PYTHON = sys.stdlib_module_names | {"sitecustomize", "usercustomize"}
_WORD = re.compile(r"\w+")
_PATH = re.compile(r"(?<=[/'\"`])([\w$.@+-]+)/?(?=['\"`])")  # the last part of a path in quotes
_NPM = re.compile(r"['\"`](?:@[\w.-]+/)?([\w.-]+)['\"`]")  # a package, in whose own files too
WORD, NPM = "word ", "npm "  # mark the first word of a name that is no word, and the name of a package
# modules can be loaded by names that are computed
_COMPUTED_SCRIPT = re.compile(
    r"\b(?:require|import)[ \t\n]*\((?![ \t\n]*(?:'[^'\n]*'|\"[^\"\n]*\")[ \t\n]*[,)])"
    r"|[=(,:][ \t]*require[ \t]*[;),\n}]|\b(?:require\.context|import\.meta\.glob|createRequire|eval|new Function)\b"
    r"|['\"](?:node:)?vm['\"]"
)
_COMPUTED = {
    "python": re.compile(r"\b(?:importlib(?!\.(?:metadata|resources)\b)|pkgutil|runpy|imp|__import__|exec|eval)\b"),
    "go": re.compile(r'"plugin"'),
    **dict.fromkeys(SCRIPTS, _COMPUTED_SCRIPT),
}


class Closure(Record):
    """The files that can be loaded, and one of them that loads modules by computed names, or None."""

    files: frozenset[str]
    computed: str | None


class Imports:
    """The files of a repository that can load each other: sources in `LANGUAGES`, and manifests of npm packages."""

    def __init__(self, texts: Mapping[str, Iterable[str]]) -> None:
        """``texts`` contains the texts of each file by path, one for each version of the file."""
        self._texts = texts
        self._by_name = defaultdict[str, set[str]](set)
        for path in texts:
            for name in _names_of(path).union(*map(_package_name, texts[path] if path.endswith(PACKAGE) else ())):
                self._by_name[name].add(path)

    def closure(self, start: Iterable[str]) -> Closure:
        """Return these files and all files that they load, directly or not."""
        found, waiting = set[str](), [path for path in start if path in self._texts]
        while waiting:
            path = waiting.pop()
            if path in found:
                continue
            found.add(path)
            names = set[str]()
            for text in self._texts[path]:
                pattern = _COMPUTED.get(language_of(path) or "")
                if pattern is not None and pattern.search(text):
                    return Closure(frozenset(found), path)
                names |= _mentioned(path, text)
            waiting += [other for name in names for other in self._by_name.get(name, ())]
            waiting += [other for other in self._beside(path) if other in self._texts]
        return Closure(frozenset(found), None)

    def _beside(self, path: str) -> Iterable[str]:
        """Yield the files that are loaded with a file because of their folders."""
        folder, language = posixpath.dirname(path), language_of(path)
        if language == "go":  # the folder of the top package may have any name
            for other in self._by_name[_folder_name(path)] | self._by_name[""]:
                if posixpath.dirname(other) in {folder, ""}:
                    yield other
        while language == "python":
            yield from (posixpath.join(folder, name) for name in _WITH_FOLDER)
            if not folder:
                break
            folder = posixpath.dirname(folder)


def is_graphed(path: str) -> bool:
    """Return whether a file belongs to `Imports`."""
    return language_of(path) in LANGUAGES or posixpath.basename(path) == PACKAGE


def replaces_module(path: str) -> bool:
    """Return whether a new file may be loaded in place of a module of Python itself."""
    return language_of(path) == "python" and not _OF_PYTHON.isdisjoint(_names_of(path))


def _folder_name(path: str) -> str:
    return posixpath.basename(posixpath.dirname(path))


def _names_of(path: str) -> set[str]:
    """Return the names by which other files can load a file: its name without suffixes, or that of its folder."""
    stem, folder = _stem(posixpath.basename(path)), _folder_name(path)
    if language_of(path) == "go":  # the last part of an import path may be a version, such as v2
        return {folder, _folder_name(posixpath.dirname(path))}
    names = {stem, folder} if stem in _FOLDERS else {stem}
    return names | {f"{WORD}{word[0]}" for name in names if (word := _WORD.search(name)) and word[0] != name}


def _stem(name: str) -> str:
    return name.strip(".").partition(".")[0]


def _package_name(text: str) -> set[str]:
    """Return the name by which the files of an npm package can load the package itself."""
    try:
        return {f"{NPM}{str(json.loads(text)['name']).rpartition('/')[2]}"}
    except (ValueError, TypeError, LookupError, RecursionError):
        return set()


def _mentioned(path: str, text: str) -> set[str]:
    if language_of(path) == "python":
        words = set(_WORD.findall(text))
        return words | {f"{WORD}{word}" for word in words}
    parts = _PATH.findall(text)
    names = {_stem(part) for part in parts} | {f"{NPM}{name}" for name in _NPM.findall(text)}
    return names | _FOLDERS if any(not part.strip(".") for part in parts) else names
