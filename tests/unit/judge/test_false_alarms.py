"""A small simulation with fixed seeds: unchanged code stays out of red, and clear slowdowns are found."""

from dataclasses import replace

import numpy as np
import pytest

from comparisons import SAMPLES, symbols_of
from profgate.detect.rules import selected, words_on
from profgate.judge.changes import metric_report
from profgate.judge.verdict import judge
from profgate.model.arrays import FloatArray, IntArray
from profgate.model.change import Context
from profgate.model.comparison import Comparison, Runs
from profgate.model.policy import Policy
from profgate.model.profile import Configuration
from profgate.model.report import Report, Side, Verdict, WorkloadReport

NAMES = [f"f{place:03}" for place in range(400)]
SHARES = 1.0 / np.arange(1, len(NAMES) + 1)
PHI, MACHINE, SAMPLES_A_RUN = 0.03, 0.04, 50_000
POLICY = Policy()


def recorded(random: np.random.Generator, runs: int, shares: FloatArray) -> IntArray:
    """Counts of each run: machine noise on all, function noise on each, then sampling."""
    noise = np.exp(random.normal(0.0, PHI, (runs, len(shares))) + random.normal(0.0, MACHINE, (runs, 1)))
    return np.asarray(random.poisson(SAMPLES_A_RUN * shares / SHARES.sum() * noise), dtype=np.int64)


def judged(random: np.random.Generator, runs: int, target_shares: FloatArray) -> Report:
    base, target = recorded(random, runs, SHARES), recorded(random, runs, target_shares)
    history = recorded(random, 12, SHARES)
    values = np.concatenate([base, target])
    comparison = Comparison(
        workload="w",
        configuration=Configuration(),
        metric=SAMPLES,
        runs=Runs(runs, runs, len(history)),
        symbols=symbols_of(NAMES),
        self_value=values,
        total_value=values,
        run_totals=values.sum(axis=1),
        present=np.ones((2, len(NAMES)), dtype=np.int64),
        noise_self=history,
        noise_totals=history.sum(axis=1),
    )
    metric = metric_report(comparison, words_on(comparison, selected(POLICY, Configuration(), SAMPLES), Context()))
    workload = WorkloadReport("w", {}, (), (metric,))
    return judge(Report(Side("baseline"), Side("target"), Verdict("not_compared", "neutral", ()), (workload,)), POLICY)


@pytest.mark.parametrize("runs", [1, 5])
def test_unchanged_code_is_never_red_and_rarely_yellow(runs: int) -> None:
    random = np.random.default_rng(20 + runs)
    colours = [judged(random, runs, SHARES).verdict.colour for _ in range(300)]
    assert colours.count("red") == 0
    assert colours.count("yellow") <= 15


def test_a_heavy_slowdown_is_found() -> None:
    random = np.random.default_rng(3)
    place = int(np.argmin(np.abs(SHARES / SHARES.sum() - 0.05)))
    slower = SHARES.copy()
    slower[place] *= 1.3
    reports = [judged(random, 5, slower) for _ in range(20)]
    assert sum(report.verdict.colour == "red" for report in reports) >= 18
    first = [report.workloads[0].metrics[0].findings[0].location.name for report in reports]
    assert first.count(NAMES[place]) >= 18


def test_without_history_nothing_is_red() -> None:
    random = np.random.default_rng(4)
    slower = SHARES.copy()
    slower[2] *= 1.5
    report = judged(random, 1, slower)
    metric = report.workloads[0].metrics[0]
    young = replace(metric, calibration={**metric.calibration, "base_runs": 3}, findings=())
    again = judge(replace(report, workloads=(replace(report.workloads[0], metrics=(young,)),)), POLICY)
    assert (report.verdict.colour, again.verdict.colour) == ("red", "yellow")
