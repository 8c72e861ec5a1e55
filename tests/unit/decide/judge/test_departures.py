"""What the judge makes of changes of the whole report: a review, never red."""

import pytest

from profgate.decide.judge.verdict import judge
from profgate.model.change import Change
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Report
from report_samples import finding, unchanged

CHANGED = Reason(ReasonCode.ORDER, {"case": "changed", "direction": "slower"})


def ranks(kind: str) -> Change:
    (change,) = finding("all tests", 100.0, 50.0, kind=kind).changes
    return replace(change, strategy="stable_ranks", family="R", subtype="ranks", reason=CHANGED)


def judged(kind: str) -> Report:
    return judge(replace(unchanged(), changes=(ranks(kind),)), Policy(fail_on="maybe"))


@pytest.mark.parametrize(
    ("kind", "conclusion"),
    [("MaybeDegradation", "warn"), ("MaybeOptimization", "pass"), ("Unknown", "pass"), ("NoChange", "pass")],
)
def test_departure_is_yellow(kind: str, conclusion: str) -> None:
    verdict = judged(kind).verdict
    assert (verdict.conclusion, verdict.exit_code) == (conclusion, 0)
    assert (Reason(ReasonCode.DEPARTURE, {"workload": "all tests"}, (CHANGED,)) in verdict.reasons) == kind.startswith(
        "Maybe"
    )
