from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.attribution.unified_diff import MAX_HUNK_TEXT, TextBudget, changed_lines, parse_diff, parse_patch
from profgate.errors import ProfgateError
from profgate.model.attribution import Edit, LineRange

GIT = (Path(__file__).parents[2] / "data" / "diffs" / "git.diff").read_text()


def test_git_diffs_name_every_file_once() -> None:
    diff = parse_diff(GIT, "x.diff")
    assert [(item.previous_path, item.path, item.status, item.complete) for item in diff.files] == [
        ("b.bin", "b.bin", "added", False),
        ("gone.py", "gone.py", "removed", True),
        ("old.py", "new.py", "renamed", True),
        ("sp ace.py", "sp ace.py", "modified", True),
        ("src/a.py", "src/a.py", "modified", True),
        ('ü"x.py', 'ü"x.py', "modified", True),
    ]


def test_hunks_hold_their_ranges_edits_heading_and_text() -> None:
    (renamed,) = parse_diff(GIT, "x.diff").files[2].hunks
    assert (renamed.baseline, renamed.target) == (LineRange(2, 5), LineRange(2, 5))
    assert renamed.heading == "def z():"
    assert renamed.text == " y\n x\n w\n-v\n+V"
    (hunk,) = parse_diff(GIT, "x.diff").files[4].hunks
    assert hunk.edits == (Edit(LineRange(2, 2), LineRange(2, 2)), Edit(LineRange(4, 3), LineRange(4, 4)))
    assert changed_lines([hunk]) == (2, 1)


@pytest.mark.parametrize(
    ("names", "path"),
    [
        (("a/src/x.py", "b/src/x.py"), "src/x.py"),
        (("i/src/x.py", "w/src/x.py"), "src/x.py"),
        (("src/x.py", "src/x.py"), "src/x.py"),
        (("old/src/x.py\t2026-01-01 10:00:00", "new/src/x.py\t2026-01-02 10:00:00"), "src/x.py"),
    ],
)
def test_prefixes_of_the_sides_are_removed(names: tuple[str, str], path: str) -> None:
    text = f"--- {names[0]}\n+++ {names[1]}\n@@ -1 +1 @@\n-a\n+b\n"
    (file,) = parse_diff(text * 2, "x.diff").files[:1]
    assert (file.path, file.previous_path, file.status) == (path, path, "modified")
    assert len(parse_diff(text * 2, "x.diff").files) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no diff at all\n", "is not a unified diff"),
        ("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n", "x.diff:3: the hunk is truncated"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n?a\n", "x.diff:3: the hunk is truncated"),
        ("@@ -1 +1 @@\n-a\n+b\n", "names no file"),
        ("diff --cc x\n@@@ -1,1 -1,1 +1,1 @@@\n", "is the diff of a merge"),
        ("--- a/x\n+++ b/x\n@@ -99999999999 +1 @@\n-a\n+b\n", "damaged"),
    ],
)
def test_damaged_diff_is_reported_with_its_line(text: str, message: str) -> None:
    with pytest.raises(ProfgateError, match=message):
        parse_diff(text, "x.diff")


@given(st.text(alphabet="@-+ \\,1a\n", max_size=80))
def test_any_patch_is_read_or_called_incomplete(patch: str) -> None:
    hunks, _ = parse_patch(patch, TextBudget())
    for hunk in hunks:
        assert all(edit.target.last <= hunk.target.last for edit in hunk.edits)


def test_truncated_patch_is_incomplete() -> None:
    whole = "@@ -1,2 +1,2 @@ def f():\n a\n-b\n+c"
    assert parse_patch(whole, TextBudget())[1]
    assert len(parse_patch(whole, TextBudget())[0]) == 1
    assert parse_patch(f"{whole}\n@@ -9,2 +9,2 @@\n a", TextBudget()) == (parse_patch(whole, TextBudget())[0], False)


def test_long_hunks_are_cut_but_their_edits_are_whole() -> None:
    lines = "".join(f"+{'x' * 99}\n" for _ in range(5_000))
    (hunk,), whole = parse_patch(f"@@ -0,0 +1,5000 @@\n{lines}", TextBudget())
    assert whole
    assert hunk.edits == (Edit(LineRange(1, 0), LineRange(1, 5_000)),)
    assert len(hunk.text) <= MAX_HUNK_TEXT
    assert set(map(len, hunk.text.split("\n"))) == {100}
    budget = TextBudget(150)
    assert [len(budget.take("+" + "x" * 99)) for _ in range(3)] == [100, 0, 0]
