"""What became of each function of the changed files, by comparing fingerprints of both sides."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from profgate.attribute.fingerprints import SHORTEST, ParsedSource, SourceFunction, parsed_source
from profgate.attribute.grammars import language_of
from profgate.model.attribution import ChangedFile, SourceDiff, SourceState, SourceTexts

MOST_TEXT = 4_000_000  # characters of each side; reading takes some two seconds a million
NAMED = 3  # files that a sentence names
Place = tuple[str, SourceFunction]


@dataclass(frozen=True, slots=True)
class KnownFunction:
    """A function of one side with its state; ``partner`` is the path and function it is on the other side."""

    path: str
    function: SourceFunction
    state: SourceState
    partner: Place | None = None


@dataclass(frozen=True, slots=True)
class FunctionChanges:
    """Functions by path, for the baseline and the target; a path that is missing was not read on both sides.

    ``unread`` are changed sources of a known language whose functions are not known. ``imported`` are, by path of the
    target, words of import statements that came, went or changed.
    """

    functions: tuple[dict[str, tuple[KnownFunction, ...]], dict[str, tuple[KnownFunction, ...]]] = field(
        default_factory=lambda: ({}, {})
    )
    unread: tuple[str, ...] = ()
    imported: dict[str, frozenset[str]] = field(default_factory=dict)


def function_changes(diff: SourceDiff | None) -> FunctionChanges:
    """The state of every function in the changed files whose texts are known.

    *same*: paired by name with an equal fingerprint. *changed*: with another one. *renamed*: equal, and its name or
    file is another. *added*, *removed*: without a partner. *unknown*: the parser met an error inside.
    """
    if diff is None or diff.texts is None:
        return FunctionChanges()
    pairs: list[tuple[ChangedFile, list[SourceFunction], list[SourceFunction]]] = []
    unread, imported, room = [], {}, MOST_TEXT
    for changed in diff.files:
        if language_of(changed.path) is None:
            continue
        texts = sides_of(diff, changed)
        room -= max(len(text or "") for text in texts)
        before, after = (None if text is None or room < 0 else parsed_source(changed.path, text) for text in texts)
        if before is None or after is None:
            unread.append(changed.path)
            continue
        empty = (changed.status == "added", changed.status == "removed")
        lists = [[] if gone else list(one.functions) for one, gone in zip((before, after), empty, strict=True)]
        pairs.append((changed, lists[0], lists[1]))
        imported[changed.path] = _imported(before, after)
    return FunctionChanges(_paired(pairs, imported), tuple(unread), imported)


def unread(changes: FunctionChanges) -> str:
    """Which changed sources nobody could take apart into functions, in words; empty where there are none."""
    if not changes.unread:
        return ""
    more = f" and {len(changes.unread) - NAMED} more" if len(changes.unread) > NAMED else ""
    named = ", ".join(changes.unread[:NAMED])
    return f"the functions of {named}{more} are not (too long, nested too deeply or not given); the diff's lines decide"


def sides_of(diff: SourceDiff, changed: ChangedFile) -> tuple[str | None, str | None]:
    """Both sides' texts of a changed file, that of a side without the file empty; None where nobody read it."""
    texts = diff.texts or SourceTexts({}, {})
    before = "" if changed.status == "added" else texts.baseline.get(changed.previous_path)
    after = "" if changed.status == "removed" else texts.target.get(changed.path)
    return before, after


def _imported(before: ParsedSource, after: ParsedSource) -> frozenset[str]:
    return frozenset(word for _, words in before.imports ^ after.imports for word in words)


def _paired(
    files: Sequence[tuple[ChangedFile, list[SourceFunction], list[SourceFunction]]],
    imported: Mapping[str, frozenset[str]],
) -> tuple[dict[str, tuple[KnownFunction, ...]], dict[str, tuple[KnownFunction, ...]]]:
    found: tuple[dict[str, list[KnownFunction]], dict[str, list[KnownFunction]]] = ({}, {})
    left: tuple[list[Place], list[Place]] = ([], [])
    for changed, before, after in files:
        paths = (changed.previous_path, changed.path)
        moved = changed.status == "renamed"
        for old, new in _by_name(before, after):
            if old is not None and new is not None:
                state = _state(old, new, moved=moved or old.parts != new.parts)
                if new.kind == "module" and imported[changed.path] and state != "unknown":
                    state = "changed"  # importing takes time as well
                found[0].setdefault(paths[0], []).append(KnownFunction(paths[0], old, state, (paths[1], new)))
                found[1].setdefault(paths[1], []).append(KnownFunction(paths[1], new, state, (paths[0], old)))
            elif old is not None:
                left[0].append((paths[0], old))
            elif new is not None:
                left[1].append((paths[1], new))
        if changed.status != "added":
            found[0].setdefault(paths[0], [])
        if changed.status != "removed":
            found[1].setdefault(paths[1], [])
    renames = _by_fingerprint(*left)
    _told_alone(found[0], left[0], left[1], renames, "removed")
    _told_alone(found[1], left[1], left[0], {new: old for old, new in renames.items()}, "added")
    return _frozen(found[0]), _frozen(found[1])


