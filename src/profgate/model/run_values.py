"""The costs of each run, as the tests of a comparison use them."""

from collections.abc import Mapping
from dataclasses import dataclass

from profgate.model.arrays import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class RunValues:
    """The costs of one comparison by run, in stored units of the metric.

    The float64 arrays have one element per run: first the ``earlier`` runs of other base jobs, newest first, then the
    baseline runs, then the target runs. ``totals`` contains the totals as they were recorded. ``own`` and ``inclusive``
    map a symbol to its self costs and its total costs. Both are divided by the common factor of the symbol's other
    locations in each run. ``broad`` contains the total costs of functions that account for nearly the whole run. These
    functions are not tested, and their costs are divided by ``factors``, the common factor of all locations. If
    ``waiting`` is true, functions that only wait are not part of total costs.
    """

    totals: FloatArray
    own: Mapping[int, FloatArray]
    inclusive: Mapping[int, FloatArray]
    broad: Mapping[int, FloatArray]
    factors: FloatArray
    earlier: int = 0
    waiting: bool = False
