"""Records in the history: commits, the jobs that measured them, readings and verdicts.

A reading is one file of one workload and has one column per metric, with the total and the cost of each symbol. For
test durations and wall times, the symbols are tests or benchmarks.
"""

from collections.abc import Mapping, Sequence

from profgate.model.arrays import IntArray
from profgate.model.profile import Configuration, Facts
from profgate.model.record import Record
from profgate.model.units import Metric

SymbolKey = tuple[str, str | None]  # normalised name and file


class StoredCommit(Record):
    """A commit. ``time`` is the committer date in seconds since 1970, or 0 if it is unknown."""

    sha: str
    parents: tuple[str, ...] = ()
    time: int = 0
    title: str = ""


class Series(Record):
    """The series of a reading. Readings with the same ``key`` are compared, and reports show ``workload``."""

    key: str
    workload: str
    configuration: Configuration = Configuration()
    format: str = ""


class Column(Record, eq=False):
    """One metric of one reading, in stored units (``metric.exponent``).

    ``own``, ``total`` and ``calls`` are int64 arrays with one element per symbol. ``calls`` is None if calls were not
    counted. ``period`` is the value of one sample.
    """

    metric: Metric
    sum: int
    symbols: Sequence[SymbolKey]
    own: IntArray
    total: IntArray
    calls: IntArray | None = None
    period: int | None = None


class Reading(Record, eq=False):
    """One file of one workload at one commit.

    ``job`` is the run, attempt and job in the manifest, or "" if unknown; ``run`` distinguishes its files. Commit,
    series, job and run together identify a reading. ``profile`` is the content of the file with this ``name``, or None
    if it is not stored.
    """

    commit: str
    series: Series
    run: str
    columns: tuple[Column, ...]
    job: str = ""
    facts: Facts = Facts()
    name: str = ""
    profile: bytes | None = None


class Recorded(Record):
    """The functions of a workload with their largest shares of a run, and whether all their calls were counted."""

    shares: Mapping[SymbolKey, float]
    counted: bool


class Retention(Record):
    """The size limits of a history.

    A run is the measurement of one commit by one job. The newest ``runs`` runs are stored, and the profiles of the
    newest ``profiles`` runs. Unused symbol names are removed if there are more than ``names`` names.
    """

    runs: int = 200
    profiles: int = 50
    names: int = 100_000
