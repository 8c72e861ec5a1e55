"""Decides which workloads a change of the sources can reach, from their functions at the base and from imports.

A workload is reached unless the opposite is proven. A function that the base did not call cannot change the run unless
other changed code calls it. Only counts of calls show which functions were called. All other code counts if its file
can be loaded.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from profgate.attribution.blind_spots import SeenFunctions
from profgate.attribution.function_changes import FunctionChanges, KnownFunction, texts_of
from profgate.attribution.imports import PACKAGE, Imports, is_graphed, replaces_module
from profgate.attribution.reach import DOCUMENTATION
from profgate.attribution.repository_paths import BASELINE, TARGET
from profgate.attribution.source_states import Sides
from profgate.model.comparison import NameTable, Symbols
from profgate.model.reason import Reason, ReasonCode

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from profgate.attribution.fingerprints import SourceFunction
    from profgate.model.attribution import ChangedFile, SourceDiff
    from profgate.model.history import Recorded, SymbolKey

# recorders that count calls see only the thread and the process in which they were started
ELSEWHERE = re.compile(r"start_(?:new|joinable)_thread|fork_exec|CreateProcess|posix\.(?:fork|posix_spawn|system|exec)")


class Change:
    """A change of the sources, for the decision about each workload.

    ``sources`` returns the texts of the whole repository after the change, as far as `is_graphed` selects them.
    """

    def __init__(
        self, diff: SourceDiff, changes: FunctionChanges, sources: Callable[[], Mapping[str, str]] = dict
    ) -> None:
        self._diff, self._changes, self._sources = diff, changes, sources
        self._files = [file for file in diff.files if not self._is_without_effect(file)]

    @cached_property
    def obstacle(self) -> Reason | None:
        """The reason why this change can reach every workload, or None."""
        is_known = self._diff.complete and self._diff.all_listed and not self._diff.gaps
        if not is_known or self._diff.repository_files is None:
            return _reason("incomplete")
        for file in self._files:
            if any(
                not is_graphed(path) or path.endswith(PACKAGE) or (file.status != "modified" and replaces_module(path))
                for path in (file.path, file.previous_path)
            ):
                return _reason("other_file", file=file.path)
            if file.path in self._changes.unread or not file.complete:
                return _reason("unread", file=file.path)
        return None

    def reaching(self, workload: Recorded) -> Reason | None:
        """Return the reason why the change can reach a workload, or None if it cannot."""
        if self.obstacle is not None:
            return self.obstacle
        keys = sorted(workload.shares, key=lambda key: (key[0], key[1] or ""))
        sides = self._sides(keys)
        largest = {True: 0.0, False: 0.0}  # shares of functions in the repository, and elsewhere
        for key, path in zip(keys, sides.paths, strict=True):
            if path is not None or not _is_start(key[1]):
                largest[path is not None] = max(largest[path is not None], workload.shares[key])
        # a program from elsewhere that contains the run may load any file, as a runner of tests does
        begins_here = largest[True] >= max(0.5, largest[False])
        entries = {path for path in sides.paths if path is not None} if begins_here else set()
        functions = None
        if workload.counted and not any(ELSEWHERE.search(name) for name, _ in keys):
            functions = SeenFunctions(self._changes, BASELINE)
            functions.add(sides)
        reasons = (self._of_file(file, functions, entries) for file in self._files)
        return next((reason for reason in reasons if reason is not None), None)

    def _of_file(self, file: ChangedFile, functions: SeenFunctions | None, entries: Collection[str]) -> Reason | None:
        """Return the reason why a file can reach a workload: a function that it calls, or code that it can load."""
        if functions is not None:
            for known in self._changes.functions[BASELINE].get(file.previous_path, ()):
                is_function = known.function.kind in {"function", "anonymous"}
                if is_function and known.state != "same" and functions.state(known) != "missing":
                    return _reason("function", file=known.path, function=".".join(known.function.parts))
            if not self._changes_module(file):
                return None
        if self._imports is None:
            return _reason("no_sources", file=file.path)
        if not entries:
            return _reason("no_entry", file=file.path)
        closure = self._imports.closure(entries)
        if closure.computed is not None:
            return _reason("computed", file=closure.computed)
        return None if closure.files.isdisjoint({file.path, file.previous_path}) else _reason("file", file=file.path)

    @cached_property
    def _imports(self) -> Imports | None:
        versions = {path: [text] for path, text in self._sources().items()}
        for file in self._files:
            before, after = texts_of(self._diff, file)
            for path, text in ((file.previous_path, before), (file.path, after)):
                if text is not None:
                    versions.setdefault(path, []).append(text)
        is_known = all(path in versions for path in self._diff.repository_files or () if is_graphed(path))
        return Imports(versions) if is_known else None

    def _changes_module(self, file: ChangedFile) -> bool:
        """Return whether a change may alter what happens when the file is loaded, or what unchanged code calls."""
        before, after = self._functions_of(file)
        if file.status != "modified":
            return True
        by_name = {known.function.parts: known.function.kind for known in after}
        lines = [(text or "").split("\n") for text in texts_of(self._diff, file)]
        for known in chain(before, after):
            if known.state == "unknown" or (known.function.kind in {"scope", "module"} and known.state != "same"):
                return True
            # a function inside another one is a change of that one
            is_inside = by_name.get(known.function.parts[:-1]) in {"function", "anonymous"}
            is_other = known.state in {"added", "removed", "renamed"}
            others = (one.function for one in before if one is not known)
            head = _head(known.function, lines[known.state != "removed"])
            if is_other and not is_inside and not _is_plain(known.function, head, others):
                return True
        pairs = [(known.function, known.partner[1]) for known in before if known.partner and known.state == "changed"]
        return any(_head(old, lines[BASELINE]) != _head(new, lines[TARGET]) for old, new in pairs)

    def _is_without_effect(self, file: ChangedFile) -> bool:
        if all(map(DOCUMENTATION.fullmatch, {file.path, file.previous_path})) or file.path in self._changes.unaffected:
            return True
        before, after = self._functions_of(file)
        is_same = bool(after) and all(known.state == "same" for known in chain(before, after))
        return is_same and bool(file.hunks) and not self._changes_module(file)

    def _functions_of(self, file: ChangedFile) -> tuple[Sequence[KnownFunction], Sequence[KnownFunction]]:
        before, after = self._changes.functions
        return before.get(file.previous_path, ()), after.get(file.path, ())

    def _sides(self, keys: Sequence[SymbolKey]) -> Sides:
        names, files = [name for name, _ in keys], [file for _, file in keys]
        unknown: list[None] = [None] * len(keys)
        symbols = Symbols(names, files, [*unknown], [*unknown], names)
        present = np.array([[True] * len(keys), [False] * len(keys)], np.bool_)
        return Sides(NameTable(symbols=symbols, present=present), self._diff, self._changes)


def _head(function: SourceFunction, lines: Sequence[str]) -> Sequence[str]:
    """Return the decorators and the head of a definition with its default values, which run when the file is loaded."""
    whole, opens = lines[function.first - 1 : function.last], function.opens - function.first
    ends = (place for place, line in enumerate(whole) if place >= opens and line.rstrip().endswith((":", "{")))
    return whole[: next(ends, len(whole)) + 1]


def _is_start(file: str | None) -> bool:
    """Return whether a file is none, or of a runtime that starts programs. Go programs contain all that they load."""
    return file is None or file.startswith(("node:", "<", "~")) or file.endswith(("runpy.py", ".go"))


def _is_plain(function: SourceFunction, head: Sequence[str], others: Iterable[SourceFunction]) -> bool:
    """Return whether only code that names a function runs it, and none of the other functions of its file did so."""
    # a decorator or a default value may call something
    is_special = function.first != function.opens or "".join(head).count("(") > 1
    is_special = is_special or function.name.startswith("__") or function.name == "init"
    is_called = any(function.name in other.calls for other in others)
    return function.kind == "function" and len(function.parts) == 1 and not (is_special or is_called)


def _reason(case: str, **parameters: str) -> Reason:
    return Reason(ReasonCode.AFFECTED, {"case": case, **parameters})
