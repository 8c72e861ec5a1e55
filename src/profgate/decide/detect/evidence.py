"""Calibrated tests of all comparisons in a report: permutation tests, base job comparisons or exact comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from profgate.compare.comparability import differing_facts
from profgate.decide.detect.cost_left import cost_left
from profgate.decide.detect.location_costs import (
    SELF,
    SUBTREE,
    TOTAL,
    Costs,
    between_sides,
    broad_costs,
    costs_of,
    suspects_of,
)
from profgate.decide.detect.permutation import (
    POWER,
    PRIOR_WEIGHT,
    Observed,
    Rows,
    blocks_of,
    jointly_tested,
    tested_with_jobs,
    visible_factor,
)
from profgate.model.arrays import BoolArray, FloatArray, finite, means, quantile
from profgate.model.calibration import Calibration, Inconclusive, TestMode
from profgate.model.comparison import Comparison, RunValues, sample_counts
from profgate.model.levels import (
    FEWEST_JOBS,
    FEWEST_SAMPLES,
    GATE_SHARE,
    LISTED,
    OWN_FLOOR,
    RED,
    START,
    TOTAL_FLOOR,
    VISIBLE,
    VISIBLE_SHARE,
    job_margin,
    listing_margin,
)
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record, replace
from profgate.model.units import MetricKind
from profgate.statistics.t_tests import critical_t

if TYPE_CHECKING:
    from profgate.model.measurement import Look

FAR = 12.0  # value of `Evidence.distance` for an exact change

Visible = tuple[float | None, float | None]  # smallest visible changes of the total and of a function of 10 %


class InTurns(NamedTuple):
    """What a measurement in turns adds to its evidence. The arrays have one element per location.

    ``level`` is the significance level that a certain change reaches. The 95 % confidence interval of the change is
    from ``low`` to ``high``, and a certain change is at least ``least``, as fractions of the baseline's cost. The
    interval of a new function is a fraction of the run, and its ``least`` is NaN. ``bar`` is the number of standard
    errors that a change must reach.
    """

    level: float
    low: FloatArray
    high: FloatArray
    least: FloatArray
    bar: float


class Evidence(Record, eq=False):
    """Test results of one comparison. The arrays have one element per location in ``costs``.

    ``p`` is the p value, adjusted for all tests of the family (NaN for base jobs), ``t`` is the statistic,
    ``difference`` is target minus baseline, and ``distance`` is the statistic divided by the gate threshold. ``bound``
    is the largest relative difference of a base job (NaN without base jobs). ``listed`` and ``certain`` mark the
    changes that reach the thresholds of the report and the gate, respectively. ``suspect`` marks the locations whose
    changes are reported. ``turns`` is None except for a measurement in turns.
    """

    costs: Costs
    mode: TestMode
    p: FloatArray
    t: FloatArray
    difference: FloatArray
    error: FloatArray
    distance: FloatArray
    bound: FloatArray
    listed: BoolArray
    certain: BoolArray
    calibration: Calibration
    suspect: BoolArray
    turns: InTurns | None = None


def evidence_of(comparisons: Sequence[Comparison], *, interleaved: bool = False) -> list[Evidence | Reason]:
    """Test all comparisons of a report. Return the results, or reasons for having none."""
    return [task() for task in evidence_tasks(comparisons, interleaved=interleaved)]


def evidence_tasks(
    comparisons: Sequence[Comparison],
    *,
    interleaved: bool,
    run: Callable[[list[Any]], list[Any]] | None = None,
    look: Look | None = None,
) -> list[Callable[[], Evidence | Reason]]:
    """Return one function per comparison that computes the comparison's result.

    Several processes can share the work by calling different functions. ``run`` calls a list of functions and returns
    their results in the same order. ``look`` sets the significance level and the suspects of a measurement in turns.
    """
    tasks: dict[int, Callable[[], Evidence | Reason]] = {}
    alike: dict[tuple[int, int], list[int]] = {}
    for number, comparison in enumerate(comparisons):
        if (obstacle := untestable(comparison)) is not None:
            tasks[number] = partial(Reason, ReasonCode.CANNOT_TEST, {"case": obstacle})
        else:
            alike.setdefault((comparison.runs.baseline, comparison.runs.target), []).append(number)
    for sides, places in alike.items():
        together = [comparisons[number] for number in places]
        measuring = [partial(costs_of, comparison, interleaved=interleaved) for comparison in together]
        costs: list[Costs] = run(measuring) if run else [measure() for measure in measuring]
        rows = list(starmap(_rows, zip(together, costs, strict=True)))
        suspects = [suspects_of(look, *pair) for pair in zip(together, costs, strict=True)]
        level = RED if look is None else look.level / len(alike)
        tested = jointly_tested(rows, sides, level, suspects, blocks_of(*sides, interleaved=interleaved))
        rises = tested.last[0]
        family = Calibration(family=f"{sides[0]}+{sides[1]}", splits=len(rises), interleaved=interleaved)
        known = family, float(quantile(rises, 1.0 - RED)), visible_factor(rises, LISTED)
        test = partial(_by_splits, look, level, *known)
        results = zip(together, costs, tested.seen, tested.p, suspects, strict=True)
        tasks |= dict(zip(places, (partial(test, *result) for result in results), strict=True))
    return [tasks[number] for number in range(len(comparisons))]


def run_values(comparison: Comparison, *, interleaved: bool = False) -> RunValues | None:
    """Return the costs of each run as they are tested, or None if the comparison cannot be tested."""
    if untestable(comparison) is not None:
        return None
    costs = _tested_costs(comparison, interleaved=interleaved)
    rows: dict[int, dict[int, FloatArray]] = {}
    for kind in (SELF, SUBTREE):
        rows[kind] = {int(costs.symbol[row]): costs.values[row] for row in np.flatnonzero(costs.kind == kind)}
    earlier = costs.values.shape[1] - comparison.runs.baseline - comparison.runs.target
    broad = broad_costs(comparison, costs, base_jobs=earlier > 0)
    waiting = bool(comparison.waiting.any())
    return RunValues(costs.values[-1], rows[SELF], rows[SUBTREE], broad, costs.factors, earlier, waiting)


def untestable(comparison: Comparison) -> str | None:
    """Return the case of `ReasonCode.CANNOT_TEST` for which a comparison cannot be tested, or None."""
    if (comparison.run_totals <= 0).any():
        return "zero_total"
    return "negative_values" if (comparison.self_value < 0).any() else None


def _tested_costs(comparison: Comparison, *, interleaved: bool = False) -> Costs:
    return costs_of(comparison, base_jobs=_by_jobs(comparison, interleaved=interleaved), interleaved=interleaved)


def _by_splits(
    look: Look | None,
    level: float,
    family: Calibration,
    bar: float,
    factor: float,
    comparison: Comparison,
    costs: Costs,
    seen: Observed,
    p: FloatArray,
    suspect: BoolArray,
) -> Evidence:
    """Return the evidence of one comparison in a family with the gate threshold ``bar`` and this `visible_factor`."""
    interleaved, runs = bool(family.interleaved), comparison.runs
    calibration = replace(
        family,
        different_jobs=_different_jobs(comparison) and not interleaved,
        unlike=None if interleaved else differing_facts(comparison),
        base_jobs=runs.base_job_count,
    )
    columns = p, seen.t, seen.difference, seen.error, _distance(seen.t, bar), np.full(len(p), np.nan)
    evidence = Evidence(costs, "runs", *columns, p <= max(LISTED, level), p <= level, calibration, suspect)
    if look is not None:
        # an exact count does not depend on the placement of the code
        look = replace(look, placement=0.0) if comparison.metric.kind is MetricKind.COUNTED else look
        evidence = _in_turns(evidence, look, level, bar, runs.baseline, runs.target)
    visible = _visible(evidence, factor, look)
    if _by_jobs(comparison, interleaved=interleaved):
        evidence, visible = _with_jobs(comparison, evidence, visible)
    return _finished(comparison, evidence, visible)


def _in_turns(evidence: Evidence, look: Look, level: float, bar: float, baseline: int, target: int) -> Evidence:
    """Return the evidence of runs that were measured in turns, of which each side has these numbers."""
    costs = evidence.costs
    before = costs.values[:, :baseline].mean(axis=1)
    whole = np.where(before > 0, before, costs.whole)  # a new function is compared with the run
    change, error = evidence.difference / whole, evidence.error / whole
    width = critical_t(0.05, baseline + target + PRIOR_WEIGHT - 2.0) * error
    least = np.where(before > 0, look.deviations * np.hypot(error, look.placement), np.nan)
    return replace(
        evidence,
        certain=evidence.certain & ~(np.abs(change) < least),
        turns=InTurns(level, change - width, change + width, least, bar),
        calibration=replace(evidence.calibration, family=None, measured=True),
    )


def _distance(t: FloatArray, bar: float) -> FloatArray:
    """Return the statistic of each location divided by the gate threshold."""
    return np.abs(t) / bar if bar > 0 else np.where(t != 0.0, FAR, 0.0)


def _different_jobs(comparison: Comparison) -> bool:
    """Return whether times are of different jobs or, if these are unknown, whether other base runs exist."""
    runs = comparison.runs
    if comparison.metric.kind is MetricKind.COUNTED:
        return False
    if runs.baseline_jobs is None or runs.target_jobs is None:
        return runs.noise > 0
    jobs = [facts.job for facts in comparison.facts]
    return jobs[0] != jobs[1]


def _by_jobs(comparison: Comparison, *, interleaved: bool) -> bool:
    if interleaved or not _different_jobs(comparison):
        return False
    return comparison.runs.base_job_count >= FEWEST_JOBS


def _rows(comparison: Comparison, costs: Costs) -> Rows:
    """Return the tested costs and the minimum sizes of changes. A count may change by a small part of a function."""
    total = costs.kind == TOTAL
    floor = np.where(total, 0.0, GATE_SHARE * costs.whole)
    if (comparison.metric.kind, comparison.metric.unit) == (MetricKind.SAMPLED, "nanoseconds"):
        # A profiler that attaches late misses a function by its share of the run. If another one grows, this share
        # falls and less is missed, so that the function seems to cost more.
        before, after = comparison.runs.means(costs.values[:, -len(comparison.run_totals) :].T)
        against = np.sign(after - before) * (before / before[-1] - after / after[-1])
        floor += START / comparison.metric.scale * np.maximum(against, 0.0)
    own = 0.0 if comparison.metric.kind is MetricKind.COUNTED else OWN_FLOOR
    return Rows(costs.values, costs.sampling, floor, np.where(total, TOTAL_FLOOR, own))


def _keys(costs: Costs, difference: FloatArray) -> FloatArray:
    """Return a number for each location and the direction of its change."""
    return np.asarray(np.sign(difference) * (3 * (costs.symbol + 2) + costs.kind))


def _with_jobs(comparison: Comparison, alone: Evidence, visible: Visible) -> tuple[Evidence, Visible]:
    """Compare the target with the base jobs, and return the evidence and the smallest visible changes.

    ``alone`` and ``visible`` are the results of the permutation test of both sides. Its changes are listed if they
    exceed the differences between the base jobs by the margin.
    """
    costs, sampled = _tested_costs(comparison), comparison.metric.kind is MetricKind.SAMPLED
    test = tested_with_jobs(costs.values, _rows(comparison, costs), comparison.runs, costs.values[-1], sampled=sampled)
    margin, size, change = listing_margin(test.jobs), np.abs(test.t), np.abs(test.difference)
    distance = _distance(test.t, job_margin(test.jobs) * test.largest)
    by_jobs = (size > margin * test.largest) & (change > test.bound) & (size > 0)
    changed = _keys(alone.costs, alone.difference)[alone.listed]
    by_runs = np.isin(_keys(costs, test.difference), changed) & (change > margin * test.bound)
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.where(test.before > 0, test.bound / test.before, np.inf)
    evidence = Evidence(
        costs=costs,
        mode="jobs",
        p=np.full(len(size), np.nan),
        t=test.t,
        difference=test.difference,
        error=test.error,
        distance=distance,
        bound=bound,
        listed=by_jobs | by_runs,
        certain=by_jobs & (distance > 1.0),
        suspect=np.ones(len(size), np.bool_),
        calibration=Calibration(base_jobs=test.jobs, largest=test.largest, margin=job_margin(test.jobs)),
    )
    of_jobs = _visible(evidence, margin * test.largest + POWER)
    total, tenth = (min(filter(None, pair), default=None) for pair in zip(visible, of_jobs, strict=True))
    return evidence, (total, tenth)


def _finished(comparison: Comparison, evidence: Evidence, visible: Visible) -> Evidence:
    """Add the changes of equal counts and the smallest visible changes to the evidence and return it."""
    counted = _of_equal_runs(comparison, evidence)
    samples, (total, tenth) = sample_counts(comparison), visible
    factor = between_sides(evidence.costs.factors, comparison.runs.target)
    undecided = None if counted is not None else _inconclusive(samples, total, tenth)
    # a baseline of few samples may differ so much by chance
    few = samples is not None and samples[0] < FEWEST_SAMPLES
    left, fewer_calls = (None, None) if few else cost_left(comparison)
    undecided = undecided if left is None else "other_work"
    calibration = replace(
        evidence.calibration,
        state="tested",
        mode=evidence.mode,
        exact=counted is not None,
        common_factor=factor,
        visible_total=_visible_total(evidence, total),
        visible_tenth=tenth,
        samples_baseline=samples and samples[0],
        samples_target=samples and samples[1],
        inconclusive=undecided,
        cost_left=left,
        fewer_calls=fewer_calls,
    )
    if counted is None:
        return replace(evidence, calibration=calibration)
    changed, listed = counted
    return replace(
        evidence,
        mode="exact",
        p=np.where(changed, 0.0, evidence.p),
        distance=np.where(changed, FAR, evidence.distance),
        listed=evidence.listed | listed,
        certain=evidence.certain | changed,
        calibration=calibration,
    )


def _visible_total(evidence: Evidence, total: float | None) -> float | None:
    """Return the smallest visible change of the total, beyond the differences between jobs, or None if unknown."""
    facts = evidence.calibration
    if evidence.mode == "jobs" and total is not None:
        return max(total, listing_margin(facts.base_jobs or 0) * float(evidence.bound[-1]))
    return None if facts.different_jobs else total


def _of_equal_runs(comparison: Comparison, evidence: Evidence) -> tuple[BoolArray, BoolArray] | None:
    """Return masks of the certain and the listed changes of counts, or None if the runs of a side differ in the total.

    A change is certain if the location's runs are equal on each side, too, and listed if it is larger than their
    differences.
    """
    runs = comparison.runs
    # a single run of a side does not show whether counts are reproducible
    if comparison.metric.kind is not MetricKind.COUNTED or min(runs.baseline, runs.target) < 2:
        return None
    values = evidence.costs.values[:, -(runs.baseline + runs.target) :]
    before, after = values[:, : runs.baseline], values[:, runs.baseline :]
    spread = np.maximum(np.ptp(before, axis=1), np.ptp(after, axis=1))
    # runs of a side are equal if they differ by at most 0.01 % of the run
    equal = spread <= 0.0001 * evidence.costs.whole
    if not equal[-1]:
        return None
    sides = means(before), means(after)
    change = np.abs(sides[1] - sides[0])
    rows = _rows(comparison, evidence.costs)
    large = (change >= rows.floor) & (change >= rows.own * np.minimum(*sides)) & (change > spread)
    return np.asarray(equal & large), np.asarray(large)


def _visible(evidence: Evidence, factor: float, look: Look | None = None) -> Visible:
    """Return the smallest relative changes that can be found in the total and in a function with a share of 10 %.

    A change must reach ``factor`` standard errors, and what the look needs.
    """

    def smallest(error: float) -> float:
        least = 0.0 if look is None else look.deviations * float(np.hypot(error, look.placement))
        return max(factor * error, least)

    costs = evidence.costs
    total = smallest(float(evidence.error[-1]) / float(means(costs.values[-1])))
    at = VISIBLE_SHARE * costs.whole
    error = quantile(evidence.error / np.sqrt(costs.sampling), 0.5) * np.sqrt(costs.variance_at(np.array([at])))[0]
    tenth = max(OWN_FLOOR, GATE_SHARE / VISIBLE_SHARE, smallest(float(error) / at))
    return finite(max(TOTAL_FLOOR, total)), finite(tenth)


def _inconclusive(samples: tuple[float, float] | None, total: float | None, tenth: float | None) -> Inconclusive | None:
    """Return the reason code if these runs are inconclusive, otherwise None."""
    if samples is not None and min(samples) < FEWEST_SAMPLES:
        return "too_few_samples"
    if total is None:
        return "too_few_runs"
    seen = total <= VISIBLE or (tenth is not None and tenth <= VISIBLE)
    return None if seen else "cannot_see"
