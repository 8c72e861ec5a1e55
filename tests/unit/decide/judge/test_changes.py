"""Listed changes: units, order, caps and counts."""

import json

import numpy as np
import pytest
from msgspec import to_builtins

from comparisons import from_exclusive, from_stacks
from model_samples import Given, modelled, with_line
from profgate.decide.detect.amounts import AverageAmountThreshold
from profgate.decide.detect.builtin import detections_of, selected
from profgate.decide.detect.regression_models import BestModelOrderEquality, IntegralComparison, LocalStatistics
from profgate.decide.detect.strategy import Strategy
from profgate.decide.judge import changes
from profgate.decide.judge.changes import LISTED_CHANGES, metric_report, within_limit
from profgate.decide.judge.explaining import changed_parts
from profgate.model.calibration import Calibration
from profgate.model.change import Context, Detection, Location
from profgate.model.comparison import CallEdges, Comparison, Runs
from profgate.model.policy import Policy
from profgate.model.record import replace
from profgate.model.report import MetricReport
from profgate.model.units import Metric
from report_samples import texts
from sentences import details_of, result_of, sentence


def report_of(comparison: Comparison, *, verbose: bool = False) -> MetricReport:
    chosen = selected(Policy(), comparison.configuration, comparison.metric)
    return metric_report(comparison, detections_of(comparison, chosen, Context()), verbose=verbose)


def test_values_are_in_base_units() -> None:
    metric = Metric("cpu", "nanoseconds", exponent=3)
    comparison = from_exclusive([{"a": 100, "b": 0}], [{"a": 300, "b": 5}], metric=metric)
    report = report_of(comparison, verbose=True)
    json.dumps(to_builtins(report), allow_nan=False)
    assert (report.total.baseline, report.total.target, report.total.relative) == (100_000.0, 305_000.0, 2.05)
    change = next(change for change in report.changes if change.location.name == "a")
    assert (change.from_value, change.to_value, change.delta, change.relative) == (100_000.0, 300_000.0, 200_000.0, 2.0)
    assert next(found.costs.exclusive_to for found in report.unjudged if found.location.name == "a") == 300_000.0


def test_no_change_is_listed_only_when_verbose() -> None:
    same = from_exclusive([{"a": 5000, "b": 5000}], [{"a": 5000, "b": 5000}])
    quiet, loud = report_of(same), report_of(same, verbose=True)
    assert quiet.changes == ()
    assert quiet.counts["no_change"] == loud.counts["no_change"] == len(loud.changes)


def test_undecided_metric_lists_what_grew_most() -> None:
    report = report_of(from_exclusive([{"a": 3, "b": 9}], [{"a": 4, "b": 9}]))
    assert {change.location.name for change in report.changes if change.strategy == "calibrated_log_ratio"} == {"a"}


def test_order_is_rank_then_weight_then_name() -> None:
    base = {"a": 10, "b": 10, "c": 10, "d": 10, "e": 100}
    comparison = from_exclusive([base], [{"a": 30, "b": 40, "c": 4, "d": 30, "e": 100}])
    detection = AverageAmountThreshold().detect(comparison, {}, Context())
    report = metric_report(comparison, [detection])
    assert [change.location.name for change in report.changes] == ["b", "a", "d", "c"]


def test_changes_beyond_the_limit_are_counted() -> None:
    base = {f"f{place:05}": 10 for place in range(LISTED_CHANGES + 50)}
    comparison = from_exclusive([base], [dict.fromkeys(base, 30)])
    report = metric_report(comparison, [AverageAmountThreshold().detect(comparison, {}, Context())])
    assert len(report.changes) == LISTED_CHANGES
    assert report.counts["cut"] == 50


def test_many_changed_metrics_list_fewer_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    base = {f"f{place}": 10 for place in range(5)}
    comparison = from_exclusive([base], [dict.fromkeys(base, 30)])
    changed = metric_report(comparison, [AverageAmountThreshold().detect(comparison, {}, Context())])
    assert within_limit([changed, changed]) == [changed, changed]
    monkeypatch.setattr(changes, "LISTED_IN_REPORT", 4)
    first, second = within_limit([changed, changed])
    assert first.changes == second.changes == changed.changes[:2]
    assert first.counts["cut"] == 3


def test_label_of_the_first_function_is_its_subtype() -> None:
    one = np.array([1.0])
    detection = Detection("odd", "X", "amount", np.array([0]), np.array([-1]), one, one, ["none"], one, labels=["real"])
    (change,) = metric_report(from_exclusive([{"f": 1}], [{"f": 2}]), [detection]).changes
    assert (change.location.name, change.subtype) == ("f", "real")


def test_small_new_locations_are_counted() -> None:
    base = {"a": 50_000, "b": 50_000}
    report = report_of(from_exclusive([base], [{**base, "tiny": 3}]))
    # what remains is the sum of the module, which is plain arithmetic
    assert [change.location.name for change in report.changes] == ["(no module)"]
    assert report.counts["small"] == 2


def test_unsuited_default_strategies_are_listed_apart() -> None:
    comparison = from_exclusive([{"a": 10}], [{"a": 0}])
    detections = detections_of(comparison, selected(Policy(), comparison.configuration, comparison.metric), Context())
    report, requested = metric_report(comparison, detections), metric_report(comparison, detections, requested=True)
    assert texts(report.unsuited) == ["call_context: this format has no stacks, so there are no calling contexts"]
    assert any("the total of a run is zero" in text for text in texts(report.not_tested))
    assert requested.unsuited == ()
    assert report.lacks == "calls"
    assert requested.not_tested == (*report.not_tested, *report.unsuited)


