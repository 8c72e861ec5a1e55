"""Whether the source of each function changed: by its fingerprint on both sides, else by the hunks of the diff."""

import hashlib
import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote

from profgate.attribute.frame_functions import WHOLE_NAMES, functions_meant, key_word, means_wholly, words_of
from profgate.attribute.function_changes import FunctionChanges, KnownFunction
from profgate.attribute.grammars import language_of
from profgate.attribute.hunk_scope import FileHunks, Function
from profgate.attribute.repository_paths import both_sides
from profgate.model.attribution import ChangedFile, Edit, Hunk, LineRange, SourceDiff, SourceState, SourceStates
from profgate.model.comparison import Comparison
from profgate.model.profile import PYTHON_SAMPLING

BASELINE, TARGET = 0, 1
# these formats give the line where a function begins, unless samples were taken; all others any line of it
_FIRST_LINE_FORMATS = frozenset({"pstats", "cpuprofile", "pyinstrument"})
# a closure lies inside another function, so its line is no border of that one
_JAVA_CLASS = re.compile(r"((?:[a-z_][\w]*[./])+[A-Z]\w*)(?:\$[\w$]*)?\.[\w$<>]+(?:\(|$)")
_CLOSURE = re.compile(r"[<{]|\blambda\b|\.func\d|\bblock in\b|\$\d|anonymous", re.IGNORECASE)


def source_states(sides: "Sides") -> SourceStates:
    """A state, a file of the repository and a link for each symbol; what cannot be decided is unknown.

    In a file whose ``changes`` are known a function is compared by its fingerprint, so layout, comments and what moved
    around it count for nothing. Where a name fits several of its functions their states must agree.

    Everywhere else the hunks decide. *same*: the file lies in the repository and the diff does not touch it, or all its
    hunks lie on the far side of another known function. *changed*: a known line of the function came with the diff, or
    a hunk changes lines that stand in the function by the hunk's heading, by its own lines or by their indentation.
    *added*, *removed*: the file came or went as a whole, or the function's definition did. *renamed*: the file did, and
    the function is the same.

    What hunks can get wrong: a comment or blank space inside a function counts as its change; of two functions of one
    name in one file (two methods ``__init__``) one line only is known, so a change of the other may be missed; a
    function whose named closure ends before a hunk is called same although the hunk may lie behind the closure, in the
    function; sources that are indented against the habit of their language. A function whose callee, default, decorator
    or constant changed elsewhere is *same*: the word is about its own lines. Changes on the base branch between the
    baseline and the pull request's start are not part of the diff.
    """
    found = [sides.of(symbol) for symbol in range(len(sides.symbols))]
    return SourceStates(
        tuple(one.state for one in found), tuple(one.path for one in found), tuple(one.link for one in found)
    )


@dataclass(frozen=True, slots=True)
class _Found:
    state: SourceState = "unknown"
    path: str | None = None
    link: str | None = None


