"""Tracking a real repository whose versions get slower, counted by cProfile, which says the same in every run."""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from measured_repository import commit_of
from measured_repository import run_git as git
from page_trees import data_of_page
from profgate.__main__ import main
from slow_cases import quick_first

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

BENCH = """import cProfile, os, sys
sys.path.insert(0, os.environ["PROFGATE_SOURCE"])
import lib
profile = cProfile.Profile()
profile.runcall(lib.work)
profile.dump_stats(os.path.join(os.environ["PROFGATE_OUT"], "work.pstats"))
"""
LIB = "def step():\n    pass\n\n\ndef work():\n    for _ in range({times}):\n        step()\n"
TIMES = [100, 100, 150, 150, 150, 120]  # jumps from the second to the third and from the fifth to the sixth version
COMMAND = ["--", sys.executable, "bench.py"]

Repository = Callable[..., Path]


@cache
def made(libraries: tuple[str, ...], bench: str) -> tempfile.TemporaryDirectory[str]:
    """A repository with a version for each text of lib.py, tagged v1, v2 and so on."""
    whole = tempfile.TemporaryDirectory()
    folder = Path(whole.name)
    git(folder, "init", "--quiet", "--initial-branch=main")
    for number, text in enumerate(libraries, start=1):
        commit_of(folder, {"lib.py": f"# version {number}\n{text}"} | ({"bench.py": bench} if bench else {}))
        git(folder, "tag", f"v{number}")
    return whole


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """Copies such a repository, which becomes the current folder."""

    def make(libraries: list[str] | None = None, bench: str = BENCH) -> Path:
        texts = libraries or [LIB.format(times=times) for times in TIMES]
        folder = shutil.copytree(made(tuple(texts), bench).name, tmp_path / "project")
        monkeypatch.chdir(folder)
        return folder

    return make


def tracked(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    """What ``profgate track --format json`` says."""
    assert main(["track", "--format", "json", *words]) == 0
    document: dict[str, object] = json.loads(capsys.readouterr().out)
    return document


def jumps(document: dict[str, object], metric: str = "calls") -> list[tuple[str, str, float, float]]:
    found: list[dict[str, object]] = document["jumps"]  # type: ignore[assignment]
    rows = [jump for jump in found if jump["metric"] == metric]
    return sorted((str(one["baseline"]), str(one["target"]), float(one["from"]), float(one["to"])) for one in rows)  # type: ignore[arg-type]


def test_jumps_of_last_versions_have_pages(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    folder = repository()
    document = tracked(capsys, "--last", "6", "--runs", "2", *COMMAND)
    assert jumps(document) == [("v2", "v3", 102, 152), ("v5", "v6", 152, 122)]
    assert document["metric"] == "calls"
    output = folder / "profgate-track"
    assert len(list((output / "jumps").glob("*.html"))) >= 2
    page = (output / "evolution.html").read_text()
    assert "v2 → v3" in page
    (slower,) = (output / "jumps").glob("work.calls.v2.v3-*.html")
    assert f'href="jumps/{slower.name}#tab=symbols"' in page, "calls without stacks are shown as a table"
    (source,) = json.loads(data_of_page(slower.read_text())[1]["sources"])
    assert "+    for _ in range(150):" in source["hunks"][0][2]
    assert git(folder, "status", "--porcelain") == ""
    assert len(git(folder, "worktree", "list").splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "versions"),
    [
        (["--last", "2"], ["v5", "v6"]),
        (["v2..v4"], ["v2", "v3", "v4"]),
        (["v1", "v6"], ["v1", "v6"]),
        (["v4..", "v1"], ["v4", "v5", "v6", "v1"]),
        (["--tags", "v[135]"], ["v1", "v3", "v5"]),
    ],
)
def test_ways_to_choose_versions(
    repository: Repository, capsys: pytest.CaptureFixture[str], words: list[str], versions: list[str]
) -> None:
    repository()
    document = tracked(capsys, *words, "--runs", "1", *COMMAND)
    assert [one["name"] for one in document["versions"]] == versions  # type: ignore[attr-defined]


def test_failed_version_is_measured_again(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    folder = repository([LIB.format(times=5)])
    words = ["track", "--last", "1", "--runs", "1", "--", sys.executable, "-c", f"open({str(folder / 'data')!r})"]
    assert main(words) == 3
    (folder / "data").touch()
    assert main(words) == 0
    assert "1 of 1 version measured" in capsys.readouterr().out


@pytest.mark.slow
def test_version_is_stopped_after_the_timeout(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository(["import time\ntime.sleep(600)\n", LIB.format(times=5)])
    document = tracked(capsys, "--last", "2", "--runs", "1", "--timeout", "6s", *COMMAND)
    assert [one["problem"] for one in document["versions"]] == ["took longer than 6 s", None]  # type: ignore[attr-defined]


BINARY = "import os; open(os.environ['PROFGATE_OUT'] + '/x.bin', 'wb').write(bytes(range(256)) * 9)"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["no-such-program"], "no-such-program cannot be started"),
        ([sys.executable, "-c", BINARY], "no result in 1 files of PROFGATE_OUT: x.bin"),
    ],
)
def test_nothing_measured_is_exit_3(
    repository: Repository, capsys: pytest.CaptureFixture[str], command: list[str], message: str
) -> None:
    repository()
    assert main(["track", "--last", "2", "--runs", "1", "--", *command]) == 3
    assert message in capsys.readouterr().err


