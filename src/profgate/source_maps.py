"""Adds the sources that source maps contain to profiles of built JavaScript.

This happens in the job that recorded the profile, because only this job has the output of the build. Afterwards, the
profile contains both the functions of the script and their sources, so it can be stored as a baseline.
"""

import base64
import binascii
import contextlib
import json
import os
import posixpath
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import unquote, unquote_to_bytes

from profgate.errors import ProfgateError, ProfileError
from profgate.io.files import confined, read_stored
from profgate.model.source import SourceFile, source_of
from profgate.model.visible_text import cut
from profgate.readers.builders import MAX_LINE
from profgate.readers.containers import MAX_BYTES, is_wrapped, read_all, unwrap
from profgate.readers.cpuprofile import NAMELESS, NOTES, SOURCE, CpuprofileReader, path_of
from profgate.readers.firefox import SYMBOLS, FirefoxReader
from profgate.readers.heapprofile import HeapprofileReader
from profgate.readers.source_map import LARGEST, BuiltScript, ScriptFunction, SourceMap, read_source_map

LONGEST_PATH = 500  # in characters
COMMENT = b"sourceMappingURL="
MOST_BYTES = 64 << 20  # of all scripts and source maps together, because they stay in memory
_SYMBOLS = ".syms.json"
_SCHEME = re.compile(r"[A-Za-z][\w+.-]+:")  # a single letter is a drive
_WEBPACK = re.compile(r"webpack://[^/]*/(?:\./)?(.+)")
Call = dict[str, Any]


def with_sources(files: Iterable[SourceFile], folder: str | None = None) -> list[SourceFile]:
    """Add the sources of functions to V8's profiles and symbols to samply's, and return all profiles.

    ``folder`` is the checkout that contains the scripts and their source maps, by default that of the current folder.
    Files outside of it are not read, and nothing is downloaded. If a source map cannot be used, the profile gets a
    warning.
    """
    scripts, files = _Scripts(folder), _with_symbols(list(files))
    return [scripts.added_to(file) if _has_calls(file) else file for file in files]


def _has_calls(file: SourceFile) -> bool:
    readers = CpuprofileReader(), HeapprofileReader()
    return not is_wrapped(file) and any(reader.recognizes(file) for reader in readers)


def _with_symbols(files: list[SourceFile]) -> list[SourceFile]:
    """Add the symbols in files such as ``a.syms.json`` to samply's profiles beside them, such as ``a.json``."""
    beside = {file.name.removesuffix(_SYMBOLS): file for file in files if file.name.endswith(_SYMBOLS)}
    named: dict[str, SourceFile | None] = {}
    for file in files:
        symbols = beside.get(posixpath.splitext(file.name)[0])
        if symbols is None or symbols is file:
            continue
        with contextlib.suppress(ProfileError):  # a damaged file stays as it is, and its reader reports the damage
            profile = unwrap(file)
            if FirefoxReader().recognizes(profile):
                begin = read_all(profile).rstrip().removesuffix(b"}")
                data = begin + f', "{SYMBOLS}": '.encode() + read_all(unwrap(symbols)) + b"}"
                named[file.name], named[symbols.name] = source_of(file.name, data), None
    replaced = [named.get(file.name, file) for file in files]
    return [file for file in replaced if file is not None]


class _Build(NamedTuple):
    """A script and its source map. ``folder`` contains the source map, relative to the checkout."""

    script: BuiltScript
    source_map: SourceMap
    folder: str


