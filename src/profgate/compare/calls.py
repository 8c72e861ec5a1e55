"""Computes exact call counts for both sides: by path for formats with stacks, by edge for formats with a call graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray, IntArray, read_only
from profgate.model.call_tree import CallTree, added_at
from profgate.model.comparison import CallEdges, Comparison
from profgate.model.units import CALLS

if TYPE_CHECKING:
    from profgate.model.profile import CallGraph, Stacks


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
    _check([*totals, *(graph.edge_calls for graph in graphs), *(graph.calls for graph in graphs)])
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
    costs = edges._replace(baseline_total=edges.baseline_calls, target_total=edges.target_calls)
    values = {"self_value": read_only(own), "total_value": read_only(total)}
    return replace(comparison, metric=CALLS, sampling=replace(comparison.sampling, period=None), edges=costs, **values)


def _check(columns: Sequence[IntArray]) -> None:
    if sum(float(column.sum(dtype=np.float64)) for column in columns) > float(1 << 62):
        raise ComparisonError("all runs", "their calls and edges add up to more than 62 bits; compare fewer runs")
