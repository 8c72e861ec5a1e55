"""Finds the changed functions that no workload measured."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from profgate.attribution.call_links import CHANGED
from profgate.attribution.frame_functions import holds, last_name, last_names
from profgate.attribution.grammars import language_of
from profgate.attribution.reach import NATIVE, SCRIPTS
from profgate.attribution.repository_paths import TARGET
from profgate.model.blind_spots import BlindSpots
from profgate.model.change import Location
from profgate.model.comparison import sample_counts

if TYPE_CHECKING:
    from profgate.attribution.function_changes import FunctionChanges, KnownFunction
    from profgate.attribution.source_states import Sides
    from profgate.model.attribution import SourceStates
    from profgate.model.comparison import Comparison

INLINED = NATIVE | {"go"}  # languages whose compilers put the code of a function into its callers
MISSES = 0.05  # probability with which sampling misses a function of the stated share
TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)(?:test_[^/]*|conftest)\.py$|[._-](?:unit)?(?:test|spec)s?\.\w{1,4}$"
    r"|Tests?\.java$"
)


class BlindSpotSearch:
    """Collects which of the changed functions each comparison measured.

    Added functions and functions with other code count, with or without a name, unless they belong to tests, which are
    other programs than the measured one. Removed functions have no cost that a workload could measure.
    """

    def __init__(self, changes: FunctionChanges) -> None:
        self._changes = changes.functions[TARGET]
        found = (known for known in chain.from_iterable(self._changes.values()) if known.state in CHANGED)
        self._changed = [known for known in found if _counts(known)]
        self._measured, self._possible = set[int](), set[int]()  # ids of known functions
        self._names = set[tuple[str | None, str]]()  # files and last names of symbols that may be any function
        self._languages = set[str]()
        self._shares: dict[str, float] = {}

    def add(self, comparison: Comparison, states: SourceStates, sides: Sides) -> None:
        """Add the functions in the target of a comparison. Results without functions show none."""
        if not self._changed or (comparison.tree is None and comparison.edges is None):
            return
        share, before = least_share(comparison), self._shares.get(comparison.workload, 1.0)
        self._shares[comparison.workload] = min(share, before)
        for symbol in np.flatnonzero(comparison.present[TARGET]).tolist():
            path, name = states.paths[symbol], comparison.symbols.names[symbol]
            self._languages.add(_family(path or ""))
            meant = sides.meant(symbol)
            inside = [known for known in meant if any(holds(known, line) for line in sides.lines_of(symbol))]
            self._measured.update(map(id, inside or (meant if len(meant) == 1 else ())))
            # other formats state only one line of all functions with this name
            self._possible.update(map(id, meant if not (inside and sides.exact) else ()))
            # code without a file, such as a generated method, has a name in angle brackets in its place
            file = comparison.symbols.files[symbol] or ""
            elsewhere = bool(meant) or states.library[symbol] or file.startswith(("<", "~"))
            if not elsewhere and (path is None or path in self._changes):
                self._names.update((path, last) for last in last_names(name) or {""})

    def result(self, *, complete: bool) -> BlindSpots:
        """Return the blind spots of all comparisons. ``complete`` states whether all changed files are known."""
        missed, unknown, unseen = list[Location](), list[Location](), list[Location]()
        # a profile that may lack any function proves nothing about any of them
        share = max(self._shares.values(), default=1.0)
        for known in self._changed:
            if id(known) in self._measured:
                continue
            family, names = _family(known.path), {last_name(known.function) or "", known.function.name}
            doubtful = any((path, name) in self._names for path in (known.path, None) for name in names)
            if family not in self._languages:
                found = unseen
            elif doubtful or id(known) in self._possible or family == "native" or share == 1.0:
                found = unknown
            else:
                found = missed
            found.append(Location(".".join(known.function.parts), known.path, known.function.opens))
        of_all = (tuple(missed), tuple(unknown), tuple(unseen))
        return BlindSpots(len(self._changed), *of_all, share if missed else 0.0, complete)


def least_share(comparison: Comparison) -> float:
    """Return the share of a run below which the target's profile may lack a function that ran.

    With n independent samples, a function of share s is missed with probability (1 - s)^n. The result is the s for
    which this is `MISSES`, 0 if the profile counts calls, or 1 if nothing is known.
    """
    tree, edges = comparison.tree, comparison.edges
    samples = sample_counts(comparison)
    if comparison.facts[TARGET].truncated:
        return 1.0
    if tree is not None and tree.target_calls is not None:
        return 0.0
    if edges is not None and edges.target_symbol_calls.any():
        return 0.0
    return 1.0 if samples is None or samples[TARGET] < 1 else 1.0 - MISSES ** (1.0 / samples[TARGET])


def _counts(known: KnownFunction) -> bool:
    function = known.function
    is_test = TEST_FILE.search(known.path) or "tests" in function.parts[:-1]
    return function.kind in {"function", "anonymous"} and not is_test


def _family(path: str) -> str:
    """Return the language of a source file, with one name for languages that the same profiles show."""
    language = language_of(path) or ""
    return "native" if language in INLINED else "script" if language in SCRIPTS else language
