"""``profgate measure``: two commits of a small program, or a commit and the working tree, under a real profiler."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from action_stage import SHARES
from profgate.__main__ import main
from two_commits import TwoCommits, pairs_take

STEADY = "".join(
    f"\ndef render_{place}(values):\n    for value in values:\n        repr(value)\n" for place in range(8)
)
SHOP = (
    """
def step(value):
    return value % 60 == 0

def find(values):
    for _ in range({times}):
        for value in values:
            step(value)
"""
    + STEADY
    + """
for _ in range(20):
    find(range(100))
    for render in (render_0, render_1, render_2, render_3, render_4, render_5, render_6, render_7):
        render(range(100))
"""
)
# A clock that counts its readings: what the profiler writes is the same on a busy machine.
RECORD = (
    "import cProfile, itertools, os, pathlib, runpy; profile = cProfile.Profile(itertools.count().__next__, 1e-4); "
    "profile.runcall(runpy.run_path, os.path.abspath('shop.py'), run_name='__main__'); "
    "profile.dump_stats(pathlib.Path(os.environ['PROFGATE_OUT'], 'shop.pstats'))"
)
PROGRAM = ("--", sys.executable, "-c", RECORD)
FAST, SLOW = SHOP.format(times=2), SHOP.format(times=20)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TwoCommits:
    """A repository in which the branch ``slow`` has a slower program than ``fast``, which is checked out."""
    repository = TwoCommits(tmp_path / "repository", SHARES, SHARES)
    for branch, text in (("fast", FAST), ("slow", SLOW)):
        repository.git("checkout", "--quiet", "-b", branch)
        repository.commit(**{"shop.py": text})
    repository.git("checkout", "--quiet", "fast")
    monkeypatch.chdir(repository.place)
    pairs_take(monkeypatch, 10.0)
    return repository


def test_slower_commit_fails(shop: TwoCommits, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert main(["measure", "fast", "slow", "-o", str(out), *PROGRAM]) == 1
    found = json.loads((out / "report.json").read_text())
    sides = [(found[side]["label"], found[side]["sha"]) for side in ("baseline", "target")]
    assert sides == [(branch, shop.git("rev-parse", branch)) for branch in ("fast", "slow")]
    metrics = found["workloads"][0]["metrics"]
    red = {one["location"]["name"]: one for metric in metrics for one in metric["findings"] if one["colour"] == "red"}
    assert red["step"]["location"]["file"] == "shop.py"
    assert red["step"]["attribution"]["reach"] == "called by a changed function"
    assert found["measurement"]["runs"] == 10
    assert list(out.glob("**/*.html"))
    assert "Both commits were measured in turns, 10 + 10 runs in 1 min 40 s." in capsys.readouterr().out


def test_uncommitted_change_is_measured(shop: TwoCommits, capsys: pytest.CaptureFixture[str]) -> None:
    (shop.place / "shop.py").write_text(SLOW)
    assert main(["measure", "fast", "--format", "json", *PROGRAM]) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["target"]["label"] == "working tree"
    assert "the working tree is measured, with uncommitted changes" in shown.err
    assert (shop.place / "shop.py").read_text() == SLOW
    assert shop.git("worktree", "list").count("\n") == 0


def test_crash_in_a_later_run_is_no_pass(shop: TwoCommits, capsys: pytest.CaptureFixture[str]) -> None:
    crash = "import os\nif os.environ['PROFGATE_RUN'] == '3':\n    print('Traceback (most recent call last):')\n"
    (shop.place / "shop.py").write_text(FAST + crash)
    (shop.place.parent / "policy.yml").write_text("gate: {required: ['*']}")
    words = ["measure", "fast", "--format", "json", "--config", str(shop.place.parent / "policy.yml"), *PROGRAM]
    assert main(words) == 1
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert (verdict["conclusion"], verdict["reasons"][0]["code"]) == ("inconclusive", "other_work")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing", "fast", *PROGRAM], "missing"),
        (["fast", "slow"], "COMMAND: is missing; write it after --: profgate measure BASE -- COMMAND"),
        (["fast", "slow", "--", "sh", "-c", "true"], "wrote no profile to the folder that the variable PROFGATE_OUT"),
        (["fast", "slow", "--", "go", "build"], "go build: is not a benchmark; write go test"),
        (["fast", "slow", "--budget", "30s", *PROGRAM], "--budget: is too small for 5 runs of each side"),
        (["fast", "slow", "--setup", "exit 7", *PROGRAM], "ended with exit code 7"),
        (["fast", "slow", "-o", "shop.py", *PROGRAM], "shop.py: File exists; check the path and its rights"),
        (["fast", "slow", "--", "sh", "-c", "exit 7"], "profgate: run 0, baseline: ended with exit code 7"),
    ],
)
@pytest.mark.usefixtures("shop")
def test_mistakes_are_reported(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", *words]) == 2
    assert message in capsys.readouterr().err


def test_baseline_is_where_the_branch_began(shop: TwoCommits, capsys: pytest.CaptureFixture[str]) -> None:
    start = shop.git("rev-parse", "fast")
    shop.git("checkout", "--quiet", "-B", "ahead", "fast")
    shop.git("commit", "--quiet", "--allow-empty", "--message", "ahead")
    shop.git("checkout", "--quiet", "-B", "branch", start)
    shop.git("commit", "--quiet", "--allow-empty", "--message", "branch")
    assert main(["measure", "ahead", "branch", "--format", "json", *PROGRAM]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["baseline"]["sha"] == start
    assert f"ahead has other commits too, so the baseline is {start[:12]}, where they part" in shown.err


@pytest.mark.parametrize(("program", "profiler"), [("./parse", "perf"), ("python3", "py-spy")])
@pytest.mark.usefixtures("shop")
def test_missing_profiler_is_named(
    monkeypatch: pytest.MonkeyPatch, program: str, profiler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    which = shutil.which
    monkeypatch.setattr(shutil, "which", lambda name: None if name == profiler else which(name))
    assert main(["measure", "fast", "slow", "--", program, "shop.py"]) == 2
    assert f"{profiler}: is not installed; " in capsys.readouterr().err
