"""What profgate said of a pull request, what each rule said, and how often that was right."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from profgate.model.kinds import BY_WORD, WORSE
from profgate.model.report import MetricReport, Report

JUDGE = "profgate"
COUNTS = ("red", "told", "shown", "listed_there", "gated_there")
NINETY_FIVE = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Word:
    """Places called slower, as (workload, name): shown to the reader, and strong enough to fail the check.

    ``better`` counts the places shown as faster.
    """

    listed: frozenset[tuple[str, str]]
    gated: frozenset[tuple[str, str]]
    better: int = 0


def judged(report: Report) -> Word:
    """The judge's word: yellow and red findings for the worse, and red ones."""
    findings = [
        (workload.name, finding)
        for workload in report.workloads
        for metric in workload.metrics
        for finding in metric.findings
    ]
    return Word(
        frozenset((name, one.location.name) for name, one in findings if one.colour in {"yellow", "red"}),
        frozenset((name, one.location.name) for name, one in findings if one.colour == "red"),
        sum(one.colour == "green" for _, one in findings),
    )


def strategy_words(metrics: Mapping[str, MetricReport], names: Sequence[str]) -> dict[str, Word | None]:
    """The own word of each strategy named; alone, nobody tells its weak words for the worse from its strong ones.

    None where it could tell nothing of any workload.
    """
    found: dict[str, Word | None] = {}
    for name in names:
        worse = frozenset(
            (workload, change.location.name)
            for workload, metric in metrics.items()
            for change in metric.changes
            if change.strategy == name and BY_WORD[change.kind] in WORSE
        )
        silent = all(
            any(reason.startswith(f"{name}:") for reason in (*metric.cannot_tell, *metric.unsuited))
            for metric in metrics.values()
        )
        found[name] = None if silent else Word(worse, worse)
    return found


@dataclass(slots=True)
class Tally:
    """Pull requests of one cell under one rule: red, told of anything worse, shown anything; and false rows in all."""

    tried: int = 0
    red: int = 0
    told: int = 0
    shown: int = 0
    rows: int = 0
    listed_there: int = 0
    gated_there: int = 0

    def add(self, word: Word, truth: frozenset[tuple[str, str]]) -> None:
        """One pull request; ``truth`` holds the places where a slowdown may rightly be told."""
        self.tried += 1
        self.red += bool(word.gated)
        self.told += bool(word.listed)
        self.shown += bool(word.listed or word.better)
        self.rows += len(word.listed - truth)
        self.listed_there += bool(word.listed & truth)
        self.gated_there += bool(word.gated & truth)

    def merged(self, other: "Tally") -> "Tally":
        """The counts of both."""
        return Tally(*(getattr(self, name) + getattr(other, name) for name in Tally.__slots__))


def wilson(hits: int, tried: int) -> tuple[float, float]:
    """95 % interval of a rate."""
    if tried == 0:
        return 0.0, 1.0
    rate, square = hits / tried, NINETY_FIVE**2
    centre = (rate + square / (2 * tried)) / (1 + square / tried)
    half = NINETY_FIVE / (1 + square / tried) * math.sqrt(rate * (1 - rate) / tried + square / (4 * tried**2))
    low, high = centre - half, centre + half
    return (0.0 if hits == 0 else low), (1.0 if hits == tried else high)


@dataclass(slots=True)
class Result:
    """One cell of the lab: its facts and a tally for each rule; a rule that cannot speak there has none."""

    cell: dict[str, Any]
    tallies: dict[str, Tally] = field(default_factory=dict)

    def add(self, words: Mapping[str, Word | None], truth: frozenset[tuple[str, str]]) -> None:
        """One pull request under every rule that can speak."""
        for name, word in words.items():
            if word is not None:
                self.tallies.setdefault(name, Tally()).add(word, truth)

    def as_json(self) -> dict[str, Any]:
        """Plain numbers with their 95 % intervals."""
        return self.cell | {"rules": {name: _record(tally) for name, tally in self.tallies.items()}}


def _record(tally: Tally) -> dict[str, Any]:
    rates = {
        name: [getattr(tally, name), *(round(bound, 4) for bound in wilson(getattr(tally, name), tally.tried))]
        for name in COUNTS
    }
    return {"tried": tally.tried, "rows": tally.rows, **rates}
