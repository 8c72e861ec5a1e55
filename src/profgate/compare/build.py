"""A workload in, a Comparison for each metric out: union tree, symbol totals of every run, observations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from profgate.compare.calls import call_edges, path_calls
from profgate.compare.cost_models import cost_models
from profgate.compare.filters import kept_leaves
from profgate.compare.rates import sample_values
from profgate.compare.repeats import repeats_of
from profgate.compare.symbols import Identity, Numbering, number_symbols
from profgate.compare.waiting import waiting_symbols
from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray, FloatArray, IntArray, RowArray, read_only
from profgate.model.call_tree import (
    TreeShape,
    added_at,
    build_shape,
    levels_of,
    pre_order,
    topmost_rows,
    with_children,
)
from profgate.model.comparison import CallEdges, Comparison, DiffTree, Note, Observations, Runs, Symbols
from profgate.model.frame_names import Level
from profgate.model.name_aliases import Aliases
from profgate.model.profile import Measurements, Profile, Stacks
from profgate.model.report import NotCompared
from profgate.model.units import Metric, MetricKind
from profgate.model.workload import Workload

MAX_TOTAL = (1 << 62) - 1
TIMES = ("nanoseconds", "samples")  # units in which waiting is no work
REAL, PARTS_OF_REAL = "real", ("user", "sys")  # the processor's time is spent within the time that passes
MEASURED_EXPONENT = -6  # measurements are float64 in their own unit; columns keep six decimals of them


@dataclass(frozen=True, slots=True)
class CompareOptions:
    """``level`` of name rules; ``ignore`` and ``focus`` are patterns of symbols whose stacks are dropped or kept.

    ``aliases`` lead from the (name, file) of a renamed function to its new one; ``policy_aliases`` are names that the
    configuration file leads to others. ``files`` lead from what the baseline calls a file to what the target does.
    """

    level: Level = "safe"
    ignore: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    aliases: Mapping[Identity, Identity] = field(default_factory=dict)
    policy_aliases: Aliases = field(default_factory=Aliases)
    files: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class RunColumns:
    """Columns of one metric for some runs: int64[run, symbol] self and total, int64[run] totals.

    ``active`` int64[run, symbol] is the total without what waiting functions took.
    """

    own: IntArray
    total: IntArray
    sums: IntArray
    active: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """All runs of a workload over one shape; ``rows`` holds int64[leaf] for each profile."""

    shape: TreeShape
    size: IntArray
    number: IntArray
    topmost: IntArray
    leaf_rows: tuple[IntArray, ...]
    dropped: BoolArray


def _place(profile: Profile, metric: Metric) -> int | None:
    for place, other in enumerate(profile.metrics):
        if (other.name, other.unit, other.better) == (metric.name, metric.unit, metric.better):
            return place
    return None


def _factor(profile: Profile, place: int, exponent: int) -> int:
    return int(10 ** (profile.metrics[place].exponent - exponent))


def _checked(values: IntArray, factor: int, name: str) -> IntArray:
    if max(factor, int(values.sum(dtype=object)) * factor) > MAX_TOTAL:
        raise ComparisonError(name, "values in the common unit add up beyond 62 bits; compare fewer runs")
    return values * factor


def _check_sides(sums: IntArray) -> None:
    """Both sides are added up over their runs: what one run holds does not say that all together fit."""
    if int(sums.sum(dtype=object)) > MAX_TOTAL:
        raise ComparisonError("all runs", "their values add up beyond 62 bits; compare fewer runs")


def _forest(profiles: Sequence[Profile], numbering: Numbering, options: CompareOptions) -> Forest:
    bodies = [profile.stacks for profile in profiles]
    streams = [body for body in bodies if body is not None]
    depth = np.concatenate([body.depth for body in streams]) if streams else np.zeros(0, np.int64)
    symbol = np.concatenate(
        [mapping[body.frame] for mapping, body in zip(numbering.maps, bodies, strict=True) if body is not None]
        or [np.zeros(0, np.int64)]
    )
    shape, rows = build_shape(depth, symbol)
    size = with_children(shape, np.ones(len(shape), np.int64))
    number = pre_order(shape, size)
    leaf_rows, start = [], 0
    for body in bodies:
        if body is None:
            leaf_rows.append(rows[:0])
            continue
        leaf_rows.append(rows[start : start + len(body.frame)][body.leaf])
        start += len(body.frame)
    dropped = ~kept_leaves(shape, numbering.symbols, options.ignore, options.focus)
    return Forest(shape, size, number, topmost_rows(shape.symbol, number, size), tuple(leaf_rows), dropped)


def _self_of_run(forest: Forest, run: int, stacks: Stacks, place: int, factor: int) -> IntArray:
    values = stacks.values[place] * factor
    own = added_at(len(forest.shape), forest.leaf_rows[run], values)
    own[0] += int(stacks.root_values[place]) * factor
    own[forest.dropped] = 0
    return own


def _by_symbol(count: int, symbol: RowArray, values: IntArray) -> IntArray:
    return added_at(count, symbol.astype(np.int64), values)


def _stack_columns(
    profiles: Sequence[Profile], forest: Forest, symbols: int, metric: Metric, waiting: BoolArray
) -> tuple[RunColumns, list[IntArray]]:
    """Columns of every run, and int64[row] self values of every run for the tree."""
    own = np.zeros((len(profiles), symbols), np.int64)
    total = np.zeros_like(own)
    waits = np.append(waiting, False)[forest.shape.symbol]  # the root has the symbol -1
    active = np.zeros_like(own) if waits.any() else total
    sums = np.zeros(len(profiles), np.int64)
    rows = []
    for run, profile in enumerate(profiles):
        place = _place(profile, metric)
        if profile.stacks is None or place is None:
            raise ComparisonError(profile.name, f"has no stacks of {metric.name}")
        factor = _factor(profile, place, metric.exponent)
        _checked(np.append(profile.stacks.values[place], profile.stacks.root_values[place]), factor, profile.name)
        of_row = _self_of_run(forest, run, profile.stacks, place, factor)
        below = with_children(forest.shape, of_row)
        own[run] = _by_symbol(symbols, forest.shape.symbol[1:], of_row[1:])
        total[run] = _by_symbol(symbols, forest.shape.symbol[forest.topmost], below[forest.topmost])
        if active is not total:
            below_active = with_children(forest.shape, np.where(waits, 0, of_row))
            active[run] = _by_symbol(symbols, forest.shape.symbol[forest.topmost], below_active[forest.topmost])
        sums[run] = below[0]
        rows.append(of_row)
    _check_sides(sums)
    return RunColumns(own, total, sums, active), rows


def _graph_columns(profiles: Sequence[Profile], maps: Sequence[IntArray], symbols: int, metric: Metric) -> RunColumns:
    own = np.zeros((len(profiles), symbols), np.int64)
    total = np.zeros_like(own)
    for run, (profile, mapping) in enumerate(zip(profiles, maps, strict=True)):
        place = _place(profile, metric)
        if profile.graph is None or place is None:
            raise ComparisonError(profile.name, f"has no table of {metric.name}")
        factor = _factor(profile, place, metric.exponent)
        own[run] = added_at(symbols, mapping, _checked(profile.graph.self_value[place], factor, profile.name))
        _checked(profile.graph.total_value[place].max(initial=0, keepdims=True), factor, profile.name)
        total[run] = added_at(symbols, mapping, profile.graph.total_value[place] * factor)
    sums = own.sum(axis=1)
    _check_sides(sums)
    return RunColumns(own, total, sums, total)


def _amounts(profile: Profile, place: int) -> FloatArray:
    """Exclusive amounts of one metric; whole ones where no record has an exclusive one, else they count twice."""
    body = profile.measurements
    if body is None:
        raise ComparisonError(profile.name, "has no records")
    known = np.isfinite(body.exclusive)
    return (np.where(known, body.exclusive, 0.0) if known.any() else body.amount)[body.of_metric(place)]


def _runs_in(profile: Profile, metric: Metric) -> int:
    """How many runs a file holds: one, or those of a benchmark that repeats itself."""
    place = _place(profile, metric)
    return 1 if profile.measurements is None or place is None else profile.measurements.runs(place)


def _starts(profiles: Sequence[Profile], metric: Metric) -> IntArray:
    """int64[profile + 1]: where the runs of each begin among all of them."""
    return np.cumsum([0, *(_runs_in(profile, metric) for profile in profiles)])


def _measured_columns(
    profiles: Sequence[Profile], maps: Sequence[IntArray], symbols: int, metric: Metric
) -> RunColumns:
    starts = _starts(profiles, metric)
    own = np.zeros((starts[-1], symbols), np.int64)
    for profile, mapping, start, stop in zip(profiles, maps, starts, starts[1:], strict=False):
        body, place = profile.measurements, _place(profile, metric)
        if body is None or place is None:
            raise ComparisonError(profile.name, f"has no records of {metric.name}")
        amounts = np.rint(
            _finite(_amounts(profile, place)) * 10.0 ** (profile.metrics[place].exponent - metric.exponent)
        )
        chosen = body.of_metric(place)
        amounts[_within_real(body)[chosen]] = 0.0
        run = body.order[chosen] if body.scenarios else np.zeros(len(amounts), np.int64)
        cell = run * symbols + mapping[body.frame[chosen]]
        own[start:stop] = added_at((stop - start) * symbols, cell, amounts.astype(np.int64)).reshape(-1, symbols)
    total = own.copy()
    return RunColumns(own, total, own.sum(axis=1), total)


def _within_real(body: Measurements) -> BoolArray:
    """bool[record]: user and sys time where real time is recorded beside them; added to it they would count twice."""
    subtypes = np.array(body.subtypes, dtype=np.str_)
    parts = np.isin(subtypes, PARTS_OF_REAL)
    return np.asarray(parts & bool((subtypes == REAL).any()))


def _finite(amounts: FloatArray) -> FloatArray:
    return np.nan_to_num(amounts, nan=0.0, posinf=0.0, neginf=0.0)


def _observations(
    profiles: Sequence[Profile], maps: Sequence[IntArray], baselines: int, metric: Metric
) -> Observations | None:
    """Records of one metric of both sides; None where no profile has any."""
    records = [
        (profile, body, place, mapping, start, int(number >= baselines))
        for number, (profile, mapping, start) in enumerate(
            zip(profiles, maps, _starts(profiles, metric).tolist(), strict=False)
        )
        if (body := profile.measurements) is not None and (place := _place(profile, metric)) is not None
    ]
    if not records:
        return None
    names = list(dict.fromkeys(name for _, body, *_ in records for name in body.subtypes))
    codes = {name: code for code, name in enumerate(names)}
    chosen = [np.flatnonzero(body.of_metric(place)) for _, body, place, *_ in records]
    rows = list(zip(records, chosen, strict=True))
    return Observations(
        symbol=np.concatenate([mapping[body.frame[some]] for (_, body, _, mapping, _, _), some in rows]),
        side=np.concatenate([np.full(len(some), side, np.int64) for (*_, side), some in rows]),
        run=np.concatenate(
            [start + (body.order[some] if body.scenarios else 0 * some) for (_, body, _, _, start, _), some in rows]
        ),
        amount=np.concatenate([body.amount[some] for (_, body, *_), some in rows]),
        exclusive=np.concatenate([_amounts(profile, place) for profile, _, place, *_ in records]),
        size=np.concatenate([body.size[some] for (_, body, *_), some in rows]),
        subtype=np.array(
            [codes[body.subtypes[one]] for (_, body, *_), some in rows for one in some.tolist()], np.int64
        ),
        subtypes=names,
    )


def _edges(
    profiles: Sequence[Profile], maps: Sequence[IntArray], symbols: int, metric: Metric, baselines: int
) -> CallEdges | None:
    """Callers and callees of formats that know nothing better; None where one of the runs has no call graph."""
    graphs, totals = [], []
    for profile in profiles:
        place = _place(profile, metric)
        if profile.graph is None or place is None:
            return None
        graphs.append(profile.graph)
        factor = _factor(profile, place, metric.exponent)
        totals.append(_checked(profile.graph.edge_total[place], factor, profile.name))
    return call_edges(graphs, maps, totals, symbols, baselines)


def _calls(forest: Forest, profiles: Sequence[Profile], runs: slice) -> IntArray | None:
    bodies = [profile.stacks for profile in profiles[runs]]
    return path_calls(bodies, forest.leaf_rows[runs], forest.shape, forest.dropped)


def _diff_tree(forest: Forest, profiles: Sequence[Profile], rows: Sequence[IntArray], baselines: int) -> DiffTree:
    before: IntArray = np.add.reduce(rows[:baselines], axis=0, dtype=np.int64)
    after: IntArray = np.add.reduce(rows[baselines:], axis=0, dtype=np.int64)
    columns = (before, after, with_children(forest.shape, before), with_children(forest.shape, after))
    for column in columns:
        read_only(column)
    shape = forest.shape
    return DiffTree(
        shape.parent,
        shape.symbol,
        read_only(levels_of(shape)),
        *columns,
        read_only(forest.number),
        read_only(forest.size),
        _calls(forest, profiles, slice(baselines)),
        _calls(forest, profiles, slice(baselines, None)),
        repeats=repeats_of(shape, rows, baselines),
        run_self=read_only(np.stack(rows)),
    )


def _first_seen(profiles: Sequence[Profile], maps: Sequence[IntArray], symbols: int) -> IntArray:
    """int64[symbol]: the place of its first appearance in the baseline's input order."""
    place = np.full(symbols, np.iinfo(np.int64).max, np.int64)
    offset = 0
    for profile, mapping in zip(profiles, maps, strict=True):
        seen = mapping[profile.stacks.frame] if profile.stacks is not None else mapping
        np.minimum.at(place, seen, np.arange(offset, offset + len(seen)))
        offset += len(seen)
    return place


