"""Which names of one side only are one function, and which are two."""

from collections.abc import Mapping

import pytest

from comparisons import Stacks, from_stacks
from profgate.attribution.identity import paired_by_costs
from profgate.model.comparison import Comparison
from profgate.model.record import replace

AROUND = {"main;read": 300, "main;write": 300}


def compared(baseline: Stacks, target: Stacks, files: Mapping[str, str] | None = None) -> Comparison:
    found = from_stacks([{**AROUND, **baseline}], [{**AROUND, **target}])
    table = found.symbols
    return replace(found, symbols=replace(table, files=[(files or {}).get(name) for name in table.names]))


def pairs(baseline: Stacks, target: Stacks, files: Mapping[str, str] | None = None) -> dict[str, str]:
    found = paired_by_costs(compared(baseline, target, files))
    return {old[0]: new[0] for old, new in found.items()}


NAMES = "parse_line parse_lines parse_line2 parse_row load load_all push validate old_parse old_lex new_parse new_lex"
HERE = dict.fromkeys(NAMES.split(), "p.py")


CODEC = dict.fromkeys(("decode", "unpack"), "codec.py")


@pytest.mark.parametrize(
    ("baseline", "target", "files", "found"),
    [
        ({"main;parse_line": 100}, {"main;parse_row": 105}, HERE, {"parse_line": "parse_row"}),
        ({"main;parse_line": 100}, {"main;parse_row": 105}, {}, {}),  # names without files are no evidence
        ({"main;read;parse_line": 100}, {"main;write;checksum": 100}, {}, {}),  # another name elsewhere
        ({"main;decode": 100}, {"main;unpack": 100}, CODEC, {"decode": "unpack"}),  # the file outweighs the name
        ({"main;decode": 100}, {"main;unpack": 100}, {**CODEC, "unpack": "other.py"}, {}),
        (  # pairs are mutually best
            {"main;parse_line": 100, "main;parse_lines": 100},
            {"main;parse_line2": 100},
            HERE,
            {"parse_line": "parse_line2"},
        ),
        (  # the names of the inner functions are not similar enough, until their callers are known to be the same
            {"main;old_parse;old_lex": 100},
            {"main;new_parse;new_lex": 100},
            HERE,
            {"old_parse": "new_parse", "old_lex": "new_lex"},
        ),
        ({"main;old_lex": 100}, {"main;read;new_lex": 100}, HERE, {}),
        (  # where only the self cost is similar the names must be similar too
            {"main;push": 100, "main;idle": 1000},
            {"main;validate": 100, "main;validate;lookup": 1000},
            HERE,
            {},
        ),
        (
            {"main;parse_line": 100, "main;idle": 1000},
            {"main;parse_lines": 100, "main;parse_lines;lookup": 1000},
            HERE,
            {"parse_line": "parse_lines"},
        ),
    ],
)
def test_files_names_and_costs_make_a_pair(
    baseline: Stacks, target: Stacks, files: Mapping[str, str], found: dict[str, str]
) -> None:
    assert pairs(baseline, target, files) == found


@pytest.mark.parametrize(
    ("cost", "found"), [(298, {"load": "load_all"}), (320, {}), (134, {"load": "load_all"}), (120, {})]
)
def test_costs_lie_within_a_factor(cost: int, found: dict[str, str]) -> None:
    # the values are shares of totals that differ a little, so the factor is met at 1.5 of shares
    sides = {"main;load": 200, "main;read": 1200}, {"main;load_all": cost, "main;read": 1400 - cost}
    assert pairs(*sides, HERE) == found


@pytest.mark.parametrize("nameless", ["<genexpr>", "<lambda>", "(anonymous)", "{closure}", "main.match.func1"])
def test_nameless_and_named_functions_never_pair(nameless: str) -> None:
    files = {nameless: "m.py", "match": "m.py", "matches": "m.py"}
    assert pairs({"main;matches": 100}, {"main;match": 100}, files) == {"matches": "match"}
    assert pairs({f"main;{nameless}": 100}, {"main;match": 100}, files) == {}
    assert pairs({"main;match": 100}, {f"main;{nameless}": 100}, files) == {}


@pytest.mark.parametrize(("beside", "found"), [(0, {"bench-base": "bench"}), (300, {})])
def test_executable_with_another_name_is_the_same_root(beside: int, found: dict[str, str]) -> None:
    stacks = {"{};run;parse": 900, "{};run;write": 900, "worker;idle": beside}
    before, after = ({path.format(name): cost for path, cost in stacks.items()} for name in ("bench-base", "bench"))
    assert {old: new for (old, _), (new, _) in paired_by_costs(from_stacks([before], [after])).items()} == found
