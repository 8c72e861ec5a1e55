"""Timelines of pages: bounded in size, absent from pages of profiles without times, complete when rows are merged."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from page_trees import page_tree
from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import OTHER, NamedTree, PageHeader, cut_tree, uncut
from profgate.flamegraph.page_timelines import _shown_rows, encode_timelines
from profgate.model.timeline import MOST_BINS, Timeline

HEADER = PageHeader("base → head", "demo", "time", "nanoseconds")


def random_tree(rows: int, entries: int, seed: int = 1) -> NamedTree:
    """A tree whose rows have several entries each, in three threads."""
    random = np.random.default_rng(seed)
    parent = np.append(-1, [random.integers(max(row - 40, 0), row) for row in range(1, rows)])
    symbol = np.append(-1, random.integers(0, 200, rows - 1))
    sides = [random_timeline(rows, entries, random) for _ in range(2)]
    own = [np.zeros(rows, np.int64) for _ in sides]
    for values, side in zip(own, sides, strict=True):
        np.add.at(values, side.row, side.values[0])
    names = [f"function_{number}" for number in range(200)]
    return page_tree(np.array([parent, symbol, *own]).T, names, timelines=(sides[0], sides[1]))


def random_timeline(rows: int, entries: int, random: np.random.Generator) -> Timeline:
    key = np.unique(random.integers(0, rows * 3 * MOST_BINS, entries))
    row, cell = key // (3 * MOST_BINS), key % (3 * MOST_BINS)
    values = random.integers(1, 100, (1, len(key)))
    return Timeline(MOST_BINS * 2**20 - 1, 20, ("main", "worker", "worker"), row, cell, values)


def without_times(tree: NamedTree) -> NamedTree:
    return tree._replace(tree=replace(tree.tree, timelines=(None, None)))


def header_in(page: str) -> dict[str, object]:
    found = re.search(r'<script type="application/json" id="header">(.*?)</script>', page)
    assert found is not None
    return dict(json.loads(found[1]))


def test_a_page_without_times_contains_neither_data_nor_code_for_them() -> None:
    page = build_page(without_times(random_tree(50, 100)), HEADER)
    assert "timelines" not in header_in(page)
    for text in ('id="times"', "decodeTimelines(header", "function makeActivity", ".lane-head", 'id="activity"'):
        assert (text in page) == (text == "decodeTimelines(header")  # app.js calls it only if there are times


@pytest.mark.parametrize(("rows", "entries"), [(50, 400), (3000, 4000), (3000, 200_000)])
def test_times_add_less_than_half_to_the_page(rows: int, entries: int) -> None:
    tree = random_tree(rows, entries)
    timed, plain = build_page(tree, HEADER), build_page(without_times(tree), HEADER)
    assert "timelines" in header_in(timed)
    assert len(timed) < 1.5 * len(plain)


def test_bins_are_longer_in_less_room() -> None:
    tree = random_tree(300, 30_000).tree
    sides = []
    for room in (10**6, 40_000, 20_000, 10_000):
        found = encode_timelines(tree, uncut(tree), room)
        assert found is not None
        assert len(found.data) <= room
        sides.append(found.header["sides"][0])
    assert [len(side["threads"]) for side in sides] == [3, 3, 3, 1]
    scales = [side["scale"] for side in sides]
    assert scales[0] == 20 < scales[1] < scales[2]
    assert encode_timelines(tree, uncut(tree), 1000) is None


def test_entries_of_merged_rows_belong_to_their_other_row() -> None:
    whole = random_tree(400, 3000).tree
    cut = cut_tree(whole, 0.02, set())
    shown = cut.tree
    assert 0 < (shown.symbol == OTHER).sum() < len(shown) < len(whole) / 2
    place = _shown_rows(whole, cut)
    for side, own in zip(whole.timelines, (shown.baseline_self, shown.target_self), strict=True):
        assert side is not None
        sums = np.zeros(len(shown), np.int64)
        np.add.at(sums, place[side.row], side.values[0])
        assert sums.tolist() == own.tolist()


def test_a_cut_page_leaves_room_for_its_times() -> None:
    page = build_page(random_tree(30_000, 20_000), HEADER, 400_000)
    assert len(page.encode()) <= 400_000
    assert header_in(page)["cut"]
    assert "timelines" in header_in(page)


def test_names_of_threads_are_visible_text() -> None:
    tree = random_tree(20, 50)
    hostile = ("</script><script>alert(1)</script>", "\u202egnp.exe", "")
    sides = [side._replace(threads=hostile) for side in tree.tree.timelines if side]
    page = build_page(tree._replace(tree=replace(tree.tree, timelines=(sides[0], sides[1]))), HEADER)
    assert "<script>alert" not in page
    assert "\u202e" not in page
