"""The release targets in a small form, by fixed seeds; docs/accuracy.md holds the large one."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # bench is run from the checkout and not installed

from bench.accuracy.cells import CALIBRATED, GATED, LISTED, RUNS, Cell, PullRequest, pull_request
from bench.accuracy.edits import NET_UNCHANGED
from bench.accuracy.scoring import Tally, judged
from bench.accuracy.simulator import Noise, comparison_of, history, overlay_of, recorded, zipf_program
from bench.accuracy.stages import judge_comparisons
from bench.accuracy.targets import LEAST_FOUND, MOST_RED, MOST_SHOWN, upper_bound

from profgate.detect.registry import STRATEGIES
from profgate.detect.rules import selected, words_on
from profgate.model.change import Context
from profgate.model.comparison import Comparison
from profgate.model.kinds import BETTER, WORSE, Kind
from profgate.model.policy import Policy, Rule

SEED = 2
MIRRORED = {"average_amount_threshold", "best_model_order_equality", "exclusive_time_outliers", "totals"}
GATE_TEST = "calibrated_log_ratio"
CASES = {1: 200, 5: 60}  # pull requests for each planted slowdown, by runs a side


def tallied(cells: Sequence[Cell]) -> Tally:
    """The judge's counts over all pull requests of these cells."""
    tally = Tally()
    for cell in cells:
        for number in range(cell.pull_requests):
            one: PullRequest = pull_request(cell, np.random.default_rng([SEED, cell.number, number]))
            tally.add(judged(one.report), one.truth)
    return tally


def test_unchanged_code_is_never_red_and_rarely_shown() -> None:
    tally = tallied([Cell(runs, CALIBRATED, runs, 75) for runs in RUNS])
    assert upper_bound(tally.red, tally.tried) <= MOST_RED
    assert tally.shown <= MOST_SHOWN * tally.tried


@pytest.mark.parametrize(("runs", "share", "ratio"), GATED)
def test_a_slowdown_turns_the_check_red_at_its_function(runs: int, share: float, ratio: float) -> None:
    tally = tallied([Cell(20, CALIBRATED, runs, CASES[runs], plant=(share, ratio))])
    assert tally.gated_there >= LEAST_FOUND * tally.tried


@pytest.mark.parametrize(("runs", "share", "ratio"), LISTED)
def test_a_smaller_slowdown_is_listed_and_not_red(runs: int, share: float, ratio: float) -> None:
    tally = tallied([Cell(30, CALIBRATED, runs, CASES[runs], plant=(share, ratio))])
    assert tally.listed_there >= LEAST_FOUND * tally.tried
    assert tally.gated_there == 0


@pytest.mark.parametrize("edit", sorted(NET_UNCHANGED))
def test_cost_that_only_moves_is_never_red(edit: str) -> None:
    assert tallied([Cell(40, CALIBRATED, runs, 6, edit=edit) for runs in (1, 5)]).red == 0


def simulated(runs: int) -> Comparison:
    """A pair with noise in it; both sides have as many runs, and their own history."""
    random = np.random.default_rng(SEED)
    program = zipf_program(random, 200)
    sides = recorded(random, program, runs, Noise()), recorded(random, program, runs, Noise(function=0.2))
    return comparison_of(overlay_of(program), sides, history(random, program, Noise()), Noise())


def swapped(comparison: Comparison, *, same: bool = False) -> Comparison:
    """The target first; or the baseline against itself."""
    from dataclasses import replace

    split = comparison.runs.baseline
    order = [*range(split, 2 * split), *range(split)] if not same else [*range(split), *range(split)]
    sides = [0, 0] if same else [1, 0]
    return replace(
        comparison,
        self_value=comparison.self_value[order],
        total_value=comparison.total_value[order],
        run_totals=comparison.run_totals[order],
        present=comparison.present[sides],
        tree=None,
    )


@pytest.mark.parametrize("runs", [1, 5])
def test_a_profile_against_itself_is_green_and_every_strategy_is_quiet(runs: int) -> None:
    itself = swapped(simulated(runs), same=True)
    policy = Policy(rules=tuple(Rule(strategy.short) for strategy in STRATEGIES))
    quiet = {int(Kind.NO_CHANGE), int(Kind.UNKNOWN)}
    for detection in words_on(itself, selected(policy, itself.configuration, itself.metric), Context()):
        assert set(detection.kind.tolist()) <= quiet, detection.strategy
    assert judge_comparisons([itself]).verdict.colour == "green"


@pytest.mark.parametrize("runs", [1, 5])
def test_swapped_sides_change_signs_and_mirror_kinds(runs: int) -> None:
    one = simulated(runs)
    policy = Policy(rules=tuple(Rule(strategy.short) for strategy in STRATEGIES))
    chosen = selected(policy, one.configuration, one.metric)
    mirror = {int(kind): -int(kind) for kind in WORSE | BETTER} | {
        int(Kind.NOT_IN_BASELINE): int(Kind.NOT_IN_TARGET),
        int(Kind.NOT_IN_TARGET): int(Kind.NOT_IN_BASELINE),
    }
    for before, after in zip(words_on(one, chosen, Context()), words_on(swapped(one), chosen, Context()), strict=True):
        delta, back = before.to_value - before.from_value, after.to_value - after.from_value
        if before.strategy in MIRRORED | {GATE_TEST}:
            assert before.symbol.tolist() == after.symbol.tolist()
            assert delta.tolist() == pytest.approx((-back).tolist())
        if before.strategy in MIRRORED:
            assert [mirror.get(kind, kind) for kind in before.kind.tolist()] == after.kind.tolist(), before.strategy
        if before.strategy == GATE_TEST:
            assert before.statistics["d"] == pytest.approx(-after.statistics["d"])
