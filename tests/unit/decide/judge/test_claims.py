from typing import Any

import pytest
from scipy import stats

import report_samples as samples
from profgate.decide.judge.claims import combined_p, joined_claims
from profgate.decide.judge.verdict import judge
from profgate.model.claim import Claim, ClaimResult
from profgate.model.measurement import Measurement
from profgate.model.policy import Policy
from profgate.model.record import replace
from profgate.model.report import Report

RESULT = ClaimResult(
    "api-bench",
    "samples",
    machine="a",
    low=-0.12,
    high=-0.08,
    p=0.004,
    share=0.5,
    total_low=-0.07,
    total_high=-0.03,
    factor=1.0,
)
CLAIM = Claim("parse", -0.1, attempt=1, results=(RESULT, replace(RESULT, machine="b")))


def reported(claim: Claim = CLAIM, *, machines: tuple[str, ...] = ("a", "b")) -> Report:
    placement = 0.02 if len(machines) > 1 else None
    measurement = Measurement(40, 200.0, 300.0, machines=machines, placement=placement)
    return replace(samples.unchanged(), claims=(claim,), measurement=measurement)


def state(report: Report, policy: Policy | None = None) -> tuple[str, str, str, int]:
    judged = judge(report, policy or Policy())
    claim = judged.claims[0]
    assert claim.remark is not None
    assert judge(judged, policy or Policy()) == judged
    return claim.state, str(claim.remark.parameters["case"]), judged.verdict.conclusion, judged.verdict.exit_code


def with_result(**values: Any) -> Claim:
    """The claim, whose result on one machine has these values."""
    return replace(CLAIM, results=(RESULT, replace(RESULT, **{"machine": "b", **values})))


def test_claim_shown_by_both_machines_is_proven() -> None:
    assert state(reported()) == ("proven", "proven", "pass", 0)


@pytest.mark.parametrize(
    ("values", "case"),
    [
        ({"p": 0.5}, "level"),
        ({"p": None}, "level"),
        ({"p": 0.0}, "level"),
        ({"low": -0.13, "high": -0.001}, "placement"),
        ({"total_low": -0.02, "total_high": 0.02}, "moved"),
        ({"machine": "a"}, "machines"),
        ({"obstacle": "several"}, "several"),
    ],
)
def test_condition_that_is_not_met_proves_nothing(values: dict[str, Any], case: str) -> None:
    assert state(reported(with_result(**values))) == ("not proven", case, "inconclusive", 1)


@pytest.mark.parametrize(("attempt", "proven"), [(1, True), (5, True), (6, False), (20, False), (None, False)])
def test_each_attempt_needs_a_lower_p(attempt: int | None, proven: bool) -> None:
    """Together, the machines have p = 0.0002; the levels are 0.0061, 0.0015, 0.0007, 0.0004 and 0.0002."""
    assert (state(reported(replace(CLAIM, attempt=attempt)))[0] == "proven") == proven


def test_claims_share_the_level() -> None:
    other = replace(CLAIM, location="render")
    claims = [judge(replace(reported(), claims=(CLAIM,) + (other,) * more), Policy()).claims[0] for more in (0, 1)]
    assert claims[1].level == pytest.approx((claims[0].level or 0) / 2)


def test_interval_without_the_claim_contradicts_it() -> None:
    smaller = replace(RESULT, low=-0.09, high=-0.07)
    both = replace(CLAIM, results=(smaller, replace(smaller, machine="b")))
    assert state(reported(both)) == ("contradicted", "contradicted", "fail", 1)
    assert state(reported(replace(CLAIM, results=(RESULT, replace(smaller, machine="b")))))[0] == "proven"


def test_common_factor_may_hide_the_claimed_change() -> None:
    """If everything became faster, the change of one function without the common factor contradicts nothing."""
    hidden = replace(RESULT, low=-0.02, high=0.02, p=0.5, factor=0.9)
    both = replace(CLAIM, results=(hidden, replace(hidden, machine="b")))
    assert state(reported(both))[:2] == ("not proven", "placement")


def test_rates_may_rise() -> None:
    faster = replace(RESULT, low=0.08, high=0.12, total_low=0.01, total_high=0.12)
    claim = replace(CLAIM, change=0.1, results=(faster, replace(faster, machine="b")))
    assert state(reported(claim))[0] == "proven"
    slower = replace(faster, low=-0.12, high=-0.08)
    assert state(reported(replace(claim, results=(slower, replace(slower, machine="b")))))[0] == "contradicted"


def test_one_machine_needs_a_larger_change() -> None:
    policy = Policy(machines=1)
    single = replace(CLAIM, results=(RESULT,))
    assert state(reported(single, machines=("a",)), policy)[:2] == ("not proven", "placement")
    large = replace(RESULT, low=-0.22, high=-0.18, total_low=-0.2)
    assert state(reported(replace(CLAIM, results=(large,)), machines=("a",)), policy)[0] == "proven"


def test_without_a_measurement_nothing_is_proven() -> None:
    assert state(replace(reported(), measurement=None)) == ("not proven", "unmeasured", "inconclusive", 1)
    assert state(reported(replace(CLAIM, results=())))[1] == "absent"


def test_other_work_proves_nothing() -> None:
    def other(_: Any, metric: Any) -> Any:
        return replace(metric, calibration=replace(metric.calibration, inconclusive="other_work"))

    assert state(reported().with_metrics(other))[:2] == ("not proven", "other_work")


@pytest.mark.parametrize("claim", [replace(CLAIM, attempt=0), replace(CLAIM, change=0.0)])
def test_impossible_claims_of_a_report_are_not_proven(claim: Claim) -> None:
    assert judge(reported(claim), Policy()).verdict.exit_code == 1


def test_stated_claims_take_over_results() -> None:
    first, second = (replace(reported(), claims=(replace(CLAIM, results=(each,)),)) for each in CLAIM.results)
    assert joined_claims((first, second)) == (CLAIM,)
    stated = Claim("parse", -0.1, attempt=7)
    assert joined_claims((first, second), (stated,)) == (replace(stated, results=CLAIM.results),)
    assert joined_claims((first,), (replace(stated, change=-0.4),))[0].results == ()
    assert joined_claims((first,), ()) == ()


@pytest.mark.parametrize("ps", [[0.2], [0.004, 0.004], [0.3, 0.02], [0.1, 0.2, 0.3], [1.0, 1.0]])
def test_machines_are_combined_by_the_method_of_fisher(ps: list[float]) -> None:
    assert combined_p(ps) == pytest.approx(stats.combine_pvalues(ps).pvalue)
