"""The strategy of locations: its columns, directions, floors, and what it gives where the runs decide little."""

from typing import Any

import numpy as np
import pytest
from msgspec import to_builtins

from comparisons import from_exclusive, from_stacks, runs_of, timed
from profgate.decide.detect.evidence import evidence_of
from profgate.decide.detect.gate_tests import CalibratedLogRatio
from profgate.model.calibration import Calibration
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison, Runs
from profgate.model.profile import Facts
from profgate.model.record import replace
from profgate.model.units import Metric
from sentences import result_of

BASE = {f"f{place:02}": 400 + 10 * place for place in range(20)}
SLOWER = {**BASE, "f07": 940}


def sides(before: dict[str, int], after: dict[str, int], runs: int = 5, **given: Any) -> Comparison:
    return from_exclusive(runs_of(before, runs), runs_of(after, runs), **given)


def detect(comparison: Comparison, **options: Any) -> Detection:
    return CalibratedLogRatio().detect(comparison, options, Context())


def calibration(detection: Detection) -> Calibration:
    assert detection.calibration is not None
    return detection.calibration


def kinds(comparison: Comparison, detection: Detection) -> dict[str, Kind]:
    """What is not unchanged."""
    pairs = zip(detection.symbol.tolist(), detection.kind.tolist(), strict=True)
    return {comparison.symbols.names[symbol]: Kind(kind) for symbol, kind in pairs if kind}


def test_columns_of_a_slower_function() -> None:
    detection = detect(sides(BASE, SLOWER))
    assert detection.symbol[0] == 7
    numbers = to_builtins(result_of(detection).at(0))
    assert numbers["p"] == pytest.approx(1 / 252)
    assert numbers["ratio"] == pytest.approx(1.0, abs=0.02)
    assert numbers["delta_share"] == pytest.approx(470 / 10_170, abs=0.001)
    assert numbers["t"] > 10
    assert numbers["distance"] > 1
    assert numbers["bound"] is None
    assert [detection.from_value[0], detection.to_value[0]] == pytest.approx([472, 942], abs=2)
    assert [numbers[name] for name in ("judged", "net", "new_callees")] == ["", "", ()]
    assert len(detection.symbol) == len(BASE)


def test_swapped_sides_mirror() -> None:
    forward, backward = sides(BASE, SLOWER), sides(SLOWER, BASE)
    assert kinds(forward, detect(forward)) == {"f07": Kind.DEGRADATION}
    assert kinds(backward, detect(backward)) == {"f07": Kind.OPTIMIZATION}
    t = [result_of(detect(comparison)).t[0] for comparison in (forward, backward)]
    assert t[0] == pytest.approx(-t[1])


def test_higher_is_better_turns_the_direction() -> None:
    comparison = sides(BASE, SLOWER, metric=Metric("hits", "samples", better="higher"))
    assert kinds(comparison, detect(comparison)) == {"f07": Kind.OPTIMIZATION}


def test_new_and_gone_functions_are_changes() -> None:
    comparison = from_stacks(
        runs_of({**{f"main;{name}": count for name, count in BASE.items()}, "left;gone": 900}),
        runs_of({**{f"main;{name}": count for name, count in BASE.items()}, "right;new": 2000}),
    )
    detection = detect(comparison)
    assert kinds(comparison, detection)["new"] is Kind.DEGRADATION
    assert (
        result_of(detection).new_callees[detection.symbol.tolist().index(comparison.symbols.names.index("new"))] == ()
    )


def test_new_functions_are_named_and_counted() -> None:
    stacks = {f"main;{name}": count for name, count in BASE.items()}
    stacks["main;work"] = 900
    new = {f"main;work;new{place}": 900 for place in range(5)}
    comparison = from_stacks(runs_of(stacks), runs_of(stacks | new))
    detection = detect(comparison)
    assert (comparison.symbols.names[detection.symbol[0]], result_of(detection).judged[0]) == ("work", "subtree")
    assert result_of(detection).new_callees[0] == tuple(f"new{place}" for place in range(5))


@pytest.mark.parametrize(
    ("options", "kind"),
    [
        ({"own": 0.9}, Kind.DEGRADATION),
        ({"own": 1.1}, None),
        ({"listed_share": 0.05}, None),
        ({"gate_share": 0.05}, Kind.MAYBE_DEGRADATION),
        ({"min_abs": 471}, Kind.MAYBE_DEGRADATION),
        ({"min_abs": 469}, Kind.DEGRADATION),
    ],
)
def test_options_raise_the_floors(options: dict[str, float], kind: Kind | None) -> None:
    comparison = sides(BASE, SLOWER)
    assert kinds(comparison, detect(comparison, **options)).get("f07") == kind


def test_evidence_of_the_report_is_used() -> None:
    comparison = sides(BASE, SLOWER)
    (calm,) = evidence_of([sides(BASE, BASE)])
    detection = CalibratedLogRatio().detect(comparison, {}, Context(evidence=calm))
    assert kinds(comparison, detection) == {}


def test_one_run_lists_large_changes_unconfirmed() -> None:
    comparison = sides({**BASE, "small": 100}, {**SLOWER, "small": 110}, runs=1)
    detection = detect(comparison)
    assert kinds(comparison, detection) == {"f07": Kind.MAYBE_DEGRADATION}
    assert calibration(detection).inconclusive == "too_few_runs"


def test_few_samples_show_certain_changes_alone() -> None:
    few = {name: count // 60 for name, count in BASE.items()}
    certain, listed = sides(few, {**few, "f07": 90}), sides(few, {**few, "f07": 90}, runs=4)
    assert [calibration(detect(side)).inconclusive for side in (certain, listed)] == ["too_few_samples"] * 2
    assert (kinds(certain, detect(certain)), kinds(listed, detect(listed))) == ({"f07": Kind.DEGRADATION}, {})


def test_base_jobs_give_a_bound() -> None:
    noise = runs_of(BASE, 8)
    comparison = from_exclusive([BASE], [SLOWER], noise=noise, metric=timed())
    comparison = replace(
        comparison, runs=Runs(1, 1, 8, (0,), (0,), tuple(range(8))), facts=(Facts(job="a"), Facts(job="b"))
    )
    detection = detect(comparison)
    assert (kinds(comparison, detection), calibration(detection).base_jobs) == ({"f07": Kind.DEGRADATION}, 9)
    assert 0 < result_of(detection).bound[0] < 0.02
    assert np.isnan(result_of(detection).p).all()
