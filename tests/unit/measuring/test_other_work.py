"""Runs that show by their output and files that the target did other work."""

import pytest

from comparisons import from_exclusive
from judged import BASE, judged
from profgate.decide.judge.verdict import judge
from profgate.io.processes import Outcome
from profgate.measuring.other_work import RunFacts, facts_of, with_other_runs
from profgate.model.policy import Policy

SAME = [RunFacts(0, 2, 400), RunFacts(0, 2, 380)]


@pytest.mark.parametrize(
    ("baseline", "target", "other"),
    [
        (SAME, SAME, None),
        (SAME, [RunFacts(0, 2, 300), RunFacts(0, 3, 900)], None),
        (SAME, [RunFacts(0, 2, 400), RunFacts(1, 2, 500)], ("exceptions", 0, 1)),
        ([RunFacts(3, 2, 400)], [RunFacts(3, 2, 400)], None),
        ([RunFacts(0, 2, 400), RunFacts(1, 2, 400)], [RunFacts(2, 2, 400)], None),  # it handles them
        (SAME, [RunFacts(0, 1, 400), RunFacts(0, 1, 400)], ("profiles", 2, 1)),
        (SAME, [RunFacts(0, 2, 900), RunFacts(0, 2, 850)], ("output", 390, 875)),
        (SAME, [RunFacts(0, 2, 0), RunFacts(0, 2, 0)], ("output", 390, 0)),
        ([], [], None),
    ],
)
def test_runs_that_did_other_work(
    baseline: list[RunFacts], target: list[RunFacts], other: tuple[str, float, float] | None
) -> None:
    marked = with_other_runs(judged(from_exclusive([BASE] * 5, [BASE] * 5)), baseline, target)
    facts = marked.workloads[0].metrics[0].calibration
    assert facts.other_runs == other
    verdict = judge(marked, Policy(required=(marked.workloads[0].name,))).verdict
    assert (verdict.conclusion, verdict.exit_code) == (("inconclusive", 1) if other else ("pass", 0))


def test_exceptions_in_the_output_are_counted() -> None:
    output = "part 1\nTraceback (most recent call last):\n  File x\nOSError: full\npy-spy> Wrote file\n"
    assert facts_of(Outcome(1, output=output, size=9000), 2) == RunFacts(1, 2, 9000)
