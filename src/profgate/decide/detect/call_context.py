"""Comparison of calling contexts, which finds those that were added, removed or moved, or became slower or faster."""

from collections.abc import Mapping
from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from profgate.decide.detect.strategy import counts_apart, not_tested, resolved, worse_sign
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Columns, Context, ContextShift, Detection, Kind, OptionSpec
from profgate.model.comparison import Comparison, DiffTree, sample_counts
from profgate.model.reason import Reason, ReasonCode
from profgate.statistics.thresholds import at_least, tolerance

CHANGED = frozenset({"changed", "added", "removed"})  # source states of changed code


class State(IntEnum):
    """State of one calling context. For every metric, "slower" means a change for the worse."""

    UNCHANGED = 0
    ADDED = 1
    REMOVED = 2
    SLOWER = 3
    FASTER = 4


def _thresholds(
    comparison: Comparison, options: Mapping[str, Any], share_from: FloatArray, share_to: FloatArray
) -> FloatArray:
    """Return each context's smallest shift that is a change: for samples, at least ``sigma`` standard errors."""
    bar, samples = np.full(len(share_from), options["min_shift"]), sample_counts(comparison)
    if samples is None:
        return bar
    variance = share_from * (1.0 - share_from) / samples[0] + share_to * (1.0 - share_to) / samples[1]
    return np.asarray(np.maximum(bar, options["sigma"] * np.sqrt(np.maximum(variance, 0.0))))


class ContextTable(NamedTuple):
    """All calling contexts of a comparison, including the root, with one element per row of the call tree.

    Costs are inclusive means over runs in stored units, and shares are fractions of the total cost on the same side.
    ``threshold`` is the smallest shift that counts as a change. ``state`` contains `State` codes, and the root is
    always unchanged.
    """

    baseline: FloatArray
    target: FloatArray
    share_from: FloatArray
    share_to: FloatArray
    threshold: FloatArray
    state: IntArray

    @property
    def shift(self) -> FloatArray:
        """Target share minus baseline share."""
        return self.share_to - self.share_from


def context_table(comparison: Comparison, tree: DiffTree, options: Mapping[str, Any]) -> ContextTable:
    """Return all contexts with their states. The totals of both sides must be positive."""
    before, after = tree.baseline_total, tree.target_total
    share_from, share_to = before / float(before[0]), after / float(after[0])
    threshold = _thresholds(comparison, options, share_from, share_to)
    baseline, target = before / comparison.runs.baseline, after / comparison.runs.target
    sign = worse_sign(comparison.metric)
    shift, delta = sign * (share_to - share_from), sign * (target - baseline)
    if counts_apart(comparison):
        delta = shift
    state = np.full(len(before), int(State.UNCHANGED), dtype=np.int64)
    # a share also falls if other costs grow, so share and cost must change in the same direction
    state[(shift >= threshold - tolerance(1.0)) & (delta > 0)] = State.SLOWER
    state[(-shift >= threshold - tolerance(1.0)) & (delta < 0)] = State.FASTER
    # a context exists on a side if it has cost or calls there
    known_before, known_after = (
        (value != 0) | (count is not None and count != 0)
        for value, count in ((before, tree.baseline_calls), (after, tree.target_calls))
    )
    state[known_after & ~known_before] = State.ADDED
    state[known_before & ~known_after] = State.REMOVED
    state[0] = State.UNCHANGED
    return ContextTable(baseline, target, share_from, share_to, threshold, state)


def kinds_of(state: IntArray, shift: FloatArray, changed: BoolArray, severe_shift: float) -> IntArray:
    """Return the kind of each context. If the source is not known to have changed, the kind is a possible change."""
    full = np.where(at_least(np.abs(shift), severe_shift), Kind.SEVERE_DEGRADATION, Kind.DEGRADATION)
    strength = np.where(changed, full, Kind.MAYBE_DEGRADATION).astype(np.int64)
    states = (State.SLOWER, State.FASTER, State.ADDED, State.REMOVED)
    new, gone = (np.full(len(state), kind, np.int64) for kind in (Kind.NOT_IN_BASELINE, Kind.NOT_IN_TARGET))
    return np.select([state == each for each in states], [strength, -strength, new, gone], Kind.NO_CHANGE)


class CallContext:
    """Finds calling contexts (call paths from the root) that were added or removed, or became slower or faster.

    The strategy works on profiles with stacks. A context is slower if its share of the run rose by at least the minimum
    shift and its cost also rose. For sample counts, the shift must be at least three standard errors. The callers of a
    slower context are slower too. The strategy has no confidence value, because a shift caused by chance or a busy
    machine looks the same as a shift caused by the code. The strategy reports a possible change unless the sources of
    both commits show that the function changed. The strategy fails if frames are missing or stacks are truncated,
    because different contexts are then merged. The strategy reports a moved context as removed and added. If the total
    grew, a context that became only slightly cheaper may be reported as faster. Formats that store functions and calls
    but no stacks have no contexts.
    """

    name = "call_context"
    short = "ctx"
    family = "S"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("min_shift", 0.005, "smallest shift of a context's share of the run", 0.0, 1.0),
        OptionSpec("severe_shift", 0.05, "smallest severe shift of a context of a changed function", 0.0, 1.0),
        OptionSpec("sigma", 3.0, "smallest shift of sample counts, in standard errors", 0.0, 100.0),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """Return one row per context that reaches its threshold. ``counts`` contains the contexts in each state."""
        chosen = resolved(self, options)
        tree = comparison.tree
        if tree is None:
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "no_stacks"}), unsuited=True)
        if min(int(tree.baseline_total[0]), int(tree.target_total[0])) <= 0:
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "no_shares"}))
        table = context_table(comparison, tree, chosen)
        rows = np.flatnonzero((table.state != 0) & (np.abs(table.shift) >= table.threshold - tolerance(1.0)))
        symbol = tree.symbol[rows].astype(np.int64)
        source = context.source_states
        changed = np.array([source is not None and source.states[row] in CHANGED for row in symbol], dtype=np.bool_)
        state, shift = table.state[rows], table.shift[rows]
        counted = np.bincount(table.state[1:], minlength=len(State)).tolist()
        counts = {f"contexts_{each.name.lower()}": counted[each] for each in State}
        states = [State(code).name.lower() for code in state.tolist()]
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="context",
            symbol=symbol,
            kind=kinds_of(state, shift, changed, chosen["severe_shift"]),
            from_value=table.baseline[rows],
            to_value=table.target[rows],
            details=Columns(
                ContextShift,
                {
                    "of": "contexts",
                    "state": states,
                    "shift": shift,
                    "threshold": table.threshold[rows],
                    "calls_from": _calls(tree.baseline_calls, rows),
                    "calls_to": _calls(tree.target_calls, rows),
                },
            ),
            counts=counts,
            node=rows,
        )


def _calls(calls: IntArray | None, rows: IntArray) -> FloatArray | None:
    return None if calls is None else calls[rows].astype(np.float64)
