"""``profgate confirm`` with a real program under cProfile: what repeats stays red, a false red is withdrawn."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from profgate.__main__ import main
from slow_cases import quick_first

STEADY = "".join(
    f"\ndef render_{place}(values):\n    for value in values:\n        repr(value)\n" for place in range(8)
)
COMMAND = (
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
def main():
    for _ in range(20):
        find(range(100))
        for render in (render_0, render_1, render_2, render_3, render_4, render_5, render_6, render_7):
            render(range(100))

main()
"""
)
# A clock that counts its readings: what the profiler writes is the same on a busy machine.
RECORD = (
    "import cProfile, itertools, os, pathlib, runpy; profile = cProfile.Profile(itertools.count().__next__, 1e-4); "
    "profile.runcall(runpy.run_path, 'shop.py', run_name='__main__'); "
    "profile.dump_stats(pathlib.Path(os.environ['PROFGATE_OUT'], 'shop.pstats'))"
)


@pytest.fixture
def checkouts(tmp_path: Path) -> dict[str, Path]:
    """The program as it was, and slower."""
    places = {"fast": tmp_path / "fast", "slow": tmp_path / "slow"}
    for name, place in places.items():
        place.mkdir()
        (place / "shop.py").write_text(COMMAND.format(times=2 if name == "fast" else 20))
    return places


def record(place: Path, out: Path, runs: int = 5, command: str = RECORD) -> None:
    for number in range(1, runs + 1):
        folder = out / "raw"
        folder.mkdir(parents=True, exist_ok=True)
        environ = {**os.environ, "PROFGATE_OUT": str(folder)}
        subprocess.run([sys.executable, "-c", command], cwd=place, env=environ, check=True)
        (out / "shop").mkdir(exist_ok=True)
        (folder / "shop.pstats").rename(out / "shop" / f"run-{number}.pstats")
    folder.rmdir()