class _Scripts:
    """The scripts of a checkout, each of which is read once, whatever addresses profiles give it."""

    def __init__(self, folder: str | None) -> None:
        self._given = folder
        self._left = MOST_BYTES
        self._builds: dict[str, _Build | str | None] = {}
        self._scripts: dict[str, _Script | str | None] = {}

    @cached_property
    def _folder(self) -> str:
        from profgate.io.git import local_checkout  # imported only if there is a profile of JavaScript

        return self._given or (local_checkout() or (".",))[0]

    def added_to(self, file: SourceFile) -> SourceFile:
        document = _document(file)
        notes, changed = [], False
        for url, calls in _calls_by_url(document).items():
            if url not in self._scripts:
                self._scripts[url] = self._script_at(url)
            script = self._scripts[url]
            note = script.add_to(calls) if isinstance(script, _Script) else script
            notes += [f"source map not used: {note}"] * bool(note)
            changed |= script is not None
        if not changed:
            return file
        document[NOTES] = notes
        return source_of(file.name, json.dumps(document, separators=(",", ":")).encode())

    def _script_at(self, url: str) -> "_Script | str | None":
        """Return a script with a source map, the reason why the map cannot be used, or None if there is no map."""
        recorded = path_of(url)
        if not recorded or _SCHEME.match(recorded) or "/node_modules/" in recorded:
            return None
        path = _file_in(self._folder, recorded)
        if path is None:
            return None
        if path not in self._builds:
            self._builds[path] = self._build_of(path)
        build = self._builds[path]
        if not isinstance(build, _Build):
            return build
        return _Script(path, recorded.removesuffix(path).rstrip("/"), self._folder, build)

    def _build_of(self, path: str) -> _Build | str | None:
        try:
            text = self._content_of(path)
            place, data = self._map_of(path, text)
            if data is None:
                return None
            source_map = read_source_map(data, place)
        except ProfgateError as error:
            return str(error)
        return _Build(BuiltScript(text.decode(errors="replace"), source_map), source_map, posixpath.dirname(place))

    def _map_of(self, path: str, text: bytes) -> tuple[str, bytes | None]:
        """Return the path and the content of the source map of a script, or None as content if it has none.

        Raises ProfgateError if the map cannot be read.
        """
        place = text.rfind(COMMENT)
        reference = ""
        if text[max(0, place - 4) : max(0, place)] in (b"//# ", b"//@ "):
            words = text[place + len(COMMENT) :].split(None, 1)
            if words and words[0].startswith(b"data:"):
                return path, _decoded(words[0], path)
            reference = words[0].decode(errors="replace") if words else ""
        if _SCHEME.match(reference) or reference.startswith("//"):
            raise ProfgateError(path, f"its source map is at {cut(reference, LONGEST_PATH)}, which is not downloaded")
        name = unquote(reference.partition("?")[0])
        place_of_map = posixpath.normpath(posixpath.join(posixpath.dirname(path), name)) if name else f"{path}.map"
        if _is_inside(self._folder, place_of_map):
            return place_of_map, self._content_of(place_of_map)
        if name:
            raise ProfgateError(path, f"its source map {cut(name, LONGEST_PATH)} is not in the checkout")
        return place_of_map, None

    def _content_of(self, name: str) -> bytes:
        """Return the content of a file. Raises ProfgateError if it cannot be read, or if all files are too large."""
        data = _content_of(self._folder, name, LARGEST) if self._left > 0 else b""
        self._left -= len(data)
        if self._left <= 0:
            what = f"not read, because all scripts and source maps have more than {MOST_BYTES:,} bytes"
            raise ProfgateError(name, f"{what}; record fewer scripts in one job")
        return data


