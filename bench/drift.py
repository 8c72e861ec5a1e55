"""Find planted drift in histories of recorded runs: ./run bench drift FOLDER... [--runs 20] [--histories 20].

Each FOLDER contains recordings of one unchanged program, such as several jobs of five runs, one subfolder for each job.
A history has 60 commits; the job of a commit is a recorded job, of whose runs so many are drawn with replacement. Each
history is judged unchanged, and with the plants: 3 commits that add 3 % of the run to a function, and 9 that add 0.5 %.
What is added is the cost of the function in further recorded runs, so that its noise is recorded, too. The functions
are drawn among those with at least 1 % of the run: one for each plant ("spread") or one for all ("one").

A history counts as found if the drift fails at 5 %, and as named if the three largest plants are the three largest
steps. The noise is that of the recordings, so no distribution is assumed; jobs of other machines are not recorded.
"""

import argparse
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import numpy as np

from profgate.history.drift import drift_of
from profgate.history.stored_sides import readings
from profgate.history.trends import lines_of
from profgate.loading import profiles_at
from profgate.model.arrays import read_only
from profgate.model.change import Kind
from profgate.model.history import Column, Reading, StoredCommit, SymbolKey
from profgate.model.policy import DriftRule, Policy
from profgate.model.record import replace
from profgate.model.report import MetricReport

COMMITS = 60
PLANTS = [0.03] * 3 + [0.005] * 9
LEAST = 0.01  # smallest share of the run of a function with a plant
Plant = tuple[int, float, SymbolKey]  # commit from which on it counts, share of the run, and function


def main(words: list[str]) -> int:
    """Print the table of all programs."""
    parser = argparse.ArgumentParser(prog="bench drift", description=__doc__)
    parser.add_argument("folders", nargs="+", metavar="FOLDER")
    parser.add_argument("--runs", type=int, default=20, help="runs of a job (default: %(default)s)")
    parser.add_argument("--histories", type=int, default=20, help="of each kind (default: %(default)s)")
    arguments = parser.parse_args(words)
    print(f"{'program':40} {'samples':>8} {'noise':>7} {'unchanged':>10} {'kind':>7} {'found':>7} {'named':>7}")
    sums = defaultdict[str, list[int]](lambda: [0, 0, 0])
    for folder in arguments.folders:
        recorded = _Recorded(Path(folder))
        chance = np.random.default_rng(0)
        false = [recorded.judged(chance, arguments.runs, []) for _ in range(arguments.histories)]
        red = sum(map(_fails, false))
        for kind in ("spread", "one"):
            found = named = 0
            for _ in range(arguments.histories):
                plants = recorded.plants(chance, one=kind == "one")
                report = recorded.judged(chance, arguments.runs, plants)
                found += _fails(report)
                named += _names(report, plants)
            noise = np.median([_bound(report) for report in false]) / 4
            print(
                f"{folder[-40:]:40} {recorded.samples * arguments.runs:8,.0f} {noise:7.2%} "
                f"{red:>7}/{len(false)} {kind:>7} {found:>4}/{len(false)} {named:>4}/{len(false)}",
                flush=True,
            )
            sums[kind] = [old + new for old, new in zip(sums[kind], (len(false), found, named), strict=True)]
        sums["unchanged"] = [old + new for old, new in zip(sums["unchanged"], (len(false), red, 0), strict=True)]
    for kind, (number, found, named) in sums.items():
        print(f"{kind}: {found} of {number} fail" + (f", {named} named" if kind != "unchanged" else ""))
    return 0


class _Recorded:
    """The recorded jobs of one program, by the metric of its first reading."""

    def __init__(self, folder: Path) -> None:
        jobs = [place for place in sorted(folder.iterdir()) if place.is_dir()]
        made = [readings(profiles_at(str(place))[0], Policy(), "", "", keep=False) for place in jobs]
        key = made[0][0].series.key
        self.jobs = [[reading for reading in job if reading.series.key == key] for job in made]
        self.jobs = [job for job in self.jobs if job]
        metric = self.jobs[0][0].columns[0].metric.name
        every = [_column(reading, metric) for job in self.jobs for reading in job]
        self.metric, self.samples = metric, float(np.mean([column.sum for column in every]))
        cost = defaultdict[SymbolKey, float](float)
        for column in every:
            for function, own in zip(column.symbols, column.own.tolist(), strict=True):
                cost[function] += own / len(every)
        self.functions = [function for function, own in cost.items() if own >= LEAST * self.samples]
        self.cost = cost

    def plants(self, chance: np.random.Generator, *, one: bool) -> list[Plant]:
        """Draw the commits and the functions of the plants."""
        places = chance.choice(np.arange(2, COMMITS - 2), len(PLANTS), replace=False).tolist()
        chosen = chance.integers(0, len(self.functions), len(PLANTS)).tolist()
        if one:
            chosen = chosen[:1] * len(PLANTS)
        return [
            (place, share, self.functions[number]) for place, share, number in zip(places, PLANTS, chosen, strict=True)
        ]

    def judged(self, chance: np.random.Generator, runs: int, plants: list[Plant]) -> MetricReport:
        """Judge one history."""
        line, made = [f"{number:040x}" for number in range(COMMITS)], []
        for number, sha in enumerate(line):
            job = self.jobs[int(chance.integers(len(self.jobs)))]
            factors = defaultdict[SymbolKey, float](lambda: 1.0)
            for place, share, function in plants:
                if number >= place:
                    factors[function] += share * self.samples / self.cost[function]
            for draw in chance.integers(0, len(job), runs).tolist():
                column = self._planted(_column(job[draw], self.metric), factors, job, chance)
                made.append(replace(job[draw], commit=sha, job=str(number), columns=(column,)))
        (metric,) = lines_of(made, line)
        graph = {sha: StoredCommit(sha, (before,)) for before, sha in pairwise(line)}
        return drift_of(metric, line[:1], graph, DriftRule())

    def _planted(
        self, column: Column, factors: dict[SymbolKey, float], job: list[Reading], chance: np.random.Generator
    ) -> Column:
        """Multiply the self cost of functions by adding their cost in as many further runs; the last one in part."""
        own = column.own.astype(np.float64)
        for function, factor in factors.items():
            if function in column.symbols:
                for part in np.diff(np.minimum(np.arange(np.ceil(factor) + 1), factor))[1:]:
                    other = _column(job[int(chance.integers(len(job)))], self.metric)
                    cost = other.own[list(other.symbols).index(function)] if function in other.symbols else 0
                    own[list(column.symbols).index(function)] += part * cost * column.sum / other.sum
        whole = np.floor(own + chance.random(len(own))).astype(np.int64)
        return replace(column, own=read_only(whole), sum=column.sum + int((whole - column.own).sum()))


def _column(reading: Reading, metric: str) -> Column:
    return next(column for column in reading.columns if column.metric.name == metric)


def _bound(report: MetricReport) -> float:
    return report.unjudged[0].changes[0].result.bound or 0.0  # type: ignore[union-attr]


def _fails(report: MetricReport) -> bool:
    return report.unjudged[0].changes[0].kind == Kind.TOTAL_DEGRADATION.word


def _names(report: MetricReport, plants: list[Plant]) -> bool:
    return {int(step.commit, 16) for step in report.steps[:3]} == {place for place, *_ in plants[:3]}
