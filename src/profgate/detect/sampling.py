"""How many samples stand behind stored values."""

from profgate.model.comparison import SAMPLING_RATE, Comparison
from profgate.model.units import MetricKind

COUNTS = ("samples", "count")


def count_scale(comparison: Comparison) -> float | None:
    """Factor from stored values of a sampled metric to sample counts; None where the profile does not say."""
    if comparison.period is not None and comparison.period > 0:
        return 1.0 / comparison.period
    return comparison.metric.scale if comparison.metric.unit == "samples" else None


def too_few_samples(comparison: Comparison, scale: float, bar: float) -> str:
    """The reason when a side has fewer samples than ``bar``, else an empty text."""
    split = comparison.runs.baseline
    totals = comparison.run_totals
    fewest = scale * min(int(totals[:split].sum()), int(totals[split:].sum()))
    return f"fewer than {bar:.0f} samples on a side ({fewest:.0f})" if fewest < bar else ""


def counts_apart(comparison: Comparison) -> str:
    """The reason why amounts of the sides cannot be compared, only shares: samples counted at different known rates."""
    metric = comparison.metric
    rates = metric.kind is MetricKind.SAMPLED and metric.unit in COUNTS
    notes = (note.text for note in comparison.notes if rates and note.fact == SAMPLING_RATE)
    return next((f"{text.split(';')[0]}: more samples are not more cost" for text in notes), "")
