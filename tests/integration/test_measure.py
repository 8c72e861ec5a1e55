"""``profgate measure``: two commits of a small program, or a commit and the working tree, under a real profiler."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from action_stage import SHARES, SLOWER
from profgate.__main__ import main
from profgate.measuring.init.recipes import record_command
from two_commits import COPY, TwoCommits, pairs_take

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
for _ in range(5):
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
FAST, SLOW = SHOP.format(times=2), SHOP.format(times=20)


@pytest.fixture
def copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TwoCommits:
    """A repository with ready profiles, at ``fast``, the faster of its two branches."""
    repository = TwoCommits(tmp_path / "repository", SHARES, SLOWER)
    repository.git("branch", "slow", repository.commits["target"])
    repository.git("checkout", "--quiet", "-B", "fast", repository.commits["baseline"])
    monkeypatch.chdir(repository.place)
    pairs_take(monkeypatch, 10.0)
    return repository


def test_slower_commit_fails(copies: TwoCommits, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for branch, text in (("old", FAST), ("new", SLOW)):
        copies.git("checkout", "--quiet", "-b", branch)
        copies.commit(**{"shop.py": text})
    out = tmp_path / "out"
    assert main(["measure", "old", "new", "-o", str(out), "--", sys.executable, "-c", RECORD]) == 1
    found = json.loads((out / "report.json").read_text())
    sides = [(found[side]["label"], found[side]["sha"]) for side in ("baseline", "target")]
    assert sides == [(branch, copies.git("rev-parse", branch)) for branch in ("old", "new")]
    metrics = found["workloads"][0]["metrics"]
    red = {one["location"]["name"]: one for metric in metrics for one in metric["findings"] if one["colour"] == "red"}
    assert red["step"]["location"]["file"] == "shop.py"
    assert red["step"]["attribution"]["reach"] == "called by a changed function"
    assert found["measurement"]["runs"] == 10
    assert list(out.glob("**/*.html"))
    assert "Both commits were measured in turns, 10 + 10 runs in 1 min 40 s." in capsys.readouterr().out


COPYING = ["--", "sh", "-c", f'{COPY}; [ "$PROFGATE_RUN" != 3 ] || cat crash 2> /dev/null || true']


def test_uncommitted_change_is_measured(copies: TwoCommits, capsys: pytest.CaptureFixture[str]) -> None:
    copies.git("checkout", copies.commits["target"], "--", "profiles")
    changed = (copies.place / "profiles/1.folded").read_text()
    assert main(["measure", "fast", "--format", "json", *COPYING]) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["target"]["label"] == "working tree"
    assert "the working tree is measured, with uncommitted changes" in shown.err
    assert (copies.place / "profiles/1.folded").read_text() == changed
    assert copies.git("worktree", "list").count("\n") == 0


def test_crash_in_a_later_run_is_no_pass(copies: TwoCommits, capsys: pytest.CaptureFixture[str]) -> None:
    (copies.place / "crash").write_text("Traceback (most recent call last):\n")
    (copies.place.parent / "policy.yml").write_text("gate: {required: ['*']}")
    words = ["measure", "fast", "--format", "json", "--config", str(copies.place.parent / "policy.yml"), *COPYING]
    assert main(words) == 1
    verdict = json.loads(capsys.readouterr().out)["verdict"]
    assert (verdict["conclusion"], verdict["reasons"][0]["code"]) == ("inconclusive", "other_work")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["missing", "fast", *COPYING], "missing"),
        (["fast", "slow"], "COMMAND: is missing; write it after --: profgate measure BASE -- COMMAND"),
        (["fast", "slow", "--", "sh", "-c", "true"], "wrote no profile to the folder that the variable PROFGATE_OUT"),
        (["fast", "slow", "--", "go", "build"], "go build: is not a benchmark; write go test"),
        (["fast", "slow", "--at-most", "30s", *COPYING], "--at-most: is too small for 5 runs of each side"),
        (["fast", "slow", "--setup", "exit 7", *COPYING], "ended with exit code 7"),
        (
            ["fast", "slow", "-o", "profiles/1.folded", *COPYING],
            "1.folded: File exists; check the path and its rights",
        ),
        (["fast", "slow", "--", "sh", "-c", "exit 7"], "profgate: run 0, baseline: ended with exit code 7"),
    ],
)
@pytest.mark.usefixtures("copies")
def test_mistakes_are_reported(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", *words]) == 2
    assert message in capsys.readouterr().err


# one side holds the lock until the other one has tried to take it
LOCKED = """cd ../../..; if mkdir lock; then
  tries=0; while [ ! -e tried ] && [ $tries -lt 600 ]; do sleep 0.05; tries=$((tries + 1)); done
  rmdir lock
