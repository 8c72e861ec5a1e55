"""Finds the functions that the hunks of a diff change, in files that are not parsed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from profgate.model.attribution import Edit, Hunk

_LONGEST = 400  # number of characters of a line or name that are examined
_DEFINITION = re.compile(
    r"\s*(?:[\w@]+\s+)*?(?:def|func|function|fn|fun|sub)\b\*?\s*(?:\([^()]*\)\s*|<[^<>]*>\s*)?(?P<name>[\w$.:]+)"
)
_TYPED_HEADING = re.compile(r"[\w\s*&<>:,\[\]]*\w[\s*&]+(?P<name>[\w:]+)\s*\([^;]*$")


def edits_by_name(hunks: Sequence[Hunk]) -> dict[str, list[Edit]]:
    """Map the last part of the name of each changed function to its edits.

    A line belongs to the definition above it in its hunk or, before the first, to the function in the hunk's heading.
    """
    found: dict[str, list[Edit]] = {}
    for hunk in hunks:
        heading = _DEFINITION.match(hunk.heading[:_LONGEST]) or _TYPED_HEADING.match(hunk.heading[:_LONGEST])
        owner = bare_name(heading["name"]) if heading else ""
        edits, edit = iter(hunk.edits), None
        for line in hunk.text.split("\n"):
            edit = None if line[:1] not in {"-", "+"} else edit or next(edits, None)
            definition = _DEFINITION.match(line[1 : _LONGEST + 1])
            owner = bare_name(definition["name"]) if definition else owner
            if edit is not None and owner and edit not in found.get(owner, ())[-1:]:
                found.setdefault(owner, []).append(edit)
    return found


def bare_name(name: str) -> str:
    """Return the last part of a qualified name without trailing brackets, or "" if there is none."""
    plain = re.sub(r"\([^()]*\)$|\[[^\[\]]*\]$", "", name[-_LONGEST:]).rstrip()
    found = re.search(r"[^\W\d]\w*$", plain)
    return found[0] if found and len(found[0]) < _LONGEST else ""
