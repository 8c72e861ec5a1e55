"""A pull request that leaves something out does not pass where the base branch requires it."""

from collections.abc import Mapping

import pytest

from action_stage import BASE_RUNS, BOTH, SHARES, SLOWER, Stage, both_builds, folded, profiles
from fake_github.state import ALL_PERMISSIONS
from profgate.action.github.client import GitHubClient
from profgate.model.record import replace
from slow_cases import quick_first

POLICY = ".github/profgate.yml"
FAR_SLOWER = {name: 10 * value for name, value in SHARES.items()}
MANY = {f"step{place}": 4000 for place in range(8)}


def required(stage: Stage, text: str = 'required: ["*"]', **shares: int) -> None:
    """A base branch with a policy and two recorded workloads, and a pull request."""
    stage.push_jobs(BASE_RUNS, lambda seed: both(seed, shares or SHARES))
    commits = stage.fake.state.commits
    commits[stage.base] = replace(commits[stage.base], files={POLICY: b"gate: {%s}" % text.encode()})
    stage.open_pull()


def both(seed: int, shares: Mapping[str, int] = SHARES, workload: str = "api") -> dict[str, bytes]:
    return {**profiles(shares, seed, workload), **profiles(SHARES, 50 + seed, "batch")}


@pytest.mark.parametrize(
    "brought",
    quick_first(
        [
            both(77, workload="service"),
            both(77, SLOWER, workload=".api"),
            both(77, SLOWER, workload="old/api"),
            profiles(SHARES, 77, "batch"),
        ]
    ),
)
@pytest.mark.parametrize("text", ["required: [api]", "on-not-compared: fail"])
def test_workload_that_is_left_out_fails(stage: Stage, text: str, brought: dict[str, bytes]) -> None:
    required(stage, text)
    assert stage.compare(brought) == 1
    assert stage.outputs["conclusion"] == "not_compared"
    assert "/profgate accept api: REASON" in stage.comments[0]


COMMITTED = {"api/6.folded": folded(SHARES, 6)}


def committing(stage: Stage, place: str = "profiles/api/6.folded", *, fork: bool = False) -> None:
    """A pull request that commits a recording or, in the place of its folder, a link."""
    required(stage, "on-not-compared: fail")
    stage.open_pull(files={place: COMMITTED["api/6.folded"]}, fork=fork)


@pytest.mark.parametrize("place", ["profiles/api/6.folded", "profiles"])
@pytest.mark.parametrize("fork", [False, True])
def test_committed_profiles_are_not_compared(stage: Stage, place: str, fork: bool) -> None:
    committing(stage, place, fork=fork)
    assert stage.compare(both(77) | COMMITTED) == 1
    assert stage.outputs["conclusion"] == "not_compared"
    assert "the commit contains profiles/api/" in stage.summary.replace("\\", "")
    if fork:
        stage.inputs |= {"status": "true", "profiles": "other/**"}  # the manifest states the folder
        stage.fork_comment()
        assert stage.fake.state.statuses[-1]["state"] == "failure"


def test_committed_file_that_is_not_read_changes_nothing(stage: Stage) -> None:
    committing(stage, "profiles/api/old.folded")
    assert stage.compare(both(77)) == 0
    assert stage.outputs["conclusion"] == "pass"


@pytest.mark.parametrize("status", [422, 404])
@pytest.mark.parametrize("path", ["/pulls/2/files$", "/git/trees/"])
def test_unknown_files_are_not_compared(stage: Stage, status: int, path: str) -> None:
    committing(stage)
    assert stage.number == 2
    stage.fake.fail("GET", path, status, times=50)
    assert stage.compare(both(77) | COMMITTED) == 1
    assert stage.outputs["conclusion"] == "not_compared"


@pytest.mark.parametrize("entry", ["profiles/**/*.folded", "profiles/**/", "./profiles"])
def test_every_pattern_finds_committed_profiles(stage: Stage, entry: str) -> None:
    stage.inputs["profiles"] = entry
    committing(stage, "profiles/6.folded")
    assert stage.compare(both(77) | {"6.folded": COMMITTED["api/6.folded"]}) == 1
    assert stage.outputs["conclusion"] == "not_compared"


@pytest.mark.parametrize("event", ["merge_group", "push", "workflow_dispatch"])
@pytest.mark.parametrize("place", ["profiles/api/6.folded", "profiles/api/old.folded"])
def test_other_events_do_not_compare_committed_profiles(stage: Stage, event: str, place: str) -> None:
    committing(stage, place)
    if event == "merge_group":
        commit = stage.fake.add_commit(parents=[stage.base, stage.head], files={place: b"main 1"})
        code = stage.queued(both(77) | COMMITTED, commit)
    else:
        inputs = {"mode": "compare", "baseline-ref": stage.base}
        given: dict[str, object] = {"inputs": {}} if event == "workflow_dispatch" else {}
        code = stage.triggered(event, given, stage.head, files=both(77) | COMMITTED, inputs=inputs)
    assert code == (place == "profiles/api/6.folded")
    assert (stage.outputs["conclusion"] == "not_compared") is bool(code)


