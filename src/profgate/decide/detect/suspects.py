"""Test of the suspects of a measurement in turns, at the significance levels of one look."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from profgate.decide.detect.location_costs import Costs, costs_of
from profgate.decide.detect.permutation import Observed, Rows, jointly_tested
from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.change import Location
from profgate.model.comparison import WHOLE, Comparison
from profgate.model.levels import SUSPECT_SHARE
from profgate.model.measurement import Look, Suspect

NO_SUSPECT, LISTED_BEFORE, OTHER = 0, 1, 2
MOST_SUSPECTS = 20  # number of functions that are suspects without having been listed, by self and by inclusive cost


class Result(NamedTuple):
    """The test of one comparison. The arrays have one element per location, except ``rises``, the family's maxima."""

    p: FloatArray
    level: FloatArray
    suspect: BoolArray
    seen: Observed
    rises: FloatArray


def tested_at(
    look: Look, comparisons: Sequence[Comparison], costs: Sequence[Costs], rows: list[Rows], share: float
) -> list[Result]:
    """Test the suspects of all comparisons with the same numbers of runs, and return one result per comparison.

    Suspects that the first comparison listed and all other suspects are two families. Locations that are no suspects
    also get a p value, because a change may belong to a caller. ``share`` is the share of the levels for these
    comparisons.
    """
    runs = comparisons[0].runs
    groups = [_groups(look, comparison, cost) for comparison, cost in zip(comparisons, costs, strict=True)]
    p = [np.ones(len(group)) for group in groups]
    level = [np.zeros(len(group)) for group in groups]
    for group, at in ((LISTED_BEFORE, look.listed), (OTHER, look.others)):
        within = [own == group for own in groups]
        if group == LISTED_BEFORE and not any(own.any() for own in within):
            continue
        family = jointly_tested(rows, runs.baseline, runs.target, (at or look.listed) * share, within)
        # the last family also decides about callers that are no suspects
        chosen = [(own == group) | (own == NO_SUSPECT) for own in groups]
        p = [np.where(some, new, old) for some, new, old in zip(chosen, family.p, p, strict=True)]
        level = [np.where(some, at * share, old) for some, old in zip(chosen, level, strict=True)]
        seen, rises = family.seen, family.last[0]
    suspect = [own != NO_SUSPECT for own in groups]
    return [Result(*result, rises) for result in zip(p, level, suspect, seen, strict=True)]


def largest_locations(comparison: Comparison) -> list[Suspect]:
    """Return the total and the largest functions of a comparison as suspects, by self and by inclusive cost."""
    costs = costs_of(comparison, interleaved=True)
    runs = comparison.runs.baseline
    values = costs.values
    size = np.maximum(values[:, :runs].mean(axis=1), values[:, runs:].mean(axis=1))
    chosen = dict.fromkeys([WHOLE])
    for kind in np.unique(costs.kind[:-1]):
        rows = np.flatnonzero((costs.kind == kind) & (size >= SUSPECT_SHARE * costs.whole) & (costs.symbol != WHOLE))
        rows = rows[np.argsort(-size[rows], kind="stable")][:MOST_SUSPECTS]
        chosen |= dict.fromkeys(costs.symbol[rows].tolist())
    names, files = comparison.symbols.names, comparison.symbols.files
    places = [None if symbol == WHOLE else Location(names[symbol], files[symbol]) for symbol in chosen]
    return [Suspect(comparison.workload, comparison.metric.name, location) for location in places]


def _groups(look: Look, comparison: Comparison, costs: Costs) -> IntArray:
    """Return the group of each location: `NO_SUSPECT`, `LISTED_BEFORE` or `OTHER`."""
    if look.suspects is None:
        return np.full(len(costs.symbol), OTHER)
    groups = np.full(len(costs.symbol), NO_SUSPECT)
    here = [one for one in look.suspects if (one.workload, one.metric) == (comparison.workload, comparison.metric.name)]
    for listed, group in ((False, OTHER), (True, LISTED_BEFORE)):
        for suspect in here:
            if suspect.listed == listed:
                groups[rows_of(suspect, comparison, costs)] = group
    return groups


def rows_of(suspect: Suspect, comparison: Comparison, costs: Costs) -> IntArray:
    """Return a suspect's rows of self and inclusive cost, or of the total. Files match by the end of their paths."""
    if suspect.location is None:
        return np.flatnonzero(costs.symbol == WHOLE)
    names, files, location = comparison.symbols.names, comparison.symbols.files, suspect.location
    same = [
        symbol != WHOLE and names[symbol] == location.name and _same_file(files[symbol], location.file)
        for symbol in costs.symbol.tolist()
    ]
    return np.flatnonzero(np.array(same, np.bool_))


def _same_file(here: str | None, there: str | None) -> bool:
    """Return whether the last two components of two paths are equal, or the only one of the shorter path."""
    if here is None or there is None:
        return here == there
    parts, others = (re.findall(r"[^/\\]+", path) for path in (here, there))
    common = min(len(parts), len(others), 2)
    return parts[-common:] == others[-common:]
