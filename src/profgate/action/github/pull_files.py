"""Convert GitHub's list of the files in a pull request to a source diff."""

from collections.abc import Sequence

from profgate.action.github.records import FileRecord, TreeRecord
from profgate.attribution.unified_diff import MAX_FILES, TextBudget, changed_lines, parse_patch
from profgate.model.attribution import ChangedFile, FileStatus, SourceDiff
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace

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
    """Return the changed files with their hunks. The diff is incomplete if the list reaches GitHub's limit."""
    budget = TextBudget()
    files = [_file(record, _STATUS[record.status], budget) for record in records if record.status in _STATUS]
    full = len(records) >= MAX_FILES
    gaps = (Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "pull_files_limited", "most": MAX_FILES}),) if full else ()
    return SourceDiff(tuple(files), not full, gaps, diff_link=diff_link, file_links=file_links)


def with_files(diff: SourceDiff, tree: TreeRecord) -> SourceDiff:
    """Return the diff with the list of all files of the commit. Files that are not in the diff are unchanged."""
    diff = replace(diff, repository_files=tree.paths, all_listed=not tree.truncated)
    if tree.truncated:
        diff = with_gap(
            diff, Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "commit_files_limited", "count": len(tree.paths)})
        )
    return diff


def with_gap(diff: SourceDiff, reason: Reason) -> SourceDiff:
    """Return the diff with an additional reason why the changes are not completely known."""
    return replace(diff, gaps=(*diff.gaps, reason))


def of_another_start(diff: SourceDiff, baseline: str) -> SourceDiff:
    """Return the diff marked as incomplete, because it does not start at the commit of the baseline."""
    files = tuple(replace(file, complete=False) for file in diff.files)
    reason = Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "diff_starts_elsewhere", "baseline": baseline})
    return replace(with_gap(diff, reason), files=files, complete=False)


def _file(record: FileRecord, status: FileStatus, budget: TextBudget) -> ChangedFile:
    """Return a changed file. It is complete if its patch has as many lines as GitHub reports, or if it only moved."""
    hunks, whole = parse_patch(record.patch or "", budget)
    whole &= changed_lines(hunks) == (record.additions, record.deletions)
    whole &= record.patch is not None or status == "renamed"
    previous = (status == "renamed" and record.previous_path) or record.path
    return ChangedFile(record.path, previous, status, hunks, whole)