class Sides:
    """The files of both commits, and the known lines of the functions in the changed ones."""

    def __init__(self, comparison: Comparison, diff: SourceDiff, changes: FunctionChanges | None = None) -> None:
        self.diff = diff
        self.changes = changes or FunctionChanges()
        self.symbols = comparison.symbols
        self.present = comparison.present.tolist()
        self.exact = all(
            facts.format in _FIRST_LINE_FORMATS and facts.profiler != PYTHON_SAMPLING for facts in comparison.facts
        )
        self.touched: tuple[dict[str, ChangedFile], ...] = (
            {one.previous_path: one for one in diff.files if one.status != "added"},
            {one.path: one for one in diff.files if one.status != "removed"},
        )
        self.paths = both_sides(diff)
        self.known: dict[tuple[int, str], str | None] = {}
        self.hunks: dict[tuple[int, str], FileHunks] = {}
        self.named: dict[int, dict[str, list[KnownFunction]]] = {}
        self.places = [self._place(symbol) for symbol in range(len(self.symbols))]
        self.lines = self._lines()

    def _place(self, symbol: int) -> tuple[int, str | None]:
        """The side that a symbol's line belongs to, and its file there."""
        side, file = (TARGET if self.present[TARGET][symbol] else BASELINE), self.symbols.files[symbol]
        if file is None and (path := self._file_by_name(side, self.symbols.names[symbol])) is not None:
            return side, path
        file = file or file_of_class(self.symbols.names[symbol])
        if file is None:
            return side, None
        if (side, file) not in self.known:
            self.known[side, file] = self.paths[side].find(file)
        return side, self.known[side, file]

    def _file_by_name(self, side: int, name: str) -> str | None:
        """The one changed file with a function of exactly this qualified name, for frames that name no file.

        Machine code and the JVM give whole names; one that is less than whole could be any library's.
        """
        if side not in self.named:
            self.named[side] = {}
            for path, functions in self.changes.functions[side].items():
                for one in functions if language_of(path) in WHOLE_NAMES else ():
                    if (word := key_word(one.function)) is not None:
                        self.named[side].setdefault(word, []).append(one)
        known = self.named[side]
        if not known:
            return None
        paths = {
            one.path
            for word in words_of(name)
            for one in known.get(word, ())
            if means_wholly(name, one.function, language_of(one.path))
        }
        return paths.pop() if len(paths) == 1 else None

    def _lines(self) -> dict[tuple[int, str], list[int]]:
        """Lines that are known to be no closure's, for each changed file, in order."""
        lines: dict[tuple[int, str], list[int]] = {}
        for symbol, (side, path) in enumerate(self.places):
            line = self.symbols.lines[symbol]
            if path in self.touched[side] and line is not None and not _CLOSURE.search(self.symbols.names[symbol]):
                lines.setdefault((side, path), []).append(line)
        return {place: sorted(found) for place, found in lines.items()}

    def of(self, symbol: int) -> _Found:
        """What is known of one symbol."""
        side, path = self.places[symbol]
        if path is None:
            return _Found()
        line, changed = self.symbols.lines[symbol], self.touched[side].get(path)
        if changed is None:
            known = self.diff.complete and self.diff.repository_files is not None
            return _Found("same" if known else "unknown", path, self._file_link(side, path, line))
        state, place = self._in_changed_file(symbol, side, changed)
        if state in {"same", "unknown", "renamed"} or place is None:
            return _Found(state, path, self._file_link(side, path, line))
        return _Found(state, path, self._diff_link(changed, *place) or self._file_link(side, path, line))

    def _in_changed_file(
        self, symbol: int, side: int, changed: ChangedFile
    ) -> tuple[SourceState, tuple[str, int] | None]:
        """The state of a function in a touched file, and where in the diff it shows: ``L`` or ``R`` and a line."""
        name, line = self.symbols.names[symbol], self.symbols.lines[symbol]
        letter = "LR"[side]
        if (meant := self.meant(symbol)) is not None:
            one = _told_apart(meant, line)
            state: SourceState = "unknown" if one is None else self._under_one_name(one, symbol, changed)
            shown = None if one is None or state in {"same", "unknown"} else self._edited(side, changed, one, line)
            return state, shown
        if changed.status in {"added", "removed"}:
            return changed.status, (letter, line or 1)
        function, hunks = Function(name, line, self.exact), self._hunks(side, changed)
        alone = self.present[TARGET][symbol] != self.present[BASELINE][symbol]
        if alone and (place := hunks.introduced(function)) is not None:
            return ("added" if side == TARGET else "removed"), (letter, place)
        if inside := hunks.inside(function):
            return "changed", _shown(inside, line, side, changed.hunks)
        lines = self.lines.get((side, self.places[symbol][1] or ""), [])
        outside = line is not None and all(
            self._beyond(edit[side], line, lines) or hunks.ended_before(hunk, edit, function)
            for hunk, edit in hunks.around(line)
        )
        if not outside or not changed.complete:
            return "unknown", None
        return ("renamed" if changed.status == "renamed" else "same"), None

    def meant(self, symbol: int) -> list[KnownFunction] | None:
        """The functions of a changed file that a symbol may be, each with its state; None where none is known."""
        side, path = self.places[symbol]
        known = self.changes.functions[side].get(path or "")
        language = language_of(path or "")
        if known is None or language is None:
            return None
        name, line = self.symbols.names[symbol], self.symbols.lines[symbol]
        return functions_meant(name, line, known, lambda one: one.function, language, exact=self.exact) or None

    def _under_one_name(self, one: KnownFunction, symbol: int, changed: ChangedFile) -> SourceState:
        """The state of a function that both profiles know by one name: not new because its scope has another."""
        both = self.present[BASELINE][symbol] and self.present[TARGET][symbol]
        if not both or changed.status != "modified" or one.state not in {"added", "renamed"}:
            return one.state
        known = self.changes.functions[BASELINE].get(changed.previous_path, ())
        before = {other.function.fingerprint for other in known if other.function.name == one.function.name}
        if not before:
            return one.state
        return "same" if one.function.fingerprint in before else "changed"

    def _edited(self, side: int, changed: ChangedFile, meant: KnownFunction, line: int | None) -> tuple[str, int]:
        """Where the diff shows a function: its own line, else its first changed one, else where it begins."""
        first, last = meant.function.first, meant.function.last
        edits = [edit for hunk in changed.hunks for edit in hunk.edits]
        inside = [edit for edit in edits if edit[side].first <= last and edit[side].last + 1 >= first]
        own = meant.function.opens if line is None else line
        return _shown(inside, own, side, changed.hunks) if inside else ("LR"[side], meant.function.opens)

    def _hunks(self, side: int, changed: ChangedFile) -> FileHunks:
        if (side, changed.path) not in self.hunks:
            self.hunks[side, changed.path] = FileHunks(changed.hunks, side)
        return self.hunks[side, changed.path]

    def _beyond(self, edited: LineRange, line: int, lines: Sequence[int]) -> bool:
        """Whether another function's line stands between the edited ones and the function that holds this line."""
        first, last = edited
        if last < line:
            nearest = bisect_left(lines, line) - 1
            return (self.exact and last < line - 1) or (nearest >= 0 and lines[nearest] > last)
        nearest = bisect_right(lines, line)
        return nearest < len(lines) and lines[nearest] <= first - (last < first)

    def _diff_link(self, changed: ChangedFile, letter: str, line: int) -> str | None:
        if self.diff.diff_link is None:
            return None
        digest = hashlib.sha256(changed.path.encode("utf-8", "surrogatepass")).hexdigest()
        return f"{self.diff.diff_link}#diff-{digest}{letter}{line}"

    def _file_link(self, side: int, path: str, line: int | None) -> str | None:
        commit = self.diff.file_links[side]
        if commit is None:
            return None
        return f"{commit}/{quote(path, errors='replace')}" + (f"#L{line}" if line else "")


