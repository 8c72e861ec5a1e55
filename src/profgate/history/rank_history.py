"""The count of stable ranks over all runs that are kept, and where it departed from what was usual."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from profgate.model.durations import DurationRun, DurationTable, RankCheck
from profgate.statistics.stable_ranks import FEWEST_RUNS, RankRules, check

NEW_NORMAL = FEWEST_RUNS  # departures in a row that become the baseline of those who follow


@dataclass(frozen=True, slots=True)
class RankPoint:
    """One run against the usual ones before it; ``baseline`` are the labels of those."""

    run: DurationRun
    check: RankCheck
    baseline: tuple[str, ...]

    @property
    def departed(self) -> bool:
        """Whether the order left the bounds."""
        return self.check.order in {"below", "above"}


def rank_history(
    runs: Sequence[DurationRun],
    rules: RankRules,
    side_by_side: Callable[[Sequence[DurationRun], Sequence[DurationRun]], DurationTable],
    window: int = 5,
) -> tuple[RankPoint, ...]:
    """Every run in order, each compared with the last ``window`` usual runs before it.

    A run that departs is no baseline for the next one, so that one bad run spoils nothing; three departures in a row
    are the new normal. Runs of other tests or units have nothing in common and cannot tell.
    """
    usual: list[DurationRun] = []
    departed: list[DurationRun] = []
    points = []
    for run in runs:
        before = [one for one in usual if one.unit == run.unit][-window:]
        found = check(side_by_side(before, [run]), rules)
        points.append(RankPoint(run, found, tuple(one.label for one in before)))
        if found.order in {"below", "above"}:
            departed.append(run)
            if len(departed) >= NEW_NORMAL:
                usual, departed = departed, []
        else:
            usual.append(run)
            departed = []
    return tuple(points)
