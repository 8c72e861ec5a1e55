from dataclasses import replace

import numpy as np
import pytest

from profgate.compare.build import compare_workload
from profgate.compare.columns import CompareOptions
from profgate.flamegraph.page_input import evidence_of
from profgate.model.comparison import Comparison, DiffTree
from profgate.model.profile import Configuration, Profile
from profgate.model.source import source_of
from profgate.model.workload import Workload
from profgate.readers.folded import FoldedReader

Run = dict[str, int]


def compared(before: list[Run], after: list[Run]) -> Comparison:
    def profiles(runs: list[Run]) -> tuple[Profile, ...]:
        texts = ("".join(f"{stack} {value}\n" for stack, value in run.items()) for run in runs)
        return tuple(FoldedReader().read(source_of(f"run-{i}", text.encode())) for i, text in enumerate(texts))

    workload = Workload("w", Configuration(), profiles(before), profiles(after))
    return compare_workload(workload, (), CompareOptions())[0][0]


def tree_of(comparison: Comparison) -> DiffTree:
    assert comparison.tree is not None
    return comparison.tree


def test_the_errors_are_those_of_the_means() -> None:
    before, after = [100, 110, 120, 130], [200, 260, 230]
    comparison = compared([{"f": n, "g": 1000} for n in before], [{"f": n, "g": 1000} for n in after])
    repeats = tree_of(comparison).repeats
    assert repeats is not None
    row = int(np.flatnonzero(tree_of(comparison).symbol == comparison.symbols.names.index("f"))[0])
    expected = np.sqrt(np.var(before, ddof=1) / 4 + np.var(after, ddof=1) / 3)
    assert repeats[:, row] == pytest.approx([expected, expected])


def test_two_runs_have_no_spread() -> None:
    assert tree_of(compared([{"f": 1}] * 2, [{"f": 1}] * 5)).repeats is None


def passes(before: list[int], after: list[int], period: int | None) -> bool:
    comparison = compared([{"f": n, "g": 5000} for n in before], [{"f": n, "g": 5000} for n in after])
    found = evidence_of(tree_of(comparison), comparison.runs, period)
    assert found is not None
    row = int(np.flatnonzero(tree_of(comparison).symbol == comparison.symbols.names.index("f"))[0])
    return bool(found[0, row])


def test_only_steady_changes_pass() -> None:
    assert passes([1000, 1010, 990], [2000, 1990, 2010], None)
    assert not passes([1000, 400, 1900], [2000, 900, 2600], None)


def test_samples_that_agree_by_luck_are_held_to_counting() -> None:
    assert passes([10, 10, 10], [14, 14, 14], None)
    assert not passes([10, 10, 10], [14, 14, 14], 1)
    assert passes([10, 10, 10], [140, 140, 140], 1)


def test_without_repeats_nothing_is_claimed() -> None:
    comparison = compared([{"f": 1}] * 3, [{"f": 2}] * 3)
    assert evidence_of(replace(tree_of(comparison), repeats=None), comparison.runs, 1) is None