def test_run_without_profiles_counts_wall_time(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository()
    document = tracked(capsys, "--last", "2", "--runs", "2", "--", sys.executable, "-c", "pass")
    found = [(line["metric"], line["unit"], line["n"]) for line in document["benchmarks"]]  # type: ignore[attr-defined]
    assert found == [("wall time", "nanoseconds", [2, 2])]


def test_files_of_an_execution_are_one_run(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    repository()
    writing = (
        "import os; [open(f'{os.environ[\"PROFGATE_OUT\"]}/w.{pid}.folded', 'w').write('a;b 7') for pid in (41, 42)]"
    )
    document = tracked(capsys, "--last", "2", "--runs", "1", "--", sys.executable, "-c", writing)
    found = [(line["name"], line["metric"], line["values"]) for line in document["benchmarks"]]  # type: ignore[attr-defined]
    assert found == [("w", "samples", [14.0, 14.0])]


def test_bring_copies_benchmark_to_old_versions(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    folder = repository(bench="")
    (folder / "bench.py").write_text(BENCH)
    document = tracked(capsys, "v2", "v3", "--runs", "1", "--bring", "bench.py", *COMMAND)
    assert jumps(document) == [("v2", "v3", 102, 152)]
    assert document["notes"] == []


def test_benchmark_outside_of_the_repository(
    repository: Repository, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    folder = repository(bench="")
    (tmp_path / "bench.py").write_text(BENCH)
    words = ["v2", "v3", "--runs", "1", "--", sys.executable, str(tmp_path / "bench.py")]
    document = tracked(capsys, *words)
    assert (jumps(document), document["notes"]) == ([("v2", "v3", 102, 152)], [])
    (tmp_path / "bench.py").write_text(BENCH + "# another benchmark\n")
    tracked(capsys, *words)
    assert len(list((folder / "profgate-track" / "runs").iterdir())) == 2


def test_command_gets_variables_and_the_folder(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    folder = repository()
    script = (
        "import os, sys; values = [os.environ[f'PROFGATE_{name}'] for name in ('OUT', 'SOURCE', 'VERSION', 'COMMIT')];"
        "assert sys.argv[1:] == [values[0], '{version}'], (sys.argv, values); assert values[2] == 'v2'"
    )
    words = [sys.executable, "-c", script, "{out}", "{version}"]
    assert main(["track", "v2", "--runs", "1", "--", *words]) == 0
    assert (folder / "profgate-track" / "evolution.html").is_file()
    capsys.readouterr()


def test_hostile_names_are_text(repository: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    script = BENCH.replace('"work.pstats"', 'PAGE + ".pstats"').replace(
        "import cProfile", "PAGE = '<img src=x onerror=alert(1)> =cmd|x \\u202e'\nimport cProfile"
    )
    folder = repository(bench=script)
    git(folder, "tag", "v9=<script>x")
    tracked(capsys, "v2", "v9=<script>x", "--runs", "1", *COMMAND)
    page = (folder / "profgate-track" / "evolution.html").read_text()
    assert "<img src" not in page
    assert "<script>x" not in page
    assert "\u202e" not in page
    assert all("/" not in path.name and path.is_file() for path in (folder / "profgate-track" / "jumps").iterdir())


# a shell that starts this in the background lets its children ignore the signal
WITH_CTRL_C = """import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
from profgate.__main__ import main
sys.exit(main())
"""


def finished_runs(output: Path) -> list[Path]:
    """The finished runs; unfinished ones are in hidden folders."""
    return sorted(output.glob("runs/*/[0-9a-f]*/*/run.json"))


@pytest.mark.parametrize("how", quick_first([signal.SIGKILL, signal.SIGINT, signal.SIGTERM]))
def test_stopped_track_continues(
    repository: Repository, capsys: pytest.CaptureFixture[str], how: signal.Signals
) -> None:
    slow = BENCH.replace("import lib\n", "import lib, time\ntime.sleep(float(os.environ.get('SLOW', 0)))\n")
    folder = repository(bench=slow)
    words = [sys.executable, "-c", WITH_CTRL_C, "track", "--last", "6", "--runs", "2", *COMMAND]
    output = folder / "profgate-track"
    with subprocess.Popen(words, cwd=folder, env={**os.environ, "SLOW": "0.4"}, stderr=subprocess.PIPE) as process:
        try:
            for _ in range(600):
                if len(finished_runs(output)) >= 3:
                    break
                time.sleep(0.05)
        finally:
            process.send_signal(how)
        process.wait(60)
    done = {path: path.read_bytes() for path in finished_runs(output)}
    assert 3 <= len(done) < 12
    if how is not signal.SIGKILL:
        assert process.returncode == 128 + how
        assert (output / "evolution.html").is_file()
    assert jumps(tracked(capsys, "--last", "6", "--runs", "2", *COMMAND)) == [
        ("v2", "v3", 102, 152),
        ("v5", "v6", 152, 122),
    ]
    assert {path: path.read_bytes() for path in done} == done
    assert len(finished_runs(output)) == 12
    assert not list(output.rglob(".aside-*"))
    assert len(git(folder, "worktree", "list").splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--last", "2"], "COMMAND: is missing"),
        (["--last", "0", *COMMAND], "'0' is not a whole number from 1 to"),
        (["--last", "2", "v1", *COMMAND], "use exactly one of --last N"),
        (COMMAND, "use exactly one of --last N"),
        (["v1...v2", *COMMAND], "symmetric difference"),
        (["v1..v1", *COMMAND], "v1..v1: is a single version"),
        (["v77", *COMMAND], "v77: is not a revision here"),
        (["v1..--output=x", *COMMAND], "--output=x: is not a revision: it looks like an option"),
        (["--tags", "none*", *COMMAND], "were not found"),
        (["--last", "2", "--timeout", "nan", *COMMAND], "--timeout: 'nan'"),
        (["--last", "2", "--bring", "absent.py", *COMMAND], "absent.py: does not exist, so --bring cannot copy it"),
    ],
)
def test_wrong_arguments_are_errors(
    repository: Repository, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    repository(TIMES_OF_TWO)
    assert main(["track", *words]) == 2
    assert message in capsys.readouterr().err


TIMES_OF_TWO = [LIB.format(times=1), LIB.format(times=2)]
