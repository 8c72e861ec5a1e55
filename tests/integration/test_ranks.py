"""``profgate ranks`` as a person calls it, over real files and a history."""

import math
import random
from pathlib import Path

import pytest

from profgate.__main__ import main
from profgate.compare.columns import CompareOptions
from profgate.compare.readings import readings_of
from profgate.history.history_store import open_history
from profgate.model.durations import DurationRun
from profgate.model.source import source_of
from profgate.readers.registry import read_profile

TESTS = 120


def durations(seed: int, slow: float = 1.0) -> DurationRun:
    true, noise = random.Random(1), random.Random(seed)
    values = {f"t{n:03}": 10 ** true.uniform(6, 9) * math.exp(noise.gauss(0, 0.002)) for n in range(TESTS)}
    values["t007"] *= slow
    return DurationRun(f"run {seed}", "nanoseconds", values)


def junit(run: DurationRun) -> str:
    tests = (f'<testcase name="{name}" time="{value / 1e9:.12f}"/>' for name, value in run.values.items())
    return f"<testsuite>{''.join(tests)}</testsuite>"


@pytest.fixture
def baseline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "baseline"
    folder.mkdir()
    for seed in range(5):
        (folder / f"{seed}.xml").write_text(junit(durations(seed)))
    (tmp_path / "same.xml").write_text(junit(durations(50)))
    (tmp_path / "slow.xml").write_text(junit(durations(51, slow=5000.0)))
    return folder


def test_check_keeps_an_unchanged_order(baseline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ranks", "same.xml", "--baseline", str(baseline), "--fail-on", "departure"]) == 0
    assert capsys.readouterr().out.startswith("STABLE")


def test_check_tells_a_departure_and_fails_only_when_asked(baseline: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["ranks", "slow.xml", "--baseline", str(baseline)]
    assert main(arguments) == 0
    assert "t007" in capsys.readouterr().out
    assert main([*arguments, "--fail-on", "slower"]) == 1
    assert main([*arguments, "--fail-on", "departure"]) == 1


def test_a_sub_folder_is_one_run_of_many_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in range(5):
        for place in range(30):
            run = f"runs/{number}" if number < 4 else "target"
            file = tmp_path / run / f"load-{place:02}.folded"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"main;work {(place + 1) * 100 + number}\n")
    arguments = ["ranks", str(tmp_path / "target"), "--baseline", str(tmp_path / "runs"), "--last", "3"]
    assert main(arguments) == 0
    shown = capsys.readouterr().out
    assert "30 of 30 ranks stable" in shown
    assert "3 baseline runs" in shown


@pytest.mark.usefixtures("baseline")
def test_check_over_a_history(capsys: pytest.CaptureFixture[str]) -> None:
    with open_history("past", write=True) as store, store.writing():
        for number in range(5):
            profile = read_profile(source_of("tests.xml", junit(durations(number)).encode()))
            job = f"job {number}"
            store.add(readings_of(profile, CompareOptions(), f"{number}" * 40, job, "1"))
    assert main(["ranks", "slow.xml", "--history", "past", "--fail-on", "slower"]) == 1
    assert "t007" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "RESULTS... is missing"),
        (["missing.xml", "--baseline", "baseline"], "missing.xml"),
        (["same.xml"], "--baseline: is missing; name a folder"),
        (["same.xml", "--baseline", "empty"], "contains no run"),
        (["empty", "--baseline", "baseline"], "contains no results"),
        (["same.xml", "--width", "nan"], "--width: 'nan' is not a number from 0.5"),
        (["broken.xml", "--baseline", "baseline"], "broken.xml"),
    ],
)
@pytest.mark.usefixtures("baseline")
def test_mistakes_are_told(words: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").mkdir()
    Path("broken.xml").write_text('<testsuite><testcase name="a"')
    assert main(["ranks", *words]) == 2
    assert what in capsys.readouterr().err