def test_base_jobs_are_counted_without_the_test() -> None:
    comparison = from_exclusive([{"a": 1}] * 3, [{"a": 1}], noise=[{"a": 1}] * 2)
    assert metric_report(comparison, []).calibration.base_jobs == 3
    known = replace(comparison, runs=Runs(3, 1, 2, (0, 0, 1), (0,), (0, 0), 4))
    assert metric_report(known, []).calibration == Calibration(base_jobs=3, jobs_elsewhere=4, run_spread=1.0)


def test_total_has_no_share() -> None:
    runs = [{"a": 5000 + 10 * n} for n in range(6)]
    report = report_of(from_exclusive(runs, [{"a": 7000 + 10 * n} for n in range(6)]))
    total = next(change for change in report.changes if change.strategy == "totals")
    assert (total.location.name, total.share_from, total.share_to) == ("total", None, None)
    assert result_of(total).p == 1 / 924
    assert np.isclose(total.relative or 0.0, 2000 / 5025)


def test_a_function_called_total_is_not_the_workload() -> None:
    comparison = from_exclusive([{"total": 10, "f": 5}], [{"total": 30, "f": 5}])
    report = metric_report(comparison, [AverageAmountThreshold().detect(comparison, {}, Context())])
    [change] = report.changes
    assert change.location.name == "total"
    assert change.location != Location("total")


def test_models_have_names_changes_and_parts() -> None:
    before = [Given("linear", (0, 2), 0.99, 0, 100)]
    after = with_line(Given("power", (1, 1.5), 0.97, 0, 40))
    comparison = modelled({"f": before, "g": before}, {"f": after})
    chosen: list[Strategy] = [BestModelOrderEquality(), LocalStatistics()]
    detections = [strategy.detect(comparison, {}, Context()) for strategy in chosen]
    report = metric_report(comparison, detections)
    json.dumps(to_builtins(report), allow_nan=False)
    order, local, gone, also_gone = report.changes
    assert (order.from_value, order.to_value, order.delta, order.relative) == (None, None, None, None)
    assert (details_of(order).baseline, details_of(order).target, details_of(order).growth_to) == (
        "linear",
        "power",
        1.5,
    )
    assert (order.share_from, order.confidence_type, order.confidence) == (None, "r_square", 0.97)
    assert (gone.kind, details_of(gone).baseline, details_of(gone).target) == ("NotInTarget", "linear", "")
    assert (local.kind, local.flags, also_gone.kind) == ("MaybeDegradation", ("partial_overlap",), "NotInTarget")
    assert local.relative is not None
    assert len(details_of(local).windows) == 20
    assert details_of(local).windows[-1].x_to == 40.0


def test_unknown_rows_of_models_have_a_reason() -> None:
    poor = modelled({"f": [Given("linear", (1, 1), 0.1)]}, {"f": [Given("linear", (1, 9), 0.99)]})
    report = metric_report(poor, [IntegralComparison().detect(poor, {}, Context())], verbose=True)
    assert [sentence(change.reason) for change in report.changes] == ["the fit is too poor: R² 0.10"]
    assert report.counts["unknown"] == 1


def test_parts_are_the_direct_callees_that_grew_most() -> None:
    before = {"main;serve": 5, "main;serve;parse": 20, "main;serve;lex": 30, "main;other;lex": 90}
    after = {**before, "main;serve;fresh;deep": 50, "main;serve;parse": 60, "main;serve;lex": 31, "main;other;lex": 500}
    parts = parts_of_serve([before] * 2, [after] * 2, 91)
    assert parts == [("fresh", 0, 50, True), ("parse", 20, 60, False)]
    assert parts_of_serve([after] * 2, [before] * 2, -91) == [("fresh", 50, 0, False), ("parse", 60, 20, False)]
    assert parts_of_serve([before] * 2, [after] * 2, 170) == [("fresh", 0, 50, True)]


def test_recursive_calls_of_a_callee_are_counted_once() -> None:
    before, after = {"serve;parse": 10}, {"serve;parse;serve;parse": 40, "serve;serve;parse": 5, "parse": 70}
    assert parts_of_serve([before], [after], 30) == [("parse", 10, 45, False)]


def parts_of_serve(
    before: list[dict[str, int]], after: list[dict[str, int]], growth: float
) -> list[tuple[str, float, float, bool]]:
    comparison = from_stacks(before, after)
    parts = changed_parts(comparison, {comparison.symbols.names.index("serve"): growth})
    assert {part.location.name for part in parts} <= {"serve"}
    return [(part.callee.name, part.from_value, part.to_value, part.new) for part in parts]


def test_parts_come_from_the_call_graph_if_there_are_no_stacks() -> None:
    graph = replace(from_stacks([{"serve;lex": 10}], [{"serve;lex": 60}]), tree=None)
    caller, callee, before, after, calls, both = map(np.array, ([1], [0], [10], [60], [1], [1, 1]))
    edges = CallEdges(caller, callee, before, after, calls, calls, both, both)
    (part,) = changed_parts(replace(graph, edges=edges), {1: 50.0})
    assert (part.location.name, part.callee.name, part.to_value) == ("serve", "lex", 60)
