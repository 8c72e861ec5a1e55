"""The union tree and the symbol totals against plain dictionaries."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from comparisons import folded, overlaid
from profgate.model.comparison import Comparison
from profgate.model.profile import Profile
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.readers.folded import FoldedReader

Stacks = dict[tuple[str, ...], int]
STACKS = st.dictionaries(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=6).map(tuple), st.integers(1, 1000), min_size=1, max_size=25
)


def compared(
    baseline: list[Stacks], target: list[Stacks], noise: list[Stacks] | None = None, *, ignore: tuple[str, ...] = ()
) -> Comparison:
    def profiles(runs: list[Stacks]) -> list[Profile]:
        return folded([{";".join(stack): value for stack, value in run.items()} for run in runs])

    return overlaid(profiles(baseline), profiles(target), profiles(noise or []), ignore=ignore)


def inclusive(stacks: Stacks, symbol: str) -> int:
    return sum(value for stack, value in stacks.items() if symbol in stack)


def exclusive(stacks: Stacks, symbol: str) -> int:
    return sum(value for stack, value in stacks.items() if stack[-1] == symbol)


def paths(comparison: Comparison) -> dict[tuple[str, ...], tuple[int, int]]:
    tree = comparison.tree
    assert tree is not None
    names: list[tuple[str, ...]] = [()]
    for row in range(1, len(tree.parent)):
        names.append((*names[tree.parent[row]], comparison.symbols.names[tree.symbol[row]]))
    return {
        name: (int(before), int(after))
        for name, before, after in zip(names, tree.baseline_self, tree.target_self, strict=True)
        if before or after
    }


@given(st.lists(STACKS, min_size=1, max_size=3), st.lists(STACKS, min_size=1, max_size=2))
def test_every_column_agrees_with_plain_sums(baseline: list[Stacks], target: list[Stacks]) -> None:
    comparison = compared(baseline, target)
    for run, stacks in enumerate([*baseline, *target]):
        assert comparison.run_totals[run] == sum(stacks.values())
        for number, name in enumerate(comparison.symbols.names):
            assert comparison.self_value[run, number] == exclusive(stacks, name)
            assert comparison.total_value[run, number] == inclusive(stacks, name)
    union = {stack for run in (*baseline, *target) for stack in run}
    assert paths(comparison) == {
        stack: (sum(run.get(stack, 0) for run in baseline), sum(run.get(stack, 0) for run in target)) for stack in union
    }


@given(STACKS, STACKS)
def test_tree_invariants(baseline: Stacks, target: Stacks) -> None:
    tree = compared([baseline], [target]).tree
    assert tree is not None
    rows = np.arange(1, len(tree.parent))
    assert (tree.parent[rows] < rows).all()
    for own, total in ((tree.baseline_self, tree.baseline_total), (tree.target_self, tree.target_total)):
        children = np.zeros_like(total)
        np.add.at(children, tree.parent[rows], total[rows])
        assert (total == own + children).all()
    assert (rows < tree.end[tree.parent[rows]]).all()
    assert (tree.end[rows] <= tree.end[tree.parent[rows]]).all()


def test_a_stack_of_twenty_thousand_frames() -> None:
    deep = tuple(f"f{number:05}" for number in range(20_000))
    comparison = compared([{deep: 3, deep[:9]: 1}], [{deep: 5}])
    tree = comparison.tree
    assert tree is not None
    assert tree.parent.tolist() == list(range(-1, 20_000))
    assert tree.depth.tolist() == list(range(20_001))
    assert tree.end.tolist() == [20_001] * 20_001
    assert tree.baseline_total.tolist() == [4] * 10 + [3] * 19_991
    assert tree.target_total.tolist() == [5] * 20_001
    assert comparison.total_value.tolist() == [[4] * 9 + [3] * 19_991, [5] * 20_000]


def test_presence_and_noise_runs() -> None:
    noise: list[Stacks] = [{("a",): 3}, {("b",): 4, ("a",): 5}]
    comparison = compared([{("a",): 1}], [{("b",): 2}], noise)
    assert comparison.symbols.names == ["a", "b"]
    assert comparison.present.tolist() == [[1, 0], [0, 1]]
    assert comparison.noise.self_value.tolist() == [[3, 0], [5, 4]]
    assert comparison.noise.run_totals.tolist() == [3, 9]
    assert (comparison.runs.baseline, comparison.runs.target, comparison.runs.noise) == (1, 1, 2)
    assert (comparison.runs.baseline_jobs, comparison.runs.noise_jobs) == (None, (0, 1))


def test_ignore_drops_stacks() -> None:
    stacks: Stacks = {("main", "idle", "wait"): 5, ("main", "work"): 7}
    assert compared([stacks], [stacks], ignore=("idle",)).run_totals.tolist() == [7, 7]


def test_equal_warnings_show_the_largest_count_of_a_run() -> None:
    given = [(("odd: x",), {"cut; record longer": 2}), (("odd: x",), {"cut; record longer": 3}), (("odd: y",), {})]
    (profile,) = folded([{"main": 1}])
    runs = [replace(profile, warnings=warnings, warning_counts=counts) for warnings, counts in given]
    assert [tuple(reason.parameters.values()) for reason in overlaid(runs, runs).warnings] == [
        ("odd: x", 4),
        ("cut: 3; record longer", 4),
        ("odd: y", 2),
    ]


def test_input_order_changes_nothing() -> None:
    one: Stacks = {("z", "y"): 1, ("a",): 2}
    other = dict(reversed(one.items()))
    first, second = compared([one], [one]), compared([other], [other])
    assert first.symbols == second.symbols
    assert (first.self_value == second.self_value).all()


def test_exponents_of_both_sides_meet() -> None:
    before, after = (FoldedReader().read(source_of("p", text)) for text in (b"a 2\n", b"a 2.5\n"))
    comparison = overlaid([before], [after])
    assert comparison.metric.exponent == -1
    assert comparison.self_value.ravel().tolist() == [20, 25]
