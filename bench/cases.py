"""What is measured and what it has to reach: the same files through profgate and through every peer, in turn."""

import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench import peers
from bench.files import RECIPES, Pair, make_pair
from bench.harness import Contender, Measured, RunError, measure_in_turn, paired_ratio

SMALL = "200"
PPROF_SIZE = "pprof-200k"
START = "start"
MOST_SECONDS_SMALL = 0.35
MOST_GROWTH = 11.0


@dataclass(frozen=True, slots=True)
class Target:
    """The largest ratio to a peer that is good enough; None where none was set."""

    wall: float | None = None
    peak: float | None = None


TARGETS = {
    (START, "python -c pass"): Target(wall=3.0),
    ("10k", peers.PERL): Target(wall=0.5),
    ("100k", peers.PERL): Target(wall=0.2),
    ("100k", peers.INFERNO): Target(wall=1.0),
    ("1m", peers.INFERNO): Target(wall=0.6, peak=0.6),
    (PPROF_SIZE, peers.PPROF): Target(wall=0.15),
}


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison: ours and theirs on the same files, or why there is no figure."""

    work: str
    ours: str
    peer: str
    target: Target = field(default_factory=Target)
    mine: Measured | None = None
    theirs: Measured | None = None
    problem: str = ""

    @property
    def wall_ratio(self) -> float | None:
        """Our wall time by theirs; below 1 we are faster."""
        return paired_ratio(self.mine, self.theirs) if self.mine and self.theirs else None

    @property
    def peak_ratio(self) -> float | None:
        """Our peak memory by theirs."""
        return self.mine.peak / self.theirs.peak if self.mine and self.theirs and self.theirs.peak else None


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure of ours alone against what it may be at most."""

    work: str
    figure: float
    most: float
    unit: str


@dataclass(slots=True)
class Results:
    """Everything measured so far."""

    rows: list[Row] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)


def run_cases(sizes: Sequence[str], runs: int, timeout: float, folder: Path) -> Results:
    """Measures the start, the smallest input, the requested folded sizes and pprof, with progress on stderr."""
    results = Results()
    _start(results, runs, timeout)
    for size in (SMALL, *sizes):
        _folded(results, size, runs, timeout, folder)
    _pprof(results, runs, timeout, folder)
    _alone(results)
    return results


def _progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _start(results: Results, runs: int, timeout: float) -> None:
    _progress("start of the program")
    ours, bare = peers.profgate_version(), peers.bare_interpreter()
    _compare(results, START, [ours], {bare.name: bare}, max(runs, 9), timeout)


def _pair(size: str, folder: Path) -> Pair:
    _progress(f"{size}: files")
    return make_pair(RECIPES[size], folder)


def _folded(results: Results, size: str, runs: int, timeout: float, folder: Path) -> None:
    pair = _pair(size, folder)
    others = {name: peers.folded_peer(name, pair, pair.base.parent) for name in (peers.PERL, peers.INFERNO)}
    _compare(results, size, [peers.profgate_page(pair, pair.base.parent)], others, runs, timeout)


def _pprof(results: Results, runs: int, timeout: float, folder: Path) -> None:
    pair = _pair(PPROF_SIZE, folder)
    ours: list[Callable[[Pair, Path], Contender]] = [peers.profgate_page, peers.profgate_table]
    other = {peers.PPROF: peers.pprof_peer(pair, pair.base.parent)}
    _compare(results, PPROF_SIZE, [make(pair, pair.base.parent) for make in ours], other, runs, timeout)


def _compare(
    results: Results,
    work: str,
    ours: Sequence[Contender],
    others: dict[str, Contender | None],
    runs: int,
    timeout: float,
) -> None:
    """Measures all contenders of one work in turn and adds a row for each pair of them."""
    contenders = [*ours, *(other for other in others.values() if other is not None)]
    _progress(f"{work}: {', '.join(contender.name for contender in contenders)}")
    outcome = measure_in_turn(contenders, runs, timeout)
    for mine in ours:
        for name in others:
            target = TARGETS.get((work, name), Target())
            results.rows.append(_row(work, mine.name, name, target, outcome))


def _row(work: str, ours: str, peer: str, target: Target, outcome: dict[str, Measured | RunError]) -> Row:
    mine, theirs = outcome[ours], outcome.get(peer)
    problem = "not installed" if theirs is None else ""
    for side in (mine, theirs):
        if isinstance(side, RunError):
            problem = str(side)
    return Row(
        work,
        ours,
        peer,
        target,
        mine if isinstance(mine, Measured) else None,
        theirs if isinstance(theirs, Measured) else None,
        problem,
    )


def _alone(results: Results) -> None:
    """Limits on profgate itself: the wall time of the smallest comparison, and how time grows with the input."""
    walls = _walls(results.rows)
    if SMALL in walls:
        results.limits.append(Limit("200 stacks to page", walls[SMALL], MOST_SECONDS_SMALL, "s"))
    if "100k" in walls and "1m" in walls:
        results.limits.append(Limit("time from 100k to 1m stacks", walls["1m"] / walls["100k"], MOST_GROWTH, "times"))


def _walls(rows: Iterable[Row]) -> dict[str, float]:
    """Our median wall seconds by work."""
    return {row.work: row.mine.wall for row in rows if row.mine is not None}
