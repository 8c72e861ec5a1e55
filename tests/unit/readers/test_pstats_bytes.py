import marshal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from profgate.errors import ProfileError
from profgate.readers.pstats import loads

SCALARS = (
    st.just(True)
    | st.integers(-(2**200), 2**200)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=300)
)
KEYS = SCALARS | st.tuples(SCALARS, SCALARS)
VALUES = st.recursive(
    KEYS, lambda inner: st.lists(inner, max_size=3).map(tuple) | st.dictionaries(KEYS, inner), max_leaves=9
)


@settings(max_examples=60, derandomize=True, deadline=None)
@given(value=VALUES)
def test_the_interpreters_own_writer_is_understood(value: object) -> None:
    data = marshal.dumps(value)  # type: ignore[arg-type]
    assert loads(data, "x") == value


def test_references_name_earlier_objects() -> None:
    shared = ("a" * 300, 1)
    assert loads(marshal.dumps((shared, shared, {shared: shared})), "x") == (shared, shared, {shared: shared})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "ends 1 bytes too early"),
        (b"c", "type 'c' does not belong"),
        (b"u\x05\x00\x00\x00abc", "are announced"),
        (b"r\x00\x00\x00\x00", "names no earlier object"),
        (b"\xa9\x01r\x00\x00\x00\x00", "refers to an object that contains"),
        (b"{{0T0", "used as a key"),
        (b"l\xff\x00\x00\x00", "255 digits"),
        (b"0", "end mark"),
        (b"\xa9\x01\xa9\x01Tr\x01\x00\x00\x00", "follow"),
        (b")\x02\xa9\x01)\x00r\x00\x00\x00\x00", "repeats a table"),
        (b"TT", "follow the end"),
        (b")\x01" * 40 + b"T", "nested too deeply"),
    ],
)
def test_what_does_not_belong_is_named_with_its_byte(data: bytes, message: str) -> None:
    with pytest.raises(ProfileError, match=message):
        loads(data, "x")
