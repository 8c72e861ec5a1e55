from profgate.attribution.unified_diff import folder_diff
from profgate.model.attribution import Edit, LineRange

OLD = "import x\n\n\ndef f(a):\n    one()\n    two()\n    return a\n\n\ndef g():\n    pass\n"
NEW = OLD.replace("    two()\n", "    two()\n    three()\n").replace("one()", "uno()")


def test_a_changed_file_has_its_hunks() -> None:
    diff = folder_diff({"a.py": OLD}, {"a.py": NEW}, frozenset({"a.py", "b.py"}))
    (file,) = diff.files
    (hunk,) = file.hunks
    assert (file.status, file.complete) == ("modified", True)
    assert sorted(diff.repository_files or ()) == ["a.py", "b.py"]
    assert hunk.text.splitlines()[3:7] == ["-    one()", "+    uno()", "     two()", "+    three()"]
    assert hunk.edits == (Edit(LineRange(5, 5), LineRange(5, 5)), Edit(LineRange(7, 6), LineRange(7, 7)))
    assert (hunk.baseline, hunk.target) == (LineRange(2, 9), LineRange(2, 10))
    assert hunk.heading == "import x"


def test_what_was_too_large_is_incomplete() -> None:
    diff = folder_diff({"a.py": None}, {"a.py": "x"}, frozenset({"a.py"}))
    assert (diff.files[0].hunks, diff.files[0].complete) == ((), False)
    huge = folder_diff({"a.py": "x\n" * 30_000}, {"a.py": "y\n"}, frozenset({"a.py"}))
    assert not huge.files[0].complete
