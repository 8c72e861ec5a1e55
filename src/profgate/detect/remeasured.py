"""A second measurement of a suspect: fresh runs of both sides in turns on one machine, judged by themselves.

Locations are met by name and by the end of their path, since two checkouts lie in two folders.
"""

import math

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray
from profgate.model.change import Location
from profgate.model.comparison import Comparison
from profgate.model.second_measurement import Second
from profgate.statistics.t_tests import welch


def measured_again(comparison: Comparison, location: Location, *, total: bool) -> Second | None:
    """The fresh word on a location, or on the total; None where the fresh runs hold nothing of it."""
    split = comparison.runs.baseline
    totals = np.asarray(comparison.run_totals, dtype=np.float64)
    if (totals <= 0).any():
        return None
    if total:
        return _word(totals[:split], totals[split:], share=False)
    rows = _rows(comparison, location)
    if not rows.any():
        return None
    shares = comparison.self_value[:, rows].sum(axis=1) / totals
    return _word(shares[:split], shares[split:], share=True) if (shares > 0).any() else None


def _word(before: FloatArray, after: FloatArray, *, share: bool) -> Second:
    mean_b, mean_t = float(before.mean()), float(after.mean())
    # logarithms make times of any size alike; a run without the location has none
    logs = (before > 0).all() and (after > 0).all()
    test = welch(np.log(before), np.log(after)) if logs else welch(before, after)
    ratio = mean_t / mean_b if mean_b > 0 else math.inf
    delta = mean_t - mean_b if share else ratio - 1.0
    return Second(test.p, ratio, delta, (len(before), len(after)))


def _rows(comparison: Comparison, location: Location) -> BoolArray:
    symbols = comparison.symbols
    found = np.zeros(len(symbols), dtype=np.bool_)
    for row, (name, file) in enumerate(zip(symbols.names, symbols.files, strict=True)):
        found[row] = name == location.name and _one_file(file, location.file)
    return found


def _one_file(here: str | None, there: str | None) -> bool:
    """Whether two paths may be of one file in two folders: one ends as the other, or they share folder and name."""
    if here is None or there is None:
        return here == there
    parts, others = ([part for part in path.replace("\\", "/").split("/") if part] for path in (here, there))
    common = min(len(parts), len(others), 2)
    return parts[-common:] == others[-common:]
