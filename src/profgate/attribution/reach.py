"""Determines how a pull request can affect each function, for example through a changed function that calls it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

import numpy as np

from profgate.attribution.call_links import CHANGED, CallLinks, links_of, shares
from profgate.attribution.dependencies import dependency_changes
from profgate.attribution.frame_functions import last_names
from profgate.attribution.function_changes import FunctionChanges
from profgate.attribution.grammars import language_of
from profgate.attribution.repository_paths import TARGET
from profgate.attribution.source_states import Sides
from profgate.model.arrays import BoolArray
from profgate.model.attribution import Reach, SourceStates
from profgate.model.comparison import Comparison, DiffTree
from profgate.model.levels import NEARLY_ALL
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.visible_text import cut

NOWHERE = -1
LONGEST_NAME = 60
NATIVE = frozenset({"c", "cpp", "rust"})
SCRIPTS = frozenset({"javascript", "typescript", "tsx"})  # languages that a build translates to files of equal names
LONGEST_PATH = 6  # maximum number of displayed frames of a call path
BENCHMARK = re.compile(r"(?:^|[/_.-])bench|_test\.go$|Benchmark\.\w{1,10}$|/jmh/", re.IGNORECASE)
# texts and pictures, which programs do not read while they are measured, unless the profile names them
DOCUMENTATION = re.compile(
    r"(?:(?:docs?|\.github)/.*|(?:.*/)?(?:readme|changelog)|[^/]*)\.(?:md|rst|adoc|png|jpe?g|svg|gif)"
    r"|(?:(?:.*/)?(?:licen[cs]e|copying|changelog|changes)|(?:docs?/|\.github/)?(?:notice|authors|codeowners))(?:\.(?:md|txt))?",
    re.IGNORECASE,
)


def with_reach(states: SourceStates, comparison: Comparison, sides: Sides) -> SourceStates:
    """Add to each symbol's state how the change can affect the symbol, and the call path from the change to the symbol.

    *same machine code* is the result for all symbols if both sides ran the same program, and *not reachable* if the
    change has no effect: it only changes documentation, and code in lines without effect (see `exact_digest`). *changed
    here* means that the source of the symbol differs. *called by a changed function* means that a changed function is
    above the symbol on a stack. *calls a changed function* means that the symbol calls one that may be inlined, so that
    its cost counts for the symbol. *dependency changed* means that the symbol is in a package whose version changed, or
    that such a package calls the symbol. All other symbols are *unknown*.
    """
    if sides.diff.same_program or _is_without_effect(states, sides):
        none: Reach = "same machine code" if sides.diff.same_program else "not reachable"
        return replace(states, reach=tuple(none for _ in states.states), through=("",) * len(states.states))
    symbols, dependencies = comparison.symbols, dependency_changes(sides.diff)
    packages = [
        None if path else dependencies.of(name, file)
        for name, file, path in zip(symbols.names, symbols.files, states.paths, strict=True)
    ]
    # the top-level code of a file calls all functions below it
    changed = [
        state in CHANGED and not name.endswith("<module>")
        for state, name in zip(states.states, symbols.names, strict=True)
    ]
    below = _paths_from(comparison, np.array(changed, np.bool_))
    under = _paths_from(comparison, np.array([package is not None for package in packages], np.bool_))
    inlined = _inlined(comparison, sides, changed)
    found: list[tuple[Reach, str]] = []
    for symbol, state in enumerate(states.states):
        if state in CHANGED:
            found.append(("changed here", ""))
        elif below[symbol]:
            found.append(("called by a changed function", below[symbol]))
        elif inlined[symbol]:
            found.append(("calls a changed function", inlined[symbol]))
        elif package := packages[symbol] or under[symbol]:
            found.append(("dependency changed", package))
        else:
            found.append(("unknown", ""))
    reach, through = zip(*found, strict=True) if found else ((), ())
    return replace(states, reach=reach, through=through)


def _is_without_effect(states: SourceStates, sides: Sides) -> bool:
    """Return whether all changes are known and change nothing but documentation and lines without effect."""
    diff = sides.diff
    if not diff.files or not diff.complete or diff.gaps or diff.repository_files is None:
        return False
    for file in diff.files:
        paths = {file.path, file.previous_path}
        is_text = all(map(DOCUMENTATION.fullmatch, paths)) and paths.isdisjoint(states.paths)
        if not is_text and file.path not in sides.changes.unaffected:
            return False
    return True


def _inlined(comparison: Comparison, sides: Sides, changed: Sequence[bool]) -> list[str]:
    """Return for each symbol the name of the nearest changed function that may have been inlined into it, or ""."""
    names, links = comparison.symbols.names, links_of(comparison)
    above = {symbol: names[symbol] for symbol, own in enumerate(changed) if own and _is_compiled(comparison, symbol)}
    above.update(_without_symbol(comparison, sides, links))
    order = np.argsort(-np.abs(links.target - links.baseline), kind="stable")
    calls = list(zip(links.caller[order].tolist(), links.callee[order].tolist(), strict=True)) if above else []
    # maximum number of calls between a function and a changed function that is inlined into it
    for _ in range(3):
        callers = {caller: above[callee] for caller, callee in reversed(calls) if callee in above}
        for caller, end in callers.items():
            if _is_compiled(comparison, caller):
                above.setdefault(caller, end)
    return ["" if own else cut(above.get(symbol, ""), LONGEST_NAME) for symbol, own in enumerate(changed)]


def _without_symbol(comparison: Comparison, sides: Sides, links: CallLinks) -> dict[int, str]:
    """Return the symbols into which a changed function without a symbol was inlined, judged by the calls in the source.

    Such a symbol calls the changed function, or it is the only caller of a function that the changed function calls.
    """
    present = {(known.path, known.function.first) for known in chain.from_iterable(sides.meant)}
    absent = {
        known.function.name: known.function.calls
        for known in chain.from_iterable(sides.changes.functions[TARGET].values())
        if known.state in CHANGED
        and (known.path, known.function.first) not in present
        and language_of(known.path) in NATIVE
    }
    only = np.flatnonzero(np.bincount(links.callee, minlength=len(sides.meant))[links.callee] == 1)
    pairs = zip(links.caller[only].tolist(), links.callee[only].tolist(), strict=True)
    callees = [(caller, last_names(comparison.symbols.names[callee])) for caller, callee in pairs if absent]
    found = dict[int, str]()
    for name, calls in absent.items():
        found.update(dict.fromkeys((caller for caller, last in callees if calls & last), name))
        for symbol, several in enumerate(sides.meant):
            if any(name in known.function.calls for known in several):
                found[symbol] = name
    return found


def _is_compiled(comparison: Comparison, symbol: int) -> bool:
    # profiles of these languages charge inlined functions to the caller; only machine code has a module and no file
    file = comparison.symbols.files[symbol]
    return comparison.symbols.modules[symbol] is not None if file is None else language_of(file) in SCRIPTS | NATIVE


def _paths_from(comparison: Comparison, above: BoolArray) -> list[str]:
    """Return the call path to each symbol from the nearest symbol in ``above``, or "" if there is no such path."""
    found = [""] * len(comparison.symbols)
    if above.any():
        tree = comparison.tree
        for path in _link_paths(comparison, above) if tree is None else _tree_paths(comparison, tree, above):
            names = [cut(comparison.symbols.names[symbol], LONGEST_NAME) for symbol in path]
            if len(names) > LONGEST_PATH:
                names = [*names[:2], f"({len(names) - LONGEST_PATH + 1} more)", *names[-LONGEST_PATH + 3 :]]
            found[path[-1]] = " › ".join(names)
    return found


def _tree_paths(comparison: Comparison, tree: DiffTree, above: BoolArray) -> Iterable[list[int]]:
    """For each symbol below a symbol in ``above``, yield the path in the stack whose cost changed most."""
    nearest = np.full(len(tree.parent), NOWHERE, np.int64)
    own = np.r_[above, False][tree.symbol]  # the root has no symbol
    for level in islice(tree.levels(), 1, None):
        parent = tree.parent[level]
        nearest[level] = np.where(own[parent], parent, nearest[parent])
    runs = comparison.runs
    moved = np.abs(tree.target_total / runs.target - tree.baseline_total / runs.baseline)
    rows = np.flatnonzero(nearest != NOWHERE)
    order = rows[np.lexsort((rows, -moved[rows], tree.symbol[rows]))]
    for row in order[np.flatnonzero(np.diff(tree.symbol[order], prepend=NOWHERE))].tolist():
        end, path = int(nearest[row]), [row]
        while path[-1] != end:
            path.append(int(tree.parent[path[-1]]))
        yield tree.symbol[path[::-1]].tolist()


def _link_paths(comparison: Comparison, above: BoolArray) -> Iterable[list[int]]:
    """Yield the shortest call paths in profiles that contain only callers and callees."""
    links, reached, before = links_of(comparison), above.copy(), np.full(len(above), NOWHERE)
    for _ in range(200):  # maximum number of calls in a path
        new = np.flatnonzero(reached[links.caller] & ~reached[links.callee])
        if not len(new):
            break
        before[links.callee[new]] = links.caller[new]
        reached[links.callee[new]] = True
    for symbol in np.flatnonzero(before >= 0).tolist():
        path = [symbol]
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        yield path[::-1]


def changed_workloads(comparison: Comparison, states: SourceStates, functions: FunctionChanges) -> Iterator[Reason]:
    """Yield a reason for each file with a function that contains the whole run, if the change may alter the work.

    The benchmark is the file of the outermost function of the repository. The change may alter its work if a function
    there that contains the whole run changed, or the code outside its functions, such as a constant. A function that
    the benchmark measures may be nearly the whole run, too. A new function in a file of benchmarks is one more
    benchmark; the largest of each file is noted.
    """
    names, (before, after) = comparison.symbols.names, shares(comparison, comparison.total_value)
    new = np.flatnonzero((before == 0) & (after >= 0.01))  # smallest share of the run that is noted
    largest = {states.paths[row]: row for row in new[np.argsort(after[new])].tolist() if states.states[row] in CHANGED}
    for path, symbol in largest.items():
        if path and BENCHMARK.search(path):
            yield Reason(
                ReasonCode.BENCHMARK_EDITED,
                {"case": "new_benchmark", "workload": comparison.workload, "file": path, "function": names[symbol]},
            )
    inclusive, own = np.maximum(before, after), np.maximum(*shares(comparison, comparison.self_value))
    benchmark = None
    for symbol in np.lexsort((own, -inclusive))[: int((inclusive >= NEARLY_ALL).sum())].tolist():
        path = states.paths[symbol]
        benchmark = benchmark or path
        outside = {one.state for one in functions.functions[1].get(path or "", ()) if one.function.kind == "module"}
        if path and path == benchmark and not CHANGED.isdisjoint({states.states[symbol], *outside}):
            yield Reason(
                ReasonCode.BENCHMARK_EDITED, {"case": "workload_changed", "file": path, "function": names[symbol]}
            )
