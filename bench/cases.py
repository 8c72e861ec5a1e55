"""What is measured and what it has to reach: the same files through profgate and through every peer, in turn."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench import peers
from bench.files import RECIPES, Pair, make_pair
from bench.harness import Contender, Measured, RunError, measure_in_turn, paired_ratio
from bench.load import FILES, RUNS_OF_EACH, comparing, written
from bench.pull_request import comparing_pull_request

SMALL = "200"
PPROF_SIZE = "pprof-200k"
VERSION, HELP = "--version", "--help"
NOTHING, CLICK, NUMPY = (peers.python(code) for code in ("pass", "import click", "import numpy"))
WORKLOADS = 10_000
IMAGE = "localhost/profgate"  # as ./run image names it


@dataclass(frozen=True, slots=True)
class Target:
    """The largest ratio to a peer that is good enough; None where none was set."""

    wall: float | None = None
    peak: float | None = None


TARGETS = {
    (VERSION, NOTHING.name): Target(wall=2.0),
    (HELP, CLICK.name): Target(wall=1.5),
    (SMALL, NUMPY.name): Target(wall=1.5),
    ("10k", peers.INFERNO): Target(wall=2.5),
    ("100k", peers.INFERNO): Target(wall=0.5),
    ("1m", peers.INFERNO): Target(wall=0.3, peak=0.2),
    (PPROF_SIZE, peers.PPROF): Target(wall=0.1),
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
    def processor_ratio(self) -> float | None:
        """Our processor time by theirs, which depends less on other programs on the machine."""
        return self.mine.processor / self.theirs.processor if self.mine and self.theirs else None

    @property
    def peak_ratio(self) -> float | None:
        """Our peak memory by theirs."""
        return self.mine.peak / self.theirs.peak if self.mine and self.theirs and self.theirs.peak else None


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure of ours alone against what it may be at most; ``beside`` states what else was measured."""

    work: str
    figure: float
    most: float
    unit: str
    beside: str = ""


@dataclass(slots=True)
class Results:
    """Everything measured so far."""

    rows: list[Row] = field(default_factory=list)
    limits: list[Limit] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def run_cases(sizes: Sequence[str], runs: int, timeout: float, folder: Path) -> Results:
    """Measures all rows for the requested sizes, with progress on stderr."""
    results = Results()
    for option, bare in ((VERSION, NOTHING), (HELP, CLICK)):
        _compare(results, option, [peers.profgate(option)], {bare.name: bare}, max(runs, 9), timeout)
    for size in (SMALL, *sizes):
        _folded(results, size, runs, timeout, folder)
    _pprof(results, runs, timeout, folder)
    five = comparing(written(RUNS_OF_EACH, 1))
    _comparison(results, "compare five and five runs", five, 0.8, runs, timeout)
    pull = comparing_pull_request(folder / "pull-request")
    _comparison(results, "compare a pull request of five workloads, 10 + 10 runs", pull, 0.6, runs, timeout)
    many = f"compare {WORKLOADS:,} workloads a side"
    if found := _comparison(results, many, comparing(written(FILES, WORKLOADS)), 12.0, 1, timeout):
        results.limits.append(Limit(f"{many}, memory", found.peak / 1e6, 400.0, "MB"))
    _progress("the action with eight base jobs")
    from bench.action import start_to_comment  # the tests' GitHub is imported only here

    _limit(results, "action: start to comment", start_to_comment(runs), 1.2)
    _image(results)
    return results


def _progress(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)


def _pair(size: str, folder: Path) -> Pair:
    _progress(f"{size}: files")
    return make_pair(RECIPES[size], folder)


def _folded(results: Results, size: str, runs: int, timeout: float, folder: Path) -> None:
    pair = _pair(size, folder)
    others = {name: peers.folded_peer(name, pair, pair.base.parent) for name in (peers.PERL, peers.INFERNO)}
    others |= {NUMPY.name: NUMPY} if size == SMALL else {}
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


def _comparison(
    results: Results, work: str, contender: Contender, most: float, runs: int, timeout: float
) -> Measured | None:
    """Measures one comparison of profiles against a limit in seconds."""
    _progress(work)
    outcome = measure_in_turn([contender], runs, timeout)[contender.name]
    if isinstance(outcome, RunError):  # the other rows are still shown
        results.problems.append(f"{work}: {outcome}")
        return None
    _limit(results, work, outcome, most)
    return outcome


def _limit(results: Results, work: str, measured: Measured, most: float) -> None:
    beside = f"{measured.processor:.3g} s of processor time"
    results.limits.append(Limit(work, measured.wall, most, "s", beside))


def _image(results: Results) -> None:
    """The size of the image, if ./run image has built it."""
    engine = next(filter(None, map(shutil.which, ("docker", "podman"))), None)
    if engine is None:
        return
    command = [engine, "image", "inspect", "--format", "{{.Size}}", IMAGE]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        results.limits.append(Limit("image, unpacked", int(done.stdout) / 1e6, 200.0, "MB"))
