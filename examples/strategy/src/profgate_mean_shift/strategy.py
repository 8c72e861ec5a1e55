"""The strategy mean_shift."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from profgate.decide.detect.strategy import directed, not_tested, one_sided, resolved, worse_sign
from profgate.model.change import Context, Detection, Kind, OptionSpec
from profgate.model.comparison import Comparison
from profgate.statistics.thresholds import at_least


class MeanShift:
    """Finds functions whose own cost changed by more than a given part of the run.

    Works on the exclusive cost of any profile, as means over runs. It states no confidence: a threshold ignores
    noise, so it reports at most a maybe. It fails where runs of unchanged code differ by more than the threshold.
    """

    name = "mean_shift"
    short = "ms"
    family = "A"  # strategies of a family have one vote: T calibrated tests, A amounts, M models, S stacks
    options: tuple[OptionSpec, ...] = (
        OptionSpec("part", 0.01, "smallest change as a part of the baseline's total", 0.0, 1.0),
    )

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:  # noqa: ARG002 - a strategy may use the sources
        """One row for each function with cost of its own on either side."""
        chosen = resolved(self, options)
        baseline, target = comparison.runs.means(comparison.self_value)
        total = float(comparison.runs.means(comparison.run_totals)[0])
        if total <= 0.0:
            return not_tested(self, "the baseline's total is zero")
        rows = np.flatnonzero((baseline != 0.0) | (target != 0.0))
        change = (target - baseline)[rows]
        part = change / total
        maybe = directed(Kind.MAYBE_DEGRADATION, worse_sign(comparison.metric) * change > 0)
        kinds = np.where(at_least(np.abs(part), chosen["part"]), maybe, np.int64(Kind.NO_CHANGE))
        return Detection(
            strategy=self.name,
            family=self.family,
            subtype="amount",
            symbol=rows,
            kind=one_sided(comparison, rows, kinds),
            from_value=baseline[rows],
            to_value=target[rows],
        )
