"""Whether times tell of the machine rather than of the code: how steady base runs are, and the pace of the sides."""

import math

import numpy as np

from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind

STEADY_JOBS = 3  # base runs from which their scatter says something
# ln: unchanged cProfile recordings on a machine with several programs for each processor scattered by 0.2 to 0.5, and
# 35 of 36 comparisons of them that were red lay beyond this in one of the two ways; by the processor's clock the same
# programs scattered by 0.06 to 0.15
BEYOND = 0.2


def disturbance(comparison: Comparison, centre: float) -> str:
    """Why the locations of timed values are advisory, else an empty text.

    ``centre`` is the log ratio of shares that most locations have in common. A clock that counts waiting gives every
    function some of it, though not in proportion to its share.
    """
    if comparison.metric.kind is not MetricKind.TIMED:
        return ""
    split, runs = comparison.runs.baseline, comparison.runs
    pace = centre + math.log(comparison.run_totals[split:].mean() / comparison.run_totals[:split].mean())
    if abs(pace) > BEYOND:
        return f"most functions take {math.exp(pace):.2f}x their time, as on a busy or another machine: advisory"
    totals = np.concatenate([comparison.run_totals[:split], comparison.noise_totals])
    firsts = totals[np.unique(np.array(runs.base_jobs, np.int64), return_index=True)[1]]
    if len(firsts) < STEADY_JOBS or (firsts <= 0).any():
        return ""
    scatter = float(np.log(firsts).std(ddof=1))
    if scatter > BEYOND:
        return f"the times of base runs scatter by {100.0 * math.expm1(scatter):.0f} %, as on a busy machine: advisory"
    return ""
