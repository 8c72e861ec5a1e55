"""Unified diffs, of ``git diff``, ``diff -u`` or GitHub's list of files, as hunks with their changed lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from profgate.errors import ProfgateError
from profgate.model.attribution import ChangedFile, Edit, FileStatus, Hunk, LineRange, SourceDiff

MAX_FILES = 3_000  # as many as GitHub lists
MAX_HUNK_TEXT = 64 * 1024  # characters of one hunk that are kept
MAX_TEXT = 4 * 1024 * 1024  # of all hunks together
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)", re.DOTALL)
_BLOBS = re.compile(r"index ([0-9a-f]{7,64})\.\.([0-9a-f]{7,64})(?: \d+)?$")
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}
_ESCAPED = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_NOWHERE = "/dev/null"


@dataclass(slots=True)
class TextBudget:
    """How many characters of hunks may still be kept."""

    left: int = MAX_TEXT

    def take(self, text: str) -> str:
        """The text, cut at the end of a line where it is too long."""
        room = min(self.left, MAX_HUNK_TEXT)
        if len(text) > room:
            text = text[: text.rfind("\n", 0, room + 1) if "\n" in text[: room + 1] else 0]
        self.left -= len(text)
        return text


@dataclass(slots=True)
class _File:
    """What a diff said of one file so far."""

    before: str | None = None
    after: str | None = None
    by_git: bool = False
    renamed: bool = False
    copied: bool = False
    complete: bool = True
    blobs: tuple[str, str] | None = None
    hunks: list[Hunk] = field(default_factory=list)

    def finished(self) -> ChangedFile | None:
        """The file, or None where no name was given on either side."""
        status: FileStatus = "renamed" if self.renamed else "modified"
        if self.copied or self.before is None:
            status = "added"
        elif self.after is None:
            status = "removed"
        path, previous = self.after or self.before, self.before or self.after
        if path is None or previous is None:
            return None
        previous = path if status == "added" else previous
        return ChangedFile(path, previous, status, () if self.copied else tuple(self.hunks), self.complete, self.blobs)


def parse_patch(patch: str, budget: TextBudget) -> tuple[tuple[Hunk, ...], bool]:
    """The hunks of one file's patch as GitHub gives it, and whether it is whole: it may end in the middle."""
    lines, place = patch.split("\n"), 0
    hunks: list[Hunk] = []
    while place < len(lines):
        match = _HUNK.fullmatch(lines[place])
        if match is None:
            return tuple(hunks), not lines[place].strip() and place == len(lines) - 1
        end = _hunk_end(lines, place, match)
        if end is None:
            return tuple(hunks), False
        hunks.append(_hunk(match, lines[place + 1 : end], budget))
        place = end
    return tuple(hunks), True


def parse_diff(text: str, name: str) -> SourceDiff:
    """All files of a unified diff. Raises ProfgateError with the line that is not as it should be."""
    reader = _Reader(text.split("\n"), name)
    while reader.place < len(reader.lines):
        reader.step()
    reader.finish()
    if not reader.files and text.strip():
        raise ProfgateError(name, "is no unified diff; make one with: git diff BASELINE TARGET")
    return SourceDiff(tuple(reader.files))


class _Reader:
    """The lines of a diff, the place reached in them, and the files found so far."""

    def __init__(self, lines: Sequence[str], name: str) -> None:
        self.lines = lines
        self.name = name
        self.place = 0
        self.files: list[ChangedFile] = []
        self.current = _File()
        self.budget = TextBudget()

    def step(self) -> None:
        """Takes the next line, or the whole hunk that begins there."""
        line = self.lines[self.place].rstrip("\r")
        below = self.lines[self.place + 1].rstrip("\r") if self.place + 1 < len(self.lines) else ""
        if line.startswith("diff --git "):
            self.finish()
            self.current = _of_git_line(line)
        elif line.startswith("--- ") and below.startswith("+++ "):
            if not self.current.by_git or self.current.hunks:  # in a plain diff this line begins a file
                self.finish()
            _name_sides(self.current, line[4:], below[4:])
            self.place += 1
        elif line.startswith("@@"):
            self._take_hunk()
            return
        elif self.current.by_git:
            _take_fact(self.current, line)
        self.place += 1

    def _take_hunk(self) -> None:
        where, line = f"{self.name}:{self.place + 1}", self.lines[self.place]
        if line.startswith("@@@ "):
            raise ProfgateError(where, "is the diff of a merge; give one of two sides: git diff BASELINE TARGET")
        match = _HUNK.fullmatch(line)
        end = _hunk_end(self.lines, self.place, match) if match else None
        if match is None or end is None or not (self.current.before or self.current.after):
            raise ProfgateError(where, "the hunk is broken off or damaged, or names no file; give a whole diff")
        self.current.hunks.append(_hunk(match, self.lines[self.place + 1 : end], self.budget))
        self.place = end

    def finish(self) -> None:
        """Ends the current file."""
        done, self.current = self.current.finished(), _File()
        if done is not None:
            self.files.append(done)
        if len(self.files) > MAX_FILES:
            raise ProfgateError(self.name, f"changes more than {MAX_FILES:,} files; give a smaller diff")


