"""Search for local profiles, and descriptions of stored ones."""

from __future__ import annotations

import glob
import os
import posixpath
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from itertools import starmap
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from profgate.errors import ProfgateError
from profgate.io.files import confined, sources_under
from profgate.model.record import Record, field, replace
from profgate.model.source import MANIFEST_NAME, RECORDING_NAME

if TYPE_CHECKING:
    from profgate.model.manifest import Manifest
    from profgate.model.profile import Configuration, Facts
    from profgate.model.source import SourceFile

CHUNK = 1 << 20


class LocalSet(Record):
    """Profiles, and the manifest that describes them, if there is one.

    ``ignored`` is True if the workspace contains a manifest, which anyone can commit. ``recording`` contains what the
    step that recorded the profiles states about itself. ``folder`` contains the files, below the workspace.
    """

    files: tuple[SourceFile, ...]
    manifest: Manifest | None
    ignored: bool = False
    recording: Mapping[str, str] = field(default_factory=dict)
    folder: str = ""


def local_set(entries: Sequence[str], workspace: str) -> LocalSet:
    """Return the files of all entries without duplicates, sorted by name.

    Names are relative to the part of the entry before its first wildcard, or to the common folder of several entries.
    Raises `ProfgateError` if no file is found or an entry leads out of the workspace.
    """
    places = [confined(posixpath.join(workspace, entry), workspace) for entry in entries]
    groups = [(place, sources_under(place)) for place in places]
    folders = list(starmap(_folder, groups))
    common = posixpath.commonpath(folders)
    found: dict[str, SourceFile] = {}
    for folder, (_, sources) in zip(folders, groups, strict=True):
        for source in sources:
            name = posixpath.relpath(posixpath.join(folder, source.name), common or ".")
            found[name] = replace(source, name=name)
    ignored = found.pop(MANIFEST_NAME, None) is not None
    folder = posixpath.relpath(common or ".", workspace)
    recording = facts_beside(found, folder)
    if not found:
        raise ProfgateError(", ".join(entries), "matches no file; the job has to write its profiles there first")
    return LocalSet(tuple(found[name] for name in sorted(found)), None, ignored, recording, folder)


def facts_beside(files: dict[str, SourceFile], folder: str) -> dict[str, str]:
    """Remove the file with facts about the recording of all files of a folder, and return these facts.

    Raises `ProfgateError` if such a file is in a subfolder or has a mistake.
    """
    _remove_reports_of_criterion(files)
    stated = files.pop(RECORDING_NAME, None)
    deeper = next((name for name in files if posixpath.basename(name) == RECORDING_NAME), None)
    if deeper is not None:
        what = f"is in a subfolder; it states facts about all profiles, so move it to {folder}"
        raise ProfgateError(posixpath.join(folder, deeper), what)
    if stated is None:
        return {}
    from profgate.model.manifest import recording_facts

    return recording_facts(stated.read(1 << 20), posixpath.join(folder, RECORDING_NAME))


def _remove_reports_of_criterion(files: dict[str, SourceFile]) -> None:
    """Remove what Criterion writes beside the samples of the last run: statistics, reports and earlier samples."""
    samples = {name for name in files if f"/{name}".endswith("/new/sample.json")}
    benchmarks = {posixpath.dirname(posixpath.dirname(name)) for name in samples}
    for name in samples and files.keys() - samples:
        around, folder = posixpath.split(posixpath.dirname(name))
        if folder == "report" or (folder and around in benchmarks):
            del files[name]


def repository_paths(sources: Iterable[SourceFile], folder: str, workspace: str) -> list[str]:
    """Return the paths that the files of a folder have in a repository, or had in the job that stored them.

    The path of the file with facts about the recording is included, because it may have been read. A file has several
    paths if it is read through a link, or if a folder above it is another checkout.
    """
    here, top = posixpath.join(workspace, folder), Path(workspace).resolve()
    paths = set[str]()
    read = [source.path or posixpath.join(here, source.name) for source in sources]
    for place in map(Path, [*read, posixpath.join(here, RECORDING_NAME)]):
        paths.add(os.path.relpath(place, workspace).replace(os.sep, "/"))
        paths.add(os.path.relpath(place.resolve(), top).replace(os.sep, "/"))
    for path in list(paths):
        for above in _above(path):
            if (top / above / ".git").exists():
                paths.add(path.removeprefix(f"{above}/"))
    return sorted(paths)


def committed(paths: Iterable[str], entries: Iterable[str]) -> list[str]:
    """Return the paths that are among the entries of a commit, or below one, such as a link or submodule.

    Differences in case and in the composition of characters are ignored, as by the file systems of macOS and Windows.
    """
    known = set(map(_folded, entries))
    return [path for path in paths if not known.isdisjoint(map(_folded, (path, *_above(path))))]


def _above(path: str) -> list[str]:
    """Return the folders above a path, innermost first."""
    return [str(folder) for folder in PurePosixPath(path).parents][:-1]


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")).casefold()


def manifest_of(
    identity: Manifest, sources: Sequence[SourceFile], facts: Iterable[tuple[Configuration, Facts]] = ()
) -> Manifest:
    """Return the manifest of these files, including the facts that the readers found in the files, if given."""
    from profgate.model.manifest import ManifestFile

    files = [ManifestFile(path=source.name, sha256=_digest(source)) for source in sources]
    for number, (configuration, known) in enumerate(facts):
        files[number] = replace(
            files[number],
            format=known.format,
            configuration=configuration.command,
            profiler=known.profiler,
            profiler_version=known.profiler_version,
            rate=known.rate,
            truncated=known.truncated,
        )
    return replace(identity, files=tuple(files))


def _folder(entry: str, sources: Sequence[SourceFile]) -> str:
    """Return the folder to which the names of these sources are relative."""
    parts = posixpath.normpath(entry).split("/")
    fixed = next((place for place, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    if fixed == len(parts) and [source.name for source in sources] == parts[-1:]:
        fixed -= 1  # the last component of the entry is a file name
    return "/".join(parts[:fixed]) or ("/" if posixpath.isabs(entry) else ".")


def _digest(source: SourceFile) -> str:
    import hashlib

    digest = hashlib.sha256()
    with source.open(0, None) as stream:
        while chunk := stream.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
