"""The published overweight tables, row by row and in order."""

from pathlib import Path

import numpy as np
import pytest

from comparisons import from_stacks
from profgate.decide.detect.overweight import Overweight, overweight_kinds, overweight_table, pivot_levels
from profgate.decide.detect.strategy import resolved
from profgate.model.change import Context, Kind, OverweightShare
from profgate.model.comparison import Comparison
from sentences import details_of, not_tested, sentence

UNDER_MAIN = ("f", "f;j", "f;j;x", "f;j;y", "f;j;z", "f;k", "f;k;x", "f;l", "f;l;x")
UNDER_G = ("j", "j;x", "j;y", "j;z", "k", "k;x", "k;y", "k;z")
STACKS = ["main", *(f"main;{path}" for path in UNDER_MAIN), *(f"main;g;{path}" for path in UNDER_G)]
BASE = dict.fromkeys(STACKS, 5)


def changed(value: int, *, ending: str = "", at: str = "", below: str = "") -> dict[str, int]:
    chosen = (
        stack
        for stack in BASE
        if (ending and stack.endswith(f";{ending}")) or stack == at or (below and f"{stack};".startswith(f"{below};"))
    )
    return dict.fromkeys(chosen, value)


TARGETS = {
    2: {**BASE, "main;f;k": 10},
    3: {**BASE, **changed(6, ending="x")},
    4: {**BASE, **changed(6, below="main;f;j")},
    5: {**BASE, **changed(4, ending="x"), **changed(15, ending="k")},
}
WORDS = {
    "SD": Kind.SEVERE_DEGRADATION,
    "D": Kind.DEGRADATION,
    "mO": Kind.MAYBE_OPTIMIZATION,
    "O": Kind.OPTIMIZATION,
    "SO": Kind.SEVERE_OPTIMIZATION,
    "-": Kind.NO_CHANGE,
}
PUBLISHED = (Path(__file__).parents[3] / "data" / "published" / "overweight.txt").read_text()
TABLES = {int(table[0]): table[1:] for table in PUBLISHED.removeprefix("# ").split("\n\n# ")}


@pytest.mark.parametrize("example", [2, 3, 4, 5, 6])
def test_published_tables(example: int) -> None:
    comparison = from_stacks([BASE], [TARGETS[min(example, 5)]])
    names = comparison.symbols.names
    table = overweight_table(comparison, dropped=[names.index("k")] if example == 6 else [])
    kinds = overweight_kinds(table, resolved(Overweight(), {}), 1)
    lines = [line.split() for line in TABLES[example].split("\n") if line]
    expected = sorted(lines, key=lambda line: (-float(line[5]), -float(line[3]), line[0]))  # rows may be equal
    assert [names[symbol] for symbol in table.symbol.tolist()] == [line[0] for line in expected]
    costs = (*table.values.inclusive[:, table.symbol], table.delta)
    columns = (*costs, 100 * table.responsibility, 100 * table.overweight, table.interest)
    for place, column in enumerate(columns, start=1):
        assert column.tolist() == pytest.approx([float(line[place]) for line in expected], abs=0.005)
    assert [Kind(kind) for kind in kinds.tolist()] == [WORDS[line[7]] for line in expected]


def evidence(comparison: Comparison) -> dict[str, OverweightShare]:
    """The details by symbol."""
    result = Overweight().detect(comparison, {}, Context())
    return {comparison.symbols.names[symbol]: details_of(result).at(row) for row, symbol in enumerate(result.symbol)}


def test_second_level_lacks_the_stacks_of_the_first_pivot() -> None:
    comparison = from_stacks([BASE], [TARGETS[5]])
    found = evidence(comparison)
    assert {name: row.pivot for name, row in found.items() if row.pivot is not None} == {"k": 1.0, "x": 2.0}
    table = pivot_levels(comparison)[0][1]
    names = [comparison.symbols.names[symbol] for symbol in table.symbol.tolist()]
    expected = [line.split() for line in TABLES[6].split("\n") if line]
    second = dict(zip(names, table.overweight.tolist(), strict=True))
    assert second == pytest.approx({line[0]: float(line[5]) / 100 for line in expected}, abs=5e-5)
    assert table.responsibility[names.index("x")] == 1.0
    assert "k" not in names


def test_without_a_candidate_there_is_no_pivot() -> None:
    found = evidence(from_stacks([{"m;a": 500, "m;b": 500}], [{"m;a": 550, "m;b": 550}]))
    assert all(row.pivot is None for row in found.values())


def test_option_limits_pivots() -> None:
    comparison = from_stacks([BASE], [TARGETS[5]])
    names = comparison.symbols.names
    k, x = names.index("k"), names.index("x")
    assert pivot_levels(comparison, {"max_pivots": 1})[1] == [k]
    assert pivot_levels(comparison, {}, None, (k,))[1] == [x]


def test_a_total_within_its_noise_explains_nothing() -> None:
    base = [{"m;a": 500 + step, "m;b": 500} for step in (-60, -30, 0, 30, 60)]
    slower = [{"m;a": 540 + step, "m;b": 500} for step in (-60, -30, 0, 30, 60)]
    noisy = Overweight().detect(from_stacks(base, slower), {}, Context())
    assert set(noisy.flags) == {"total_small"}
    assert not noisy.kind.any()
    steady = Overweight().detect(from_stacks([{"m;a": 500, "m;b": 500}], [{"m;a": 540, "m;b": 500}]), {}, Context())
    assert not any(steady.flags)
    assert steady.kind.any()


def test_recursion_counts_a_stack_once_at_every_level() -> None:
    base = {"main;a;a;b": 10, "main;p": 10, "main;a;c;a": 4}
    comparison = from_stacks([base], [{**base, "main;p": 20}])
    names = comparison.symbols.names
    for dropped in ([], [names.index("p")]):
        table = overweight_table(comparison, dropped=dropped)
        a = table.symbol.tolist().index(names.index("a"))
        assert table.values.inclusive[0, table.symbol[a]] == 14


def test_symbols_of_one_side_stand_apart() -> None:
    comparison = from_stacks([{"main;old": 1, "main;same": 99}], [{"main;new": 21, "main;same": 99}])
    result = Overweight().detect(comparison, {}, Context())
    names = comparison.symbols.names
    rows = {
        names[s]: (Kind(k), r)
        for s, k, r in zip(
            result.symbol.tolist(), result.kind.tolist(), details_of(result).responsibility.tolist(), strict=True
        )
    }
    assert rows["new"] == (Kind.NOT_IN_BASELINE, pytest.approx(1.05))
    assert rows["old"] == (Kind.NOT_IN_TARGET, pytest.approx(-0.05))


def test_unchanged_total_ranks_by_exclusive_change() -> None:
    comparison = from_stacks([{"m;a": 10, "m;b": 50, "m;c": 40}], [{"m;a": 15, "m;b": 42, "m;c": 43}])
    result = Overweight().detect(comparison, {}, Context())
    assert [comparison.symbols.names[s] for s in result.symbol.tolist()] == ["b", "a", "c", "m"]
    assert np.isnan(details_of(result).overweight).all()
    assert not result.kind.any()
    assert set(map(sentence, result.reasons)) == {"the total is unchanged"}


def test_empty_baseline_is_not_tested() -> None:
    assert not_tested(Overweight().detect(from_stacks([{"m": 0}], [{"m": 5}]), {}, Context()))
