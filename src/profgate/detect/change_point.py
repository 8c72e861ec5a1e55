"""Where the history of a series changed for good: bounded by rules like every strategy, but run on the history."""

from collections.abc import Mapping
from typing import Any

from profgate.detect.strategy import not_tested, resolved
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason, ReasonCode


class ChangePoint:
    """Where the total of a workload or the share of a function changed for good along the base branch.

    E-divisive (Matteson and James, 2014) with its permutation test, held to Welch's t test between neighbouring
    segments; changes of one direction that a line explains better than steps are one drift, reported once. Works on the
    history alone: `profgate trends`, the base runs of the action, and the noise of every comparison, which is learned
    since the last change. Confidence: Welch's two-sided p. It needs `min_segment` commits after the change as well as
    before it, so it never judges a pull request and takes part in no comparison; it fails on changes below
    `min_magnitude`, on those that are taken back within `min_segment` commits, and where the machine changed with the
    code.
    """

    name = "change_point"
    short = "cp"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("p", 0.001, "Welch's p below which neighbouring segments differ", 1e-12, 0.5),
        OptionSpec("window", 50, "commits that are looked at together", 8, 1000),
        OptionSpec("min_segment", 4, "commits that a level lasts at the least", 2, 100),
        OptionSpec("min_magnitude", 0.02, "relative change of a level that is reported", 0.0, 10.0),
    )

    def detect(
        self,
        comparison: Comparison,  # noqa: ARG002 - the shape of every strategy
        options: Mapping[str, Any],
        context: Context,  # noqa: ARG002 - the same
    ) -> Detection:
        """Nothing: two sides are no history."""
        return not_tested(self, resolved(self, options), Reason(ReasonCode.HISTORY_NEEDED), unsuited=True)
