"""Simulate stable ranks: ./run bench ranks [--trials N] prints the paper's figures, ours, and what is detected.

The paper is Copeland and Haemer, "Robust Performance Testing on the Cheap" (2011). Random numbers are seeded: equal
arguments give equal tables.
"""

import argparse
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.durations import DurationTable, RankCheck
from profgate.statistics.rank_checks import RankRules, check, exact_law

TRIALS = 1000  # as in the paper
FEWEST_TRIALS = 30  # fewer fill no two cells of a chi-squared test
# the paper prints 366 396 154 78 6 0, but four of five cannot be stable: only this order has its mean and variance
PAPER = (366, 396, 154, 78, 0, 6)
PAPER_MEAN, PAPER_VARIANCE = 0.968, 0.926976
PAPER_POISSON = (368, 368, 184, 61, 15, 3)
RECIPE = (100, 80, 120)  # of the paper's recipe: the expected count and its bounds
SEED = 2011


def stable_in_random_orders(tests: int, trials: int, chance: np.random.Generator) -> IntArray:
    """int64[trial]: how many of so many equal tests keep their rank when every order is equally likely."""
    places = np.arange(tests)
    orders = chance.permuted(np.tile(places, (trials, 1)), axis=1)
    counts: IntArray = (orders == places).sum(axis=1)
    return counts


def stable_in_clusters(clusters: Sequence[int], single: int, trials: int, chance: np.random.Generator) -> IntArray:
    """int64[trial]: the same of clusters of equal tests, and of single ones whose place nothing shares."""
    counts = np.full(trials, single, dtype=np.int64)
    for size in clusters:
        counts += stable_in_random_orders(size, trials, chance)
    return counts


def differs_from_poisson(counts: IntArray, level: float = 0.05) -> bool:
    """Whether a chi-squared test distinguishes counts from Poisson(1); cells expecting less than five are merged."""
    trials = len(counts)
    last = max(kept for kept in range(10) if trials * stats.poisson.pmf(kept, 1.0) >= 5.0)
    law = [stats.poisson.pmf(kept, 1.0) for kept in range(last)]
    observed = np.bincount(np.minimum(counts, last), minlength=last + 1)
    expected = np.array([*law, 1.0 - sum(law)]) * trials
    return bool(stats.chisquare(observed, expected).pvalue < level)


@dataclass(frozen=True, slots=True)
class Cell:
    """Test suites of one kind: true durations spread evenly over three decades, each reading with its own noise.

    ``noise`` is the standard deviation of its logarithm, ``clock`` the step of the clock in the unit in which the
    slowest test takes 10. One test of the target takes ``slower`` times as long.
    """

    tests: int
    noise: float
    runs: int = 5
    clock: float = 0.0
    slower: float = 1.0
    rules: RankRules = field(default_factory=RankRules)

    def trial(self, seed: int) -> tuple[RankCheck, str]:
        """One check, and the name of the test that was made slower."""
        chance = np.random.default_rng(seed)
        true = 10 ** chance.uniform(-2, 1, self.tests)
        values: FloatArray = true * np.exp(chance.normal(0, self.noise, (self.runs + 1, self.tests)))
        planted = int(chance.integers(self.tests))
        values[self.runs, planted] *= self.slower
        if self.clock:
            values = np.round(values / self.clock) * self.clock
        names = [f"t{number}" for number in range(self.tests)]
        labels = [f"run {number}" for number in range(self.runs + 1)]
        return check(DurationTable(names, labels, values, self.runs, "nanoseconds"), self.rules), names[planted]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Shares of the trials: departed count, inconclusive, any test or the planted one moved unusually far."""

    departed: float
    blind: float
    farther: float
    named: float


def outcome(cell: Cell, trials: int) -> Outcome:
    """The outcome of all checks of a cell."""
    flags: BoolArray = np.zeros((trials, 4), dtype=np.bool_)
    for seed in range(trials):
        found, planted = cell.trial(seed)
        far = [test.name for test in found.moved[: found.farther]]
        flags[seed] = found.order in {"below", "above"}, found.order == "unknown", bool(far), planted in far
    return Outcome(*flags.mean(axis=0).tolist())


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    lines = [head, ["--:"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def simulation_of_the_paper(trials: int) -> str:
    """Five equal tests: how many of so many trials kept 0 to 5 ranks."""
    counts = stable_in_random_orders(5, trials, np.random.default_rng(SEED))
    seen = np.bincount(counts, minlength=6).tolist()
    scale = trials / TRIALS
    rows = [
        [
            str(kept),
            str(PAPER[kept]),
            str(seen[kept]),
            f"{trials * float(share):.1f}",
            f"{PAPER_POISSON[kept] * scale:.0f}",
        ]
        for kept, share in enumerate(exact_law(5))
    ]
    rows.append(["mean", f"{PAPER_MEAN}", f"{counts.mean():.3f}", "1", "1"])
    rows.append(["variance", f"{PAPER_VARIANCE}", f"{counts.var():.6f}", "1", "1"])
    head = ["stable of 5", "paper, 1000 trials", f"ours, {trials} trials", "exact", "Poisson(1), as the paper rounds"]
    return table(head, rows)


def distance_to_poisson(trials: int, repeats: int) -> str:
    """How often a chi-squared test distinguishes N equal tests from Poisson(1)."""
    chance, rows = np.random.default_rng(SEED), []
    for tests in (2, 3, 4, 5, 6, 7, 8, 10, 11, 20):
        different = [differs_from_poisson(stable_in_random_orders(tests, trials, chance)) for _ in range(repeats)]
        law = [float(share) for share in exact_law(tests)]
        beyond = 1.0 - math.fsum(stats.poisson.pmf(kept, 1.0) for kept in range(tests + 1))
        apart = (math.fsum(abs(share - stats.poisson.pmf(kept, 1.0)) for kept, share in enumerate(law)) + beyond) / 2.0
        stated = "not distinguishable" if tests > 10 else ""
        rows.append([str(tests), stated, f"{100 * np.mean(different):.0f} %", f"{apart:.1e}"])
    return table(
        ["N", "paper", f"different at 5 %, {repeats} times {trials} trials", "distance of the distributions"], rows
    )


def clusters_and_single_tests(trials: int) -> str:
    """The paper's example of a hundred stable ranks, from clusters and from single tests."""
    chance, rows = np.random.default_rng(SEED), []
    mean, low, high = RECIPE
    for clusters in (0, 20, 60, 100):
        counts = stable_in_clusters([5] * clusters, mean - clusters, trials, chance)
        inside = float(((counts >= low) & (counts <= high)).mean())
        measured = f"{counts.mean():.2f}, {counts.var():.2f}"
        rows.append([f"{clusters}", f"{mean - clusters}", f"{mean}, {clusters}", measured, f"{100 * inside:.1f} %"])
    head = ["clusters of 5", "single tests", "paper: mean C + T, variance C", "ours", f"within {low} to {high}"]
    return table(head, rows)


