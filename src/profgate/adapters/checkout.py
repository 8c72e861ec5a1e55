"""What git knows of the checkout this process stands in."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterable, Mapping

PATIENCE = 30  # seconds
LARGEST_BLOB = 2_000_000  # bytes
MOST_BLOBS = 2_000


def blob_texts(ids: Iterable[str]) -> dict[str, str]:
    """The texts of git's objects by their ids; what git does not have, is no text or very large is not in it."""
    wanted, git = list(dict.fromkeys(ids))[:MOST_BLOBS], shutil.which("git")
    if git is None or not wanted:
        return {}
    try:
        told = subprocess.run(  # noqa: S603 - a program of this machine, with words of our own
            [git, "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)"],
            input="\n".join(wanted).encode(),
            capture_output=True,
            check=True,
            timeout=PATIENCE,
        ).stdout.decode("ascii", "replace")
    except (OSError, subprocess.SubprocessError):
        return {}
    names = {}
    for short, line in zip(wanted, told.splitlines(), strict=False):
        words = line.split()
        if len(words) == 3 and words[1] == "blob" and int(words[2]) <= LARGEST_BLOB:
            names[short] = words[0]
    return {short: text for short, name in names.items() if (text := _blob(git, name)) is not None}


def _blob(git: str, name: str) -> str | None:
    try:
        read = subprocess.run(  # noqa: S603 - as above; the name came from git itself
            [git, "cat-file", "blob", name], capture_output=True, check=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return _as_text(read.stdout)


def texts_of_files(blobs: Mapping[str, str]) -> dict[str, str]:
    """Texts by path below the current folder, of files whose content has the blob's id that the path leads to."""
    found = {}
    for path, blob in blobs.items():
        if os.path.isabs(path) or ".." in path.split("/") or os.path.islink(path) or not os.path.isfile(path):  # noqa: PTH117, PTH114, PTH113 - questions, not paths
            continue
        if os.path.getsize(path) > LARGEST_BLOB:  # noqa: PTH202 - a question
            continue
        with open(path, "rb") as file:  # noqa: PTH123 - one read
            data = file.read(LARGEST_BLOB + 1)
        for algorithm in ("sha1", "sha256"):
            digest = hashlib.new(algorithm, b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()
            if digest.startswith(blob) and (text := _as_text(data)) is not None:
                found[path] = text
    return found


def _as_text(data: bytes) -> str | None:
    return None if b"\0" in data else data.decode("utf-8", "replace")


def tracked_files() -> frozenset[str] | None:
    """The files git tracks, by their paths from the top of the repository; None without git or a repository."""
    listed = _git("ls-files", "-z", "--full-name", ":/")
    if listed is None:
        return None
    return frozenset(name.decode("utf-8", "replace") for name in listed.split(b"\0") if name)


def head_commit() -> str:
    """The commit that is checked out; empty without git, a repository or a commit."""
    return (_git("rev-parse", "--verify", "--quiet", "HEAD") or b"").decode("ascii", "replace").strip()


def _git(*words: str) -> bytes | None:
    """What git says; None where it is missing or refuses."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        said = subprocess.run([git, *words], capture_output=True, check=True, timeout=PATIENCE)  # noqa: S603 - a program of this machine, with words of our own
    except (OSError, subprocess.SubprocessError):
        return None
    return said.stdout


def base_branch(folder: str) -> str | None:
    """The branch that the remote calls its own, else the current one; None without git or a repository."""
    git = shutil.which("git")
    if git is None:
        return None
    for words in (("symbolic-ref", "--short", "refs/remotes/origin/HEAD"), ("branch", "--show-current")):
        try:
            told = subprocess.run(  # noqa: S603 - a program of this machine, with words of our own
                [git, "-C", folder, *words], capture_output=True, check=True, timeout=PATIENCE, text=True
            )
        except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
            continue
        if name := told.stdout.strip().removeprefix("origin/"):
            return name
    return None
