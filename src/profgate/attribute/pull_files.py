"""A pull request's list of files, as GitHub gives it, as a diff of the sources."""

from collections.abc import Sequence

from profgate.attribute.unified_diff import MAX_FILES, TextBudget, changed_lines, parse_patch
from profgate.model.attribution import ChangedFile, FileStatus, SourceDiff
from profgate.model.github_records import FileRecord

_STATUS: dict[str, FileStatus] = {
    "added": "added",
    "copied": "added",
    "removed": "removed",
    "renamed": "renamed",
    "modified": "modified",
    "changed": "modified",
}


def diff_of_pull(
    records: Sequence[FileRecord], diff_link: str | None, file_links: tuple[str | None, str | None]
) -> SourceDiff:
    """The files with their hunks. A list as long as GitHub's longest may lack files, and says so."""
    budget = TextBudget()
    files = [_file(one, _STATUS[one.status], budget) for one in records if one.status in _STATUS]
    full = len(records) >= MAX_FILES
    reason = f"GitHub lists no more than {MAX_FILES:,} files of a pull request" if full else ""
    return SourceDiff(tuple(files), not full, reason, diff_link=diff_link, file_links=file_links)


def _file(record: FileRecord, status: FileStatus, budget: TextBudget) -> ChangedFile:
    """Whole is a patch that holds as many lines as GitHub counts; a moved file without changes has none."""
    hunks, whole = parse_patch(record.patch or "", budget)
    counted = changed_lines(hunks) == (record.additions, record.deletions)
    told = record.patch is not None or status == "renamed"
    previous = record.previous_path if status == "renamed" else record.path
    return ChangedFile(record.path, previous, status, hunks, whole and counted and told)
