"""How the growth_by_size of a finding is shown."""

import pytest

import report_samples as samples
from golden_files import Golden
from profgate.decide.judge.findings import GateContext, gated
from profgate.model.calibration import Calibration
from profgate.model.change import Change, Location, ModelPair, Partial
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Attribution, Cause, Colour, Finding, FunctionCosts, Part, Report, WorkloadReport
from profgate.report.comment import Body, render_comment
from profgate.report.groups import grouped
from profgate.report.json_report import from_json, to_json
from profgate.report.markdown_text import PLAIN
from profgate.report.metric_headline import workload_table
from profgate.report.rows import Row, change_text, growth_by_size, parts_text, place_name, tag_of
from profgate.report.statements import basis
from profgate.report.view import View
from terminal_text import terminal_text


def headline(report: Report) -> str:
    return View(report, PLAIN).headline()


PAIR = ModelPair(
    "models",
    baseline="linear",
    target="power",
    growth_from=0.98,
    growth_to=1.96,
    value_from=27.3e6,
    value_to=176.419e9,
    largest_common_size=6619.0,
    windows=(Partial("Degradation", 0.5, 1.0, 6619.0),),
)


def model_change(**parts: object) -> Change:
    change = samples.regression().workloads[0].metrics[0].changes[1]
    made = replace(
        change,
        strategy="best_model_order_equality",
        family="M",
        kind="Degradation",
        subtype="model",
        from_value=None,
        to_value=None,
        delta=None,
        relative=None,
        result=None,
        details=PAIR,
        reason=None,
    )
    return replace(made, **parts)


def with_changes(*changes: Change) -> Report:
    report = samples.regression()
    load = report.workloads[0]
    total, function, *rest = load.metrics[0].findings
    function = replace(function, changes=(*function.changes, *changes))
    metric = replace(load.metrics[0], findings=(total, function, *rest))
    return replace(report, workloads=(replace(load, metrics=(metric, *load.metrics[1:])), *report.workloads[1:]))


def row_of(report: Report) -> Row:
    change = report.workloads[0].metrics[0].changes[1]
    return next(row for row in grouped(report).worse if row.finding.location == change.location)


def growth_in(report: Report) -> str:
    row = row_of(report)
    return growth_by_size(row.finding, row.metric)


def test_without_a_common_size_shows_the_relative_change() -> None:
    area = model_change(
        strategy="integral_comparison", relative=0.542, details=ModelPair("models", baseline="linear", target="power")
    )
    assert growth_in(with_changes(area)) == "linear → power, +54.2 % over the common sizes"
    assert growth_in(with_changes(area, model_change())).startswith("linear → power (n^0.98")


@pytest.mark.parametrize("kind", ["Optimization", "NoChange", "Unknown"])
def test_other_direction_is_not_shown(kind: str) -> None:
    assert growth_in(with_changes(model_change(kind=kind))) == ""
    assert growth_in(samples.regression()) == ""


def test_every_report_shows_it() -> None:
    report = with_changes(model_change())
    assert "linear → power (n^0.98 → n^1.96)" in terminal_text(report)
    assert "linear → power (n^0.98 → n^1.96)" in render_comment(View(report)).text
    assert from_json(to_json(report)) == report


@pytest.mark.parametrize(("after", "listed"), [(0.5e9, True), (0.997e9, False), (1e9, False), (1.02e9, False)])
def test_a_share_that_fell_beside_growth_is_no_improvement(after: float, listed: bool) -> None:
    found = samples.finding("f", 1e9, after, kind="MaybeOptimization", colour="green")
    better = samples.with_result(replace(found, direction="better"), ratio=min(-0.06, after / 1e9 - 1))
    finding = gated(replace(better, colour="neutral"), samples.metric(), GateContext(Policy(), 0.005))
    report = samples.report(samples.workload(samples.metric(finding)), verdict=samples.GREEN)
    groups = grouped(report)
    assert finding.colour == ("green" if listed else "neutral")
    assert (len(groups.better), len(groups.noise)) == ((1, 0) if listed else (0, 1))


def found(name: str, before: float, after: float, kind: str) -> Finding:
    """A finding of a comparison that passes with doubts."""
    better = "Optimization" in kind
    one = samples.finding(name, before, after, kind=kind, colour="green" if better else "yellow")
    one = replace(one, direction="better" if better else "worse")
    return replace(one, share_from=None, share_to=None) if name == "total" else one


FASTER, SLOWER = found("total", 40e9, 20e9, "TotalOptimization"), found("total", 40e9, 50e9, "TotalDegradation")
SMALL, LARGE = found("x", 1e8, 1e9, "MaybeDegradation"), found("big", 1e9, 2e9, "MaybeDegradation")
FRESH, CHEAPER = found("fresh", 0, 3e9, "NotInBaseline"), found("cheap", 9e9, 4.5e9, "SevereOptimization")
SURE, LITTLE = found("parse", 1e9, 3e9, "Degradation"), found("parse", 1e9, 1.31e9, "Degradation")


def warned(*findings: Finding, after: float = 44e9) -> Report:
    load = samples.workload(samples.metric(*findings, after=after), name="w")
    return samples.report(load, verdict=samples.verdict("warn"))


