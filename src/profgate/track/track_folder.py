"""The folder where a track stores its runs: each is written aside and then moved to its place whole.

It is a folder of its own, not the history store: a track stores whole profiles of any command over old
versions, for pictures of their differences. In the store they would pass for base runs and shape the gate's noise.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.files import sources_under, write_text
from profgate.io.processes import Started, end_leftover
from profgate.io.source_folders import Texts, files_below, text_of
from profgate.model.source import SourceFile

RECORD = "run.json"
ASIDE = ".aside-"
SOURCES = "work/source/source"  # as runners lay out checkouts, so that paths in profiles are cut to those below it


@dataclass(frozen=True, slots=True)
class Attempt:
    """A run while it is made: the empty folder ``output`` is the command's, ``log`` takes what it prints."""

    folder: str

    @property
    def output(self) -> str:
        """The folder of the profiles."""
        return f"{self.folder}/out"

    @property
    def log(self) -> str:
        """The file of what the command printed."""
        return f"{self.folder}/log.txt"

    def profiles(self) -> list[SourceFile]:
        """What the command left."""
        return sources_under(self.output)


def remove_folder(place: str) -> None:
    """Removes a folder with all in it, if it is there."""
    shutil.rmtree(place, ignore_errors=True)


class TrackFolder:
    """The runs of one command; ``key`` tells apart what must not be mixed: commands, setups, brought files."""

    def __init__(self, folder: str, key: str) -> None:
        self.folder = os.path.abspath(folder)  # noqa: PTH100 - a text, which children get as a variable
        self._runs = Path(self.folder) / "runs" / key
        self.sources = StoredSources(self._runs / "sources")

    @contextlib.contextmanager
    def alone(self) -> Iterator[str]:
        """Holds the folder against a second track, and ends and clears what a killed one left.

        Gives a folder that does not exist, for the sources of one version after the other: always the same one, since
        its path stands in profiles, and outside of every repository, since tools look for settings in folders above.
        """
        with self._errors():
            self._runs.mkdir(parents=True, exist_ok=True)
            (Path(self.folder) / ".gitignore").write_text("*\n", encoding="utf-8")  # profiles are nobody's sources
            lock_file = (Path(self.folder) / "lock").open("wb")  # of all commands: they write the same pages
        with lock_file as lock:
            _hold(lock.fileno(), self.folder)
            self._clear()
            place = self._place()
            try:
                (place / SOURCES).parent.mkdir(parents=True)
                yield str(place / SOURCES)
            finally:
                remove_folder(str(place))

    def runs(self, version: str) -> Iterator[tuple[int, str]]:
        """Numbers and records of the runs that are done."""
        for path in self._numbered(version):
            with contextlib.suppress(OSError):
                yield int(path.name), (path / RECORD).read_text(encoding="utf-8", errors="replace")

    def profiles(self, version: str, number: int) -> list[SourceFile]:
        """The profiles of a run that is done."""
        place = self._version(version) / str(number) / "out"
        return sources_under(str(place)) if place.is_dir() else []

    def drop(self, version: str) -> None:
        """Forgets all runs of a version."""
        with self._errors():
            for path in self._numbered(version):
                self._remove(path)

    @contextlib.contextmanager
    def attempt(self) -> Iterator[Attempt]:
        """A run to be made; what is not stored is gone at the end."""
        folder = self._aside()
        with self._errors():
            (folder / "out").mkdir(parents=True)
        try:
            yield Attempt(str(folder))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def store(self, attempt: Attempt, version: str, number: int, record: str) -> None:
        """Moves a finished run to its place, whole or not at all."""
        write_text(f"{attempt.folder}/{RECORD}", record)
        place = self._version(version) / str(number)
        with self._errors():
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.exists():  # a record that could not be read
                self._remove(place)
            Path(attempt.folder).rename(place)

    def note_started(self, started: Started) -> None:
        """Notes a process that a killed track would leave running."""
        write_text(str(self._runs / "running.json"), json.dumps({"group": started.group, "ticks": started.ticks}))

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Translates errors of the system: a full disk, or a folder of another user."""
        try:
            yield
        except OSError as error:
            what = f"cannot be written ({error.strerror}); finished runs are stored, and the same command goes on"
            raise ProfgateError(self.folder, what) from error

    def _remove(self, path: Path) -> None:
        """Removes a run, whole or not at all."""
        path.rename(aside := self._aside())
        shutil.rmtree(aside, ignore_errors=True)

    def _clear(self) -> None:
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
            noted = json.loads((self._runs / "running.json").read_text(encoding="utf-8"))
            end_leftover(Started(int(noted["group"]), int(noted["ticks"])))
        for path in self._runs.glob(f"{ASIDE}*"):
            shutil.rmtree(path, ignore_errors=True)

    def _place(self) -> Path:
        place = Path(tempfile.gettempdir()) / f"profgate-track-{_digest(str(self._runs.resolve()))[:12]}"
        shutil.rmtree(place, ignore_errors=True)  # what a killed track left
        try:
            place.mkdir(mode=0o700)  # fails for what somebody else put there, a link included
        except OSError as error:
            raise ProfgateError(str(place), f"cannot be made ({error.strerror}); remove it") from error
        return place

    def _version(self, version: str) -> Path:
        plain = re.sub(r"[^\w.+-]", "-", version)[:80]
        if plain != version or plain.startswith("."):
            plain = f"v-{plain}-{_digest(version)[:10]}"
        return self._runs / plain

    def _numbered(self, version: str) -> list[Path]:
        folder = self._version(version)
        return sorted((path for path in folder.glob("*") if path.name.isdecimal()), key=lambda path: int(path.name))

    def _aside(self) -> Path:
        return self._runs / f"{ASIDE}{os.urandom(6).hex()}"


def _hold(file: int, folder: str) -> None:
    if sys.platform == "win32":
        return
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise ProfgateError(folder, "another profgate track works in it; wait for that one or name another") from None


class StoredSources:
    """The sources of releases, so that two of them can be compared: a list of files for each, each different text once.

    The lists name the texts by their digests; None stands for what is no text.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def store(self, version: str, source: str) -> None:
        """Stores the texts below a folder; nothing of one with more files than anybody wrote."""
        if self._list(version).is_file():
            return
        try:
            found = files_below(source)
        except ProfgateError:
            return
        listed: dict[str, str | None] = {}
        for path, place in sorted(found.items()):
            text = text_of(place)
            listed[path] = None if text is None else _digest(text)
            if text is not None and not self._text(_digest(text)).is_file():
                write_text(str(self._text(_digest(text))), text)
        write_text(str(self._list(version)), json.dumps(listed))

    def differing(self, before: str, after: str) -> tuple[Texts, Texts, frozenset[str]] | None:
        """Texts of the files that differ between two versions, and all paths of the second; None for a missing one."""
        old, new = self._listed(before), self._listed(after)
        if old is None or new is None:
            return None
        # files that are not text may differ too, but their difference cannot be shown
        same = {path for path in old.keys() & new.keys() if old[path] == new[path]}
        return self._texts(old, same), self._texts(new, same), frozenset(new)

    def _texts(self, listed: dict[str, str | None], same: set[str]) -> Texts:
        return {path: self._read(digest) for path, digest in sorted(listed.items()) if path not in same}

    def _list(self, version: str) -> Path:
        return self.folder / f"{_digest(version)[:32]}.json"

    def _text(self, digest: str) -> Path:
        return self.folder / digest[:2] / digest

    def _read(self, digest: str | None) -> str | None:
        try:
            return None if digest is None else self._text(digest).read_bytes().decode("utf-8", "replace")
        except OSError:
            return None

    def _listed(self, version: str) -> dict[str, str | None] | None:
        try:
            listed = json.loads(self._list(version).read_bytes())
            plain = all(digest is None or re.fullmatch("[0-9a-f]{64}", digest) for digest in listed.values())
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            return None
        return listed if plain else None


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()
