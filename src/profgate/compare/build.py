"""Builds a Comparison for each metric of a workload: a common call tree, costs by run and symbol, and observations."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from profgate.compare.calls import call_edges, path_calls
from profgate.compare.columns import (
    CompareOptions,
    Forest,
    RunColumns,
    checked,
    columns_of,
    exclusive_amounts,
    factor_of,
    place_of,
    run_starts,
    runs_in,
    stored_metric,
    within_real,
)
from profgate.compare.comparability import on_other_machine
from profgate.compare.growth import cost_models
from profgate.compare.line_costs import line_costs
from profgate.compare.metrics import sample_values
from profgate.compare.significance import evidence_of
from profgate.compare.symbols import Identity, Numbering, number_symbols, waiting_symbols
from profgate.compare.timelines import side_timeline
from profgate.model.arrays import BoolArray, FloatArray, IntArray, read_only
from profgate.model.comparison import ELSEWHERE, CallEdges, Comparison, DiffTree, Note, Observations, Runs, Symbols
from profgate.model.profile import Profile
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import NotCompared
from profgate.model.units import Metric, MetricKind
from profgate.model.workload import Workload

TIMES = ("nanoseconds", "samples")  # units for which waiting functions are omitted


def number_workload(workload: Workload, options: CompareOptions) -> Numbering:
    """Number the symbols of all runs of a workload. The maps are in the order baseline, target, base runs."""
    numbering = number_symbols(
        (*workload.noise_runs, *workload.baseline_runs, *workload.target_runs),
        options.level,
        options.aliases,
        targets=len(workload.target_runs),
        policy_aliases=options.policy_aliases,
        files=options.files,
    )
    skip = len(workload.noise_runs)
    return Numbering(numbering.symbols, (*numbering.maps[skip:], *numbering.maps[:skip]))


def without_values(workload: Workload, numbering: Numbering) -> Comparison:
    """Return a Comparison with symbols but no values, which is enough to pair renamed functions."""
    count = len(numbering.symbols)
    nothing, none = np.zeros((0, count), np.int64), np.zeros(0, np.int64)
    return Comparison(
        workload=workload.name,
        configuration=workload.configuration,
        metric=workload.target_runs[0].metrics[0],
        runs=Runs(0, 0),
        symbols=numbering.symbols,
        self_value=nothing,
        total_value=nothing,
        run_totals=none,
        present=_presence(numbering, len(workload.baseline_runs), len(workload.target_runs)),
        noise_self=nothing,
        noise_totals=none,
        facts=(workload.baseline_runs[0].facts, workload.target_runs[0].facts),
    )


def compare_workload(
    workload: Workload, notes: tuple[Note, ...], options: CompareOptions, numbering: Numbering | None = None
) -> tuple[list[Comparison], list[NotCompared]]:
    """Compare each metric of both sides. If ``numbering`` is None, it is computed.

    Raises ComparisonError if the sides cannot be compared.
    """
    numbering = numbering or number_workload(workload, options)
    metrics, alone = _common_metrics(workload)
    workload, numbering, elsewhere = _on_one_machine(workload, numbering)
    waiting = waiting_symbols(numbering.symbols)
    return [_compared(workload, metric, numbering, notes, options, waiting, elsewhere) for metric in metrics], alone


def _on_one_machine(workload: Workload, numbering: Numbering) -> tuple[Workload, Numbering, int]:
    """Leave out the base runs of other commits on other machines, and return the number of base jobs there."""
    skip, target = len(numbering.maps) - len(workload.noise_runs), [profile.facts for profile in workload.target_runs]
    pairs = list(zip(workload.noise_runs, numbering.maps[skip:], strict=True))
    here = [pair for pair in pairs if not on_other_machine(pair[0].facts, target)]
    jobs = {
        profile.facts.job
        for profile in (*workload.baseline_runs, *workload.noise_runs)
        if on_other_machine(profile.facts, target)
    }
    return (
        replace(workload, noise_runs=tuple(profile for profile, _ in here)),
        replace(numbering, maps=(*numbering.maps[:skip], *(mapping for _, mapping in here))),
        len(jobs),
    )


def _compared(
    workload: Workload,
    metric: Metric,
    numbering: Numbering,
    notes: tuple[Note, ...],
    options: CompareOptions,
    waiting: BoolArray,
    elsewhere: int,
) -> Comparison:
    runs, noise = (*workload.baseline_runs, *workload.target_runs), workload.noise_runs
    symbols, baselines = numbering.symbols, len(workload.baseline_runs)
    maps, noise_maps = numbering.maps[: len(runs)], numbering.maps[len(runs) :]
    metric = stored_metric(metric, (*runs, *noise))
    waits = waiting if metric.unit in TIMES else np.zeros(len(symbols), np.bool_)
    columns, forest, rows = columns_of(runs, Numbering(symbols, maps), metric, options, waits)
    noise_self, noise_active, noise_totals = _noise(noise, noise_maps, symbols, metric, options, waits)
    records, period = _observations(runs, maps, baselines, metric), _period((*runs, *noise), metric)
    paired = list(zip(runs, maps, strict=True))
    return Comparison(
        workload=workload.name,
        configuration=workload.configuration,
        metric=metric,
        runs=_runs(workload, metric, elsewhere),
        symbols=symbols,
        self_value=read_only(columns.own),
        total_value=read_only(columns.total),
        run_totals=read_only(columns.sums),
        present=read_only(_presence(numbering, baselines, len(workload.target_runs))),
        noise_self=noise_self,
        noise_totals=noise_totals,
        noise_active=noise_active,
        waiting=read_only(waits),
        active_total=read_only(columns.active),
        period=period,
        sample_values=_sample_values(runs, metric),
        noise_sample_values=_sample_values(noise, metric),
        tree=_diff_tree(forest, runs, rows, baselines, metric, period) if forest is not None else None,
        edges=_edges(runs, maps, len(symbols), metric, baselines) if forest is None else None,
        observations=records,
        models=cost_models((paired[:baselines], paired[baselines:]), records),
        first_seen=read_only(_first_seen(workload.baseline_runs, maps[:baselines], len(symbols))),
        facts=(workload.baseline_runs[0].facts, workload.target_runs[0].facts),
        notes=notes,
        warnings=_warnings(runs, symbols, columns, forest),
        renamed=_renamed(symbols, options),
        files=options.files,
        lines=line_costs(runs, Numbering(symbols, maps), metric, forest),
    )


def _renamed(symbols: Symbols, options: CompareOptions) -> dict[int, Identity]:
    """Return the former name and file of each renamed symbol."""
    former = {new: old for old, new in options.aliases.items()}
    identities = enumerate(zip(symbols.names, symbols.files, strict=True))
    return {place: former[identity] for place, identity in identities if identity in former}


def _noise(
    runs: Sequence[Profile],
    maps: Sequence[IntArray],
    symbols: Symbols,
    metric: Metric,
    options: CompareOptions,
    waits: BoolArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the self values, the active values and the totals of base runs, as int64 arrays with one row per run."""
    found = [
        columns_of([profile], Numbering(symbols, (mapping,)), metric, options, waits)[0]
        for profile, mapping in zip(runs, maps, strict=True)
    ]
    nothing = np.zeros((0, len(symbols)), np.int64)
    return (
        read_only(np.concatenate([nothing, *(run.own for run in found)])),
        read_only(np.concatenate([nothing, *(run.active for run in found)])),
        read_only(np.concatenate([np.zeros(0, np.int64), *(run.sums for run in found)])),
    )


