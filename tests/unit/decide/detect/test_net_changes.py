"""Rows: a change stands where its callers do not make up for it, and a new function below a caller that is known."""

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from comparisons import from_stacks, runs_of, timed
from profgate.decide.detect.evidence import Evidence, evidence_of
from profgate.decide.detect.net_changes import NetChange, net_changes, unconfirmed_changes
from profgate.model.comparison import CallEdges, Comparison, Noise, Runs
from profgate.model.record import replace
from profgate.model.units import Metric, MetricKind

AROUND = {f"main;f{place:02}": 400 + 10 * place for place in range(20)} | {"main;work;steady": 800}
TIMED = timed()
COUNTED = Metric("instructions", "count", kind=MetricKind.COUNTED)
Values = Mapping[str, int]


def sides(before: Values, after: Values, runs: int = 5, metric: Metric = TIMED) -> Comparison:
    baseline, target = (runs_of({**AROUND, **side}, runs) for side in (before, after))
    return from_stacks(baseline, target, metric=metric)


def with_base_jobs(before: Values, after: Values, own: Sequence[Values] = ({},) * 5) -> Comparison:
    """One run of the target against five base jobs of one run, which may have values of their own."""
    jobs = len(own)
    baseline = [{**run, **values} for run, values in zip(runs_of({**AROUND, **before}, jobs), own, strict=True)]
    given = from_stacks(baseline, runs_of({**AROUND, **after}, 1), metric=timed())
    assert given.tree is not None
    assert given.tree.run_self is not None
    older, newer = slice(0, jobs - 1), slice(jobs - 1, None)
    return replace(
        given,
        runs=Runs(1, 1, jobs - 1),
        noise=Noise(given.self_value[older], given.run_totals[older], given.total_value[older]),
        self_value=given.self_value[newer],
        total_value=given.total_value[newer],
        active_total=given.active_total[newer],
        run_totals=given.run_totals[newer],
        tree=replace(given.tree, run_self=given.tree.run_self[newer]),
    )


def as_graph(given: Comparison, edges: Sequence[tuple[str, str, int, int]]) -> Comparison:
    """The comparison of a format without stacks; edges are caller, callee and their sums on both sides."""
    number = {name: place for place, name in enumerate(given.symbols.names)}
    nothing = np.zeros(len(edges), np.int64)
    table = CallEdges(
        caller=np.array([number[edge[0]] for edge in edges]),
        callee=np.array([number[edge[1]] for edge in edges]),
        baseline_total=np.array([edge[2] for edge in edges]),
        target_total=np.array([edge[3] for edge in edges]),
        baseline_calls=nothing,
        target_calls=nothing,
        baseline_symbol_calls=np.zeros(len(number), np.int64),
        target_symbol_calls=np.zeros(len(number), np.int64),
    )
    return replace(given, tree=None, edges=table)


def evidence(comparison: Comparison, *, interleaved: bool = False) -> Evidence:
    found = evidence_of([comparison], interleaved=interleaved)[0]
    assert isinstance(found, Evidence)
    return found


def found(comparison: Comparison, *, interleaved: bool = False) -> dict[str, NetChange]:
    """Rows by name, those of moved cost only where nothing else is known of the function."""
    rows = net_changes(comparison, evidence(comparison, interleaved=interleaved))
    listed = {row.symbol for row in rows if row.listed}
    rows = [row for row in rows if row.listed or row.symbol not in listed]
    names = [comparison.symbols.names[row.symbol] for row in rows]
    assert len(set(names)) == len(names)
    return dict(zip(names, rows, strict=True))


def new_in(comparison: Comparison, row: NetChange) -> list[str]:
    return [comparison.symbols.names[symbol] for symbol in row.new]


def certain(rows: Mapping[str, NetChange]) -> list[str]:
    return [name for name, row in rows.items() if row.certain]


PARSE = {"main;serve;parse": 900, "main;serve": 100}
SLOWER = {**PARSE, "main;serve;parse": 1400}


@pytest.mark.parametrize("build", [sides, with_base_jobs])
def test_slower_function_stands_alone(build: type) -> None:
    """Its callers have the same change, which the row explains."""
    rows = found(build(PARSE, SLOWER))
    assert certain(rows) == ["parse"]
    assert (rows["parse"].subtree, rows["parse"].sign) == (False, 1)
    assert rows["parse"].before == pytest.approx(902, abs=3)
    assert rows["parse"].after == pytest.approx(1402, abs=3)


