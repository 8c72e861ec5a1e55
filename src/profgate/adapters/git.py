"""What git tells of commits: their names, parents, times and titles. Nothing of it is believed to be well-formed."""

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence

from profgate.errors import ProfgateError
from profgate.model.history import StoredCommit

PATIENCE = 120  # seconds
NAME = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def git(
    words: Sequence[str],
    folder: str = ".",
    *,
    data: bytes | None = None,
    patience: float = PATIENCE,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> bytes:
    """What git prints for these words; ``options`` stand before them. Raises ProfgateError with git's own reason."""
    program = shutil.which("git")
    if program is None:
        raise ProfgateError("git", "is not installed; install it, or name commits by their whole hash")
    try:
        done = subprocess.run(  # noqa: S603 - git itself; words that users give stand behind --end-of-options
            [program, *options, *words],
            cwd=folder,
            input=data,
            env=environment,
            capture_output=True,
            check=False,
            timeout=patience,
        )
    except OSError as error:
        raise ProfgateError("git", f"cannot be run: {error.strerror or error}") from error
    except subprocess.TimeoutExpired:
        raise ProfgateError(f"git {words[0]}", f"took longer than {patience:.0f} seconds; try again") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProfgateError(f"git {words[0]}", (said or ["failed without a word"])[-1][:300])
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
    words = ["log", "-z", *bound, "--format=%H%x01%P%x01%ct%x01%s", "--end-of-options", rev, "--"]
    found = {}
    for record in git(words, folder).decode("utf-8", "replace").split("\0"):
        sha, _, rest = record.partition("\x01")
        parents, _, rest = rest.partition("\x01")
        time, _, title = rest.partition("\x01")
        if NAME.fullmatch(sha):
            found[sha] = StoredCommit(sha, tuple(parents.split()), int(time) if time.isdigit() else 0, title[:500])
    return found
