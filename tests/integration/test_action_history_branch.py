"""The history in a branch of one commit: base runs replace it, nobody's readings are lost, pull requests only read."""

import itertools
import json
import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from action_stage import ARTIFACT, SHARES, SLOWER, Stage, profiles
from fake_github.state import Commit
from history_samples import reading
from profgate.action import stored_history
from profgate.history.history_store import open_history

BRANCH = "profgate-history"
FILE = "history.sqlite"
WRITES = {"POST", "PATCH", "PUT", "DELETE"}


@pytest.fixture
def keeping(stage: Stage) -> Stage:
    stage.inputs["history"] = "branch"
    stage.fake.state.permissions["contents"] = "write"
    return stage


def head_of(stage: Stage, branch: str = BRANCH) -> Commit:
    return stage.fake.state.commits[stage.fake.state.branches[branch]]


def measured(stage: Stage, folder: Path, branch: str = BRANCH) -> set[str]:
    """The commits with readings in the branch."""
    (folder / "read.sqlite").write_bytes(head_of(stage, branch).files[FILE])
    connection = sqlite3.connect(folder / "read.sqlite")
    rows = connection.execute("SELECT DISTINCT sha FROM readings JOIN commits ON commits.id = revision").fetchall()
    connection.close()
    return {row[0] for row in rows}


def artifacts(stage: Stage) -> list[str]:
    return [one.name for one in stage.fake.state.artifacts.values() if one.name.endswith("-history")]


def noise_of(stage: Stage) -> int:
    return int(json.loads(stage.file("report.json"))["workloads"][0]["metrics"][0]["runs"]["noise"])


def test_base_run_replaces_the_only_commit(keeping: Stage, tmp_path: Path) -> None:
    commits = [keeping.push(profiles(seed=1))]
    assert measured(keeping, tmp_path) == {*commits}
    commits += [keeping.push(profiles(seed=number)) for number in range(2, 10)]
    assert measured(keeping, tmp_path) == {*commits}
    assert (head_of(keeping).parents, {*head_of(keeping).files}) == ((), {FILE})
    assert not artifacts(keeping)
    last = head_of(keeping).sha
    keeping.open_pull()
    assert keeping.compare(profiles(SLOWER, 77)) == 1
    assert noise_of(keeping) == 40
    assert "history: 8 measured commits" in keeping.log
    assert not [one for one in keeping.requests if "/git/" in one.path and one.method in WRITES]
    assert head_of(keeping).sha == last


@pytest.mark.slow
def test_fork_reads_the_history_branch(keeping: Stage) -> None:
    for number in range(1, 4):
        keeping.push(profiles(seed=number))
    last = head_of(keeping).sha
    keeping.fake.read_only()
    keeping.open_pull(fork=True)
    assert keeping.compare(profiles(SHARES, 77)) == 0
    assert "history: 2 measured commits" in keeping.log
    assert head_of(keeping).sha == last


def test_another_key_has_another_branch(keeping: Stage, tmp_path: Path) -> None:
    keeping.push(profiles(seed=1))
    keeping.inputs |= {"key": "api-3.12", "artifact": ARTIFACT}
    second = keeping.push(profiles(seed=2))
    assert measured(keeping, tmp_path, f"{BRANCH}-api-3.12") == {second}
    assert second not in measured(keeping, tmp_path)


def test_two_runs_at_once_lose_nothing(keeping: Stage, tmp_path: Path) -> None:
    first = keeping.push(profiles(seed=1))
    commits = [keeping.fake.add_commit(parents=[first], branch="main") for _ in range(2)]
    runs = [keeping.fake.start_run(sha) for sha in commits]
    keeping.fake.let_meet("POST", "/git/commits")  # both have read the branch by then
    with ThreadPoolExecutor(2) as pool:
        done = [
            pool.submit(
                keeping.run,
                "push",
                profiles(seed=run),
                {"GITHUB_SHA": sha, "GITHUB_REF": "refs/heads/main", "GITHUB_RUN_ID": str(run)},
                {},
            )
            for sha, run in zip(commits, runs, strict=True)
        ]
        assert [one.result(timeout=120) for one in done] == [0, 0]
    assert measured(keeping, tmp_path) == {first, *commits}
    assert keeping.fake.count("POST", "/git/commits") == 1 + 3  # one of the two wrote twice
    assert head_of(keeping).parents == ()


def rival(stage: Stage, folder: Path) -> Callable[[], object]:
    """Another base run that moves the branch on to a history with one more commit of its own."""
    numbers = itertools.count()

    def moves() -> None:
        name = f"rival-{next(numbers)}"
        before = head_of(stage).files[FILE]
        place = folder / name
        place.mkdir()
        (place / FILE).write_bytes(before)
        with open_history(str(place), write=True) as store:
            store.add([reading("main;f 7\n", name)])
        stage.fake.add_commit(branch=BRANCH, files={FILE: (place / FILE).read_bytes()})

    return moves


