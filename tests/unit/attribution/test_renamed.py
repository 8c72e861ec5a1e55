"""Which names of one side only are one function, and which are two."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from comparisons import Stacks, from_stacks
from profgate.attribution.identity import paired_by_costs
from profgate.model.comparison import Comparison

AROUND = {"main;read": 300, "main;write": 300}


def compared(baseline: Stacks, target: Stacks, files: Mapping[str, str] | None = None) -> Comparison:
    found = from_stacks([{**AROUND, **baseline}], [{**AROUND, **target}])
    table = found.symbols
    return replace(found, symbols=replace(table, files=[(files or {}).get(name) for name in table.names]))


def pairs(baseline: Stacks, target: Stacks, files: Mapping[str, str] | None = None) -> dict[str, str]:
    found = paired_by_costs(compared(baseline, target, files))
    return {old[0]: new[0] for old, new in found.items()}


HERE = dict.fromkeys(("parse_line", "parse_lines", "parse_line2", "parse_row", "load", "load_all"), "p.py")


def test_same_file_and_callers_are_a_rename() -> None:
    assert pairs({"main;parse_line": 100}, {"main;parse_row": 105}, HERE) == {"parse_line": "parse_row"}


def test_names_without_files_are_no_evidence() -> None:
    assert pairs({"main;parse_line": 100}, {"main;parse_row": 105}) == {}


def test_another_name_elsewhere_is_another_function() -> None:
    assert pairs({"main;read;parse_line": 100}, {"main;write;checksum": 100}) == {}


@pytest.mark.parametrize(
    ("cost", "found"), [(298, {"load": "load_all"}), (320, {}), (134, {"load": "load_all"}), (120, {})]
)
def test_costs_lie_within_a_factor(cost: int, found: dict[str, str]) -> None:
    # the values are shares of totals that differ a little, so the factor is met at 1.5 of shares
    sides = {"main;load": 200, "main;read": 1200}, {"main;load_all": cost, "main;read": 1400 - cost}
    assert pairs(*sides, HERE) == found


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [("push", "validate", {}), ("parse_line", "parse_lines", {"parse_line": "parse_lines"})],
)
def test_one_similar_cost_needs_similar_names(old: str, new: str, found: dict[str, str]) -> None:
    files = dict.fromkeys((old, new), "p.py")
    # the total cost of the new function is much larger, but its self cost is the same
    sides = {f"main;{old}": 100, "main;idle": 1000}, {f"main;{new}": 100, f"main;{new};lookup": 1000}
    assert pairs(*sides, files) == found


def test_the_same_file_outweighs_a_different_name() -> None:
    files = {"decode": "codec.py", "unpack": "codec.py", "main": "m.py"}
    assert pairs({"main;decode": 100}, {"main;unpack": 100}, files) == {"decode": "unpack"}
    assert pairs({"main;decode": 100}, {"main;unpack": 100}, {**files, "unpack": "other.py"}) == {}


@pytest.mark.parametrize("nameless", ["<genexpr>", "<lambda>", "(anonymous)", "{closure}", "main.match.func1"])
def test_nameless_and_named_functions_never_pair(nameless: str) -> None:
    files = {nameless: "m.py", "match": "m.py", "matches": "m.py"}
    assert pairs({"main;matches": 100}, {"main;match": 100}, files) == {"matches": "match"}
    assert pairs({f"main;{nameless}": 100}, {"main;match": 100}, files) == {}
    assert pairs({"main;match": 100}, {f"main;{nameless}": 100}, files) == {}


def test_a_chain_of_new_names_is_found() -> None:
    baseline = {"main;old_parse;old_lex": 100}
    target = {"main;new_parse;new_lex": 100}
    files = dict.fromkeys(("old_parse", "old_lex", "new_parse", "new_lex"), "p.py")
    # the file and half of the name's letters are not enough for lex, until its caller is known to be the same
    assert pairs(baseline, target, files) == {"old_parse": "new_parse", "old_lex": "new_lex"}
    assert pairs({"main;old_lex": 100}, {"main;read;new_lex": 100}, files) == {}


def test_pairs_are_mutually_best() -> None:
    baseline = {"main;parse_line": 100, "main;parse_lines": 100}
    assert pairs(baseline, {"main;parse_line2": 100}, HERE) == {"parse_line": "parse_line2"}


@pytest.mark.parametrize(("beside", "found"), [(0, {"bench-base": "bench"}), (300, {})])
def test_executable_with_another_name_is_the_same_root(beside: int, found: dict[str, str]) -> None:
    stacks = {"{};run;parse": 900, "{};run;write": 900, "worker;idle": beside}
    before, after = ({path.format(name): cost for path, cost in stacks.items()} for name in ("bench-base", "bench"))
    assert {old: new for (old, _), (new, _) in paired_by_costs(from_stacks([before], [after])).items()} == found
