"""How a change of the sources can have come to each function: it is changed, called by what is, or out of reach."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

import numpy as np

from profgate.attribute.call_links import links_of
from profgate.attribute.dependencies import dependency_changes, is_lock_file
from profgate.attribute.frame_functions import last_names
from profgate.attribute.function_changes import FunctionChanges, KnownFunction
from profgate.attribute.grammars import language_of
from profgate.attribute.source_states import Sides
from profgate.model.arrays import BoolArray
from profgate.model.attribution import Reach, SourceDiff, SourceStates
from profgate.model.comparison import Comparison, DiffTree
from profgate.model.visible_text import cut

NOWHERE = -1
MOST_STEPS = 200
LONGEST_NAME = 60
LONGEST_PATH = 6  # frames told of a call path
_TOUCHED = frozenset({"changed", "added", "removed"})
# what no program reads while it is measured
_TEXTS = (".md", ".rst", ".adoc", ".png", ".jpg", ".svg", ".gif")
_TEXT_NAMES = frozenset(
    {"license", "licence", "copying", "notice", "authors", "codeowners", ".gitignore", ".gitattributes", ".mailmap"}
)


def with_reach(states: SourceStates, comparison: Comparison, sides: Sides) -> SourceStates:
    """The states with a word for each symbol on how the change can have come to it, and by which call path.

    *changed here*: its own source differs. *called by a changed function*: one stands above it on a stack. *dependency
    changed*: it belongs to a package whose version moved, or is called by one. *not reachable*: nothing that the change
    touches was seen to run on either side, all that it touches is known, and nothing else than sources and
    documentation changed; so not even data can have carried it. *unknown*: everything else.
    """
    return _Reaching(states, comparison, sides).told()


class _Reaching:
    def __init__(self, states: SourceStates, comparison: Comparison, sides: Sides) -> None:
        self.states = states
        self.comparison = comparison
        self.sides = sides
        self.diff: SourceDiff = sides.diff
        self.changes: FunctionChanges = sides.changes
        self.names = comparison.symbols.names
        self.count = len(self.names)
        self.dependencies = dependency_changes(sides.diff)

    def told(self) -> SourceStates:
        moved = [
            None if self.states.paths[symbol] else self.dependencies.of(self.names[symbol], file)
            for symbol, file in enumerate(self.comparison.symbols.files)
        ]
        changed = np.array([self._changed(symbol) for symbol in range(self.count)], np.bool_)
        package = np.array([one is not None for one in moved], np.bool_)
        below = _paths_from(self.comparison, changed)
        under = _paths_from(self.comparison, package) if package.any() else [""] * self.count
        doubt = self._doubt()
        words: list[Reach] = []
        through: list[str] = []
        for symbol in range(self.count):
            state = self.states.states[symbol]
            word: Reach = "unknown"
            path = ""
            if state in {"changed", "added"}:
                word = "changed here"
            elif below[symbol]:
                word, path = "called by a changed function", below[symbol]
            elif (package_said := moved[symbol]) is not None or under[symbol]:
                word, path = "dependency changed", package_said or under[symbol]
            elif not doubt and self._settled(symbol):
                word = "not reachable"
            words.append(word)
            through.append(path)
        return replace(self.states, reach=tuple(words), through=tuple(through), doubt=doubt)

    def _changed(self, symbol: int) -> bool:
        """Whether a function changed that others may be called by; a file's own code calls everything below it."""
        return self.states.states[symbol] in {"changed", "added"} and not self.names[symbol].endswith("<module>")

    def _settled(self, symbol: int) -> bool:
        """Whether a symbol's source is known not to have changed: a file of the repository, or one outside of it."""
        if self.states.paths[symbol] is None:
            return self.comparison.symbols.files[symbol] is not None
        return self.states.states[symbol] in {"same", "renamed"}

    def _doubt(self) -> str:
        """Why nothing can be called out of reach; empty where it can."""
        diff, changes = self.diff, self.changes
        if not diff.files or not diff.complete or diff.repository_files is None or not diff.all_listed:
            return "not all changed files are known"
        if self.dependencies.moved:
            return f"a dependency changed: {next(iter(self.dependencies.moved.values()))}"
        others = [one.path for one in diff.files if not _is_text(one.path) and one.path not in changes.imported]
        others = [path for path in others if not is_lock_file(path) or path in self.dependencies.unread]
        if others:
            what = "could not be read" if language_of(others[0]) else "is no source whose functions can be told apart"
            return f"{others[0]} changed and {what}"
        for one in self._all_functions():
            if one.state == "unknown":
                return f"{one.path} holds what its grammar does not know"
            if (
                one.function.kind in {"module", "scope"}
                and one.partner
                and one.partner[1].fingerprint != one.function.fingerprint
            ):
                name = ".".join(one.function.parts)
                return f"code outside functions changed in {one.path}" + (f", {name}" if name else "")
        return self._seen()

    def _seen(self) -> str:
        """What the change touches and the profile holds, or may hold unseen."""
        touched = [one for one in self._all_functions() if one.state in _TOUCHED]
        words = {one.function.parts[-1] for one in touched if one.function.kind == "function" and one.function.parts}
        files = {path for one in self.diff.files for path in (one.path, one.previous_path)}
        for symbol, name in enumerate(self.names):
            state, path = self.states.states[symbol], self.states.paths[symbol]
            if state in _TOUCHED or (state == "unknown" and path in files):
                return (
                    f"{name} changed and runs here" if state in _TOUCHED else f"{name} may have changed and runs here"
                )
            if self.comparison.symbols.files[symbol] is None and words & last_names(name):
                return f"{name} may have changed and runs here"
            if path in files:
                mentioned = self._mentioned(symbol)
                called = mentioned & (words | self.changes.imported.get(path or "", frozenset()))
                if called:
                    return f"{name} runs here and mentions {min(called)}, which changed"
        return ""

    def _mentioned(self, symbol: int) -> frozenset[str]:
        meant = self.sides.meant(symbol) or []
        return frozenset(word for one in meant for word in one.function.words)

    def _all_functions(self) -> Iterable[KnownFunction]:
        for side in self.changes.functions:
            for functions in side.values():
                yield from functions


