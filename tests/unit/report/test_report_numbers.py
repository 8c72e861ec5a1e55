"""No number of a stored report, whose author may be untrusted, makes judging or showing the report fail."""

import json
import typing
from collections.abc import Iterator
from typing import Any

import pytest

from profgate.decide.judge.shards import Shard, merge_reports
from profgate.errors import ProfgateError
from profgate.model.change import Change, ListedDetails
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record, replace
from profgate.model.report import Report
from profgate.report.comment import render_comment, render_summary
from profgate.report.json_report import from_json, to_json
from profgate.report.terminal_report import terminal_lines
from profgate.report.view import View
from slow_cases import quick_first

Steps = tuple[str | int, ...]
EXTREMES = (1e308, -1e308, 1e-320, 0.0, -1.0, 2.0, 0, -1, 10**18)


def filled(kind: Any) -> Any:
    """An object in which every field has a value, chosen by its type."""
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    found: Any
    if kind is Reason:
        found = Reason(ReasonCode.NO_CHANGE)
    elif origin is typing.Annotated and parts[0] is str:
        found = "Degradation"
    elif origin is typing.Literal:
        found = parts[0]
    elif parts == (Change, ...):
        found = tuple(replace(filled(Change), details=filled(own)) for own in typing.get_args(ListedDetails))
    elif origin is tuple:
        found = tuple(filled(part) for part in parts if part is not ...)
    elif origin is dict:
        found = {side: filled(parts[1]) for side in ("baseline", "target", "noise")}
    elif parts:
        found = filled(parts[0])
    elif issubclass(kind, Record):
        fields = typing.get_type_hints(kind, include_extras=True)
        found = kind(**{name: filled(part) for name, part in fields.items() if name != "schema"})
    else:
        found = kind(1)
    return found


REPORT = filled(Report)
DOCUMENT = json.loads(to_json(REPORT))


def numbers(value: Any, steps: Steps = ()) -> Iterator[Steps]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, part in inner:
        yield from numbers(part, (*steps, step))
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield steps


# one of each field: locations and results occur in many places
FIELDS = {tuple(step for step in steps[-3:] if isinstance(step, str)): steps for steps in numbers(DOCUMENT)}


def changed(steps: Steps, value: float) -> str:
    document = place = json.loads(json.dumps(DOCUMENT))
    for step in steps[:-1]:
        place = place[step]
    place[steps[-1]] = value
    return json.dumps(document)


def show(text: str) -> None:
    loaded = from_json(text)
    for report in (loaded, merge_reports([Shard("a", loaded)], Policy())[0]):
        view = View(report)
        render_comment(view)
        render_summary(view)
        terminal_lines(view, verbose=True)
        to_json(report)


def test_every_field_is_read_and_shown() -> None:
    assert from_json(to_json(REPORT)) == REPORT
    assert len(FIELDS) > 100
    show(to_json(REPORT))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        (("result", "p"), 1e308),
        (("result", "p"), 1.5),
        (("suspects", "p"), -0.1),
        (("calibration", "common_factor"), 0.0),
        (("runs", "baseline"), -1),
        (("verdict", "exit_code"), 256),
        (("total", "baseline"), -2e100),
    ],
)
def test_impossible_number_is_refused(field: tuple[str, ...], value: Any) -> None:
    (steps,) = (steps for names, steps in FIELDS.items() if names[-2:] == field)
    with pytest.raises(ProfgateError, match=r"^report\.json: "):
        from_json(changed(steps, value))


def test_missing_number_of_runs_is_refused() -> None:
    with pytest.raises(ProfgateError, match="runs"):
        from_json(json.dumps(DOCUMENT).replace('"baseline": 1, "noise"', '"others": 1, "noise"'))


@pytest.mark.parametrize("value", quick_first(EXTREMES))
def test_extreme_number_is_refused_or_shown(value: float) -> None:
    for steps in FIELDS.values():
        try:
            loaded = changed(steps, value)
            show(loaded)
        except ProfgateError as error:
            assert error.where == "report.json"  # noqa: PT017 - not every number is refused
