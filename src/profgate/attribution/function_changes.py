"""Compares the fingerprints of both sides to find the changed functions in the changed files."""

from collections.abc import Callable

from profgate.attribution.fingerprints import ParsedSource, SourceFunction
from profgate.attribution.grammars import language_of
from profgate.model.attribution import ChangedFile, SourceDiff, SourceState, SourceTexts
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import Record, field

NAMED = 3  # maximum number of files listed in a reason
_Place = tuple[str, SourceFunction]
_Sides = tuple[list[_Place], list[_Place]]


class KnownFunction(Record):
    """A function on one side and its state. ``partner`` is the path and function on the other side."""

    path: str
    function: SourceFunction
    state: SourceState
    partner: _Place | None = None


class FunctionChanges(Record):
    """Functions of the baseline and the target by path. Files that were not parsed on both sides are omitted.

    ``unread`` contains changed sources in a supported language that were not parsed. ``unaffected`` contains the paths
    of modified files whose change has no effect (see `exact_digest`).
    """

    functions: tuple[dict[str, list[KnownFunction]], dict[str, list[KnownFunction]]] = field(
        default_factory=lambda: ({}, {})
    )
    unread: list[str] = field(default_factory=list)
    unaffected: set[str] = field(default_factory=set)

    def add(self, old: _Place | None, new: _Place | None, state: SourceState) -> None:
        """Record one function. The place is None for a side that does not have the function."""
        for side, (place, partner) in enumerate(((old, new), (new, old))):
            if place is not None:
                self.functions[side].setdefault(place[0], []).append(KnownFunction(*place, state, partner))


def function_changes(diff: SourceDiff, parse: Callable[[str, str], ParsedSource | None]) -> FunctionChanges:
    """Find the state of every function in the changed files whose texts are known.

    ``parse`` takes the path and the text of a file, and returns None if it does not parse the file.

    Functions with the same name are *same* or *changed*, depending on their fingerprints. Functions with equal
    fingerprints but different names or files are *renamed*. Functions without a counterpart are *added* or *removed*.
    Functions with a syntax error are *unknown*.
    """
    changes = FunctionChanges()
    left: _Sides = ([], [])
    for changed, texts in known_texts(diff):
        before = after = None
        if texts is not None:
            before, after = (parse(changed.path, text) for text in texts)
        if before is None or after is None:
            # git states no blob ids if only the path or the mode of a file changed
            edited = changed.status in {"added", "removed"} or changed.hunks or changed.blobs
            if edited or not changed.complete:
                changes.unread.append(changed.path)
        else:
            unmatched = _compare_file(changes, changed, before, after)
            left[0].extend(unmatched[0])
            left[1].extend(unmatched[1])
    for pair in _renamed(left):
        changes.add(*pair, "renamed")
    for place in left[0]:
        changes.add(place, None, "removed")
    for place in left[1]:
        changes.add(None, place, "added")
    return changes


def known_texts(diff: SourceDiff) -> list[tuple[ChangedFile, tuple[str, str] | None]]:
    """Return the changed files in supported languages, with their texts on both sides.

    The texts are None if they are unknown or too long. The list is empty if no text is known.
    """
    # maximum number of characters per side; parsing a million characters takes about two seconds
    budget, found = 4_000_000, []
    for changed in diff.files if diff.texts is not None else ():
        if language_of(changed.path) is not None:
            old, new = texts_of(diff, changed)
            budget -= max(len(old or ""), len(new or ""))
            found.append((changed, None if old is None or new is None or budget < 0 else (old, new)))
    return found


def unread(changes: FunctionChanges) -> list[Reason]:
    """Return a reason that lists the changed sources that were not parsed, or an empty list if all were parsed."""
    if not changes.unread:
        return []
    named, more = ", ".join(changes.unread[:NAMED]), max(0, len(changes.unread) - NAMED)
    return [Reason(ReasonCode.SOURCES_UNPARSED, {"files": named, "more": more})]


