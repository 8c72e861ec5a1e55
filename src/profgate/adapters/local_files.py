"""Files named on a command line: opened by range, written whole or not at all."""

import io
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from profgate.errors import ProfgateError
from profgate.model.source import HEAD_SIZE, SourceFile

MOST_FILES = 10_000
LARGEST_TEXT = 4 << 20


@dataclass(frozen=True, slots=True)
class FileOnDisk:
    """Opens ranges of a file; a value, so that a process can be handed it."""

    path: str

    def __call__(self, start: int, stop: int | None) -> BinaryIO:
        """The whole file as a stream, or a range of it in memory."""
        if start == 0 and stop is None:
            return Path(self.path).open("rb")
        with Path(self.path).open("rb") as stream:
            stream.seek(start)
            return io.BytesIO(stream.read(-1 if stop is None else stop - start))


def _source(path: Path, name: str) -> SourceFile:
    try:
        with path.open("rb") as stream:
            head = stream.read(HEAD_SIZE)
        return SourceFile(name, path.stat().st_size, head, FileOnDisk(str(path)), str(path))
    except OSError as error:
        raise ProfgateError(str(path), f"cannot be read: {error.strerror}") from error


def sources_under(path: str) -> list[SourceFile]:
    """The file itself, or every file below a folder by its relative path; hidden files and links are left out.

    Raises ProfgateError.
    """
    root = Path(path)
    if root.is_file():
        return [_source(root, root.name)]
    if not root.is_dir():
        raise ProfgateError(path, "no such file or folder")
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        found += [Path(folder, file) for file in sorted(files) if not file.startswith(".")]
        if len(found) > MOST_FILES:
            raise ProfgateError(path, f"holds more than {MOST_FILES} files; give a smaller folder")
    return [_source(file, file.relative_to(root).as_posix()) for file in found if not file.is_symlink()]


def read_text(path: str) -> str:
    """The text of a small file. Raises ProfgateError."""
    try:
        data = Path(path).read_bytes()
        if len(data) > LARGEST_TEXT:
            raise ProfgateError(path, f"is larger than {LARGEST_TEXT} bytes")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise ProfgateError(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ProfgateError(path, f"is not UTF-8 at byte {error.start}") from error


def write_text(path: str, text: str) -> None:
    """Writes beside the file first and puts it in its place whole; makes the folders. Raises ProfgateError."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="", dir=target.parent, delete=False) as part:
            part.write(text)
        Path(part.name).chmod(0o644)
        Path(part.name).replace(target)
    except OSError as error:
        raise ProfgateError(path, f"cannot be written: {error.strerror}") from error
