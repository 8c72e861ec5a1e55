"""The planned looks of a measurement, and what a change must reach at each.

A look is an analysis of the runs so far. If code is unchanged, all looks together are red with a probability of about
0.005 for locations that no earlier comparison listed. Listed locations have higher levels, because two independent
measurements must agree. If two machines must agree, each of them may err more often, but a change must also exceed what
another placement of the same code can show on a machine.
"""

from typing import NamedTuple

from profgate.decide.judge.machines import DEVIATIONS, placement_of
from profgate.model.levels import LISTED, RED
from profgate.model.measurement import Look

RUNS = (10, 20, 40)  # runs of each side at the looks: 5, 10 and 20 blocks
FEWEST = 5  # runs of each side at the only look of a small budget


class Levels(NamedTuple):
    """The levels at the looks, and how many standard deviations a change must exceed, with the effect of placement."""

    listed: tuple[float, float, float]
    others: tuple[float, float, float]
    deviations: float


# by the number of machines that must agree; 0 stands for a measurement that confirms no earlier comparison
LEVELS = {
    0: Levels((0.004, 0.008, 0.013), (0.001, 0.002, 0.003), 0.0),
    1: Levels((0.004, 0.008, 0.013), (0.001, 0.002, 0.003), 3.5),
    2: Levels((0.004, 0.006, 0.010), (0.004, 0.006, 0.010), DEVIATIONS),
}
OF_COUNTS = Look(2, 0.001, 0.0)  # decides about counts whose runs are equal; 6 splits reach no level


def planned(most: int, *, counts: bool, machines: int = 0, functions: int = 0) -> tuple[Look, ...]:
    """Return the looks if at most this many runs of each side fit into the budget, or none if they are too few.

    The last look is as late as possible, with the levels that are left. With ``counts``, profiles count events. The
    effect of placement is the smallest that two machines can find by this number of ``functions``.
    """
    if counts and most >= OF_COUNTS.runs:
        return (OF_COUNTS, *planned(most, counts=False, machines=machines, functions=functions))
    if most < FEWEST:
        return ()
    levels = LEVELS[machines]
    last = min(most, RUNS[-1])
    if last > FEWEST + 2:  # complete blocks
        last -= last % 2
    placement = placement_of([0.0] * functions if machines > 1 else [])
    looks = [
        Look(runs, levels.listed[number], levels.others[number], None, levels.deviations, placement)
        for number, runs in enumerate(RUNS)
        if runs < last
    ]
    listed, others = (sum(column[len(looks) :]) for column in levels[:2])
    others = min(others, LISTED if machines > 1 else RED)
    return (*looks, Look(last, min(listed, LISTED), others, None, levels.deviations, placement))