def _presence(profiles: Sequence[Profile], maps: Sequence[IntArray], symbols: int, baselines: int) -> IntArray:
    present = np.zeros((2, symbols), np.int64)
    for run, (_, mapping) in enumerate(zip(profiles, maps, strict=True)):
        present[int(run >= baselines), mapping] = 1
    return present


def _common_metrics(workload: Workload) -> tuple[list[Metric], list[NotCompared]]:
    """Metrics every run has, with the smallest exponent of all; the others are told."""
    before, after = workload.baseline_runs[0].metrics, workload.target_runs[0].metrics
    everyone = (*workload.baseline_runs, *workload.target_runs)
    common, alone = [], []
    for metric in after:
        places = [_place(profile, metric) for profile in everyone]
        if None in places:
            alone.append(
                NotCompared(workload.name, metric.name, "target", "the other side has no such metric and unit")
            )
            continue
        exponent = min(
            profile.metrics[place].exponent
            for profile in (*everyone, *workload.noise_runs)
            if (place := _place(profile, metric)) is not None
        )
        common.append(replace(metric, exponent=exponent))
    named = {(metric.name, metric.unit) for metric in after}
    alone += [
        NotCompared(workload.name, metric.name, "baseline", "the target has no such metric and unit")
        for metric in before
        if (metric.name, metric.unit) not in named
    ]
    return common, alone


