"""Determines how a pull request can affect each function, for example through a changed function that calls it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from profgate.attribution.call_links import CHANGED, links_of, shares
from profgate.attribution.dependencies import (
    PACKAGES,
    Dependencies,
    dependency_changes,
    is_lock_file,
    locked_folders,
)
from profgate.attribution.frame_functions import last_names
from profgate.attribution.function_changes import FunctionChanges, KnownFunction
from profgate.attribution.grammars import language_of
from profgate.attribution.source_states import Sides
from profgate.model.arrays import BoolArray
from profgate.model.attribution import Reach, SourceStates
from profgate.model.comparison import Comparison, DiffTree
from profgate.model.levels import NEARLY_ALL
from profgate.model.policy import matches
from profgate.model.reason import Reason, ReasonCode
from profgate.model.visible_text import cut

NOWHERE = -1
LONGEST_NAME = 60
# Node's own modules, frozen modules of Python, and built-in functions of cProfile and pyinstrument
RUNTIME = ("/node:", "/<frozen ", "/~", "/<built-in>")
# folders of runtimes and the system
RUNTIME_FOLDERS = (
    *("/lib/python3", "//usr/local/go/src/", "/hostedtoolcache/", "/rustc/"),
    *("//usr/lib/", "//usr/include/", "//lib/"),
)
OUTPUT = re.compile(r"(?:^|[^/]/)(?:build|dist|lib|out|target)/$")  # usual names of folders for the output of a build
SCRIPTS = frozenset({"javascript", "typescript", "tsx"})  # languages that a build translates to files of equal names
LONGEST_PATH = 6  # maximum number of displayed frames of a call path
BENCHMARK = re.compile(r"(?:^|[/_.-])bench|_test\.go$|Benchmark\.\w{1,10}$|/jmh/", re.IGNORECASE)
_TOUCHED = frozenset({"changed", "added", "removed"})
_TEXT_NAMES = frozenset(
    {"license", "licence", "copying", "notice", "authors", "codeowners", ".gitignore", ".gitattributes", ".mailmap"}
)


def with_reach(states: SourceStates, comparison: Comparison, sides: Sides) -> SourceStates:
    """Add to each symbol's state how the change can affect the symbol, and the call path from the change to the symbol.

    *changed here* means that the source of the symbol differs. *called by a changed function* means that a changed
    function is above the symbol on a stack. *calls a changed function* means that the symbol calls one that may be
    inlined, so that its cost counts for the symbol. *dependency changed* means that the symbol is in a package whose
    version changed, or that such a package calls the symbol. *not reachable* means that changed code does not run on
    either side, that all changes are known, and that only sources and documentation changed; the symbol is in an
    unchanged file of the repository, a package whose version is locked or the runtime. All other symbols are *unknown*:
    a file that is not tracked may be built from changed sources.
    """
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
    inlined = _inlined(comparison, changed)
    settled = _settled(states, comparison, locked_folders(sides.diff.repository_files or ()))
    doubt = _doubt(states, comparison, sides, dependencies) or _built(states, comparison, sides, settled)
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
            found.append(("not reachable" if settled[symbol] and not doubt else "unknown", ""))
    reach, through = zip(*found, strict=True) if found else ((), ())
    return replace(states, reach=reach, through=through, doubt=doubt)


def leaves_alone(paths: Sequence[str]) -> bool:
    """Return whether no path can affect the program. A diff too large for GitHub may have no paths."""
    return bool(paths) and all(matches(path, ("*.md", "*.rst", "docs/*", "LICENSE*")) for path in paths)


def out_of_reach(states: SourceStates) -> SourceStates:
    """Return the states for a change that affects no part of the program."""
    none: Reach = "not reachable"
    return replace(states, reach=(none,) * len(states.states), through=("",) * len(states.states), doubt="")


def _settled(states: SourceStates, comparison: Comparison, locked: Sequence[str]) -> list[bool]:
    """Return whether the code of each symbol is equal on both sides. ``locked`` are package folders with lock files."""
    origins = comparison.symbols.origins or comparison.symbols.files
    return [
        _is_installed(origin, locked) if path is None else state in {"same", "renamed"} and _is_itself(origin, path)
        for state, origin, path in zip(states.states, origins, states.paths, strict=True)
    ]


def _is_installed(file: str | None, locked: Sequence[str]) -> bool:
    """Return whether a file belongs to a package of a locked version, the runtime or the system."""
    if (package := _package_folder(file)) is not None:
        return package in locked
    place = f"/{file or ''}".replace("\\", "/")
    return any(folder in place for folder in RUNTIME_FOLDERS) or place.startswith(RUNTIME)


def _package_folder(file: str | None) -> str | None:
    """Return the folder of installed packages to which a file belongs, or None."""
    place = f"/{file or ''}".replace("\\", "/")
    return next((folder for folder in PACKAGES if folder in place), None)


def _is_itself(file: str | None, path: str) -> bool:
    """Return whether a file of the profile is the repository file, and not the output of a build with a similar path.

    The file of a qualified name, as in Java, is the repository file. If ``path`` is empty, only names of a bundler or
    server are recognized.
    """
    place = (file or path).replace("\\", "/")
    folders = place.removesuffix(path)
    if "://" in place:  # a bundler or a server names this file
        return False
    if not path:
        return True
    if folders == place:  # a part of the path is missing
        return language_of(path) not in SCRIPTS
    return OUTPUT.search(folders) is None


def _built(states: SourceStates, comparison: Comparison, sides: Sides, settled: Sequence[bool]) -> str:
    """Return a message about a running file that may be built from changed sources, or "" if there is none.

    In compiled languages, profiles contain the files of the sources, and not the output of the build.
    """
    if all(_is_text(file.path) for file in sides.diff.files):
        return ""
    origins = comparison.symbols.origins or comparison.symbols.files
    for file, origin, path, fixed in zip(comparison.symbols.files, origins, states.paths, settled, strict=True):
        is_script = file is not None and language_of(file) in SCRIPTS
        is_own_script = is_script and path is None and _package_folder(origin) is None
        if not fixed and (is_own_script or not _is_itself(origin, path or "")):
            return f"{file} runs here and may be built from changed sources"
    return ""


def _doubt(states: SourceStates, comparison: Comparison, sides: Sides, dependencies: Dependencies) -> str:
    """Return the reason why functions cannot be classified as not reachable, or "" if there is no such reason."""
    diff = sides.diff
    if not diff.files or not diff.complete or diff.repository_files is None or not diff.all_listed:
        return "not all changed files are known"
    if dependencies.moved:
        return f"a dependency changed: {next(iter(dependencies.moved.values()))}"
    others = [file.path for file in diff.files if not _is_text(file.path) and file.path not in sides.changes.imported]
    others = [path for path in others if not is_lock_file(path) or path in dependencies.unread]
    if others:
        what = "could not be read" if language_of(others[0]) else "is in a language whose functions are not recognized"
        return f"{others[0]} changed and {what}"
    for known in _all_functions(sides):
        if known.state == "unknown":
            return f"{known.path} holds what its grammar does not know"
        function, partner = known.function, known.partner
        if function.kind in {"module", "scope"} and partner and partner[1].fingerprint != function.fingerprint:
            where = ", ".join([known.path, *filter(None, [".".join(function.parts)])])
            return f"code outside functions changed in {where}"
    return _running_change(states, comparison, sides) or _unsampled_change(sides)


def _running_change(states: SourceStates, comparison: Comparison, sides: Sides) -> str:
    """Return a message about a changed function that runs or may run in the profile, or "" if there is none."""
    names = {
        known.function.name
        for known in _all_functions(sides)
        if known.state in _TOUCHED and known.function.kind == "function"
    }
    files = {path for file in sides.diff.files for path in (file.path, file.previous_path)}
    top_level = {path for path in files if "/" not in path}  # changed files in the top-level folder
    for symbol, name in enumerate(comparison.symbols.names):
        state, path = states.states[symbol], states.paths[symbol]
        if state in _TOUCHED:
            return f"{name} changed and runs here"
        file = comparison.symbols.files[symbol]
        if path is None and file is not None and file.rpartition("/")[2] in top_level:
            return f"{file} may be a changed file of the repository"
        if (state == "unknown" and path in files) or (file is None and names & last_names(name)):
            return f"{name} may have changed and runs here"
        if path in files:
            mentioned = {word for known in sides.meant(symbol) for word in known.function.identifiers}
            if called := mentioned & (names | sides.changes.imported.get(path or "", frozenset())):
                return f"{name} runs here and mentions {min(called)}, which changed"
    return ""


def _unsampled_change(sides: Sides) -> str:
    """Return a message about a changed function that may run too briefly for a sample, or "" if there is none.

    An added function runs only if other code names it, unless it is a method, which can replace an inherited one.
    """
    for known in _all_functions(sides):
        if known.state in _TOUCHED and (known.state != "added" or len(known.function.parts) > 1):
            return f"{'.'.join(known.function.parts)} changed and may run without a sample"
    return ""


def _all_functions(sides: Sides) -> Iterable[KnownFunction]:
    return (known for side in sides.changes.functions for functions in side.values() for known in functions)


def _inlined(comparison: Comparison, changed: Sequence[bool]) -> list[str]:
    """Return for each symbol the name of the nearest changed function that may have been inlined into it, or ""."""
    found, links = [""] * len(changed), links_of(comparison)
    above = {
        symbol: symbol for symbol, is_changed in enumerate(changed) if is_changed and _is_compiled(comparison, symbol)
    }
    order = np.argsort(-np.abs(links.target - links.baseline), kind="stable")
    calls = list(zip(links.caller[order].tolist(), links.callee[order].tolist(), strict=True)) if above else []
    # maximum number of calls between a function and a changed function that is inlined into it
    for _ in range(3):
        callers = {caller: above[callee] for caller, callee in reversed(calls) if callee in above}
        for caller, end in callers.items():
            if _is_compiled(comparison, caller):
                above.setdefault(caller, end)
    for symbol, end in above.items():
        found[symbol] = "" if end == symbol else cut(comparison.symbols.names[end], LONGEST_NAME)
    return found


def _is_compiled(comparison: Comparison, symbol: int) -> bool:
    # profiles of these languages charge inlined functions to the caller
    return language_of(comparison.symbols.files[symbol] or "") in SCRIPTS | {"c", "cpp", "rust"}


def _is_text(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    # no program reads such files during the measurement
    return (
        name.endswith((".md", ".rst", ".adoc", ".png", ".jpg", ".svg", ".gif"))
        or name.partition(".")[0] in _TEXT_NAMES
        or name in _TEXT_NAMES
    )


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
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import dijkstra

    links, starts = links_of(comparison), np.flatnonzero(above)
    calls = csr_array((np.ones(len(links.caller)), (links.caller, links.callee)), shape=(len(above), len(above)))
    _, before, _ = dijkstra(calls, indices=starts, unweighted=True, limit=200, min_only=True, return_predecessors=True)
    for symbol in np.flatnonzero(before >= 0).tolist():
        path = [symbol]
        while before[path[-1]] >= 0:
            path.append(int(before[path[-1]]))
        yield path[::-1]


def changed_workloads(comparison: Comparison, states: SourceStates, functions: FunctionChanges) -> Iterator[Reason]:
    """Yield a reason for each file with a function that contains the whole run, if the change may alter the work.

    This is the case if the function changed, or the code outside the functions of its file, such as a constant. A new
    function in a file of benchmarks is one more benchmark; the largest of each file is noted.
    """
    before, after = shares(comparison, comparison.total_value)
    noted = set[str]()
    new = np.flatnonzero((before == 0) & (after >= 0.01))  # smallest share of the run that is noted
    for symbol in new[np.argsort(-after[new], kind="stable")].tolist():
        path = states.paths[symbol]
        if path is not None and states.states[symbol] in CHANGED and path not in noted and BENCHMARK.search(path):
            noted.add(path)
            name = comparison.symbols.names[symbol]
            yield Reason(
                ReasonCode.BENCHMARK_EDITED,
                {"case": "new_benchmark", "workload": comparison.workload, "file": path, "function": name},
            )
    for symbol in np.flatnonzero(np.maximum(before, after) >= NEARLY_ALL).tolist():
        path = states.paths[symbol]
        outside = {one.state for one in functions.functions[1].get(path or "", ()) if one.function.kind == "module"}
        if path is not None and not CHANGED.isdisjoint({states.states[symbol], *outside}):
            name = comparison.symbols.names[symbol]
            yield Reason(ReasonCode.BENCHMARK_EDITED, {"case": "workload_changed", "file": path, "function": name})
