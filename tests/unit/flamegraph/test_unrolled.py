import numpy as np
import pytest

from profgate.flamegraph.unrolled import NOT_UNROLLED, unroll
from profgate.model.comparison import CallEdges, DiffTree

Edges = dict[tuple[str, str], tuple[int, int, int, int]]
Functions = dict[str, tuple[int, int, int, int]]


def unrolled(functions: Functions, edges: Edges, keep: tuple[str, ...] = ()) -> DiffTree:
    """Functions with self and total of both sides, edges with cost and calls of both sides."""
    names = list(functions)
    number = {name: place for place, name in enumerate(names)}
    ordered = sorted((number[caller], number[callee], *values) for (caller, callee), values in edges.items())
    columns = np.array(ordered, np.int64).reshape(-1, 6).T
    called = np.stack([np.bincount(columns[1], columns[place], len(names)) for place in (4, 5)]).astype(np.int64)
    called += called == 0
    values = np.array(list(functions.values()), np.int64).reshape(-1, 4).T
    graph = CallEdges(columns[0], columns[1], *columns[2:6], *called)
    return unroll(graph, values[:2], values[2:], [number[name] for name in keep])


def shown(tree: DiffTree, functions: Functions) -> dict[str, tuple[int, int, int, int]]:
    names = [*functions, NOT_UNROLLED]
    paths: list[str] = []
    for above, symbol in zip(tree.parent.tolist(), tree.symbol.tolist(), strict=True):
        paths.append("" if above < 0 else f"{paths[above]};{names[symbol]}".strip(";"))
    assert tree.baseline_calls is not None
    assert tree.target_calls is not None
    columns = (tree.baseline_self, tree.target_self, tree.baseline_calls, tree.target_calls)
    return dict(zip(paths, zip(*(column.tolist() for column in columns), strict=True), strict=True))


def test_costs_are_split_by_call_edges() -> None:
    functions = {"main": (10, 10, 100, 200), "a": (10, 10, 40, 40), "b": (20, 20, 50, 150), "leaf": (60, 160, 60, 160)}
    edges: Edges = {
        ("main", "a"): (40, 40, 1, 1),
        ("main", "b"): (50, 150, 1, 1),
        ("a", "leaf"): (30, 30, 3, 3),
        ("b", "leaf"): (30, 130, 3, 13),
    }
    assert shown(unrolled(functions, edges), functions) == {
        "": (0, 0, 0, 0),
        "main": (10, 10, 1, 1),
        "main;a": (10, 10, 1, 1),
        "main;b": (20, 20, 1, 1),
        "main;a;leaf": (30, 30, 3, 3),
        "main;b;leaf": (30, 130, 3, 13),
    }


def test_recursion_ends_and_loses_no_cost() -> None:
    functions = {"main": (0, 0, 90, 90), "even": (40, 40, 90, 90), "odd": (50, 50, 80, 80)}
    edges: Edges = {
        ("main", "even"): (90, 90, 1, 1),
        ("even", "odd"): (80, 80, 9, 9),
        ("odd", "even"): (70, 70, 9, 9),
        ("even", "even"): (5, 5, 2, 2),
    }
    found = shown(unrolled(functions, edges), functions)
    assert list(found) == ["", "main", "main;even", "main;even;odd"]
    assert found["main;even"][:2] == (40, 40)
    assert found["main;even;odd"][:2] == (50, 50)


def test_small_calls_have_a_common_row() -> None:
    functions = {"main": (10**9, 10**9, 10**9 + 5, 10**9 + 5), "tiny": (5, 5, 5, 5)}
    edges: Edges = {("main", "tiny"): (5, 5, 1, 1)}
    assert shown(unrolled(functions, edges), functions)[f"{NOT_UNROLLED};tiny"][:2] == (5, 5)
    assert shown(unrolled(functions, edges, keep=("tiny",)), functions)["main;tiny"][:2] == (5, 5)


@pytest.mark.parametrize("seed", range(20))
def test_self_values_add_up_exactly(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = 25
    own = random.integers(0, 2**40, (2, count))
    functions = {
        f"f{place}": (int(own[0, place]), int(own[1, place]), int(own[0, place] * 3), int(own[1, place] * 3))
        for place in range(count)
    }
    pairs = {(int(one), int(two)) for one, two in random.integers(0, count, (90, 2))}
    edges: Edges = {
        (f"f{one}", f"f{two}"): tuple(random.integers(0, 2**40, 4).tolist()) for one, two in sorted(pairs)
    }  # any numbers, as a hostile file has them
    tree = unrolled(functions, edges)
    for side, values in ((0, tree.baseline_self), (1, tree.target_self)):
        sums = np.zeros(count + 1, np.int64)
        np.add.at(sums, tree.symbol[1:], values[1:])
        assert sums[:count].tolist() == own[side].tolist()
        assert int(values.min()) >= 0
    assert np.all(tree.parent[1:] < np.arange(1, len(tree.parent)))


def test_number_of_rows_is_limited() -> None:
    count = 60
    functions = {f"f{place}": (1000, 1000, 60_000, 60_000) for place in range(count)}
    edges: Edges = {
        (f"f{one}", f"f{two}"): (1000, 1000, 1, 1) for one in range(count) for two in range(count) if one != two
    }
    tree = unrolled(functions, edges)
    assert len(tree.parent) <= 20_000 + count + 2