def _is_text(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    return name.endswith(_TEXTS) or name.partition(".")[0] in _TEXT_NAMES or name in _TEXT_NAMES


def _paths_from(comparison: Comparison, above: BoolArray) -> list[str]:
    """For each symbol the call path from the nearest such function above it, "" where none stands there."""
    if not above.any():
        return [""] * len(comparison.symbols)
    if comparison.tree is not None:
        return _tree_paths(comparison, comparison.tree, above)
    return _link_paths(comparison, above)


def _tree_paths(comparison: Comparison, tree: DiffTree, above: BoolArray) -> list[str]:
    """Of several stacks the one whose cost changed most."""
    nearest = np.full(len(tree.parent), NOWHERE, np.int64)
    starts = np.searchsorted(tree.depth, np.arange(int(tree.depth[-1]) + 2)).tolist()
    own = np.r_[above, False][tree.symbol]  # the root has no symbol
    for first, last in pairwise(starts[1:]):
        parent = tree.parent[first:last]
        nearest[first:last] = np.where(own[parent], parent, nearest[parent])
    runs = comparison.runs
    moved = np.abs(tree.target_total / runs.target - tree.baseline_total / runs.baseline)
    rows = np.flatnonzero(nearest != NOWHERE)
    order = rows[np.lexsort((rows, -moved[rows], tree.symbol[rows]))]
    firsts = order[np.flatnonzero(np.diff(tree.symbol[order], prepend=NOWHERE))]
    found = [""] * len(comparison.symbols)
    for row in firsts.tolist():
        found[int(tree.symbol[row])] = _told(comparison, _up(tree, row, int(nearest[row])))
    return found


def _up(tree: DiffTree, row: int, end: int) -> list[int]:
    path = [int(tree.symbol[row])]
    while row != end:
        row = int(tree.parent[row])
        path.append(int(tree.symbol[row]))
    return path[::-1]


def _link_paths(comparison: Comparison, above: BoolArray) -> list[str]:
    """Where only callers and callees are known: the shortest way down the calls."""
    links = links_of(comparison)
    down: dict[int, list[int]] = {}
    for caller, callee in zip(links.caller.tolist(), links.callee.tolist(), strict=True):
        if caller != callee:
            down.setdefault(caller, []).append(callee)
    before: dict[int, int] = {}
    edge: list[int] = np.flatnonzero(above).tolist()
    starts = set(edge)
    for _ in range(MOST_STEPS):
        following = []
        for caller in edge:
            for callee in down.get(caller, ()):
                if callee not in before:
                    before[callee] = caller
                    following.append(callee)
        edge = [callee for callee in following if callee not in starts]
    found = [""] * len(comparison.symbols)
    for symbol, caller in before.items():
        path = [symbol, caller]
        while path[-1] not in starts and len(path) <= MOST_STEPS:
            path.append(before[path[-1]])
        found[symbol] = _told(comparison, path[::-1])
    return found


def _told(comparison: Comparison, path: list[int]) -> str:
    names = [cut(comparison.symbols.names[symbol], LONGEST_NAME) for symbol in path]
    if len(names) > LONGEST_PATH:
        names = [*names[:2], f"({len(names) - LONGEST_PATH + 1} more)", *names[-LONGEST_PATH + 3 :]]
    return " › ".join(names)
