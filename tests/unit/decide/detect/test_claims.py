"""What is measured about a claim."""

import numpy as np
import pytest

from comparisons import SAMPLES, folded, from_exclusive, overlaid
from profgate.decide.detect.claims import with_results
from profgate.model.claim import CLAIM_SPLITS, Claim, ClaimResult
from profgate.model.comparison import Comparison
from profgate.model.record import replace

BASE = {"parse": 8000, "render": 6000, **{f"f{place}": 900 + 100 * place for place in range(10)}}
RUNS = 20


def compared(after: dict[str, float], *, seed: int = 0, noise: float = 0.02) -> Comparison:
    """Runs in turns, in which each function scatters by 2 % and each run by 10 %; ``after`` are factors."""
    chance = np.random.default_rng(seed)
    sides: list[list[dict[str, int]]] = []
    for factors in ({}, after):
        sides.append([])
        for _ in range(RUNS):
            speed = float(np.exp(chance.normal(0, 0.1)))
            costs = {name: value * factors.get(name, 1.0) * speed for name, value in BASE.items()}
            sides[-1].append({name: int(cost * np.exp(chance.normal(0, noise))) for name, cost in costs.items()})
    return from_exclusive(*sides)


def result(claim: Claim, *comparisons: Comparison) -> ClaimResult:
    (found,) = with_results([claim], comparisons)
    (only,) = found.results
    return only


def test_result_contains_the_change() -> None:
    found = result(Claim("parse", -0.1), compared({"parse": 0.9}))
    assert found.low is not None
    assert found.high is not None
    assert found.low < -0.1 < found.high
    assert found.high - found.low < 0.04
    assert found.obstacle == ""
    assert found.p == pytest.approx(1 / CLAIM_SPLITS)
    assert found.share == pytest.approx(8000 / sum(BASE.values()), rel=0.03)


@pytest.mark.parametrize("change", [0.0, -0.03, -0.05])
def test_half_of_the_claim_is_rarely_exceeded_by_chance(change: float) -> None:
    """The p values of the largest change that proves nothing are uniform, and those of smaller ones larger."""
    claim = Claim("parse", -0.1)
    ps = np.array([result(claim, compared({"parse": 1 + change}, seed=seed)).p or 0 for seed in range(100)])
    assert (ps <= 0.05).sum() <= 11  # 5 are expected, and more are improbable (p < 0.005)
    assert ps.mean() > 0.4


def test_slower_functions_around_do_not_help() -> None:
    """The common factor of the others makes the function look faster, but the total shows no gain."""
    slower = dict.fromkeys(BASE, 1.1) | {"parse": 1.0}
    found = result(Claim("parse", -0.1), compared(slower))
    assert found.total_low is not None
    assert found.total_low > -0.05 * (found.share or 0)


def test_cost_of_callees_counts() -> None:
    """Work that moves to a new function below is no gain."""
    before = {"main;parse": 8000, "main;render": 6000, "main;log": 3000}
    after = {"main;parse": 800, "main;parse;helper": 7200, "main;render": 6000, "main;log": 3000}
    comparison = overlaid(folded([before] * RUNS), folded([after] * RUNS))
    found = result(Claim("parse", -0.1), comparison)
    assert found.low == pytest.approx(0, abs=0.03)
    assert found.high == pytest.approx(0, abs=0.03)
    assert found.p == 1.0


def test_removed_function_saves_its_share() -> None:
    """If only its name changed, the total does not show it."""
    gone = [{name: cost for name, cost in BASE.items() if name != "parse"}] * RUNS
    found = result(Claim("parse", -0.1), from_exclusive([BASE] * RUNS, gone))
    assert found.low == pytest.approx(-1.0, abs=0.05)
    assert found.high == pytest.approx(-1.0, abs=0.05)
    assert (found.total_high or 0) < -(found.share or 0) / 2
    assert with_results([Claim("parse", -0.1)], [from_exclusive(gone, [BASE] * RUNS)])[0].results == ()


def test_ambiguous_name_needs_a_file() -> None:
    runs = [{"a (x.py:1)": 4000, "a (y.py:1)": 3000, "b (x.py:9)": 3000}] * RUNS
    comparison = overlaid(folded(runs), folded(runs))
    assert result(Claim("a", -0.1), comparison).obstacle == "several"
    assert result(Claim("a", -0.1, file="y.py"), comparison).obstacle == ""
    assert with_results([Claim("c", -0.1)], [comparison])[0].results == ()


def test_total_and_nearly_total_functions_are_not_corrected() -> None:
    """Everything became faster, so the common factor is the claimed change."""
    faster = dict.fromkeys(BASE, 0.8)
    found = result(Claim("total", -0.2), compared(faster))
    assert (found.low or 0) < -0.2 < (found.high or 0)
    assert found.factor == 1.0
    runs = [
        [{f"main;work;{name}": int(cost * factor) for name, cost in BASE.items()} for _ in range(RUNS)]
        for factor in (1.0, 0.8)
    ]
    found = result(Claim("work", -0.2), overlaid(folded(runs[0]), folded(runs[1])))
    assert (found.low or 0) == pytest.approx(-0.2, abs=0.03)
    assert found.factor == 1.0


def test_each_workload_has_one_result_in_the_direction_of_the_claim() -> None:
    first = compared({"parse": 0.9})
    rates = replace(first, metric=replace(SAMPLES, name="rate", better="higher"))
    other = replace(first, workload="other")
    (found,) = with_results([Claim("parse", -0.1)], [first, replace(first), rates, other])
    assert [each.workload for each in found.results] == [first.workload, "other"]
    (found,) = with_results([Claim("parse", 0.1)], [first, rates])
    assert [each.metric for each in found.results] == ["rate"]