def _common_metrics(workload: Workload) -> tuple[list[Metric], list[NotCompared]]:
    """Return two groups: the metrics of every run, with the smallest exponent of all runs, and the other metrics."""
    runs, alone = (*workload.baseline_runs, *workload.target_runs), []
    common = []
    after = workload.target_runs[0].metrics
    for metric in after:
        if any(place_of(profile, metric) is None for profile in runs):
            alone.append(NotCompared(workload.name, metric.name, "target", _no_such_metric("baseline")))
            continue
        exponents = (
            profile.metrics[place].exponent
            for profile in (*runs, *workload.noise_runs)
            if (place := place_of(profile, metric)) is not None
        )
        common.append(replace(metric, exponent=min(exponents)))
    named = {(metric.name, metric.unit) for metric in after}
    alone += [
        NotCompared(workload.name, metric.name, "baseline", _no_such_metric("target"))
        for metric in workload.baseline_runs[0].metrics
        if (metric.name, metric.unit) not in named
    ]
    return common, alone


def _no_such_metric(side: str) -> Reason:
    return Reason(ReasonCode.NO_SUCH_METRIC, {"side": side})


def _presence(numbering: Numbering, baselines: int, targets: int) -> IntArray:
    """Return an int64 array with one row per side: 1 for each symbol that occurs on that side, otherwise 0."""
    present = np.zeros((2, len(numbering.symbols)), np.int64)
    for run, mapping in enumerate(numbering.maps[: baselines + targets]):
        present[int(run >= baselines), mapping] = 1
    return present


