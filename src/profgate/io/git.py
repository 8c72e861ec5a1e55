"""Commits from git: hashes, parents, times and titles; its output is not assumed to be well-formed."""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from profgate.errors import ProfgateError
from profgate.model.history import StoredCommit

TIMEOUT = 120  # seconds
NAME = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def git(
    arguments: Sequence[str],
    folder: str = ".",
    *,
    data: bytes | None = None,
    timeout: float = TIMEOUT,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """The output of git; ``options`` precede the arguments. Raises ProfgateError with git's last line of error."""
    program = shutil.which("git")
    if program is None:
        raise ProfgateError("git", "is not installed; install it, or name commits by their whole hash")
    try:
        done = subprocess.run(  # noqa: S603 - git itself; what users give follows --end-of-options
            [program, *options, *arguments],
            cwd=folder,
            input=data,
            env=environment,
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


def resolved(rev: str, folder: str = ".") -> str:
    """The hash of the commit that a person names. Raises ProfgateError where there is none."""
    try:
        found = git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{rev}^{{commit}}"], folder)
    except ProfgateError as error:
        raise ProfgateError(rev, "names no commit of this repository; give a branch, a tag or a hash") from error
    name = found.decode("ascii", "replace").split()[-1] if found.split() else ""
    if not NAME.fullmatch(name):
        raise ProfgateError(rev, "names no commit of this repository; give a branch, a tag or a hash")
    return name


def commits_before(rev: str, folder: str = ".", most: int | None = None) -> dict[str, StoredCommit]:
    """The commit and all it descends from, as far as the clone goes, by hash; at most so many. Raises ProfgateError."""
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
