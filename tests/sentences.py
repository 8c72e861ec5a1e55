"""Reasons as the sentences that people read, and the results and details of a detection or a change."""

from types import SimpleNamespace
from typing import Any

from profgate.model.change import Change, Columns, Detection
from profgate.model.reason import Reason, as_reason
from profgate.report.wording import reason_text


def sentence(reason: Reason | str | None) -> str:
    return "" if reason is None else reason_text(as_reason(reason), str)


def case(reason: Reason | str | None) -> str:
    """The case of a reason, or its code."""
    assert isinstance(reason, Reason)
    return str(reason.parameters.get("case", reason.code.value))


def not_tested(detection: Detection) -> str:
    """The case for which the whole comparison was not tested, empty where it was."""
    return "; ".join(map(case, detection.not_tested))


def details_of(found: Detection | Change) -> Any:
    return columns_of(found.details)


def result_of(found: Detection | Change) -> Any:
    return columns_of(found.result)


def columns_of(found: Any) -> Any:
    """Columns as attributes, or the record of a change."""
    return SimpleNamespace(at=found.at, **found.fields) if isinstance(found, Columns) else found
