"""The harness measures pipes, keeps turns and tells failures from figures."""

import sys
from pathlib import Path

import pytest
from bench.harness import Contender, Measured, RunError, Sample, measure_in_turn, paired_ratio, run_once, warm_up

LONG = 60.0


def python(name: str, *scripts: str, output: Path | None = None) -> Contender:
    return Contender(name, tuple((sys.executable, "-c", script) for script in scripts), output)


def test_a_pipe_hands_output_on_and_the_last_one_writes_it(tmp_path: Path) -> None:
    upper = "import sys; sys.stdout.write(sys.stdin.read().upper())"
    sample = run_once(python("pipe", "print('folded')", upper, output=tmp_path / "out"), LONG)
    assert (tmp_path / "out").read_text() == "FOLDED\n"
    assert sample.wall > 0
    assert sample.processor > 0


def test_a_failure_anywhere_in_the_pipe_is_told_with_its_last_words() -> None:
    failing = python("pair", "import sys; sys.exit('first line\\nno such file')", "import sys; sys.stdin.read()")
    with pytest.raises(RunError, match=r"pair: ended with exit code 1, 0: no such file"):
        run_once(failing, LONG)


def test_a_run_that_takes_too_long_is_ended_with_all_it_started() -> None:
    sleeper = "import time; time.sleep(600)"
    with pytest.raises(RunError, match=r"slow: took longer than 0\.2 s"):
        run_once(python("slow", sleeper, sleeper), 0.2)


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="memory is sampled from /proc")
def test_peak_memory_sums_processes_that_run_together() -> None:
    hold = "import sys, time; held = bytearray(b'x' * (64 << 20)); time.sleep(0.5); sys.stdin.read()"
    alone, both = warm_up(python("one", hold), LONG), warm_up(python("two", hold, hold), LONG)
    assert alone >= 64 << 20
    assert both >= 128 << 20


def test_contenders_take_turns_and_a_failing_one_is_left_out(tmp_path: Path) -> None:
    log = tmp_path / "log"
    write = "open({!r}, 'a').write({!r})"
    contenders = [
        python("a", write.format(str(log), "a")),
        python("bad", write.format(str(log), "x") + "; raise SystemExit(3)"),
        python("b", write.format(str(log), "b")),
    ]
    outcome = measure_in_turn(contenders, 2, LONG)
    assert log.read_text() == "axb" + "abab"
    assert isinstance(outcome["bad"], RunError)
    measured = outcome["a"]
    assert isinstance(measured, Measured)
    assert len(measured.samples) == 2
    assert measured.peak > 0


def test_ratios_are_taken_pair_by_pair() -> None:
    ours = Measured(tuple(Sample(wall, wall, 1) for wall in (1.0, 2.0, 30.0)), 1)
    theirs = Measured(tuple(Sample(wall, wall, 1) for wall in (2.0, 4.0, 40.0)), 1)
    assert paired_ratio(ours, theirs) == 0.5
    assert ours.wall == 2.0
