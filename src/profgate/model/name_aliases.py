"""Aliases for names. Patterns may contain ``*`` and are matched without backtracking."""

import re
from collections.abc import Sequence
from functools import cache

from profgate.model.record import Record

MOST_STARS = 4
MOST_ALIASES = 200


class Aliases(Record):
    """Pairs of a pattern and a new name. The first pattern that matches the whole name applies.

    A star matches any string. The stars in the new name are replaced with the matched strings in order.
    """

    pairs: tuple[tuple[str, str], ...] = ()

    def applied_to(self, name: str) -> str:
        """Return the new name, or the same name if no pattern matches."""
        for pattern, new in self.pairs:
            found = _found(pattern, name)
            if found is not None:
                first, *others = new.split("*")
                return first + "".join(text + part for text, part in zip(found, others, strict=False))
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
    found = _compiled(pattern).fullmatch(name)
    return None if found is None else list(found.groups())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    first, *middle = map(re.escape, pattern.split("*"))
    last = f"(.*){middle.pop()}" if middle else ""
    return re.compile(first + "".join(f"(?>(.*?){part})" for part in middle) + last, re.DOTALL)
