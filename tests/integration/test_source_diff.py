"""A diff of the sources beside two profiles, from the command line to every report."""

import io
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from profgate.__main__ import main

DIFF = """\
diff --git a/src/shop/cart.py b/src/shop/cart.py
--- a/src/shop/cart.py
+++ b/src/shop/cart.py
@@ -20,4 +20,4 @@ def total(items):
     result = 0
     for item in items:
-        result += item.price
+        result += price_of(item)
     return result
"""
COUNTS = {"total (shop/cart.py:21)": (4_000, 9_000), "count (shop/stock.py:8)": (6_000, 3_000)}


@pytest.fixture
def sides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    for place, name in enumerate(("old", "new")):
        lines = [f"main;{stack} {counts[place]}\n" for stack, counts in COUNTS.items()]
        (tmp_path / f"{name}.folded").write_text("".join(lines))
    (tmp_path / "x.diff").write_text(DIFF)
    return ["old.folded", "new.folded"]


@pytest.fixture
def checkout(sides: list[str], tmp_path: Path) -> list[str]:
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    for name in ("src/shop/cart.py", "src/shop/stock.py", "docs/ü.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    for command in (["init", "-q"], ["add", "src", "docs"]):
        subprocess.run([git, *command], cwd=tmp_path, check=True)
    return sides


def evidence(text: str) -> dict[str, str | None]:
    (workload,) = json.loads(text)["workloads"]
    found = workload["metrics"][0]["findings"]
    return {one["location"]["name"]: (one["attribution"] or {}).get("source") for one in found}


def test_findings_say_whether_their_function_was_changed(
    checkout: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", *checkout, "--diff", "x.diff", "--format", "json"])
    shown = evidence(capsys.readouterr().out)
    assert {name: shown[name] for name in ("total", "count")} == {"total": "changed", "count": "same"}
    main(["compare", *checkout, "--diff", "x.diff"])
    assert "total() (changed here)" in capsys.readouterr().out
    main(["compare", *checkout, "--diff", "x.diff", "--format", "markdown"])
    assert " · changed in this PR · " in capsys.readouterr().out


@pytest.fixture
def edited(checkout: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[str]]:
    """Compares with the diff of an edited file, and returns the texts of the warnings."""

    def warnings(path: str, before: str, after: str) -> list[str]:
        made = tmp_path / path
        made.parent.mkdir(exist_ok=True)
        made.write_text(before)
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "add", path], cwd=tmp_path, check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", "a"], cwd=tmp_path, check=True)
        made.write_text(after)
        changes = subprocess.run([*git, "diff"], cwd=tmp_path, capture_output=True, check=True).stdout
        (tmp_path / "x.diff").write_bytes(changes)
        main(["compare", *checkout, "--diff", "x.diff", "--format", "json"])
        return [warning["text"] for warning in json.loads(capsys.readouterr().out)["warnings"]]

    return warnings


@pytest.mark.parametrize(("path", "noted"), [("bench/all.py", True), ("src/shop/cart.py", False)])
def test_new_benchmark_is_noted(path: str, noted: bool, sides: list[str], edited: Callable[..., list[str]]) -> None:
    before, after = "def first():\n    pass\n", "\n\ndef second():\n    pass\n"
    for side, text in zip(sides, ("", f"main;second ({path}:5) 1000\n"), strict=True):
        Path(side).write_text(f"main;first ({path}:1) 9000\n{text}")
    texts = edited(path, before, before + after)
    assert any(f"second of {path} is not in the baseline" in text for text in texts) == noted


@pytest.mark.parametrize(
    ("path", "before", "after", "noted"),
    [
        ("run.py", "def run():\n    work(9)\n", "def run():\n    work(1)\n", True),
        ("run.py", "def run():\n    work(N)\n\n\nN = 9\n", "def run():\n    work(N)\n\n\nN = 1\n", True),
        ("run.py", "def run():\n    work(9)\n", "def run():\n    work(9)\n\n\ndef other():\n    pass\n", False),
        ("src/shop/cart.py", "def find():\n    a()\n", "def find():\n    b()\n", False),  # what run.py measures
    ],
)
def test_edited_benchmark_is_noted(
    path: str, before: str, after: str, noted: bool, sides: list[str], edited: Callable[..., list[str]]
) -> None:
    Path("run.py").touch()
    subprocess.run(["git", "add", "run.py"], check=True)
    for side, count in zip(sides, (9000, 99000), strict=True):
        Path(side).write_text(f"run (run.py:1);find (src/shop/cart.py:1) {count}\n")
    texts = edited(path, before, after)
    assert any(f"the change edits {path}, where" in text for text in texts) == noted


def test_a_diff_changes_no_verdict(checkout: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    kinds = []
    for diff in ([], ["--diff", "x.diff"]):
        code = main(["compare", *checkout, *diff, "--format", "json", "--fail-on", "maybe"])
        report = json.loads(capsys.readouterr().out)
        kinds.append(
            (code, report["verdict"], [one["colour"] for one in report["workloads"][0]["metrics"][0]["findings"]])
        )
    assert kinds[0] == kinds[1]


def test_without_a_repository_only_changed_files_are_known(
    sides: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["compare", *sides, "--diff", "x.diff", "--format", "json"])
    out = capsys.readouterr().out
    assert (evidence(out)["total"], evidence(out)["count"]) == ("changed", None)
    assert any("git lists no files here" in one["text"] for one in json.loads(out)["warnings"])


def test_a_diff_comes_from_standard_input_too(
    checkout: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DIFF.encode() + b"+\xff\n")))
    main(["compare", *checkout, "--diff", "-", "--format", "json"])
    assert evidence(capsys.readouterr().out)["total"] == "changed"


RENAMED = """\
diff --git a/src/shop/cart.py b/src/shop/basket.py
similarity index 90%
rename from src/shop/cart.py
rename to src/shop/basket.py
"""


@pytest.fixture
def moved(checkout: list[str], tmp_path: Path) -> list[str]:
    """The file of ``total`` was renamed, and the function is much slower."""
    new = tmp_path / "new.folded"
    new.write_text(new.read_text().replace("shop/cart.py", "shop/basket.py"))
    (tmp_path / "x.diff").write_text(RENAMED + DIFF.partition("+++ b/src/shop/cart.py\n")[2])
    return checkout


@pytest.mark.parametrize("form", ["terminal", "markdown"])
def test_renamed_file_is_reported(form: str, moved: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(["compare", *moved, "--diff", "x.diff", "--format", form])
    out = capsys.readouterr().out.replace("`", "")
    assert "renamed file: shop/cart.py → shop/basket.py" in out
    assert "total is now total" not in out
