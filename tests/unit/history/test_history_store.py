"""The history on disk: reading, writing, versions, untrusted files, pruning, merging."""

import os
import sqlite3
import stat
import struct
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from history_samples import reading, rows
from profgate.errors import ProfgateError
from profgate.history.history_file import FILE, check_file
from profgate.history.history_store import HistoryStore, open_history, open_untrusted
from profgate.model.history import Column, Reading, Retention, Series, StoredCommit
from profgate.model.profile import Configuration, Facts
from profgate.model.record import replace
from profgate.model.units import Metric, MetricKind


@pytest.fixture
def folder(tmp_path: Path) -> str:
    return str(tmp_path / "history")


def filled(folder: str, *readings: Reading) -> str:
    with open_history(folder, write=True) as store:
        store.add(readings)
    return folder


def symbols(store: HistoryStore) -> int:
    return int(store.connection.execute("SELECT COUNT(*) FROM symbols").fetchone()[0])


def everything(store: HistoryStore) -> list[Reading]:
    return list(store.readings())


def test_reading_round_trip(folder: str) -> None:
    given = reading("main;f 30\nmain;g 12\nmain;f;f 8\n", "c1", job="7/1/bench", keep=True)
    filled(folder, given)
    with open_history(folder) as store:
        (back,) = store.readings(profiles=True)
    assert (back.commit, back.series, back.job) == ("c1", given.series, given.job)
    assert (back.name, back.profile) == ("bench/1.folded", given.profile)
    assert back.facts == Facts(format="folded", job="7/1/bench")
    assert rows(back.columns[0]) == {"f": (38, 38), "g": (12, 12), "main": (0, 50)}
    assert back.columns[0].sum == 50


def test_all_fields_are_stored(folder: str) -> None:
    metric = Metric("cpu", "nanoseconds", "higher", MetricKind.TIMED, -3)
    symbols = [("f", "a.py"), ("f", None), ("g\ud800 \N{GRINNING FACE}\0", "b.py")]
    values = np.array([1, 2, 1 << 61])
    column = Column(metric, 1 << 61, symbols, values, values, np.array([4, 5, 6]), period=10)
    series = Series("k", "w", Configuration(command="./a", postprocessors=("x", "y")), "pstats")
    facts = Facts("pstats", rate=99.5, truncated=False, cpu_model="best")
    filled(folder, Reading("c1", series, "1", (column,), "j", facts))
    with open_history(folder) as store:
        (back,) = store.readings()
    (kept,) = back.columns
    assert kept.metric == metric
    assert list(kept.symbols) == [("f", "a.py"), ("f", None), ("g? \N{GRINNING FACE}\0", "b.py")]
    assert kept.calls is not None
    assert (kept.calls.tolist(), kept.own.tolist(), kept.period, kept.sum) == ([4, 5, 6], values.tolist(), 10, 1 << 61)
    assert back.series == series
    assert back.facts == Facts("pstats", rate=99.5, truncated=False, cpu_model="best", job="j")
    assert back.job == "j"


def test_same_reading_is_stored_once(folder: str) -> None:
    one, other = reading("main 1\n"), reading("main 2\n")
    with open_history(folder, write=True) as store:
        assert store.add([one, one]) == 1
        assert store.add([one, other]) == 1
        assert [back.columns[0].sum for back in everything(store)] == [1, 2]


def test_readings_by_series_and_commit(folder: str) -> None:
    filled(folder, *(reading(f"main {n}\n", f"c{n}", name) for n in (1, 2, 3) for name in ("a.folded", "b.folded")))
    key = reading("main 1\n", name="b.folded").series.key
    with open_history(folder) as store:
        assert [one.workload for one in store.series()] == ["a", "b"]
        assert [one.commit for one in store.readings(key, ["c3", "c1", "nowhere"])] == ["c1", "c3"]
        assert list(store.readings("no such series")) == []
        assert store.measured_commits(key).keys() == {"c1", "c2", "c3"}


