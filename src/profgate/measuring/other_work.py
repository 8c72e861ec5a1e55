"""Finds a target that did other work, by what its runs show beside their costs."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from profgate.io.processes import Outcome
from profgate.model.calibration import OtherRuns
from profgate.model.record import replace
from profgate.model.report import MetricReport, Report, WorkloadReport

EXCEPTION = "Traceback (most recent call last):"
FACTOR = 2.0  # output varies with times and messages of the profiler, but not by more


class RunFacts(NamedTuple):
    """The number of exceptions in the output of a run, of files with profiles, and of bytes of output.

    Profilers of Python succeed if their program fails, so that only its output shows it. Most tools write a file for
    each process.
    """

    exceptions: int
    profiles: int
    output: int


def facts_of(outcome: Outcome, profiles: int) -> RunFacts:
    """Return the facts of a run that stored this number of files."""
    return RunFacts(outcome.output.count(EXCEPTION), profiles, outcome.size)


def with_other_runs(report: Report, baseline: Sequence[RunFacts], target: Sequence[RunFacts]) -> Report:
    """Mark all tested metrics as undecided if the runs of the target did other work than those of the baseline."""
    found = _other_runs(baseline, target)

    def marked(_: WorkloadReport, metric: MetricReport) -> MetricReport:
        facts = metric.calibration
        if found is None or facts.state != "tested":
            return metric
        return replace(metric, calibration=replace(facts, inconclusive="other_work", other_runs=found))

    return report.with_metrics(marked)


def _other_runs(baseline: Sequence[RunFacts], target: Sequence[RunFacts]) -> OtherRuns | None:
    if not baseline or not target:
        return None
    before, after = np.array(baseline), np.array(target)
    fewest, most = RunFacts(*before.min(axis=0).tolist()), RunFacts(*before.max(axis=0).tolist())
    low, high = RunFacts(*after.min(axis=0).tolist()), RunFacts(*after.max(axis=0).tolist())
    # a baseline whose number of exceptions varies handles them
    if fewest.exceptions == most.exceptions < high.exceptions:
        return "exceptions", most.exceptions, high.exceptions
    if high.profiles < fewest.profiles:
        return "profiles", fewest.profiles, high.profiles
    if low.output > FACTOR * most.output or FACTOR * high.output < fewest.output:
        return "output", float(before[:, 2].mean()), float(after[:, 2].mean())
    return None
