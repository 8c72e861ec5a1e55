import pytest

from profgate.action.github.pull_files import diff_of_pull, of_another_start, with_files
from profgate.action.github.records import FileRecord, TreeEntry, TreeRecord
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace

PATCH = "@@ -1,2 +1,2 @@ def f():\n a\n-b\n+c"
MODIFIED = FileRecord("src/a.py", "modified", 1, 1, PATCH)


def tree_of(*paths: str, truncated: bool = False) -> TreeRecord:
    return TreeRecord(tuple(TreeEntry(path, "100644", "blob") for path in paths), truncated)


@pytest.mark.parametrize(
    ("record", "status", "complete"),
    [
        (MODIFIED, "modified", True),
        (replace(MODIFIED, additions=2), "modified", False),  # GitHub counts a line that the patch lacks
        (replace(MODIFIED, patch=PATCH[:-3]), "modified", False),
        (replace(MODIFIED, patch=None), "modified", False),
        (replace(MODIFIED, patch=None, additions=0, deletions=0), "modified", False),  # binary
        (replace(MODIFIED, status="renamed", patch=None, additions=0, deletions=0), "renamed", True),
        (replace(MODIFIED, status="removed"), "removed", True),
        (replace(MODIFIED, status="copied"), "added", True),
    ],
)
def test_file_is_complete_where_patch_matches_counts(record: FileRecord, status: str, complete: bool) -> None:
    (file,) = diff_of_pull([record], None, (None, None)).files
    assert (file.status, file.complete) == (status, complete)


def test_a_full_list_may_lack_files() -> None:
    many = [replace(MODIFIED, path=f"{number}.py") for number in range(3_000)]
    assert diff_of_pull(many[:-1], None, (None, None)).complete
    diff = diff_of_pull(many, None, (None, None))
    assert not diff.complete
    assert [reason.parameters for reason in diff.gaps] == [{"case": "pull_files_limited", "most": 3000}]


def test_commit_files_are_added_to_the_diff() -> None:
    diff = with_files(diff_of_pull([MODIFIED], None, (None, None)), tree_of("a.py", "b.py"))
    assert diff.repository_files == frozenset({"a.py", "b.py"})
    assert (diff.all_listed, diff.complete, diff.gaps) == (True, True, ())


def test_every_doubt_is_reported() -> None:
    diff = of_another_start(diff_of_pull([MODIFIED], None, (None, None)), "older")
    diff = with_files(diff, tree_of("a.py", truncated=True))
    assert (diff.complete, diff.files[0].complete, diff.all_listed) == (False, False, False)
    assert diff.gaps == (
        Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "diff_starts_elsewhere", "baseline": "older"}),
        Reason(ReasonCode.DIFF_INCOMPLETE, {"case": "commit_files_limited", "count": 1}),
    )