def test_commits_and_trends_are_replaced(folder: str) -> None:
    with open_history(folder, write=True) as store:
        store.add_commits([StoredCommit("b", ("a",), 5, "before"), StoredCommit("b", ("a", "x"), 6, "after")])
        assert store.commits() == {"b": StoredCommit("b", ("a", "x"), 6, "after")}
        store.add_reported_trends({"k": "[1]", "m": "[2]"})
        store.add_reported_trends({"k": "[]"})
        assert store.reported_trends() == {"k": "[]", "m": "[2]"}


def test_failed_write_changes_nothing(folder: str) -> None:
    filled(folder, reading("main 1\n"))
    with open_history(folder, write=True) as store:

        def half() -> Iterator[Reading]:
            yield reading("main;new 2\n", "c2")
            raise RuntimeError

        with pytest.raises(RuntimeError):
            store.add(half())
        assert [one.commit for one in everything(store)] == ["c1"]
        store.add([reading("main;new 3\n", "c3")])
        assert rows(everything(store)[1].columns[0]) == {"main": (0, 3), "new": (3, 3)}


def test_missing_history_is_an_error(folder: str) -> None:
    with pytest.raises(ProfgateError, match=r"profgate store (add|export)"), open_history(folder):
        pass


# Untrusted files


def sql(folder: str, *statements: str) -> None:
    connection = sqlite3.connect(Path(folder) / FILE)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_untrusted_history_is_never_written(folder: str) -> None:
    place = Path(filled(folder, reading("main 1\n"))) / FILE
    place.chmod(stat.S_IRUSR)
    with pytest.raises(ProfgateError, match="readonly"), open_untrusted(str(place)) as store:  # noqa: PT012 - in it
        assert [one.commit for one in everything(store)] == ["c1"]
        store.connection.execute("DELETE FROM commits")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW trap AS SELECT 1",
        "CREATE TRIGGER trap AFTER INSERT ON commits BEGIN DELETE FROM commits; END",
        "CREATE VIRTUAL TABLE trap USING fts5(x)",
        "CREATE TABLE trap (x INTEGER, y INTEGER GENERATED ALWAYS AS (abs(x)) VIRTUAL)",
        "CREATE INDEX trap ON commits (sha) WHERE length(title) > 3",
        "CREATE TABLE trap (x INTEGER, y TEXT DEFAULT (hex(zeroblob(10000000))))",
        "ALTER TABLE commits ADD COLUMN author INTEGER DEFAULT 7",  # as another version may write
        "DROP TABLE trends",
    ],
)
@pytest.mark.parametrize("write", [None, False, True])
def test_other_schema_is_refused(folder: str, statement: str, write: bool | None) -> None:
    filled(folder, reading("main 1\n"))
    sql(folder, statement)
    place = Path(folder) / FILE  # a pull request can also commit the local history
    opened = open_untrusted(str(place)) if write is None else open_history(folder, write=write)
    with pytest.raises(ProfgateError, match="not a history of this version"), opened:
        pass


DAMAGED_ROWS = (Path(__file__).parents[2] / "data" / "damaged_rows.sql").read_text().splitlines()


@pytest.mark.parametrize("statement", DAMAGED_ROWS)
def test_damaged_row_is_refused(folder: str, statement: str) -> None:
    filled(folder, reading("main 1\n", "c1"), reading("main;f 2\n", "c2"))
    sql(folder, statement)
    for write in (False, True):
        with pytest.raises(ProfgateError, match=r"history\.sqlite: is "), open_history(folder, write=write):
            pass
    with pytest.raises(ProfgateError, match="is "), open_untrusted(str(Path(folder) / FILE)):
        pass


@pytest.mark.parametrize(
    "statement", ["UPDATE measured SET symbols = x'0201' WHERE reading = 1", "DELETE FROM symbols WHERE id = 2"]
)
def test_history_with_damaged_columns_is_not_merged(folder: str, tmp_path: Path, statement: str) -> None:
    filled(folder, reading("main 1\n", "c1"), reading("main;f 2\n", "c2"))
    sql(folder, statement)
    with open_history(str(tmp_path / "ours"), write=True) as ours:
        with pytest.raises(ProfgateError, match="damaged"), open_untrusted(str(Path(folder) / FILE)) as theirs:
            ours.merge(theirs)
        assert (everything(ours), ours.commits(), ours.series()) == ([], {}, [])
        assert ours.add([reading("main 3\n", "c3")]) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes")