def _told_alone(
    found: dict[str, list[KnownFunction]],
    ours: Sequence[Place],
    theirs: Sequence[Place],
    renames: Mapping[int, int],
    fate: SourceState,
) -> None:
    """Takes in the functions of one side that no name paired: renamed where their tokens did, else added or removed."""
    for number, (path, one) in enumerate(ours):
        partner = renames.get(number)
        state: SourceState = fate if partner is None else "renamed"
        found[path].append(KnownFunction(path, one, state, None if partner is None else theirs[partner]))


def _frozen(found: dict[str, list[KnownFunction]]) -> dict[str, tuple[KnownFunction, ...]]:
    return {path: tuple(functions) for path, functions in found.items()}


def _state(old: SourceFunction, new: SourceFunction, *, moved: bool) -> SourceState:
    if old.broken or new.broken:
        return "unknown"
    if old.fingerprint != new.fingerprint:
        return "changed"
    return "renamed" if moved else "same"


def _by_name(
    before: Sequence[SourceFunction], after: Sequence[SourceFunction]
) -> Iterable[tuple[SourceFunction | None, SourceFunction | None]]:
    """Pairs of one qualified name: of several those with equal tokens first, then with equal parameters, then in order.

    What is over stands alone, but for named functions of which each side has one of that name left in other scopes.
    """
    left: tuple[list[SourceFunction], list[SourceFunction]] = ([], [])
    names: dict[tuple[str, tuple[str, ...]], tuple[list[SourceFunction], list[SourceFunction]]] = {}
    for side, functions in enumerate((before, after)):
        for one in functions:
            # the number of a nameless function says only how many stand before it
            parts = one.parts[:-1] if one.kind == "anonymous" else one.parts
            names.setdefault((one.kind, parts), ([], []))[side].append(one)
    for old, new in names.values():
        if len(old) == len(new) == 1:
            yield old[0], new[0]
            continue
        if not old or not new:
            left[0].extend(old)
            left[1].extend(new)
            continue
        pairs = _equal(old, new, lambda one: (one.fingerprint, one.signature))
        pairs += _equal(old, new, lambda one: one.fingerprint)
        pairs += _equal(old, new, lambda one: one.signature or id(one))
        yield from pairs
        while old and new:
            yield old.pop(0), new.pop(0)
        left[0].extend(old)
        left[1].extend(new)
    words = [Counter(one.name for one in side if one.kind == "function") for side in left]
    alone = {word for word, count in words[0].items() if count == words[1][word] == 1}
    came = {one.name: one for one in left[1] if one.kind == "function" and one.name in alone}
    for one in left[0]:
        yield one, came.get(one.name) if one.kind == "function" else None
    yield from ((None, one) for one in left[1] if one is not came.get(one.name))


def _equal(
    old: list[SourceFunction], new: list[SourceFunction], key: Callable[[SourceFunction], object]
) -> list[tuple[SourceFunction | None, SourceFunction | None]]:
    """Takes pairs with equal keys out of both lists."""
    waiting: dict[object, list[SourceFunction]] = {}
    for one in new:
        waiting.setdefault(key(one), []).append(one)
    pairs: list[tuple[SourceFunction | None, SourceFunction | None]] = []
    for one in list(old):
        if same := waiting.get(key(one)):
            other = same.pop(0)
            old.remove(one)
            new.remove(other)
            pairs.append((one, other))
    return pairs


def _by_fingerprint(gone: Sequence[Place], came: Sequence[Place]) -> dict[int, int]:
    """Places in both lists of one function under two names: of several candidates in the same file, then class.

    Short bodies are alike by chance and not paired; nameless ones only within a file.
    """
    found: dict[int, int] = {}
    taken: set[int] = set()
    for near in (_same_file, _same_class, _anywhere):
        groups: dict[tuple[object, ...], tuple[list[int], list[int]]] = {}
        for side, places in enumerate((gone, came)):
            for number, (path, one) in enumerate(places):
                free = number not in (taken if side else found)
                long = one.tokens >= SHORTEST and not one.broken and one.kind in {"function", "anonymous"}
                if free and long and (one.kind == "function" or near is _same_file):
                    groups.setdefault((one.fingerprint, one.kind, *near(path, one)), ([], []))[side].append(number)
        for old, new in groups.values():
            if len(old) == len(new) == 1:
                found[old[0]] = new[0]
                taken.add(new[0])
    return found


def _same_file(path: str, one: SourceFunction) -> tuple[object, ...]:
    return (path, one.parts[:-1] if one.kind == "anonymous" else ())


def _same_class(_: str, one: SourceFunction) -> tuple[object, ...]:
    return one.parts[:-1]


def _anywhere(_: str, __: SourceFunction) -> tuple[object, ...]:
    return ()
