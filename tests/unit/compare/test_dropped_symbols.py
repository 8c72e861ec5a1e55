from dataclasses import replace

import numpy as np

from history_samples import reading, rows
from profgate.compare.readings import REST, of_same_symbols
from profgate.model.history import Reading

BEFORE = "main;parse 50\nmain;draw 30\nmain;log 20\n"
AFTER = "main;parse 80\nmain;draw 30\nmain;log 20\nmain;new 5\n"


def pruned(one: Reading, *names: str) -> Reading:
    (column,) = one.columns
    chosen = np.array([name in names for name, _ in column.symbols])
    symbols = [key for key in column.symbols if key[0] in names]
    small = replace(column, symbols=symbols, own=column.own[chosen], total=column.total[chosen], whole=False)
    return replace(one, columns=(small,))


def test_whole_readings_stay_as_they_are() -> None:
    sides = [[reading(BEFORE)], [reading(AFTER)]]
    made = of_same_symbols(sides)
    assert [one.columns for side in made for one in side] == [one.columns for side in sides for one in side]


def test_what_one_side_lost_is_one_symbol_on_both() -> None:
    (before,), (after,) = of_same_symbols([[pruned(reading(BEFORE), "parse", "draw")], [reading(AFTER)]])
    assert rows(before.columns[0]) == {"parse": (50, 50), "draw": (30, 30), REST[0]: (20, 20)}
    assert rows(after.columns[0]) == {"parse": (80, 80), "draw": (30, 30), REST[0]: (25, 25)}


def test_pruned_runs_compare_shared_symbols() -> None:
    runs = [pruned(reading(BEFORE), "parse", "draw"), pruned(reading(BEFORE), "parse", "log")]
    made, _ = of_same_symbols([runs, [reading(AFTER)]])
    assert [rows(one.columns[0]) for one in made] == [{"parse": (50, 50), REST[0]: (50, 50)}] * 2
