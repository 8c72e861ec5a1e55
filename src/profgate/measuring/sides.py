"""Two versions of a project, each with its own checkout, environment and build output."""

import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace

from profgate.errors import ProfgateError, SideError
from profgate.io.git import NAME, git, without_git
from profgate.measuring.checkouts import Checkout, checked_out

SIDES = ("baseline", "target")


@contextmanager
def isolated_sides(
    baseline: str,
    target: str | None,
    scratch: str,
    *,
    repository: str = ".",
    setup: str | None = None,
    timeout: float = 900.0,
    between: Callable[[Checkout], None] = lambda _: None,
) -> Iterator[dict[str, Checkout]]:
    """Check out both versions below ``scratch``, run the setup command in each checkout, and remove them on exit.

    The versions are hashes of commits, which may come from an untrusted report; None is the working tree. ``timeout``
    limits each setup, in seconds. If there is a setup, ``between`` is called with the baseline before the target is
    set up. Raises ProfgateError if a version is not available or a setup fails.
    """
    _check_commit(baseline, repository)
    if target is not None:
        _check_commit(target, repository)
    with ExitStack() as stack:
        sides: dict[str, Checkout] = {}
        for name, commit in zip(SIDES, (baseline, target), strict=True):
            # no name may show a side which one it is, and the length of a path may affect a measurement
            root = f"{scratch}/{secrets.token_hex(4)}"
            # after the setup of the baseline: a build tool that finds its output up to date compares times of files
            checkout = stack.enter_context(checked_out(name, commit, root, repository))
            if not sides:
                checkout.report_missing(setup)
            before = states(_files_below(sides["baseline"].root) if sides and setup else ())
            sides[name] = checkout.set_up(setup, timeout)
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
        what = f"{commit} is not in this repository; fetch the commit (git: {error.what})"
        raise ProfgateError("commit", what) from error


def states(paths: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """Return values that change when a file is changed or replaced, by path; empty for a missing file."""
    found: dict[str, tuple[int, ...]] = {}
    for path in paths:
        found[path] = ()
        with suppress(OSError):
            facts = os.lstat(path)
            # without the time of the inode, which a hard link changes: uv and pnpm link packages of both sides
            found[path] = (facts.st_ino, facts.st_size, facts.st_mtime_ns)
    return found


def unchanged(before: Mapping[str, tuple[int, ...]], during: str, side: str) -> None:
    """Raise SideError if a file of the other side changed while a command of ``side`` ran."""
    after = states(before)
    for path in sorted(before):
        if after[path] != before[path]:
            what = f"changed {path} of the other side; each side must leave the files of the other side alone"
            raise SideError(side, f"{during}, {side}", what)


def _files_below(root: str) -> Iterator[str]:
    for folder, _, names in os.walk(root):
        for name in names:
            yield f"{folder}/{name}"