def test_committed_baseline_is_not_compared(stage: Stage) -> None:
    stage.base = stage.fake.add_commit(parents=[stage.base], branch="main", files={"README.md": b"a"})
    stage.open_pull(files={"profiles/base/api/6.folded": folded(SLOWER, 6)})
    stage.inputs |= BOTH
    built = both_builds(profiles(SLOWER, 77))
    stage.compare(built | {"base/api/6.folded": folded(SLOWER, 6)})
    assert stage.report["not_compared"][0]["reason"]["code"] == "committed_profiles"


@pytest.mark.parametrize(("place", "conclusion"), [("a.py", "pass"), ("profiles/a.py", "not_compared")])
def test_incomplete_list_of_files_needs_another_folder(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, place: str, conclusion: str
) -> None:
    committing(stage, place)
    listed = GitHubClient.files_of_commit
    monkeypatch.setattr(
        GitHubClient, "files_of_commit", lambda *given: replace(listed(*given), tree=(), truncated=True)
    )
    stage.compare(both(77))
    assert stage.outputs["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("text", "modes"),
    quick_first(
        [
            ("fail", ("compare", "merge", "fork")),
            ("", ("merge", "fork")),
            ("pass", ()),
            ("unreadable", ()),
            ("required: [api]", ("compare", "merge", "fork")),
        ],
        2,
    ),
)
@pytest.mark.parametrize("mode", ["compare", "merge", "fork"])
def test_expired_baselines_are_no_first_run(stage: Stage, mode: str, text: str, modes: tuple[str, ...]) -> None:
    stage.inputs["status"] = "true"
    policy = text if ":" in text or not text else f"on-not-compared: {text}"
    required(stage, policy)
    stage.open_pull(fork=mode == "fork")
    artifacts = stage.fake.state.artifacts
    artifacts |= {number: replace(one, expired=True) for number, one in artifacts.items()}
    stage.start_pull_run()
    code = stage.step(both(77, FAR_SLOWER), mode="shard" if mode == "merge" else "compare")
    if mode == "merge":
        code = stage.step({}, mode="merge", **{"shards-result": "success"})
    stage.finish(code)
    if mode == "fork":
        code = stage.fork_comment()
    expected = ("failure", int(mode != "fork")) if mode in modes else ("success", 0)
    assert (stage.fake.state.statuses[-1]["state"], code) == expected
    (comment,) = stage.comments
    assert "Not compared: artifact profgate-default of run" in comment
    assert "Run the workflow on the base branch again; it stores a new baseline." in comment


# What holds where no policy says anything


def test_forks_fail_when_something_is_left_out(stage: Stage) -> None:
    for seed in range(BASE_RUNS):
        stage.push(both(seed))
    stage.open_pull(fork=True)
    stage.fake.read_only()
    assert stage.compare(profiles(SHARES, 77, "batch")) == 0
    stage.fake.state.permissions = dict(ALL_PERMISSIONS)
    stage.fork_comment()
    assert stage.fake.state.statuses[-1]["state"] == "failure"


def test_shards_fail_when_something_is_left_out(stage: Stage) -> None:
    for seed in range(BASE_RUNS):
        stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
        stage.inputs |= {"key": "linux"}
        stage.record(both(seed))
    stage.inputs.pop("key")
    stage.open_pull()
    assert stage.matrix({"linux": profiles(SHARES, 77, "batch")}) == 1
    assert stage.outputs["conclusion"] == "not_compared"


@pytest.mark.parametrize(("text", "code"), [('required: ["*"]', 0), ("required: [api, batch]", 1)])
def test_shard_that_is_left_out_fails_by_name(stage: Stage, text: str, code: int) -> None:
    required(stage, text)
    stage.inputs["key"] = "linux"
    stage.record(profiles())
    del stage.inputs["key"]
    assert stage.matrix({"linux": profiles(SHARES, 77)}) == code


def runs_that_store_nothing(stage: Stage, number: int = 11) -> None:
    """More than the number of unusable runs after which the search for a baseline ends."""
    for _ in range(number):
        stage.base = stage.fake.add_commit(parents=[stage.base], branch="main")
        stage.fake.add_run(stage.base)


def test_claimed_first_run_is_checked(stage: Stage) -> None:
    stage.inputs["key"] = "linux"
    stage.push()
    del stage.inputs["key"]
    runs_that_store_nothing(stage)
    stage.open_pull()
    stage.start_pull_run()
    assert stage.step(profiles(SLOWER, 77), key="other", mode="shard") == 0
    assert stage.finish(stage.step({}, mode="merge", **{"shards-result": "success"})) == 1
    assert "First run" not in stage.comments[0]
    assert "Not compared" in stage.comments[0]
