"""Results of several machines as one: what both show is red, everything else is possible."""

import pytest

from comparisons import SAMPLES, from_exclusive
from judged import BASE, SLOWER, codes, findings, judged
from profgate.decide.detect.builtin import STRATEGIES
from profgate.decide.judge.machines import joined_by_machine, placement_of, with_machines
from profgate.decide.judge.shards import Shard, suspects_in, with_measurement, without_measurement
from profgate.errors import ProfgateError
from profgate.model.measurement import Look, Measurement, Outcome
from profgate.model.policy import Machines, Policy
from profgate.model.reason import Side
from profgate.model.record import replace
from profgate.model.report import Report
from profgate.model.units import MetricKind
from profgate.pipeline import PipelineInput, report_on

REQUIRED = Policy(confirm="required")
FIRST = replace(judged(from_exclusive([BASE] * 5, [SLOWER] * 5), policy=REQUIRED), target=Side("#1", "a" * 40))
FASTER = BASE | {"f07": BASE["f07"] // 2}
SLIGHTLY = BASE | {"f07": round(1.07 * BASE["f07"])}


def of(machine: str, after: dict[str, int], first: Report = FIRST) -> Shard:
    """The result of a machine on which the commits had these costs, in 8 + 8 runs."""
    suspects = tuple(suspects_in(first))
    look = Look(8, 0.02, suspects, 2.5)
    given = PipelineInput((), (), policy=REQUIRED, interleaved=True, look=look)
    measured = report_on([from_exclusive([BASE] * 8, [after] * 8)], given, STRATEGIES, ())
    outcome: Outcome = "confirmed" if after == SLOWER else "not repeated"
    decided = tuple(replace(one, outcome=outcome, low=0.1, high=0.2, p=0.001) for one in suspects)
    extent = Measurement(8, 60.0, 300.0, suspects=decided, machines=(machine,))
    return Shard(machine, replace(with_measurement(first, measured, extent, REQUIRED), confirms="digest"))


def with_large_change(machine: str, kind: MetricKind) -> Shard:
    """The result of a machine on which a large function took 8 % more, in runs that differ a little."""
    suspects = tuple(suspects_in(FIRST))
    look = Look(8, 0.02, suspects, 2.5)
    given = PipelineInput((), (), policy=REQUIRED, interleaved=True, look=look)
    sides = [[{**BASE, "f01": BASE["f01"] + 50 * run, "f07": cost} for run in range(8)] for cost in (40_000, 43_200)]
    comparison = from_exclusive(*sides, metric=replace(SAMPLES, kind=kind))
    measured = report_on([comparison], given, STRATEGIES, ())
    report = with_measurement(FIRST, measured, Measurement(8, 60.0, 300.0, machines=(machine,)), REQUIRED)
    return Shard(machine, replace(report, confirms="digest"))


@pytest.mark.parametrize(("kind", "colour"), [(MetricKind.COUNTED, "red"), (MetricKind.SAMPLED, "yellow")])
def test_counts_do_not_depend_on_placement(kind: MetricKind, colour: str) -> None:
    report = joined(with_large_change("1", kind), with_large_change("2", kind))
    assert findings(report)["f07"].colour == colour


def test_noisy_function_does_not_cancel_what_others_disagree_about() -> None:
    """Functions without noise that agree, and that differ by 8 %, and one whose runs vary by half."""
    assert placement_of([(0.0, 0.0)] * 20) == pytest.approx(0.04 * (5 / 25) ** 0.5)
    differing = [(0.08, 0.0)] * 20
    assert placement_of(differing) == pytest.approx(0.054, abs=0.0005)
    assert placement_of([*differing, (0.1, 0.25)]) == pytest.approx(0.053, abs=0.0005)
    assert placement_of([(0.08, 2 * 0.04**2)] * 20) == pytest.approx(((5 * 16 + 10 * 16) / 15) ** 0.5 / 100)


def joined(*results: Shard, policy: Policy = REQUIRED) -> Report:
    return with_machines(Shard("first", FIRST, digest="digest"), results, policy)


@pytest.mark.parametrize(
    ("one", "other", "conclusion", "colour", "code"),
    [
        (SLOWER, SLOWER, "fail", "red", "measured"),
        (SLOWER, BASE, "warn", "yellow", "still_possible"),
        (BASE, SLOWER, "warn", "yellow", "still_possible"),
        (SLOWER, FASTER, "warn", "yellow", "still_possible"),
        (SLOWER, SLIGHTLY, "warn", "yellow", "still_possible"),  # as much as another placement of the code shows
    ],
)
def test_only_what_both_machines_show_is_red(
    one: dict[str, int], other: dict[str, int], conclusion: str, colour: str, code: str
) -> None:
    report = joined(of("1", one), of("2", other))
    finding = findings(report)["f07"]
    assert (report.verdict.conclusion, finding.colour, codes(finding)) == (conclusion, colour, [code])
    assert report.measurement is not None
    assert sorted(report.measurement.machines) == ["1", "2"]
    outcome = "confirmed" if one == other else "possible"
    assert {suspect.outcome for suspect in report.measurement.suspects} == {outcome}


def test_unchanged_code_passes() -> None:
    report = joined(of("1", BASE), of("2", BASE))
    assert (report.verdict.conclusion, report.verdict.exit_code) == ("pass", 0)


@pytest.mark.parametrize("results", [[], [of("1", SLOWER)], [of("1", SLOWER), of("1", SLOWER)], [of("1", BASE)]])
def test_missing_machine_is_no_pass(results: list[Shard]) -> None:
    report = joined(*results)
    assert (report.verdict.conclusion, report.verdict.exit_code) == ("not_compared", 1)
    assert report.verdict.reasons[0].code == "not_measured_again"
    assert findings(report)["f07"].colour == "yellow"


def test_failed_machine_is_no_result() -> None:
    failed = replace(without_measurement(FIRST, "exit code 7", "target", REQUIRED), confirms="digest")
    report = joined(of("1", SLOWER), Shard("2", failed))
    assert (report.verdict.conclusion, report.verdict.exit_code) == ("fail", 1)
    assert "exit code 7" in str(report.verdict.reasons[0].parameters["text"])


@pytest.mark.parametrize(("machines", "colour"), [(1, "red"), (2, "yellow")])
def test_policy_decides_how_many_machines_must_agree(machines: Machines, colour: str) -> None:
    policy = replace(REQUIRED, machines=machines)
    assert findings(joined(of("1", SLOWER), policy=policy))["f07"].colour == colour


def test_passed_comparison_needs_no_machine() -> None:
    passed = judged(from_exclusive([BASE] * 5, [BASE] * 5), policy=REQUIRED)
    assert with_machines(Shard("first", passed), [], REQUIRED) == passed


def test_machines_belong_to_the_comparison_that_they_confirm() -> None:
    shards = [Shard("first", FIRST, digest="digest"), of("1", SLOWER), of("2", SLOWER)]
    (alone,) = joined_by_machine(shards, REQUIRED)
    assert alone.report == joined(*shards[1:])
    (again,) = joined_by_machine([alone], REQUIRED)
    assert again.report == alone.report
    assert [shard.name for shard in joined_by_machine(shards[1:], REQUIRED)] == ["1"]
    other = Shard("other", FIRST, digest="other")
    assert [shard.report for shard in joined_by_machine([other, *shards], REQUIRED)] == [FIRST, alone.report]


def test_results_of_other_commits_are_refused() -> None:
    foreign, other = of("2", SLOWER), Side("x", "b" * 40)
    for report in (replace(foreign.report, target=other), replace(foreign.report, baseline=other)):
        with pytest.raises(ProfgateError, match="one run"):
            joined(of("1", SLOWER), replace(foreign, report=report))


def test_results_for_another_comparison_are_refused() -> None:
    foreign = of("2", SLOWER)
    with pytest.raises(ProfgateError, match="another comparison"):
        joined(of("1", SLOWER), replace(foreign, report=replace(foreign.report, confirms="other")))
