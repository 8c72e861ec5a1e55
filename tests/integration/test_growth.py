"""Cost over the size of the input, from Perun profiles to the report: recorded, generated, and at the edges."""

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from model_samples import points
from profgate.errors import ProfileError
from profgate.model.policy import Policy, with_strategies
from profgate.model.report import MetricReport, Report
from profgate.model.source import source_of
from profgate.pipeline import PipelineInput, compare
from profgate.report.comment import render_comment
from profgate.report.json_report import from_json, to_json
from profgate.report.view import View
from sentences import details_of
from terminal_text import terminal_text

DATA = Path(__file__).parents[1] / "data" / "perun"
EIGHT = ("aat", "bmoe", "eto", "fast", "lreg", "preg", "int", "loc")
Record = dict[str, Any]
SHAPES: dict[str, dict[str, float]] = {
    "constant": {"b0": 40},
    "logarithmic": {"b0": 2, "b1": 9},
    "linear": {"b0": 5, "b1": 2},
    "quadratic": {"b0": 50, "b1": 1, "b2": 0.8},
    "power": {"b0": 0.3, "b1": 2.6},
    "exponential": {"b0": 3, "b1": 1.09},
}


def profile(records: Sequence[Record], models: Sequence[Record] = (), **header: Any) -> bytes:
    head = {"type": "mixed", "cmd": "shop", "workload": "w", "units": {"mixed(time delta)": "ms"}} | header
    kind = {"type": "mixed", "subtype": "time delta"}
    body = {"resources": [kind | record for record in records], "models": list(models)}
    return json.dumps({"header": head, "collector_info": {"name": "complexity"}, "global": body}).encode()


def sized(name: str, found: Sequence[tuple[float, float]]) -> list[Record]:
    return [{"uid": name, "amount": y, "structure-unit-size": x} for x, y in found]


def report_of(
    baseline: bytes, target: bytes, *strategies: str, policy: Policy | None = None, verbose: bool = True
) -> Report:
    sides = [source_of("a.perf", baseline)], [source_of("b.perf", target)]
    given = PipelineInput(*sides, verbose=verbose, named=True, policy=with_strategies(policy or Policy(), strategies))
    report = compare(given).report
    assert from_json(to_json(report)) == report
    return report


def metric_of(report: Report) -> MetricReport:
    [[metric]] = [load.metrics for load in report.workloads]
    return metric


def kinds(report: Report) -> dict[tuple[str, str], str]:
    """Kind by strategy and location."""
    return {(change.strategy, change.location.name): change.kind for change in metric_of(report).changes}


def test_a_set_that_became_a_list_is_told_as_growth() -> None:
    """Recorded: the unique items of 200 to 4,000 numbers, looked up in a set and then in a list."""
    before_, after_ = ((DATA / f"dedup-{name}.perf").read_bytes() for name in ("set", "list"))
    report = report_of(before_, after_, verbose=False)
    metric = metric_of(report)
    area = next(change for change in metric.changes if change.strategy == "integral_comparison")
    assert (area.location.name, area.kind) == ("unique", "Degradation")
    before, after = details_of(area).growth_from, details_of(area).growth_to
    assert isinstance(before, float)
    assert isinstance(after, float)
    assert before < 1.2
    assert after > 1.8
    assert "(n^0.82 → n^2.37), 0.20 → 145 ms at size 4,000" in terminal_text(report)
    assert "n^2.37" in render_comment(View(report)).text
    assert [finding.location.name for finding in metric.findings if finding.colour == "yellow"] == ["unique"]


@pytest.mark.parametrize(("before", "after"), list(itertools.product(SHAPES, SHAPES)))
def test_every_change_of_shape_is_seen(before: str, after: str) -> None:
    """Clean records of every shape against every other: the order turns as it should, and swapped sides mirror."""
    one, other = (profile(sized("f", points(shape=name, **SHAPES[name]))) for name in (before, after))
    there, back = kinds(report_of(one, other, "bmoe")), kinds(report_of(other, one, "bmoe"))
    steps = list(SHAPES).index(after) - list(SHAPES).index(before)
    word = "Degradation" if steps > 0 else "Optimization" if steps < 0 else "NoChange"
    assert there == {("best_model_order_equality", "f"): word}
    mirrored = {"Degradation": "Optimization", "Optimization": "Degradation", "NoChange": "NoChange"}
    assert back == {("best_model_order_equality", "f"): mirrored[word]}


LINE = sized("f", points(shape="linear", b0=5, b1=2))
EDGES: dict[str, tuple[list[Record], str]] = {
    "all sizes equal": (sized("f", [(7, 1), (7, 2), (7, 3)]), "Unknown"),
    "two records": (sized("f", [(1, 1), (2, 2)]), "Unknown"),
    "no sizes": ([{"uid": "f", "amount": 4}] * 5, "Unknown"),
    "no amounts": ([{"uid": "f", "structure-unit-size": x} for x in range(1, 9)], "Unknown"),
    "three records on a line": (sized("f", [(1, 7), (50, 105), (100, 205)]), "NoChange"),
    "negative amounts": (sized("f", [(x, -5 - 2 * x) for x in range(1, 101)]), "NoChange"),
    "another location": (sized("g", [(1, 1)]), "NotInTarget"),
}


@pytest.mark.parametrize("edge", EDGES)
def test_edges_of_order(edge: str) -> None:
    """Only what is known is said; and every unknown tells why."""
    records, kind = EDGES[edge]
    report = report_of(profile(LINE), profile([*records, {"uid": "kept", "amount": 1}]), *EIGHT)
    assert kinds(report)["best_model_order_equality", "f"] == kind
    silent = [change for change in metric_of(report).changes if change.kind == "Unknown" and not change.reason]
    assert {change.strategy for change in silent} <= {"average_amount_threshold"}
    assert not metric_of(report).counts["failed"]


@pytest.mark.parametrize("amount", [None, 1e400])
def test_com_d2_what_is_no_number_is_unknown(amount: float | None) -> None:
    """COM-d2: sums that are no number counted as an optimization."""
    if amount is not None:
        with pytest.raises(ProfileError, match="not a number"):
            report_of(profile(LINE), profile([{"uid": "f", "amount": "inf"}]), "aat")
        return
    broken = profile([{"uid": "f", "amount": amount}, {"uid": "kept", "amount": 1}])
    assert kinds(report_of(profile(LINE), broken, "aat"))["average_amount_threshold", "f"] == "Unknown"


def test_com_d10_a_line_is_no_part_of_a_location() -> None:
    """COM-d10: an edit above a function made it vanish and come back; here the function is the key."""

    def at(line: int) -> bytes:
        uid = {"source": "a.c", "function": "f", "line": line}
        return profile([{**record, "uid": uid} for record in LINE])

    report = report_of(at(3), at(9), "bmoe")
    assert [change.kind for change in metric_of(report).changes] == ["NoChange"]
