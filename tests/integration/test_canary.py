"""Work that is planted in a function must fail the gate; a broken workflow is one in which it does not."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from action_stage import BASE_RUNS, BOTH, Stage, both_builds, profiles
from measured_repository import committed
from profgate.__main__ import main
from profgate.action.github.artifact_service import zip_files
from profgate.io.files import write_bytes
from profgate.model.record import replace
from slow_cases import quick_first

Files = Mapping[str, bytes]
Result = str | None  # how GitHub shows that the required check ended
SOURCE = "def parse(text):\n    return text.split()\n\n\ndef render(rows):\n    return str(rows)\n"
PARSE, RENDER = "parse (shop.py:1)", "render (shop.py:5)"
COSTS = {PARSE: 14_000, RENDER: 31_000, "store (lib/store.py:1)": 20_000, "log (lib/log.py:1)": 2_000}
PLANTED = COSTS | {PARSE: 14_000 + 8_040}  # +12 % of the run
WORKLOADS = ("api", "batch")


def both(seed: int, costs: Mapping[str, int] = COSTS) -> dict[str, bytes]:
    return {**profiles(costs, seed), **profiles(costs, 50 + seed, "batch")}


class Canary:
    """A canary pull request: the planted source, and the commands in a checkout of it."""

    def __init__(self, stage: Stage, place: Path) -> None:
        self.stage, self.top = stage, committed(place / "checkout", {"shop.py": SOURCE})
        for name, data in both(1).items():
            write_bytes(str(place / "baseline" / name), data)
        self.baseline, self.plan = str(place / "baseline"), str(place / "canary.json")

    def open(self, shards: int = 1) -> None:
        assert main(["canary", "plant", *[self.baseline] * shards, "--output", self.plan]) == 0
        commit = self.stage.fake.state.commits[self.stage.base]
        files = {**commit.files, "shop.py": SOURCE.encode()}
        self.stage.fake.state.commits[self.stage.base] = replace(commit, files=files)
        self.stage.open_pull(files={"shop.py": (self.top / "shop.py").read_bytes()})

    def check(self, result: Result) -> int:
        report = self.stage.workspace / "profgate-report" / "report.json"
        comment = self.stage.workspace / "comments.md"
        comment.write_text("\n".join(self.stage.comments))
        command = ["canary", "check", str(report), "--canary", self.plan, "--comment", str(comment)]
        return main([*command, "--result", result or "none"])


@pytest.fixture
def canary(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Canary:
    made = Canary(stage, tmp_path)
    monkeypatch.chdir(made.top)
    return made


def shown(code: int) -> Result:
    return "failure" if code else "success"


def jobs(stage: Stage, files: Files, ended: str = "", **inputs: str) -> Result:
    """The jobs of pull-request.yml: one records and compares, the required one merges and comments."""
    stage.start_pull_run()
    code = 1 if ended == "skipped" else stage.step(files, mode="shard", **inputs)
    code = stage.step({}, mode="merge", **{"shards-result": ended or ("failure" if code else "success")})
    return shown(stage.finish(code))


def planted(ended: str = "", **inputs: str) -> Callable[[Stage], Result]:
    return lambda stage: jobs(stage, both(77, PLANTED), ended, **inputs)


def recorded(files: Files) -> Callable[[Stage], Result]:
    return lambda stage: jobs(stage, files)


def in_one_job(stage: Stage) -> Result:
    return shown(stage.compare(both(77, PLANTED)))


def shards(stage: Stage, *systems: str) -> Result:
    stage.copy_baselines("linux", "macos")
    return shown(stage.matrix({system: both(77, PLANTED) for system in systems}))


def two_builds(stage: Stage) -> Result:
    stage.set_policy("gate: {own-baseline: true}")
    stage.open_pull(files={"shop.py": stage.fake.state.commits[stage.head].files["shop.py"]})
    stage.start_pull_run()
    files = both_builds(both(77, PLANTED), both(78))
    code = stage.step(files, mode="shard", interleaved="true", **BOTH)
    return shown(stage.finish(stage.step({}, mode="merge", **{"shards-result": shown(code) or ""})))


def swallowed(stage: Stage) -> Result:
    jobs(stage, both(77, PLANTED))
    return "success"  # profgate ... | tee log


def expired(stage: Stage) -> Result:
    artifacts = stage.fake.state.artifacts
    artifacts |= {number: replace(one, expired=True) for number, one in artifacts.items()}
    return jobs(stage, both(77, PLANTED))


def never_fails(stage: Stage) -> Result:
    stage.set_policy("gate: {fail-on: never}")
    return jobs(stage, both(77, PLANTED))


def other_branch(stage: Stage) -> Result:
    """The workflow of the base branch records only pushes to another branch."""
    runs = stage.fake.state.runs
    runs |= {number: replace(run, head_branch="master") for number, run in runs.items()}
    return jobs(stage, both(77, PLANTED))


def one_run(stage: Stage) -> Result:
    """The base branch stored one run, too."""
    runs = [run for run in stage.fake.state.runs.values() if run.head_sha != stage.base]
    for artifact in [one for one in stage.fake.state.artifacts.values() if one.run_id in {run.id for run in runs}]:
        del stage.fake.state.artifacts[artifact.id]
    return jobs(stage, {name: data for name, data in both(77, PLANTED).items() if "/1." in name})


def silent(stage: Stage) -> Result:
    stage.inputs["comment"] = "never"
    return jobs(stage, both(77, PLANTED))


def merged_first(stage: Stage) -> Result:
    stage.start_pull_run()
    return shown(stage.finish(stage.step({}, mode="merge", **{"shards-result": "success"})))


def thinned(costs: Mapping[str, int]) -> dict[str, int]:
    return {name: cost // 100 for name, cost in costs.items()}


BROKEN: dict[str, Callable[[Stage], Result]] = {
    "status swallowed by a pipe": swallowed,
    "empty profile": recorded(dict.fromkeys(both(77), b"")),
    "wrong glob": planted(profiles="results/**"),
    "skipped step": planted(ended="skipped"),
    "baseline of another workload": recorded(profiles(PLANTED, 77, "apis")),
    "expired artifact": expired,
    "fail-on: never": never_fails,
    "sampling at 10 Hz": recorded(both(77, thinned(PLANTED))),
    "one run a side": one_run,
    "wrong branch": other_branch,
    "lost shard": lambda stage: shards(stage, "linux"),
    "merge without needs": merged_first,
    "comment: never": silent,
    "work in another checkout": recorded(both(77)),
    "another function is red": recorded(both(77, COSTS | {RENDER: 90_000})),
}
INTACT: dict[str, Callable[[Stage], Result]] = {
    "two jobs": planted(),
    "one job": in_one_job,
    "shards": lambda stage: shards(stage, "linux", "macos"),
    "two builds": two_builds,
}


@pytest.mark.parametrize("name", quick_first(BROKEN, 3))
def test_broken_workflow_does_not_pass(canary: Canary, name: str) -> None:
    canary.stage.push_jobs(BASE_RUNS, both)
    canary.open(2 if "shard" in name else 1)
    assert canary.check(BROKEN[name](canary.stage)) > 0


@pytest.mark.parametrize("name", quick_first(INTACT, 1))
def test_intact_workflow_passes(canary: Canary, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    canary.stage.push_jobs(BASE_RUNS, both)
    times = 2 if "shard" in name else 1
    canary.open(times)
    plan = {"function": "parse", "file": "shop.py", "size": 0.12, "workloads": [*WORKLOADS] * times, "caught": ""}
    assert json.loads(Path(canary.plan).read_text()) == plan
    assert canary.check(INTACT[name](canary.stage)) == 0, capsys.readouterr().out


def stored_proof(stage: Stage, data: bytes, event: str = "schedule", branch: str = "main", **place: object) -> None:
    stage.fake.start_run(stage.base, event=event, branch=branch, path=".github/workflows/canary.yml", **place)
    stage.fake.finish_run()
    stage.fake.add_artifact(max(stage.fake.state.runs), "profgate-default-canary", zip_files({"canary.json": data}))


PLAN = b'{"function": "parse`|<b>", "file": "shop.py", "size": 0.12, "workloads": ["api"]}'
PROOF = "Last proof: +12.0 % of the run in ``parse`|<b>`` was caught on 2026-"


def test_report_states_the_last_proof(stage: Stage) -> None:
    stage.push_jobs(BASE_RUNS, both)
    stored_proof(stage, PLAN.replace(b"parse", b"older"))
    stored_proof(stage, PLAN)
    stage.open_pull()
    for act in (in_one_job, planted()):
        assert act(stage) == "failure"
        assert PROOF in stage.comments[0].replace("\N{NO-BREAK SPACE}", " ")
        assert stage.report["proof"]["size"] == 0.12


@pytest.mark.parametrize(
    "forged",
    [
        lambda stage: stored_proof(stage, PLAN, "pull_request", "feature"),
        lambda stage: stored_proof(stage, PLAN, "pull_request", repository="mallory/shop", repository_id=666),
        lambda stage: stored_proof(stage, PLAN.replace(b"0.12", b"-1")),
        lambda stage: stored_proof(stage, PLAN[:-9]),
    ],
)
def test_pull_request_cannot_forge_a_proof(stage: Stage, forged: Callable[[Stage], None]) -> None:
    stage.push_jobs(BASE_RUNS, both)
    stage.open_pull()
    forged(stage)
    assert planted()(stage) == "failure"
    assert "Last proof" not in stage.comments[0]
    assert "proof" not in stage.report
