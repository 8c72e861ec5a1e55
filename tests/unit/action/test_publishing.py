"""Which comment a conclusion gets."""

import pytest

import report_samples as samples
from profgate.action.publishing import comment_texts
from profgate.model.report import Report


@pytest.mark.parametrize(
    ("report", "mode", "text", "worth"),
    [
        (samples.unchanged(), "on-change", "full", False),
        (samples.unchanged(), "always", "full", True),
        (samples.improvement(), "on-change", "full", False),
        (samples.inconclusive(), "on-change", "quiet", True),
        (samples.inconclusive(), "always", "full", True),
        (samples.nothing_compared(), "on-change", "full", True),
        (samples.regression(), "on-change", "full", True),
    ],
)
def test_passing_pull_requests_get_no_comment(report: Report, mode: str, text: str, worth: bool) -> None:
    texts = comment_texts(report, "full", "quiet", mode)
    assert (texts.full, texts.quiet, texts.worth) == (text, "quiet", worth)