@pytest.mark.parametrize(("costs", "expected"), [((900, 100, 800, 150, 700), ["parse"]), ((900,) * 5, [])])
def test_caller_that_fell_as_among_base_jobs_offsets_nothing(costs: Sequence[int], expected: list[str]) -> None:
    rows = found(with_base_jobs(PARSE, SLOWER, [{"main;serve": cost} for cost in costs]))
    assert [name for name, row in rows.items() if row.certain and row.sign > 0] == expected


@pytest.mark.parametrize(
    "name", ["memcmp@plt", "asm_sysvec_apic_timer_interrupt", "__irq_exit_rcu", "common_interrupt"]
)
def test_interrupts_and_stubs_are_no_changes(name: str) -> None:
    parts = {f"main;serve;{name}": 400, "main;serve;common": 400}
    assert certain(found(sides({**PARSE, **parts}, {**PARSE, **dict.fromkeys(parts, 900)}))) == ["common"]


def test_subtree_stands_where_its_parts_are_small() -> None:
    before, after = ({f"main;serve;p{place}": cost for place in range(40)} for cost in (50, 60))
    rows = found(sides(before, after))
    assert certain(rows) == ["serve"]
    assert rows["serve"].subtree


def test_new_function_is_shown_at_its_known_caller() -> None:
    comparison = sides(PARSE, {**PARSE, "main;serve;parse;audit": 600, "main;serve;parse;audit;write": 300})
    rows = found(comparison)
    assert certain(rows) == ["parse"]
    row = rows["parse"]
    assert (row.subtree, new_in(comparison, row)) == (True, ["audit", "write"])
    assert [row.before, row.after] == pytest.approx([902, 1802], abs=8)


@pytest.mark.parametrize("build", [sides, with_base_jobs])
def test_new_function_without_known_caller_is_itself(build: type) -> None:
    comparison = build(PARSE, {**PARSE, "thread;audit": 600})
    rows = found(comparison)
    assert (certain(rows), rows["audit"].before) == (["audit"], 0.0)
    assert new_in(comparison, rows["audit"]) == ["audit"]


MOVED = {
    "between callers": ({"main;x": 50, "main;y": 50, "main;x;a": 900}, {"main;x": 50, "main;y": 50, "main;y;a": 900}),
    "split": (
        {"main;work;parse": 1000},
        {"main;work;parse": 300, "main;work;parse;lex": 400, "main;work;parse;emit": 300},
    ),
    "inlined": ({"main;work;parse": 300, "main;work;parse;lex": 700}, {"main;work;parse": 1000}),
    "to a sibling": ({"main;work;a": 300, "main;work;b": 900}, {"main;work;a": 900, "main;work;b": 300}),
    "other name": ({"main;work;before": 900}, {"main;work;after": 900}),
}


@pytest.mark.parametrize("edit", MOVED)
@pytest.mark.parametrize("build", [sides, with_base_jobs])
def test_moved_cost_is_no_change(edit: str, build: type) -> None:
    rows = found(build(*MOVED[edit]))
    assert rows
    assert {(row.net, row.listed, row.certain) for row in rows.values()} == {("moved", False, False)}


def test_interleaved_runs_are_added_up_as_recorded() -> None:
    """All others became slower: without that factor the large function looks faster, and would offset the new one."""
    large, others = "main;work;large", {stack: round(1.1 * cost) for stack, cost in AROUND.items()}
    comparison = sides({large: 15000}, {**others, large: 15000, "main;work;audit": 2000})
    assert certain(found(comparison, interleaved=True)) == ["work"]


def test_interleaved_row_needs_more_recorded_cost() -> None:
    """All others became faster: the function costs more only when compared with them."""
    faster = {stack: round(0.8 * cost) for stack, cost in AROUND.items()}
    rows = found(sides(PARSE, {**faster, **PARSE}), interleaved=True)
    assert certain(rows) == []


def test_cheaper_subtree_offsets_its_callee() -> None:
    """The caller scatters too much for a proof that it lost the cost, but its subtree did not become dearer."""
    before = [{"main;layout": cost, "main;layout;finish": 600} for cost in (4000, 2400, 5200, 3100, 4300)]
    after = [{"main;layout": cost, "main;layout;finish": 900} for cost in (3800, 2300, 4600, 2600, 3700)]
    around = runs_of(AROUND, 5)
    given = from_stacks(
        *([{**run, **side} for run, side in zip(around, each, strict=True)] for each in (before, after))
    )
    for interleaved in (False, True):
        row = found(given, interleaved=interleaved)["finish"]
        assert (row.net, row.listed, row.certain) == ("offset", True, False)


CALM, NOISY = [1.0] * 10, [1.1, 0.9, 1.2, 0.8, 1.0, 0.95, 1.1, 0.75, 1.0, 0.9]


