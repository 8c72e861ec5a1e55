"""Conversion of stored values to sample counts."""

import numpy as np

from profgate.model.arrays import FloatArray
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import COUNTS, MetricKind


def count_scales(comparison: Comparison) -> tuple[FloatArray, FloatArray] | None:
    """Return the factors that convert stored values to sample counts, or None if they are unknown.

    Each run of both sides and each noise run has its own factor, because the value of a sample may differ between runs.
    """
    sizes = len(comparison.run_totals), len(comparison.noise_totals)
    values = comparison.sample_values, comparison.noise_sample_values
    if values[0] is not None and values[1] is not None and (values[0] > 0).all() and (values[1] > 0).all():
        return 1.0 / values[0], 1.0 / values[1]
    if comparison.period is not None and comparison.period > 0:
        return np.full(sizes[0], 1.0 / comparison.period), np.full(sizes[1], 1.0 / comparison.period)
    scale = comparison.metric.scale
    return (np.full(sizes[0], scale), np.full(sizes[1], scale)) if comparison.metric.unit == "samples" else None


def sample_counts(comparison: Comparison) -> tuple[float, float] | None:
    """Return the number of samples of each side, or None if it is unknown or zero."""
    scales = count_scales(comparison) if comparison.metric.kind is MetricKind.SAMPLED else None
    if scales is None:
        return None
    counts, split = comparison.run_totals * scales[0], comparison.runs.baseline
    return float(counts[:split].sum()), float(counts[split:].sum())


def counts_apart(comparison: Comparison) -> Reason | None:
    """Return a reason if only shares can be compared because sampling rates differ, otherwise None."""
    metric = comparison.metric
    rates = metric.kind is MetricKind.SAMPLED and metric.unit in COUNTS
    found = [note.reason.parameters for note in comparison.notes if note.reason.code is ReasonCode.RATES_DIFFER]
    return Reason(ReasonCode.RATES_APART, found[0]) if rates and found else None
