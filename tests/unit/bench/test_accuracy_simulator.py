"""The programs of the accuracy lab: what is planted is there, and the short way to a comparison is the long one."""

from dataclasses import fields

import numpy as np
import pytest
from bench.accuracy.edits import EDITS, NET_UNCHANGED, NEW_SHARE, edited_function
from bench.accuracy.simulator import (
    COUNTED,
    SAMPLED,
    TIMED,
    Noise,
    comparison_of,
    function_near,
    history,
    overlay_of,
    planted,
    profile_of,
    recorded,
    zipf_program,
)

from profgate.compare.build import CompareOptions, compare_workload
from profgate.model.profile import Configuration
from profgate.model.workload import Workload

PROGRAM = zipf_program(np.random.default_rng(7), 60)
NO_NOISE = Noise(function=0.0, machine=0.0)


def test_the_short_way_to_a_comparison_gives_what_the_compare_stage_gives() -> None:
    random = np.random.default_rng(1)
    sides = recorded(random, PROGRAM, 3, Noise()), recorded(random, PROGRAM, 2, Noise())
    base_runs = history(random, PROGRAM, Noise())
    short = comparison_of(overlay_of(PROGRAM), sides, base_runs, Noise())
    baseline, target, noise = (tuple(profile_of(PROGRAM, run) for run in runs) for runs in (*sides, base_runs))
    workload = Workload("w", Configuration(), baseline, target, noise)
    long = compare_workload(workload, (), CompareOptions())[0][0]
    assert short.symbols.names == long.symbols.names
    assert short.runs.noise == long.runs.noise == 12
    for name in ("self_value", "total_value", "run_totals", "present", "noise_self", "noise_totals", "first_seen"):
        assert np.array_equal(getattr(short, name), getattr(long, name)), name
    assert short.tree is not None
    assert long.tree is not None
    for column in fields(short.tree):
        assert np.array_equal(getattr(short.tree, column.name), getattr(long.tree, column.name)), column.name


@pytest.mark.parametrize("share", [0.005, 0.2])
def test_a_plant_holds_its_share_of_the_baseline_and_grows_alone(share: float) -> None:
    place = function_near(PROGRAM, share)
    before, after = planted(PROGRAM, place, share, 1.3)
    assert before.shares.sum() == pytest.approx(1.0)
    assert before.shares[place] == pytest.approx(share)
    grown = after.shares / before.shares
    assert grown[place] == pytest.approx(1.3)
    assert np.delete(grown, place) == pytest.approx(1.0)


@pytest.mark.parametrize("recorder", [SAMPLED, TIMED, COUNTED])
def test_runs_hold_the_volume_of_their_profiler(recorder: object) -> None:
    assert recorder in (SAMPLED, TIMED, COUNTED)
    chosen = SAMPLED if recorder is SAMPLED else TIMED if recorder is TIMED else COUNTED
    values = recorded(np.random.default_rng(2), PROGRAM, 20, NO_NOISE, chosen)
    assert values.sum(axis=1).mean() == pytest.approx(chosen.volume, rel=0.01)
    assert values.mean(axis=0)[0] == pytest.approx(chosen.volume * PROGRAM.shares[0], rel=0.01)


def test_noise_is_as_wide_as_it_says() -> None:
    values = recorded(np.random.default_rng(3), PROGRAM, 400, Noise(function=0.05, machine=0.04), TIMED)
    logs = np.log(values / values.sum(axis=1, keepdims=True))
    assert np.median(logs.std(axis=0, ddof=1)) == pytest.approx(0.05, rel=0.1)
    assert np.log(values.sum(axis=1)).std(ddof=1) == pytest.approx(0.04, rel=0.2)


def test_one_job_shares_its_machine_and_its_build() -> None:
    noise = Noise(function=0.0, job=0.05, one_job=True)
    values = recorded(np.random.default_rng(4), PROGRAM, 3, noise, TIMED)
    assert (values == values[0]).all()


@pytest.mark.parametrize("edit", sorted(NET_UNCHANGED))
def test_edits_that_move_cost_leave_the_net_as_it_was(edit: str) -> None:
    random = np.random.default_rng(5)
    edited = EDITS[edit](PROGRAM, edited_function(PROGRAM, random), random)
    assert edited.program.shares.sum() == pytest.approx(1.0)
    assert not edited.slower
    before, after = set(PROGRAM.names), set(edited.program.names)
    assert (len(before - after), len(after - before)) == {
        "renamed": (1, 1),
        "moved": (0, 0),
        "split": (0, 1),
        "inlined": (1, 0),
    }[edit]
    assert edit != "moved" or (edited.program.caller != PROGRAM.caller).sum() == 1


def test_edits_that_change_cost_say_where() -> None:
    random = np.random.default_rng(6)
    place = edited_function(PROGRAM, random)
    name, share = PROGRAM.names[place], float(PROGRAM.shares[place])
    new, gone, slower = (EDITS[edit](PROGRAM, place, random) for edit in ("new cost", "gone", "renamed and slower"))
    assert new.program.shares.sum() == pytest.approx(1.0 + NEW_SHARE)
    assert name in new.slower
    assert gone.program.shares.sum() == pytest.approx(1.0 - share)
    assert (name in gone.program.names, gone.slower) == (False, frozenset())
    assert slower.program.shares.sum() == pytest.approx(1.0 + 0.5 * share)
    assert len(slower.slower) == 2
