"""What the judge makes of words on the whole report: worth a look, never red."""

from dataclasses import replace

import pytest

from profgate.judge.verdict import judge
from profgate.model.change import Change, Location
from profgate.model.policy import Policy
from profgate.model.report import Report
from report_samples import unchanged


def ranks(kind: str) -> Change:
    return Change(
        strategy="stable_ranks",
        family="R",
        kind=kind,
        subtype="ranks",
        location=Location("all tests"),
        from_value=100.0,
        to_value=50.0,
        delta=-50.0,
        relative=-0.5,
        share_from=None,
        share_to=None,
        confidence_type="sigma",
        confidence=-5.0,
        reason="the order of the durations changed",
    )


def judged(kind: str) -> Report:
    return judge(replace(unchanged(), changes=(ranks(kind),)), Policy(fail_on="maybe", gate_without_history=True))


@pytest.mark.parametrize(
    ("kind", "conclusion"),
    [("MaybeDegradation", "warn"), ("MaybeOptimization", "pass"), ("Unknown", "pass"), ("NoChange", "pass")],
)
def test_a_departure_is_worth_a_look_and_never_red(kind: str, conclusion: str) -> None:
    verdict = judged(kind).verdict
    assert (verdict.conclusion, verdict.exit_code) == (conclusion, 0)
    told = "all tests: the order of the durations changed" in verdict.reasons
    assert told == kind.startswith("Maybe")
