"""The runner of ``measure``, ``confirm``, ``track`` and the trial of ``init``: versions of a project in checkouts.

Each checkout has its own environment and build output. Git runs no hooks and filters, commands have a time limit, and
all their processes have ended afterwards.
"""

import os
import secrets
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from profgate.errors import ProfgateError, SetupError, SideError
from profgate.io.files import confined
from profgate.io.git import NAME, git, without_git
from profgate.io.processes import Outcome, run_command, variables
from profgate.io.scratch import end_marked
from profgate.io.worktrees import copied_worktree, missing_contents, quiet_git, worktree
from profgate.measuring.side_environment import python_environment, side_environment
from profgate.model.record import Record, replace


class Checkout(Record):
    """A version of a project, all of which is below ``root``, a resolved path.

    Commands start in the folder that corresponds to the current folder of the user, ``prefix`` below ``place``, with
    the additional variables of ``environment``. ``ready`` is the time at which the setup ended, in seconds since 1970.
    """

    name: str
    root: str
    place: str
    environment: Mapping[str, str]
    prefix: str = ""
    ready: float = 0.0

    @property
    def folder(self) -> str:
        """The folder in which commands start."""
        return f"{self.place}/{self.prefix}".rstrip("/")

    def run(
        self,
        words: Sequence[str],
        timeout: float,
        values: Mapping[str, str] | None = None,
        log: str = "",
        on_start: Callable[[int], None] = lambda _: None,
    ) -> Outcome:
        """Run a command, with values such as ``out`` as variables such as ``PROFGATE_OUT``.

        If there is such a value, processes that left the group of the command are ended, too.
        """
        given = variables(values or {})
        try:
            return run_command(
                words,
                folder=self.folder,
                environment={**without_git(os.environ), **self.environment, **given},
                log=log or f"{self.root}/log",
                timeout=timeout,
                on_start=on_start,
            )
        finally:
            if "PROFGATE_OUT" in given and (ended := end_marked(f"PROFGATE_OUT={given['PROFGATE_OUT']}")):
                count = f"{ended} process{'es' if ended > 1 else ''}"
                sys.stderr.write(f"profgate: ended {count} that a run of the {self.name} left behind\n")

    def set_up(
        self, setup: str | None, timeout: float, meanwhile: Callable[[int], None] = lambda _: None
    ) -> "Checkout":
        """Run a shell command that installs and builds what the version needs. Raises SetupError if it fails.

        Programs in Python are installed into a virtual environment of the checkout. ``meanwhile`` is called while the
        command runs.
        """
        environment = dict(self.environment)
        if setup:
            environment |= python_environment(self.root, self.folder, environment)
            sys.stderr.write(f"profgate: setting up the {self.name}\n")
            prepared = replace(self, environment=environment)
            outcome = prepared.run(["sh", "-ec", setup], timeout, on_start=meanwhile)
            if outcome.failure:
                raise SetupError(self.name, f"--setup, {self.name}", f"{setup[:200]}: {outcome.explained(self.folder)}")
        return replace(self, environment=environment, ready=self.ready or time.time())

    def report_missing(self, setup: str | None) -> None:
        """Report files of Git LFS and submodules that the setup does not fetch."""
        for command, what in missing_contents(self.place).items():
            if command not in (setup or ""):
                sys.stderr.write(f"profgate: {what}; add `{command}` to --setup\n")


@contextmanager
def checked_out(
    name: str, commit: str | None, root: str, repository: str = ".", *, untracked: bool = True
) -> Iterator[Checkout]:
    """Check out a commit, or copy the working tree, below the new folder ``root``, and remove the folder on exit.

    A copy contains ``untracked`` files, but none that git ignores. Raises ProfgateError if the commit is missing, or if
    it does not contain the current folder.
    """
    root = os.path.realpath(root)
    place = f"{root}/{os.path.basename(root)}"  # noqa: PTH119 - the path is a string
    prefix = quiet_git(repository, "rev-parse", "--show-prefix").removesuffix("\n")
    try:
        Path(root, "bin").mkdir(parents=True)
        made = (
            worktree(commit, place, repository) if commit else copied_worktree(place, repository, untracked=untracked)
        )
        with made:
            checkout = Checkout(name, root, place, side_environment(root, os.environ), prefix)
            if not Path(confined(checkout.folder, place)).is_dir():
                what = f"does not exist in the {name}; start in a folder that all measured versions have"
                raise ProfgateError(prefix, what)
            yield checkout
    finally:
        shutil.rmtree(root, ignore_errors=True)


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
    together: bool = False,
) -> Iterator[dict[str, Checkout]]:
    """Check out both versions below ``scratch``, run the setup command in each checkout, and remove them on exit.

    The versions are hashes of commits, which may come from an untrusted report; None is the working tree. ``timeout``
    limits each setup, in seconds. If there is a setup, ``between`` is called with the baseline before the target is
    set up, unless both are set up ``together``. Raises ProfgateError if a version is not available, and SideError if a
    setup fails or changes the other side.
    """
    _check_commit(baseline, repository)
    if target is not None:
        _check_commit(target, repository)
    with ExitStack() as stack:
        sides: dict[str, Checkout] = {}

        def checkout(name: str, commit: str | None) -> Checkout:
            # no name may show a side which one it is, and the length of a path may affect a measurement
            root = f"{scratch}/{secrets.token_hex(4)}"
            return stack.enter_context(checked_out(name, commit, root, repository))

        first, began = checkout("baseline", baseline), time.time()
        first.report_missing(setup)
        if setup and together:
            second, failures = checkout("target", target), list[SideError]()

            def set_up_baseline(_: int) -> None:
                try:
                    sides["baseline"] = replace(first, ready=began).set_up(setup, timeout)
                except SideError as error:  # the other setup must end, because it may install packages of the system
                    failures.append(error)

            after = second.set_up(setup, timeout, set_up_baseline)
            if failures:
                raise failures[0]
            _check_links(sides["baseline"], after, began)
        else:
            sides["baseline"] = first.set_up(setup, timeout)
            if setup:
                between(sides["baseline"])
                sides["baseline"] = replace(sides["baseline"], ready=time.time())
            # after the setup of the baseline: a build tool that finds its output up to date compares times of files
            second = checkout("target", target)
            before = states(files_below(first.root) if setup else ())
            after = second.set_up(setup, timeout)
            unchanged(before, "--setup", "target")
        yield {**sides, "target": after}


def _check_links(baseline: Checkout, target: Checkout, since: float) -> None:
    """Raise SetupError if a file that is linked into both sides was written since a time."""
    linked = {state[0] for state in states(files_below(target.root)).values() if state}
    for path, state in states(files_below(baseline.root)).items():
        if state and state[0] in linked and state[2] >= since * 1e9:
            raise SetupError("target", "--setup, target", f"changed {path} of the other side")


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


def files_below(root: str) -> Iterator[str]:
    """Yield the paths of all files and links below a folder."""
    for folder, _, names in os.walk(root):
        for name in names:
            yield f"{folder}/{name}"
