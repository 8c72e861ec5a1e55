"""Computes values and calls of a metric by run and symbol, the common call tree, and which costs changed by test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import accumulate, islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray, FloatArray, IntArray, exact_sum, read_only
from profgate.model.call_tree import CallTree, added_at, merged_paths
from profgate.model.comparison import CallEdges, Comparison
from profgate.model.name_aliases import Aliases
from profgate.model.record import Record, replace
from profgate.model.units import CALLS

if TYPE_CHECKING:
    from profgate.compare.symbols import Numbering
    from profgate.model.call_tree import CallTree
    from profgate.model.comparison import Symbols
    from profgate.model.kernels import Kernels
    from profgate.model.profile import CallGraph, Measurements, Profile, Stacks
    from profgate.model.units import Metric

MAX_TOTAL = (1 << 62) - 1
REAL, PARTS_OF_REAL = "real", ("user", "sys")  # real time includes CPU time
ENOUGH_RUNS = 3  # minimum number of runs per side, because two runs give a poor estimate of the variance


class CompareOptions(Record):
    """The options of a comparison.

    Stacks with a symbol that matches ``ignore`` are dropped. ``policy_aliases`` are those in the configuration file.
    ``kernels`` are the compiled loops, which do not change the result.
    """

    ignore: tuple[str, ...] = ()
    policy_aliases: Aliases = Aliases()
    kernels: Kernels | None = None


class RunColumns(NamedTuple):
    """Int64 values of one metric in several runs.

    ``own`` and ``total`` contain the self and total values by run and symbol, and ``sums`` contains the run totals.
    ``active`` is ``total`` without the time spent in waiting functions.
    """

    own: IntArray
    total: IntArray
    sums: IntArray
    active: IntArray


class Forest(Record):
    """The common call tree of all runs of a workload.

    ``topmost`` contains the rows that are not recursive calls. ``leaf_rows`` contains an int64 array for each profile,
    with the tree row of each leaf. ``dropped`` is a bool array that marks the rows whose stacks are omitted.
    """

    tree: CallTree
    topmost: IntArray
    leaf_rows: tuple[IntArray, ...]
    dropped: BoolArray


def place_of(profile: Profile, metric: Metric) -> int | None:
    """Return the index of a metric in a profile, or None if it is missing. The exponents of the metrics may differ."""
    for place, other in enumerate(profile.metrics):
        if other.name == metric.name and other.unit == metric.unit and other.better == metric.better:
            return place
    return None


def factor_of(profile: Profile, place: int, metric: Metric) -> int:
    """Return the factor that converts the stored integers of a profile to the stored unit of the metric."""
    return int(10 ** (profile.metrics[place].exponent - metric.exponent))


def checked(values: IntArray, factor: int, name: str, further: int = 0) -> IntArray:
    """Multiply the values by the factor. Raises ComparisonError if their sum overflows, with a ``further`` value."""
    if max(factor, (exact_sum(values) + further) * factor) > MAX_TOTAL:
        raise ComparisonError(name, "values in the common unit add up to more than 62 bits; compare fewer runs")
    return values * factor


def run_columns(
    profiles: Sequence[Profile],
    numbering: Numbering,
    metric: Metric,
    forest: Forest | None,
    waiting: BoolArray | None = None,
) -> tuple[RunColumns, list[IntArray]]:
    """Return the values of the runs by symbol and, if all runs have stacks, the values of the ``forest`` by run.

    ``waiting`` is a bool array that marks the functions that only wait. Raises ComparisonError if values overflow or a
    run lacks the metric.
    """
    if forest is not None:
        return stack_columns(profiles, forest, len(numbering.symbols), metric, waiting)
    if all(profile.graph is not None for profile in profiles):
        return _graph_columns(profiles, numbering, metric), []
    return _measured_columns(profiles, numbering, metric), []


def forest_of(profiles: Sequence[Profile], numbering: Numbering, options: CompareOptions) -> Forest | None:
    """Return the common call tree of these runs, or None if a run has no stacks."""
    found = merged_forest(profiles, numbering.maps, options.kernels)
    if found is None or not options.ignore:
        return found
    return replace(found, dropped=_on_path(found.tree, numbering.symbols, options.ignore))


def merged_forest(profiles: Sequence[Profile], maps: Sequence[IntArray], kernels: Kernels | None) -> Forest | None:
    """Return the call tree with a number for each frame, from which no stack is dropped, or None as `forest_of`."""
    bodies = [profile.stacks for profile in profiles if profile.stacks is not None]
    if len(bodies) < len(profiles):
        return None
    depth = np.concatenate([body.depth for body in bodies])
    frames = [mapping[body.frame] for mapping, body in zip(maps, bodies, strict=True)]
    tree, rows = merged_paths(depth, np.concatenate(frames), kernels)
    ends = accumulate(len(body.depth) for body in bodies)
    leaf_rows = tuple(rows[end - len(body.depth) : end][body.leaf] for end, body in zip(ends, bodies, strict=True))
    return Forest(tree, tree.topmost(), leaf_rows, np.zeros(len(tree), np.bool_))


def _on_path(tree: CallTree, symbols: Symbols, patterns: Sequence[str]) -> BoolArray:
    """Return a bool array that marks the rows whose path contains a symbol that matches a pattern."""
    hit = np.zeros(len(symbols), np.bool_)
    for pattern in patterns:
        hit |= [fnmatchcase(name, pattern) for name in symbols.names]
    return tree.below(np.flatnonzero(np.append(hit, False)[tree.symbol]))  # the root has symbol -1


def stack_columns(
    profiles: Sequence[Profile], forest: Forest, symbols: int, metric: Metric, waiting: BoolArray | None = None
) -> tuple[RunColumns, list[IntArray]]:
    """Return the values of all runs by symbol and an int64 array for each run, with the self value of each tree row.

    ``symbols`` is the number of symbols in the forest, and the other arguments are those of `run_columns`.
    """
    tree, topmost, rows = forest.tree, forest.topmost, list[IntArray]()
    own = np.zeros((len(profiles), symbols), np.int64)
    total = np.zeros_like(own)
    # the root has symbol -1
    waits = None if waiting is None or not waiting.any() else np.append(waiting, False)[tree.symbol]
    active = total if waits is None else np.zeros_like(own)
    sums = np.zeros(len(profiles), np.int64)
    for run, profile in enumerate(profiles):
        stacks, place = profile.stacks, place_of(profile, metric)
        if stacks is None or place is None:
            raise ComparisonError(profile.name, f"has no stacks of {metric.name}")
        factor, root = factor_of(profile, place, metric), int(stacks.root_values[place])
        values = checked(stacks.values[place], factor, profile.name, root)
        of_row = added_at(len(tree), forest.leaf_rows[run], values)
        of_row[0] += root * factor
        of_row[forest.dropped] = 0
        below = tree.totals(of_row)
        own[run] = added_at(symbols, tree.symbol[1:], of_row[1:])
        total[run] = added_at(symbols, tree.symbol[topmost], below[topmost])
        if waits is not None:
            working = tree.totals(np.where(waits, 0, of_row))
            active[run] = added_at(symbols, tree.symbol[topmost], working[topmost])
        sums[run] = below[0]
        rows.append(of_row)
    return _fitting(RunColumns(own, total, sums, active)), rows


def _fitting(columns: RunColumns) -> RunColumns:
    """Return the columns unchanged. Raises ComparisonError if the sum over the runs overflows."""
    if exact_sum(columns.sums) > MAX_TOTAL:
        raise ComparisonError("all runs", "their values add up to more than 62 bits; compare fewer runs")
    return columns


def _graph_columns(profiles: Sequence[Profile], numbering: Numbering, metric: Metric) -> RunColumns:
    symbols = len(numbering.symbols)
    own = np.zeros((len(profiles), symbols), np.int64)
    total = np.zeros_like(own)
    for run, (profile, mapping) in enumerate(zip(profiles, numbering.maps, strict=True)):
        graph, place = profile.graph, place_of(profile, metric)
        if graph is None or place is None:
            raise ComparisonError(profile.name, f"has no table of {metric.name}")
        factor = factor_of(profile, place, metric)
        own[run] = added_at(symbols, mapping, checked(graph.self_value[place], factor, profile.name))
        checked(graph.total_value[place].max(initial=0, keepdims=True), factor, profile.name)
        total[run] = added_at(symbols, mapping, graph.total_value[place] * factor)
    return _fitting(RunColumns(own, total, own.sum(axis=1), total))


def _measured_columns(profiles: Sequence[Profile], numbering: Numbering, metric: Metric) -> RunColumns:
    starts, symbols = run_starts(profiles, metric), len(numbering.symbols)
    own = np.zeros((starts[-1], symbols), np.int64)
    for profile, mapping, start, stop in zip(profiles, numbering.maps, starts, starts[1:], strict=False):
        body, place = profile.measurements, place_of(profile, metric)
        if body is None or place is None:
            raise ComparisonError(profile.name, f"has no records of {metric.name}")
        scale = 10.0 ** (profile.metrics[place].exponent - metric.exponent)
        amounts = np.rint(_finite(exclusive_amounts(profile, place)) * scale)
        chosen = body.of_metric(place)
        amounts[within_real(body)[chosen]] = 0.0
        run = body.order[chosen] if body.scenarios else np.zeros(len(amounts), np.int64)
        cell = run * symbols + mapping[body.frame[chosen]]
        own[start:stop] = added_at((stop - start) * symbols, cell, amounts.astype(np.int64)).reshape(
            stop - start, symbols
        )
    total = own.copy()
    return RunColumns(own, total, own.sum(axis=1), total)


def exclusive_amounts(profile: Profile, place: int) -> FloatArray:
    """Return the exclusive amounts of one metric, or the inclusive amounts if no record has an exclusive amount."""
    body = profile.measurements
    if body is None:
        raise ComparisonError(profile.name, "has no records")
    known = np.isfinite(body.exclusive)
    return (np.where(known, body.exclusive, 0.0) if known.any() else body.amount)[body.of_metric(place)]


def run_count(profile: Profile, metric: Metric) -> int:
    """Return the number of runs in a file: 1, or the repetitions of a benchmark."""
    place = place_of(profile, metric)
    return 1 if profile.measurements is None or place is None else profile.measurements.runs(place)


def run_starts(profiles: Sequence[Profile], metric: Metric) -> IntArray:
    """Return an int64 array with the index of each profile's first run, followed by the number of runs."""
    return np.cumsum([0, *(run_count(profile, metric) for profile in profiles)])