def _first_seen(profiles: Sequence[Profile], maps: Sequence[IntArray], symbols: int) -> IntArray:
    """Return an int64 array that ranks the symbols in the order in which they first occur in the baseline."""
    seen = [
        mapping if profile.stacks is None else mapping[profile.stacks.frame]
        for profile, mapping in zip(profiles, maps, strict=True)
    ]
    order = np.concatenate(seen)[::-1]
    place = np.full(symbols, np.iinfo(np.int64).max, np.int64)
    place[order] = np.arange(len(order))[::-1]  # reversed, so the first occurrence is assigned last and remains
    return place


def _runs(workload: Workload, metric: Metric, elsewhere: int) -> Runs:
    # all files of a base run were recorded by one job, even if the files do not name the job
    noise = workload.noise_runs
    noise_jobs = _numbered([profile.facts.job or place for place, profile in enumerate(noise)], noise, metric)
    baseline, target = workload.baseline_runs, workload.target_runs
    return Runs(
        sum(runs_in(profile, metric) for profile in baseline),
        sum(runs_in(profile, metric) for profile in target),
        len(noise_jobs),
        _jobs(baseline, target, metric),
        _jobs(target, target, metric),
        noise_jobs,
        elsewhere,
    )


def _jobs(profiles: Sequence[Profile], targets: Sequence[Profile], metric: Metric) -> tuple[int, ...] | None:
    """Return the number of the job that recorded each run, or None if a profile does not contain its job."""
    facts, target = [profile.facts for profile in profiles], [profile.facts for profile in targets]
    if any(known.job is None for known in facts):
        return None
    return _numbered([ELSEWHERE if on_other_machine(known, target) else known.job for known in facts], profiles, metric)


def _numbered(jobs: Sequence[object], profiles: Sequence[Profile], metric: Metric) -> tuple[int, ...]:
    """Number the jobs and return the job number of each run. Jobs on other machines have the number `ELSEWHERE`."""
    numbers = {job: number for number, job in enumerate(dict.fromkeys(jobs))} | {ELSEWHERE: ELSEWHERE}
    pairs = zip(jobs, profiles, strict=True)
    return tuple(numbers[job] for job, profile in pairs for _ in range(runs_in(profile, metric)))


def _period(profiles: Sequence[Profile], metric: Metric) -> int | None:
    """Return the value of one sample in stored units, or None if this value is unknown or differs between runs."""
    if metric.kind is not MetricKind.SAMPLED:
        return None
    found = set()
    for profile in profiles:
        place = place_of(profile, metric)
        period = profile.periods[place] if place is not None and place < len(profile.periods) else None
        found.add(None if period is None or place is None else period * factor_of(profile, place, metric))
    return found.pop() if len(found) == 1 else None


def _sample_values(profiles: Sequence[Profile], metric: Metric) -> FloatArray | None:
    """Return a float64 array with the value of one sample in each run, in stored units, or None if one is unknown."""
    if metric.kind is not MetricKind.SAMPLED:
        return None
    found: list[float] = []
    for profile in profiles:
        place = place_of(profile, metric)
        value = None if place is None else sample_values(profile)[place]
        if place is None or value is None:
            return None
        found += [value * factor_of(profile, place, metric)] * runs_in(profile, metric)
    return np.array(found)


