"""The suspects of a measurement in turns: who they are, and how often unchanged code is red."""

import numpy as np
import pytest
from scipy import stats

from comparisons import from_exclusive, from_stacks
from profgate.decide.detect.evidence import Evidence, evidence_tasks
from profgate.decide.detect.location_costs import MOST_SUSPECTS, largest_locations, rows_of
from profgate.measuring.looks import RUNS, planned
from profgate.model.arrays import BoolArray
from profgate.model.change import Location
from profgate.model.comparison import Comparison
from profgate.model.levels import PLACEMENT
from profgate.model.measurement import Look, Suspect
from profgate.model.record import replace

BASE = {f"f{place:02}": 4000 + 100 * place for place in range(30)}
SLOWER = {**BASE, "f07": 9400, "f20": 12_000}


def suspect(name: str | None, file: str | None = None) -> Suspect:
    return Suspect("w", "samples", None if name is None else Location(name, file))


def at(look: Look, comparison: Comparison) -> Evidence:
    (task,) = evidence_tasks([comparison], interleaved=True, look=look)
    found = task()
    assert isinstance(found, Evidence)
    return found


def names(comparison: Comparison, found: Evidence, chosen: BoolArray) -> set[str]:
    symbols = found.costs.symbol[chosen].tolist()
    return {comparison.symbols.names[symbol] if symbol >= 0 else "total" for symbol in symbols}


def test_other_locations_are_not_reported() -> None:
    comparison = from_exclusive([BASE] * 8, [SLOWER] * 8)
    found = at(Look(8, 0.002, (suspect("f07"),)), comparison)
    assert names(comparison, found, found.suspect) == {"f07"}


def test_every_location_is_suspect_without_a_list() -> None:
    found = at(Look(8, 0.002), from_exclusive([BASE] * 8, [SLOWER] * 8))
    assert found.suspect.all()
    assert found.turns is not None
    assert found.turns.level == 0.002


def test_interval_is_about_the_change() -> None:
    comparison = from_exclusive([BASE] * 8, [SLOWER] * 8)
    found = at(Look(8, 0.002), comparison)
    (row, *_) = rows_of(suspect("f07"), comparison, found.costs)
    change = found.difference[row] / found.costs.values[row, :8].mean()
    assert found.turns is not None
    low, high = found.turns.low[row], found.turns.high[row]
    assert low < change < high
    assert low + high == pytest.approx(2 * change)


def test_interval_of_new_function_is_about_the_run() -> None:
    comparison = from_exclusive([BASE] * 8, [{**BASE, "new": 9000}] * 8)
    found = at(Look(8, 0.002), comparison)
    (row, *_) = rows_of(suspect("new"), comparison, found.costs)
    assert found.turns is not None
    assert found.turns.low[row] + found.turns.high[row] == pytest.approx(2 * 9000 / found.costs.whole)
    assert np.isnan(found.turns.least[row])
    assert found.certain[row]


def test_total_and_functions_large_on_one_side_are_suspects() -> None:
    costs = {"large": 6000, "middle": 3790, "share": 300, "small": 10, "new": 0}
    found = largest_locations(from_exclusive([costs], [{**costs, "new": 3000}]))
    assert [one.location and one.location.name for one in found] == [None, "large", "middle", "new", "share"]


def test_suspects_of_each_kind_are_limited() -> None:
    paths = {f"main;outer{place};inner{place}": 1000 + place for place in range(MOST_SUSPECTS + 5)}
    found = [one.location.name for one in largest_locations(from_stacks([paths], [paths])) if one.location]
    kinds = [sum(name.startswith(start) for name in found) for start in ("inner", "outer")]
    assert kinds[0] == MOST_SUSPECTS
    assert "inner0" not in found
    assert len(found) <= 2 * MOST_SUSPECTS


@pytest.mark.parametrize(
    ("here", "there", "same"),
    [
        ("a/src/shop.py", "/b/src/shop.py", True),
        ("shop.py", "/b/src/shop.py", True),
        ("src\\shop.py", "b/src/shop.py", True),
        ("a/src/shop.py", "a/lib/shop.py", False),
        ("a/src/shop.py", None, False),
        (None, None, True),
    ],
)
def test_suspects_match_by_the_end_of_their_path(here: str | None, there: str | None, same: bool) -> None:
    comparison = from_exclusive([BASE], [BASE])
    symbols = replace(comparison.symbols, files=[here] * len(BASE))
    found = at(Look(8, 0.002), from_exclusive([BASE] * 8, [BASE] * 8))
    rows = rows_of(suspect("f03", file=there), replace(comparison, symbols=symbols), found.costs)
    assert bool(len(rows)) is same


@pytest.mark.parametrize("machines", [0, 1])
@pytest.mark.parametrize("cases", [20, pytest.param(300, marks=pytest.mark.slow)])
def test_unchanged_code_is_rarely_red_at_any_look(machines: int, cases: int) -> None:
    random = np.random.default_rng(11)
    names = list(BASE)[:12]
    shares = 60_000 / np.arange(1, 13)
    looks = planned(RUNS[-1], counts=False, machines=machines)
    known = (*map(suspect, names), suspect(None)) if machines else None
    reds = 0
    for _ in range(cases):
        noise = random.normal(0.0, 0.03, (2, RUNS[-1], len(names))) + random.normal(0.0, 0.03, (2, RUNS[-1], 1))
        values = random.negative_binomial(shares * np.exp(noise), 0.5)
        runs = [[dict(zip(names, run, strict=True)) for run in side] for side in values.tolist()]
        reds += any(
            is_red(at(replace(look, suspects=known), from_exclusive(*(side[: look.runs] for side in runs))))
            for look in looks
        )
    assert stats.binomtest(reds, cases, sum(look.level for look in looks), "greater").pvalue >= 0.05


def is_red(found: Evidence) -> bool:
    return bool((found.certain & found.suspect & (found.difference > 0)).any())


@pytest.mark.parametrize(("growth", "certain"), [(1.09, set()), (1.30, {"f07"})])
def test_certain_change_exceeds_another_placement_of_the_code(growth: float, certain: set[str]) -> None:
    before = {**BASE, "f07": 40_000}
    after = {**before, "f07": round(growth * before["f07"])}
    comparison = from_exclusive([before] * 8, [after] * 8)
    suspects = (suspect("f07"),)
    for deviations, expected in ((0.0, {"f07"}), (2.5, certain)):
        found = at(Look(8, 0.02, suspects, deviations, PLACEMENT), comparison)
        assert names(comparison, found, found.certain & found.suspect) == expected
        assert found.turns is not None
        (row, *_) = rows_of(suspect("f07"), comparison, found.costs)
        error = found.error[row] / before["f07"]
        assert found.turns.least[row] == pytest.approx(deviations * np.hypot(error, PLACEMENT), rel=0.01)
