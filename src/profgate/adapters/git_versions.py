"""The versions of a git repository, and clean worktrees of them."""

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from profgate.errors import ProfgateError
from profgate.model.evolution import Version

PATIENCE = 600  # seconds; a worktree of a large repository takes long
FORMAT = "%H%x1f%h%x1f%D%x1f%s"
OWN_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX")


def without_git(environment: dict[str, str]) -> dict[str, str]:
    """The environment without what a calling git, such as a hook's, says about its own repository."""
    return {name: value for name, value in environment.items() if name not in OWN_VARIABLES}


@dataclass(frozen=True, slots=True)
class Repository:
    """The repository around a folder; ``prefix`` is that folder's path from the top, empty or ending in a slash."""

    top: str
    prefix: str

    def last(self, count: int) -> list[Version]:
        """The last versions on the first parents of HEAD, the oldest first."""
        return self._log(f"--max-count={count}", "HEAD")

    def between(self, first: str, last: str) -> list[Version]:
        """``first``, and every version after it up to ``last``, on first parents."""
        start, end = self._commit(first), self._commit(last)
        return [*self._log("--max-count=1", start), *self._log(end, f"^{start}")]

    def tagged(self, pattern: str) -> list[Version]:
        """The commits of the tags that match, in the order of their version numbers."""
        names = self._git("tag", "--list", "--sort=version:refname", "--", pattern).split("\n")
        return [self.named(name, revision=f"refs/tags/{name}") for name in names if name]

    def named(self, name: str, revision: str | None = None) -> Version:
        """The commit that a name means, under that name."""
        commit = self._commit(revision or name)
        subject = self._log("--max-count=1", commit)[0].subject
        return Version(name if not commit.startswith(name) else commit[:10], commit, subject)

    def patch(self, before: str, after: str) -> str:
        """What changed in the sources between two commits, as a unified diff."""
        how = ("--no-color", "--no-ext-diff", "--no-textconv", "--find-renames", "--full-index")
        return self._git("diff", *how, before, after, "--")

    def is_dirty(self) -> bool:
        """Whether a file that git knows was changed here and not committed."""
        return bool(self._git("status", "--porcelain", "--untracked-files=no", "--ignore-submodules=all"))

    def files(self, commit: str) -> frozenset[str]:
        """The files of a commit, by their paths from the top."""
        return frozenset(filter(None, self._git("ls-tree", "-r", "-z", "--name-only", commit).split("\0")))

    @contextmanager
    def worktree(self, commit: str, place: str) -> Iterator[str]:
        """A clean checkout of a commit in a folder that does not exist yet; gone at the end, however that comes."""
        try:
            self._git("worktree", "add", "--quiet", "--force", "--detach", place, commit)
            yield place
        finally:
            self.drop_worktree(place)

    def drop_worktree(self, place: str) -> None:
        """Removes a worktree, also one that was left half made."""
        shutil.rmtree(place, ignore_errors=True)
        self._git("worktree", "prune")

    def _commit(self, revision: str) -> str:
        if revision.startswith("-"):
            raise ProfgateError(revision, "is no revision: it looks like an option")
        try:
            return self._git("rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
        except ProfgateError:
            shallow = self._git("rev-parse", "--is-shallow-repository").strip() == "true"
            more = "this clone is shallow: git fetch --unshallow --tags" if shallow else "git log and git tag list them"
            raise ProfgateError(revision, f"is no revision here; {more}") from None

    def _log(self, *words: str) -> list[Version]:
        listed = self._git("log", "--first-parent", "--reverse", "-z", f"--format={FORMAT}", *words, "--")
        return [_version(entry) for entry in listed.split("\0") if entry]

    def _git(self, *words: str) -> str:
        return _run_git(self.top, *words)


def repository_around(folder: str) -> Repository:
    """The repository that holds a folder. Raises ProfgateError where there is none, or no git."""
    try:
        said = _run_git(folder, "rev-parse", "--show-toplevel", "--show-prefix")
    except ProfgateError as error:
        if error.where == "git":
            raise
        raise ProfgateError(folder, "stands in no git repository; --releases tracks versions without one") from None
    top, prefix = [*said.split("\n"), ""][:2]
    return Repository(top, prefix)


def _version(entry: str) -> Version:
    commit, short, decorations, subject = entry.split("\x1f", 3)
    tags = [name.removeprefix("tag: ") for name in decorations.split(", ") if name.startswith("tag: ")]
    return Version(tags[0] if tags else short, commit, subject)


def _run_git(folder: str, *words: str) -> str:
    git = shutil.which("git")
    if git is None:
        raise ProfgateError("git", "is not installed; --releases tracks versions without it")
    # hooks of the repository belong to its users' work, not to a measurement
    command: Sequence[str] = [git, "-C", folder, "-c", f"core.hooksPath={os.devnull}", *words]
    environment = without_git(dict(os.environ)) | {"LC_ALL": "C.UTF-8"}
    try:
        done = subprocess.run(  # noqa: S603 - a program of this machine, its words checked above
            command, capture_output=True, timeout=PATIENCE, env=environment, stdin=subprocess.DEVNULL, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ProfgateError(f"git {words[0]}", f"did not end well ({error}); try it by hand") from error
    if done.returncode != 0:
        reason = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        raise ProfgateError(f"git {words[0]}", f"{reason or 'failed'}; try it by hand in {Path(folder).name}")
    return done.stdout.decode("utf-8", "replace")