def within_real(body: Measurements) -> BoolArray:
    """Return a bool array that marks records of user or sys time that were recorded together with real time.

    The real time already includes these records.
    """
    if REAL not in body.subtypes:
        return np.zeros(len(body.subtypes), np.bool_)
    return np.array([subtype in PARTS_OF_REAL for subtype in body.subtypes], np.bool_)


def _finite(amounts: FloatArray) -> FloatArray:
    return np.where(np.isfinite(amounts), amounts, 0.0)


def stored_metric(metric: Metric, runs: Sequence[Profile]) -> Metric:
    """If the runs contain records with float amounts, return the metric with six more decimals or as many as fit."""
    if any(profile.stacks is not None or profile.graph is not None for profile in runs):
        return metric
    amounts = (
        exclusive_amounts(profile, place) for profile in runs if (place := place_of(profile, metric)) is not None
    )
    with np.errstate(over="ignore"):
        largest = sum(float(np.abs(_finite(of_run)).sum()) for of_run in amounts)
    if not np.isfinite(largest):
        raise ComparisonError("all runs", "their amounts add up to more than a number can represent; record fewer")
    # the amounts in records are floats, which are stored with six decimals
    exponent = metric.exponent - 6
    while largest * 10.0 ** (metric.exponent - exponent) > MAX_TOTAL:
        exponent += 1
    return replace(metric, exponent=exponent)


