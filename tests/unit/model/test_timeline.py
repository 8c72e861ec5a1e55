import numpy as np
import pytest

from profgate.model.timeline import MOST_BINS, Timeline, joined_timeline


def timeline(span: int, scale: int, threads: tuple[str, ...], entries: list[tuple[int, int, int, int]]) -> Timeline:
    """A timeline with entries of row, thread, bin and value."""
    row, thread, column, value = np.array(entries, np.int64).T
    return Timeline(span, scale, threads, row, thread * MOST_BINS + column, value.reshape(1, -1))


def entries_of(found: Timeline) -> list[tuple[int, str, int, int]]:
    return [
        (row, found.threads[cell // MOST_BINS], cell % MOST_BINS, value)
        for row, cell, value in np.stack([found.row, found.cell, found.values[0]]).T.tolist()
    ]


def test_coarser_bins_add_their_values() -> None:
    found = timeline(11, 0, ("a", "b"), [(0, 0, 0, 5), (0, 0, 3, 1), (0, 0, 4, 2), (1, 1, 11, 7)]).coarser(2)
    assert (found.scale, found.bins) == (2, 3)
    assert entries_of(found) == [(0, "a", 0, 6), (0, "a", 1, 2), (1, "b", 2, 7)]


def test_runs_are_added_with_the_longest_bins() -> None:
    short, long = (
        timeline(7, 0, ("t",), [(0, 0, 1, 5), (2, 0, 7, 1)]),
        timeline(30, 2, ("t",), [(0, 0, 0, 3), (0, 0, 7, 9)]),
    )
    found = joined_timeline([short, long])
    assert (found.span, found.scale) == (30, 2)
    assert entries_of(found) == [(0, "t", 0, 8), (0, "t", 7, 9), (2, "t", 1, 1)]


@pytest.mark.parametrize(
    ("threads", "matched"),
    [
        (("main", "worker"), ("main", "worker")),
        (("worker", "main"), ("worker", "main")),
        (("tid 5", "tid 6"), ("main", "worker")),
        (("tid 5", "main"), ("worker", "main")),
        (("worker",), ("worker",)),
        (("main", "main"), ("main", "worker")),
    ],
)
def test_threads_of_runs_are_matched_by_name_then_by_order(threads: tuple[str, ...], matched: tuple[str, ...]) -> None:
    first = timeline(3, 0, ("main", "worker"), [(0, 0, 0, 1)])
    other = timeline(3, 0, threads, [(1, thread, 2, 1) for thread in range(len(threads))])
    found = {name for row, name, _, _ in entries_of(joined_timeline([first, other])) if row == 1}
    assert found == set(matched)