def failed(*findings: Finding, causes: tuple[Cause, ...] = ()) -> Report:
    load = samples.workload(replace(samples.metric(*findings), causes=causes))
    return samples.report(load, verdict=samples.verdict("fail"))


def new(name: str, cost: float) -> Finding:
    return samples.finding(name, 0, cost, kind="NotInBaseline", colour="neutral")


LESS = samples.finding("descend", 4.06e9, 3.88e9, kind="Degradation", colour="red")
LESS = samples.with_result(replace(LESS, direction="worse"), ratio=0.04)
CALLER, PARSE = samples.finding("dedupe", 1e9, 9e9), samples.finding("Parse", 1e9, 2.8e9)
PEEK = (Cause(PARSE.location, "worse", Location("PeekLine"), changed=True),)
HEADLINES = {
    "possible": warned(SMALL),
    "possible, in percent": warned(LITTLE),
    "the surer change first": warned(SURE, LARGE),
    "new": warned(FRESH),
    "function before total": warned(SLOWER, LARGE),
    "total alone": warned(SLOWER),
    "faster program with a dearer function": warned(FASTER, SURE),
    "faster program and what made it so": warned(FASTER, CHEAPER),
    "total hardly moved": warned(SURE, after=41.3e9),
    "only the share changed": failed(LESS),
    "new function in a caller that costs less": failed(
        samples.with_result(LESS, ratio=0.04, new_callees=("same",)), new("same", 4e9)
    ),
    "largest new callee": failed(
        samples.with_result(CALLER, new_callees=("a", "same")), new("a", 1e9), new("same", 4e9), new("elsewhere", 8e9)
    ),
    "name with commas": failed(
        samples.with_result(CALLER, new_callees=("apply(a, helper, c)",)),
        new("apply(a, helper, c)", 4e9),
        new("helper", 6e9),
    ),
    "name with more": failed(
        samples.with_result(CALLER, new_callees=("map and 3 more",)), new("map and 3 more", 4e9), new("helper", 6e9)
    ),
    "changed callee": failed(PARSE, causes=PEEK),
    "changed itself": failed(replace(PARSE, attribution=Attribution(source="changed")), causes=PEEK),
    "new with callees": failed(replace(new("f", 145), colour="red", costs=FunctionCosts(0, 145, 0, 234))),
}


def test_headlines(golden: Golden) -> None:
    lines = [f"{name}: {headline(report)}" for name, report in HEADLINES.items()]
    golden.check("headlines.txt", "\n".join(lines) + "\n")
    assert tag_of(LESS) == "share"


@pytest.mark.parametrize(
    ("name", "file", "line", "shown"),
    [
        ("<genexpr>", "shop/cart.py", 12, "<genexpr> (cart.py:12)"),
        ("(anonymous)", "src/app.js", None, "(anonymous) (app.js)"),
        ("<method 'join' of 'str' objects>", None, None, "<method 'join' of 'str' objects>"),
        ("total", "shop/cart.py", 12, "total()"),
        ("__eq__", "shop/cart.py", None, "__eq__ (cart.py)"),
        ("_", "shop/cart.py", 12, "_ (cart.py:12)"),
        ("wrapper", "shop/cart.py", 12, "wrapper (cart.py:12)"),
        ("_private", "shop/cart.py", 12, "_private"),
        ("__eq__", "shop/token.py", 12, "__eq__ (token.py:12)"),
    ],
)
def test_nameless_function_is_shown_with_its_place(name: str, file: str | None, line: int | None, shown: str) -> None:
    assert place_name(Location(name, file, line)) == shown


def test_caller_without_self_cost_is_only_counted() -> None:
    report = samples.regression()
    load = report.workloads[0]
    metric = load.metrics[0]
    gone = replace(
        metric.findings[0], kind="NotInTarget", direction="better", colour="neutral", severity="none", reasons=()
    )
    costly, weightless = replace(gone, from_value=5.0, to_value=0.0), replace(gone, from_value=0.0, to_value=0.0)
    metric = replace(metric, findings=(costly, weightless))
    groups = grouped(replace(report, workloads=(replace(load, metrics=(metric,)),)))
    assert [row.finding for row in groups.other] == [costly]
    assert [row.finding for row in groups.noise] == [weightless]


def test_untested_total_is_not_called_noise() -> None:
    untested = replace(samples.metric(samples.finding("f", 1e9, 2e9)), calibration=Calibration())
    for metric, state in ((untested, "not tested"), (samples.metric(), "within noise")):
        assert Body(View(samples.report(samples.workload(metric)))).totals(1).endswith(f"(+6.8 %, {state})")


@pytest.mark.parametrize(("colour", "shown"), [("red", False), ("yellow", True)])
def test_totals_far_apart_are_no_doubt_if_the_total_fails(colour: Colour, shown: bool) -> None:
    metric = samples.metric(replace(SLOWER, colour=colour))
    note = Reason(ReasonCode.TOTALS_FAR_APART, {"metric": metric.name, "factor": 3.3})
    report = samples.report(replace(samples.workload(metric), comparability=(note,)), verdict=samples.verdict("fail"))
    for text in (terminal_text(report), render_comment(View(report)).text):
        assert ("check that both recorded the same work" in text) == shown