def _told_apart(meant: Sequence[KnownFunction], line: int | None) -> KnownFunction | None:
    """Who speaks for the functions a symbol may be: any of them where they agree, else the one of a line that changed.

    None where only one that nobody saw run changed.
    """
    if len({one.state for one in meant}) == 1:
        return meant[0]
    here = [one for one in meant if line is not None and one.function.first <= line <= one.function.last]
    return next((one for one in here if one.state not in {"same", "unknown"}), None)


def file_of_class(name: str) -> str | None:
    """The file that holds a Java class by the rules of its compiler, ``a/b/Outer.java`` of ``a.b.Outer$Inner.run``."""
    if not (found := _JAVA_CLASS.match(name)):
        return None
    return f"{found[1].replace('.', '/')}.java"


def _shown(inside: Sequence[Edit], line: int | None, side: int, hunks: Sequence[Hunk]) -> tuple[str, int]:
    """The function's own line where the diff shows it, else its first changed one."""
    if line is not None and any(line in (hunk.target if side == TARGET else hunk.baseline) for hunk in hunks):
        return "LR"[side], line
    ranges: list[tuple[str, LineRange]] = [("R", inside[0].target), ("L", inside[0].baseline)]
    return next((letter, lines.first) for letter, lines in ranges if lines.last >= lines.first)
