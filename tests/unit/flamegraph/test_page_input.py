import pytest

from comparisons import from_stacks
from profgate.flamegraph.page_input import RATE_UNKNOWN, PageContext, page_input
from profgate.model.attribution import SourceState, SourceStates
from profgate.model.change import Change, Location
from profgate.model.comparison import Note
from profgate.model.profile import Facts
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Finding
from profgate.model.units import Metric
from profgate.report.metric_headline import MetricHeadline
from report_samples import with_result

WHY = (Reason(ReasonCode.OFFSET), Reason(ReasonCode.NOT_REACHABLE, {"case": "no_effect"}))


def finding(name: str, path: tuple[str, ...] | None = None, colour: str = "red") -> Finding:
    place = Location(name, context=path)
    costs = 1.0, 2.0, 1.0, 1.0, 0.1, 0.2
    change = Change("clr", "T", "Degradation", "", place, *costs, "none", None)
    return Finding("severe", colour, "Degradation", "worse", place, *costs, (change,), WHY)  # type: ignore[arg-type]


def test_finding_of_call_path_has_its_row() -> None:
    comparison = from_stacks([{"main;a;f": 10, "main;b;f": 5}], [{"main;a;f": 20, "main;b;f": 5}])
    found = [finding("f", ("main", "a", "f")), finding("a"), finding("b", colour="neutral"), finding("nobody")]
    tree, header = page_input(comparison, PageContext(findings=found))
    by_path, by_name = header.findings
    (row,) = by_path.rows
    assert (tree.tree.baseline_self[row], tree.tree.target_self[row]) == (10, 20)
    assert by_path.reasons == ("the total did not grow, so this does not fail; not reachable from the change")
    assert not by_name.rows
    assert set(header.keep) == {comparison.symbols.names.index(name) for name in ("f", "a")}


def test_finding_names_its_new_functions_and_its_parts() -> None:
    comparison = from_stacks([{"main;f": 10}], [{"main;f": 20}])
    found = with_result(finding("f"), new_callees=("b", "a"))
    parts = {found.location: ("mostly in", [("a", "+10 samples (new)")])}
    (mark,) = page_input(comparison, PageContext(findings=[found], parts=parts))[1].findings
    assert (mark.new, mark.parts) == ("b, a", ("mostly in", [("a", "+10 samples (new)")]))
    (mark,) = page_input(comparison, PageContext(findings=[finding("f")]))[1].findings
    assert mark.parts is None


def test_the_total_changed_only_if_a_finding_states_it() -> None:
    comparison = from_stacks([{"main;a": 10}], [{"main;a": 20}])
    total = replace(finding("total", colour="yellow"), share_from=None, share_to=None)
    found: list[list[Finding] | None] = [None, [], [finding("f")], [replace(total, colour="neutral")], [total]]
    headers = [page_input(comparison, PageContext(findings=one))[1] for one in found]
    assert [header.total_changed for header in headers] == [True, False, False, False, True]


@pytest.mark.parametrize(("rates", "notes"), [((None, None), 1), ((100.0, None), 1), ((100.0, 100.0), 0)])
def test_samples_are_not_scaled_by_default(rates: tuple[float | None, float | None], notes: int) -> None:
    comparison = from_stacks([{"main;f": 10}], [{"main;f": 31}], metric=Metric("samples", "samples"))
    before, after = (Facts(rate=rate) for rate in rates)
    _, header = page_input(replace(comparison, facts=(before, after)))
    assert header.normalisation == "none"
    assert list(header.notes).count(RATE_UNKNOWN) == notes


@pytest.mark.parametrize(("conclusion", "warned"), [("fails", False), ("unchanged", True)])
def test_totals_far_apart_are_no_warning_if_the_metric_fails(conclusion: str, warned: bool) -> None:
    note = Note(Reason(ReasonCode.TOTALS_FAR_APART, {"metric": "cpu", "factor": 3.3}))
    made = replace(from_stacks([{"main;f": 9}], [{"main;f": 40}]), notes=(note,))
    header = page_input(made, PageContext(headline=MetricHeadline(conclusion, "", "")))[1]
    assert bool(header.warnings) == warned


def test_only_doubtful_notes_are_warnings() -> None:
    notes = [
        Reason(ReasonCode.NO_FRAMES, {"case": "no_stack", "metric": "samples", "side": "baseline", "share": 0.04}),
        Reason(ReasonCode.NO_FRAMES, {"case": "no_stack", "metric": "samples", "side": "target", "share": 0.4}),
        Reason(ReasonCode.CPU_DIFFERS, {"baseline": "a", "target": "b"}),
        Reason(ReasonCode.RUN_COUNTS_DIFFER, {"baseline": 1, "target": 5}),
    ]
    comparison = from_stacks([{"main;f": 10}], [{"main;f": 31}], metric=Metric("samples", "samples"))
    _, header = page_input(replace(comparison, notes=tuple(map(Note, notes))))
    assert [note.split()[0] for note in header.warnings] == ["40", "CPU"]
    assert [note.split()[0] for note in header.notes] == ["4", "run", "A"]


def test_the_total_is_not_a_function_called_total() -> None:
    comparison = from_stacks([{"main;total": 10}], [{"main;total": 20}])
    run = replace(finding("total"), share_from=None, share_to=None)
    for found, marked in ((run, []), (finding("total"), [comparison.symbols.names.index("total")])):
        _, header = page_input(comparison, PageContext(findings=[found]))
        assert [mark.symbol for mark in header.findings] == marked


def test_changed_functions_are_never_cut() -> None:
    comparison = from_stacks([{"main;a": 10}], [{"main;b": 20}])
    states: dict[str, SourceState] = {"a": "removed", "b": "changed", "main": "same"}
    nothing = (None,) * 3
    source = SourceStates(tuple(states[name] for name in comparison.symbols.names), nothing, nothing)
    tree, header = page_input(comparison, PageContext(states=source))
    assert {comparison.symbols.names[symbol] for symbol in header.keep} == {"a", "b"}
    assert tree.source == source
