"""Strategies of the gate: tests of functions and of totals against noise between unchanged runs or jobs."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.decide.detect.evidence import Evidence, evidence_of
from profgate.decide.detect.location_costs import SELF
from profgate.decide.detect.net_changes import NetChange, net_changes, sides_of, unconfirmed_changes
from profgate.decide.detect.strategy import counts_apart, directed, not_tested, resolved, worse_sign
from profgate.model.arrays import BoolArray, FloatArray, IntArray, means
from profgate.model.calibration import Calibration
from profgate.model.change import Columns, Context, Detection, GateResult, Kind, OptionSpec
from profgate.model.comparison import WHOLE, Comparison
from profgate.model.levels import GATE_SHARE, MACHINE, OWN_FLOOR, TOTAL_FLOOR, TOTAL_MARGIN
from profgate.model.reason import Reason
from profgate.model.units import MetricKind


class CalibratedLogRatio:
    """Tests the self cost of each function and the cost of each subtree after dividing out the common factor.

    The strategy works on the functions of any profile. Comparable runs (interleaved, or files from one machine) are
    compared with a permutation test: a change is found if hardly any other split of the runs into two groups shows an
    equally large difference in any function. The confidence is the p value of that test, adjusted for all tests of the
    report. The difference between runs from different jobs is compared with the largest difference among the base jobs.
    Counts whose runs are equal on each side are compared exactly. If other costs in the callers of a function offset
    its change, the change is not reported as a change in the program. The strategy is inconclusive with fewer than four
    runs per side or fewer than 1,000 samples.
    """

    name = "calibrated_log_ratio"
    short = "clr"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("own", OWN_FLOOR, "smallest relative change of a location; can only be increased", OWN_FLOOR),
        OptionSpec("listed_share", GATE_SHARE, "smallest listed change, as a share of the run", 0.0, 1.0),
        OptionSpec("gate_share", GATE_SHARE, "smallest change that may fail the gate, as a share of the run", 0.0, 1.0),
        OptionSpec("min_abs", 0.0, "smallest absolute change that may fail the gate, in the unit of the metric", 0.0),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """Return one row for each tested function and one row for each subtree that changed.

        The statistics include the test statistic t, the p value, the ratio of t to the threshold, and the change as a
        share of the run.
        """
        chosen = resolved(self, options)
        evidence = evidence_for(comparison, context)
        if isinstance(evidence, Reason):
            return not_tested(self, evidence)
        rows = _changes(comparison, evidence)
        changed = np.array([row.symbol for row in rows], np.int64)
        unchanged = np.flatnonzero((evidence.costs.kind == SELF) & ~np.isin(evidence.costs.symbol, changed))
        kinds = np.array([_kind(row, chosen, evidence, comparison) for row in rows], np.int64)
        better = np.array([row.sign for row in rows]) * worse_sign(comparison.metric) < 0
        symbol = np.concatenate([changed, evidence.costs.symbol[unchanged]])
        place = np.append(np.array([row.place for row in rows], np.int64), unchanged)
        shown = np.append(np.array([row.shown for row in rows], np.int64), unchanged)
        before, after = sides_of(comparison, evidence, unchanged)
        before = np.append([row.before for row in rows], before)
        after = np.append([row.after for row in rows], after)
        change = after - before
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(before > 0, change / before, np.nan)
        from_value, to_value = _recorded_means(comparison, symbol, np.array([row.subtree for row in rows], np.bool_))
        names = comparison.symbols.names
        judged, net, new_callees = list[str](), list[str](), list[tuple[str, ...]]()
        for row in rows:
            judged.append("subtree" if row.subtree else "")
            net.append(row.net)
            # a change that adds thousands of functions must not list them in each row
            new_callees.append(tuple(names[callee] for callee in row.new[:100] if callee != row.symbol))
        nothing, no_callees = [""] * len(unchanged), [tuple[str, ...]()] * len(unchanged)
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="time" if comparison.metric.unit == "nanoseconds" else "amount",
            symbol=symbol,
            kind=np.concatenate([np.where(better, -kinds, kinds), np.full_like(unchanged, int(Kind.NO_CHANGE))]),
            from_value=from_value,
            to_value=to_value,
            confidence_types=["p_value"] * len(symbol),
            confidence=evidence.p[place],
            result=gate_result(
                evidence,
                place,
                shown,
                delta_share=change / evidence.costs.whole,
                ratio=ratio,
                judged=judged + nothing,
                net=net + nothing,
                new_callees=new_callees + no_callees,
            ),
            calibration=evidence.calibration,
        )


def gate_result(
    evidence: Evidence,
    places: IntArray,
    shown: IntArray,
    **known: Any,  # noqa: ANN401 - other columns
) -> Columns:
    """Return the test results of locations. The interval is that of the location in ``shown``."""
    columns: dict[str, Any] = {
        "p": evidence.p[places],
        "t": evidence.t[places],
        "distance": evidence.distance[places],
        "bound": evidence.bound[places],
    }
    if evidence.turns is not None:
        level, low, high, least, _ = evidence.turns
        columns |= {"level": np.full(len(places), level), "low": low[shown], "high": high[shown], "least": least[shown]}
    return Columns(GateResult, {**columns, **known})


def evidence_for(comparison: Comparison, context: Context) -> Evidence | Reason:
    """Return the results from the test of the whole report. Without a report, the comparison is tested on its own."""
    evidence: Evidence | Reason | None = context.evidence
    return evidence if evidence is not None else evidence_of([comparison])[0]


def _changes(comparison: Comparison, evidence: Evidence) -> list[NetChange]:
    """Return the changes to list: unconfirmed ones if runs are too few, certain ones if samples are too few."""
    reason = evidence.calibration.inconclusive
    if reason == "too_few_runs":
        from statistics import NormalDist  # imported only for few runs

        # for a small p, -inv_cdf(p) is more precise than inv_cdf(1 - p)
        bar = -NormalDist().inv_cdf(0.01 / max(1, len(evidence.t)))
        return unconfirmed_changes(comparison, evidence, 5, bar)
    changes = net_changes(comparison, evidence)
    return [row for row in changes if row.certain] if reason == "too_few_samples" else changes


def _kind(row: NetChange, options: dict[str, Any], evidence: Evidence, comparison: Comparison) -> Kind:
    """Return the kind of a change on the assumption that the change is for the worse."""
    if not row.listed or row.net == "moved":
        return Kind.NO_CHANGE
    share = abs(row.change) / evidence.costs.whole
    own = abs(row.change) / row.before if row.before > 0 and not row.new else np.inf
    if share < options["listed_share"] or (own < options["own"] and comparison.metric.kind is not MetricKind.COUNTED):
        return Kind.NO_CHANGE
    large = share >= options["gate_share"] and abs(row.change) * comparison.metric.scale >= options["min_abs"]
    large = large and own >= options["own"]
    return Kind.DEGRADATION if row.certain and large and not row.net else Kind.MAYBE_DEGRADATION


def _recorded_means(comparison: Comparison, symbol: IntArray, subtree: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of both sides for each row, without dividing by the common factor.

    ``subtree`` is a mask over the first rows that marks those about subtrees. All other rows are about self costs.
    """
    split, whole = comparison.runs.baseline, np.flatnonzero(subtree)
    values = comparison.self_value[:, symbol].astype(np.float64)
    values[:, whole] = comparison.active_total[:, symbol[whole]]
    values = np.ascontiguousarray(values.T)
    return means(values[:, :split]), means(values[:, split:])


