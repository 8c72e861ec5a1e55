"""Uses fingerprints or the hunks of the diff to determine whether the source of each function changed."""

import hashlib
import re
from collections.abc import Sequence
from urllib.parse import quote

from profgate.attribution.frame_functions import functions_meant, last_name, last_names, means_wholly
from profgate.attribution.function_changes import FunctionChanges, KnownFunction
from profgate.attribution.grammars import language_of
from profgate.attribution.hunk_scope import bare_name, edits_by_name
from profgate.attribution.repository_paths import BASELINE, TARGET, both_sides
from profgate.model.attribution import ChangedFile, Edit, Hunk, LineRange, SourceDiff, SourceState, SourceStates
from profgate.model.comparison import NameTable
from profgate.model.frame_names import file_key, is_library

_JAVA_CLASS = re.compile(r"((?:[a-z_][\w]*[./])+[A-Z]\w*)(?:\$[\w$]*)?\.[\w$<>]+(?:\(|$)")
DiffPlace = tuple[str, int]  # ``L`` or ``R``, followed by a line number


def source_states(sides: "Sides") -> SourceStates:
    """Find the state, repository file and link of each symbol. A state that cannot be determined is *unknown*.

    In a file whose ``changes`` are known, functions are compared by fingerprint, so moved code and changes to layout
    and comments are ignored. If a name matches several functions in the file, their states must agree.

    In all other files, the diff determines the state. A function is *same* if the diff does not edit its file, and
    *renamed* if the file was only renamed. It is *added* or *removed* if one side lacks the file, and *changed* if the
    diff edits the line that the profile states, or a line below a definition of this name in the diff. A function that
    a source map names is never *same* or *renamed*, because a source map proves nothing.
    """
    found = [sides.of(symbol) for symbol in range(len(sides.symbols))]
    states, paths, links = zip(*found, strict=True) if found else ((), (), ())
    spans = tuple(sides.span(symbol) for symbol in range(len(found)))
    return SourceStates(states, paths, links, spans=spans, library=sides.libraries())


