"""Confirmation of a suspected change with new interleaved runs of both sides on one machine.

Locations are matched by name and by the end of their path, because the two checkouts are in different folders.
"""

import math

import numpy as np

from profgate.detect.location_costs import BETWEEN_RUNS, Ratios, sampling_variance, within_sides
from profgate.detect.permutation import p_of_one, splits_of
from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.change import Location
from profgate.model.comparison import Comparison
from profgate.model.tests import Second


def second_measurement(
    comparison: Comparison, location: Location, *, total: bool, subtree: bool = False, worse: int = 1
) -> Second | None:
    """Return the result of the new runs for a location or the total, or None if the new runs contain no such cost.

    If ``subtree`` is true, the cost of the location includes all functions below it. ``worse`` is the sign of a change
    for the worse.
    """
    totals = np.asarray(comparison.run_totals, dtype=np.float64)
    if (totals <= 0).any():
        return None
    if total:
        return _second(comparison, totals, worse, whole=None)
    rows = _rows(comparison, location)
    if not rows.any():
        return None
    factors = within_sides(Ratios(comparison.self_value.astype(np.float64)).common_factors(), comparison.runs.target)[0]
    values = comparison.total_value if subtree else comparison.self_value
    costs = values[:, rows].sum(axis=1) / factors
    return _second(comparison, costs, worse, whole=float((totals / factors).mean())) if (costs > 0).any() else None


def _second(comparison: Comparison, values: FloatArray, worse: int, whole: float | None) -> Second:
    runs = comparison.runs
    before, after = map(float, runs.means(values))
    sample = comparison.sample_values
    per_sample = float(sample.mean()) if sample is not None else 0.0
    spread = BETWEEN_RUNS[comparison.metric.kind]
    sampling = float(sampling_variance(np.array([values.mean()]), per_sample, spread)[0])
    p = p_of_one(values, sampling, splits_of(runs.baseline, runs.target), worse)
    ratio = after / before if before > 0 else math.inf
    delta = (after - before) / whole if whole else ratio - 1.0
    return Second(p, ratio, delta, (runs.baseline, runs.target))


def _rows(comparison: Comparison, location: Location) -> BoolArray:
    symbols = comparison.symbols
    pairs = zip(symbols.names, symbols.files, strict=True)
    return np.array([name == location.name and _same_file(file, location.file) for name, file in pairs], np.bool_)


def _same_file(here: str | None, there: str | None) -> bool:
    """Return whether two paths may refer to the same file, that is, whether their last two components are equal.

    If a path has only one component, only the file names are compared.
    """
    if here is None or there is None:
        return here == there
    parts, others = ([part for part in path.replace("\\", "/").split("/") if part] for path in (here, there))
    common = min(len(parts), len(others), 2)
    return parts[-common:] == others[-common:]
