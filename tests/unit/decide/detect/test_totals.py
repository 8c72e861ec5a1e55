"""The strategy of totals: when a change of the whole run is found, and when it may gate."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from comparisons import from_exclusive, timed
from profgate.decide.detect.evidence import evidence_of
from profgate.decide.detect.gate_tests import Totals, noise_bar
from profgate.model.calibration import Calibration
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison
from profgate.model.record import replace
from profgate.model.units import Metric, MetricKind
from sentences import not_tested, result_of

BASE = [10.12, 10.31, 10.05, 10.22, 10.18]
TARGET = [10.71, 10.64, 10.90, 10.58, 10.77]
JOBS = [10.12, 10.31, 10.05, 10.22, 10.18, 10.26, 10.09, 10.15]


def of_totals(baseline: Sequence[float], target: Sequence[float], noise: Sequence[float] = ()) -> Comparison:
    """Runs of two functions, of which one has the whole change: nothing is common to all."""
    sides = [[{"f": round(total * 1e9), "g": 10**10} for total in side] for side in (baseline, target, noise)]
    return from_exclusive(sides[0], sides[1], noise=sides[2], metric=timed())


def detect(comparison: Comparison, *, interleaved: bool = False, **options: Any) -> Detection:
    (evidence,) = evidence_of([comparison], interleaved=interleaved)
    return Totals().detect(comparison, options, Context(evidence=evidence))


def kind(detection: Detection) -> Kind:
    return Kind(int(detection.kind[0]))


def number(detection: Detection, name: str) -> float:
    return float(getattr(result_of(detection), name)[0])


def test_slower_run_is_found() -> None:
    detection = detect(of_totals(BASE, TARGET))
    assert kind(detection) is Kind.MAYBE_DEGRADATION
    assert number(detection, "p") == pytest.approx(1 / 252)
    assert number(detection, "ratio") == pytest.approx(0.544 / 20.176, rel=1e-6)
    assert detection.calibration == Calibration(total_tested=True)


def test_runs_in_turns_let_the_total_gate() -> None:
    assert kind(detect(of_totals(BASE, TARGET), interleaved=True)) is Kind.TOTAL_DEGRADATION
    assert kind(detect(of_totals(TARGET, BASE), interleaved=True)) is Kind.TOTAL_OPTIMIZATION


def test_few_runs_find_no_change_of_the_total() -> None:
    assert kind(detect(of_totals([10.0], [20.0]), interleaved=True)) is Kind.NO_CHANGE


@pytest.mark.parametrize(("after", "expected"), [(1010, Kind.NO_CHANGE), (1100, Kind.TOTAL_DEGRADATION)])
def test_two_runs_of_exact_counts_gate(after: int, expected: Kind) -> None:
    metric = Metric("allocations", "count", kind=MetricKind.COUNTED)
    comparison = from_exclusive([{"f": 1000}] * 2, [{"f": after}] * 2, metric=metric)
    assert kind(detect(comparison)) is expected


@pytest.mark.parametrize(
    ("slower", "expected"), [(1.0, Kind.NO_CHANGE), (1.05, Kind.MAYBE_DEGRADATION), (1.2, Kind.TOTAL_DEGRADATION)]
)
def test_base_jobs_need_a_margin_for_the_total(slower: float, expected: Kind) -> None:
    assert kind(detect(of_totals([10.2], [10.2 * slower], JOBS))) is expected


@pytest.mark.parametrize(("factor", "expected"), [(2, Kind.MAYBE_DEGRADATION), (3, Kind.TOTAL_DEGRADATION)])
def test_slower_machine_is_everything_up_to_twice(factor: int, expected: Kind) -> None:
    functions = {f"f{place}": 10**9 + place for place in range(20)}
    slower = {name: factor * value for name, value in functions.items()}
    comparison = from_exclusive([functions], [slower], noise=[functions] * 8, metric=timed())
    detection = detect(comparison)
    assert kind(detection) is expected
    assert np.isnan(number(detection, "everything")) == (expected is Kind.TOTAL_DEGRADATION)
    assert np.isnan(result_of(detect(of_totals([10.2], [12.2], JOBS))).everything[0])


@pytest.mark.parametrize("odd", [1, 2, 5, 20])
def test_threefold_run_is_no_other_machine(odd: int) -> None:
    """One function of one base job is ``odd`` times dearer, which bounds the other functions, but not this factor."""
    functions = {f"f{place}": 10**9 + place for place in range(20)}
    jobs = [{**functions, "f3": 10**9 * (odd if job == 4 else 1)} for job in range(8)]
    slower = {name: 3 * value for name, value in functions.items()}
    detection = detect(from_exclusive(jobs[:1], [slower], noise=jobs[1:], metric=timed()))
    assert kind(detection) is Kind.TOTAL_DEGRADATION
    detection = detect(from_exclusive(jobs[:3] + jobs[:2], [slower] * 5, metric=timed()))
    assert kind(detection) is Kind.MAYBE_DEGRADATION
    assert np.isnan(number(detection, "everything"))  # the text about another machine


def test_totals_of_zero_are_refused() -> None:
    comparison = from_exclusive([{"f": 0}, {"f": 1}], [{"f": 1}] * 2)
    assert not_tested(detect(comparison)) == "zero_total"


def test_noise_bar_needs_two_runs() -> None:
    context = Context()
    assert noise_bar(of_totals([10.0], [20.0]), context) is None
    bar = noise_bar(of_totals(BASE, TARGET), context)
    assert bar is not None
    assert 0.01 < bar < 0.05
    assert noise_bar(replace(of_totals(BASE, TARGET), run_totals=np.zeros(10, np.int64)), context) is None
