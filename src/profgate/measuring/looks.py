"""The planned looks of a measurement, and what a change must reach at each.

A look is an analysis of the runs so far. If code is unchanged, all looks together are red with a probability of about
0.005. Each of two machines may err more often, because both must agree, and a change must also exceed what another
placement of the same code can show on a machine.
"""

from profgate.decide.judge.machines import placement_of
from profgate.model.levels import DEVIATIONS, LISTED, RED
from profgate.model.measurement import Look

RUNS = (10, 20, 40)  # runs of each side at the looks: 5, 10 and 20 blocks
FEWEST = 5  # runs of each side at the only look of a small budget
# levels at the looks of a measurement that confirms no earlier comparison, and of one that does
OF_ALL, OF_SUSPECTS = (0.001, 0.002, 0.003), (0.004, 0.006, 0.010)
OF_COUNTS = Look(2, 0.001)  # decides about counts whose runs are equal; 6 splits cannot reach the level


def planned(most: int, *, counts: bool, machines: int = 0, functions: int = 0, once: bool = False) -> tuple[Look, ...]:
    """Return the looks if at most this many runs of each side fit into the budget, or none if they are too few.

    The last look is as late as possible, with the levels that are left. With ``counts``, profiles count events. The
    effect of placement is the smallest that two machines can find by this number of ``functions``. With ``once``, there
    is one look, which spends no level on earlier ones.
    """
    if counts and most >= OF_COUNTS.runs and not once:
        return (OF_COUNTS, *planned(most, counts=False, machines=machines, functions=functions))
    if most < FEWEST:
        return ()
    levels = OF_SUSPECTS if machines else OF_ALL
    last = min(most, RUNS[-1])
    if last > FEWEST + 2:  # complete blocks
        last -= last % 2
    placement = placement_of([(0.0, 0.0)] * functions if machines > 1 else [])
    early = 0 if once else sum(runs < last for runs in RUNS)
    left = min(sum(levels[early:]), LISTED if machines else RED)
    ends = zip((*RUNS[:early], last), (*levels[:early], left), strict=True)
    return tuple(Look(runs, level, None, DEVIATIONS[machines], placement) for runs, level in ends)