@pytest.mark.parametrize("lost", [1, 2])
def test_lost_race_merges_the_other_history(keeping: Stage, tmp_path: Path, lost: int) -> None:
    first = keeping.push(profiles(seed=1))
    keeping.fake.meanwhile("POST", "/graphql", rival(keeping, tmp_path), lost)
    second = keeping.push(profiles(seed=2))
    assert measured(keeping, tmp_path) == {first, second, *(f"rival-{number}" for number in range(lost))}
    assert not artifacts(keeping)
    assert "::warning" not in keeping.log


def test_three_lost_races_store_an_artifact(keeping: Stage, tmp_path: Path) -> None:
    first = keeping.push(profiles(seed=1))
    keeping.fake.meanwhile("POST", "/graphql", rival(keeping, tmp_path), 3)
    second = keeping.push(profiles(seed=2))
    assert "other runs moved it 3 times meanwhile" in keeping.log
    rivals = {f"rival-{number}" for number in range(3)}
    assert measured(keeping, tmp_path) == {first, *rivals}  # nobody's work was overwritten
    assert artifacts(keeping) == [f"{ARTIFACT}-history"]
    third = keeping.push(profiles(seed=3))
    assert measured(keeping, tmp_path) == {first, second, third, *rivals}


def test_refused_branch_update_is_reported(keeping: Stage, tmp_path: Path) -> None:
    first = keeping.push(profiles(seed=1))
    failure = {"type": "FORBIDDEN", "path": ["updateRefs"], "message": "Resource not accessible by integration"}
    refusal = json.dumps({"data": {"updateRefs": None}, "errors": [failure]}).encode()
    keeping.fake.fail("POST", "/graphql", 200, body=refusal)
    second = keeping.push(profiles(seed=2))
    assert "Resource not accessible by integration" in keeping.log
    assert measured(keeping, tmp_path) == {first}
    assert artifacts(keeping) == [f"{ARTIFACT}-history"]
    third = keeping.push(profiles(seed=3))
    assert measured(keeping, tmp_path) == {first, second, third}


def test_large_history_is_stored_as_artifact(keeping: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = keeping.push(profiles(seed=1))
    limit = len(head_of(keeping).files[FILE]) - 1
    monkeypatch.setattr(stored_history, "MAX_BYTES", limit)  # 50 MB would take minutes to fill
    del keeping.fake.state.branches[BRANCH]
    second = keeping.push(profiles(seed=2))
    assert f"more than the {limit:,} that a branch may hold" in keeping.log
    assert BRANCH not in keeping.fake.state.branches
    assert artifacts(keeping) == [f"{ARTIFACT}-history"]
    monkeypatch.undo()
    keeping.fake.state.permissions["contents"] = "write"
    third = keeping.push(profiles(seed=3))
    assert measured(keeping, tmp_path) == {second, third}
    assert first not in measured(keeping, tmp_path)  # its branch was taken away by this test


def test_lost_answer_is_not_a_race(keeping: Stage, tmp_path: Path) -> None:
    keeping.fake.fail("POST", "/graphql", stored=True)
    keeping.fake.fail("POST", "/git/blobs")
    first = keeping.push(profiles(seed=1))
    assert measured(keeping, tmp_path) == {first}
    assert keeping.fake.count("POST", "/git/commits") == 1
    assert "::warning" not in keeping.log


def test_missing_permission_stores_an_artifact(keeping: Stage, tmp_path: Path) -> None:
    first = keeping.push(profiles(seed=1))
    keeping.fake.state.permissions["contents"] = "read"
    second = keeping.push(profiles(seed=2))
    assert "contents: write" in keeping.log
    assert "stored as an artifact" in keeping.log
    assert artifacts(keeping) == [f"{ARTIFACT}-history"]
    assert measured(keeping, tmp_path) == {first}
    keeping.fake.state.permissions["contents"] = "write"
    third = keeping.push(profiles(seed=3))
    assert measured(keeping, tmp_path) == {first, second, third}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({FILE: b"no database at all"}, "is not a usable history"),
        ({FILE: bytes(50 * 2**20 + 1)}, "more than the 52,428,800 that are read"),
        ({"thesis.tex": b"ten years of work"}, f"contains no {FILE}"),
    ],
)
def test_foreign_branch_is_reported_and_unchanged(keeping: Stage, files: dict[str, bytes], message: str) -> None:
    theirs = keeping.fake.add_commit(branch=BRANCH, files=files)
    keeping.push(profiles(seed=1))
    assert message in keeping.log
    assert head_of(keeping).sha == theirs
    assert artifacts(keeping) == [f"{ARTIFACT}-history"]
    keeping.open_pull()
    assert keeping.compare(profiles(SLOWER, 77)) == 0
    assert "no history is used" in keeping.log
