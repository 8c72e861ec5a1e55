"""Runs in turns within a budget. The time of a pair of runs is that of a clock of the test."""

import io
import os
import sys
from contextlib import nullcontext, suppress
from pathlib import Path

import pytest

from profgate.errors import ProfgateError, SideError
from profgate.measuring.checkouts import Checkout
from profgate.measuring.turns import Turns
from source_map_samples import SCRIPT, profile, source_map
from two_commits import pairs_take

PROGRAM = ["sh", "-c", 'echo "main;parse $((1000 + PROFGATE_RUN))" > "$PROFGATE_OUT/api.folded"']


def turns_of(folder: Path, budget: float, program: list[str] = PROGRAM, at_most: float | None = None) -> Turns:
    sides = {}
    for name, place in (("baseline", folder / "a"), ("target", folder / "b")):
        (place / "checkout").mkdir(parents=True)
        sides[name] = Checkout(name, str(place), str(place / "checkout"), {})
    return Turns(program, sides, budget, budget if at_most is None else at_most, timeout=60.0)


@pytest.mark.parametrize(("budget", "most"), [(49.0, 4), (50.0, 5), (80.0, 8), (1000.0, 40)])
def test_first_pair_shows_how_many_runs_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, budget: float, most: int
) -> None:
    pairs_take(monkeypatch, 10.0)
    turns = turns_of(tmp_path, budget)
    assert {side: len(files) for side, files in turns.warm_up().items()} == {"baseline": 1, "target": 1}
    turns.record_until(1)
    assert (turns.most(), turns.needed(), turns.count) == (most, 100.0, 1)


def test_recording_ends_with_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs_take(monkeypatch, 10.0)
    turns = turns_of(tmp_path, 75.0)
    turns.warm_up()
    assert turns.record_until(5)
    assert not turns.record_until(8)
    assert (turns.count, turns.spent, turns.needed()) == (7, 70.0, 100.0)
    assert {side: [source.name for source in found] for side, found in turns.profiles.items()} == {
        side: [f"run-{run}/api.folded" for run in range(1, 8)] for side in ("baseline", "target")
    }


@pytest.mark.parametrize(("at_most", "most"), [(500.0, 10), (90.0, 9), (50.0, 5), (40.0, 4)])
def test_first_look_may_exceed_the_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_most: float, most: int
) -> None:
    pairs_take(monkeypatch, 10.0)
    turns = turns_of(tmp_path, 20.0, at_most=at_most)
    turns.record_until(1)
    assert turns.most() == most


@pytest.mark.skipif(sys.platform == "win32", reason="needs a terminal of POSIX")
@pytest.mark.parametrize("answer", ["y", "n"])
def test_longer_limit_is_offered_on_a_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    pairs_take(monkeypatch, 10.0)
    turns = turns_of(tmp_path, 20.0)
    turns.record_until(1)
    turns.offer_more()
    assert turns.at_most == 20.0  # no terminal can show the question
    ours, theirs = os.openpty()
    with os.fdopen(theirs, "r+b", buffering=0) as raw, io.TextIOWrapper(raw, write_through=True) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        monkeypatch.setattr(sys, "stderr", terminal)
        os.write(ours, f"{answer}\n".encode())
        with nullcontext() if answer == "y" else pytest.raises(ProfgateError, match="--at-most 50s or half of it"):
            turns.offer_more()
    shown = b""
    with suppress(OSError):  # the end of a terminal that is closed
        while part := os.read(ours, 1000):
            shown += part
    os.close(ours)
    assert (turns.at_most, b"10 runs of each side take 1 min 40 s" in shown) == (100.0 if answer == "y" else 20.0, True)


def test_slower_later_runs_are_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs_take(monkeypatch, 10.0)
    turns = turns_of(tmp_path, 45.0)
    turns.warm_up()
    turns.record_until(1)
    pairs_take(monkeypatch, 20.0)
    with pytest.raises(
        ProfgateError, match=r"--at-most: is too small for 5 runs of each side; a pair of runs takes 17 s"
    ):
        turns.record_until(5)


def test_files_of_a_side_have_equal_paths(tmp_path: Path) -> None:
    program = ["sh", "-c", 'echo "main (file://$PWD/shop.py);parse ($PWD/shop.py) 9000" > "$PROFGATE_OUT/api.folded"']
    turns = turns_of(tmp_path, 60.0, program)
    files = [source.profile.frames.files for found in turns.warm_up().values() for source in found if source.profile]
    assert files[0] == files[1]
    assert not any(file and str(tmp_path) in file for file in files[0])


STACK = 'echo "main;f 9" > "$PROFGATE_OUT"'
TOUCHING = f"{STACK}/api.folded; sleep 0.3; [ $PROFGATE_RUN = 0 ] || touch ../../*/checkout/a.py"
RENAMING = f"{STACK}/$PROFGATE_RUN-x.folded"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the files that processes use")
@pytest.mark.parametrize(
    ("program", "message"), [(TOUCHING, "changed .*/checkout/a.py"), (RENAMING, "wrote no profile of 0-x")]
)
def test_cheating_runs_are_errors(tmp_path: Path, program: str, message: str) -> None:
    turns = turns_of(tmp_path, 60.0, ["sh", "-c", program, "sh", "a.py"])
    for side in turns.sides.values():
        Path(side.place, "a.py").write_text("")
    turns.warm_up()
    with pytest.raises(SideError, match=f"run 1, (baseline|target): {message}"):
        turns.record_until(1)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the environment of processes")
def test_processes_end_with_their_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    daemon = "setsid sh -c 'touch up; sleep 60' > /dev/null 2>&1 & while [ ! -e up ]; do sleep 0.01; done"
    program = [*PROGRAM[:2], f"{PROGRAM[2]}; {daemon}"]
    turns_of(tmp_path, 60.0, program).warm_up()
    assert "ended 2 processes that a run of the baseline left behind" in capsys.readouterr().err


def test_each_side_has_its_own_source_maps(tmp_path: Path) -> None:
    turns = turns_of(tmp_path, 60.0, ["sh", "-c", 'cp lib/a.cpuprofile "$PROFGATE_OUT"'])
    for side, name in (("baseline", "inlineText"), ("target", "inlineNewText")):
        folder = Path(turns.sides[side].place, "lib")
        folder.mkdir()
        (folder / "app.js").write_text(SCRIPT)
        (folder / "app.js.map").write_bytes(source_map([(0, 9, 0, 1, 16, 0)], names=[name]))
        (folder / "a.cpuprofile").write_bytes(profile(f"file://{folder}/app.js"))
    frames = {side: files[0].profile.frames for side, files in turns.warm_up().items() if files[0].profile}
    assert {side: found.sources[0].name for side, found in frames.items()} == {
        "baseline": "inlineText",
        "target": "inlineNewText",
    }
