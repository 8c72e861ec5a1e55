"""The permutation test: its splits, p of examples worked out by hand, and its error rate on unchanged runs."""

from math import comb

import numpy as np
import pytest
from scipy import stats

from profgate.decide.detect.permutation import (
    Family,
    Rows,
    blocks_of,
    jointly_tested,
    largest,
    observed,
    p_of,
    p_of_one,
    splits_of,
    visible_factor,
)
from profgate.model.arrays import FloatArray
from profgate.model.levels import LISTED, MOST_SPLITS, RED

APART = [10.0, 11.0, 12.0, 13.0, 14.0, 20.0, 21.0, 22.0, 23.0, 24.0]


def rows_of(*values: list[float] | FloatArray, floor: float = 0.0, own: float = 0.0, sampling: float = 1.0) -> Rows:
    count = len(values)
    table = np.array(values, np.float64)
    return Rows(table, np.full(count, sampling), np.full(count, floor), np.full(count, own))


def family_of(members: list[Rows], runs: tuple[int, int], blocks: int = 1) -> Family:
    """The family of all rows at the level of a red finding."""
    return jointly_tested(members, runs, RED, [np.ones(len(rows.values), np.bool_) for rows in members], blocks)


def p_values(rows: Rows, baseline: int, target: int) -> list[float]:
    (p,) = family_of([rows], (baseline, target)).p
    return list(p.tolist())


@pytest.mark.parametrize(("baseline", "target"), [(1, 1), (3, 3), (5, 5), (4, 6), (3, 9)])
def test_few_runs_have_every_split_once(baseline: int, target: int) -> None:
    splits = splits_of(baseline, target).sides
    assert len(splits) == len(np.unique(splits, axis=0)) == comb(baseline + target, target)
    assert (splits.sum(axis=1) == target).all()
    assert splits[0].tolist() == [0.0] * baseline + [1.0] * target


def test_many_runs_have_the_same_random_splits() -> None:
    splits = splits_of(10, 12).sides.copy()
    assert splits.shape == (MOST_SPLITS, 22)
    assert (splits.sum(axis=1) == 12).all()
    assert splits[0].tolist() == [0.0] * 10 + [1.0] * 12
    # a report merges with those of other machines: the second split is the same everywhere
    assert "".join("01"[int(run)] for run in splits[1]) == "1001000101011110010111"
    assert splits.mean(axis=0) == pytest.approx(12 / 22, abs=0.025)
    splits_of.cache_clear()
    assert (splits_of(10, 12).sides == splits).all()


@pytest.mark.parametrize(("runs", "splits"), [(3, 20), (4, 70), (5, 252)])
def test_complete_separation_has_the_smallest_p(runs: int, splits: int) -> None:
    values = APART[:runs] + APART[5 : 5 + runs]
    assert p_values(rows_of(values), runs, runs) == [pytest.approx(1 / splits)]
    assert p_values(rows_of(values[::-1]), runs, runs) == [pytest.approx(1 / splits)]


def test_exchanged_runs_count_as_splits() -> None:
    # 13 and 20 exchanged: the recorded split and the one that exchanges them back reach its difference
    values = [10.0, 11.0, 12.0, 20.0, 14.0, 13.0, 21.0, 22.0, 23.0, 24.0]
    sides = splits_of(5, 5).sides
    differences = sides @ np.array(values) - (1 - sides) @ np.array(values)
    reached = int((differences >= differences[0]).sum())
    assert p_values(rows_of(values), 5, 5) == [pytest.approx(reached / 252)]
    assert 2 <= reached < 10


def test_another_location_raises_p() -> None:
    random = np.random.default_rng(1)
    many = [random.normal(100, 1, 10) for _ in range(200)]
    alone, crowd = (p_values(rows_of(list(many[0]), *others), 5, 5)[0] for others in ([], many[1:]))
    assert alone < crowd


def test_regression_and_improvement_do_not_mask_each_other() -> None:
    slower, faster = np.array(APART), 2 * np.array(APART[::-1])
    rows = rows_of(slower, faster)
    family = family_of([rows], (5, 5))
    first = p_of(observed(rows, splits_of(5, 5)).t, largest(rows, splits_of(5, 5)))
    assert first.tolist() == pytest.approx([2 / 252, 1 / 252])  # exchanged sides, the improvement is the largest rise
    assert family.p[0].tolist() == pytest.approx([1 / 252, 1 / 252])
    assert max(family.last[0]) == 0.0


def test_step_down_crosses_comparisons() -> None:
    slower, faster = rows_of(APART), rows_of(2 * np.array(APART[::-1]))
    assert [p.tolist() for p in family_of([slower, faster], (5, 5)).p] == [[pytest.approx(1 / 252)]] * 2


@pytest.mark.parametrize(
    ("floor", "own", "p"), [(9.9, 0.0, 1 / 252), (10.1, 0.0, 1.0), (0.0, 0.8, 1 / 252), (0, 0.9, 1)]
)
def test_changes_below_a_floor_are_none(floor: float, own: float, p: float) -> None:
    rows = rows_of(APART, floor=floor, own=own)
    assert p_values(rows, 5, 5) == [pytest.approx(p)]
    assert (observed(rows, splits_of(5, 5)).t[0] == 0.0) == (p == 1.0)
    assert observed(rows, splits_of(5, 5)).difference[0] == pytest.approx(10.0)


