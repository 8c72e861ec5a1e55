"""Parses unified diffs from ``git diff``, ``diff -u`` and GitHub's pull request files API into hunks."""

import re
from collections.abc import Sequence
from itertools import chain, groupby

from profgate.errors import ProfgateError
from profgate.model.attribution import ChangedFile, Edit, FileStatus, Hunk, LineRange, SourceDiff
from profgate.model.record import Struct

MAX_FILES = 3_000  # the limit of GitHub's pull request files API
MAX_HUNK_TEXT = 64 * 1024  # maximum number of stored characters per hunk
MAX_TEXT = 4 * 1024 * 1024  # maximum number of stored characters of all hunks together
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)", re.DOTALL)
_COUNTS = {" ": (1, 1), "-": (1, 0), "+": (0, 1), "\\": (0, 0)}  # lines in (baseline, target) for each prefix
_HEADER = re.compile(
    r"((?:rename|copy) (?:from|to)|(?:new|deleted) file mode|index|Binary files|GIT binary patch)\b ?(.*)"
)
_BLOBS = re.compile(r"([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})(?: \d+)?$")
_NOWHERE = "/dev/null"


class TextBudget(Struct):
    """The number of characters of hunks that can still be stored."""

    left: int = MAX_TEXT

    def take(self, text: str) -> str:
        """Return the text, cut off at the end of a line if it exceeds the budget."""
        limit = min(self.left, MAX_HUNK_TEXT)
        if len(text) > limit:
            text = text[: max(0, text.rfind("\n", 0, limit + 1))]
        self.left -= len(text)
        return text


def parse_patch(patch: str, budget: TextBudget) -> tuple[tuple[Hunk, ...], bool]:
    """Return the hunks in GitHub's patch for a file, and whether the patch is complete."""
    lines, place = patch.split("\n"), 0
    hunks: list[Hunk] = []
    while place < len(lines) and (found := _hunk_at(lines, place, budget)) is not None:
        hunks.append(found[0])
        place = found[1]
    return tuple(hunks), not "".join(lines[place:]).strip() and len(lines) - place <= 1


def parse_diff(text: str, name: str) -> SourceDiff:
    """Parse all files of a unified diff. Raises ProfgateError if a line cannot be parsed."""
    lines, place, budget = text.split("\n"), 0, TextBudget()
    sections: list[tuple[dict[str, str], list[Hunk]]] = [({}, [])]
    while place < len(lines):
        line = lines[place].rstrip("\r")
        below = lines[place + 1].rstrip("\r") if place + 1 < len(lines) else ""
        header, hunks = sections[-1]
        if line.startswith("diff --git "):
            sections.append(({"git": line.removeprefix("diff --git ")}, []))
        elif line.startswith("--- ") and below.startswith("+++ "):
            if "git" not in header or hunks:  # in a plain diff, this line starts the section of a file
                sections.append((header := {}, []))
            header["before"], header["after"] = line[4:], below[4:]
            place += 1
        elif line.startswith("@@"):
            hunk, place = _hunk_of_diff(lines, place, budget, name, named=bool(hunks) or any(_paths(header)))
            hunks.append(hunk)
            continue
        elif "git" in header and (fact := _HEADER.match(line)):
            header[fact[1]] = fact[2]
        place += 1
        if len(sections) > MAX_FILES + 1:
            raise ProfgateError(name, f"changes more than {MAX_FILES:,} files; use a smaller diff")
    files = [file for header, hunks in sections if (file := _changed_file(header, hunks)) is not None]
    if not files and text.strip():
        raise ProfgateError(name, "is not a unified diff; make one with: git diff BASELINE TARGET")
    return SourceDiff(tuple(files))


def changed_lines(hunks: Sequence[Hunk]) -> tuple[int, int]:
    """Return the numbers of added and removed lines."""
    added = removed = 0
    for edit in chain.from_iterable(hunk.edits for hunk in hunks):
        added += edit.target.size
        removed += edit.baseline.size
    return added, removed


def _hunk_of_diff(lines: Sequence[str], place: int, budget: TextBudget, name: str, *, named: bool) -> tuple[Hunk, int]:
    where, found = f"{name}:{place + 1}", _hunk_at(lines, place, budget)
    if lines[place].startswith("@@@ "):
        raise ProfgateError(where, "is the diff of a merge; use a diff of two sides: git diff BASELINE TARGET")
    if found is None or not named:
        raise ProfgateError(where, "the hunk is truncated or damaged, or names no file; use a complete diff")
    return found


