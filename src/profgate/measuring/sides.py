"""Two versions of a project, each with its own checkout, environment and build output."""

import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from profgate.errors import ProfgateError, SideError
from profgate.io.files import confined
from profgate.io.git import NAME, git, without_git
from profgate.io.processes import output_of
from profgate.io.worktrees import copied_worktree, missing_contents, quiet_git, worktree
from profgate.measuring.side_environment import cargo_shares_output, python_environment, side_environment

SIDES = ("baseline", "target")
NAME_BYTES = 4  # names are of equal length, because the length of a path may affect a measurement


@dataclass(frozen=True, slots=True)
class MeasuredSide:
    """One of the two versions, all of which is below ``root``, a resolved path.

    Commands start in ``folder``, which corresponds to the current folder of the user, with the additional variables of
    ``environment``. ``ready`` is the time at which the setup ended, in seconds since the epoch.
    """

    name: str
    root: str
    checkout: str
    environment: Mapping[str, str]
    ready: float
    prefix: str = ""

    @property
    def folder(self) -> str:
        """The folder in which the commands of the side start."""
        return f"{self.checkout}/{self.prefix}".rstrip("/")


@contextmanager
def isolated_sides(
    baseline: str,
    target: str | None,
    scratch: str,
    *,
    repository: str = ".",
    setup: str | None = None,
    timeout: float = 900.0,
    between: Callable[[MeasuredSide], None] = lambda _: None,
) -> Iterator[dict[str, MeasuredSide]]:
    """Check out both versions below ``scratch``, run the setup command in each checkout, and remove them on exit.

    The versions are hashes of commits, which may come from an untrusted report; None is the working tree. ``timeout``
    limits each setup, in seconds. If there is a setup, ``between`` is called with the baseline before the target is
    set up. Raises ProfgateError if a version is not available or a setup fails.
    """
    for commit in (baseline, target):
        if commit is not None:
            _check_commit(commit, repository)
    prefix = quiet_git(repository, "rev-parse", "--show-prefix").removesuffix("\n")
    with ExitStack() as stack:
        sides: dict[str, MeasuredSide] = {}
        for name, commit in (("baseline", baseline), ("target", target)):
            folder = secrets.token_hex(NAME_BYTES)  # no name may show a side which one it is
            root = Path(os.path.realpath(scratch), folder)
            stack.callback(shutil.rmtree, root, ignore_errors=True)
            (root / "bin").mkdir(parents=True)
            # after the setup of the baseline: a build tool that finds its output up to date compares times of files
            place = str(root / folder)
            made = worktree(commit, place, repository) if commit else copied_worktree(place, repository)
            checkout = stack.enter_context(made)
            for command, what in missing_contents(checkout).items() if not sides else ():
                if command not in (setup or ""):
                    sys.stderr.write(f"profgate: {what}; add `{command}` to --setup\n")
            before = states(_files_below(sides["baseline"].root) if sides and setup else ())
            sides[name] = _prepared(name, checkout, prefix, setup, timeout)
            unchanged(before, "--setup", name)
            if setup and name == "baseline":
                between(sides[name])
                sides[name] = replace(sides[name], ready=time.time())
        yield sides


def _check_commit(commit: str, repository: str) -> None:
    if not NAME.fullmatch(commit):  # a shorter hash may be the name of a branch
        raise ProfgateError("commit", f"{commit[:80]!r} is not the whole hash of a commit")
    try:
        git(["cat-file", "-e", f"{commit}^{{commit}}"], repository, environment=without_git(os.environ))
    except ProfgateError as error:
        raise ProfgateError(
            "commit", f"{commit} is not in this repository; fetch the commit (git: {error.what})"
        ) from error


def _prepared(name: str, checkout: str, prefix: str, setup: str | None, timeout: float) -> MeasuredSide:
    side = MeasuredSide(name, os.path.dirname(checkout), checkout, {}, 0.0, prefix)  # noqa: PTH120 - the path is a string
    if not os.path.isdir(confined(side.folder, checkout)):  # noqa: PTH112 - the path is a string
        raise ProfgateError(prefix, f"does not exist in the {name}; start in a folder that both commits have")
    variables = side_environment(side.root, os.environ, cargo=cargo_shares_output(os.environ))
    if setup:
        variables |= python_environment(side.root, side.folder, variables)
        sys.stderr.write(f"profgate: setting up the {name}\n")
        try:
            output_of(["sh", "-ec", setup], side.folder, variables, timeout)
        except ProfgateError as error:
            raise SideError(name, f"--setup, {name}", str(error)) from error
    return replace(side, environment=variables, ready=time.time())


def states(paths: Iterable[str]) -> dict[str, tuple[int, ...] | None]:
    """Return values that change when a file is changed or replaced, by path; None for a missing file."""
    found: dict[str, tuple[int, ...] | None] = {}
    for path in paths:
        with suppress(OSError):
            facts = os.lstat(path)
            # without the time of the inode, which a hard link changes: uv and pnpm link packages of both sides
            found[path] = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
        found.setdefault(path, None)
    return found


def unchanged(before: Mapping[str, tuple[int, ...] | None], during: str, side: str) -> None:
    """Raise SideError if a file of the other side changed while a command of ``side`` ran."""
    if changed := sorted(path for path, state in states(before).items() if state != before[path]):
        what = f"changed {changed[0]} of the other side; each side must leave the files of the other side alone"
        raise SideError(side, f"{during}, {side}", what)


def _files_below(root: str) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        yield from (f"{folder}/{name}" for name in names)
