"""Comparison of calling contexts, which finds those that were added, removed or moved, or became slower or faster."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.decide.detect.strategy import counts_apart, new_or_gone, not_tested, resolved, worse_sign
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Columns, Context, ContextShift, Detection, Kind, OptionSpec
from profgate.model.comparison import Comparison, sample_counts
from profgate.model.reason import Reason, ReasonCode
from profgate.statistics.thresholds import at_least, tolerance

CHANGED = frozenset({"changed", "added", "removed"})  # source states of changed code


def _thresholds(
    comparison: Comparison, options: Mapping[str, Any], share_from: FloatArray, share_to: FloatArray
) -> FloatArray:
    """Return each context's smallest shift that is a change: for samples, at least ``sigma`` standard errors."""
    bar, samples = np.full(len(share_from), options["min_shift"]), sample_counts(comparison)
    if samples is None:
        return bar
    variance = share_from * (1.0 - share_from) / samples[0] + share_to * (1.0 - share_to) / samples[1]
    return np.asarray(np.maximum(bar, options["sigma"] * np.sqrt(np.maximum(variance, 0.0))))


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
        """Return one row per context that reaches its threshold. Costs are inclusive means over runs."""
        chosen, tree, sign = resolved(self, options), comparison.tree, worse_sign(comparison.metric)
        if tree is None:
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "no_stacks"}), unsuited=True)
        before, after = tree.baseline_total, tree.target_total
        if min(int(before[0]), int(after[0])) <= 0:
            return not_tested(self, Reason(ReasonCode.CANNOT_TEST, {"case": "no_shares"}))
        share_from, share_to = before / float(before[0]), after / float(after[0])
        shift, threshold = share_to - share_from, _thresholds(comparison, chosen, share_from, share_to)
        baseline, target = before / comparison.runs.baseline, after / comparison.runs.target
        delta = shift if counts_apart(comparison) else target - baseline
        # a context exists on a side if it has cost or calls there
        known = np.stack([_exists(before, tree.baseline_calls), _exists(after, tree.target_calls)])
        # a share also falls if other costs grow, so share and cost must change in the same direction
        moved = (shift * delta > 0) | (known[0] != known[1])
        moved[0] = False  # the root
        rows = np.flatnonzero(moved & (np.abs(shift) >= threshold - tolerance(1.0)))
        symbol, source = tree.symbol[rows].astype(np.int64), context.source_states
        changed = np.array([source is not None and source.states[row] in CHANGED for row in symbol], dtype=np.bool_)
        severe = at_least(np.abs(shift[rows]), chosen["severe_shift"])
        full = np.where(severe, np.int64(Kind.SEVERE_DEGRADATION), np.int64(Kind.DEGRADATION))
        # if the source is not known to have changed, the kind is a possible change
        strength = np.where(changed, full, np.int64(Kind.MAYBE_DEGRADATION))
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="context",
            symbol=symbol,
            kind=new_or_gone(known[:, rows], np.where(sign * shift[rows] > 0, strength, -strength)),
            from_value=baseline[rows],
            to_value=target[rows],
            details=Columns(
                ContextShift,
                {
                    "of": "contexts",
                    "shift": shift[rows],
                    "threshold": threshold[rows],
                    "calls_from": _calls(tree.baseline_calls, rows),
                    "calls_to": _calls(tree.target_calls, rows),
                },
            ),
            node=rows,
        )


def _exists(values: IntArray, calls: IntArray | None) -> BoolArray:
    return np.asarray((values != 0) | (calls is not None and calls != 0))


def _calls(calls: IntArray | None, rows: IntArray) -> FloatArray | None:
    return None if calls is None else calls[rows].astype(np.float64)
