"""Simulated programs of 150 functions: how often unchanged code is red, and how often a slower function is."""

import numpy as np
import pytest

from comparisons import SAMPLES, symbols_of
from profgate.decide.detect.evidence import evidence_of
from profgate.decide.detect.gate_tests import CalibratedLogRatio, Totals
from profgate.model.arrays import FloatArray, IntArray
from profgate.model.change import Context, Kind
from profgate.model.comparison import Comparison, Noise, Runs, Sampling
from profgate.model.profile import Configuration, Facts
from slow_cases import quick_first

FUNCTIONS, SAMPLES_A_RUN, NOISE = 150, 2000, 0.03
SHARES = 1.0 / np.arange(1, FUNCTIONS + 1)
SHARES /= SHARES.sum()
NAMES = [f"f{place:03}" for place in range(FUNCTIONS)]
HELD = [1, 2, 5, 14, 60]  # places of functions that hold 9, 6, 3, 1 and 0.3 % of the run
FIVE_PERCENT = 0.05


def recorded(random: np.random.Generator, runs: int, shares: FloatArray) -> IntArray:
    """Samples of runs: 3 % noise of each run and of each function in it, counts of dispersion 2."""
    noise = np.exp(random.normal(0.0, NOISE, (runs, FUNCTIONS)) + random.normal(0.0, NOISE, (runs, 1)))
    return np.asarray(random.negative_binomial(SAMPLES_A_RUN * shares * noise, 0.5), np.int64)


def of_jobs(random: np.random.Generator, jobs: int, runs: int, shares: FloatArray) -> IntArray:
    """Runs of several jobs, of which each has a machine of its own: 5 % noise of the job, 3 % of its functions."""
    machines = [random.normal(0.0, 0.05) + random.normal(0.0, NOISE, FUNCTIONS) for _ in range(jobs)]
    return np.concatenate([recorded(random, runs, shares * np.exp(machine)) for machine in machines])


def slower(place: int) -> FloatArray:
    """The function costs 5 % of the run in addition."""
    shares = SHARES.copy()
    shares[place] += FIVE_PERCENT
    return shares


def compared(values: IntArray, target: int, noise: int = 0) -> Comparison:
    """The last runs are the target's, the first ones base runs of other commits, five in a job."""
    sides, baseline = values[noise:], len(values) - noise - target
    runs = Runs(baseline, target, noise, (0,) * baseline, (0,) * target, tuple(run // 5 for run in range(noise)))
    return Comparison(
        workload="w",
        configuration=Configuration(),
        metric=SAMPLES,
        runs=runs if noise else Runs(baseline, target),
        symbols=symbols_of(NAMES),
        self_value=sides,
        total_value=sides,
        run_totals=sides.sum(axis=1),
        present=np.ones((2, FUNCTIONS), np.bool_),
        active_total=sides,
        waiting=np.zeros(FUNCTIONS, np.bool_),
        noise=Noise(values[:noise], values[:noise].sum(axis=1), sample_values=np.ones(noise)),
        facts=(Facts(job="1"), Facts(job="2" if noise else "1")),
        sampling=Sampling(values=np.ones(len(sides))),
    )


def found(comparison: Comparison) -> dict[str, Kind]:
    """What the tests of locations and of the total call changed."""
    (evidence,) = evidence_of([comparison])
    context = Context(evidence=evidence)
    rows: dict[str, Kind] = {}
    for strategy in (CalibratedLogRatio(), Totals()):
        detection = strategy.detect(comparison, {}, context)
        for symbol, kind in zip(detection.symbol.tolist(), detection.kind.tolist(), strict=True):
            rows |= {NAMES[symbol] if symbol >= 0 else "total": Kind(kind)} if kind else {}
    return rows


def rates(made: list[tuple[Comparison, str]]) -> tuple[float, float]:
    """How often the function is listed as slower, and how often it is red; of any function where none is named."""
    listed, red = [], []
    for comparison, name in made:
        rows = found(comparison)
        of_name = [kind for row, kind in rows.items() if name in ("", row)]
        listed.append(bool(of_name) if not name else any(kind < 0 for kind in of_name))
        red.append(any(kind in (Kind.DEGRADATION, Kind.TOTAL_DEGRADATION) for kind in of_name))
    return float(np.mean(listed)), float(np.mean(red))


@pytest.mark.slow
def test_unchanged_runs_are_hardly_red() -> None:
    random = np.random.default_rng(1)
    listed, red = rates([(compared(recorded(random, 10, SHARES), 5), "") for _ in range(500)])
    assert red <= 0.01
    assert listed <= 0.05


def test_five_percent_of_the_run_is_found() -> None:
    random, made = np.random.default_rng(2), []
    for place in HELD * 30:
        values = np.concatenate([recorded(random, 5, SHARES), recorded(random, 5, slower(place))])
        made.append((compared(values, 5), NAMES[place]))
    listed, red = rates(made)
    assert listed >= 0.9
    assert red >= 0.7


@pytest.mark.slow
def test_unchanged_jobs_are_hardly_red() -> None:
    random = np.random.default_rng(3)
    listed, red = rates([(compared(of_jobs(random, 9, 5, SHARES), 5, 35), "") for _ in range(200)])
    assert red <= 0.01
    assert listed <= 0.05


@pytest.mark.parametrize(("places", "added", "least"), quick_first([(HELD[2:], 0.05, 0.7), (HELD, 0.1, 0.9)]))
def test_slower_function_of_another_job_is_red(places: list[int], added: float, least: float) -> None:
    random, made = np.random.default_rng(4), []
    for place in places * (100 // len(places)):
        shares = SHARES.copy()
        shares[place] += added
        values = np.concatenate([of_jobs(random, 8, 5, SHARES), of_jobs(random, 1, 5, shares)])
        made.append((compared(values, 5, 35), NAMES[place]))
    assert rates(made)[1] >= least


def test_single_runs_are_never_red() -> None:
    random = np.random.default_rng(5)
    assert rates([(compared(recorded(random, 2, SHARES), 1), "") for _ in range(100)])[1] == 0.0