else touch tried; exit 9; fi"""


def test_setups_that_lock_each_other_out_run_one_after_the_other(
    copies: TwoCommits, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(copies.place.parent))
    assert main(["measure", "fast", "slow", "--setup", LOCKED, *COPYING]) == 1
    assert "exit code 9" in capsys.readouterr().err


TOOL = "printf '#!/bin/sh\\n[ $PROFGATE_RUN != 0 ] || sleep 0.3\\n' {} ../../../tool; chmod +x ../../../tool"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the files that processes use")
@pytest.mark.parametrize(
    ("setup", "code"), [(f"test -e ../../../tool || {{ {TOOL.format('>')}; }}", 1), (TOOL.format(">>"), 2)]
)
def test_setups_share_what_only_the_first_one_writes(
    copies: TwoCommits, monkeypatch: pytest.MonkeyPatch, setup: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(copies.place.parent))
    program = ["--", "sh", "-c", '../../../tool; exec "$@"', "sh", "sh", "-c", COPY]
    assert main(["measure", "fast", "slow", "--setup", setup, *program]) == code
    shown = capsys.readouterr().err
    assert shown.count("tool, which the setup of the target wrote") == code
    assert "sets up one side after the other" in shown


def test_baseline_is_where_the_branch_began(copies: TwoCommits, capsys: pytest.CaptureFixture[str]) -> None:
    start = copies.commits["baseline"]
    for branch in ("ahead", "branch"):
        copies.git("checkout", "--quiet", "-B", branch, start)
        copies.git("commit", "--quiet", "--allow-empty", "--message", branch)
    assert main(["measure", "ahead", "branch", "--format", "json", *COPYING]) == 0
    shown = capsys.readouterr()
    assert json.loads(shown.out)["baseline"]["sha"] == start
    assert f"ahead has other commits too, so the baseline is {start[:12]}, where they part" in shown.err


@pytest.mark.parametrize(("program", "profiler"), [("./parse", "perf"), ("python3", "py-spy"), ("java", "jfr")])
@pytest.mark.usefixtures("copies")
def test_missing_profiler_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, profiler: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("sh", "git"):  # the only programs
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["measure", "fast", "slow", "--", program, "shop.py"]) == 2
    assert f"{profiler}: is not installed; " in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="perf exists only for Linux")
@pytest.mark.usefixtures("copies")
def test_perf_without_rights_is_found_before_the_setup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    perf = tmp_path / "perf"
    perf.write_text("#!/bin/sh\necho 'Access to performance monitoring is limited.'; exit 255\n")
    perf.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert main(["measure", "fast", "slow", "--setup", "exit 7", "--", "./parse"]) == 2
    assert "Access to performance monitoring is limited." in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="perf exists only for Linux")
def test_profile_of_cargo_run_is_that_of_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("cargo", 'echo "$@" > cargo-got; echo ./built'), ("perf", 'echo "$@" >> perf-got')):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    words = record_command(["cargo", "run", "--example", "a b", "--", "x y"])
    subprocess.run(words, env=os.environ | {"PROFGATE_OUT": "o", "PROFGATE_RUN": "1"}, check=True)
    assert "-- ./built x y\n" in (tmp_path / "perf-got").read_text()
    assert (
        tmp_path / "cargo-got"
    ).read_text() == "run --quiet --config target.'cfg(all())'.runner='echo' --example a b\n"
