"""Finds the source files of benchmarks, computes their digests, and copies the files into old versions."""

import hashlib
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from profgate.attribution.fingerprints import SourceFunction, parsed_source
from profgate.errors import ProfgateError

LARGEST_SOURCE = 16 << 20  # in bytes


def digest_of_files(folder: str, names: Iterable[str]) -> str | None:
    """Return a digest of the names and contents of these files and the files of folders, or None if none exists."""
    digest, found = hashlib.sha256(), False
    for name in sorted(set(names)):
        place = Path(folder, name)
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and "__pycache__" not in path.parts:
                found = True
                digest.update(
                    f"{name}\0{path.relative_to(place)}\0{path.stat().st_size}\0".encode(errors="surrogatepass")
                )
                digest.update(path.read_bytes())
    return digest.hexdigest() if found else None


def text_below(folder: str, name: str) -> str | None:
    """Return the text of a file named in a profile, or None if the file is missing, too large or not in the folder."""
    root = Path(folder).resolve()
    try:
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > LARGEST_SOURCE:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError, RuntimeError):
        return None


def copy_into(folder: str, prefix: str, paths: Iterable[str]) -> None:
    """Copy files and folders from the current folder to the same paths in another checkout."""
    for name in paths:
        target = Path(folder, prefix, name)
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ProfgateError(name, "is outside of this folder; --bring takes paths below it")
        if not target.parent.resolve().is_relative_to(Path(folder).resolve()):
            raise ProfgateError(name, "would be written outside of the worktree, through a link of that version")
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(name).is_dir():
            shutil.copytree(name, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", ".git"))
        else:
            shutil.copy2(name, target)


def digest_at_line(path: str, line: int | None, text: str) -> str:
    """Return a digest of the function or class at this line (counted from 1), with its decorators and nested functions.

    The digest ignores layout, comments and the rest of the file. Without a function there, it covers the whole file. It
    is one of the plain text if the language is not supported or the parser reports an error.
    """
    parsed = parsed_source(path, text)
    if parsed is None:
        return _digest([text])
    own = None if line is None else _function_at(parsed.functions, line)
    inside = [
        function
        for function in parsed.functions
        if own is None or (own.first <= function.first and function.last <= own.last)
    ]
    if any(function.broken for function in inside):
        return _digest(text.split("\n")[slice(None) if own is None else slice(own.first - 1, own.last)])
    return _digest([function.fingerprint for function in inside])


def _function_at(functions: Sequence[SourceFunction], line: int) -> SourceFunction | None:
    """Return the largest function that begins at the line, or the innermost around it, preferably a named one."""
    around = [
        function for function in functions if function.kind != "module" and function.first <= line <= function.last
    ]
    # an anonymous function on a single line is an argument of the call on that line
    opening = [found for found in around if line <= found.opens and (found.kind != "anonymous" or _size(found))]
    if opening:
        return max(opening, key=_size)
    return min(around, key=lambda function: (function.kind == "anonymous", _size(function)), default=None)


def _size(function: SourceFunction) -> int:
    return function.last - function.first


def _digest(parts: Iterable[str | bytes]) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogatepass")
        digest.update(b"%d:%b" % (len(data), data))
    return digest.hexdigest()