def _hunk_at(lines: Sequence[str], start: int, budget: TextBudget) -> tuple[Hunk, int] | None:
    """Return the hunk that begins at a line and the index of the line after it, or None if its counts are wrong."""
    head = _HUNK.fullmatch(lines[start])
    if head is None:
        return None
    before_left, after_left = int(head[2] or 1), int(head[4] or 1)
    # if a side has no lines, git prints the number of the preceding line
    before, after = int(head[1]) + (not before_left), int(head[3]) + (not after_left)
    baseline, target = LineRange(before, before + before_left - 1), LineRange(after, after + after_left - 1)
    stored, edits = list[str](), list[Edit]()
    place = start + 1
    while (before_left or after_left) and place < len(lines):
        line = lines[place] if lines[place] not in {"", "\r"} else " "
        went, came = _COUNTS.get(line[0], (MAX_TEXT, MAX_TEXT))
        before_left, after_left, place = before_left - went, after_left - came, place + 1
        if before_left < 0 or after_left < 0:
            return None
        stored += [line] * (line[0] != "\\")
    if before_left or after_left:
        return None
    # an edit is a sequence of lines without an unchanged line in between
    for unchanged, group in groupby(stored, key=lambda line: line[0] == " "):
        marks = [line[0] for line in group]
        went, came = len(marks) - marks.count("+"), len(marks) - marks.count("-")
        if not unchanged:
            edits.append(Edit(LineRange(before, before + went - 1), LineRange(after, after + came - 1)))
        before, after = before + went, after + came
    place += place < len(lines) and lines[place].startswith("\\")
    return Hunk(baseline, target, head[5].strip(), tuple(edits), budget.take("\n".join(stored))), place


def _changed_file(header: dict[str, str], hunks: Sequence[Hunk]) -> ChangedFile | None:
    """Return the file that a header names, or None if the header does not name a file."""
    before, after = _paths(header)
    copied = "copy from" in header
    path, previous = after or before, before or after
    if path is None or previous is None:
        return None
    status: FileStatus = "renamed" if "rename from" in header else "modified"
    if copied or before is None:
        status, previous = "added", path
    elif after is None:
        status = "removed"
    blobs = _BLOBS.match(header.get("index", ""))
    return ChangedFile(
        path,
        previous,
        status,
        () if copied else tuple(hunks),
        complete=not header.keys() & {"Binary files", "GIT binary patch"},
        blobs=(blobs[1], blobs[2]) if blobs else None,
    )


def _paths(header: dict[str, str]) -> tuple[str | None, str | None]:
    """Return the path of the file on each side, or None for a side without the file."""
    for verb in ("rename", "copy"):
        if f"{verb} from" in header and f"{verb} to" in header:
            return _unquoted(header[f"{verb} from"]), _unquoted(header[f"{verb} to"])
    names = _without_prefixes(*_git_names(header.get("git", "")))
    if "before" in header:
        sides = [_unquoted(header[side].partition("\t")[0]) for side in ("before", "after")]
        if _NOWHERE not in sides:
            return _without_prefixes(sides[0], sides[1])
        path = sides[sides[0] == _NOWHERE]
        path = names[0] or (path[2:] if path[:2] in {"a/", "b/"} else path)
        return (None, path) if sides[0] == _NOWHERE else (path, None)
    if not all(names):
        return None, None
    return None if "new file mode" in header else names[0], None if "deleted file mode" in header else names[1]


def _git_names(pair: str) -> tuple[str, str]:
    """Return both names in ``diff --git a/x b/x``. This line is needed only if no other line names the file."""
    if quoted := re.fullmatch(r'("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")', pair):
        return _unquoted(quoted[1]), _unquoted(quoted[2])
    middle = len(pair) // 2
    return (pair[:middle], pair[middle + 1 :]) if pair[middle : middle + 1] == " " else ("", "")


def _without_prefixes(before: str, after: str) -> tuple[str, str]:
    """Return both names without the prefixes that tools add to distinguish the sides."""
    path = before.partition("/")[2]
    if before != after and path == after.partition("/")[2] != "":
        return path, path
    return (before[2:], after[2:]) if before[:2] == "a/" and after[:2] == "b/" else (before, after)


def _unquoted(text: str) -> str:
    """Decode a name printed by git. Git quotes names with unusual characters, and prints these as octal bytes."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text

    def decoded(found: re.Match[bytes]) -> bytes:
        return found[0].decode("unicode_escape").encode("latin-1")

    # the escapes that quote.c of git writes are a part of those in Python's strings
    raw = text[1:-1].encode("utf-8", "surrogateescape")
    return re.sub(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])', decoded, raw).decode("utf-8", "replace")
