"""Builds the timelines of both sides of a comparison: the self values of tree rows by thread and time."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from profgate.compare.columns import Forest, factor_of, place_of
from profgate.model.arrays import IntArray
from profgate.model.call_tree import added_at
from profgate.model.profile import Profile
from profgate.model.timeline import Timeline, joined
from profgate.model.units import Metric


def side_timeline(
    profiles: Sequence[Profile], leaf_rows: Sequence[IntArray], forest: Forest, metric: Metric, own: IntArray
) -> Timeline | None:
    """Return the timeline of one side, summed over its runs, or None if the time of any value is unknown.

    ``leaf_rows`` contains the tree row of each leaf in each profile, and ``own`` contains the self value of each tree
    row.
    """
    parts = []
    for profile, rows in zip(profiles, leaf_rows, strict=True):
        timeline = None if profile.stacks is None else profile.stacks.timeline
        place = place_of(profile, metric)
        if timeline is None or place is None:
            return None
        values = timeline.values[place : place + 1] * factor_of(profile, place, metric)
        row = np.append(rows, 0)[timeline.row]
        parts.append(replace(timeline, values=values).chosen((values[0] != 0) & ~forest.dropped[row], row))
    found = joined(parts)
    complete = np.array_equal(added_at(len(own), found.row, found.values[0]), own)
    return found if len(found.row) and complete else None