def changed_lines(hunks: Sequence[Hunk]) -> tuple[int, int]:
    """How many lines came and how many went."""
    edits = [edit for hunk in hunks for edit in hunk.edits]
    sizes = [(edit.target.last - edit.target.first + 1, edit.baseline.last - edit.baseline.first + 1) for edit in edits]
    return sum(came for came, _ in sizes), sum(went for _, went in sizes)


def _hunk_end(lines: Sequence[str], start: int, match: re.Match[str]) -> int | None:
    """The place behind the last line of a hunk; None where its lines are not what its head counts."""
    before, after = (int(match[2] or 1) if match[2] != "0" else 0, int(match[4] or 1) if match[4] != "0" else 0)
    place = start + 1
    while (before or after) and place < len(lines):
        mark = lines[place][:1]
        if mark in {" ", "", "\r"}:
            before, after = before - 1, after - 1
        elif mark == "-":
            before -= 1
        elif mark == "+":
            after -= 1
        elif mark != "\\":
            return None
        if before < 0 or after < 0:
            return None
        place += 1
    if before or after:
        return None
    return place + (place < len(lines) and lines[place].startswith("\\"))


def _hunk(match: re.Match[str], lines: Sequence[str], budget: TextBudget) -> Hunk:
    before, after = int(match[1]), int(match[3])
    # of an empty side git names the line before it
    before += match[2] == "0"
    after += match[4] == "0"
    kept = [line if line and line != "\r" else " " for line in lines if not line.startswith("\\")]
    went, came = sum(line[0] != "+" for line in kept), sum(line[0] != "-" for line in kept)
    return Hunk(
        LineRange(before, before + went - 1),
        LineRange(after, after + came - 1),
        match[5].strip(),
        tuple(_edits(kept, before, after)),
        budget.take("\n".join(kept)),
    )


def _edits(lines: Sequence[str], before: int, after: int) -> Iterator[Edit]:
    went, came = before, after
    for line in (*lines, " "):
        if line[0] == "-":
            went += 1
        elif line[0] == "+":
            came += 1
        else:
            if went > before or came > after:
                yield Edit(LineRange(before, went - 1), LineRange(after, came - 1))
            went, came = went + 1, came + 1
            before, after = went, came


def _of_git_line(line: str) -> _File:
    """Both names of ``diff --git a/x b/x``, which stand for the file where no other line names it."""
    rest = line.removeprefix("diff --git ")
    if rest.startswith('"'):
        quoted = re.fullmatch(r'("(?:[^"\\]|\\.)*") ("(?:[^"\\]|\\.)*")', rest)
        first, second = (_unquoted(quoted[1]), _unquoted(quoted[2])) if quoted else ("", "")
    else:
        middle = len(rest) // 2
        first, second = (rest[:middle], rest[middle + 1 :]) if rest[middle : middle + 1] == " " else ("", "")
    found = _File(by_git=True)
    if first and second:
        _name_sides(found, first, second)
    return found


def _name_sides(found: _File, first: str, second: str) -> None:
    """Takes the names of ``---`` and ``+++``, without what a tool puts before them to tell the sides apart."""
    before, after = (_unquoted(text.partition("\t")[0]) for text in (first, second))
    if found.renamed or found.copied:  # the names were said without any prefix
        return
    if _NOWHERE in {before, after}:
        path = after if before == _NOWHERE else before
        path = found.before or found.after or (path[2:] if path[:2] in {"a/", "b/"} else path)
        found.before, found.after = (None, path) if before == _NOWHERE else (path, None)
        return
    if before != after and before.partition("/")[2] == after.partition("/")[2] != "":
        before = after = before.partition("/")[2]
    elif before[:2] == "a/" and after[:2] == "b/":
        before, after = before[2:], after[2:]
    found.before, found.after = before, after


def _take_fact(found: _File, line: str) -> None:
    if ids := _BLOBS.match(line):
        found.blobs = ids[1], ids[2]
        return
    verb, _, path = line.partition(" from ") if " from " in line else line.partition(" to ")
    if verb in {"rename", "copy"} and path:
        found.renamed, found.copied = found.renamed or verb == "rename", found.copied or verb == "copy"
        if line.startswith(f"{verb} from "):
            found.before = _unquoted(path)
        else:
            found.after = _unquoted(path)
    elif line.startswith("new file mode "):
        found.before = None
    elif line.startswith("deleted file mode "):
        found.after = None
    elif (line.startswith("Binary files ") and line.endswith(" differ")) or line == "GIT binary patch":
        found.complete = False


def _unquoted(text: str) -> str:
    """A name as git writes it: in double quotes with octal bytes where it holds unusual signs."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text

    def sign(found: re.Match[bytes]) -> bytes:
        code = found[1].decode()
        return bytes([int(code, 8) & 0xFF if len(code) == 3 else _ESCAPES[code]])

    raw = text[1:-1].encode("utf-8", "surrogateescape")
    return _ESCAPED.sub(sign, raw).decode("utf-8", "replace")