def test_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / FILE)
    with pytest.raises(ProfgateError, match="not a regular file"), open_untrusted(str(tmp_path / FILE)):
        pass


@pytest.mark.parametrize("write", [False, True])
def test_journal_that_names_another_file_is_refused(folder: str, tmp_path: Path, write: bool) -> None:
    file = Path(filled(folder, reading("main;f 5\n", "c1")), FILE)
    name, magic = os.fsencode(tmp_path / "kept"), bytes.fromhex("d9d505f920a163d7")
    (tmp_path / "kept").touch()
    page = int.from_bytes(file.read_bytes()[16:18], "big")
    start = struct.pack(">8s5I484x", magic, 0, 1, file.stat().st_size // page, 512, page)
    end = struct.pack(f">I{len(name)}sII", (1 << 30) // page + 1, name, len(name), sum(name))
    Path(f"{file}-journal").write_bytes(start + end + magic)
    with pytest.raises(ProfgateError, match="journal"), open_history(folder, write=write):
        pass
    assert (tmp_path / "kept").exists()


@pytest.mark.parametrize("data", [b"", b"SQLite format 3\0" + bytes(5000), b"hello", os.urandom(8192)])
def test_bytes_that_are_no_database(tmp_path: Path, data: bytes) -> None:
    place = tmp_path / FILE
    place.write_bytes(data)
    try:
        with open_untrusted(str(place)) as store:
            assert everything(store) == []
    except ProfgateError as error:
        assert str(place) in str(error)  # noqa: PT017 - either is right


def test_damaged_history_is_read_or_refused(folder: str) -> None:
    readings = [reading(f"main;f{n % 7} {n}\nmain 3\n", f"c{n}", keep=True) for n in range(1, 40)]
    place = Path(filled(folder, *readings)) / FILE
    whole, seed = place.read_bytes(), np.random.default_rng(7)
    damaged = Path(folder) / "damaged.sqlite"
    for _ in range(60):
        data = bytearray(whole)
        start = int(seed.integers(0, len(data) - 40))
        data[start : start + 40] = seed.bytes(40)
        damaged.write_bytes(data)
        try:
            check_file(damaged)
            with open_history_file(damaged) as store:
                everything(store)
                store.commits()
        except ProfgateError as error:
            assert str(damaged) in str(error)  # noqa: PT017 - either is right


class open_history_file:  # noqa: N801 - reads like a function
    """An untrusted file that `check_file` accepted, opened in this process, which saves starting another."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __enter__(self) -> HistoryStore:
        self.connection = sqlite3.connect(f"{self.place.as_uri()}?mode=ro&immutable=1", uri=True)
        self.connection.text_factory = lambda data: data.decode("utf-8", "replace")
        return HistoryStore(self.connection, self.place)

    def __exit__(self, *_: object) -> None:
        self.connection.close()


def test_crash_of_the_check_is_an_error(folder: str, tmp_path: Path) -> None:
    """The crash is simulated: a signal kills the process that checks the file."""
    place = Path(filled(folder, reading("main 1\n"))) / FILE
    site = tmp_path / "crash.py"
    site.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    script = textwrap.dedent(f"""
        from profgate.history import history_store
        history_store.isolated_python = lambda module: ([{str(tmp_path / "python")!r}], {{}})
        try:
            with history_store.open_untrusted({str(place)!r}): print("opened")
        except history_store.ProfgateError as error: print("refused", error)
        """)
    starter = tmp_path / "python"
    starter.write_text(f"#!/bin/sh\nexec {sys.executable} {site}\n")
    starter.chmod(0o755)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("refused")


# Pruning and merging


def test_prune_keeps_the_newest_runs(folder: str) -> None:
    filled(folder, *(reading("main 1\n", f"c{n}", job=f"{n}", keep=True) for n in range(6)))
    with open_history(folder, write=True) as store:
        assert store.prune(Retention(runs=2, profiles=1)) == 4
        assert store.prune(Retention(runs=2, profiles=1)) == 0
        store.add_commits([StoredCommit("c4", (), 4), StoredCommit("c5", (), 5), StoredCommit("c3", (), 3)])
        store.add([reading("main 1\n", "c3", job="3")])  # of another history, which is merged later
        assert store.prune(Retention(runs=2, profiles=1)) == 1
        back = list(store.readings(profiles=True))
    assert [(one.commit, one.profile is not None) for one in back] == [("c4", False), ("c5", True)]


def test_prune_shrinks_the_file(folder: str) -> None:
    large = [replace(reading("main 1\n", f"c{n}"), profile=os.urandom(20_000)) for n in range(60)]
    place = Path(filled(folder, *large)) / FILE
    before = place.stat().st_size
    with open_history(folder, write=True) as store:
        store.prune(Retention(profiles=1))
    assert place.stat().st_size < before / 5


def test_prune_removes_many_unused_names(folder: str) -> None:
    filled(folder, *(reading(f"main;f{n};g{n} {n}\n", f"c{n}") for n in range(1, 20)))
    with open_history(folder, write=True) as store:
        store.prune(Retention(runs=2, names=30))
        assert [sorted(rows(one.columns[0])) for one in everything(store)] == [
            ["f18", "g18", "main"],
            ["f19", "g19", "main"],
        ]
        store.add([reading("main;f1;g1 5\n", "c20")])
        assert rows(everything(store)[-1].columns[0]) == {"main": (0, 5), "f1": (0, 5), "g1": (5, 5)}
        assert symbols(store) == 7  # those of the last two runs, f1 and g1 anew


def test_merge_adds_missing_readings_once(folder: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    filled(folder, reading("main 1\n", "c1", job="1"), reading("main 2\n", "c2", job="2"))
    filled(
        other,
        reading("main 2\n", "c2", job="2"),
        reading("main;g 3\n", "c3", job="3"),
        reading("main 4\n", "c4", job="4"),
    )
    with open_history(other, write=True) as theirs:
        theirs.add_commits([StoredCommit("c3", ("c2",), 9, "third")])
    with open_history(folder, write=True) as ours, open_untrusted(str(Path(other) / FILE)) as theirs:
        assert ours.merge(theirs) == 2
        assert ours.merge(theirs) == 0
        assert [one.commit for one in everything(ours)] == ["c1", "c2", "c3", "c4"]
        assert rows(everything(ours)[2].columns[0]) == {"main": (0, 3), "g": (3, 3)}
        assert ours.commits()["c3"].title == "third"


def test_merge_into_empty_history_copies_it(folder: str, tmp_path: Path) -> None:
    given = [reading(f"main;f{n % 3} {n}\n", f"c{n}", f"{n % 2}.folded", job=f"{n}", keep=n > 3) for n in range(1, 7)]
    with open_history(folder, write=True) as theirs:
        theirs.add_commits([StoredCommit("c0", (), 1, "before"), StoredCommit("c1", ("c0",), 2, "first")])
        theirs.add(given)
        theirs.add_reported_trends({"k": "[]"})
        theirs.prune(Retention(profiles=1))
    with open_history(str(tmp_path / "ours"), write=True) as ours, open_untrusted(str(Path(folder) / FILE)) as theirs:
        assert ours.merge(theirs) == 6
        assert ours.merge(theirs) == 0
        for one, other in zip(ours.readings(profiles=True), theirs.readings(profiles=True), strict=True):
            assert (one.commit, one.series, one.run, one.job) == (other.commit, other.series, other.run, other.job)
            assert (one.facts, one.name, one.profile) == (other.facts, other.name, other.profile)
            assert [rows(column) for column in one.columns] == [rows(column) for column in other.columns]
        assert ours.commits() == theirs.commits()
        assert ours.reported_trends() == theirs.reported_trends()
        assert ours.add([reading("main;new 9\n", "c9")]) == 1
        assert rows(everything(ours)[-1].columns[0]) == {"main": (0, 9), "new": (9, 9)}


def test_merge_does_not_replace_known_entries(folder: str, tmp_path: Path) -> None:
    other = str(tmp_path / "other")
    for place, content in ((folder, "[1]"), (other, "[2]")):
        with open_history(place, write=True) as store:
            store.add_reported_trends({"k": content})
    with open_history(folder, write=True) as ours, open_untrusted(str(Path(other) / FILE)) as theirs:
        ours.merge(theirs)
        assert ours.reported_trends() == {"k": "[1]"}
