"""The planned looks of a measurement, and their significance levels.

A look is an analysis of the runs so far. If code is unchanged, all looks together are red with a probability of at most
0.005 for locations that no earlier comparison listed. Listed locations have higher levels, because two independent
measurements must agree.
"""

from profgate.model.measurement import Look

RUNS = (5, 8, 12)  # runs of each side at the looks
LISTED = (0.004, 0.01, 0.02)
OTHERS = (0.0, 0.002, 0.003)  # 5 + 5 runs have 252 splits, too few for a level that leaves enough for the later looks
FEWEST, SECOND, MOST = RUNS
OF_COUNTS = Look(2, 0.001, 0.0)  # decides about counts whose runs are equal; 6 splits reach no level


def planned(most: int, *, counts: bool) -> tuple[Look, ...]:
    """Return the looks if at most this many runs of each side fit into the budget, or none if they are too few.

    The last look is as late as possible, with the levels that are left. With ``counts``, profiles count events.
    """
    if counts and most >= OF_COUNTS.runs:
        return (OF_COUNTS, *planned(most, counts=False))
    if most < FEWEST:
        return ()
    last = min(most, MOST)
    if last == MOST:
        return tuple(map(Look, RUNS, LISTED, OTHERS))
    first = (Look(FEWEST, LISTED[0], OTHERS[0]),) if last >= SECOND else ()
    return (*first, Look(last, LISTED[-1], sum(OTHERS)))
