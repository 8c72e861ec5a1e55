"""The count of stable ranks over stored runs."""

from collections.abc import Sequence

from profgate.model.durations import DurationRun, RankPoint
from profgate.statistics.rank_checks import FEWEST_RUNS, RankRules, check, side_by_side

NEW_NORMAL = FEWEST_RUNS  # departures in a row that become the baseline of those who follow


def rank_history(runs: Sequence[DurationRun], rules: RankRules, window: int = 5) -> tuple[RankPoint, ...]:
    """Every run in order, each compared with the last ``window`` usual runs before it.

    A run that departs is no baseline for the next one, so that one bad run spoils nothing; three departures in a row
    are the new normal. Runs of other tests or units have nothing in common and are not tested.
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
