"""Exact call counts of both sides: of every path where the format has stacks, of every edge where it has a graph."""

from collections.abc import Sequence

import numpy as np

from profgate.errors import ComparisonError
from profgate.model.arrays import BoolArray, IntArray, read_only
from profgate.model.call_tree import TreeShape, added_at, with_children
from profgate.model.comparison import CallEdges
from profgate.model.profile import CallGraph, Stacks

MAX_SUM = float(1 << 62)


def path_calls(
    bodies: Sequence[Stacks | None], leaf_rows: Sequence[IntArray], shape: TreeShape, dropped: BoolArray
) -> IntArray | None:
    """int64[row]: how often the runs of one side called exactly this path; None where a run does not count calls.

    ``leaf_rows`` int64[leaf] for each run; rows that filters dropped, with all below them, have no calls. Raises
    ComparisonError for counts that do not fit.
    """
    counted = [body.calls for body in bodies if body is not None and body.calls is not None]
    if len(counted) != len(bodies):
        return None
    _check(counted)
    calls = np.zeros(len(shape), np.int64)
    for rows, of_run in zip(leaf_rows, counted, strict=True):
        calls += added_at(len(shape), rows, of_run)
    calls[with_children(shape, (~dropped).astype(np.int64)) == 0] = 0
    return read_only(calls)


def call_edges(
    graphs: Sequence[CallGraph], maps: Sequence[IntArray], totals: Sequence[IntArray], symbols: int, baselines: int
) -> CallEdges:
    """The edges of all runs laid over each other, by (caller, callee); the first ``baselines`` runs are the baseline.

    ``maps`` int64[local frame] and ``totals`` int64[edge] (in stored units of the metric) for each run. Raises
    ComparisonError for values that do not fit.
    """
    _check([*totals, *(graph.edge_calls for graph in graphs), *(graph.calls for graph in graphs)])
    keys = [
        mapping[graph.caller] * symbols + mapping[graph.callee] for graph, mapping in zip(graphs, maps, strict=True)
    ]
    known = np.unique(np.concatenate(keys))
    values = np.zeros((2, 2, len(known)), np.int64)
    calls = np.zeros((2, symbols), np.int64)
    for run, (graph, mapping, total) in enumerate(zip(graphs, maps, totals, strict=True)):
        side, edge = int(run >= baselines), np.searchsorted(known, keys[run])
        values[0, side] += added_at(len(known), edge, total)
        values[1, side] += added_at(len(known), edge, graph.edge_calls)
        calls[side] += added_at(symbols, mapping, graph.calls)
    caller, callee = np.divmod(known, symbols) if symbols else (known, known)
    columns = (caller, callee, *values[0], *values[1], *calls)
    return CallEdges(*(read_only(column) for column in columns))


def _check(columns: Sequence[IntArray]) -> None:
    if sum(float(column.sum(dtype=np.float64)) for column in columns) > MAX_SUM:
        raise ComparisonError("all runs", "their calls and edges add up beyond 62 bits; compare fewer runs")
