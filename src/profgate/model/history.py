"""What the history holds: commits, the jobs that measured them, readings with their columns, verdicts and records.

A reading is one file of one workload; its columns hold, for each metric, the total and the cost of each symbol. Test
durations and wall times are readings too: the tests or benchmarks are the symbols.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from profgate.model.arrays import IntArray
from profgate.model.profile import Configuration, Facts
from profgate.model.units import Metric

SymbolKey = tuple[str, str | None]  # normalised name and file


@dataclass(frozen=True, slots=True)
class StoredCommit:
    """A commit as the graph of checks draws it; ``time`` is the committer's, in seconds since 1970, 0 = unknown."""

    sha: str
    parents: tuple[str, ...] = ()
    time: int = 0
    title: str = ""


@dataclass(frozen=True, slots=True)
class StoredJob:
    """Who measured: ``identity`` is run, attempt and job as the manifest writes them, "" where no job is known."""

    identity: str = ""
    ref: str = ""
    event: str = ""


@dataclass(frozen=True, slots=True)
class Series:
    """What makes readings comparable: the ``key`` is equal exactly where a comparison would pair them.

    ``workload`` is the name a report shows.
    """

    key: str
    workload: str
    configuration: Configuration = field(default_factory=Configuration)
    format: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """One metric of one reading, in stored units (``metric.exponent``).

    ``own``, ``total`` and ``calls`` are int64[symbol]; calls None where nothing counted them. ``whole`` False: only the
    heaviest symbols are left, while ``sum`` is still that of all. ``period``: the value of a sample.
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
    """The verdict on one comparison.

    ``kind``: ``gate`` for a product change, ``unchanged`` where both sides were the same code. ``baseline`` and
    ``target`` are commits. ``reds`` and ``comparisons`` count findings that were red and pairs that were compared;
    ``report`` is the report's JSON, "" where it is not stored.
    """

    kind: str
    baseline: str
    target: str
    job: str
    conclusion: str
    reds: int
    comparisons: int
    report: str = ""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """What one strategy found between two commits of one series, as JSON text; a later one replaces it."""

    baseline: str
    target: str
    series: str
    strategy: str
    content: str


@dataclass(frozen=True, slots=True)
class Retention:
    """How much a history holds: all symbols of so many newest runs, then the heaviest symbols and the totals.

    A run is what one job measured at one commit. ``profiles`` and ``reports`` are whole for so many newest runs.
    Beyond ``names`` names of symbols, unused ones are removed.
    """

    runs: int = 200
    symbols: int = 8
    profiles: int = 50
    reports: int = 200
    names: int = 100_000
