"""Strategy that defines the options of change point detection, which searches only the history of the base branch."""

from profgate.decide.detect.strategy import WithoutRows
from profgate.model.change import OptionSpec


class ChangePoint(WithoutRows):
    """Finds persistent changes in a workload's total or a function's share along the base branch.

    The strategy uses the E-divisive algorithm (Matteson and James, 2014) with its permutation test, followed by Welch's
    t test between neighbouring segments. Changes in one direction that a line explains better than steps are reported
    as a single drift. The strategy works on the history alone. It is used in `profgate trends`, for the base runs of
    the action, and to find the runs since the last change, from which the noise of every comparison is estimated. The
    confidence is Welch's two-sided p value. The strategy needs `min_segment` commits before and after the change, so it
    never judges a pull request. The strategy does not find changes below `min_magnitude` or changes that are reverted
    within `min_segment` commits. The strategy cannot distinguish a code change from a simultaneous change of machine.
    """

    name = "change_point"
    short = "cp"
    family = "T"
    needed = "history_needed"
    options: tuple[OptionSpec, ...] = (
        OptionSpec("p", 0.001, "largest p value of Welch's test at which neighbouring segments differ", 1e-12, 0.5),
        OptionSpec("window", 50, "number of commits that are examined together", 8, 1000),
        OptionSpec("min_segment", 4, "smallest number of commits in a segment", 2, 100),
        OptionSpec("min_magnitude", 0.02, "smallest reported relative change", 0.0, 10.0),
    )
