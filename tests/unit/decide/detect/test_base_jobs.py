"""Comparison with base jobs: what bounds a difference, which jobs count, and what one job has to show."""

import numpy as np
import pytest

from profgate.decide.detect.permutation import JobTest, Rows
from profgate.decide.detect.permutation import tested_with_jobs as against_jobs
from profgate.model.comparison import Runs

JOBS = [100.0, 102.0, 98.0, 101.0, 99.0]  # one reading each; the last is the baseline's own


def compared(
    values: list[list[float]],
    runs: Runs | None = None,
    *,
    floor: float = 0.0,
    sampled: bool = True,
    totals: list[float] | None = None,
) -> JobTest:
    """Values of base runs of other commits, the baseline's and the target's, by location."""
    table = np.array(values)
    count = len(table)
    rows = Rows(table, np.full(count, 1.0), np.full(count, floor), np.zeros(count))
    runs = runs or Runs(1, 1, table.shape[1] - 2)
    return against_jobs(table, rows, runs, np.array(totals or [1000.0] * table.shape[1]), sampled=sampled)


def test_bound_is_the_largest_base_difference() -> None:
    test = compared([[*JOBS, 150.0]])
    assert test.difference.tolist() == pytest.approx([50.0])
    assert test.bound.tolist() == pytest.approx([2.5])  # 102, or 98, against the mean of the other four
    assert (test.before.tolist(), test.after.tolist(), test.jobs) == ([100.0], [150.0], 5)
    variance = (10.0 + 4.0) / (5 + 3)  # squares around the mean, and the prior of four jobs
    assert test.t.tolist() == pytest.approx([50.0 / np.sqrt(variance * 1.2)])


def test_largest_is_over_all_locations() -> None:
    calm, wild = [100.0, 100.0, 100.0, 100.0, 100.0, 130.0], [100.0, 180.0, 100.0, 100.0, 100.0, 100.0]
    assert compared([calm]).largest == 0.0
    alone, both = compared([wild]).largest, compared([calm, wild]).largest
    assert alone == both > 20.0


def test_shift_of_level_leaves_older_jobs_out() -> None:
    base = [200.0, 201.0, 199.0, 100.0, 101.0, 99.0, 100.0]  # the newest first, the baseline's own last
    newest_own = [*base, 200.0, 200.0]
    test = compared([newest_own], Runs(1, 1, 7))
    assert test.difference.tolist() == pytest.approx([0.0])
    assert test.bound.tolist() == pytest.approx([4 / 3])


@pytest.mark.parametrize(("jobs", "decides"), [(4, False), (5, True)])
def test_fewer_than_five_jobs_decide_nothing(jobs: int, decides: bool) -> None:
    assert (compared([[*JOBS[:jobs], 300.0]]).t[0] > 0) == decides


def test_jobs_before_a_shift_decide_nothing() -> None:
    moved = [[200.0, 100.0, 101.0, 99.0, 200.0, 300.0], [100.0, 100.0, 101.0, 99.0, 100.0, 300.0]]
    t = compared(moved, Runs(1, 1, 4)).t
    assert (t > 0).tolist() == [False, True]


@pytest.mark.parametrize(("total", "bound"), [(1240.0, 20.0), (1260.0, 0.0)])
def test_job_of_another_total_bounds_nothing(total: float, bound: float) -> None:
    values = [[100.0, 120.0, 100.0, 100.0, 100.0, 150.0]]
    totals = [1000.0, total, 1000.0, 1000.0, 1000.0, 1000.0]
    assert compared(values, totals=totals).bound.tolist() == [bound]


def test_left_out_jobs_have_the_targets_runs() -> None:
    """Jobs of two runs: against a target of one run each stands in with its first run, which scatters more."""
    values = [[90.0, 110.0, 110.0, 90.0, 100.0, 100.0, 100.0]]
    short = compared(values, Runs(2, 1, 4, (0, 0), (0,), (0, 0, 1, 1)))
    full = compared([[*values[0], 100.0]], Runs(2, 2, 4, (0, 0), (0, 0), (0, 0, 1, 1)))
    assert (short.jobs, short.bound.tolist(), full.bound.tolist()) == (3, [10.0], [0.0])


def test_reading_is_robust() -> None:
    runs = Runs(5, 5, 10, (0,) * 5, (0,) * 5, (0,) * 5 + (1,) * 5)
    values = [[100.0, 100.0, 100.0, 100.0, 1000.0] * 4]
    assert compared(values, runs).before.tolist() == [100.0]
    skewed = [[90.0, 100.0, 110.0, 140.0, 150.0] * 4]
    assert compared(skewed, runs).after.tolist() == pytest.approx([350 / 3])
    assert compared(skewed, runs, sampled=False).after.tolist() == [110.0]
