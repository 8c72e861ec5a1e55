"""Options and rules of the change point detection, which runs on the history and not on a comparison."""

from collections.abc import Mapping
from typing import Any

from profgate.detect.strategy import not_tested, resolved
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.reason import Reason, ReasonCode


class ChangePoint:
    """Finds where the total of a workload or the share of a function changed lastingly along the base branch.

    E-divisive (Matteson and James, 2014) with its permutation test, held to Welch's t test between neighbouring
    segments; changes of one direction that a line explains better than steps are one drift, reported once. Works on the
    history alone: `profgate trends`, the base runs of the action, and the noise of every comparison, which is taken
    from the runs since the last change. Confidence: Welch's two-sided p. It needs `min_segment` commits before and
    after the change, so it never judges a pull request; it fails on changes below `min_magnitude`, on those that are
    reverted within `min_segment` commits, and where the machine changed with the code.
    """

    name = "change_point"
    short = "cp"
    family = "T"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("p", 0.001, "Welch's p below which neighbouring segments differ", 1e-12, 0.5),
        OptionSpec("window", 50, "commits that are examined together", 8, 1000),
        OptionSpec("min_segment", 4, "fewest commits of a level", 2, 100),
        OptionSpec("min_magnitude", 0.02, "relative change of a level that is reported", 0.0, 10.0),
    )

    def detect(
        self,
        comparison: Comparison,  # noqa: ARG002 - the shape of every strategy
        options: Mapping[str, Any],
        context: Context,  # noqa: ARG002 - the same
    ) -> Detection:
        """A detection without rows: two sides are no history."""
        return not_tested(self, resolved(self, options), Reason(ReasonCode.HISTORY_NEEDED), unsuited=True)