def _observations(
    profiles: Sequence[Profile], maps: Sequence[IntArray], baselines: int, metric: Metric
) -> Observations | None:
    """Return the records of one metric from both sides, or None if the profiles do not contain records."""
    columns: list[tuple[IntArray | FloatArray, ...]] = []
    codes: dict[str, int] = {}
    starts = run_starts(profiles, metric).tolist()
    for number, (profile, mapping, start) in enumerate(zip(profiles, maps, starts, strict=False)):
        body, place = profile.measurements, place_of(profile, metric)
        if body is None or place is None:
            continue
        rows = np.flatnonzero(body.of_metric(place))
        subtype = np.array([codes.setdefault(name, len(codes)) for name in body.subtypes], np.int64)
        columns.append(
            (
                mapping[body.frame[rows]],
                np.full(len(rows), int(number >= baselines), np.int64),
                start + (body.order[rows] if body.scenarios else np.zeros(len(rows), np.int64)),
                body.amount[rows],
                exclusive_amounts(profile, place),
                body.size[rows],
                subtype[rows],
            )
        )
    if not columns:
        return None
    symbol, side, run, amount, exclusive, size, subtype = map(np.concatenate, zip(*columns, strict=True))
    return Observations(symbol, side, run, amount, exclusive, size, subtype, list(codes))


def _edges(
    profiles: Sequence[Profile], maps: Sequence[IntArray], symbols: int, metric: Metric, baselines: int
) -> CallEdges | None:
    """Return the call edges of formats without stacks, or None if a run has no call graph."""
    graphs, totals = [], []
    for profile in profiles:
        place = place_of(profile, metric)
        if profile.graph is None or place is None:
            return None
        graphs.append(profile.graph)
        totals.append(checked(profile.graph.edge_total[place], factor_of(profile, place, metric), profile.name))
    return call_edges(graphs, maps, totals, symbols, baselines)


def _diff_tree(
    forest: Forest,
    profiles: Sequence[Profile],
    rows: Sequence[IntArray],
    baselines: int,
    metric: Metric,
    period: int | None,
) -> DiffTree:
    tree, bodies = forest.tree, [profile.stacks for profile in profiles]
    before: IntArray = np.add.reduce(rows[:baselines], axis=0, dtype=np.int64)
    after: IntArray = np.add.reduce(rows[baselines:], axis=0, dtype=np.int64)
    sides = (slice(baselines), slice(baselines, None))
    calls_before, calls_after = (
        path_calls(bodies[side], forest.leaf_rows[side], tree, forest.dropped) for side in sides
    )
    timelines = [
        side_timeline(profiles[side], forest.leaf_rows[side], forest, metric, own)
        for side, own in zip(sides, (before, after), strict=True)
    ]
    compared = DiffTree(
        *(tree.parent, tree.symbol, tree.depth, tree.end),
        read_only(before),
        read_only(after),
        read_only(tree.totals(before)),
        read_only(tree.totals(after)),
        calls_before,
        calls_after,
        run_self=read_only(np.stack(rows)),
        timelines=(timelines[0], timelines[1]),
    )
    return replace(compared, evidence=evidence_of(compared, rows, baselines, period))


def _warnings(
    runs: Sequence[Profile], symbols: Symbols, columns: RunColumns, forest: Forest | None
) -> tuple[Reason, ...]:
    counted, numbers = Counter[str](), Counter[str]()
    for warning in (warning for profile in runs for warning in profile.warnings):
        what, colon, number = warning.rpartition(": ")
        known = bool(colon) and number.isdecimal() and len(number) < 16  # counts differ between runs
        text = f"{what}: " if known else warning
        counted[text] += 1
        if known:
            numbers[text] += int(number)
    found = [
        Reason(ReasonCode.PROFILE_WARNING, {"text": f"{text}{numbers.get(text, '')}", "runs": times})
        for text, times in counted.items()
    ]
    if not len(symbols) or not columns.sums.any():
        found.append(Reason(ReasonCode.NO_SAMPLE))
    if any(profile.measurements is not None and within_real(profile.measurements).any() for profile in runs):
        found.append(Reason(ReasonCode.REAL_TIME))
    if forest is not None and forest.dropped.any():
        found.append(Reason(ReasonCode.STACKS_DROPPED))
    return tuple(found)