def texts_of(diff: SourceDiff, changed: ChangedFile) -> tuple[str | None, str | None]:
    """Return the text of a file on each side: "" if the side lacks the file, None if it was not read."""
    texts = diff.texts or SourceTexts({}, {})
    before = "" if changed.status == "added" else texts.baseline.get(changed.previous_path)
    after = "" if changed.status == "removed" else texts.target.get(changed.path)
    return before, after


def _compare_file(changes: FunctionChanges, changed: ChangedFile, before: ParsedSource, after: ParsedSource) -> _Sides:
    """Record the functions that are paired by name and return the remaining functions."""
    # without a hunk, the mode of the file changed
    if changed.status == "modified" and changed.hunks and before.exact and before.exact == after.exact:
        changes.unaffected.add(changed.path)
    sides: _Sides = ([], [])
    if changed.status != "added":
        sides[0].extend((changed.previous_path, function) for function in before.functions)
        changes.functions[0].setdefault(changed.previous_path, [])
    if changed.status != "removed":
        sides[1].extend((changed.path, function) for function in after.functions)
        changes.functions[1].setdefault(changed.path, [])
    for (old_path, old), (new_path, new) in _of_one_name(sides):
        state: SourceState = "renamed" if changed.status == "renamed" or old.parts != new.parts else "same"
        if old.broken or new.broken:
            state = "unknown"
        elif old.fingerprint != new.fingerprint:
            state = "changed"
        changes.add((old_path, old), (new_path, new), state)
    return sides


def _of_one_name(sides: _Sides) -> list[tuple[_Place, _Place]]:
    """Return pairs of functions with the same qualified name, then pairs of functions with the same unique last name.

    If several functions share a qualified name, those with equal tokens are paired first, then those with equal
    parameters, and then the remaining functions in order.
    """

    def name(place: _Place) -> tuple[object, ...]:
        # the number of a nameless function changes if a function is added before it
        function = place[1]
        return function.kind, function.parts[:-1] if function.kind == "anonymous" else function.parts

    pairs = _take_equal(sides, lambda place: (*name(place), place[1].fingerprint, place[1].signature))
    pairs += _take_equal(sides, lambda place: (*name(place), place[1].fingerprint))
    pairs += _take_equal(sides, lambda place: (*name(place), place[1].signature) if place[1].signature else None)
    pairs += _take_equal(sides, name)
    return pairs + _take_equal(sides, lambda place: place[1].name if place[1].kind == "function" else None, single=True)


def _renamed(sides: _Sides) -> list[tuple[_Place, _Place]]:
    """Return pairs of functions with equal code and different names, preferably in the same file or class.

    Short bodies are not paired. Nameless functions are paired only within a file.
    """

    def in_file(place: _Place) -> object:
        path, function = place
        nameless = function.kind == "anonymous"
        # shorter bodies may be equal by chance
        if function.tokens < 12 or function.broken or not (nameless or function.kind == "function"):
            return None
        return function.fingerprint, function.kind, path, function.parts[:-1] if nameless else ()

    def in_class(place: _Place) -> object:
        return (place[1].fingerprint, place[1].parts[:-1]) if place[1].kind == "function" and in_file(place) else None

    def anywhere(place: _Place) -> object:
        return place[1].fingerprint if in_class(place) else None

    return [pair for key in (in_file, in_class, anywhere) for pair in _take_equal(sides, key, single=True)]


def _take_equal(sides: _Sides, key: Callable[[_Place], object], *, single: bool = False) -> list[tuple[_Place, _Place]]:
    """Remove and return pairs of equal keys that are not None and, if ``single``, unique on each side."""
    groups: dict[object, _Sides] = {}
    for side, places in enumerate(sides):
        for place in places:
            if (found := key(place)) is not None:
                groups.setdefault(found, ([], []))[side].append(place)
    pairs: list[tuple[_Place, _Place]] = []
    for old, new in groups.values():
        if not single or len(old) == len(new) == 1:
            pairs += zip(old, new, strict=False)
    for side, places in enumerate(sides):
        taken = {id(pair[side]) for pair in pairs}
        places[:] = [place for place in places if id(place) not in taken]
    return pairs
