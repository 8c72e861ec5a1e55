from typing import get_args

from profgate.flamegraph.page_columns import SOURCE_STATES
from profgate.model.attribution import LineRange, SourceState


def test_every_state_has_a_number_and_unknown_is_nought() -> None:
    assert set(SOURCE_STATES) == set(get_args(SourceState))
    assert SOURCE_STATES[0] == "unknown"


def test_an_empty_range_holds_no_line() -> None:
    assert 12 not in LineRange(12, 11)
    assert [line for line in range(10, 16) if line in LineRange(12, 14)] == [12, 13, 14]
