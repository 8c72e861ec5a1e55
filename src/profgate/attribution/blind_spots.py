"""Finds the changed functions that no workload measured."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from itertools import chain, product
from typing import TYPE_CHECKING, Literal

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
    from profgate.model.comparison import Comparison

INLINED = NATIVE | {"go"}  # languages whose compilers put the code of a function into its callers
MISSES = 0.05  # probability with which sampling misses a function of the stated share
TEST_FILE = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?)/|(?:^|/)(?:test_[^/]*|conftest)\.py$|[._-](?:unit)?(?:test|spec)s?\.\w{1,4}$"
    r"|Tests?\.java$"
)


class SeenFunctions:
    """The functions in changed files that the profiles of one side show."""

    def __init__(self, changes: FunctionChanges, side: int) -> None:
        self._changes, self._side = changes.functions[side], side
        self._measured, self._possible = set[int](), set[int]()  # ids of known functions
        self._names = set[tuple[str | None, str]]()  # files and last names of symbols that may be any function
        self._languages = set[str]()

    def add(self, sides: Sides) -> None:
        """Add the symbols of the side."""
        libraries, paths = sides.libraries(), sides.paths
        changed = {posixpath.basename(path) for path in self._changes}
        for symbol in np.flatnonzero(sides.present[self._side]).tolist():
            path, name = paths[symbol], sides.symbols.names[symbol]
            self._languages.add(_family(path or ""))
            meant = sides.meant[symbol]
            inside = [known for known in meant if any(holds(known, line) for line in sides.lines_of(symbol))]
            self._measured.update(map(id, inside or (meant if len(meant) == 1 else ())))
            # other formats state only one line of all functions with this name
            self._possible.update(map(id, meant if not (inside and sides.exact) else ()))
            # code without a file, such as a generated method, has a name in angle brackets in its place
            file = sides.symbols.files[symbol] or ""
            is_library = libraries[symbol] and posixpath.basename(file) not in changed
            elsewhere = bool(meant) or is_library or file.startswith(("<", "~"))
            if not elsewhere and (path is None or path in self._changes):
                self._names.update((path, last) for last in last_names(name) or {""})

    def state(self, known: KnownFunction) -> Literal["measured", "missing", "unknown", "unseen"]:
        """Return whether the profiles show a function. They may show no function in its language at all."""
        family, names = _family(known.path), {last_name(known.function) or "", known.function.name}
        if id(known) in self._measured:
            return "measured"
        if family not in self._languages:
            return "unseen"
        is_possible = id(known) in self._possible or family == "native"
        return "unknown" if is_possible or self._names & set(product((known.path, None), names)) else "missing"


class BlindSpotSearch:
    """Collects which of the changed functions each comparison measured.

    Added functions and functions with other code count, with or without a name, unless they belong to tests, which are
    other programs than the measured one. Removed functions have no cost that a workload could measure.
    """

    def __init__(self, changes: FunctionChanges) -> None:
        found = (known for known in chain.from_iterable(changes.functions[TARGET].values()) if known.state in CHANGED)
        self._changed, self._seen = [known for known in found if _counts(known)], SeenFunctions(changes, TARGET)
        self._shares: dict[str, float] = {}

    def add(self, comparison: Comparison, sides: Sides) -> None:
        """Add the functions in the target of a comparison. Results without functions show none."""
        if self._changed and (comparison.tree is not None or comparison.edges is not None):
            before = self._shares.get(comparison.workload, 1.0)
            self._shares[comparison.workload] = min(least_share(comparison), before)
            self._seen.add(sides)

    def result(self, *, complete: bool) -> BlindSpots:
        """Return the blind spots of all comparisons. ``complete`` states whether all changed files are known."""
        found = defaultdict[str, list[Location]](list)
        # a profile that may lack any function proves nothing about any of them
        share = max(self._shares.values(), default=1.0)
        for known in self._changed:
            state = self._seen.state(known)
            location = Location(".".join(known.function.parts), known.path, known.function.opens)
            found["unknown" if state == "missing" and share == 1.0 else state].append(location)
        missed, unknown, unseen = (tuple(found[state]) for state in ("missing", "unknown", "unseen"))
        return BlindSpots(len(self._changed), missed, unknown, unseen, share if missed else 0.0, complete)


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