@pytest.mark.parametrize(
    ("large", "noise", "after", "row"),
    [
        ("main;g", CALM, {"main;audit": 1900}, ("audit", True, True)),
        ("main;g", CALM, {"main;audit": 190, "main;audit;write": 1900}, ("audit", True, True)),
        ("main;g", NOISY, {"main;audit": 1900}, ("audit", True, False)),
        ("main;g", NOISY, {"main;audit": 1900, "main;g0": 3000}, ("audit", False, False)),
        ("main;work;g", NOISY, {"main;work;audit": 1900}, ("audit", False, False)),
        ("main;g", CALM, {"main;audit": 1900, "main;g0": 4500}, ("audit", False, False)),
    ],
    ids=["caller grew", "with callees", "caller is noisy", "split of a noisy caller", "noisy part of the run", "split"],
)
def test_new_function_below_the_run_is_itself(
    large: str, noise: Sequence[float], after: Values, row: tuple[str, bool, bool]
) -> None:
    """Nearly the whole run is no cause, and its noise may hide a new function."""
    runs = [
        {**around, **{f"{large}{place}": round(factor * 6000) for place in range(4)}, **change}
        for around, factor, change in zip(2 * runs_of(AROUND, 5), noise, [{}] * 5 + [after] * 5, strict=True)
    ]
    rows = found(from_stacks(runs[:5], runs[5:]))
    assert [(name, each.listed, each.certain) for name, each in rows.items() if each.sign > 0] == [row]


def test_split_that_costs_more_is_found() -> None:
    before = {"main;work;parse": 1000}
    rows = found(sides(before, {"main;work;parse": 300, "main;work;parse;lex": 1300}))
    assert [(name, rows[name].subtree) for name in certain(rows)] == [("parse", True)]
    assert rows["parse"].change == pytest.approx(600, abs=5)


def test_offset_in_the_run_is_listed_and_uncertain() -> None:
    rows = found(sides({"left;a": 300, "right;b": 900}, {"left;a": 900, "right;b": 300}))
    assert [(name, row.net, row.certain) for name, row in rows.items() if row.sign > 0 and row.listed] == [
        ("a", "offset", False)
    ]


def test_caller_of_listed_function_is_omitted() -> None:
    """What fell below it is less than what rose, and its part of the change is known."""
    rows = found(sides({"main;x;a": 300, "main;y;b": 900}, {"main;x;a": 1800, "main;y;b": 400}))
    assert [name for name, row in rows.items() if row.listed and row.sign > 0] == ["a"]


def test_recursion_counts_each_cost_once() -> None:
    deep = {"main;fib": 100, "main;fib;fib": 300, "main;fib;fib;fib": 600}
    rows = found(sides(deep, {stack: 2 * cost for stack, cost in deep.items()}))
    assert certain(rows) == ["fib"]
    assert rows["fib"].change == pytest.approx(1000, abs=5)
    mutual = {"main;a": 100, "main;a;b": 300, "main;a;b;a": 300}
    assert certain(found(sides(mutual, {**mutual, "main;a;b": 900}))) == ["b"]


GRAPH = [("main", "serve", 5000, 8000), ("serve", "parse", 4500, 4500), ("serve", "audit", 0, 3000)]


def test_graph_shows_new_function_at_its_caller() -> None:
    comparison = as_graph(sides(PARSE, {**PARSE, "main;serve;audit": 600}), GRAPH)
    rows = found(comparison)
    assert certain(rows) == ["serve"]
    assert new_in(comparison, rows["serve"]) == ["audit"]


def test_graph_sees_cost_move_below_a_caller() -> None:
    before, after = {"main;work;a": 300, "main;work;b": 900}, {"main;work;a": 900, "main;work;b": 300}
    edges = [("main", "work", 6000, 6000), ("work", "a", 1500, 4500), ("work", "b", 4500, 1500)]
    rows = found(as_graph(sides(before, after), edges))
    assert {row.net for row in rows.values()} == {"moved"}


def test_history_without_subtrees_knows_self_costs() -> None:
    comparison = with_base_jobs(PARSE, SLOWER)
    comparison = replace(comparison, noise=replace(comparison.noise, active_total=None))
    assert certain(found(comparison)) == ["parse"]


def test_unconfirmed_changes_are_few_and_uncertain() -> None:
    before = {f"main;work;p{place}": 1000 for place in range(9)}
    comparison = sides(before, {stack: 2000 + 100 * place for place, stack in enumerate(before)}, runs=1)
    rows = unconfirmed_changes(comparison, evidence(comparison), 5, 3.0)
    assert len(rows) == 5
    assert {(row.listed, row.certain) for row in rows} == {(True, False)}
    assert unconfirmed_changes(comparison, evidence(comparison), 5, 1e9) == []