class Totals:
    """Tests the totals of runs in the same way as functions, but without dividing out the common factor.

    The strategy works on the totals of any profile. The strategy may fail the gate in three cases: the runs of both
    sides are interleaved, the metric counts events, or the change is at least 1.5 times the threshold for functions in
    a comparison with base jobs. In the last case, a total whose functions all share a factor of up to 2 does not fail
    the gate, because a different machine could have the same effect. The confidence is the p value of the permutation
    test, adjusted for all tests of the report. The strategy is inconclusive with fewer than four runs per side.
    """

    name = "totals"
    short = "tot"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("floor", TOTAL_FLOOR, "smallest relative change of the total; can only be increased", TOTAL_FLOOR),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        """Return a detection with one row for the whole workload."""
        chosen = resolved(self, options)
        evidence = evidence_for(comparison, context)
        if isinstance(evidence, Reason):
            return not_tested(self, evidence)
        if reason := counts_apart(comparison):
            return not_tested(self, reason)
        from_value, to_value = (float(value) for value in comparison.runs.means(comparison.run_totals))
        relative = (to_value - from_value) / from_value
        shared = _shared_factor(evidence, to_value / from_value)
        beyond = _is_beyond_machines(evidence, shared, to_value)
        # the total may fail the gate only if a different machine cannot explain its change
        gates = comparison.metric.kind is MetricKind.COUNTED or bool(evidence.calibration.interleaved)
        if evidence.mode == "jobs":
            gates = shared is None and bool(evidence.distance[-1] >= TOTAL_MARGIN)
        gates = beyond or (bool(evidence.certain[-1]) and gates)
        kind = Kind.NO_CHANGE
        if (beyond or evidence.listed[-1]) and abs(relative) >= chosen["floor"]:
            kind = Kind.TOTAL_DEGRADATION if gates else Kind.MAYBE_DEGRADATION
        last = np.array([-1])
        everything = shared if shared is not None and not gates and _is_machine(shared) else np.nan
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="total",
            symbol=np.array([WHOLE]),
            kind=directed(kind, np.array([worse_sign(comparison.metric) * relative > 0])),
            from_value=np.array([from_value]),
            to_value=np.array([to_value]),
            confidence_types=["p_value"],
            confidence=evidence.p[last],
            result=gate_result(evidence, last, last, ratio=np.array([relative]), everything=np.array([everything])),
            calibration=Calibration(total_tested=True),
        )


def _shared_factor(evidence: Evidence, ratio: float) -> float | None:
    """Return the common factor of all functions if it explains at least half of the total's change, otherwise None."""
    factor = evidence.calibration.common_factor or 1.0
    size = abs(np.log(ratio))
    return factor if size > 0 and np.log(factor) * np.sign(np.log(ratio)) >= size / 2 else None


def _is_machine(factor: float) -> bool:
    """Return whether another machine could explain the factor."""
    return max(factor, 1.0 / factor) <= MACHINE


def _is_beyond_machines(evidence: Evidence, shared: float | None, after: float) -> bool:
    """Return whether all functions share a factor that is larger than any difference between machines or base jobs.

    An odd function in one base job, which raises the bound of all others, says nothing about such a factor.
    """
    if evidence.mode != "jobs" or shared is None or _is_machine(shared):
        return False
    change = float(evidence.difference[-1])
    return abs(change) > (evidence.calibration.margin or 1.0) * float(evidence.bound[-1]) * (after - change)


def noise_bar(comparison: Comparison, context: Context) -> float | None:
    """Return half the width of the total's 95 % confidence interval as a relative change, or None for single runs."""
    evidence = evidence_for(comparison, context)
    if isinstance(evidence, Reason) or min(comparison.runs.baseline, comparison.runs.target) < 2:
        return None
    return 1.96 * float(evidence.error[-1] / evidence.costs.values[-1].mean())
