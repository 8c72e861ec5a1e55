"""Strategies that need more than one comparison: the order of durations in a report, and the history of a branch."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from profgate.decide.detect.strategy import UNSUITED_FLAG, WithoutRows, resolved
from profgate.model.change import Change, Context, Kind, Location, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.durations import DurationTable, RankCheck
from profgate.model.record import replace
from profgate.statistics.rank_checks import RankRules, check, distinct


class StableRanks(WithoutRows):
    """Finds changes in the order of tests or workloads by duration.

    The strategy counts how many ranks are stable from run to run (Copeland and Haemer, 2011) and finds changes that
    affect some tests but not others. The strategy works on the results of test runs with 30 or more tests, or on 30 or
    more workloads. The strategy needs three or more baseline runs, which may include base runs of other commits and
    runs from the history. A uniform change does not affect ranks, so runs from different machines may be compared. The
    confidence is the distance from the mean count, in sigmas. Sigma is the square root of the mean, which is an upper
    bound, or the standard deviation observed in five or more baseline runs. The strategy reports at most a possible
    change and has no vote. The strategy does not find a slowdown of all tests, or of a test that overtakes only a few
    others, because the count of stable ranks hardly changes. If hardly any rank is stable in the baseline, the count
    cannot fall below its lower threshold, and the result is inconclusive.
    """

    name = "stable_ranks"
    short = "ranks"
    family = "R"
    needed = "report_needed"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("width", 2.0, "sigmas from the mean count up to which there is no change", 0.5, 100.0),
        OptionSpec("sigma", "poisson", "source of sigma", choices=("poisson", "observed")),
        OptionSpec("min_tests", 30, "fewer tests or workloads are not tested", 2, 1_000_000),
    )

    def detect_all(
        self,
        comparisons: Sequence[Comparison],
        options: Mapping[str, Any],
        context: Context,  # noqa: ARG002
    ) -> tuple[Change, ...]:
        """Return one change for all tests, or one change per metric for workloads without test results."""
        chosen = resolved(self, options)
        rules = RankRules(float(chosen["width"]), chosen["sigma"], int(chosen["min_tests"]))
        changes = []
        tests = list(filter(None, (comparison.attached(DurationTable) for comparison in comparisons)))
        if tests:
            changes.append(self._change("all tests", check(one_table(tests), rules)))
        workloads: dict[tuple[str, str], list[DurationTable]] = {}
        for comparison in comparisons:
            metric = comparison.metric
            if comparison.attached(DurationTable) is None and metric.better == "lower":
                workloads.setdefault((metric.name, metric.unit), []).append(_whole(comparison))
        for (name, _), tables in workloads.items():
            place = "all workloads" if len(workloads) == 1 else f"all workloads, {name}"
            few = len(tables) < rules.min_tests
            changes.append(self._change(place, check(one_table(tables), rules), (UNSUITED_FLAG,) if few else ()))
        return tuple(changes)

    def _change(self, place: str, found: RankCheck, flags: tuple[str, ...] = ()) -> Change:
        mean, count = found.mean, found.count
        return Change(
            strategy=self.name,
            family=self.family,
            kind=_kind(found).word,
            subtype="ranks",
            location=Location(place),
            from_value=mean,
            to_value=count,
            delta=None if count is None or mean is None else count - mean,
            relative=count / mean - 1.0 if count is not None and mean else None,
            share_from=None,
            share_to=None,
            confidence_type="sigma",
            confidence=found.distance,
            reason=found.result,
            details=replace(found, moved=found.moved[:5]),
            flags=flags,
        )


def _kind(found: RankCheck) -> Kind:
    if found.order == "kept":
        return Kind.NO_CHANGE
    if found.order != "below" or found.direction == "unknown":
        return Kind.UNKNOWN
    return Kind.MAYBE_DEGRADATION if found.direction == "slower" else Kind.MAYBE_OPTIMIZATION


def _whole(comparison: Comparison) -> DurationTable:
    """Return a table with the workload as a single test. Base runs of other commits count as baseline runs."""
    totals, noise, split = comparison.run_totals, comparison.noise.run_totals, comparison.runs.baseline
    values = np.concatenate([totals[:split], noise, totals[split:]])[:, None] * comparison.metric.scale
    baselines = split + len(noise)
    labels = [f"run {number}" for number in range(len(values))]
    return DurationTable([comparison.workload], labels, values, baselines, comparison.metric.unit)


def one_table(tables: Sequence[DurationTable]) -> DurationTable:
    """Join the tests of workloads. Values are missing if the runs or the unit differ from those of most workloads."""
    if len(tables) == 1:
        return tables[0]
    shapes = [(table.baselines, len(table.labels), table.unit) for table in tables]
    times = Counter(shapes)
    shape = max(times, key=lambda shape: (times[shape], shape))
    first = tables[shapes.index(shape)]
    parts = [
        table.values if own == shape else np.full((len(first.labels), len(table.names)), math.nan)
        for table, own in zip(tables, shapes, strict=True)
    ]
    names = distinct(name for table in tables for name in table.names)
    return DurationTable(names, first.labels, np.concatenate(parts, axis=1), first.baselines, first.unit)


class ChangePoint(WithoutRows):
    """Finds persistent changes in a workload's total along the base branch.

    The strategy uses the E-divisive algorithm (Matteson and James, 2014) with its permutation test, followed by Welch's
    t test between neighbouring segments. A slow change is reported as several steps. The strategy works on the history
    alone. It is used in `profgate trends`, for the base runs of the action, and to find the runs since the last change,
    from which the noise of every comparison is estimated. The confidence is Welch's two-sided p value. The strategy
    needs four commits before and after the change, so it never judges a pull request. The strategy does not find
    changes below 2 % or changes that are reverted within four commits. The strategy cannot distinguish a code change
    from a simultaneous change of machine.
    """

    name = "change_point"
    short = "cp"
    family = "T"
    needed = "history_needed"
    options: tuple[OptionSpec, ...] = ()
