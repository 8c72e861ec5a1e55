"""Aliases for names. Patterns may contain ``*`` and are matched without backtracking."""

from collections.abc import Sequence
from dataclasses import dataclass

MOST_STARS = 4
MOST_ALIASES = 200


@dataclass(frozen=True, slots=True)
class Aliases:
    """Pairs of a pattern and a new name. The first pattern that matches the whole name applies.

    A star matches any string. The stars in the new name are replaced with the matched strings in order.
    """

    pairs: tuple[tuple[str, str], ...] = ()

    def applied_to(self, name: str) -> str:
        """Return the new name, or the same name if no pattern matches."""
        for pattern, new in self.pairs:
            found = _found(pattern, name)
            if found is not None:
                return _filled(new, found)
        return name


def mistake_in(pairs: Sequence[tuple[str, str]]) -> str:
    """Return the error in the last of these pairs or "". A new name must not match any pattern."""
    pattern, new = pairs[-1]
    if not pattern or not new or pattern == new:
        return "leads from a name to another one; write old: new"
    if pattern.count("*") > MOST_STARS or set(pattern) == {"*"}:
        return f"holds too many stars; at most {MOST_STARS}, and some text"
    if new.count("*") not in {0, pattern.count("*")}:
        return "has more or fewer stars than its pattern; write as many, or none"
    if any(_found(other, new) is not None for other, _ in pairs) or _found(pattern, new) is not None:
        return f"leads to {new!r}, which is renamed again; name its end"
    if any(_found(pattern, other) is not None for _, other in pairs[:-1]):
        return "renames what another alias leads to; name its end there"
    return ""


def _found(pattern: str, name: str) -> list[str] | None:
    """Return the strings that match the stars of a pattern, or None if the whole name does not match the pattern."""
    first, *middle = pattern.split("*")
    if not middle:
        return [] if name == pattern else None
    last = middle.pop()
    if not name.startswith(first) or not name.endswith(last) or len(name) < len(first) + len(last):
        return None
    place, end, found = len(first), len(name) - len(last), list[str]()
    for part in middle:
        at = name.find(part, place, end)
        if at < 0:
            return None
        found.append(name[place:at])
        place = at + len(part)
    return [*found, name[place:end]]


def _filled(new: str, found: Sequence[str]) -> str:
    parts = new.split("*")
    return parts[0] + "".join(text + part for text, part in zip(found, parts[1:], strict=False))
