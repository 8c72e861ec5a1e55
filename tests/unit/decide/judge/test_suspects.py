"""What a comparison with stored baselines leaves to a measurement, and the report that the measurement decides."""

import pytest

from comparisons import from_exclusive
from judged import BASE, SLOWER, codes, findings, judged
from profgate.decide.detect.builtin import STRATEGIES
from profgate.decide.judge.shards import (
    is_open,
    needs_more_suspects,
    suspects_in,
    with_measurement,
    without_measurement,
)
from profgate.decide.judge.verdict import judge, policy_stated_in
from profgate.model.calibration import Calibration
from profgate.model.measurement import Look, Measurement
from profgate.model.policy import Policy, StatedPolicy
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.pipeline import PipelineInput, report_on
from profgate.report.json_report import from_json, to_json

REQUIRED = Policy(confirm="required")
EXTENT = Measurement(8, 60.0, 300.0)


def first(runs: int = 5, after: dict[str, int] | None = None, policy: Policy = REQUIRED) -> Report:
    return judged(from_exclusive([BASE] * runs, [after or SLOWER] * runs), policy=policy)


def decided(report: Report, after: dict[str, int], workload: str = "w", policy: Policy = REQUIRED) -> Report:
    """The report after 8 + 8 runs in turns, which showed these costs."""
    comparison = from_exclusive([BASE] * 8, [after] * 8, workload=workload)
    look = Look(8, 0.01, tuple(suspects_in(report)))
    given = PipelineInput((), (), policy=policy, interleaved=True, look=look)
    return with_measurement(report, report_on([comparison], given, STRATEGIES, ()), EXTENT, policy)


def test_only_regressions_are_suspects() -> None:
    found = {suspect.location and suspect.location.name: suspect for suspect in suspects_in(first())}
    assert found.keys() == {"f07", None}
    assert all(suspect.listed and (suspect.change or 0.0) > 0 for suspect in found.values())
    assert suspects_in(judged(from_exclusive([SLOWER] * 5, [BASE] * 5))) == []
    assert suspects_in(first(after=BASE)) == []


@pytest.mark.parametrize(("after", "expected"), [(SLOWER, True), (BASE, False)])
def test_passed_report_is_not_open(after: dict[str, int], expected: bool) -> None:
    assert is_open(first(after=after)) is expected


def test_inconclusive_report_needs_more_suspects() -> None:
    few = first(runs=1, after=BASE)
    assert (few.verdict.conclusion, is_open(few), needs_more_suspects(few)) == ("inconclusive", True, True)


@pytest.mark.parametrize(("jobs", "expected"), [(None, True), (1, True), (4, True), (5, False)])
def test_few_base_jobs_need_more_suspects(jobs: int | None, expected: bool) -> None:
    facts = Calibration(state="tested", base_jobs=jobs)
    report = first().with_metrics(lambda _, metric: replace(metric, calibration=facts))
    assert needs_more_suspects(report) is expected


@pytest.mark.parametrize(("after", "colour", "code"), [(SLOWER, "red", 1), (BASE, None, 0)])
def test_only_new_runs_decide(after: dict[str, int], colour: str | None, code: int) -> None:
    waiting = first()
    assert (findings(waiting)["f07"].colour, codes(findings(waiting)["f07"])) == ("yellow", ["waits"])
    report = decided(waiting, after)
    found = findings(report).get("f07")
    assert (found and found.colour, report.verdict.exit_code) == (colour, code)
    assert found is None or (codes(found), found.result.level) == (["measured"], 0.01)
    assert report.workloads[0].metrics[0].runs["target"] == 8
    assert judge(from_json(to_json(report)), REQUIRED).verdict == report.verdict


@pytest.mark.parametrize(
    ("side", "conclusion"), [("target", "fail"), ("baseline", "not_compared"), ("", "not_compared")]
)
def test_failed_measurement_of_suspects_fails(side: str, conclusion: str) -> None:
    report = without_measurement(first(), "make: not found", side, REQUIRED)
    assert report.verdict.fails
    assert (report.verdict.conclusion, codes(findings(report)["f07"])) == (conclusion, ["waits"])
    assert report.verdict.reasons[0].code.value == "not_measured_again"


def test_first_comparison_decides_without_confirmation() -> None:
    report = without_measurement(first(), "make: not found", "", Policy())
    assert (report.verdict.exit_code, codes(findings(report)["f07"])) == (1, ["no_split"])


def test_stated_policy_judges() -> None:
    stored = from_json(to_json(first()))
    assert policy_stated_in(stored) == REQUIRED
    assert policy_stated_in(replace(stored, policy=StatedPolicy())) == Policy()
