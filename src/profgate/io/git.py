"""Functions that read commits, file lists and file contents from git. Git's output is treated as untrusted."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from itertools import accumulate, groupby
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.model.history import StoredCommit

TIMEOUT = 120  # in seconds
QUICK = 20  # seconds for small answers, of which commands need one first: the configuration may name a pipe
LARGEST_BLOB = 2_000_000  # in bytes
LARGEST_GROUP = 64 << 20  # bytes of the blobs that are read at once
OWN_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")
# The settings of a repository are not trusted, so none of the programs that they name run: no hooks, monitors or
# programs for signatures. Attributes come only from the commit, and all its files are part of a worktree.
QUIET = {
    "core.attributesFile": os.devnull,
    "core.sparseCheckout": "false",
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "log.showSignature": "false",
    "submodule.recurse": "false",
}
NAME = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def git(
    arguments: Sequence[str],
    folder: str = ".",
    *,
    data: bytes | None = None,
    timeout: float = TIMEOUT,
    environment: Mapping[str, str] | None = None,
    settings: Mapping[str, str] = QUIET,
) -> bytes:
    """Run git with these settings, which replace those of the repository and the user, and return its output.

    Missing objects of a partial clone are not fetched, because the repository's settings name the program for that,
    unless the user sets GIT_NO_LAZY_FETCH to 0. Raises ProfgateError with the last line of git's error output.
    """
    timeout = min(timeout, QUICK) if arguments[0] == "rev-parse" else timeout
    program = shutil.which("git")
    if program is None:
        raise ProfgateError("git", "is not installed; install it, or name commits by their whole hash")
    try:
        done = subprocess.run(  # noqa: S603 - git itself; user arguments follow --end-of-options
            [program, *arguments],
            cwd=folder,
            input=data,
            env=_with_settings(os.environ if environment is None else environment, settings),
            capture_output=True,
            check=False,
            timeout=timeout,
        )
    except OSError as error:
        raise ProfgateError("git", f"cannot be run: {error.strerror or error}") from error
    except subprocess.TimeoutExpired:
        raise ProfgateError(f"git {arguments[0]}", f"took longer than {timeout:.0f} seconds; try again") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProfgateError(f"git {arguments[0]}", (lines or ["failed without a message"])[-1][:300])
    return done.stdout


def _with_settings(environment: Mapping[str, str], settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with settings for git. Unlike the option -c, variables allow "=" in their names."""
    result = {"GIT_NO_LAZY_FETCH": "1", **environment}
    start = int(result.get("GIT_CONFIG_COUNT") or 0)
    for number, (name, value) in enumerate(settings.items(), start):
        result |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        result["GIT_CONFIG_COUNT"] = str(number + 1)
    return result


