"""Whether times tell of the machine rather than of the code: how steady base runs are, and the pace of the sides."""

import math

import numpy as np

from profgate.detect.base import independent
from profgate.model.comparison import Comparison
from profgate.model.units import MetricKind

STEADY_JOBS = 3  # base runs from which their scatter says something
# ln: unchanged cProfile recordings on a machine with several programs for each processor scattered by 0.2 to 0.5, and
# 35 of 36 comparisons of them that were red lay beyond this in one of the two ways; by the processor's clock the same
# programs scattered by 0.06 to 0.15
BEYOND = 0.2
# ln: samples of unchanged programs on such a machine scattered by 0.2 to 0.6 in all, and one run in sixteen held a wait
# of 60 samples in one function; machines that do nothing else scatter by 0.03 to 0.05
BEYOND_ALONE = 0.1


def scatter_of_totals(comparison: Comparison) -> float | None:
    """The standard deviation of ln totals of base runs, one of each job; None where they are too few to say."""
    runs = comparison.runs
    totals = np.concatenate([comparison.run_totals[: runs.baseline], comparison.noise_totals])
    firsts = totals[np.unique(np.array(runs.base_jobs, np.int64), return_index=True)[1]]
    return None if len(firsts) < STEADY_JOBS or (firsts <= 0).any() else float(np.log(firsts).std(ddof=1))


def _told(scatter: float) -> str:
    return f"scatter by {100.0 * math.expm1(scatter):.0f} %, as on a busy machine"


def _alone_on_a_busy_machine(comparison: Comparison) -> str:
    runs, scatter = comparison.runs, scatter_of_totals(comparison) or 0.0
    single = min(independent(runs.baseline, runs.baseline_jobs), independent(runs.target, runs.target_jobs)) == 1
    if not single or scatter <= BEYOND_ALONE:
        return ""
    return (
        f"the totals of base runs {_told(scatter)}, and one run cannot tell an interruption from a change: advisory, "
        "record three runs or more"
    )


def disturbance(comparison: Comparison, centre: float) -> str:
    """Why the locations of timed values are advisory, else an empty text.

    ``centre`` is the log ratio of shares that most locations have in common. A clock that counts waiting gives every
    function some of it, though not in proportion to its share.
    """
    if comparison.metric.kind is MetricKind.SAMPLED:
        return _alone_on_a_busy_machine(comparison)
    if comparison.metric.kind is not MetricKind.TIMED:
        return ""
    split = comparison.runs.baseline
    pace = centre + math.log(comparison.run_totals[split:].mean() / comparison.run_totals[:split].mean())
    if abs(pace) > BEYOND:
        return f"most functions take {math.exp(pace):.2f}x their time, as on a busy or another machine: advisory"
    scatter = scatter_of_totals(comparison) or 0.0
    return f"the times of base runs {_told(scatter)}: advisory" if scatter > BEYOND else ""
