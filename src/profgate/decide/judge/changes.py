"""Build the report on one metric from the detections of the strategies, with locations, call paths and causes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial

import numpy as np

from profgate.decide.judge.explaining import causes_of, changed_parts, location_of
from profgate.decide.judge.findings import UNAFFECTED, drafts_of
from profgate.model.arrays import FloatArray, finite
from profgate.model.attribution import SourceStates
from profgate.model.calibration import Calibration
from profgate.model.change import COLLECTORS, RANKS, WORSE, Change, Detection, Kind, Location
from profgate.model.comparison import WHOLE, Causes, Comparison
from profgate.model.levels import SUSPECT_SHARE, SUSPECTS
from profgate.model.reason import Reason, ReasonCode, as_reason, without_repeats
from profgate.model.record import Record, replace
from profgate.model.report import (
    TOTAL,
    Attribution,
    Finding,
    FunctionCosts,
    MetricReport,
    Total,
    WorkloadReport,
    draft_of,
)

LISTED_CHANGES = 2000  # maximum number of listed changes for each strategy; further changes are only counted
LISTED_CONTEXTS = 200  # lower maximum for calling contexts, because each listed change includes a call path
LISTED_IN_REPORT = 20_000  # maximum for each strategy in all metrics together; a metric lists at least one change
NEW_COST_SHARE = 0.001  # new and gone locations with smaller shares of the run on both sides are only counted
NO_CHANGE, UNKNOWN, ADDED, REMOVED = (
    int(kind) for kind in (Kind.NO_CHANGE, Kind.UNKNOWN, Kind.NOT_IN_BASELINE, Kind.NOT_IN_TARGET)
)  # comparing an array with an enumeration is ten times slower
_UNTESTED = Calibration()
CODES = np.array(sorted(Kind), dtype=np.int64)
RANK_BY_CODE = np.array([RANKS[kind] for kind in sorted(Kind)], dtype=np.int64)


def location_in(comparison: Comparison, detection: Detection, row: int) -> Location:
    """Return the location of a row: a symbol, a calling context, a module or the whole workload."""
    symbol = int(detection.symbol[row])
    if symbol == WHOLE:
        return TOTAL
    if symbol < 0:
        module = detection.labels[row]
        return Location(module or "(no module)", module=module or None)
    location = location_of(comparison, symbol)
    if detection.node is None:
        return location
    return replace(location, context=comparison.path_to(int(detection.node[row])))


class _Sums(Record, eq=False):
    """The mean value of each symbol and the mean total, as (baseline, target) in stored units."""

    exclusive: tuple[FloatArray, FloatArray]
    inclusive: tuple[FloatArray, FloatArray]
    totals: tuple[float, ...]


def _rows(
    detection: Detection, sums: _Sums, *, verbose: bool, dearer: int
) -> tuple[FloatArray, list[int], Counter[str]]:
    """Return the shares of all rows on both sides, the listed rows in output order, and counts of the other rows.

    If no row is listed, the shares may be empty.
    """
    kinds, calibration = detection.kind, detection.calibration
    undecided = calibration is not None and calibration.inconclusive is not None
    nets = detection.result.fields.get("net", ()) if detection.result else ()
    relocated = np.array([net == "moved" for net in nets]) if "moved" in nets else False
    counts, unchanged, unknown = Counter(detection.counts), kinds == NO_CHANGE, kinds == UNKNOWN
    counts["no_change"] += int(np.count_nonzero(unchanged))
    counts["unknown"] += int(np.count_nonzero(unknown))
    listed = verbose | relocated | ~(unchanged | unknown)
    if not undecided and not listed.any():  # most detections are so
        return np.zeros((2, 0)), [], counts
    with np.errstate(divide="ignore", invalid="ignore"):
        shares = np.stack([detection.from_value, detection.to_value]) / np.array(sums.totals)[:, None]
    # some values are no parts of the totals
    shares[:, (detection.symbol == WHOLE) | (not detection.shares)] = np.nan
    if not verbose:
        one_sided = ((kinds == ADDED) | (kinds == REMOVED)) & (detection.node is None)
        small = one_sided & (np.fmax(*np.abs(shares)) < NEW_COST_SHARE)
        counts["small"] = int(np.count_nonzero(small))
        listed &= ~small
    growth = dearer * (shares[1] - shares[0])
    if undecided:
        grown = (growth > 0) & (np.fmax(*shares) >= SUSPECT_SHARE)
        most = np.sort(growth[grown])[-SUSPECTS:].min(initial=np.inf)
        listed |= grown & (growth >= most) & (dearer * (detection.to_value - detection.from_value) > 0)
    rows = np.flatnonzero(listed)
    # of contexts that changed alike, the last function of a call chain before its callers
    place = detection.symbol[rows] if detection.node is None else -detection.node[rows]
    moved, rank = np.abs(growth[rows]), RANK_BY_CODE[np.searchsorted(CODES, kinds[rows])]
    rows = rows[np.lexsort((place, -np.where(np.isnan(moved), 0.0, moved), rank))]
    limit = LISTED_CHANGES if detection.node is None else LISTED_CONTEXTS
    counts["cut"] = max(0, len(rows) - limit)
    return shares, rows[:limit].tolist(), counts


def _draft(
    comparison: Comparison, sums: _Sums, states: SourceStates | None, causes: Causes | None, symbol: int
) -> Finding:
    """Return a finding without a result for a symbol, with its costs and attribution."""
    sides = (*sums.exclusive, *sums.inclusive)
    own = (finite(float(side[symbol]) * comparison.metric.scale) for side in sides)
    costs, attribution = FunctionCosts(*own, **_calls(comparison, symbol)), _attribution(comparison, states, symbol)
    if causes is not None and causes.library.issuperset({symbol, *(int(end[symbol]) for end in causes[:2])}):
        attribution = replace(attribution, library=True)
    return draft_of(location_of(comparison, symbol), costs, attribution)


def _attribution(comparison: Comparison, states: SourceStates | None, symbol: int) -> Attribution:
    if states is None:
        return Attribution()
    source = states.states[symbol]
    path = None if states.paths[symbol] == comparison.symbols.files[symbol] else states.paths[symbol]
    attribution = Attribution(None if source == "unknown" else source, states.links[symbol] or None, path)
    return (
        replace(attribution, reach=states.reach[symbol], reach_path=states.through[symbol] or None)
        if states.reach
        else attribution
    )


def _calls(comparison: Comparison, symbol: int) -> dict[str, float]:
    """Return the mean number of calls per run, and its range within a side, if the profiles count calls."""
    if comparison.edges is None or comparison.edges.run_calls is None:
        return {}
    calls, split = comparison.edges.run_calls[:, symbol], comparison.runs.baseline
    before, after = map(float, comparison.runs.means(calls))
    spread = float(max(np.ptp(calls[:split]), np.ptp(calls[split:])))
    return {"calls_from": before, "calls_to": after, "calls_range": spread}


def _change(comparison: Comparison, detection: Detection, shares: FloatArray, row: int) -> Change:
    scale = comparison.metric.scale
    from_value, to_value = (finite(float(side[row]) * scale) for side in (detection.from_value, detection.to_value))
    delta = None if from_value is None or to_value is None else to_value - from_value
    relative = None if delta is None or not from_value else finite(delta / from_value)
    symbol = int(detection.symbol[row])
    label, reason = detection.labels[row], detection.reasons[row]
    return Change(
        strategy=detection.strategy,
        family=detection.family,
        kind=Kind(int(detection.kind[row])).word,
        subtype=(label if symbol >= 0 else "") or detection.subtype,
        location=location_in(comparison, detection, row),
        from_value=from_value,
        to_value=to_value,
        delta=delta,
        relative=relative if detection.relative is None else finite(float(detection.relative[row])),
        share_from=finite(float(shares[0, row])),
        share_to=finite(float(shares[1, row])),
        confidence_type=detection.confidence_types[row],
        confidence=finite(float(detection.confidence[row])),
        reason=None if reason is None else as_reason(reason),
        flags=tuple(filter(None, (detection.flags[row],))),
        result=detection.result.at(row) if detection.result else None,
        details=detection.details.at(row) if detection.details else None,
    )


def _total(comparison: Comparison, sums: _Sums) -> Total:
    baseline, target = (finite(value * comparison.metric.scale) for value in sums.totals)
    if baseline is None or target is None:
        return Total(baseline, target, None, None)
    delta = target - baseline
    return Total(baseline, target, delta, finite(delta / baseline) if baseline else None)


def _calibration(comparison: Comparison, detections: Sequence[Detection]) -> Calibration:
    """Return the facts about the statistical tests that are needed for the verdict."""
    runs = comparison.runs
    tested = [detection.calibration for detection in detections if detection.calibration is not None]
    calibration = next((calibration for calibration in tested if calibration.state is not None), _UNTESTED)
    totals = comparison.run_totals.astype(np.float64).tolist()
    sides = totals[: runs.baseline], totals[runs.baseline :]
    spreads = [max(side) / min(side) for side in sides if side and min(side) > 0]
    return replace(
        calibration,
        run_spread=max(spreads, default=None),
        base_jobs=calibration.base_jobs or runs.base_job_count,
        jobs_elsewhere=runs.elsewhere or None,
        total_tested=any(calibration.total_tested for calibration in tested) or None,
        known_share=_shared_names(comparison),
        undirected=True if not comparison.metric.directed else None,
    )


def _shared_names(comparison: Comparison) -> float | None:
    """Return the cost share of the functions that exist on both sides, or None if it is not small.

    The share is that of the side where it is larger: new functions alone do not make the sides different.
    """
    split, both = comparison.runs.baseline, comparison.present.all(axis=0)
    shares = []
    for runs in (comparison.self_value[:split], comparison.self_value[split:]):
        cost = runs.sum(axis=0, dtype=np.float64)
        shares.append(float(cost[both].sum() / whole) if (whole := cost.sum()) > 0 else 1.0)
        # the cost share of functions that exist on both sides is reported if smaller than this
        if shares[-1] >= 0.5:
            return None
    return max(shares)


def _reasons(detections: Iterable[Detection]) -> tuple[Reason, ...]:
    """Return the reasons why strategies could not test the metric."""
    return tuple(
        Reason(ReasonCode.STRATEGY_UNTESTED, {"strategy": detection.strategy}, (as_reason(reason),))
        for detection in detections
        for reason in detection.not_tested
    )


def metric_report(
    comparison: Comparison,
    detections: Sequence[Detection],
    *,
    verbose: bool = False,
    states: SourceStates | None = None,
    causes: Causes | None = None,
    requested: bool = False,
) -> MetricReport:
    """Return the report on one metric with its changes in base units. The findings are drafts until they are judged.

    If ``requested`` is true, the configuration names the strategies, so strategies that do not apply to the profiles
    are also listed. If ``states`` is given, the drafts contain how the pull request affects each function.

    NoChange and Unknown rows are always counted, but listed only if ``verbose`` is true, if the cost of the row moved,
    or if the result is inconclusive and the row is one of the few functions whose share of the run grew most. Each
    strategy lists at most 2,000 changes, or 200 changes in calling contexts; ``counts["cut"]`` is the number of changes
    omitted because of these limits. ``counts["small"]`` is the number of new and gone locations with less than 0.1 % of
    the run. If a note blocks the comparison, or if a test of the gate raised an exception, the metric is "not compared"
    and has no changes.
    """
    metric, runs = comparison.metric, comparison.runs
    totals = runs.means(comparison.run_totals)
    sums = _Sums(runs.means(comparison.self_value), runs.means(comparison.total_value), tuple(map(float, totals)))
    failed = [detection for detection in detections if detection.family == "T" and detection.failed]
    blocking = (*(note.reason for note in comparison.notes if note.blocks), *_reasons(failed))
    report = partial(
        MetricReport,
        name=metric.name,
        unit=metric.unit,
        better=metric.better,
        kind=str(metric.kind),
        state="not compared" if blocking else "compared",
        runs={"baseline": runs.baseline, "target": runs.target, "noise": runs.noise},
        total=_total(comparison, sums),
        findings=(),
    )
    if blocking:
        return report(counts={"no_change": 0, "unknown": 0}, not_tested=blocking)
    changes, listed, growths, counts = _listed(comparison, detections, sums, verbose=verbose)
    unsuited = [detection for detection in detections if detection.unsuited and not requested]
    draft = partial(_draft, comparison, sums, states, causes)
    found = () if causes is None else causes_of(comparison, causes, listed, draft)
    reaches = () if states is None else states.reach
    reach = reaches[0] if len(set(reaches)) == 1 and reaches[0] in UNAFFECTED else None
    of_total = draft_of(TOTAL, attribution=Attribution(reach=reach))
    return report(
        unjudged=drafts_of(changes, (of_total, *map(draft, sorted(listed)))),
        counts=counts,
        not_tested=_reasons(detection for detection in detections if detection not in unsuited),
        unsuited=_reasons(unsuited),
        calibration=_calibration(comparison, detections),
        renamed=tuple(_renamed(comparison, sums)),
        causes=found,
        parts=changed_parts(comparison, growths),
        lacks=None if comparison.tree is not None else "stacks" if comparison.drawable else "calls",
    )


def _renamed(comparison: Comparison, sums: _Sums) -> Iterator[tuple[Location, Location]]:
    """Yield the pairs of old and new names, except of functions so small that a sample of either may be missing.

    Otherwise, ``IPv4Address`` in one sample of one side and ``IPv6Address`` in one of the other would be named.
    """
    for row, old in sorted(comparison.renamed.items()):
        costs = zip(sums.inclusive, sums.totals, strict=True)
        if any(total and cost[row] >= 0.01 * total for cost, total in costs):  # as for groups
            yield Location(*old), location_of(comparison, row)


def _listed(
    comparison: Comparison,
    detections: Sequence[Detection],
    sums: _Sums,
    *,
    verbose: bool,
) -> tuple[tuple[Change, ...], set[int], dict[int, float], dict[str, int]]:
    """Return the listed changes, their symbols, the growth of tested total costs, and counts of unlisted rows."""
    counts: Counter[str] = Counter({"no_change": 0, "unknown": 0, "cut": 0, "small": 0, "failed": 0})
    changes: list[Change] = []
    listed: set[int] = set()
    growths: dict[int, float] = {}
    dearer = 1 if comparison.metric.better == "lower" else -1
    for detection in detections:
        judged = detection.result.fields.get("judged", "") if detection.result else ""
        shares, rows, others = _rows(detection, sums, verbose=verbose, dearer=dearer)
        counts.update(others)
        counts["failed"] += detection.failed
        for row in rows:
            symbol = int(detection.symbol[row])
            changes.append(_change(comparison, detection, shares, row))
            listed |= {symbol} if symbol >= 0 else set()
            if judged and (judged[row] == "subtree" or comparison.symbols.names[symbol] in COLLECTORS):
                moved = abs(float(detection.to_value[row] - detection.from_value[row]))
                growths[symbol] = moved * dearer * (1 if detection.kind[row] in WORSE else -1)
    return tuple(changes), listed, growths, dict(counts)


def within_limit(metrics: Sequence[MetricReport]) -> list[MetricReport]:
    """Return the metrics with at most 20,000 listed changes for each strategy. Each metric keeps at least one."""
    if sum(len(draft.changes) for metric in metrics for draft in metric.unjudged) <= LISTED_IN_REPORT:
        return list(metrics)
    most = max(1, LISTED_IN_REPORT // sum(bool(metric.unjudged) for metric in metrics))
    return [_cut(metric, most) for metric in metrics]


def _cut(metric: MetricReport, most: int) -> MetricReport:
    listed: Counter[str] = Counter()
    changes = []
    for change in metric.changes:
        listed[change.strategy] += 1
        if listed[change.strategy] <= most:
            changes.append(change)
    counts = {**metric.counts, "cut": metric.counts.get("cut", 0) + len(metric.changes) - len(changes)}
    return replace(metric, unjudged=drafts_of(changes, metric.unjudged), counts=counts)


def workload_reports(comparisons: Sequence[Comparison], metrics: Sequence[MetricReport]) -> tuple[WorkloadReport, ...]:
    """Group the metrics by workload, in the order of the comparisons."""
    gathered: dict[str, tuple[Comparison, list[MetricReport]]] = {}
    for comparison, metric in zip(comparisons, metrics, strict=True):
        gathered.setdefault(comparison.workload, (comparison, []))[1].append(metric)
    workloads = []
    for name, (first, reports) in gathered.items():
        notes = [note.reason for note in first.notes]
        comparability = without_repeats([*notes, *first.warnings])
        workloads.append(WorkloadReport(name, comparability, tuple(reports)))
    return tuple(workloads)
