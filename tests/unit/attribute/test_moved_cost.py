"""Groups of locations that are tested as one."""

import pytest

from comparisons import Stacks, from_stacks
from profgate.attribute.moved_cost import with_cost_groups
from profgate.model.comparison import CostGroup

AROUND = {"main;read": 3000, "main;write": 3000, "main;work;fixed": 500}
Told = tuple[str, str, tuple[str, ...], list[int]]


def groups(baseline: Stacks, target: Stacks) -> list[Told]:
    comparison = with_cost_groups(from_stacks([{**AROUND, **baseline}], [{**AROUND, **target}]))

    def told(group: CostGroup) -> Told:
        names = comparison.symbols.names
        return group.kind, names[group.lead], tuple(names[other] for other in group.others), group.values.tolist()

    return [told(group) for group in comparison.groups]


def test_a_function_that_gave_work_to_new_callees_was_split() -> None:
    baseline = {"main;work;parse": 1000}
    target = {"main;work;parse": 300, "main;work;parse;lex": 400, "main;work;parse;emit": 310}
    assert groups(baseline, target)[0] == ("split", "parse", ("emit", "lex"), [1000, 1010])


def test_a_new_callee_of_a_new_callee_belongs_to_the_split() -> None:
    baseline = {"main;work;parse": 1000}
    target = {"main;work;parse": 300, "main;work;parse;inner;deep": 700}
    assert groups(baseline, target)[0] == ("split", "parse", ("deep",), [1000, 1000])


def test_a_function_that_took_in_its_callees_was_merged() -> None:
    assert groups({"main;work;parse": 300, "main;work;parse;lex": 700}, {"main;work;parse": 1000}) == [
        ("merged", "parse", ("lex",), [1000, 1000])
    ]


def test_a_small_fall_does_not_explain_a_large_new_callee() -> None:
    found = groups({"main;work;parse": 1000}, {"main;work;parse": 800, "main;work;parse;lex": 700})
    assert [group[0] for group in found] == ["new"]


def test_new_cost_is_weighed_at_its_nearest_caller_that_both_sides_know() -> None:
    found = groups({"main;work": 100}, {"main;work": 100, "main;work;helper": 20, "main;work;helper;slow": 900})
    assert found == [("new", "slow", ("work",), [600, 1520])]


def test_of_several_new_functions_below_one_caller_the_heaviest_names_the_story() -> None:
    found = groups({"main;work": 100}, {"main;work": 100, "main;work;slow": 900, "main;work;other": 800})
    assert [(kind, lead, others) for kind, lead, others, _ in found] == [("new", "slow", ("work", "other"))]


def test_cost_that_changed_places_below_an_unchanged_caller_moved() -> None:
    baseline = {"main;work;parse": 1000, "main;work;check": 500}
    target = {"main;work;parse": 600, "main;work;check": 890}
    assert groups(baseline, target) == [("moved", "check", ("parse",), [1500, 1490])]


@pytest.mark.parametrize("check", [700, 1100])
def test_unequal_changes_did_not_move(check: int) -> None:
    baseline = {"main;work;parse": 1000, "main;work;check": 500}
    assert groups(baseline, {"main;work;parse": 600, "main;work;check": check}) == []


def test_equal_changes_below_a_caller_that_grew_did_not_move() -> None:
    baseline = {"main;work;parse": 1000, "main;work;check": 500}
    target = {"main;work;parse": 600, "main;work;check": 900, "main;work;fixed": 900}
    assert [group for group in groups(baseline, target) if group[0] == "moved"] == []


def test_equal_changes_anywhere_in_a_run_that_grew_did_not_move() -> None:
    baseline = {"main;a;parse": 1000, "main;b;check": 500, "main;c": 1000}
    assert groups(baseline, {"main;a;parse": 600, "main;b;check": 900, "main;c": 1000}) == [
        ("moved", "check", ("parse",), [1500, 1500])
    ]
    assert groups(baseline, {"main;a;parse": 600, "main;b;check": 900, "main;c": 1050}) == []


OLD = {"main;old_a": 900, "main;old_b": 700, "main;old_c": 500}
NEW = {"main;young_x": 800, "main;young_y": 600, "main;young_z": 300}


def test_a_rewritten_program_is_one_group_with_what_took_over_the_rest() -> None:
    first, *_ = groups({**OLD, "main;join": 10}, {**NEW, "main;join": 410})
    kind, lead, others, values = first
    assert (kind, lead, values) == ("moved", "young_x", [2110, 2110])
    assert others == ("old_a", "old_b", "old_c", "young_y", "young_z", "join")


def test_new_code_that_costs_more_than_what_went_is_no_rewriting() -> None:
    grown = {stack: 2 * count for stack, count in NEW.items()}
    assert "moved" not in [group[0] for group in groups(OLD, grown)]
    few = dict(list(NEW.items())[:2])
    assert "moved" not in [group[0] for group in groups(OLD, {**few, "main;young_x": 1500})]


def test_unchanged_profiles_have_no_groups() -> None:
    assert groups({"main;work": 100}, {"main;work": 100}) == []
