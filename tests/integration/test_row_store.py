"""Histories as Parquet data sets: export, object storage, other readers and hostile files."""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from action_stage import Stage, profiles
from history_samples import reading
from profgate.__main__ import main
from profgate.errors import ProfgateError
from profgate.history.history_store import open_history
from profgate.history.opening import open_any, open_data_set
from profgate.model.history import StoredCommit, StoredVerdict

pa = pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")
pq = pytest.importorskip("pyarrow.parquet")
s3fs = pytest.importorskip("s3fs", reason="the package s3fs is not installed")
row_files = pytest.importorskip("profgate.history.row_files")
row_store = pytest.importorskip("profgate.history.row_store")

pytestmark = pytest.mark.xdist_group("rows")
DAYS = 24 * 3600
SHAS = [f"{number:08x}" * 5 for number in range(24)]
LONG = "b\N{GRINNING FACE}/" * 60 + "c"


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A history in which one function of each workload becomes slower."""
    folder = str(tmp_path_factory.mktemp("sqlite"))
    chance = random.Random(3)
    with open_history(folder, write=True) as store:
        before: tuple[str, ...] = ()
        for number, sha in enumerate(SHAS):
            store.add_commits([StoredCommit(sha, before, number * 4 * DAYS, f"Change {number}")])
            before = (sha,)
            for name in ("a=b/1.folded", f"{LONG}.folded"):
                for run in range(2):
                    cost = (900 if number < 12 else 1900) + chance.randrange(9)
                    text = f"main;parse {cost}\nmain {2000 + chance.randrange(9)}\nmain;{run}{number} 3\n"
                    store.add([reading(text, sha, name, f"job{run}")])
        store.add_verdicts([StoredVerdict(SHAS[0], SHAS[1], "7", "pass", 0, 5)])
    return folder


@pytest.fixture(scope="module")
def rows(history: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    place = str(tmp_path_factory.mktemp("rows"))
    assert main(["store", "export", place, "--history", history, "--repository", "me/it"]) == 0
    return place


@pytest.fixture(scope="module")
def bucket() -> Iterator[str]:
    """A real server with the protocol of S3."""
    server = pytest.importorskip("moto.server", reason="the package moto is not installed")
    boto3 = pytest.importorskip("boto3")
    started = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    started.start()
    host, port = started.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (
            ("AWS_ENDPOINT_URL", f"http://{host}:{port}"),
            ("AWS_ACCESS_KEY_ID", "key"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_DEFAULT_REGION", "us-east-1"),
        ):
            patch.setenv(name, value)
        patch.delenv("GITHUB_EVENT_NAME", raising=False)
        boto3.client("s3").create_bucket(Bucket="bucket")
        yield "s3://bucket/some/history"
    started.stop()


def trends(capsys: pytest.CaptureFixture[str], place: str, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["trends", SHAS[-1], "--history", place, "--format", "json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_trends_are_those_of_the_exported_history(
    history: str, rows: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = trends(capsys, history)
    assert {one["workload"] for one in expected["trends"] if one["name"] == "parse"} == {"a=b", LONG}
    assert trends(capsys, rows) == expected
    assert trends(capsys, rows, "--executor", "processes:2") == expected
    for name in ("a=b", LONG):
        only = trends(capsys, rows, "--workload", name)
        assert only["trends"] == [one for one in expected["trends"] if one["workload"] == name]
    for path in Path(shutil.copytree(rows, tmp_path / "damaged")).rglob("workload=b*/**/*.parquet"):
        path.write_bytes(b"")
    for words in ([], ["--executor", "serial"]):  # files of other workloads are not read
        assert trends(capsys, str(tmp_path / "damaged"), "--workload", "a=b", *words)["trends"]
    with open_history(history) as store, open_any(rows) as other:
        assert store.commits() == other.commits()
        assert store.measured_commits() == other.measured_commits()
        assert store.verdicts() == other.verdicts()
    months = {path.parent.name for path in Path(rows).rglob("readings/**/*.parquet")}
    assert months == {"month=1970-01", "month=1970-02", "month=1970-03", "month=1970-04"}


def test_second_export_adds_only_what_is_new(rows: str, history: str, tmp_path: Path) -> None:
    before = sorted(Path(rows).rglob("*.parquet"))
    assert main(["store", "export", rows, "--history", history]) == 0
    assert sorted(Path(rows).rglob("*.parquet")) == before
    with open_data_set(str(tmp_path), create=True, repository="twice") as store, open_any(rows) as other:
        assert store.add(other.readings()) == 96  # each writer writes what the other one has not written yet
    copy = tmp_path / "readings" / "repository=twice"
    subprocess.run(["cp", "-r", str(copy), str(copy.with_name("repository=again"))], check=True)
    with open_any(str(tmp_path)) as store:
        assert len(list(store.readings())) == 96  # readings that two writers added are read once


def test_pieces_are_not_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_store, "PIECE", 1)
    monkeypatch.setattr(row_files, "MOST_ROWS", 30)
    made = [reading("main 1\n", sha, "w/1.folded", str(job)) for sha in SHAS[:3] for job in range(10)]
    with open_data_set(str(tmp_path), create=True) as store:
        assert store.add(made + made) == 30
        assert [one.job for one in store.readings()] == [one.job for one in made]
        assert store.measured_commits() == dict.fromkeys(SHAS[:3], frozenset({made[0].series.key}))


def test_many_small_files_become_few(
    rows: str, history: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    small, large = str(tmp_path / "small"), str(tmp_path / "large")
    with open_history(history) as store, open_data_set(small, create=True, repository="octo/shop") as pieces:
        pieces.add_commits(store.commits().values())
        for one in store.readings():
            pieces.add([one])
    with open_data_set(small, create=True, repository="octo/other") as other:
        other.add([reading("main 1\n", SHAS[0], "z/1.folded", "other")])
    assert main(["store", "export", large, "--history", small]) == 2
    assert "--repository: is missing" in capsys.readouterr().err
    assert main(["store", "export", large, "--history", small, "--repository", "octo/shop"]) == 0
    files = [len(list(Path(place).rglob("readings/**/*.parquet"))) for place in (small, large, rows)]
    assert files == [96 + 1, files[2], files[2]]
    assert trends(capsys, large) == trends(capsys, history)


@pytest.mark.slow
def test_object_storage(
    bucket: str, history: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    original = s3fs.S3FileSystem.open

    def kept(*arguments: Any, **options: Any) -> Any:
        opened.append(original(*arguments, **options))
        return opened[-1]

    monkeypatch.setattr(s3fs.S3FileSystem, "open", kept)
    assert main(["trends", SHAS[-1], "--history", bucket]) == 2
    assert "contains no history" in capsys.readouterr().err
    assert main(["store", "export", bucket, "--history", history]) == 0
    assert trends(capsys, bucket) == trends(capsys, history)
    assert trends(capsys, bucket, "--new", "--workload", "a=b")["trends"]
    assert trends(capsys, bucket, "--new", "--workload", "a=b")["trends"] == []
    with open_any(bucket, write=True) as store:
        assert store.add([reading("main 1\n", SHAS[0], "a=b/1.folded", "new")]) == 1
    assert main(["store", "list", "--history", bucket]) == 0
    assert opened
    assert all(each.closed for each in opened)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("simplecache::s3://bucket/history", "is not allowed"),
        ("s3://bucket/a::b", "is not allowed"),
        ("https://example.org/history", "is not allowed"),
        ("s3://bucket/history", "is refused in the job of a pull request"),
    ],
)
def test_addresses_are_limited(
    address: str, message: str, history: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    for words in (["trends", "--history", address], ["store", "export", address, "--history", history]):
        assert main(words) == 2
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("file", [".github/profgate.yml", "other.yml"])
def test_policy_names_no_history(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / file
    policy.parent.mkdir(exist_ok=True)
    policy.write_text("history: s3://bucket/history\n", encoding="ascii")
    assert main(["trends", "--config", str(policy)]) == 2
    assert "history" in capsys.readouterr().err


def test_base_runs_of_the_action_add_rows(bucket: str, stage: Stage) -> None:
    stage.inputs["history"] = f"{bucket}/of-the-action"
    stage.push(profiles(seed=1))
    with open_any(stage.inputs["history"]) as store:
        assert len(list(store.readings())) == 5


def test_other_programs_read_the_files(rows: str) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the package duckdb is not installed")
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "scale.md").read_text(encoding="utf-8")
    query = page.partition("```sql\n")[2].partition("```")[0]
    query = query.replace("s3://bucket/history", rows).replace("'api'", "'a=b'")
    found = duckdb.sql(query).fetchall()
    assert [row[0] for row in found[:2]] == ["main", "parse"]
    assert found[1][1] == pytest.approx(1404, abs=5)


def test_nothing_is_imported_without_a_data_set(history: str) -> None:
    script = (
        f"import sys; from profgate.__main__ import main; main(['store', 'list', '--history', {history!r}])\n"
        "print([name for name in ('pyarrow', 'fsspec') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


# Hostile files


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """The only file of readings of a data set."""
    with open_data_set(str(tmp_path / "rows"), create=True, repository="r") as store:
        store.add([reading("main;f 1\nmain;g 2\n", "c1"), reading("main 4\n", "c2")])
    (file,) = (tmp_path / "rows" / "readings").rglob("*.parquet")
    return file


def read(file: Path) -> list[str]:
    with open_any(str(file.parents[4])) as store:
        return [one.commit for one in store.readings()]


def changed(table: Any, name: str, values: list[object]) -> Any:
    place = table.schema.get_field_index(name)
    field = table.schema.field(name)
    return table.set_column(place, field, pa.array(values).cast(field.type))


CHANGES: dict[str, tuple[Callable[[Any], Any], str]] = {
    "extension type": (
        lambda table: table.append_column("trap", pa.array([b"0" * 16] * 4, pa.binary(16)).cast(pa.uuid())),
        "has not the schema",
    ),
    "other type": (lambda table: table.set_column(16, "self", pa.array([1.0] * 4)), "has not the schema"),
    "other version": (
        lambda table: table.replace_schema_metadata({"profgate.schema": "profgate.history-rows/2"}),
        "update profgate",
    ),
    "large number": (lambda table: changed(table, "self", [1 << 62, (1 << 63) - 1, 1, 1]), "impossible numbers"),
    "exponent": (lambda table: changed(table, "exponent", [400] * 4), "is not possible"),
    "kind": (lambda table: changed(table, "kind", ["x"] * 4), "cannot be used"),
    "facts": (lambda table: changed(table, "facts", ["[1]"] * 4), "cannot be used"),
    "configuration": (lambda table: changed(table, "configuration", ["{"] * 4), "cannot be used"),
    "order": (lambda table: table.take([0, 3, 1, 2]), "not adjacent"),
}


def moved(file: Path, name: str, value: str) -> Path:
    """Move the file into the folder of another partition."""
    parts = [f"{name}={value}" if part.startswith(f"{name}=") else part for part in file.parts]
    target = Path(*parts)
    target.parent.mkdir(parents=True)
    return file.rename(target)


def test_rows_of_another_workload_are_refused(small: Path) -> None:
    with pytest.raises(ProfgateError, match="it contains rows of another workload") as raised:
        read(moved(small, "workload", "other"))
    assert small.name in str(raised.value)


def test_series_of_another_workload_is_refused(small: Path) -> None:
    table = changed(pq.read_table(small, partitioning=None), "workload_name", ["other"] * 4)
    other = small.parents[2] / "workload=other" / small.parent.name / f"9{small.name}"
    other.parent.mkdir(parents=True)
    pq.write_table(table, other)
    with pytest.raises(ProfgateError, match="it contains rows of another workload") as raised:
        read(small)
    assert other.name in str(raised.value)


def test_rows_of_another_month_are_refused(tmp_path: Path) -> None:
    with open_data_set(str(tmp_path), create=True, repository="r") as store, store.writing():
        store.add_commits([StoredCommit("c1", time=40 * DAYS)])
        store.add([reading("main 1\n", "c1")])
    (file,) = (tmp_path / "readings").rglob("*.parquet")
    assert file.parent.name == "month=1970-02"
    assert read(moved(file, "month", "1970-01")) == ["c1"]  # the time of the commit was not known
    file.parent.rmdir()
    with pytest.raises(ProfgateError, match="it contains rows of another month"):
        read(moved(next((tmp_path / "readings").rglob("*.parquet")), "month", "1970-03"))


@pytest.mark.parametrize("runs", [1, 4])
def test_long_names_are_written_as_they_are_read(runs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_files, "MOST_TEXT_BYTES", 100_000)
    made = [reading("".join(f"main;{'n' * 500}{k} 3\n" for k in range(300)), f"c{run}") for run in range(runs)]
    with open_data_set(str(tmp_path), create=True, repository="r") as store:
        store.add(made)
    with open_any(str(tmp_path)) as store:
        assert [one.columns[0].symbols for one in store.readings()] == [one.columns[0].symbols for one in made]
    with (
        open_data_set(str(tmp_path), create=True, repository="r") as store,
        pytest.raises(ProfgateError, match=r"a row has .* bytes of names"),
    ):
        store.add([reading(f"{'n' * 60_000} 3\n", "long")])


@pytest.mark.parametrize("change", CHANGES)
def test_hostile_rows_are_an_error_with_the_file(small: Path, change: str) -> None:
    alter, message = CHANGES[change]
    pq.write_table(alter(pq.read_table(small, partitioning=None)), small)
    with pytest.raises(ProfgateError, match=message) as raised:
        read(small)
    assert small.name in str(raised.value)


def test_damaged_files_are_read_or_refused(small: Path) -> None:
    whole, chance = small.read_bytes(), random.Random(5)
    for start in (0, 4, len(whole) - 8, *(chance.randrange(len(whole) - 8) for _ in range(60))):
        small.write_bytes(whole[:start] + chance.randbytes(8) + whole[start + 8 :])
        try:
            read(small)
        except ProfgateError as error:
            assert small.name in str(error)  # noqa: PT017 - either is right


def test_size_is_limited(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:

    for module, name in (
        (row_files, "MOST_FILES"),
        (row_files, "MOST_FILE_BYTES"),
        (row_files, "MOST_GROUP_BYTES"),
        (row_files, "MOST_ROWS"),
        (row_files, "GROUP"),
        (row_files, "MOST_TEXT_BYTES"),
        (row_store, "MOST_READINGS"),
        (row_store, "MOST_ROWS"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(module, name, 0)
            with pytest.raises(ProfgateError):
                read(small)


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege")
def test_links_and_other_files_are_ignored(small: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    small.parents[3].rename(outside)
    (tmp_path / "rows" / "readings").mkdir()
    (tmp_path / "rows" / "readings" / "repository=link").symlink_to(next(outside.iterdir()))
    folder = tmp_path / "rows" / "readings" / "repository=r" / "workload=w" / "month=2026-01"
    folder.mkdir(parents=True)
    file = next(outside.rglob("*.parquet"))
    (folder / "link.parquet").symlink_to(file)
    os.mkfifo(folder / "pipe.parquet")
    (folder / ".hidden.parquet").write_bytes(b"")
    (folder.parent / "stray.parquet").write_bytes(file.read_bytes())
    assert read(folder / "any") == []