class Sides:
    """The files of both commits and the known lines of functions in the changed files."""

    def __init__(self, names: NameTable, diff: SourceDiff, changes: FunctionChanges | None = None) -> None:
        self.diff = diff
        self.changes = changes or FunctionChanges()
        self.symbols = names.symbols
        self.present = names.present.tolist()
        self.exact = all(facts.states_first_lines for facts in names.facts)
        self._touched: tuple[dict[str, ChangedFile], ...] = (
            {file.previous_path: file for file in diff.files if file.status != "added"},
            {file.path: file for file in diff.files if file.status != "removed"},
        )
        self._paths = both_sides(diff)
        self._found_paths: dict[tuple[int, str], str | None] = {}
        self._edits: dict[str, dict[str, list[Edit]]] = {}
        self._whole_names = [self._by_last_name(side) for side in (BASELINE, TARGET)]
        self._places = [self._place(symbol) for symbol in range(len(self.symbols))]
        if self._find_top_level_files():
            self._places = [self._place(symbol) for symbol in range(len(self.symbols))]
        # the functions in a changed file to which each symbol may refer, with their states
        self.meant = [self._meant(symbol) for symbol in range(len(self.symbols))]

    def of(self, symbol: int) -> tuple[SourceState, str | None, str | None]:
        """Return the state, path and link of a symbol."""
        side, path = self._places[symbol]
        if path is None:
            return "unknown", None, None
        commit, line = self.diff.file_links[side], self.symbols.lines[symbol]
        anchor = f"#L{line}" if line else ""
        link = f"{commit}/{quote(path, errors='replace')}{anchor}" if commit is not None else None
        changed = self._touched[side].get(path)
        claimed = self.symbols.is_claimed(symbol)
        if changed is None:
            known = self.diff.complete and self.diff.repository_files is not None and not claimed
            return "same" if known else "unknown", path, link
        state, place = self._in_changed_file(symbol, side, changed)
        if claimed and state in {"same", "renamed"}:
            state = "unknown"
        if self.diff.diff_link is not None and place is not None:
            # GitHub's anchor of a file in a diff is the SHA-256 of its path
            digest = hashlib.sha256(changed.path.encode("utf-8", "surrogatepass")).hexdigest()
            link = f"{self.diff.diff_link}#diff-{digest}{place[0]}{place[1]}"
        return state, path, link

    def _meant(self, symbol: int) -> list[KnownFunction]:
        side, path = self._places[symbol]
        known, language = self.changes.functions[side].get(path or ""), language_of(path or "")
        if known is None or language is None:
            return []
        name, lines = self.symbols.names[symbol], self.lines_of(symbol)
        found = (functions_meant(name, line, known, language, exact=self.exact) for line in lines)
        return next(filter(None, found), [])

    @property
    def paths(self) -> list[str | None]:
        """The repository file of each symbol, or None if the file is not known to be there."""
        return [path for _, path in self._places]

    def libraries(self) -> tuple[bool, ...]:
        """Return whether each symbol belongs to another project, whose files are neither in the repository nor beside.

        The output of a build is beside the files of the repository.
        """
        table, is_known = self.symbols, self.diff.repository_files is not None
        origins, paths = table.origins or table.files, self.paths
        pairs = zip(origins, paths, strict=True)
        folders = {origin.removesuffix(path) for origin, path in pairs if origin and path and origin.endswith(path)}
        beside = tuple(folders - {""})
        found = []
        for label, origin, path, module in zip(table.labels, origins, paths, table.modules, strict=True):
            placed = origin or _JAVA_CLASS.match(label)
            elsewhere = is_known and placed and not (origin or "").startswith(beside)
            found.append(path is None and bool(elsewhere or is_library(label, origin, module)))
        return tuple(found)

    def lines_of(self, symbol: int) -> tuple[int | None, ...]:
        """Return the known lines of a symbol."""
        return self.symbols.several.get(symbol) or (self.symbols.lines[symbol],)

    def span(self, symbol: int) -> tuple[LineRange | None, LineRange | None]:
        """Return the lines of a function in a changed file before and after, or None for a side without known lines."""
        meant = self.meant[symbol]
        known = _decisive(meant, self.lines_of(symbol)) if meant else None
        if known is None or known.function.kind == "module":
            return None, None
        own = LineRange(known.function.first, known.function.last)
        other = None if known.partner is None else LineRange(known.partner[1].first, known.partner[1].last)
        return (other, own) if self._places[symbol][0] == TARGET else (own, other)

    def _place(self, symbol: int) -> tuple[int, str | None]:
        """Return the side from which the line of a symbol comes, and the file of the symbol on that side."""
        side, name = (TARGET if self.present[TARGET][symbol] else BASELINE), self.symbols.names[symbol]
        file = self.symbols.files[symbol]
        if file is None and (path := self._file_by_name(side, name)) is not None:
            return side, path
        if file is None and (found := _JAVA_CLASS.match(name)):
            file = f"{found[1].replace('.', '/')}.java"  # the source of ``a.b.Outer$Inner.run`` is in this file
        # the files of an installed npm package may have the names of own files
        origins = self.symbols.origins
        if file is None or (origins and "/node_modules/" in f"/{origins[symbol] or ''}"):
            return side, None
        if (side, file) not in self._found_paths:
            self._found_paths[side, file] = self._paths[side].find(file)
        return side, self._found_paths[side, file]

    def _find_top_level_files(self) -> bool:
        """Find top-level files below the checkout folder, local or derived from paths. Return whether there are any."""
        found = self._found_paths
        folders = {file.removesuffix(path) for (_, file), path in found.items() if path and file.endswith(f"/{path}")}
        folders |= self._local_folder()
        matches: dict[tuple[int, str], str] = {}
        for (side, file), known in found.items():
            folder, slash, path = file.rpartition("/")
            if known is None and folder + slash in folders and self._paths[side].find(path) == path:
                matches[side, file] = path
        found.update(matches)
        return bool(matches)

    def _local_folder(self) -> set[str]:
        """Return the name of the local checkout in the profile, or an empty set if it does not occur there.

        A name without the start of the path, such as ``walk/``, could also be the name of a library. It counts only if
        the checkout has everything that the profile contains directly below it.
        """
        if self.diff.checkout is None:
            return set()
        root, entries = self.diff.checkout
        entries |= {path.partition("/")[0] for touched in self._touched for path in touched}
        files = [file for _, file in self._found_paths]
        for folder in (f"{root}/", file_key(f"{root}/"), f"{root.rpartition('/')[2]}/"):
            inside = {file.removeprefix(folder).partition("/")[0] for file in files if file.startswith(folder)}
            if folder and inside:
                return {folder} if folder == f"{root}/" or inside <= entries else set()
        return set()

    def _by_last_name(self, side: int) -> dict[str, list[KnownFunction]]:
        """Map the last part of each name to functions, for languages whose frames have fully qualified names."""
        found: dict[str, list[KnownFunction]] = {}
        for path, functions in self.changes.functions[side].items():
            for known in functions if language_of(path) in {"go", "java", "c", "cpp", "rust"} else ():
                if (last := last_name(known.function)) is not None:
                    found.setdefault(last, []).append(known)
        return found

    def _file_by_name(self, side: int, name: str) -> str | None:
        """Return the only changed file with a qualified name, which frames of machine code and the JVM have."""
        known = self._whole_names[side]
        paths = set[str]()
        for last in last_names(name) if known else ():
            for function in known.get(last, ()):
                if means_wholly(name, function.function, language_of(function.path)):
                    paths.add(function.path)
        return paths.pop() if len(paths) == 1 else None

    def _in_changed_file(self, symbol: int, side: int, changed: ChangedFile) -> tuple[SourceState, DiffPlace | None]:
        """Return the state of a function in a changed file, and the line of the diff that changes it."""
        line, meant = self.symbols.lines[symbol], self.meant[symbol]
        if not meant:
            return self._by_hunks(symbol, side, changed)
        known = _decisive(meant, self.lines_of(symbol))
        state: SourceState = "unknown" if known is None else self._under_one_name(known, symbol, changed)
        if known is None or state in {"same", "unknown", "renamed"}:
            return state, None
        first, last = known.function.first, known.function.last
        edits = [edit for hunk in changed.hunks for edit in hunk.edits]
        inside = [edit for edit in edits if edit[side].first <= last and edit[side].last + 1 >= first]
        own = known.function.opens if line is None else line
        return state, _shown(inside, own, side, changed.hunks) if inside else ("LR"[side], known.function.opens)

    def _under_one_name(self, known: KnownFunction, symbol: int, changed: ChangedFile) -> SourceState:
        """Return the state of a function that both profiles name, which is not added if only its scope was renamed."""
        both = self.present[BASELINE][symbol] and self.present[TARGET][symbol]
        if not both or changed.status != "modified" or known.state not in {"added", "renamed"}:
            return known.state
        others = self.changes.functions[BASELINE].get(changed.previous_path, ())
        before = {other.function.fingerprint for other in others if other.function.name == known.function.name}
        if not before:
            return known.state
        return "same" if known.function.fingerprint in before else "changed"

    def _by_hunks(self, symbol: int, side: int, changed: ChangedFile) -> tuple[SourceState, DiffPlace | None]:
        line = self.symbols.lines[symbol]
        if changed.status in {"added", "removed"}:
            return changed.status, ("LR"[side], line or 1)
        if self._places[symbol][1] in self.changes.functions[side]:
            return "unknown", None
        edits = [edit for hunk in changed.hunks for edit in hunk.edits]
        if not edits and changed.complete:
            return ("renamed" if changed.status == "renamed" else "same"), None
        if changed.path not in self._edits:
            self._edits[changed.path] = edits_by_name(changed.hunks)
        named = self._edits[changed.path].get(bare_name(self.symbols.names[symbol]), [])
        inside = [edit for edit in edits if line in edit[side]] + named
        return ("changed", _shown(inside, line, side, changed.hunks)) if inside else ("unknown", None)


def _decisive(meant: Sequence[KnownFunction], lines: Sequence[int | None]) -> KnownFunction | None:
    """Return a function if all have one state, else the changed one that contains a line of the symbol, or None."""
    if len({known.state for known in meant}) == 1:
        return meant[0]
    for known in meant:
        is_here = any(line and known.function.first <= line <= known.function.last for line in lines)
        if is_here and known.state not in {"same", "unknown"}:
            return known
    return None


def _shown(inside: Sequence[Edit], line: int | None, side: int, hunks: Sequence[Hunk]) -> DiffPlace:
    """Return the line of the function if the diff contains this line; otherwise, return its first changed line."""
    if line is not None and any(line in (hunk.target if side == TARGET else hunk.baseline) for hunk in hunks):
        return "LR"[side], line
    before, after = inside[0]
    return ("R", after.first) if after.last >= after.first else ("L", before.first)
