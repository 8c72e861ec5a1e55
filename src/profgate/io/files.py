"""Functions that read local files by byte range and write documents atomically."""

import contextlib
import glob
import io
import os
import stat
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from profgate.errors import ProfgateError
from profgate.model.source import HEAD_SIZE, BytesInMemory, SourceFile

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_FILES = 100_000
MAX_TEXT = 4 * 1024 * 1024
LARGEST_PROFILE = 1 << 31


def sources_under(place: str) -> list[SourceFile]:
    """Return one file, or the files of a folder or pattern such as ``out/**/*.folded``, sorted by name.

    Names are relative to the folder and use ``/``. Hidden files are skipped, and links to folders are not followed.
    Raises ProfgateError if the path does not exist, a link points outside the folder, an entry is not a regular file,
    or there are too many files, but not if a pattern matches no file.
    """
    path = Path(place)
    with translated_errors(place):
        if path.is_file():
            return [_source(place, path.name)]
        if path.is_dir():
            return _sources(path, _files_below(path), place)
        if not glob.has_magic(place):
            raise ProfgateError(place, "does not exist; use a file, a folder or a pattern")
        folder = path
        while glob.has_magic(str(folder)):  # the folder above the first part with a wildcard
            folder = folder.parent
        parts = [part if part == "**" else part.replace("**", "*") for part in path.relative_to(folder).parts]
        found = folder.glob("/".join([*parts, "*"] if parts[-1] == "**" else parts))
        return _sources(folder, ((name.relative_to(folder).as_posix(), False) for name in found), place)


def read_text(place: str, limit: int = MAX_TEXT) -> str:
    """Return the text of a UTF-8 file. Raises ProfgateError if it cannot be read or is larger than ``limit``."""
    data = read_bytes(place, limit)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ProfgateError(place, f"byte {error.start} is not UTF-8; save it as UTF-8") from error


def exists(place: str) -> bool:
    """Return whether the path exists. A broken link counts as existing."""
    with translated_errors(place):
        return os.path.lexists(place)


def read_loosely(place: str, limit: int) -> str:
    """Return the text of a file, or of standard input for ``-``, with invalid UTF-8 replaced. Raises as `read_text`."""
    return read_bytes(place, limit).decode("utf-8-sig", "replace")


def read_bytes(place: str, limit: int) -> bytes:
    """Return the bytes of a file. Raises ProfgateError if it cannot be read or is larger than ``limit``."""
    if place == "-":
        data = sys.stdin.buffer.read(limit + 1)
    else:
        with translated_errors(place), Path(place).open("rb") as stream:
            data = stream.read(limit + 1)
    if len(data) > limit:
        raise ProfgateError(place, f"is larger than {limit:,} bytes; use a smaller file")
    return data