def false_alarms(trials: int) -> str:
    """Unchanged code: how often the count departs, and how often some test moved farther than usual."""
    rows = []
    for tests in (50, 300):
        for noise in (0.001, 0.02, 0.1):
            cells = [
                Cell(tests, noise, 3),
                Cell(tests, noise),
                Cell(tests, noise, clock=0.01),
                Cell(tests, noise, rules=RankRules(sigma="observed")),
            ]
            found = [outcome(cell, trials) for cell in cells]
            columns = [f"{_percent(one.departed)} ({_percent(one.blind)})" for one in found]
            rows.append([str(tests), f"{100 * noise:g} %", *columns, _percent(found[1].farther)])
    head = [
        "tests",
        "noise",
        "3 runs",
        "5 runs",
        "5 runs, coarse clock",
        "5 runs, observed",
        "farther than usual, 5 runs",
    ]
    return table(head, rows)


def one_slow_test(trials: int) -> str:
    """One test got slower: how often the count departs, and how often that test moved farther than usual."""
    rows = []
    for tests in (50, 300):
        for noise in (0.001, 0.02, 0.1):
            cells = []
            for rules in (RankRules(), RankRules(sigma="observed")):
                cells += [Cell(tests, noise, slower=slower, rules=rules) for slower in (2.0, 10.0, 100.0)]
            found = [outcome(cell, trials) for cell in cells]
            columns = [_percent(one.departed) for one in found] + [_percent(one.named) for one in found[:3]]
            rows.append(
                [str(tests), f"{100 * noise:g} %", *(" / ".join(columns[start : start + 3]) for start in (0, 3, 6))]
            )
    head = ["tests", "noise", "count, Poisson: 2 / 10 / 100 times", "count, observed", "farther than usual"]
    return table(head, rows)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def main(arguments: Sequence[str]) -> int:
    """Print all tables."""
    parser = argparse.ArgumentParser(prog="bench ranks", description=__doc__)
    parser.add_argument("--trials", type=int, default=TRIALS, metavar="N", help="of the paper's tables (default: 1000)")
    parser.add_argument("--checks", type=int, default=100, metavar="N", help="of each other cell (default: 100)")
    options = parser.parse_args(arguments)
    if options.trials < FEWEST_TRIALS or options.checks < 1:
        parser.error(f"--trials are {FEWEST_TRIALS} or more, --checks 1 or more")
    print("## Five equal tests\n\n" + simulation_of_the_paper(options.trials))
    print("\n## Difference from a Poisson distribution by N\n\n" + distance_to_poisson(options.trials, options.checks))
    print("\n## Clusters and single tests\n\n" + clusters_and_single_tests(options.trials))
    print("\n## Unchanged code: departures (in brackets: not tested)\n\n" + false_alarms(options.checks))
    print("\n## One slower test, five baseline runs: how often it is detected\n\n" + one_slow_test(options.checks))
    return 0
