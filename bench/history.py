"""Fill a history as base runs do and time queries: ./run bench history [--commits 500] [--workloads 10].

The limit is 200 MB for 10,000 commits of 50 workloads: ./run bench history --commits 10000 --workloads 50. Each commit
is one write, with opening, pruning and closing as in the action. Profiles are generated: functions with Zipf shares and
sampling noise, a few hundred in each workload from one pool, with occasional new functions and steps of the total.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from profgate.compare.columns import CompareOptions
from profgate.compare.readings import series_of, summarised
from profgate.history.ancestry import first_line
from profgate.history.history_file import FILE
from profgate.history.history_store import HistoryStore, open_history, open_untrusted
from profgate.model.arrays import IntArray, read_only
from profgate.model.history import Column, Reading, Retention, Series, StoredCommit
from profgate.model.source import source_of
from profgate.model.units import Metric, MetricKind
from profgate.readers.folded import FoldedReader

PROMISED = 200_000_000  # bytes for 10,000 commits of 50 workloads
SAMPLES = 20_000  # of one run
DEPTH = 5  # symbols above one another, on the average
POOL = 6_000
EVERY = 40  # commits: how often a workload gets a new function
STEPS = 400  # commits: how often a workload's total steps
FILES = 300
KEPT = Retention(profiles=0)  # as the action
TIMED = Metric("time", "nanoseconds", kind=MetricKind.TIMED)


def main(words: list[str]) -> int:
    """Print the table. The exit code is 1 if the history is larger than its limit."""
    parser = argparse.ArgumentParser(prog="bench history", description=__doc__)
    parser.add_argument("--commits", type=int, default=500)
    parser.add_argument("--workloads", type=int, default=10)
    parser.add_argument("--symbols", type=int, default=300, help="functions of a profile (default: %(default)s)")
    parser.add_argument("--folder", help="store the history here (default: a temporary folder)")
    arguments = parser.parse_args(words)
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.folder or scratch
        workloads = [_Workload(number, arguments.symbols) for number in range(arguments.workloads)]
        _fill(folder, arguments.commits, workloads)
        size = (Path(folder) / FILE).stat().st_size
        print(f"size after {arguments.commits:,} commits of {arguments.workloads}: {size / 1e6:.1f} MB", flush=True)
        _ask(folder, arguments.commits, workloads)
    promised = PROMISED * max(1.0, arguments.commits * arguments.workloads / 500_000)
    return int(size > promised)


class _Workload:
    """One workload whose runs are drawn by chance, the same in each bench."""

    def __init__(self, number: int, symbols: int) -> None:
        self._chance = np.random.default_rng(number)
        self._number = number
        self._names = [_symbol(int(one)) for one in self._chance.choice(POOL, symbols, replace=False)]
        weights = 1.0 / np.arange(1, symbols + 1) ** 1.1
        self._shares = self._chance.permutation(weights / weights.sum())
        self._level = 1.0
        profile = FoldedReader().read(source_of(f"workload-{number}/1.folded", b"main;f 3\n"))
        self.series: Series = series_of(profile, CompareOptions())
        self._sampled = summarised(profile, CompareOptions())[0][0]  # as a reader makes it

    def reading(self, commit: str, number: int, job: str) -> Reading:
        """What a run at the commit of this number measured."""
        if number % EVERY == self._number % EVERY:
            place = int(self._chance.integers(len(self._names)))
            self._names[place] = (f"feature_{number}_of_{self._number}", f"src/features/part_{number % 97}.py")
        if number and number % STEPS == (self._number * 7) % STEPS:
            self._level *= float(self._chance.choice([0.93, 1.08]))
        samples = int(SAMPLES * self._level * self._chance.normal(1.0, 0.01))
        own = self._chance.multinomial(samples, self._shares).astype(np.int64)
        seen = np.flatnonzero(own)
        names = [self._names[place] for place in seen.tolist()]
        below = self._chance.integers(0, samples // DEPTH, len(seen)) * (self._chance.random(len(seen)) < 1 / DEPTH)
        column = self._column(names, own[seen], np.minimum(own[seen] + below, samples))
        return Reading(commit, self.series, f"{number:016x}", (column,), job)

    def _column(self, names: list[tuple[str, str]], own: IntArray, total: IntArray) -> Column:
        """Every second workload is timed in nanoseconds with calls, which takes the most room."""
        if self._number % 2 == 0:
            one = self._sampled
            return Column(one.metric, int(own.sum()), names, read_only(own), read_only(total), None, period=one.period)
        took = own * 1_000_000 + self._chance.integers(0, 1_000_000, len(own))
        whole = took + (total - own) * 1_000_000
        calls = self._chance.poisson(own * 3).astype(np.int64) + 1
        return Column(TIMED, int(took.sum()), names, read_only(took), read_only(whole), read_only(calls))


def _symbol(number: int) -> tuple[str, str]:
    """A name as programs have them."""
    file = f"src/package_{number % 17}/module_{number % FILES}.py"
    return f"Handler{number % 211}.process_{number:04d}_request", file


def _sha(number: int) -> str:
    return f"{number:08x}" * 5


def _fill(folder: str, commits: int, workloads: list[_Workload]) -> None:
    """Add base runs; print the time of a write as the history grows."""
    times: list[float] = []
    for number in range(commits):
        job = f"{4_000_000 + number}/1/profile"
        made = [one.reading(_sha(number), number, job) for one in workloads]
        parents = (_sha(number - 1),) if number else ()
        start = time.perf_counter()
        with open_history(folder, write=True) as store:
            with store.writing():
                store.add_commits([StoredCommit(_sha(number), parents, 1_700_000_000 + number, f"Change {number}")])
                store.add(made)
            store.prune(KEPT)
        times.append(time.perf_counter() - start)
        if (number + 1) % max(1, commits // 10) == 0:
            size = (Path(folder) / FILE).stat().st_size
            last = sorted(times[-commits // 10 :])
            print(
                f"{number + 1:>6,} commits  {size / 1e6:7.1f} MB  a write {last[len(last) // 2] * 1e3:6.1f} ms,"
                f" slowest {last[-1] * 1e3:6.1f} ms",
                flush=True,
            )


def _ask(folder: str, commits: int, workloads: list[_Workload]) -> None:
    """Times what commands and the action ask."""
    place, newest = str(Path(folder) / FILE), _sha(commits - 1)
    one = workloads[0]

    def fresh(asked: Callable[[HistoryStore], object]) -> Callable[[], object]:
        def opened() -> object:
            with open_history(folder) as store:
                return asked(store)

        return opened

    def readings(commits: list[str]) -> Callable[[], object]:
        return fresh(lambda store: list(store.readings(one.series.key, commits)))

    line = [_sha(number) for number in range(max(0, commits - 30), commits)]
    questions: Iterator[tuple[str, Callable[[], object]]] = iter(
        (
            ("which commits were measured (check, compare)", fresh(lambda store: store.measured_commits())),
            ("the commit graph", fresh(lambda store: first_line(newest, store.commits()))),
            ("a commit's readings of one workload", readings([newest])),
            ("the noise of one workload from 30 commits", readings(line)),
            ("a base run's history taken over by the next", lambda: _taken_over(place)),
        )
    )
    for name, ask in questions:
        start = time.perf_counter()
        ask()
        print(f"{(time.perf_counter() - start) * 1e3:9.1f} ms  {name}", flush=True)
    with open_history(folder) as store:
        print(json.dumps({"readings": commits * len(workloads), "series": len(store.series())}))


def _taken_over(place: str) -> int:
    with (
        tempfile.TemporaryDirectory() as scratch,
        open_history(scratch, write=True) as store,
        open_untrusted(place) as other,
    ):
        return store.merge(other)
