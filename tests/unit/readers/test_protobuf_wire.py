"""Numbers without an end, one by one and in columns."""

import numpy as np
import pytest

from profgate.errors import ProfileError
from profgate.readers.protobuf_wire import repeated_varints, varint

ENDLESS = b"\x80" * 10 + b"\x01"
LARGEST = b"\xff" * 9 + b"\x01"


def column(number: bytes, messages: int, *, is_packed: bool) -> list[int]:
    """The numbers of field 1 in so many equal messages."""
    message = (b"\x0a" + bytes([len(number)]) if is_packed else b"\x08") + number
    starts = np.arange(messages, dtype=np.int64) * len(message)
    found = repeated_varints(message * messages, starts, starts + len(message), (1,), "x")
    values: list[int] = found[1][1].tolist()
    return values


def test_one_number_ends_after_ten_bytes() -> None:
    assert varint(LARGEST, 0, 10, "x") == (2**64 - 1, 10)
    with pytest.raises(ProfileError, match="more than 10 bytes"):
        varint(ENDLESS, 0, 11, "x")


@pytest.mark.parametrize("messages", [1, 100])
@pytest.mark.parametrize("is_packed", [True, False])
def test_numbers_of_a_column_end_after_ten_bytes(messages: int, is_packed: bool) -> None:
    assert column(LARGEST, messages, is_packed=is_packed) == [-1] * messages
    with pytest.raises(ProfileError, match="more than 10 bytes"):
        column(ENDLESS, messages, is_packed=is_packed)


@pytest.mark.parametrize(("messages", "what"), [(1, "ends too early"), (100, "a length is too large")])
def test_no_length_leads_back(messages: int, what: str) -> None:
    # read as int64 it is -1: the next field would begin inside this one
    message = b"\x0a" + LARGEST
    starts = np.arange(messages, dtype=np.int64) * len(message)
    with pytest.raises(ProfileError, match=what):
        repeated_varints(message * messages, starts, starts + len(message), (1,), "x")