@pytest.fixture(scope="module")
def first_measurement(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A first measurement that failed the gate: the recordings of both sides and the report."""
    folder = tmp_path_factory.mktemp("first_measurement")
    for name, side, times in (("fast", "before", 2), ("slow", "after", 20)):
        (folder / name).mkdir()
        (folder / name / "shop.py").write_text(COMMAND.format(times=times))
        record(folder / name, folder / side)
    sides = [str(folder / "before"), str(folder / "after")]
    assert main(["compare", *sides, "--fail-on", "degradation", "-o", str(folder / "first")]) == 1
    return folder


@pytest.fixture
def report(first_measurement: Path, checkouts: dict[str, Path], tmp_path: Path) -> Path:  # noqa: ARG001 - makes them
    """The report of a first measurement that failed the gate."""
    for name in ("before", "after", "first"):
        shutil.copytree(first_measurement / name, tmp_path / name)
    return tmp_path / "first" / "report.json"


def confirm(report: Path, baseline: Path, target: Path, *words: str) -> int:
    places = ["--baseline-dir", str(baseline), "--target-dir", str(target)]
    command = list(words) or [sys.executable, "-c", RECORD]
    return main(
        ["confirm", str(report), "--runs", "3", *places, "-o", str(report.parent / "confirmed"), "--", *command]
    )


def reds(report: Path) -> list[str]:
    found = json.loads(report.read_text())
    return [
        one["location"]["name"]
        for load in found["workloads"]
        for metric in load["metrics"]
        for one in metric["findings"]
        if one["colour"] == "red"
    ]


def evidence_of(report: Path, name: str) -> dict[str, str]:
    found = json.loads(report.read_text())
    (evidence,) = (
        one["evidence"]
        for load in found["workloads"]
        for metric in load["metrics"]
        for one in metric["findings"]
        if one["location"]["name"] == name and one["colour"] == "red"
    )
    return dict(evidence)


def test_repeated_slowdown_stays_red(report: Path, checkouts: dict[str, Path]) -> None:
    assert confirm(report, checkouts["fast"], checkouts["slow"]) == 1
    written = report.parent / "confirmed" / "report.json"
    assert set(reds(written)) <= set(reds(report))
    assert "step" in reds(written)
    assert "confirmed by 3 + 3 interleaved runs (+" in (report.parent / "confirmed" / "comment.md").read_text()


ABSOLUTE = RECORD.replace("'shop.py'", "os.path.abspath('shop.py')")


@pytest.mark.parametrize("target", ["slow", "work"])
@pytest.mark.parametrize("linked", [False, True])
def test_paths_are_compared_below_each_checkout(
    checkouts: dict[str, Path], tmp_path: Path, target: str, *, linked: bool
) -> None:
    work = tmp_path / "work"  # both sides of the first measurement were recorded here
    work.mkdir()
    for name, out in (("fast", "before"), ("slow", "after")):
        (work / "shop.py").write_text((checkouts[name] / "shop.py").read_text())
        record(work, tmp_path / out, command=ABSOLUTE)
    first = tmp_path / "first"
    assert (
        main(
            ["compare", str(tmp_path / "before"), str(tmp_path / "after"), "--fail-on", "degradation", "-o", str(first)]
        )
        == 1
    )
    baseline = checkouts["fast"]
    if linked:
        (tmp_path / "link").symlink_to(baseline, target_is_directory=True)
        baseline = tmp_path / "link"
    assert confirm(first / "report.json", baseline, tmp_path / target, sys.executable, "-c", ABSOLUTE) == 1
    assert "step" in reds(first / "confirmed" / "report.json")
    assert evidence_of(first / "confirmed" / "report.json", "step")["confirmed_change"] == "9"


def test_false_red_is_withdrawn(report: Path, checkouts: dict[str, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert confirm(report, checkouts["fast"], checkouts["fast"]) == 0
    assert reds(report.parent / "confirmed" / "report.json") == []
    assert "not confirmed by 3 + 3 interleaved runs" in (report.parent / "confirmed" / "comment.md").read_text()
    measured = [line for line in capsys.readouterr().err.splitlines() if line.startswith("measuring")]
    warm_up = ["measuring warm-up, target", "measuring warm-up, baseline"]
    pairs = [(1, "baseline"), (1, "target"), (2, "target"), (2, "baseline"), (3, "baseline"), (3, "target")]
    assert measured == [*warm_up, *(f"measuring run {number} of 3, {side}" for number, side in pairs)]


def test_warm_up_profiles_are_discarded(report: Path, checkouts: dict[str, Path]) -> None:
    slow_at_first = f"import os, sys; os.environ['PROFGATE_RUN'] == '0' and os.chdir({str(checkouts['slow'])!r}); "
    assert confirm(report, checkouts["fast"], checkouts["fast"], sys.executable, "-c", slow_at_first + RECORD) == 0
    assert '"confirmed_change":"0"' in (report.parent / "confirmed" / "report.json").read_text()


def repository(checkouts: dict[str, Path], place: Path) -> dict[str, str]:
    """A repository with a commit of each side; its program is in place only after a set-up."""
    git = ["git", "-C", str(place), "-c", "user.name=a", "-c", "user.email=a@example.com"]
    subprocess.run(["git", "init", "--quiet", place], check=True)
    commits = {}
    for side, name in (("baseline", "fast"), ("target", "slow")):
        (place / "shop.txt").write_text((checkouts[name] / "shop.py").read_text())
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", side], check=True)
        done = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
        commits[side] = done.stdout.strip()
    return commits


@pytest.mark.slow
def test_setup_prepares_each_worktree(
    report: Path, checkouts: dict[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commits = repository(checkouts, tmp_path / "clone")
    found = json.loads(report.read_text())
    for side, sha in commits.items():
        found[side]["sha"] = sha
    report.write_text(json.dumps(found))
    monkeypatch.chdir(tmp_path / "clone")
    words = ["--runs", "3", "--minutes", "30", "--setup", "cp shop.txt shop.py"]
    assert main(["confirm", str(report), *words, "--", sys.executable, "-c", RECORD]) == 1


@pytest.mark.parametrize("sha", quick_first(["-f", "--lock", "HEAD", "main", "0a1b2c3\n-f"], 2))
def test_commit_of_a_report_must_be_a_hash(
    report: Path,
    checkouts: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sha: str,
) -> None:
    repository(checkouts, tmp_path / "clone")
    found = json.loads(report.read_text())
    found["target"]["sha"] = sha
    report.write_text(json.dumps(found))
    monkeypatch.chdir(tmp_path / "clone")
    words = ["--baseline-dir", str(checkouts["fast"]), "--", sys.executable, "-c", RECORD]
    assert main(["confirm", str(report), *words]) == 2
    assert "is not the hash of a commit" in capsys.readouterr().err


def test_too_few_minutes_are_an_error(
    report: Path, checkouts: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    places = ["--baseline-dir", str(checkouts["fast"]), "--target-dir", str(checkouts["slow"])]
    words = ["--minutes", "0.001", "--", sys.executable, "-c", RECORD]
    assert main(["confirm", str(report), *places, *words]) == 2
    assert "--minutes: are too few for 3 runs of each side" in capsys.readouterr().err


def test_setup_without_a_worktree_is_an_error(
    report: Path, checkouts: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    places = ["--baseline-dir", str(checkouts["fast"]), "--target-dir", str(checkouts["slow"])]
    assert main(["confirm", str(report), *places, "--setup", "make", "--", "nothing-is-started"]) == 2
    assert "--setup: prepares git worktrees, but both folders are given" in capsys.readouterr().err


def test_fallback_uses_the_first_measurement(report: Path, checkouts: dict[str, Path]) -> None:
    places = ["--baseline-dir", str(checkouts["fast"]), "--target-dir", str(checkouts["fast"])]
    out = report.parent / "confirmed"
    assert main(["confirm", str(report), *places, "--fallback", "-o", str(out), "--", "false"]) == 1
    assert reds(out / "report.json") == reds(report)
    warnings = [one["text"] for one in json.loads((out / "report.json").read_text())["warnings"]]
    assert any("so only the first measurement counts: false: ended with exit code 1" in warning for warning in warnings)


def test_output_of_the_program_does_not_control_the_terminal(
    report: Path, checkouts: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    program = ["sh", "-c", "printf '\\033]0;owned\\007\\033[31m\\342\\200\\256red'; exit 1"]
    main(
        [
            "confirm",
            str(report),
            "--baseline-dir",
            str(checkouts["fast"]),
            "--target-dir",
            ".",
            "--fallback",
            "--",
            *program,
        ]
    )
    main(["ranks", "record", "--repeat", "1", "--", *program, "\033[31m"])
    shown = "".join(capsys.readouterr())
    assert "red" in shown
    assert not re.findall("[\x00-\x08\x0b-\x1f\u202e]", shown)


def test_profiles_of_another_workload_are_an_error(
    report: Path, checkouts: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    other = RECORD.replace("shop.pstats", "other.pstats")
    assert confirm(report, checkouts["fast"], checkouts["slow"], sys.executable, "-c", other) == 2
    assert "has profiles of other, but the findings are of shop; keep the names of files" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "message"),
    [("pass", "wrote no profile to the folder that PROFGATE_OUT names"), ("exit(7)", "ended with exit code 7")],
)
def test_program_without_profiles_is_an_error(
    report: Path, checkouts: dict[str, Path], capsys: pytest.CaptureFixture[str], command: str, message: str
) -> None:
    assert confirm(report, checkouts["fast"], checkouts["slow"], sys.executable, "-c", command) == 2
    assert message in capsys.readouterr().err


def test_passing_report_is_not_measured_again(
    checkouts: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.folded").write_text("main;parse 9000\n")
    first = tmp_path / "first"
    assert main(["compare", str(tmp_path / "a.folded"), str(tmp_path / "a.folded"), "-o", str(first)]) == 0
    assert confirm(first / "report.json", checkouts["fast"], checkouts["slow"], "nothing-is-started") == 0
    assert "no finding fails the gate, so nothing is measured again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["report.json"], "COMMAND: is missing"),
        (["report.json", "--runs", "2", "--", "x"], "'2' is not a whole number from 3 to 50"),
        (["report.json", "--minutes", "0", "--", "x"], "--minutes: '0' is not a number from 0.001"),
        (["missing.json", "--", "x"], "No such file"),
    ],
)
def test_mistakes_are_reported(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["confirm", *words]) == 2
    assert message in capsys.readouterr().err


def test_report_without_commits_needs_both_folders(report: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["confirm", str(report), "--", "x"]) == 2
    assert "--baseline-dir: is missing, and the report names no commit of the baseline" in capsys.readouterr().err
