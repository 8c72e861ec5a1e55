"""The checkout around this process, as git knows it."""

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.io.git import git

LARGEST_BLOB = 2_000_000  # bytes
MOST_BLOBS = 2_000


def blob_texts(ids: Iterable[str]) -> dict[str, str]:
    """The texts of git's objects by their ids, without what git does not have, what is no text and what is large."""
    requested = list(dict.fromkeys(ids))[:MOST_BLOBS]
    if not requested:
        return {}
    how = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    listed = _git("cat-file", how, data="\n".join(requested).encode()) or b""
    texts = {}
    for short, line in zip(requested, listed.decode("ascii", "replace").splitlines(), strict=False):
        name, *facts = line.split()
        if len(facts) == 2 and facts[0] == "blob" and int(facts[1]) <= LARGEST_BLOB:
            texts[short] = _as_text(_git("cat-file", "blob", name))
    return {short: text for short, text in texts.items() if text is not None}


def texts_of_files(blobs: Mapping[str, str]) -> dict[str, str]:
    """Texts by path below the current folder, of files whose content has the blob's id that the path leads to."""
    found = {}
    for name, blob in blobs.items():
        path = Path(name)
        if path.is_absolute() or ".." in path.parts or path.is_symlink() or not path.is_file():
            continue
        if path.stat().st_size > LARGEST_BLOB:
            continue
        data = path.read_bytes()
        for algorithm in ("sha1", "sha256"):
            digest = hashlib.new(algorithm, b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
            if digest.startswith(blob) and (text := _as_text(data)) is not None:
                found[name] = text
    return found


def tracked_files() -> frozenset[str] | None:
    """The files git tracks, by their paths from the top of the repository; None without git or a repository."""
    listed = _git("ls-files", "-z", "--full-name", ":/")
    return None if listed is None else frozenset(filter(None, listed.decode("utf-8", "replace").split("\0")))


def head_commit() -> str:
    """The commit that is checked out; empty without git, a repository or a commit."""
    return (_git("rev-parse", "--verify", "--quiet", "HEAD") or b"").decode("ascii", "replace").strip()


def base_branch(folder: str) -> str | None:
    """The remote's default branch, else the current one; None without git or a repository."""
    for words in (("symbolic-ref", "--short", "refs/remotes/origin/HEAD"), ("branch", "--show-current")):
        name = (_git(*words, folder=folder) or b"").decode("utf-8", "replace").strip().removeprefix("origin/")
        if name:
            return name
    return None


def _git(*words: str, folder: str = ".", data: bytes | None = None) -> bytes | None:
    """The output of git; None where git is missing or refuses."""
    try:
        return git(words, folder, data=data, timeout=30)
    except ProfgateError:
        return None


def _as_text(data: bytes | None) -> str | None:
    return None if data is None or b"\0" in data else data.decode("utf-8", "replace")
