"""Columns as bytes: the round trip, and bytes that nobody packed."""

import zlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.history.packed_columns import MOST_VALUE, columns_from_bytes, columns_to_bytes

ROWS = st.lists(
    st.tuples(
        st.integers(0, 1 << 40),
        st.integers(-MOST_VALUE // 2, MOST_VALUE // 2),
        st.integers(-MOST_VALUE // 2, MOST_VALUE // 2),
        st.integers(0, MOST_VALUE),
    ),
    unique_by=lambda row: row[0],
    max_size=30,
)


@given(ROWS, st.booleans())
def test_round_trip_in_order_of_symbols(rows: list[tuple[int, int, int, int]], counted: bool) -> None:
    columns = np.array(rows, np.int64).reshape(-1, 4).T
    back = columns_from_bytes(
        columns_to_bytes(columns[0].tolist(), columns[1], columns[2], columns[3] if counted else None)
    )
    ordered = np.array(sorted(rows), np.int64).reshape(-1, 4).T
    assert [one.tolist() for one in back[:3]] == ordered[:3].tolist()
    assert (back[3] is not None) == counted
    if back[3] is not None:
        assert back[3].tolist() == [row[3] for row in sorted(rows)]


@given(st.binary(max_size=200))
def test_arbitrary_bytes(data: bytes) -> None:
    try:
        numbers, own, total, _ = columns_from_bytes(data)
    except ValueError:
        return
    assert len(numbers) == len(own) == len(total)


@given(st.integers(0, 60), st.binary(min_size=1, max_size=4))
def test_damaged_columns(place: int, damage: bytes) -> None:
    whole = columns_to_bytes([3, 1, 2], np.array([5, 6, 7]), np.array([50, 60, 70]), np.array([1, 1, 9]))
    try:
        columns_from_bytes(whole[:place] + damage + whole[place + len(damage) :])
    except ValueError:
        return


@pytest.mark.slow
def test_compression_bomb_is_refused() -> None:
    with pytest.raises(ValueError, match="cut off or too large"):
        columns_from_bytes(zlib.compress(bytes(1 << 28)))


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        ([], "cut off"),
        ([5, 1, 1, 1, 1, 1], "lengths"),
        ([3, 1, 1], "lengths"),
        ([3, -1, 1, 1], "impossible"),
        ([3, 0, 1 << 61, (1 << 63) - 1], "impossible"),
        ([3, 0, 1 << 62, 1 << 62], "impossible"),
    ],
)
def test_impossible_columns_are_refused(numbers: list[int], what: str) -> None:
    values = np.array(numbers, "<i8").view(np.uint8).reshape(-1, 8).T
    with pytest.raises(ValueError, match=what):
        columns_from_bytes(zlib.compress(values.tobytes()))
