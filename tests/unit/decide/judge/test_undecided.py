"""What was not compared or not decided is no pass where the policy of the base commit requires it."""

from collections.abc import Callable

import pytest

from comparisons import from_exclusive
from judged import BASE, SLOWER, judged
from profgate.decide.judge.shards import is_open
from profgate.decide.judge.verdict import judge
from profgate.model.acceptance import in_comment
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side
from profgate.model.record import replace
from profgate.model.report import Report

REQUIRED = Policy(required=("w*",))
STRICT = Policy(on_not_compared="fail")
HALF = {name: value // 2 - value // 10 for name, value in BASE.items()}
TRIPLE = {name: 3 * value for name, value in BASE.items()}


def missing(*names: str) -> list[NotCompared]:
    return [NotCompared(name, None, "baseline", Reason(ReasonCode.MISSING_IN_TARGET)) for name in names]


def compared(target: dict[str, int] = BASE, *gone: str, distance: int = 0, runs: int = 5, part: int = 1) -> Report:
    small = {name: max(1, value // part) for name, value in BASE.items()}
    report = judged(from_exclusive([small] * 5, [small if part > 1 else target] * runs), missing=missing(*gone))
    return replace(report, baseline=Side("main", distance=distance))


def apart(report: Report) -> Report:
    return report.with_metrics(
        lambda _, metric: replace(metric, calibration=replace(metric.calibration, unlike="CPU model"))
    )


@pytest.mark.parametrize(
    ("report", "policy", "conclusion", "code", "reason"),
    [
        (compared(BASE, "gone"), Policy(), "not_compared", 3, "not_compared"),
        (compared(BASE, "gone"), STRICT, "not_compared", 1, "not_compared"),
        (compared(BASE, "gone"), Policy(required=("go*",)), "not_compared", 1, "not_compared"),
        (compared(BASE, "gone"), REQUIRED, "not_compared", 3, "not_compared"),
        (compared(), REQUIRED, "pass", 0, "no_change"),
        (compared(), Policy(required=("other",)), "not_compared", 1, "not_compared"),
        (compared(runs=1), Policy(), "inconclusive", 0, "too_few_runs"),
        (compared(runs=1), REQUIRED, "inconclusive", 1, "too_few_runs"),
        (compared(BASE, "gone", runs=1), REQUIRED, "not_compared", 1, "not_compared"),
        (compared(part=1000), Policy(), "inconclusive", 0, "too_few_samples"),
        (compared(part=1000), REQUIRED, "inconclusive", 1, "too_few_samples"),
        (compared(HALF), Policy(), "inconclusive", 0, "other_work"),
        (compared(HALF), REQUIRED, "inconclusive", 1, "other_work"),
        (compared(HALF), Policy(required=("other", "w")), "not_compared", 1, "not_compared"),
        (compared(TRIPLE), REQUIRED, "fail", 1, "common_factor"),
        (compared(SLOWER, distance=2), Policy(), "warn", 0, "finding"),
        (compared(SLOWER, distance=2), STRICT, "fail", 1, "unproven"),
        (compared(SLOWER, distance=2), REQUIRED, "fail", 1, "unproven"),
        (compared(SLOWER), Policy(confirm="required"), "warn", 0, "finding"),
        (compared(SLOWER), Policy(confirm="required", on_not_compared="fail"), "warn", 0, "finding"),
        (compared(SLOWER), replace(REQUIRED, confirm="required"), "fail", 1, "unproven"),
        (apart(compared(SLOWER)), STRICT, "warn", 0, "finding"),
        (apart(compared(SLOWER)), REQUIRED, "fail", 1, "unproven"),
        (apart(compared(SLOWER)), replace(REQUIRED, confirm="required"), "fail", 1, "unproven"),
    ],
)
def test_undecided_is_no_pass(report: Report, policy: Policy, conclusion: str, code: int, reason: str) -> None:
    verdict = judge(report, policy).verdict
    assert (verdict.conclusion, verdict.exit_code, verdict.reasons[0].code.value) == (conclusion, code, reason)


@pytest.mark.parametrize("target", [HALF, TRIPLE])
def test_common_factor_is_decided_by_confirmation(target: dict[str, int]) -> None:
    assert is_open(judge(compared(target), Policy()))


def removal(text: str) -> Callable[[Report], Report]:
    found = tuple(replace(one, by="maintainer") for one in in_comment(text, 7))
    return lambda report: replace(report, acceptances=found)


@pytest.mark.parametrize(
    ("text", "state", "conclusion"),
    [
        ("/profgate accept gone: not used any more", "applies", "warn"),
        ("/profgate accept `gone`: not used any more", "applies", "warn"),
        ("/profgate accept gone", "refused", "not_compared"),
        ("/profgate accept w: another one", "unused", "not_compared"),
        ("/profgate accept gone max=+40%: a function", "unused", "not_compared"),
    ],
)
def test_removed_workload_can_be_accepted(text: str, state: str, conclusion: str) -> None:
    report = judge(removal(text)(compared(BASE, "gone")), Policy(required=("*",)))
    assert [one.state for one in report.acceptances] == [state]
    assert report.verdict.conclusion == conclusion
    assert report.verdict.exit_code == (0 if conclusion == "warn" else 1)


def test_accepted_removal_covers_no_function() -> None:
    report = judge(removal("/profgate accept f07: the workload")(compared(SLOWER, "f07")), Policy())
    assert report.verdict.conclusion == "fail"


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [(Policy(), ("pass", 0)), (STRICT, ("pass", 0)), (Policy(required=("gone",)), ("not_compared", 1))],
)
def test_results_that_both_sides_lack_hide_no_other_workload(policy: Policy, verdict: tuple[str, int]) -> None:
    empty = NotCompared("gone", None, "both", Reason(ReasonCode.NO_RESULTS))
    found = judge(replace(compared(), not_compared=(empty,)), policy).verdict
    assert (found.conclusion, found.exit_code) == verdict


def test_failed_runs_need_a_review() -> None:
    failed = Reason(ReasonCode.FAILED_RUNS, {"text": "runs that ended with an error: 1", "file": "a.json"})
    found = judge(replace(compared(), warnings=(failed,)), Policy()).verdict
    assert (found.conclusion, found.exit_code, found.reasons) == ("warn", 0, (failed,))


@pytest.mark.parametrize("name", ["w", "`w`", "*"])
def test_workload_with_other_work_can_be_accepted(name: str) -> None:
    report = judge(removal(f"/profgate accept {name}: it does half")(compared(HALF)), REQUIRED)
    assert [one.state for one in report.acceptances] == ["applies"]
    assert (report.verdict.conclusion, report.verdict.exit_code) == ("warn", 0)
    assert "other_work" in {reason.code.value for reason in report.verdict.reasons}
    assert judge(report, REQUIRED) == report


def test_recording_that_failed_is_no_removal() -> None:
    empty = NotCompared("gone", None, "both", Reason(ReasonCode.NO_SAMPLES, {"side": "target"}))
    report = replace(compared(), not_compared=(empty,))
    judged_again = judge(removal("/profgate accept gone: empty")(report), STRICT)
    assert judged_again.verdict.exit_code == 1
