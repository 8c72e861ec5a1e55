"""Conversion of stored values to sample counts."""

from typing import TYPE_CHECKING

from profgate.model.comparison import Comparison
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import COUNTS, MetricKind

if TYPE_CHECKING:
    from profgate.model.arrays import FloatArray


def sample_counts(comparison: Comparison) -> tuple[float, float] | None:
    """Return the number of samples of each side, or None if it is unknown. The value of a sample may differ by run."""
    metric, values, noise = comparison.metric, comparison.sampling.values, comparison.noise.sample_values
    if metric.kind is not MetricKind.SAMPLED:
        return None
    scale: FloatArray | float = metric.scale
    if values is not None and noise is not None and (values > 0).all() and (noise > 0).all():
        scale = 1.0 / values
    elif comparison.sampling.period is not None and comparison.sampling.period > 0:
        scale = 1.0 / comparison.sampling.period
    elif metric.unit != "samples":
        return None
    counts, split = comparison.run_totals * scale, comparison.runs.baseline
    return float(counts[:split].sum()), float(counts[split:].sum())


def counts_apart(comparison: Comparison) -> Reason | None:
    """Return a reason if only shares can be compared because sampling rates differ, otherwise None."""
    metric = comparison.metric
    rates = metric.kind is MetricKind.SAMPLED and metric.unit in COUNTS
    rates_differ = [note.reason.parameters for note in comparison.notes if note.reason.code is ReasonCode.RATES_DIFFER]
    return Reason(ReasonCode.RATES_APART, rates_differ[0]) if rates and rates_differ else None
