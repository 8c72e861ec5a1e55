"""The cells of the lab: what is simulated, how often, and what the truth is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from bench.accuracy.edits import EDITS, edited_function
from bench.accuracy.growth import FUNCTIONS, measured
from bench.accuracy.scoring import Result
from bench.accuracy.simulator import (
    COUNTED,
    SAMPLED,
    TIMED,
    Noise,
    Overlay,
    Random,
    comparison_of,
    function_near,
    history,
    overlay_of,
    planted,
    profile_of,
    recorded,
    zipf_program,
)
from bench.accuracy.stages import judge_comparisons, judge_profiles, words_of

from profgate.model.comparison import Comparison
from profgate.model.report import Report

RUNS = (1, 3, 5, 10)
SHARES = (0.005, 0.01, 0.02, 0.05, 0.2)
RATIOS = (1.05, 1.1, 1.3, 2.0)
EXTRA_PLANTS = ((0.05, 1.2), (0.02, 1.5))  # the further rows of the release targets
# runs a side, share and ratio of slowdowns that must be red, or at least listed, in 90 % of pull requests
GATED = ((5, 0.05, 1.2), (5, 0.02, 1.3), (5, 0.01, 2.0), (1, 0.05, 1.3), (1, 0.02, 1.5), (1, 0.01, 2.0))
LISTED = ((5, 0.005, 1.3),)
PROMISED = frozenset((*GATED, *LISTED))
SUITE = 50
CALIBRATED = "as calibrated"
ONE_JOB = "one job, and the profiles say so"
REPEATED_JOBS = "the same, and base jobs of as many runs"
NOISES = {
    CALIBRATED: Noise(),
    "wrong calibration (.05 for .03)": Noise(function=0.05, learned=0.03),
    "heavy tails (t, 3 df)": Noise(degrees=3.0),
    "one job, taken for independent runs": Noise(job=0.03, one_job=True),
    ONE_JOB: Noise(job=0.03, one_job=True, stated=True),
    REPEATED_JOBS: Noise(job=0.03, one_job=True, stated=True, repeated=True),
}
RECORDERS = {"sampled": SAMPLED, "timed": TIMED, "counted": COUNTED}
QUIET = Noise(function=0.001, machine=0.0)  # instructions hardly scatter
SLOW_MACHINE = 1.04
Truth = frozenset[tuple[str, str]]
NOTHING: Truth = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class PullRequest:
    """One simulated pull request, judged; ``truth`` holds the places where a slowdown may rightly be told."""

    report: Report
    comparisons: Sequence[Comparison]
    truth: Truth = NOTHING


@dataclass(frozen=True, slots=True)
class Cell:
    """One condition. ``plant``: share and ratio; ``edit``: a name in `EDITS`; ``grown``: O(n) turned O(n^2)."""

    number: int
    noise: str
    runs: int
    pull_requests: int
    kind: str = "sampled"
    workloads: int = 1
    plant: tuple[float, float] | None = None
    edit: str | None = None
    grown: bool | None = None
    slow_machine: bool = False

    def facts(self) -> dict[str, Any]:
        """What the JSON says of it."""
        return {
            "noise": self.noise,
            "metric": self.kind,
            "runs": self.runs,
            "workloads": self.workloads,
            "plant": list(self.plant) if self.plant else None,
            "edit": self.edit,
            "grown": self.grown,
            "slow_machine": self.slow_machine,
            "pull_requests": self.pull_requests,
        }


@cache
def _overlay(functions: int) -> Overlay:
    return overlay_of(zipf_program(np.random.default_rng(functions), functions))


def _noise(cell: Cell) -> Noise:
    return QUIET if cell.kind == "counted" else NOISES[cell.noise]


def _flat(cell: Cell, random: Random, plant: tuple[float, float] | None, workload: str) -> tuple[Comparison, Truth]:
    """One workload of functions with unchanged names and callers."""
    overlay = _overlay(2000 if cell.workloads == 1 else 400)
    program, truth = overlay.program, NOTHING
    target = program
    if plant is not None:
        place = function_near(program, plant[0])
        program, target = planted(program, place, *plant)
        truth = frozenset([(workload, program.names[place])])
    if cell.slow_machine:
        target = target.with_shares(target.shares * SLOW_MACHINE)
    noise, recorder = _noise(cell), RECORDERS[cell.kind]
    sides = (
        recorded(random, program, cell.runs, noise, recorder),
        recorded(random, target, cell.runs, noise, recorder),
    )
    base_runs = history(random, program, noise, recorder, cell.runs)
    return comparison_of(overlay, sides, base_runs, noise, recorder, workload), truth


def _suite(cell: Cell, random: Random) -> PullRequest:
    """All workloads, the plant in one of them."""
    chosen = int(random.integers(cell.workloads))
    comparisons, truth = [], NOTHING
    for number in range(cell.workloads):
        plant = cell.plant if number == chosen else None
        comparison, true_here = _flat(cell, random, plant, f"w{number:02}")
        comparisons.append(comparison)
        truth |= true_here
    return PullRequest(judge_comparisons(comparisons), comparisons, truth)


def _edited(cell: Cell, random: Random) -> PullRequest:
    program = _overlay(300).program
    noise, runs = _noise(cell), cell.runs
    edited = EDITS[cell.edit or ""](program, edited_function(program, random), random)
    sides = [recorded(random, side, runs, noise) for side in (program, edited.program)]
    base_runs = history(random, program, noise)
    built = judge_profiles(
        [profile_of(program, values) for values in sides[0]],
        [profile_of(edited.program, values) for values in sides[1]],
        [profile_of(program, values) for values in base_runs],
    )
    workload = built.report.workloads[0].name
    truth = frozenset((workload, name) for name in edited.slower)
    return PullRequest(built.report, built.comparisons, truth)


def _grown(cell: Cell, random: Random) -> PullRequest:
    place = int(random.integers(FUNCTIONS // 3)) if cell.grown else None
    built = judge_profiles(
        [measured(random) for _ in range(cell.runs)],
        [measured(random, place) for _ in range(cell.runs)],
        [measured(random) for _ in range(8)],
    )
    workload = built.report.workloads[0].name
    truth = frozenset([(workload, f"function_{place:02}")]) if place is not None else NOTHING
    return PullRequest(built.report, built.comparisons, truth)


def pull_request(cell: Cell, random: Random) -> PullRequest:
    """One pull request of a cell."""
    if cell.grown is not None:
        return _grown(cell, random)
    return _edited(cell, random) if cell.edit else _suite(cell, random)


def run_cell(cell: Cell, seed: int) -> Result:
    """All pull requests of a cell; the same seed gives the same numbers, whatever else runs."""
    result = Result(cell.facts())
    # where rules are set side by side; elsewhere the judge is what is asked for
    everybody = cell.noise == CALIBRATED and cell.kind == "sampled" and cell.workloads == 1 and not cell.edit
    for number in range(cell.pull_requests):
        one = pull_request(cell, np.random.default_rng([seed, cell.number, number]))
        result.add(words_of(one.report, one.comparisons, everybody=everybody), one.truth)
    return result


def _unchanged(count: int) -> Iterator[Cell]:
    for noise in NOISES:
        yield from (Cell(0, noise, runs, count if noise == CALIBRATED else count // 3) for runs in RUNS)
    for runs in RUNS:
        yield Cell(0, CALIBRATED, runs, count // 5, slow_machine=True)
        yield from (Cell(0, CALIBRATED, runs, count // 5, kind=kind) for kind in ("timed", "counted"))
        yield Cell(0, CALIBRATED, runs, count // 15, workloads=SUITE)


def _slower(count: int) -> Iterator[Cell]:
    plants = [*((share, ratio) for share in SHARES for ratio in RATIOS), *EXTRA_PLANTS]
    for runs in RUNS:
        for share, ratio in plants:
            promised = (runs, share, ratio) in PROMISED
            yield Cell(0, CALIBRATED, runs, 3 * count if promised else count, plant=(share, ratio))
    few = [(share, ratio) for share in (0.01, 0.05) for ratio in RATIOS]
    for kind in ("timed", "counted"):
        yield from (Cell(0, CALIBRATED, runs, count // 2, kind=kind, plant=plant) for runs in RUNS for plant in few)
    few = [(0.05, 1.3), (0.02, 1.5), (0.01, 2.0)]
    for noise in (ONE_JOB, REPEATED_JOBS):
        yield from (Cell(0, noise, runs, count, plant=plant) for runs in RUNS for plant in few)
    for runs in (1, 5):
        yield from (Cell(0, CALIBRATED, runs, count // 4, workloads=SUITE, plant=plant) for plant in few)


def _changed(count: int) -> Iterator[Cell]:
    yield from (Cell(0, CALIBRATED, runs, count, edit=edit) for runs in RUNS for edit in EDITS)
    yield from (Cell(0, CALIBRATED, runs, count, grown=grown) for runs in (1, 5) for grown in (False, True))


def all_cells(unchanged: int = 300, changed: int = 30) -> Sequence[Cell]:
    """Every cell: so many unchanged or changed pull requests where promises hang on them, else fewer."""
    cells = [*_unchanged(unchanged), *_slower(changed), *_changed(changed)]
    return [replace(cell, number=number) for number, cell in enumerate(cells)]
