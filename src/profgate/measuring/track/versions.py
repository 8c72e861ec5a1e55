"""Versions in a git repository, the values measured for them, and the jumps between them."""

from typing import Literal

from profgate.errors import ProfgateError
from profgate.io.worktrees import quiet_git
from profgate.model.arrays import FloatArray, IntArray
from profgate.model.reason import Reason
from profgate.model.record import Record
from profgate.model.units import Metric


class Version(Record):
    """A version to measure."""

    name: str
    commit: str
    subject: str = ""


class BenchmarkValue(Record):
    """Result of one run for one benchmark and metric. ``value`` is in the unit of the metric.

    ``file`` and ``line`` locate the benchmark, and ``source`` is a digest of its source code. Unknown fields are None.
    """

    benchmark: str
    metric: Metric
    value: float
    file: str | None = None
    line: int | None = None
    source: str | None = None


class TrackRun(Record):
    """A finished run of a version. ``problem`` explains why the run has no values."""

    values: tuple[BenchmarkValue, ...] = ()
    seconds: float = 0.0
    machine: str = ""
    problem: str = ""
    warnings: tuple[str, ...] = ()


class MeasuredVersion(Record):
    """A version with the values of each run on ``machine``. ``problem`` explains why there are no values."""

    version: Version
    runs: tuple[tuple[BenchmarkValue, ...], ...] = ()
    problem: str = ""
    machine: str = ""
    warnings: tuple[str, ...] = ()


class EvolutionLine(Record, eq=False):
    """The values of one benchmark and metric over all versions.

    ``middle``, ``low`` and ``high`` (float64) are the median, smallest and largest value of each version, NaN without
    values. ``count`` (int64) is the number of values. ``breaks`` are the versions in which the benchmark's source
    changed. ``source_known`` is False if the source is unknown in all versions.
    """

    benchmark: str
    metric: Metric
    middle: FloatArray
    low: FloatArray
    high: FloatArray
    count: IntArray
    breaks: tuple[int, ...] = ()
    source_known: bool = False


class Jump(Record):
    """A change in line number ``line`` that exceeds the noise, from version number ``baseline`` to ``target``.

    ``ratio`` is the change divided by the baseline value, or None if the baseline value is zero. ``noise`` is the
    standard error of the change in natural logarithms (0 if the values do not vary).
    """

    line: int
    baseline: int
    target: int
    from_value: float
    to_value: float
    ratio: float | None
    direction: Literal["worse", "better"]
    noise: float


class Evolution(Record):
    """The lines of all benchmarks, sorted by benchmark and metric, and their jumps, largest first.

    ``title`` is the name of the program, ``metric`` the one to show first, ``measured`` all versions in order, and
    ``command`` what was measured.
    """

    title: str
    measured: tuple[MeasuredVersion, ...]
    lines: tuple[EvolutionLine, ...]
    jumps: tuple[Jump, ...]
    metric: str
    notes: tuple[Reason, ...] = ()
    command: str = ""

    def first_jumps(self) -> list[tuple[int, Jump]]:
        """Return the jumps of the metric that is shown first, with their indices in ``jumps``."""
        return [
            (number, jump) for number, jump in enumerate(self.jumps) if self.lines[jump.line].metric.name == self.metric
        ]


FORMAT = "%H%x1f%h%x1f%D%x1f%s"


class TrackedRepository(Record):
    """The repository that contains a folder. ``prefix`` is the path of the folder below ``top``, such as ``bench/``."""

    top: str
    prefix: str

    @property
    def name(self) -> str:
        """Name of the repository: the last part of the URL of ``origin`` or, without a URL, the top folder's name."""
        try:
            place = quiet_git(self.top, "remote", "get-url", "origin").strip()
        except ProfgateError:
            place = self.top
        return place.rstrip("/").replace(":", "/").rpartition("/")[2].removesuffix(".git") or self.top

    def last(self, count: int) -> list[Version]:
        """Return the last ``count`` versions in the first-parent history of HEAD, oldest first."""
        return self._log(f"--max-count={count}", "HEAD")

    def between(self, first: str, last: str) -> list[Version]:
        """Return ``first`` and the versions after it in the first-parent history of ``last``, oldest first."""
        start, end = self._commit(first), self._commit(last)
        if start == end:
            raise ProfgateError(
                f"{first}..{last}", "is a single version; name two different ones, such as HEAD~5..HEAD"
            )
        return [*self._log("--max-count=1", start), *self._log(end, f"^{start}")]

    def tagged(self, pattern: str) -> list[Version]:
        """Return the commits of the matching tags, sorted by version number."""
        names = quiet_git(self.top, "tag", "--list", "--sort=version:refname", "--", pattern).split("\n")
        return [self.named(name, revision=f"refs/tags/{name}") for name in names if name]

    def named(self, name: str, revision: str | None = None) -> Version:
        """Return the version with this name. The commit is resolved from ``revision``, which defaults to the name."""
        commit = self._commit(revision or name)
        subject = self._log("--max-count=1", commit)[0].subject
        return Version(name if not commit.startswith(name) else commit[:10], commit, subject)

    def is_dirty(self) -> bool:
        """Return whether a tracked file has uncommitted changes."""
        how = ("--porcelain", "--untracked-files=no", "--ignore-submodules=all")
        return bool(quiet_git(self.top, "status", *how, filters=False))

    def files(self, commit: str) -> frozenset[str]:
        """Return the paths of all files in a commit, relative to the top folder."""
        return frozenset(filter(None, quiet_git(self.top, "ls-tree", "-r", "-z", "--name-only", commit).split("\0")))

    def _commit(self, revision: str) -> str:
        if revision.startswith("-"):
            raise ProfgateError(revision, "is not a revision: it looks like an option")
        try:
            return quiet_git(self.top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}").strip()
        except ProfgateError:
            shallow = quiet_git(self.top, "rev-parse", "--is-shallow-repository").strip() == "true"
            more = "this clone is shallow: git fetch --unshallow --tags" if shallow else "git log and git tag list them"
            raise ProfgateError(revision, f"is not a revision here; {more}") from None

    def _log(self, *arguments: str) -> list[Version]:
        listed = quiet_git(self.top, "log", "--first-parent", "--reverse", "-z", f"--format={FORMAT}", *arguments, "--")
        versions = []
        for entry in filter(None, listed.split("\0")):
            commit, short, decorations, subject = entry.split("\x1f", 3)
            decoration = f", {decorations}".partition(", tag: ")[2]  # the first tag
            versions.append(Version(decoration.partition(", ")[0] or short, commit, subject))
        return versions


def repository_around(folder: str) -> TrackedRepository:
    """Return the repository that contains a folder. Raises ProfgateError if there is none or git fails."""
    try:
        top, prefix, *_ = [*quiet_git(folder, "rev-parse", "--show-toplevel", "--show-prefix").split("\n"), ""]
    except ProfgateError as error:
        if error.where == "git":
            raise
        raise ProfgateError(folder, "is not in a git repository; start in the repository to measure") from None
    return TrackedRepository(top, prefix)