def path_calls(
    bodies: Sequence[Stacks | None], leaf_rows: Sequence[IntArray], tree: CallTree, dropped: BoolArray
) -> IntArray | None:
    """Return the int64 number of calls for each path in the runs of one side, or None if calls are unknown.

    ``leaf_rows`` contains an int64 array for each run, with the tree row of each leaf. The rows in ``dropped`` and all
    rows below them get 0 calls. Raises ComparisonError if counts overflow.
    """
    counted = [body.calls for body in bodies if body is not None and body.calls is not None]
    if len(counted) != len(bodies):
        return None
    _check(counted)
    calls = np.zeros(len(tree), np.int64)
    for rows, of_run in zip(leaf_rows, counted, strict=True):
        calls += added_at(len(tree), rows, of_run)
    calls[tree.totals((~dropped).astype(np.int64)) == 0] = 0
    return read_only(calls)


def call_edges(
    graphs: Sequence[CallGraph], maps: Sequence[IntArray], totals: Sequence[IntArray], symbols: int, baselines: int
) -> CallEdges:
    """Merge the edges of all runs by caller and callee. The first ``baselines`` runs are the baseline.

    ``maps`` contains an int64 array for each run, with the symbol of each frame. ``totals`` contains an array for each
    run, with the cost of each edge in stored units of the metric. Raises ComparisonError if values overflow.
    """
    counted = list(totals)
    for graph in graphs:
        counted += [graph.edge_calls, graph.calls]
    _check(counted)
    keys = [
        mapping[graph.caller] * symbols + mapping[graph.callee] for graph, mapping in zip(graphs, maps, strict=True)
    ]
    known = np.unique(np.concatenate(keys))
    values = np.zeros((2, 2, len(known)), np.int64)
    calls = np.zeros((len(graphs), symbols), np.int64)
    for run, (graph, mapping, total) in enumerate(zip(graphs, maps, totals, strict=True)):
        side, edge = int(run >= baselines), np.searchsorted(known, keys[run])
        values[0, side] += added_at(len(known), edge, total)
        values[1, side] += added_at(len(known), edge, graph.edge_calls)
        calls[run] = added_at(symbols, mapping, graph.calls)
    caller, callee = np.divmod(known, symbols) if symbols else (known, known)
    columns = (
        caller,
        callee,
        *values[0],
        *values[1],
        calls[:baselines].sum(axis=0),
        calls[baselines:].sum(axis=0),
        calls,
    )
    return CallEdges(*(read_only(column) for column in columns))


