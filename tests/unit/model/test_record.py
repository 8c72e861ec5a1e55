from typing import Annotated

import pytest
from pydantic import ValidationError

from profgate.model.record import Limit, Record, adapter_of, field, replace, to_builtins
from profgate.model.run_context import RunContext


class Part(Record):
    name: str
    count: Annotated[int, Limit("Ge", {"ge": 0})] = 0
    texts: dict[str, str] = field(default_factory=dict)
    parts: tuple["Part", ...] = ()


WHOLE = Part("a", texts={"b": "c"}, parts=(Part("d", 1), Part("e")))


def test_record_is_immutable() -> None:
    with pytest.raises(AttributeError):
        WHOLE.name = "b"  # type: ignore[misc]


def test_change_makes_another_record() -> None:
    assert replace(WHOLE, count=2) == Part("a", 2, {"b": "c"}, WHOLE.parts) != WHOLE


def test_values_may_differ_between_records() -> None:
    Part("a").texts["b"] = "c"
    assert Part("a").texts == {}


def test_pydantic_reads_what_was_written() -> None:
    written = to_builtins(WHOLE) | {"unknown": 1}
    assert adapter_of(Part).validate_python(written) == WHOLE


@pytest.mark.parametrize(
    ("part", "place"),
    [({}, ("parts", 0, "name")), ({"name": "d", "count": -1}, ("parts", 0, "count")), (3, ("parts", 0))],
)
def test_errors_have_the_place_of_the_value(part: object, place: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as raised:
        adapter_of(Part).validate_python({"name": "a", "parts": [part]})
    assert [error["loc"] for error in raised.value.errors()] == [place]


def test_text_of_a_context_contains_no_secret() -> None:
    shown = repr(
        RunContext("push", "octo-org/shop", description="untrusted", comment="a remark", runtime_token="secret")
    )
    assert not any(text in shown for text in ("untrusted", "remark", "secret"))
