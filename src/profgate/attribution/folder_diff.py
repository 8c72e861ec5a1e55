"""Computes the difference between two source folders, in the same form as the diff of a pull request."""

import difflib
from collections.abc import Iterator, Mapping, Sequence

from profgate.model.attribution import ChangedFile, Edit, FileStatus, Hunk, LineRange, SourceDiff, SourceTexts

CONTEXT = 3
MOST_LINES = 20_000  # maximum number per file, because the comparison may take quadratic time


def folder_diff(before: Mapping[str, str | None], after: Mapping[str, str | None], files: frozenset[str]) -> SourceDiff:
    """Return the differences between two folders, each given as a map from file paths to texts.

    The text of a file is None if the file is too large or is not text. ``files`` contains the paths of all files in the
    folder of the target.
    """
    changed = []
    for path in sorted(before.keys() | after.keys()):
        status: FileStatus = "added" if path not in before else "removed" if path not in after else "modified"
        old, new = (_lines(side.get(path, "")) for side in (before, after))
        if old is None or new is None:
            changed.append(ChangedFile(path, path, status, complete=False))
        else:
            changed.append(ChangedFile(path, path, status, tuple(_hunks(old, new))))
    texts = ({path: text for path, text in side.items() if text is not None} for side in (before, after))
    return SourceDiff(tuple(changed), repository_files=files, texts=SourceTexts(*texts))


def _lines(text: str | None) -> list[str] | None:
    """Return the lines of a text, or None if there is no text or the text has too many lines.

    Only a line feed ends a line, because profilers count lines in this way.
    """
    lines = None if text is None else text.removesuffix("\n").split("\n") if text else []
    return lines if lines is not None and len(lines) <= MOST_LINES else None


def _hunks(old: Sequence[str], new: Sequence[str]) -> Iterator[Hunk]:
    for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT):
        lines, edits = [], []
        for tag, first, last, start, stop in group:
            if tag == "equal":
                lines += [" " + line for line in old[first:last]]
                continue
            lines += ["-" + line for line in old[first:last]] + ["+" + line for line in new[start:stop]]
            edits.append(Edit(LineRange(first + 1, last), LineRange(start + 1, stop)))
        (_, first, _, start, _), (_, _, last, _, stop) = group[0], group[-1]
        # like git, use the nearest line above the hunk that starts in the first column as the heading
        above = reversed(new[max(0, start - 500) : start])
        heading = next((line.rstrip() for line in above if line[:1].isalpha() or line[:1] in "_$"), "")
        yield Hunk(LineRange(first + 1, last), LineRange(start + 1, stop), heading, tuple(edits), "\n".join(lines))