def test_equal_runs_show_nothing() -> None:
    assert p_values(rows_of([7.0] * 10, [0.0] * 10), 5, 5) == [1.0, 1.0]


def test_statistic_is_worked_out_by_hand() -> None:
    seen = observed(rows_of(APART, sampling=2.0), splits_of(5, 5))
    variance = (20.0 + 6 * 2.0) / (10 + 4)  # squares around the means of both sides, and the prior
    assert seen.error[0] == pytest.approx(np.sqrt(variance * (1 / 5 + 1 / 5)))
    assert seen.t[0] == pytest.approx(10.0 / seen.error[0])


def test_p_of_one_knows_its_direction() -> None:
    splits = splits_of(5, 5)
    assert p_of_one(np.array(APART), 1.0, splits, 1) == pytest.approx(1 / 252)
    assert p_of_one(np.array(APART), 1.0, splits, -1) == 1.0
    assert p_of_one(np.ones(10), 1.0, splits, 1) == 1.0


def test_too_few_splits_show_no_change() -> None:
    assert visible_factor(np.zeros(20), LISTED) == np.inf
    assert visible_factor(np.arange(252.0), LISTED) == pytest.approx(np.quantile(np.arange(252.0), 0.98) + 0.84)


def test_unchanged_families_keep_their_level() -> None:
    """300 families of 60 locations, counts with twice the scatter of a Poisson process; both directions count."""
    random = np.random.default_rng(7)
    means = np.exp(random.uniform(np.log(20), np.log(2000), 60))[:, None]
    recorded = random.negative_binomial(means, 0.5, (300, 60, 10)).astype(np.float64)
    floors = np.zeros(60), np.full(60, 0.05)
    smallest = np.array([min(p_values(Rows(values, 2 * means[:, 0], *floors), 5, 5)) for values in recorded])
    assert 0 < (smallest <= LISTED).mean() <= 0.05
    assert (smallest <= RED).mean() <= 0.015


@pytest.mark.parametrize(("baseline", "target", "blocks"), [(8, 8, 4), (11, 11, 5), (7, 7, 1), (8, 9, 1)])
def test_runs_in_turns_have_blocks(baseline: int, target: int, blocks: int) -> None:
    assert blocks_of(baseline, target, interleaved=True) == blocks
    assert blocks_of(baseline, target, interleaved=False) == 1


def test_runs_change_places_within_their_block() -> None:
    sides, blocks, block = splits_of(8, 8, blocks=4)
    assert blocks == 4
    assert block.tolist() == [0, 0, 1, 1, 2, 2, 3, 3] * 2
    assert sides[0].tolist() == [0.0] * 8 + [1.0] * 8
    for number in range(blocks):
        assert (sides[:, block == number].sum(axis=1) == 2).all()
    assert len(np.unique(sides, axis=0)) >= 0.9 * 6**4
    assert sides.mean(axis=0) == pytest.approx(0.5, abs=0.025)


def test_differences_between_blocks_are_no_noise() -> None:
    """Each block is slower than the one before; in each, the target takes 1 more, or as much."""
    drift = np.repeat(np.arange(5) * 10.0, 2) + np.tile([0.0, 0.5], 5)
    equal, slower = np.concatenate([drift, drift]), np.concatenate([drift, drift + 1.0])
    for values, is_found in ((equal, False), (slower, True)):
        (p,) = family_of([rows_of(values, sampling=1e-6)], (10, 10), 5).p
        (free,) = family_of([rows_of(values, sampling=1e-6)], (10, 10)).p
        assert (bool(p[0] <= RED), bool(free[0] <= RED)) == (is_found, False)
    seen = observed(rows_of(slower, sampling=2.0), splits_of(10, 10, blocks=5))
    # squares around the means of both sides after the mean of the block is subtracted, and the prior
    assert seen.error[0] == pytest.approx(np.sqrt((20 * 0.25**2 + 6 * 2.0) / (20 - 5 - 1 + 6) * (1 / 10 + 1 / 10)))


@pytest.mark.parametrize("drift", [0.0, 0.15])
def test_blocks_keep_the_level_on_a_machine_that_changes_its_speed(drift: float) -> None:
    random, cases = np.random.default_rng(5), 400
    steps = random.normal(0.0, drift / np.sqrt(20), (cases, 20)).cumsum(axis=1)
    values = np.exp(steps + random.normal(0.0, 0.03, (cases, 20)))
    # runs in the order of the blocks: A B B A
    order = np.concatenate(
        [np.arange(20).reshape(5, 4)[:, [0, 3]].ravel(), np.arange(20).reshape(5, 4)[:, 1:3].ravel()]
    )
    rows = values[:, order]
    splits = splits_of(10, 10, blocks=5)
    found = [p_of_one(row, 0.0009, splits, 1) <= 0.05 for row in rows]
    assert stats.binomtest(sum(found), cases, 0.05).pvalue >= 0.001