def without_git(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the variables that git sets in hooks to locate its repository."""
    return {name: value for name, value in environment.items() if name not in OWN_VARIABLES}


def commit_hash(rev: str, folder: str = ".") -> str:
    """Return the hash of the commit to which a revision resolves. Raises ProfgateError if there is no such commit."""
    try:
        found = git(["rev-parse", "--verify", "--end-of-options", f"{rev}^{{commit}}"], folder)
    except ProfgateError as error:
        raise ProfgateError(rev, f"names no commit here; use a branch, a tag or a hash (git: {error.what})") from error
    name = found.decode("ascii", "replace").strip()
    if not NAME.fullmatch(name):
        raise ProfgateError(rev, "names no commit here; use a branch, a tag or a hash")
    return name


def commits_before(rev: str, folder: str = ".", most: int | None = None) -> dict[str, StoredCommit]:
    """Return a commit and its ancestors in this clone by hash, at most ``most``. Raises ProfgateError if git fails."""
    bound = [] if most is None else [f"--max-count={most}"]
    arguments = ["log", "-z", *bound, "--format=%H%x01%P%x01%ct%x01%s", "--end-of-options", rev, "--"]
    found = {}
    for record in git(arguments, folder).decode("utf-8", "replace").split("\0"):
        sha, _, rest = record.partition("\x01")
        parents, _, rest = rest.partition("\x01")
        time, _, title = rest.partition("\x01")
        if NAME.fullmatch(sha):
            found[sha] = StoredCommit(sha, tuple(parents.split()), int(time) if time.isdigit() else 0, title[:500])
    return found


def newest_release(rev: str) -> str:
    """Return the nearest tag of a version such as v1.2.3 before a commit; "last-release" if this clone has none."""
    versions = ("--match=v[0-9]*.[0-9]*", "--match=[0-9]*.[0-9]*", "--exclude=*[!v0-9.]*")
    return _line("describe", "--tags", "--abbrev=0", *versions, "--end-of-options", rev) or "last-release"


def blob_texts(ids: Iterable[str]) -> dict[str, str]:
    """Return the texts of git objects by id. Missing, binary and large objects are omitted."""
    requested = list(dict.fromkeys(ids))[:2_000]
    if not requested:
        return {}
    how = "--batch-check=%(objectname) %(objecttype) %(objectsize)"
    listed = _git_or_none("cat-file", how, data="\n".join(requested).encode()) or b""
    blobs, texts = {}, {}
    for short, line in zip(requested, listed.decode("ascii", "replace").splitlines(), strict=False):
        name, *facts = line.split()
        if len(facts) == 2 and facts[0] == "blob" and int(facts[1]) <= LARGEST_BLOB:
            blobs[short] = name, int(facts[1])
    with suppress(ProfgateError):
        for short, data in zip(blobs, contents_of(list(blobs.values())), strict=True):
            texts[short] = _as_text(data)
    return {short: text for short, text in texts.items() if text is not None}


def contents_of(
    blobs: Sequence[tuple[str, int]], folder: str = ".", environment: Mapping[str, str] | None = None
) -> Iterator[bytes | None]:
    """Yield the contents of git's blobs by name and size, or None for a missing one. Raises ProfgateError."""
    ends = accumulate(size for _, size in blobs)
    for _, numbered in groupby(zip(ends, blobs, strict=True), lambda pair: pair[0] // LARGEST_GROUP):
        group = [blob for _, blob in numbered]
        names = "\n".join(name for name, _ in group).encode()
        found = BytesIO(git(("cat-file", "--batch"), folder, data=names, environment=environment))
        for name, size in group:
            known = found.readline() == b"%b blob %d\n" % (name.encode(), size)
            yield found.read(size + 1)[:-1] if known else None


def texts_of_files(blobs: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of files below the current folder by path. Files with another blob id are omitted."""
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


def local_checkout() -> tuple[str, frozenset[str]] | None:
    """Return the root folder of the checkout and the names in this folder, or None if git is missing or fails."""
    found = _git_or_none("rev-parse", "--show-toplevel")
    if not found:
        return None
    root = os.fsdecode(found).removesuffix("\n").removesuffix("/")
    try:
        return root, frozenset(path.name for path in Path(root).iterdir())
    except OSError:
        return None


def is_shallow() -> bool:
    """Return whether this clone lacks older commits, or git fails."""
    return _line("rev-parse", "--is-shallow-repository") != "false"


def blobs_of_head() -> dict[str, str]:
    """Return the blob ids of the files of the checked-out commit by path. Raises ProfgateError if git fails."""
    found = {}
    for entry in git(["ls-tree", "-r", "-z", "--full-tree", "HEAD"]).split(b"\0"):
        facts, _, path = entry.partition(b"\t")
        if facts.startswith(b"100"):  # neither a link nor a submodule
            found[os.fsdecode(path)] = facts.rpartition(b" ")[2].decode("ascii", "replace")
    return found


def head_commit() -> str:
    """Return the hash of the checked-out commit, or "" if there is no git, no repository or no commit."""
    return _line("rev-parse", "--verify", "--quiet", "HEAD")


def merge_base(base: str, head: str, folder: str = ".") -> str:
    """Return the hash of the best common ancestor of two commits, or ``base`` if there is none."""
    return _line("merge-base", base, head, folder=folder) or base


def parents_of_head() -> tuple[str, ...]:
    """Return the hashes of the parents of the checked-out commit; empty if there are none or git fails."""
    return tuple(_line("rev-parse", "--quiet", "HEAD^@").split())


def base_branch(folder: str) -> str | None:
    """Return the default branch of the remote or, if that is unknown, the current branch, or None without any."""
    remote = _line("symbolic-ref", "--short", "refs/remotes/origin/HEAD", folder=folder).removeprefix("origin/")
    return remote or _line("branch", "--show-current", folder=folder).removeprefix("origin/") or None


def _git_or_none(*arguments: str, folder: str = ".", data: bytes | None = None) -> bytes | None:
    """Return the output of git, or None if git is missing or fails."""
    try:
        return git(arguments, folder, data=data, timeout=QUICK)
    except ProfgateError:
        return None


def _line(*arguments: str, folder: str = ".") -> str:
    """Return the output of git without spaces around it, or "" if git is missing or fails."""
    return (_git_or_none(*arguments, folder=folder) or b"").decode("utf-8", "replace").strip()


def _as_text(data: bytes | None) -> str | None:
    return None if data is None or b"\0" in data else data.decode("utf-8", "replace")
