"""Differences between two versions of sources, given as texts by path."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

from profgate.model.attribution import ChangedFile, Edit, FileStatus, Hunk, LineRange, SourceDiff, SourceTexts


def folder_diff(before: Mapping[str, str], after: Mapping[str, str], files: frozenset[str]) -> SourceDiff:
    """Return the difference with both texts. ``files`` are the paths of all files of the target."""
    changed = []
    for path in sorted(before.keys() | after.keys()):
        status: FileStatus = "added" if path not in before else "removed" if path not in after else "modified"
        hunks = _hunks(_lines(before.get(path)), _lines(after.get(path)))
        changed.append(ChangedFile(path, path, status, tuple(hunks)))
    return SourceDiff(tuple(changed), repository_files=files, texts=SourceTexts(dict(before), dict(after)))


def _lines(text: str | None) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes():
        lines, edits = [], []
        for tag, first, last, start, stop in group:
            if tag == "equal":
                lines += [" " + line for line in old[first:last]]
                continue
            lines += ["-" + line for line in old[first:last]]
            lines += ["+" + line for line in new[start:stop]]
            edits.append(Edit(LineRange(first + 1, last), LineRange(start + 1, stop)))
        (_, first, _, start, _), (_, _, last, _, stop) = group[0], group[-1]
        # like git, use the nearest line above the hunk that starts in the first column as the heading
        above = reversed(new[max(0, start - 500) : start])
        heading = next((line.rstrip() for line in above if line[:1].isalpha() or line[:1] in "_$"), "")
        yield Hunk(LineRange(first + 1, last), LineRange(start + 1, stop), heading, tuple(edits), "\n".join(lines))