def by_calls(comparison: Comparison) -> Comparison | None:
    """Return the comparison with exact call counts instead of costs, or None if the counts are unknown.

    The cost of a call path is the number of calls of its last function. In a call graph, the total of a function is the
    number of calls from other functions, so recursive calls are not counted.
    """
    tree, edges = comparison.tree, comparison.edges
    if tree is not None:
        if tree.baseline_calls is None or tree.target_calls is None:
            return None
        counted = replace(
            tree,
            baseline_self=tree.baseline_calls,
            target_self=tree.target_calls,
            baseline_total=read_only(tree.totals(tree.baseline_calls)),
            target_total=read_only(tree.totals(tree.target_calls)),
            evidence=None,
        )
        return replace(comparison, metric=CALLS, sampling=replace(comparison.sampling, period=None), tree=counted)
    if edges is None:
        return None
    own = np.zeros_like(comparison.self_value)  # call edges store only the sum over the runs of a side
    again = own.copy()
    recursive, symbols = edges.caller == edges.callee, own.shape[1]
    for run, calls, whole in (
        (0, edges.baseline_calls, edges.baseline_symbol_calls),
        (comparison.runs.baseline, edges.target_calls, edges.target_symbol_calls),
    ):
        own[run] = whole
        again[run] = added_at(symbols, edges.callee[recursive], calls[recursive])
    total = np.maximum(own - again, 0)
    costs = replace(edges, baseline_total=edges.baseline_calls, target_total=edges.target_calls)
    values = {"self_value": read_only(own), "total_value": read_only(total)}
    return replace(comparison, metric=CALLS, sampling=replace(comparison.sampling, period=None), edges=costs, **values)


def _check(columns: Sequence[IntArray]) -> None:
    if sum(float(column.sum(dtype=np.float64)) for column in columns) > float(1 << 62):
        raise ComparisonError("all runs", "their calls and edges add up to more than 62 bits; compare fewer runs")


def significant_rows(tree: CallTree, runs: Sequence[IntArray], baselines: int, period: int | None) -> BoolArray | None:
    """Return whether the change of each row is significant, or None for too few runs or an empty run.

    ``runs`` contains the self values of each run. The first row of the bool array is for inclusive values, and the
    second row is for self values.
    """
    if min(baselines, len(runs) - baselines) < ENOUGH_RUNS or not all(own.any() for own in runs):
        return None
    return read_only(significant((np.stack([tree.totals(own), own]) for own in runs), baselines, period))


def significant(runs: Iterable[IntArray], baselines: int, period: int | None) -> BoolArray:
    """Return whether the change of each element is significant. The first ``baselines`` runs are the baseline.

    If each sample has the value ``period``, the standard error is at least that of a Poisson distribution.
    """
    remaining = iter(runs)
    sides = [_moments(islice(remaining, baselines)), _moments(remaining)]
    shift = np.abs(sides[1][1] - sides[0][1])
    variance = sum(squares / count for count, _, squares in sides)
    counting = sum((period or 0) * mean / count for count, mean, _ in sides)
    # with 3 instead of 4 standard errors, a few of the thousands of rows in a tree would be significant by chance
    return np.asarray((shift > 0) & (shift >= 4.0 * np.sqrt(np.maximum(variance, counting))))


def _moments(runs: Iterable[IntArray]) -> tuple[int, FloatArray, FloatArray]:
    """Return the number of runs, and the mean and the variance of each element, without holding all runs in memory."""
    iterator = iter(runs)
    first = next(iterator).astype(np.float64)
    count, sums, squares = 1, np.zeros_like(first), np.zeros_like(first)
    for values in iterator:
        away = values - first  # the first run is subtracted to avoid cancellation
        count += 1
        sums += away
        squares += away * away
    return count, first + sums / count, np.maximum(squares - sums * sums / count, 0.0) / (count - 1)