def test_inconclusive_improvement_comes_before_what_was_not_tested() -> None:
    better = samples.finding("tokenize", 5e9, 1e9, kind="Optimization", colour="green")
    report = samples.report(samples.workload(samples.metric(better)), verdict=samples.inconclusive().verdict)
    above, _, folded = render_comment(View(report)).text.partition("<details>")
    assert "### ⚪ Too few samples to confirm: `tokenize`" in above
    assert ("not tested" in above, "not tested" in folded) == (False, True)


def test_workloads_that_fail_come_first_everywhere() -> None:
    better = samples.metric(samples.finding("a", 5e9, 1e9, colour="green"), after=10e9)
    worse = samples.metric(samples.finding("b", 1e9, 2e9), after=42e9)
    loads = [WorkloadReport(name, (), (metric,)) for name, metric in (("migrate", better), ("checkout", worse))]
    report = samples.report(*loads, verdict=samples.verdict("fail"))
    for text in (terminal_text(report), render_comment(View(report)).text, workload_table(View(report), {})):
        assert 0 <= text.find("checkout") < text.find("migrate")


def test_callees_that_explain_a_change_are_named() -> None:
    caller = samples.finding("serve", 1e9, 2e9)
    metric = replace(samples.metric(caller), parts=(part("parse", 0.0, 0.6e9, new=True), part("lex", 0.1e9, 0.4e9)))
    assert parts_text(Row("w", metric, caller), str) == "mostly in parse +600 ms (new), lex +300 ms"
    assert parts_text(Row("w", replace(metric, parts=metric.parts[1:]), caller), str) == "partly in lex +300 ms"
    assert parts_text(Row("w", metric, samples.finding("other", 1e9, 2e9)), str) == ""


def test_caller_of_a_new_function_is_slower() -> None:
    """The new function has no relative change, but the report shows the one of its caller."""
    new = samples.finding("sorted", 0.0, 0.9e9)
    costs = FunctionCosts(inclusive_from=0.1e9, inclusive_to=1e9)
    metric = replace(samples.metric(new), causes=(Cause(new.location, "worse", Location("scan"), costs=costs),))
    assert change_text(Row("w", metric, new), str) == "scan is 10x slower (0.10 → 1.00 s), mostly in sorted"


def part(name: str, before: float, after: float, *, new: bool = False) -> Part:
    return Part(samples.finding("serve", 1e9, 2e9).location, Location(name), before, after, new)


@pytest.mark.parametrize(
    ("place", "name", "source", "added"),
    [
        (Location("<module>", "bench/main.js", 1), "<module main.js>", "bench/main.js", ""),
        (Location("(anonymous)", "a.js", 7), "(anonymous) (a.js:7)", "a.js:7", ""),
        (
            Location("(anonymous)", "a.js", lines=(3, 7)),
            "(anonymous) (a.js:3, 7)",
            "a.js:3, 7",
            "2 functions of this name",
        ),
        (Location("parse", "a.js", lines=(3, 7)), "parse", "a.js:3, 7", "2 functions of this name"),
    ],
)
def test_place_of_modules_and_of_functions_with_one_name(place: Location, name: str, source: str, added: str) -> None:
    finding = replace(samples.finding("f", 1e9, 2e9), location=place)
    report = samples.report(samples.workload(samples.metric(finding)))
    cell = Body(View(report)).rows([Row("w", report.workloads[0].metrics[0], finding)], 1)
    assert place_name(place) == name
    assert source in cell
    assert ("functions of this name" in cell) == bool(added)
    assert from_json(to_json(report)) == report


def test_direct_causes_come_before_the_collector_and_the_benchmark() -> None:
    small = samples.finding("index", 1e9, 3e9)
    collector = samples.finding("(garbage collector)", 1e9, 9e9)
    whole = samples.finding("round", 1e9, 8e9)
    whole = replace(
        whole,
        attribution=Attribution(source="same", reach="calls a changed function", reach_path="mails"),
        costs=FunctionCosts(inclusive_to=39e9),
    )
    metric = samples.metric(collector, whole, small)
    metric = replace(metric, parts=(Part(collector.location, small.location, 0.0, 8e9, new=False),))
    report = samples.report(samples.workload(metric))
    assert [row.finding.location.name for row in grouped(report).worse] == ["index", "(garbage collector)", "round"]
    assert parts_text(Row("w", metric, collector), str) == "mostly during index +8.00 s"
    whose = "calls `mails` (changed here); inlined calls count for the caller"
    assert whose in Body(View(report)).rows([Row("w", metric, whole)], 1)


def test_failing_change_below_the_visible_change_is_explained() -> None:
    small, of_little = samples.finding("f", 1e9, 1.2e9, whole=2e9), samples.finding("f", 1e9, 1.2e9)
    shown = [basis(samples.metric(one))[2] for one in (small, of_little)]
    assert ["larger function" in text for text in shown] == [True, False]