def read_stored(place: str, limit: int) -> bytes:
    """Return the content of a file in a folder whose content is untrusted.

    Raises ProfgateError if it is larger than ``limit`` or not a regular file: a link, a pipe or a device could block or
    never end.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with translated_errors(place), os.fdopen(os.open(place, flags), "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise ProfgateError(_shown(place), "is not a regular file; remove it")
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ProfgateError(_shown(place), f"is larger than {limit:,} bytes; remove it")
    return data


def check_writable(folder: str) -> None:
    """Raise ProfgateError if no file can be written to the folder, which is created."""
    import tempfile

    with translated_errors(folder):
        Path(folder).mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()


def write_text(place: str, text: str) -> None:
    """Write a document atomically and create its parent folders. Raises ProfgateError if this fails."""
    write_bytes(place, text.encode())


def write_bytes(place: str, data: bytes) -> None:
    """Write a file atomically: a concurrent reader sees either the old or the new content."""
    path = Path(place)
    with translated_errors(place):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
        stream = temporary.open("xb")
        try:
            with stream:
                stream.write(data)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def confined(place: str, folder: str) -> str:
    """Return the path or pattern ``place``, which need not exist.

    Raises ProfgateError if it leads out of the folder, if one is given, even through a link.
    """
    with translated_errors(place):
        if folder and not Path(place).resolve().is_relative_to(Path(folder).resolve()):
            raise ProfgateError(_shown(place), f"leads out of {_shown(folder)}; give a path in it, or remove the link")
    return place


def check_links(folder: str) -> None:
    """Raise ProfgateError if a folder is a link, or contains one that leads out of it, as a clone may contain."""
    if Path(folder).is_symlink():
        raise ProfgateError(folder, "is a link; remove it, or use the option for this folder")
    for above, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if Path(above, name).is_symlink():
                confined(f"{above}/{name}", folder)


def give_to_owner(folder: str, workspace: str) -> None:
    """Change the owner of a folder and its content, but not of links, to the owner of the workspace, if possible.

    Otherwise, the next checkout on a self-hosted machine could not remove files that root created in a container.
    """
    if not workspace or sys.platform == "win32":
        return
    with contextlib.suppress(OSError):
        owner = Path(workspace).stat()
        for _, folders, files, opened in os.fwalk(folder):
            for name in (".", *folders, *files):
                with contextlib.suppress(OSError):  # an unprivileged user already owns the files
                    os.chown(name, owner.st_uid, owner.st_gid, dir_fd=opened, follow_symlinks=False)


class _Range(io.RawIOBase):
    """A stream that reads a file from its current position up to ``stop``."""

    def __init__(self, stream: io.FileIO, stop: int) -> None:
        self._stream = stream
        self._stop = stop

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int | None:
        left = max(0, self._stop - self._stream.tell())
        return self._stream.readinto(memoryview(buffer)[:left])

    def close(self) -> None:
        self._stream.close()
        super().close()


def _open_range(path: str, start: int, stop: int | None) -> BinaryIO:
    stream = io.FileIO(path)
    stream.seek(start)
    return cast("BinaryIO", io.BufferedReader(stream if stop is None else _Range(stream, stop)))


def _source(path: str, name: str) -> SourceFile:
    with io.FileIO(path) as stream:
        facts = os.fstat(stream.fileno())
        if not stat.S_ISREG(facts.st_mode):
            raise ProfgateError(name, "is not a regular file; use regular files")
        head = stream.read(HEAD_SIZE)
        complete = len(head) == facts.st_size
        opened = BytesInMemory(head) if complete else partial(_open_range, path)
        return SourceFile(_shown(name), facts.st_size, head, opened, path)


def _files_below(folder: Path) -> Iterator[tuple[str, bool]]:
    """Yield the name of each entry that is not hidden and no folder, and whether it is known to be a regular file."""
    folders = [""]
    while folders:
        above = folders.pop()
        with os.scandir(folder / above) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    folders.append(f"{above}{entry.name}/")
                else:
                    yield f"{above}{entry.name}", entry.is_file(follow_symlinks=False)


def _sources(folder: Path, found: Iterable[tuple[str, bool]], place: str) -> list[SourceFile]:
    names = set[str]()
    root = folder.resolve()
    for name, checked in found:
        if not checked and not _is_file(folder / name, name, root, place):
            continue
        names.add(name)
        if len(names) > MAX_FILES:
            raise ProfgateError(place, f"contains more than {MAX_FILES:,} files; name a smaller folder")
    return [_source(f"{folder}/{name}", name) for name in sorted(names)]


def _is_file(path: Path, name: str, root: Path, place: str) -> bool:
    """Return True for a regular file, and False for a folder, a hidden file or a file behind a link to a folder.

    Raises ProfgateError for any other entry, and for a link that leads out of ``root``.
    """
    if path.is_dir() or any(part.startswith(".") for part in name.split("/")):
        return False
    if any((root / parent).is_symlink() for parent in Path(name).parents[:-1]):
        return False
    if not path.resolve().is_relative_to(root):
        raise ProfgateError(_shown(name), f"is a link out of {place}; copy the file itself there")
    if not path.is_file():
        raise ProfgateError(_shown(name), "is not a regular file; use regular files")
    return True


def _shown(name: str) -> str:
    """Return the name as displayable text, with invalid bytes replaced."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


@contextlib.contextmanager
def translated_errors(place: str) -> Iterator[None]:
    """Raise errors of the operating system, also for a name that is not valid, as ProfgateError with the path."""
    try:
        yield
    except IsADirectoryError as error:
        raise ProfgateError(_shown(place), "is a folder; name a file in it") from error
    except OSError as error:
        raise ProfgateError(_shown(place), f"{error.strerror or error}; check the path and its rights") from error
    except RuntimeError as error:  # raised for circular links before Python 3.13
        raise ProfgateError(_shown(place), f"cannot be followed ({error}); remove the link") from error
    except ValueError as error:
        raise ProfgateError(_shown(place), f"is not a path ({error})") from error