class _Script:
    """A script of the checkout in ``folder``.

    Paths of files are relative to the checkout, and ``root`` is the path of the checkout in the profile.
    """

    def __init__(self, path: str, root: str, folder: str, build: _Build) -> None:
        self._path, self._root, self._folder = path, root, folder
        self._script, self._map, self._map_folder = build
        self._files: dict[int, str | None] = {}

    def add_to(self, calls: Sequence[Call]) -> str:
        """Add the sources of functions, and return "", or the reason why the source map belongs to another build."""
        functions = [ScriptFunction(call["functionName"], call["lineNumber"], call["columnNumber"]) for call in calls]
        if not self._script.contains(functions):
            return f"{self._path} was built again after this recording; measure both versions with profgate measure"
        for call, function in zip(calls, functions, strict=True):
            origin = self._script.origin(function)
            file = None if origin is None else self._file(origin.source)
            if origin is not None and file is not None:
                call[SOURCE] = {
                    "name": origin.name or NAMELESS,
                    "file": file,
                    "line": origin.line,
                    "script": self._path,
                }
        return ""

    def _file(self, number: int) -> str | None:
        """Return a source as a path in the checkout, or None if it is outside or belongs to a package."""
        if number not in self._files:
            source = self._map.sources[number].partition("?")[0]
            path = self._path_of(self._map.root + source) if source else None
            usable = path is not None and path.isprintable() and len(path) <= LONGEST_PATH
            self._files[number] = path if usable and "node_modules" not in f"{path}".split("/") else None
        return self._files[number]

    def _path_of(self, source: str) -> str | None:
        if found := _WEBPACK.fullmatch(source):
            return self._below_package(posixpath.normpath(found[1]))
        source = path_of(source)
        if _SCHEME.match(source):
            return None
        path = posixpath.normpath(posixpath.join(self._root, self._map_folder, source))
        path = path.removeprefix(f"{self._root}/") if self._root else path
        return None if path.startswith(("/", "../")) else path

    def _below_package(self, name: str) -> str | None:
        """Return the path of a file that webpack names relative to the folder of the package."""
        folder = self._path
        while folder and not name.startswith(("/", "../")):
            folder = posixpath.dirname(folder)
            if _is_inside(self._folder, path := posixpath.join(folder, name)):
                return path
        return None


def _decoded(url: bytes, path: str) -> bytes:
    """Return the content of a data URL."""
    header, _, content = url.partition(b",")
    try:
        return base64.b64decode(content) if header.endswith(b";base64") else unquote_to_bytes(content)
    except binascii.Error as error:
        raise ProfgateError(path, f"has a damaged source map ({error}); build it again") from None


def _document(file: SourceFile) -> Call:
    """Return the JSON object in a file, or {} if it is damaged, which the reader reports."""
    data = file.read(MAX_BYTES)
    try:
        document = json.loads(data) if len(data) <= MAX_BYTES else None
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _calls_by_url(document: Call) -> dict[str, list[Call]]:
    """Return the valid call frames without a source, by the URL of their script."""
    nodes = document.get("nodes")
    found: dict[str, list[Call]] = {}
    waiting = list(nodes) if isinstance(nodes, list) else [document.get("head")]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, dict):
            continue
        call, below = node.get("callFrame"), node.get("children")
        waiting += below if isinstance(below, list) else []  # nodes of heap profiles, numbers of nodes in others
        if isinstance(call, dict) and SOURCE not in call and isinstance(call.get("functionName"), str):
            position = [call.get("lineNumber"), call.get("columnNumber")]
            if isinstance(call.get("url"), str) and all(type(one) is int and 0 <= one < MAX_LINE for one in position):
                found.setdefault(call["url"], []).append(call)
    return dict(islice(found.items(), 10_000))


def _file_in(folder: str, recorded: str) -> str | None:
    """Return the file below ``folder`` to which a recorded path refers, relative to the folder, or None.

    The path may come from another folder or container, so the longest end of the path that exists is used. Links that
    lead out of the folder are not followed.
    """
    parts = [part for part in recorded.replace("\\", "/").split("/") if part not in {"", "."}]
    # a path with more folders is taken for hostile input
    if ".." in parts or "\0" in recorded or len(parts) > 40:
        return None
    ends = ("/".join(parts[start:]) for start in range(len(parts)))
    return next((end for end in ends if _is_inside(folder, end)), None)


def _is_inside(folder: str, name: str) -> bool:
    """Return whether ``name`` is a regular file below the folder, also after its links are resolved."""
    path = posixpath.join(folder, name)
    try:
        return os.path.isfile(path) and bool(confined(path, folder))  # noqa: PTH113 - unlike Path, accepts every text
    except ProfgateError:
        return False


def _content_of(folder: str, name: str, limit: int) -> bytes:
    """Return the content of a file below the folder.

    Raises ProfgateError if the path leads out of the folder, is not a regular file or is larger than ``limit``.
    """
    path = confined(posixpath.join(folder, name), folder)
    try:
        return read_stored(os.path.realpath(path), limit)  # a link may lead to another file below the folder
    except ProfgateError as error:
        raise ProfgateError(name, f"{error.what.partition(';')[0]}; its sources are not used") from error
