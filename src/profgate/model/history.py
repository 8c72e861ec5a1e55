"""What the history holds: commits, the jobs that measured them, readings with their columns, and verdicts.

A reading is one file of one workload; its columns hold, for each metric, the total and the cost of each symbol. Of test
durations and wall times, the tests or benchmarks are the symbols.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from profgate.model.arrays import IntArray
from profgate.model.profile import Configuration, Facts
from profgate.model.units import Metric

SymbolKey = tuple[str, str | None]  # normalised name and file


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit; ``time`` is the committer's, in seconds since 1970, 0 = unknown."""

    sha: str
    parents: tuple[str, ...] = ()
    time: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """The job that measured: ``identity`` is run, attempt and job as in the manifest, "" where unknown."""

    identity: str = ""
    ref: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """Readings that a comparison would pair have the same ``key``; ``workload`` is the name in reports."""

    key: str
    workload: str
    configuration: Configuration = field(default_factory=Configuration)
    format: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One metric of one reading, in stored units (``metric.exponent``).

    ``own``, ``total`` and ``calls`` are int64[symbol]; calls None where they were not counted. ``whole`` False: only
    the heaviest symbols are left, ``sum`` is of all. ``period``: the value of a sample.
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

    ``run`` distinguishes the files of one job; the same commit, series, job and run are the same reading. ``profile``
    is the file itself with its ``name``, None where it is not stored.
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
    """The gate's verdict on two sides of equal code, of the commits ``baseline`` and ``target``.

    ``reds`` is the number of red findings, ``comparisons`` of compared pairs.
    """

    baseline: str
    target: str
    job: str
    conclusion: str
    reds: int
    comparisons: int


@dataclass(frozen=True, slots=True)
class Retention:
    """How much a history holds: all symbols of the newest ``runs``, then the ``symbols`` heaviest ones and the totals.

    A run is what one job measured at one commit. Profiles are stored for the newest ``profiles`` runs. Beyond ``names``
    names of symbols, unused ones are removed.
    """

    runs: int = 200
    symbols: int = 8
    profiles: int = 50
    names: int = 100_000
