"""Times that tell of the machine: base runs that scatter, and a side on which everything takes longer."""

import pytest

from comparisons import SAMPLES, from_exclusive, timed
from profgate.detect.calibrated_log_ratio import CalibratedLogRatio
from profgate.detect.pace import disturbance
from profgate.judge.changes import metric_report
from profgate.judge.verdict import judge
from profgate.model.change import Context
from profgate.model.comparison import Comparison, Runs
from profgate.model.policy import Policy
from profgate.model.report import Report, Side, Verdict, WorkloadReport
from profgate.model.units import Metric

MILLISECOND = 1_000_000


def run(factor: float = 1.0, slower: float = 1.0) -> dict[str, int]:
    """Forty functions of some milliseconds; the last of them may be slower."""
    values = {f"f{place:02}": round(factor * (50 + place) * MILLISECOND) for place in range(40)}
    values["f39"] = round(values["f39"] * slower)
    return values


def compared(base: list[float], target: float, slower: float = 3.0, metric: Metric | None = None) -> Comparison:
    runs = [run(factor * (1 + 0.001 * place)) for place, factor in enumerate(base)]
    return from_exclusive(runs[:1], [run(target, slower)], noise=runs[1:], metric=metric or timed())


def test_a_steady_machine_is_not_disturbed() -> None:
    assert disturbance(compared([1.0, 1.05, 0.96, 1.02] * 3, 1.1), 0.0) == ""


def test_a_target_on_which_everything_takes_longer_is() -> None:
    comparison = compared([1.0] * 10, 1.5)
    word = CalibratedLogRatio().detect(comparison, {}, Context())
    assert word.facts["disturbed"] == "most functions take 1.50x their time, as on a busy or another machine: advisory"


def test_base_runs_that_scatter_are() -> None:
    said = disturbance(compared([1.0, 2.0] * 5, 1.0, slower=1.0), 0.0)
    assert said == "the times of base runs scatter by 44 %, as on a busy machine: advisory"


def test_repetitions_of_one_job_do_not_hide_the_scatter_of_jobs() -> None:
    runs = [run(1.0 + 0.001 * place) for place in range(20)] + [run(3.0), run(3.0)]
    numbers = (*(0 for _ in range(19)), 1, 2)
    comparison = from_exclusive(
        runs[:1], [run()], noise=runs[1:], metric=timed(), runs=Runs(1, 1, 21, None, None, numbers)
    )
    assert disturbance(comparison, 0.0).startswith("the times of base runs scatter")


def test_samples_are_left_to_their_shares() -> None:
    assert disturbance(from_exclusive([run()], [run(3.0)]), 0.0) == ""
    assert disturbance(compared([1.0, 1.05, 0.96, 1.02] * 3, 1.1, metric=SAMPLES), 0.0) == ""


def test_one_run_of_samples_cannot_tell_an_interruption_on_a_busy_machine() -> None:
    base = [run(factor) for factor in (1.0, 1.3) * 5]
    alone = from_exclusive(base[:1], [run(1.2)], noise=base[1:])
    assert disturbance(alone, 0.0) == (
        "the totals of base runs scatter by 15 %, as on a busy machine, and one run cannot tell an interruption from a "
        "change: advisory, record three runs or more"
    )
    several = from_exclusive(base[:3], [run(1.2)] * 3, noise=base[3:])
    assert disturbance(several, 0.0) == ""
    one_job = from_exclusive(base[:3], [run(1.2)] * 3, noise=base[3:], runs=Runs(3, 3, 7, None, (0, 0, 0)))
    assert disturbance(one_job, 0.0).startswith("the totals of base runs scatter")


@pytest.mark.parametrize(("pace", "colour"), [(1.0, "red"), (1.5, "yellow")])
def test_what_is_disturbed_is_listed_and_never_red(pace: float, colour: str) -> None:
    comparison = compared([1.0] * 10, pace)
    metric = metric_report(comparison, [CalibratedLogRatio().detect(comparison, {}, Context())])
    sides = Side("baseline"), Side("target")
    draft = Report(*sides, Verdict("not_compared", "neutral", ()), (WorkloadReport("w", {}, (), (metric,)),))
    (finding,) = judge(draft, Policy()).workloads[0].metrics[0].findings
    assert (finding.location.name, finding.colour) == ("f39", colour)
    assert any("most functions" in reason for reason in finding.reasons) == (colour == "yellow")
