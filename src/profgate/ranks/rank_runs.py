"""Computes the number of stable ranks in each stored run."""

from collections.abc import Sequence

from profgate.model.durations import DurationRun, RankPoint
from profgate.statistics.rank_checks import FEWEST_RUNS, RankRules, check, side_by_side

NEW_NORMAL = FEWEST_RUNS  # number of consecutive deviating runs after which these runs become the new baseline


def rank_history(runs: Sequence[DurationRun], rules: RankRules, window: int = 5) -> tuple[RankPoint, ...]:
    """Compare each run, in order, with the last ``window`` runs before it that did not deviate.

    A deviating run is not used as a baseline, so that a single bad run has no further effect. Three consecutive
    deviating runs become the new baseline. Runs with different tests or units are not tested.
    """
    usual: list[DurationRun] = []
    departed: list[DurationRun] = []
    points = []
    for run in runs:
        before = [earlier for earlier in usual if earlier.unit == run.unit][-window:]
        found = check(side_by_side(before, [run]), rules)
        points.append(RankPoint(run, found, tuple(earlier.label for earlier in before)))
        if points[-1].departed:
            departed.append(run)
            if len(departed) >= NEW_NORMAL:
                usual, departed = departed, []
        else:
            usual.append(run)
            departed = []
    return tuple(points)