def _jobs(profiles: Sequence[Profile], metric: Metric) -> tuple[int, ...] | None:
    """The number of the job that recorded each run of these profiles; None where they do not say."""
    jobs = [profile.facts.job for profile in profiles]
    return None if None in jobs else _numbered(jobs, profiles, metric)


def _numbered(jobs: Sequence[object], profiles: Sequence[Profile], metric: Metric) -> tuple[int, ...]:
    """The number of each profile's job, once for each run it holds."""
    numbers = {job: number for number, job in enumerate(dict.fromkeys(jobs))}
    pairs = zip(jobs, profiles, strict=True)
    return tuple(numbers[job] for job, profile in pairs for _ in range(_runs_in(profile, metric)))


def _period(profiles: Sequence[Profile], metric: Metric) -> int | None:
    """The value of one sample in stored units; None where a run does not know it or the runs differ."""
    if metric.kind is not MetricKind.SAMPLED:
        return None
    found = set()
    for profile in profiles:
        place = _place(profile, metric)
        period = profile.periods[place] if place is not None and place < len(profile.periods) else None
        found.add(None if period is None or place is None else period * _factor(profile, place, metric.exponent))
    return found.pop() if len(found) == 1 else None


def _sample_values(profiles: Sequence[Profile], metric: Metric) -> FloatArray | None:
    """float64[run] value of one sample in stored units; None where a run does not know it."""
    if metric.kind is not MetricKind.SAMPLED:
        return None
    found: list[float] = []
    for profile in profiles:
        place = _place(profile, metric)
        value = None if place is None else sample_values(profile)[place]
        if place is None or value is None:
            return None
        found += [value * _factor(profile, place, metric.exponent)] * _runs_in(profile, metric)
    return np.array(found)


