"""The folder in which ``profgate track`` stores runs. A run is first written to a hidden folder and then moved.

This folder contains complete profiles of old versions for differential flame graphs. It is separate from the history,
because profiles in the history count as base runs, which determine the noise estimate of the gate.
"""

import contextlib
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.files import read_stored, sources_under, write_text
from profgate.io.scratch import UNFOLLOWED, scratch_folder, try_lock
from profgate.measuring.track.versions import TrackRun
from profgate.model.record import adapter_of, to_builtins
from profgate.model.source import SourceFile

SCHEMA = "profgate.track-run/1"
RECORD, OUTPUT, LOG = "run.json", "out", "log.txt"  # the record of a run, the folder for its profiles, and its log
ASIDE = ".aside-"
LARGEST = 64 << 20  # maximum size of a stored file, in bytes
SOURCES = "work/source"  # with its checkout, same layout as on CI runners, so that paths in profiles are shortened


def record_to_json(record: TrackRun) -> str:
    """Return the record as JSON text in the format `profgate.track-run/1`."""
    return json.dumps({"schema": SCHEMA, **to_builtins(record)}, indent=1, allow_nan=False) + "\n"


def record_from_json(text: str) -> TrackRun | None:
    """Parse a record, or return None for a damaged record. A run with a damaged record is repeated."""
    try:
        content = json.loads(text)
        valid = content["schema"] == SCHEMA and "values" in content
        return adapter_of(TrackRun).validate_python(content) if valid else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


class TrackFolder:
    """Stored runs of one command. ``key`` is a digest of the command, its setup and the copied files."""

    def __init__(self, folder: str, key: str) -> None:
        self.folder = os.path.abspath(folder)  # noqa: PTH100 - a string, which child processes get as an environment variable
        self._runs = Path(self.folder) / "runs" / key

    @contextlib.contextmanager
    def locked(self) -> Iterator[str]:
        """Lock the folder, and remove the temporary files of a killed ``profgate track``.

        Yields a new folder for a version, outside all repositories, because tools search parent folders
        for settings. Its path is the same for all versions, because it occurs in profiles.
        """
        with self._errors():
            self._runs.mkdir(parents=True, exist_ok=True)
            write_text(str(Path(self.folder) / ".gitignore"), "*\n")  # profiles must not be committed
            # one lock for all commands, because they write the same pages
            lock = os.open(Path(self.folder) / "lock", os.O_RDWR | os.O_CREAT | UNFOLLOWED, 0o666)
        try:
            if not try_lock(lock):
                what = "another profgate track works in it; wait for it to end or choose another --output-dir"
                raise ProfgateError(self.folder, what)
            for path in self._runs.parent.glob(f"*/{ASIDE}*"):
                shutil.rmtree(path, ignore_errors=True)
            name = hashlib.sha256(os.fsencode(self._runs.resolve())).hexdigest()[:12]
            with scratch_folder(f"track-{name}") as place:
                sources = Path(place, SOURCES)
                sources.parent.mkdir(parents=True)
                yield str(sources)
        finally:
            os.close(lock)

    def records(self, version: str) -> dict[int, TrackRun]:
        """Return the finished runs of a version by run number, without damaged runs."""
        found = {}
        numbered = (path for path in (self._runs / version).glob("*") if path.name.isdecimal())
        for path in sorted(numbered, key=lambda path: int(path.name)):
            with contextlib.suppress(ProfgateError):
                record = record_from_json(read_stored(str(path / RECORD), LARGEST).decode("utf-8", "replace"))
                if record is not None:
                    found[int(path.name)] = record
        return found

    def profiles(self, version: str, number: int) -> list[SourceFile]:
        """Return the profiles of a finished run."""
        place = (self._runs / version) / str(number) / OUTPUT
        return sources_under(str(place)) if place.is_dir() else []

    def drop_failed(self, version: str) -> None:
        """Remove the failed runs of a version."""
        with self._errors():
            for number, record in self.records(version).items():
                if record.problem:
                    shutil.rmtree(self._runs / version / str(number))

    @contextlib.contextmanager
    def attempt(self) -> Iterator[Path]:
        """Create a folder for a new run, and remove it on exit unless the run was stored."""
        folder = self._runs / f"{ASIDE}{os.urandom(6).hex()}"
        with self._errors():
            (folder / OUTPUT).mkdir(parents=True)
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def store(self, attempt: Path, version: str, number: int, record: TrackRun) -> None:
        """Move a finished run into place atomically."""
        write_text(str(attempt / RECORD), record_to_json(record))
        place = (self._runs / version) / str(number)
        with self._errors():
            place.parent.mkdir(parents=True, exist_ok=True)
            if place.exists():  # the record was damaged
                shutil.rmtree(place)
            attempt.rename(place)

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Convert operating system errors, such as a full disk, to a ProfgateError that names the folder."""
        try:
            yield
        except OSError as error:
            what = f"cannot be written ({error.strerror}); finished runs are stored: run the same command to continue"
            raise ProfgateError(self.folder, what) from error
