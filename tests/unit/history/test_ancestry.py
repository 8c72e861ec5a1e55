"""Ancestors by hand-drawn graphs."""

from profgate.history.ancestry import Ancestor, ancestors, in_order, nearest
from profgate.model.history import StoredCommit


def graph(*edges: str) -> dict[str, StoredCommit]:
    """``c: b x`` is a commit and its parents; the later it stands the newer it is."""
    made = {}
    for time, edge in enumerate(edges):
        sha, _, parents = edge.partition(":")
        made[sha] = StoredCommit(sha, tuple(parents.split()), time)
    return made


MERGED = graph("a", "b: a", "x: a", "y: x", "m: b y", "n: m")


def test_both_sides_of_a_merge_are_ancestors_and_the_newer_comes_first() -> None:
    assert [(one.sha, one.distance) for one in ancestors("n", MERGED)] == [
        ("n", 0),
        ("m", 1),
        ("y", 2),
        ("b", 2),
        ("x", 3),
        ("a", 3),
    ]


def test_the_nearest_measured_ancestor_is_found_through_a_merge() -> None:
    assert nearest("n", MERGED, {"x", "n"}) == Ancestor("x", 3)
    assert nearest("n", MERGED, {"b", "x", "y"}) == Ancestor("y", 2)


def test_a_commit_is_not_its_own_ancestor_and_where_nothing_is_measured_there_is_none() -> None:
    assert nearest("n", MERGED, {"n"}) is None
    assert nearest("unknown", MERGED, {"a"}) is None


def test_a_graph_that_ends_early_is_followed_as_far_as_it_is_known() -> None:
    shallow = graph("c: b", "d: c")
    assert nearest("d", shallow, {"b", "a"}) == Ancestor("b", 2)
    assert nearest("d", shallow, {"a"}) is None


def test_a_graph_with_a_circle_comes_to_an_end() -> None:
    assert nearest("a", graph("a: b", "b: a"), {"c"}) is None


def test_every_commit_stands_after_what_it_descends_from() -> None:
    order = in_order(MERGED, MERGED)
    assert order.index("a") < order.index("x") < order.index("y") < order.index("m") < order.index("n")
    assert in_order(MERGED, {"n", "a", "y"}) == ["a", "y", "n"]


def test_a_long_line_needs_no_recursion() -> None:
    line = graph("c0", *(f"c{number}: c{number - 1}" for number in range(1, 20_000)))
    assert nearest("c19999", line, {"c0"}) == Ancestor("c0", 19_999)
    assert in_order(line, ["c19999", "c0"]) == ["c0", "c19999"]
