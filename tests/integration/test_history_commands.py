"""The commands of the history in a repository of their own: store, check, compare by commit."""

import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from judged import changes_in
from profgate.__main__ import main

Capture = pytest.CaptureFixture[str]


class Repository:
    """A repository whose commits are measured by made-up folded profiles."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.now = 1_800_000_000  # its own clock: the same commits have the same names in every run of the tests
        self.git("init", "-q", "-b", "main", ".")

    def git(self, *words: str) -> str:
        identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
        self.now += 1
        dates = {f"GIT_{who}_DATE": f"{self.now} +0000" for who in ("AUTHOR", "COMMITTER")}
        environment = {**os.environ, **dates, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(
            ["git", *identity, *words], cwd=self.folder, check=True, capture_output=True, text=True, env=environment
        ).stdout.strip()

    def commit(self, title: str) -> str:
        self.git("commit", "-q", "--allow-empty", "-m", title)
        return self.git("rev-parse", "HEAD")

    def measured(self, title: str, workload: str = "shop", runs: int = 3, **slower: float) -> str:
        """A commit with so many runs of a workload, in which some functions take so many times as long."""
        sha = self.commit(title)
        self.measure(sha, workload, runs, **slower)
        return sha

    def measure(self, sha: str, workload: str = "shop", runs: int = 3, **slower: float) -> None:
        chance = random.Random(f"{sha}{workload}{slower}")
        place = self.folder / "out" / workload
        place.mkdir(parents=True, exist_ok=True)
        for run in range(1, runs + 1):
            lines = [
                f"main;step{n % 3};f{n} {int((400 + 20 * n) * slower.get(f'f{n}', 1.0) * chance.gauss(1, 0.02))}"
                for n in range(30)
            ]
            (place / f"{run}.folded").write_text("\n".join(lines) + "\n")
        assert main(["store", "add", str(self.folder / "out"), "--commit", sha]) == 0
        for file in place.iterdir():
            file.unlink()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    monkeypatch.chdir(tmp_path)
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return Repository(tmp_path)


def checked(capsys: Capture, *words: str) -> tuple[int, dict[str, object]]:
    capsys.readouterr()
    code = main(["check", "--format", "json", *words])
    return code, json.loads(capsys.readouterr().out)


def edges(document: dict[str, object]) -> list[tuple[str, str, int]]:
    checks = document["checks"]
    assert isinstance(checks, list)
    return [(one["baseline"], one["target"], one["distance"]) for one in checks]


def only_report(document: dict[str, object]) -> dict[str, Any]:
    checks = document["checks"]
    assert isinstance(checks, list)
    (check,) = checks
    report: dict[str, Any] = check["report"]
    return report


def kinds(document: dict[str, object], target: str, name: str) -> set[str]:
    checks = document["checks"]
    assert isinstance(checks, list)
    return {
        change["kind"]
        for check in checks
        if check["target"] == target
        for workload in check["report"]["workloads"]
        for metric in workload["metrics"]
        for change in changes_in(metric)
        if change["location"]["name"] == name
    }


def test_check_against_nearest_ancestor_through_merge(repository: Repository, capsys: Capture) -> None:
    start = repository.measured("Start")
    repository.git("checkout", "-q", "-b", "side")
    slow = repository.measured("Make f7 slow", f7=1.8)
    repository.git("checkout", "-q", "main")
    repository.commit("Not measured")
    repository.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    top = repository.measured("On top", f7=1.8)
    code, document = checked(capsys)
    assert code == 0
    assert edges(document) == [(slow, top, 2)]
    assert not kinds(document, top, "f7") & {"Degradation", "SevereDegradation"}
    code, document = checked(capsys, slow)
    assert edges(document) == [(start, slow, 1)]
    assert kinds(document, slow, "f7") & {"Degradation", "SevereDegradation"}


def test_check_fails_from_five_measured_ancestors(repository: Repository, capsys: Capture) -> None:
    for number in range(5):
        repository.measured(f"Steady {number}")
        assert checked(capsys, "--all")[0] in {0, 3}
    repository.measured("Make f7 slow", f7=1.8)
    assert checked(capsys, "--all")[0] == 1
    code, document = checked(capsys)
    assert code == 1
    (metric,) = only_report(document)["workloads"][0]["metrics"]
    assert metric["runs"] == {"baseline": 3, "target": 3, "noise": 12}


def test_check_all_shows_every_commit(repository: Repository, capsys: Capture) -> None:
    first = repository.measured("Start")
    second = repository.measured("Make f7 slow", f7=1.8)
    third = repository.measured("Repair f7")
    code, document = checked(capsys, "--all")
    assert edges(document) == [(first, second, 1), (second, third, 1)]
    assert code == 0
    assert main(["check", "--all"]) == 0
    text = capsys.readouterr().out
    top, middle, last = (text.index(f"* {sha[:12]}: ") for sha in (third, second, first))
    assert top < text.index(" f7 ", top) < middle < text.index(" f7 ", middle) < last
    assert "no ancestor has shop" in text
    assert "NoChange" not in text
    assert main(["check", "--all", "-v"]) == 0
    assert ": NoChange " in capsys.readouterr().out


def test_each_workload_has_its_own_baseline(repository: Repository, capsys: Capture) -> None:
    one = repository.measured("Both", "a")
    repository.measure(one, "b")
    two = repository.measured("Only a", "a")
    top = repository.measured("Both again", "a")
    repository.measure(top, "b")
    repository.measure(top, "c")
    _, document = checked(capsys)
    assert edges(document) == [(two, top, 1), (one, top, 2)]
    assert document["first"] == [{"commit": top, "workload": "c"}]


def test_check_without_stored_profiles(repository: Repository, capsys: Capture) -> None:
    repository.measured("Start")
    top = repository.measured("Make f7 slow", f7=1.8)
    whole = checked(capsys, "--strategy", "eto")[1]
    assert main(["store", "prune", "--profiles", "0"]) == 0
    rest = checked(capsys, "--strategy", "eto")[1]
    assert kinds(rest, top, "f7") == kinds(whole, top, "f7") == {"SevereDegradation"}


def test_check_of_benchmark_results(repository: Repository, capsys: Capture) -> None:
    place = repository.folder / "bench.json"
    for title, factor in (("Start", 1.0), ("Slower", 1.5)):
        sha = repository.commit(title)
        times = {name: [0.1 + n * 0.001 for n in range(6)] for name in ("fast", "slow")}
        times["slow"] = [one * factor for one in times["slow"]]
        results = [{"command": name, "median": one[0], "times": one} for name, one in times.items()]
        place.write_text(json.dumps({"results": results}))
        assert main(["store", "add", str(place), "--commit", sha]) == 0
    _, document = checked(capsys, "--strategy", "tot")
    assert kinds(document, sha, "total")
    workloads = only_report(document)["workloads"]
    totals = {one["name"]: one["metrics"][0]["total"]["relative"] for one in workloads}
    assert totals == {"fast": pytest.approx(0.0), "slow": pytest.approx(0.5)}


def test_compare_by_commit_and_workload(repository: Repository, capsys: Capture, tmp_path: Path) -> None:
    repository.measured("Start")
    repository.measured("Make f7 slow", f7=1.8)
    capsys.readouterr()
    assert main(["compare", "HEAD~1:shop", "HEAD:", "--format", "json"]) == 0
    stored = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in stored["workloads"]] == ["shop"]
    file = tmp_path / "shop.folded"
    file.write_text("main;step1;f7 900\nmain 19000\n")
    assert main(["compare", "main~1:shop", str(file), "--format", "json"]) in {0, 3}
    assert main(["compare", "HEAD:nothing", "HEAD:"]) == 2
    assert "known are shop" in capsys.readouterr().err
    assert main(["compare", "nowhere:shop", "HEAD:"]) == 2
    assert "names no commit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["check"], "contains no history"),
        (["store", "list"], "contains no history"),
        (["store", "prune"], "contains no history"),
        (["trends"], "contains no history"),
        (["store", "export", "out.parquet"], "contains no history"),
        (["store", "add", "nowhere"], "nowhere"),
        (["compare", "HEAD:shop", "HEAD:shop"], "contains no history"),
        (["store", "prune", "--runs", "few"], "--runs: 'few' is not a whole number"),
    ],
)
def test_missing_history_is_an_error(
    repository: Repository, capsys: Capture, words: Sequence[str], message: str
) -> None:
    repository.commit("Start")
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert not (repository.folder / ".profgate").exists()


def test_compare_with_noise_of_history(repository: Repository, capsys: Capture, tmp_path: Path) -> None:
    for number in range(4):
        repository.measured(f"Steady {number}")
    for side in ("before", "after"):
        (tmp_path / side).mkdir()
        (tmp_path / side / "shop.folded").write_text("".join(f"main;step{n % 3};f{n} {400 + n}\n" for n in range(30)))
    sides = [str(tmp_path / side / "shop.folded") for side in ("before", "after")]

    def noise(*words: str) -> int:
        capsys.readouterr()
        main(["compare", *sides, "--format", "json", *words])
        (workload,) = json.loads(capsys.readouterr().out)["workloads"]
        return int(workload["metrics"][0]["runs"]["noise"])

    assert (noise(), noise("--history", ".profgate")) == (0, 12)


def test_commit_without_measurement(repository: Repository, capsys: Capture) -> None:
    repository.measured("Start")
    repository.commit("Not measured")
    assert main(["check"]) == 2
    assert "nothing was measured at this commit" in capsys.readouterr().err
    assert main(["check", "--all"]) == 3
    assert main(["check", "no-such-branch"]) == 2
    capsys.readouterr()
    assert main(["check", "--", "--output=stolen"]) == 2
    assert "names no commit" in capsys.readouterr().err


def test_store_list_and_merge(repository: Repository, capsys: Capture, tmp_path: Path) -> None:
    sha = repository.measured("Start")
    capsys.readouterr()
    other = str(tmp_path / "other")
    file = str(tmp_path / ".profgate" / "history.sqlite")
    assert main(["store", "merge", file, "--history", other]) == 0
    assert "3 readings added" in capsys.readouterr().out
    assert main(["store", "merge", file, "--history", other]) == 0
    assert "0 readings added" in capsys.readouterr().out
    assert main(["store", "list", "--history", other]) == 0
    assert capsys.readouterr().out == f"{sha[:12]}  1 workload  Start\n"


def test_export_has_a_row_for_each_function(repository: Repository, capsys: Capture) -> None:
    duckdb = pytest.importorskip("duckdb", reason="the package duckdb is not installed")
    pytest.importorskip("pyarrow", reason="the package pyarrow is not installed")
    shas = [repository.measured("Start", runs=1), repository.measured("Make f7 slow", runs=1, f7=1.8)]
    assert main(["store", "export", "history.parquet"]) == 0
    assert "rows written" in capsys.readouterr().out
    page = Path(__file__).parents[2] / "docs/how-to/query-history.md"
    (query,) = re.findall(r"```sql\n(.+?)```", page.read_text(), re.DOTALL)
    rows = duckdb.sql(query.replace("'api'", "'shop'")).fetchall()
    assert {(name, commit) for name, commit, _ in rows} >= {("f7", sha) for sha in shas}
    exported = duckdb.read_parquet("history.parquet")
    columns = "title, workload, metric, unit, file, calls, job"
    assert exported.filter("function = 'f7'").project(columns).order("title").fetchall() == [
        (title, "shop", "samples", "samples", None, None, "") for title in ("Make f7 slow", "Start")
    ]
    sums = exported.aggregate("commit, any_value(sum), sum(self)").fetchall()
    assert [total for _, total, _ in sums] == [parts for *_, parts in sums]


def test_export_without_pyarrow_is_an_error(
    repository: Repository, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.measured("Start", runs=1)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert main(["store", "export", "history.parquet"]) == 2
    assert "profgate[parquet]" in capsys.readouterr().err


def test_trends_are_reported_once(repository: Repository, capsys: Capture) -> None:
    steady = [repository.commit(f"Steady {number}") for number in range(9)]
    slow = [repository.commit(f"Slow {number}") for number in range(9)]
    place = repository.folder / "bench.json"
    for number, sha in enumerate([*steady, *slow]):
        times = [0.1 * (1.3 if sha in slow else 1.0) * (1 + 0.002 * ((number * 7 + run) % 5)) for run in range(3)]
        place.write_text(json.dumps({"results": [{"command": "search", "median": times[0], "times": times}]}))
        assert main(["store", "add", str(place), "--commit", sha]) == 0
    capsys.readouterr()
    assert main(["trends"]) == 0
    text = capsys.readouterr().out
    assert f"since {slow[0][:12]} (Slow 0)" in text
    assert "+30" in text
    assert main(["trends", "--new", "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [(one["commit"], one["new"]) for one in document["trends"]] == [(slow[0], True)]
    assert main(["trends", "--new"]) == 0
    assert "no persistent change that was not reported before" in capsys.readouterr().out


def test_last_limits_the_commits(repository: Repository, capsys: Capture) -> None:
    shas = [repository.measured(f"Change {number}", runs=1) for number in range(4)]
    _, document = checked(capsys, "--all", "--last", "2")
    assert edges(document) == [(shas[1], shas[2], 1), (shas[2], shas[3], 1)]
    assert document["further"] == 2
    for words in (["check", "--all", "--last", "2"], ["trends", "--last", "3"], ["check", "--all"], ["trends"]):
        assert main(words) == 0
        assert (" of 4 " in capsys.readouterr().out) == ("--last" in words)
    assert main(["trends", "--last", "0"]) == 2


def test_check_since_release_adds_up_the_changes(repository: Repository, capsys: Capture) -> None:
    for number in range(3):
        repository.measured(f"Steady {number}")
    assert main(["check", "--since", "last-release"]) == 2
    assert "last-release: names no commit" in capsys.readouterr().err
    for tag in ("v1.2", "v1.3-rc1", "nightly"):
        repository.git("tag", tag)
    for number in range(2):
        repository.measured(f"Make f2{number} slow (#{number + 7})", f20=1.9, f21=1.0 + number)
    capsys.readouterr()
    assert main(["check", "--since", "last-release"]) == 3
    assert "5 measured commits" in capsys.readouterr().out
    repository.measured("Nothing", f20=1.9, f21=2.0)
    capsys.readouterr()
    assert main(["check", "--since", "last-release"]) == 1
    out = capsys.readouterr().out
    assert re.search(r"FAILED  Total \+[78].\d % since v1.2 \(limit 5%\): #8 \+[34].\d %, #7 \+[34].\d %", out)
    (repository.folder / "policy.yml").write_text("gate:\n  drift: {fail-on: 20%}\n")
    assert main(["check", "--since", "HEAD~5", "--config", "policy.yml", "--format", "json"]) == 0
    (metric,) = json.loads(capsys.readouterr().out)["workloads"][0]["metrics"]
    assert metric["drift"] == {"fail_on": "20%", "since": "HEAD~5"}
