"""Reasons as the sentences that people read."""

from profgate.model.change import Detection
from profgate.model.reason import Reason, as_reason
from profgate.report.wording import reason_text


def sentence(reason: Reason | str | None) -> str:
    return "" if reason is None else reason_text(as_reason(reason), str)


def not_tested(detection: Detection) -> str:
    """Why the whole comparison was not tested, empty where it was."""
    return "; ".join(map(sentence, detection.not_tested))
