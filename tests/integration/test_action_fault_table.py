"""Faults of GitHub and of the runner, in each mode: the verdict is right, or there is an error, but never a pass.

The container's entry point runs in processes of its own, with the variables that the runner gives to it.
"""

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from action_stage import ARTIFACT, SLOWER, WORKFLOW, Stage, profiles
from entry_process import EntryProcess
from fake_github import HANG, FakeGitHub
from fake_github.state import State
from two_commits import confirmed_in, pairs_take

# One process prepares the repository once; `test_action_faults.py` has quick tests.
pytestmark = pytest.mark.slow
ALWAYS = 10**6
RED = profiles(SLOWER, 77)
MODES = ("compare", "confirm", "merge", "fork")
CHANGED = {"at_once": 1, "clock": 0.0, "download_seconds": 900.0, "number_of_signal": 0, "attempt": 1}


class Runner(Stage):
    """A repository whose runs are processes. ``confirmed`` is what `profgate confirm` wrote."""

    process: EntryProcess
    confirmed: Mapping[str, bytes]
    at_once: int
    clock: float
    download_seconds: float
    number_of_signal: int

    def launch(self, environ: Mapping[str, str]) -> int:
        log = self.workspace / "log"
        environs = [self._own_files(environ, number) for number in range(self.at_once)]
        runs = self.process.start(environs, log, clock=self.clock, download_seconds=self.download_seconds)
        if self.number_of_signal:
            self._signal(runs[0])
        (code,) = set(self.process.codes())
        self.log = "".join(path.read_text() for path in sorted(self.workspace.glob("log-*")))
        assert "Traceback" not in self.log
        return code

    def _signal(self, run: int) -> None:
        """Send the signal when a request comes to the fault. A container that is killed ends with all its processes."""
        fault = self.fake.state.faults[-1]
        for _ in range(1000):
            if not fault.times:
                break
            time.sleep(0.01)
        else:
            raise AssertionError("no request came to the fault")
        children = Path(f"/proc/{run}/task/{run}/children").read_text().split()
        os.kill(run, self.number_of_signal)
        for child in children if self.number_of_signal == signal.SIGKILL else ():
            os.kill(int(child), signal.SIGKILL)

    @staticmethod
    def _own_files(environ: Mapping[str, str], number: int) -> Mapping[str, str]:
        if not number:
            return environ
        own = {name: f"{environ[name]}{number}" for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        return {**environ, **own, "INPUT_OUTPUT-DIR": f"profgate-report{number}"}

    def last_step(self, mode: str) -> int:
        """The step that publishes the verdict."""
        if mode == "compare":
            return self.step(RED)
        if mode == "confirm":
            return self.step(self.confirmed, mode="report", report="confirmed/report.json")
        if mode == "merge":
            return self.step({}, mode="merge", **{"shards-result": "success"})
        self.start_fork_comment()
        return self.fork_comment_step("failure")


class Prepared(NamedTuple):
    """The repository before the last step of a mode."""

    state: State
    places: dict[str, object]


@pytest.fixture(scope="module")
def process() -> Iterator[EntryProcess]:
    with EntryProcess() as process:
        yield process


@pytest.fixture(scope="module")
def server(process: EntryProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runner]:
    with FakeGitHub() as fake:
        runner = Runner(fake, tmp_path_factory.mktemp("faults"), None)  # type: ignore[arg-type] # output is in files
        runner.process = process
        vars(runner).update(CHANGED)
        yield runner


@pytest.fixture(scope="module")
def prepared(server: Runner) -> Mapping[str, Prepared]:
    runner, found = server, dict[str, Prepared]()
    runner.inputs["status"] = "true"
    runner.push_jobs()
    recorded = runner.fake.saved()
    for mode in MODES:
        runner.fake.restore(recorded)
        runner.open_pull(fork=mode == "fork")
        runner.start_pull_run()
        if mode == "confirm":
            assert runner.step(RED, comment="never", status="false") == 1
            runner.confirmed = confirmed(runner)
        elif mode == "merge":
            assert runner.step(RED, key="linux", artifact=ARTIFACT, mode="shard") == 0
        elif mode == "fork":
            runner.fake.read_only()
            assert runner.step(RED) == 1
            runner.fake.finish_run("failure")
            runner.fake.state.permissions = dict(recorded.permissions)
        names = ("base", "head", "number", "merge", "pull_run", "fork")
        found[mode] = Prepared(runner.fake.saved(), {name: getattr(runner, name) for name in names})
    return found


def confirmed(runner: Runner) -> dict[str, bytes]:
    with pytest.MonkeyPatch.context() as patch:
        pairs_take(patch, 10.0)
        out = confirmed_in(runner.folder / "second", runner.workspace / "profgate-report" / "report.json", SLOWER)
    return {f"../confirmed/{one.name}": one.read_bytes() for one in out.iterdir()}


@pytest.fixture
def runner(
    server: Runner, prepared: Mapping[str, Prepared], mode: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Runner]:
    """The repository before the last step of this mode, without a fault."""
    state, places = prepared[mode]
    server.fake.restore(state)
    for name, value in {**places, **CHANGED, "environ": {}, "inputs": dict(server.inputs)}.items():
        monkeypatch.setattr(server, name, value)
    for name in ("damage", "slow"):
        monkeypatch.setattr(server.fake.blobs, name, False)
    yield server
    assert server.fake.state.violations == []


Fault = Callable[[Runner], object]


def fails(status: int, *methods: str, path: str = "/repos/", **details: Any) -> Fault:
    def fault(runner: Runner) -> None:
        for method in methods or ("",):
            runner.fake.fail(method, path, status, **{"times": ALWAYS, **details})

    return fault


def limited(times: int = ALWAYS) -> Fault:
    return lambda runner: runner.fake.limit_rate(times=times)


def sets(**values: Any) -> Fault:
    return lambda runner: vars(runner).update(values)


def pull(**values: Any) -> Fault:
    return lambda runner: vars(runner.fake.state.pulls[runner.number]).update(values)


def storage(**values: bool) -> Fault:
    return lambda runner: vars(runner.fake.blobs).update(values)


def every(*faults: Fault) -> Fault:
    return lambda runner: [fault(runner) for fault in faults]


def expire(runner: Runner) -> None:
    artifacts = runner.fake.state.artifacts
    artifacts |= {number: replace(artifact, expired=True) for number, artifact in artifacts.items()}


def rename(name: str) -> Fault:
    """The repository gets another name while the run goes on, which knows the former one."""

    def fault(runner: Runner) -> None:
        former = runner.fake.state.repository
        runner.environ = {"GITHUB_REPOSITORY": former, "GITHUB_WORKFLOW_REF": f"{former}/{WORKFLOW}@refs/heads/main"}
        runner.fake.rename(name)

    return fault


def meet(runner: Runner) -> None:
    runner.at_once = 2
    runner.fake.let_meet("POST", f"/issues/{runner.number}/comments")


def force_push(runner: Runner) -> None:
    runner.fake.add_commit(branch="main", files={"another": b"history"})


FULL = b'{"msg": "insufficient usage to create artifact"}'
ARCHIVED = "Repository was archived so is read-only."
WRITES = ("POST", "PATCH")


class Outcome(NamedTuple):
    """The exit code, the state of the commit status, if there is one, and the number of comments."""

    code: int
    state: str | None
    comments: int


RIGHT = Outcome(1, "failure", 1)
UNPUBLISHED = Outcome(1, None, 0)  # the job has failed
UNREACHABLE = Outcome(2, None, 0)
ERROR = Outcome(2, "error", 0)
WITHOUT_COMMENT = Outcome(1, "failure", 0)
UNREPORTED = Outcome(0, None, 0)  # no status is written, so that a required one is missing
LOST = {"compare": RIGHT, "confirm": RIGHT, "merge": ERROR, "fork": ERROR}  # confirm reads no artifact
TABLE: dict[str, tuple[Fault, Outcome | Mapping[str, Outcome]]] = {
    "no fault": (sets(), RIGHT),
    "endless 500": (fails(500), UNREACHABLE),
    "endless 500 of writes": (fails(500, *WRITES), UNPUBLISHED),
    "429 for an hour": (fails(429, headers={"Retry-After": "3600"}), UNREACHABLE),
    "429 of writes": (fails(429, *WRITES), UNPUBLISHED),
    "two secondary limits": (limited(2), RIGHT),
    "secondary limit": (limited(), UNREACHABLE),
    "truncated downloads": (storage(damage=True), LOST),
    "slow downloads": (every(storage(slow=True), sets(download_seconds=0.2)), LOST),
    "all artifacts expired": (expire, LOST),
    "two runs at once": (meet, RIGHT),
    "clock 10 minutes slow": (sets(clock=-600), RIGHT),
    "clock 10 minutes fast": (sets(clock=600), RIGHT),
    "pull request closed": (pull(state="closed"), {**dict.fromkeys(MODES, WITHOUT_COMMENT), "fork": UNREPORTED}),
    "head branch deleted": (
        every(pull(state="closed"), fails(404, "GET", path="/git/trees/")),
        {**dict.fromkeys(MODES, WITHOUT_COMMENT), "fork": UNREPORTED},
    ),
    "fork deleted": (pull(head_repository_id=None), {"fork": UNREPORTED}),
    "base force-pushed": (force_push, RIGHT),
    "repository renamed": (rename("octo-org/store"), RIGHT),
    "repository transferred": (rename("new-org/shop"), RIGHT),
    "repository archived": (fails(403, *WRITES, message=ARCHIVED), UNPUBLISHED),
    "artifact storage full": (fails(403, "POST", path="/CreateArtifact", body=FULL), RIGHT),
}
CASES = [
    (name, mode, outcomes if isinstance(outcomes, Outcome) else outcomes[mode])
    for name, (_, outcomes) in TABLE.items()
    for mode in MODES
    if isinstance(outcomes, Outcome) or mode in outcomes
]


@pytest.mark.parametrize(("name", "mode", "outcome"), CASES)
def test_fault_never_passes(runner: Runner, name: str, mode: str, outcome: Outcome) -> None:
    TABLE[name][0](runner)
    runner.inputs["on-not-compared"] = "fail"  # the default does not fail if all baselines have expired
    code = runner.last_step(mode)
    statuses = [status["state"] for status in runner.fake.state.statuses]
    state = statuses[-1] if statuses else None
    assert (code, state, len(runner.comments)) == _in_mode(outcome, mode), runner.log
    assert "success" not in statuses
    assert runner.outputs["conclusion"] in {"fail", "not_compared"}
    assert (runner.workspace / "summary.md").exists() == (outcome is not UNREPORTED)


def _in_mode(outcome: Outcome, mode: str) -> Outcome:
    """In the fork comment workflow, the status is the result, and the exit code is 0 if it could be written."""
    return outcome._replace(code=0) if mode == "fork" and outcome.state == "failure" else outcome


STAGES = {
    "compare": [
        ("GET", "/contents/", False),
        ("GET", "/zip", False),
        ("GET", "/download/", False),
        ("POST", "/CreateArtifact", True),
        ("PUT", "/upload/", False),
    ],
    "merge": [("GET", "/download/", False), ("PUT", "/upload/", False)],
    "confirm": [("POST", "/FinalizeArtifact", True)],
    "fork": [("GET", "/contents/", False), ("GET", "/download/", False), ("PUT", "/upload/", False)],
}
PUBLISHING = [("POST", path, stored) for path in ("/issues/1/comments", "/statuses/") for stored in (False, True)]


ENDINGS = [  # the signals take turns in all modes but the first
    (mode, *stage, sent)
    for mode, stages in STAGES.items()
    for number, stage in enumerate((*stages, *PUBLISHING))
    for place, sent in enumerate((signal.SIGTERM, signal.SIGKILL))
    if mode == "compare" or number % 2 == place
]


@pytest.mark.parametrize(("mode", "method", "path", "stored", "sent"), ENDINGS)
def test_rerun_of_an_ended_run_leaves_one_comment(
    runner: Runner, mode: str, method: str, path: str, stored: bool, sent: signal.Signals
) -> None:
    runner.fake.fail(method, path, HANG, stored=stored)
    runner.number_of_signal = sent
    assert runner.last_step(mode) == (128 + sent if sent == signal.SIGTERM else -sent)
    assert len(runner.comments) == ("statuses" in path or (stored and "comments" in path))
    assert {status["state"] for status in runner.fake.state.statuses} <= {"failure"}
    if sent == signal.SIGTERM and method == "POST":
        assert runner.report["verdict"]["conclusion"] == "fail"
        assert "ended before it published its result" in runner.summary
    runner.start_again()
    runner.number_of_signal = 0
    assert runner.last_step(mode) == _in_mode(RIGHT, mode).code
    assert len(runner.comments) == 1
    assert {status["state"] for status in runner.fake.state.statuses} == {"failure"}


@pytest.mark.parametrize("mode", ["compare"])
def test_shard_that_stores_no_report_fails(runner: Runner) -> None:
    fails(403, "POST", path="/CreateArtifact", body=FULL)(runner)
    assert runner.step(RED, key="linux", mode="shard") == 2
