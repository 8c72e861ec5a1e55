"""The part of a diff that belongs to each function, for the lower pane of the blueprint."""

import re
from collections.abc import Collection, Iterator
from typing import Literal

from profgate.model.attribution import ChangedFile, Hunk, SourceDiff, SourceStates
from profgate.model.comparison import Symbols
from profgate.report.page_columns import PageSource

Embed = Literal["changed", "none", "all"]
LIMIT = 200_000  # characters of source in one page, which may be more public than the code
_NEAREST = 3
_PART = re.compile(r"[\w$~]+")


def page_sources(
    diff: SourceDiff,
    states: SourceStates,
    symbols: Symbols,
    embed: Embed = "changed",
    first: Collection[int] = (),
    origin: str = "",
) -> list[PageSource]:
    """The hunks of each function whose source changed, or with ``all`` of every one in a changed file.

    What does not fit the limit is left out, functions in ``first`` last. ``origin`` says where the diff came from.
    """
    if embed == "none":
        return []
    files = {path: one for one in diff.files for path in (one.previous_path, one.path)}
    found, room = [], LIMIT
    for symbol in sorted(range(len(symbols)), key=lambda place: (place not in first, place)):
        file = files.get(states.paths[symbol] or "")
        if file is None or not file.hunks or (embed == "changed" and states.states[symbol] in {"same", "unknown"}):
            continue
        hunks = list(_hunks_of(file, symbols.names[symbol], symbols.lines[symbol]))
        size = sum(len(hunk.text) for hunk in hunks)
        if size > room:
            continue
        room -= size
        shown = [(hunk.baseline.first, hunk.target.first, hunk.text.split("\n")) for hunk in hunks]
        before = None if file.status == "added" else file.previous_path
        after = None if file.status == "removed" else file.path
        found.append(PageSource(symbol=symbol, origin=origin, paths=(before, after), hunks=shown))
    return sorted(found, key=lambda source: source["symbol"])


def _hunks_of(file: ChangedFile, name: str, line: int | None) -> Iterator[Hunk]:
    """Those that name the function or hold its line; where none does, the nearest ones."""
    parts = _PART.findall(name)
    word = re.compile(rf"(?<![\w$]){re.escape(parts[-1])}(?![\w$])") if parts else None
    own = [
        hunk
        for hunk in file.hunks
        if (line is not None and line in hunk.target) or (word and word.search(f"{hunk.heading}\n{hunk.text}"))
    ]
    if own:
        yield from own
        return
    nearest = sorted(file.hunks, key=lambda hunk: abs(hunk.target.first - (line or 0)))[:_NEAREST]
    yield from sorted(nearest, key=lambda hunk: hunk.target.first)
