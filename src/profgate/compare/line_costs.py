"""Computes the costs of source lines for formats that record the executed line of each frame."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING

import numpy as np

from profgate.compare.columns import Forest, checked, factor_of, place_of
from profgate.model.arrays import IntArray, read_only
from profgate.model.call_tree import added_at, merged_paths
from profgate.model.comparison import LineCosts

if TYPE_CHECKING:
    from profgate.compare.symbols import Numbering
    from profgate.model.profile import Profile, Stacks
    from profgate.model.units import Metric

# in these formats, or from these profilers, the line of a frame is the executed line, not the function's first line
_FORMATS = frozenset({"austin", "folded", "jfr", "python-sampling"})
_PROFILERS = frozenset({"py-spy", "rbspy", "austin", "phpspy"})
_LINE_AT_END = re.compile(r":(\d{1,9})\)$")
_MOST_LINES = 1 << 20  # upper limit; larger numbers are not line numbers
_Pairs = tuple[IntArray, IntArray, IntArray]  # keys (symbol * _MOST_LINES + line), self values and total values


def line_costs(
    profiles: Sequence[Profile], numbering: Numbering, metric: Metric, forest: Forest | None
) -> LineCosts | None:
    """Return the costs of the executed lines, or None if a profile does not record executed lines.

    Stacks that `Forest.dropped` marks have no cost. In the total cost of a line, each stack is counted once.
    """
    places = [_places(profile, symbols) for profile, symbols in zip(profiles, numbering.maps, strict=True)]
    known = [of_profile for of_profile in places if of_profile is not None]
    # if every function has a single line, the lines are probably those at which the functions begin
    if len(known) < len(profiles) or not _has_two_lines(np.concatenate(known)):
        return None
    runs = list[_Pairs]()
    for run, (profile, of_profile) in enumerate(zip(profiles, known, strict=True)):
        found = _of_profile(profile, of_profile, metric, forest, run)
        if found is None:
            return None
        runs.append(found)
    keys = _distinct(np.concatenate([lines for lines, _, _ in runs]))
    own, total = np.zeros((len(runs), len(keys)), np.int64), np.zeros((len(runs), len(keys)), np.int64)
    for run, (lines, self_values, totals) in enumerate(runs):
        at = np.searchsorted(keys, lines)
        own[run, at], total[run, at] = self_values, totals
    if not _has_two_lines(keys):
        return None
    return LineCosts(read_only(keys // _MOST_LINES), read_only(keys % _MOST_LINES), read_only(own), read_only(total))


def _distinct(keys: IntArray) -> IntArray:
    # without counts, np.unique would import numpy.ma, which takes longer than a small comparison
    return np.unique(keys, return_counts=True)[0]


def _has_two_lines(keys: IntArray) -> bool:
    """Return whether a symbol has several of these lines."""
    symbols = _distinct(keys) // _MOST_LINES
    return bool((symbols[1:] == symbols[:-1]).any())


def _places(profile: Profile, symbols: IntArray) -> IntArray | None:
    """Return the key of the line of each frame or line of a profile, or None if it records no executed lines."""
    if profile.graph is not None and profile.graph.lines is not None:
        lines = profile.graph.lines
        return symbols[lines.frame] * _MOST_LINES + np.minimum(lines.line, _MOST_LINES - 1)
    if profile.stacks is None:
        return None
    executed = np.fromiter(_executed(profile), np.int64, len(symbols))
    return symbols * _MOST_LINES + executed if executed.any() else None


def _of_profile(profile: Profile, keys: IntArray, metric: Metric, forest: Forest | None, run: int) -> _Pairs | None:
    place, stacks, graph = place_of(profile, metric), profile.stacks, profile.graph
    if place is None:
        return None
    factor = factor_of(profile, place, metric)
    if graph is not None and graph.lines is not None:
        lines = graph.lines
        known, rows = np.unique(keys, return_inverse=True)
        own, total = (
            added_at(len(known), rows, checked(values[place], factor, profile.name))
            for values in (lines.self_value, lines.total_value)
        )
        return known, own, total
    if stacks is None or forest is None:
        return None
    values = checked(stacks.values[place], factor, profile.name)
    values = np.where(forest.dropped[forest.leaf_rows[run]], 0, values)
    return _of_stacks(stacks, keys, values)


def _executed(profile: Profile) -> Iterator[int]:
    """Yield the executed line of each frame, or 0 if it is unknown."""
    frames, facts = profile.frames, profile.facts
    if frames.executed is not None:
        yield from (line or 0 for line in frames.executed)
    elif facts.format in _FORMATS or facts.profiler in _PROFILERS:
        if not any(frames.lines) and not any(map(str.endswith, frames.names, repeat(")"))):
            yield from repeat(0, len(frames.names))
            return
        for name, line in zip(frames.names, frames.lines, strict=True):
            ends_in_digit = line is None and name[-2:-1].isdecimal()  # faster than a search in each name
            at_end = _LINE_AT_END.search(name) if ends_in_digit else None
            found = int(at_end[1]) if at_end else line or 0
            yield found if found < _MOST_LINES else 0
    else:
        yield from repeat(0, len(frames.names))


def _of_stacks(stacks: Stacks, key_of_frame: IntArray, values: IntArray) -> _Pairs:
    """Return the lines in the stacks and the costs of these lines. Frames whose line is unknown are omitted."""
    keys, number = np.unique(key_of_frame, return_inverse=True)
    tree, rows = merged_paths(stacks.depth, number[stacks.frame])
    of_row = added_at(len(tree), rows[stacks.leaf], values)
    below, topmost = tree.totals(of_row), tree.topmost()
    own = added_at(len(keys), tree.symbol[1:], of_row[1:])
    total = added_at(len(keys), tree.symbol[topmost], below[topmost])
    known = (keys % _MOST_LINES > 0) & (total > 0)
    return keys[known], own[known], total[known]
