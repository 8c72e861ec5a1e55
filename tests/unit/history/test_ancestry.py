"""Ancestors by hand-drawn graphs."""

from profgate.history.ancestry import ancestors, in_order, nearest
from profgate.model.history import StoredCommit


def graph(*edges: str) -> dict[str, StoredCommit]:
    """``c: b x`` is a commit and its parents; the later it stands the newer it is."""
    made = {}
    for time, edge in enumerate(edges):
        sha, _, parents = edge.partition(":")
        made[sha] = StoredCommit(sha, tuple(parents.split()), time)
    return made


MERGED = graph("a", "b: a", "x: a", "y: x", "m: b y", "n: m")


def test_both_sides_of_a_merge_are_ancestors() -> None:
    assert list(ancestors("n", MERGED)) == [("n", 0), ("m", 1), ("y", 2), ("b", 2), ("x", 3), ("a", 3)]


def test_nearest_ancestor_through_a_merge() -> None:
    assert nearest("n", MERGED, {"x", "n"}) == ("x", 3)
    assert nearest("n", MERGED, {"b", "x", "y"}) == ("y", 2)


def test_commit_is_not_its_own_nearest_ancestor() -> None:
    assert nearest("n", MERGED, {"n"}) is None
    assert nearest("unknown", MERGED, {"a"}) is None


def test_incomplete_graph_of_shallow_clone() -> None:
    shallow = graph("c: b", "d: c")
    assert nearest("d", shallow, {"b", "a"}) == ("b", 2)
    assert nearest("d", shallow, {"a"}) is None


def test_cyclic_graph_ends() -> None:
    assert nearest("a", graph("a: b", "b: a"), {"c"}) is None


def test_order_has_ancestors_first() -> None:
    order = in_order(MERGED, MERGED)
    assert order.index("a") < order.index("x") < order.index("y") < order.index("m") < order.index("n")
    assert in_order(MERGED, {"n", "a", "y"}) == ["a", "y", "n"]


def test_long_history_needs_no_recursion() -> None:
    line = graph("c0", *(f"c{number}: c{number - 1}" for number in range(1, 20_000)))
    assert nearest("c19999", line, {"c0"}) == ("c0", 19_999)
    assert in_order(line, ["c19999", "c0"]) == ["c0", "c19999"]
