"""More base jobs do not make the answer worse: unchanged code of two libraries, recorded in 13 jobs of 5 runs.

A job of each draw takes the place of the pull request, and 1, 2, 3, 5 and 8 of the others are its base jobs.
"""

import gzip
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from comparisons import SAMPLES, symbols_of
from profgate.decide.detect.evidence import Evidence, evidence_of
from profgate.model.arrays import FloatArray, IntArray
from profgate.model.comparison import Comparison, Noise, Runs, Sampling
from profgate.model.profile import Configuration, Facts
from slow_cases import quick_first

DATA = Path(__file__).parents[1] / "data" / "jobs"
RUNS, DRAWS, BASE_JOBS = 5, 25, (1, 2, 3, 5, 8)


@dataclass(frozen=True)
class Recording:
    """Samples by job, run and function, with and without callees, and the totals by job and run."""

    names: list[str]
    own: IntArray
    inclusive: IntArray
    totals: IntArray


def recording(program: str) -> Recording:
    lines = gzip.decompress((DATA / f"py-spy-0.4.3-{program}.tsv.gz").read_bytes()).decode().splitlines()
    (_, totals), *rows = (line.split("\t") for line in lines)
    own, inclusive = (
        np.array([row[column].split() for row in rows], np.int64).T.reshape(-1, RUNS, len(rows)) for column in (1, 2)
    )
    return Recording([row[0] for row in rows], own, inclusive, np.array(totals.split(), np.int64).reshape(-1, RUNS))


def compared(given: Recording, target: int, base: list[int]) -> Comparison:
    """Compare a job with the first of the base jobs; the others are base jobs of other commits."""
    sides, others, nothing = [base[0], target], base[1:], [None] * len(given.names)
    own, inclusive = (values.reshape(-1, RUNS, len(given.names)) for values in (given.own, given.inclusive))
    jobs = tuple(np.repeat(np.arange(len(others)), RUNS).tolist())
    return Comparison(
        workload="w",
        configuration=Configuration(),
        metric=SAMPLES,
        runs=Runs(RUNS, RUNS, len(jobs), (0,) * RUNS, (0,) * RUNS, jobs),
        symbols=symbols_of(given.names),
        self_value=np.concatenate(own[sides]),
        total_value=np.concatenate(inclusive[sides]),
        run_totals=np.concatenate(given.totals[sides]),
        present=np.ones((2, len(nothing)), np.bool_),
        active_total=np.concatenate(inclusive[sides]),
        waiting=np.zeros(len(nothing), np.bool_),
        noise=Noise(
            own[others].reshape(-1, len(nothing)),
            given.totals[others].reshape(-1),
            inclusive[others].reshape(-1, len(nothing)),
            np.ones(len(jobs)),
        ),
        sampling=Sampling(1, np.ones(2 * RUNS)),
        facts=(Facts("folded", job="1"), Facts("folded", job="2")),
    )


@cache
def drawn(program: str) -> list[list[Evidence]]:
    """Return the evidence of all draws, by number of base jobs."""
    given, random = recording(program), np.random.default_rng(1)
    orders = [random.permutation(len(given.totals)).tolist() for _ in range(DRAWS)]
    found = []
    for jobs in BASE_JOBS:
        tested = [evidence_of([compared(given, order[0], order[1 : jobs + 1])])[0] for order in orders]
        found.append([evidence for evidence in tested if isinstance(evidence, Evidence)])
    return found


def highest_median(values: FloatArray) -> float:
    """Return the upper end of the 95 % interval of the median over the draws."""
    again = np.random.default_rng(2).integers(0, len(values), (500, len(values)))
    return float(np.quantile(np.median(values[again], axis=1), 0.975))


@pytest.mark.parametrize("program", quick_first(["lark", "sqlglot"]))
def test_more_base_jobs_do_not_worsen_the_answer(program: str) -> None:
    found = drawn(program)
    facts = [[evidence.calibration for evidence in every] for every in found]
    assert [{known.mode for known in every} for every in facts] == [{"runs"}] * 3 + [{"jobs"}] * 2
    undecided = [sum(known.inconclusive is not None for known in every) for every in facts]
    assert undecided == sorted(undecided, reverse=True)
    assert undecided[0] <= 0.2 * DRAWS
    tenths = [np.array([known.visible_tenth for known in every], np.float64) for every in facts]
    for fewer, more in pairwise(tenths):
        assert np.median(more) <= highest_median(fewer)
    # until five base jobs are known, so is not how much their totals differ
    assert {known.visible_total for every in facts[:3] for known in every} == {None}
    totals = [np.array([known.visible_total for known in every], np.float64) for every in facts[3:]]
    assert np.median(totals[1]) <= highest_median(totals[0])


@pytest.mark.parametrize("program", quick_first(["lark", "sqlglot"]))
def test_five_base_jobs_list_unchanged_functions_rarely(program: str) -> None:
    listed = [bool(evidence.listed[:-1].any()) for every in drawn(program)[3:] for evidence in every]
    assert sum(listed) <= 0.1 * len(listed)
