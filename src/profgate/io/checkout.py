"""Finds the commit that is checked out in a folder. Reads git's files, which are untrusted, but does not run git."""

import re
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.files import confined, read_loosely

SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
REF = re.compile(r"ref: (refs/[!-~]+)")


def checked_out(folder: str) -> str | None:
    """Return the SHA of the commit that is checked out, or None if it cannot be found in the folder or worktree.

    Files outside the folder are not read, even if a link points to them.
    """
    try:
        return _commit(Path(folder))
    except (ProfgateError, OSError):
        return None


def _commit(folder: Path) -> str | None:
    git = folder / ".git"
    if pointer := _text(git, folder).removeprefix("gitdir: "):
        git = folder / pointer
    shared = git / _text(git / "commondir", folder)
    found = _text(git / "HEAD", folder)
    # symbolic references may form a circle
    for _ in range(5):
        if SHA.fullmatch(found):
            return found
        ref = REF.fullmatch(found)
        if ref is None:
            return None
        found = _text(shared / ref[1], folder) or _packed(shared, ref[1], folder)
    return None


def _packed(shared: Path, name: str, folder: Path) -> str:
    """Return the SHA of a reference from the list of packed references, or an empty string if there is none."""
    lines = _text(shared / "packed-refs", folder, 64 << 20).splitlines()
    return next((line.removesuffix(f" {name}") for line in lines if line.endswith(f" {name}")), "")


def _text(path: Path, folder: Path, limit: int = 10_000) -> str:
    """Return the stripped text of a file, or an empty string if there is no such regular file."""
    place = confined(str(path), str(folder))
    return read_loosely(place, limit).strip() if path.is_file() else ""
