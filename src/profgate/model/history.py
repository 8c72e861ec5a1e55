"""The content of the history: commits, the jobs that measured them, readings with their columns, and verdicts.

A reading is one file of one workload; its columns hold, for each metric, the total and the cost of each symbol. For
test durations and wall times, the symbols are the tests or benchmarks.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from profgate.model.arrays import IntArray
from profgate.model.profile import Configuration, Facts
from profgate.model.units import Metric

SymbolKey = tuple[str, str | None]  # normalised name and file


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit; ``time`` is the committer date in seconds since 1970 (0 = unknown)."""

    sha: str
    parents: tuple[str, ...] = ()
    time: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """The job that measured; ``identity`` is run, attempt and job as in the manifest, "" if unknown."""

    identity: str = ""
    ref: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """The series of a reading: a comparison pairs readings with equal ``key``; reports show the name ``workload``."""

    key: str
    workload: str
    configuration: Configuration = field(default_factory=Configuration)
    format: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One metric of one reading, in stored units (``metric.exponent``).

    ``own``, ``total`` and ``calls`` are int64[symbol]; calls is None if they were not counted. ``whole`` is False if
    only the heaviest symbols are stored; ``sum`` covers all symbols. ``period`` is the value of a sample.
    """

    metric: Metric
    sum: int
    symbols: Sequence[SymbolKey]
    own: IntArray
    total: IntArray
    calls: IntArray | None = None
    whole: bool = True
    period: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """One file of one workload at one commit.

    ``run`` distinguishes the files of one job; commit, series, job and run together identify a reading. ``profile`` is
    the file itself under its ``name``, None if it is not stored.
    """

    commit: str
    series: Series
    run: str
    columns: tuple[Column, ...]
    job: StoredJob = field(default_factory=StoredJob)
    facts: Facts = field(default_factory=Facts)
    name: str = ""
    profile: bytes | None = None


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """The verdict of the gate on two sides with identical code, the commits ``baseline`` and ``target``.

    ``reds`` is the number of red findings, ``comparisons`` that of compared pairs.
    """

    baseline: str
    target: str
    job: str
    conclusion: str
    reds: int
    comparisons: int


@dataclass(frozen=True, slots=True)
class Retention:
    """The size limits of a history: all symbols for the newest ``runs``, then the ``symbols`` heaviest and the totals.

    A run is the measurement of one commit by one job. Profiles are stored for the newest ``profiles`` runs. Unused
    symbol names are removed once there are more than ``names``.
    """

    runs: int = 200
    symbols: int = 8
    profiles: int = 50
    names: int = 100_000