def _noise_columns(
    workload: Workload,
    numbering: Numbering,
    metric: Metric,
    skip: int,
    options: CompareOptions,
    waiting: BoolArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Self values, totals and inclusive values of base runs of other commits, each read without the others' trees."""
    nothing = np.zeros((0, len(numbering.symbols)), np.int64)
    own, active, sums = [nothing], [nothing], [np.zeros(0, np.int64)]
    for run, profile in enumerate(workload.noise_runs):
        mapping = numbering.maps[skip + run]
        columns = columns_of([profile], Numbering(numbering.symbols, (mapping,)), metric, options, waiting)[0]
        own.append(columns.own)
        active.append(columns.active)
        sums.append(columns.sums)
    return np.concatenate(own), np.concatenate(sums), np.concatenate(active)


def columns_of(
    profiles: Sequence[Profile],
    numbering: Numbering,
    metric: Metric,
    options: CompareOptions,
    waiting: BoolArray | None = None,
) -> tuple[RunColumns, Forest | None, list[IntArray]]:
    """Columns of runs by symbol; where all have stacks also their common shape and int64[row] of each run.

    Raises ComparisonError where values do not fit or a run lacks the metric.
    """
    symbols = len(numbering.symbols)
    if all(profile.stacks is not None for profile in profiles):
        forest = _forest(profiles, numbering, options)
        waits = np.zeros(symbols, np.bool_) if waiting is None else waiting
        columns, rows = _stack_columns(profiles, forest, symbols, metric, waits)
        return columns, forest, rows
    if all(profile.graph is not None for profile in profiles):
        return _graph_columns(profiles, numbering.maps, symbols, metric), None, []
    return _measured_columns(profiles, numbering.maps, symbols, metric), None, []


def compare_workload(
    workload: Workload, notes: tuple[Note, ...], options: CompareOptions
) -> tuple[list[Comparison], list[NotCompared]]:
    """One Comparison for each metric both sides have. Raises ComparisonError."""
    runs = (*workload.baseline_runs, *workload.target_runs)
    numbering = number_symbols(
        (*workload.noise_runs, *runs),
        options.level,
        options.aliases,
        targets=len(workload.target_runs),
        policy_aliases=options.policy_aliases,
        files=options.files,
    )
    skip = len(workload.noise_runs)
    numbering = Numbering(numbering.symbols, (*numbering.maps[skip:], *numbering.maps[:skip]))
    maps, baselines, count = numbering.maps[: len(runs)], len(workload.baseline_runs), len(numbering.symbols)
    metrics, alone = _common_metrics(workload)
    comparisons = []
    waiting = waiting_symbols(numbering.symbols)
    paired = list(zip(runs, maps, strict=True))
    for stated in metrics:
        metric = stored_metric(stated, (*runs, *workload.noise_runs))
        records = _observations(runs, maps, baselines, metric)
        waits = waiting if metric.unit in TIMES else np.zeros(count, np.bool_)
        columns, forest, rows = columns_of(runs, Numbering(numbering.symbols, maps), metric, options, waits)
        noise, noise_sums, noise_active = _noise_columns(workload, numbering, metric, len(runs), options, waits)
        comparisons.append(
            Comparison(
                workload=workload.name,
                configuration=workload.configuration,
                metric=metric,
                runs=_runs(workload, metric),
                symbols=numbering.symbols,
                self_value=read_only(columns.own),
                total_value=read_only(columns.total),
                run_totals=read_only(columns.sums),
                present=read_only(_presence(runs, maps, count, baselines)),
                noise_self=read_only(noise),
                noise_totals=read_only(noise_sums),
                noise_active=read_only(noise_active),
                waiting=read_only(waits),
                active_total=read_only(columns.active),
                period=_period((*runs, *workload.noise_runs), metric),
                sample_values=_sample_values(runs, metric),
                noise_sample_values=_sample_values(workload.noise_runs, metric),
                tree=_diff_tree(forest, runs, rows, baselines) if forest is not None else None,
                edges=_edges(runs, maps, count, metric, baselines) if forest is None else None,
                observations=records,
                models=cost_models((paired[:baselines], paired[baselines:]), records),
                first_seen=read_only(_first_seen(workload.baseline_runs, maps[:baselines], count)),
                facts=(workload.baseline_runs[0].facts, workload.target_runs[0].facts),
                notes=notes,
                warnings=_warnings(runs, numbering.symbols, columns, forest),
                renamed=_former_names(numbering.symbols, options.aliases),
                files=options.files,
            )
        )
    return comparisons, alone


def _former_names(symbols: Symbols, aliases: Mapping[Identity, Identity]) -> dict[int, Identity]:
    former = {new: old for old, new in aliases.items()}
    identities = enumerate(zip(symbols.names, symbols.files, strict=True))
    return {place: former[identity] for place, identity in identities if identity in former}


def stored_metric(metric: Metric, runs: Sequence[Profile]) -> Metric:
    """Records are floats in their own unit: their columns keep six decimals more than the metric says, if they fit."""
    if any(profile.stacks is not None or profile.graph is not None for profile in runs):
        return metric
    of_metric = [(profile, place) for profile in runs if (place := _place(profile, metric)) is not None]
    with np.errstate(over="ignore"):
        largest = sum(float(np.abs(_finite(_amounts(profile, place))).sum()) for profile, place in of_metric)
    if not np.isfinite(largest):
        raise ComparisonError("all runs", "their amounts add up beyond what a number can hold; record fewer")
    exponent = metric.exponent + MEASURED_EXPONENT
    while largest * 10.0 ** (metric.exponent - exponent) > MAX_TOTAL:
        exponent += 1
    return replace(metric, exponent=exponent)


def _runs(workload: Workload, metric: Metric) -> Runs:
    noise = workload.noise_runs
    # what one file of the noise holds was recorded by one job, even where it does not say which
    noise_jobs = _numbered([profile.facts.job or place for place, profile in enumerate(noise)], noise, metric)
    return Runs(
        sum(_runs_in(profile, metric) for profile in workload.baseline_runs),
        sum(_runs_in(profile, metric) for profile in workload.target_runs),
        len(noise_jobs),
        _jobs(workload.baseline_runs, metric),
        _jobs(workload.target_runs, metric),
        noise_jobs,
    )


def _warnings(runs: Sequence[Profile], symbols: Symbols, columns: RunColumns, forest: Forest | None) -> tuple[str, ...]:
    told: dict[str, int] = {}
    for profile in runs:
        for warning in profile.warnings:
            told[warning] = told.get(warning, 0) + 1
    notes = [text if times == 1 else f"{text} (in {times} runs)" for text, times in told.items()]
    if not len(symbols) or not columns.sums.any():
        notes.append("no run holds a sample")
    if any(profile.measurements is not None and _within_real(profile.measurements).any() for profile in runs):
        notes.append("totals and shares are of real time: user and sys time lie within it")
    if forest is not None and forest.dropped.any():
        notes.append("stacks were dropped by ignore or focus patterns")
    return tuple(notes)
