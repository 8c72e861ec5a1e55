"""Real processes on one history: killed in the middle of a write, and writing at the same time."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from profgate.history.history_store import open_history

TESTS = Path(__file__).parents[1]
WRITER = """
import sys
sys.path.insert(0, {tests!r})
from history_samples import reading
from profgate.history.history_store import open_history
folder, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
for number in range(count):
    with open_history(folder, write=True) as store, store.writing():
        for part in range(5):
            store.add([reading(f"main;{{name}}{{number}} {{part + 1}}\\n", f"{{name}}{{number}}")])
    print(number, flush=True)
"""


def writer(folder: Path, name: str, count: int) -> "subprocess.Popen[str]":
    script = WRITER.format(tests=str(TESTS))
    return subprocess.Popen(
        [sys.executable, "-c", script, str(folder), name, str(count)], stdout=subprocess.PIPE, text=True
    )


def by_commit(folder: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    with open_history(str(folder)) as store:
        for stored in store.readings():
            found[stored.commit] = found.get(stored.commit, 0) + 1
    return found


def test_concurrent_writers_lose_nothing(tmp_path: Path) -> None:
    both = [writer(tmp_path, name, 15) for name in "ab"]
    for process in both:
        process.communicate(timeout=120)
        assert process.returncode == 0
    assert by_commit(tmp_path) == {f"{name}{number}": 5 for name in "ab" for number in range(15)}


@pytest.mark.slow
def test_killed_writer_leaves_whole_transactions(tmp_path: Path) -> None:
    finished: set[str] = set()
    for attempt in range(8):
        name = f"k{attempt}-"
        process = writer(tmp_path, name, 1000)
        assert process.stdout is not None
        process.stdout.readline()
        if attempt % 2:  # after a finished write, also on a slow machine
            finished.add(f"{name}{process.stdout.readline().strip()}")
        time.sleep(0.15 + 0.03 * attempt)  # somewhere in the loop of writes
        os.kill(process.pid, signal.SIGKILL)
        finished |= {f"{name}{line.strip()}" for line in process.stdout.read().splitlines()}
        process.stdout.close()
        assert process.wait() == -signal.SIGKILL
        found = by_commit(tmp_path) if finished else {}
        assert set(found.values()) <= {5}  # every write is whole
        assert finished <= set(found)  # no finished write is lost


@pytest.mark.slow
def test_journal_of_killed_writer_is_rolled_back(tmp_path: Path) -> None:
    """The moment that matters: pages of the file are changed, the write is not over."""
    whole = writer(tmp_path, "whole", 1)
    whole.communicate(timeout=60)
    script = (
        f"import os, signal, sys; sys.path.insert(0, {str(TESTS)!r})\n"
        "from history_samples import reading\n"
        "from profgate.history.history_store import open_history\n"
        f"with open_history({str(tmp_path)!r}, write=True) as store, store.writing():\n"
        "    store.connection.execute('PRAGMA cache_size = 1')\n"
        "    store.connection.execute('PRAGMA cache_spill = 1')\n"
        "    store.add(reading(f'main;f{n} {n + 1}\\n', f'half{n}', keep=True) for n in range(3000))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, timeout=60)
    assert done.returncode == -signal.SIGKILL
    assert (tmp_path / "history.sqlite-journal").stat().st_size > 0
    assert by_commit(tmp_path) == {"whole0": 5}
    again = writer(tmp_path, "after", 2)
    again.communicate(timeout=60)
    assert by_commit(tmp_path) == {"whole0": 5, "after0": 5, "after1": 5}
