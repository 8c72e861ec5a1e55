"""A repository with a workspace in which the action runs, against a GitHub of its own."""

import itertools
import json
import posixpath
import random
import shlex
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from fake_github import FakeGitHub
from fake_github.events import payload
from fake_github.state import State
from profgate.action import base_runs, compared_sides
from profgate.action.entry import main
from profgate.action.job import Pace
from profgate.model.levels import FEWEST_JOBS
from profgate.model.record import replace

QUICK = Pace(0, 0, 0, 0)
WORKFLOW = ".github/workflows/profgate.yml"
COMMENT_WORKFLOW = ".github/workflows/profgate-report.yml"
ARTIFACT = "profgate-default"
RELEASES = Path(__file__).parents[1] / "examples" / "workflows" / "release.yml"
SHARES = {"parse": 30_000, "render": 20_000, "store": 15_000, "log": 2_000}
SLOWER = SHARES | {"parse": 60_000}
BOTH_SLOWER = SLOWER | {"render": 40_000}
FASTER = SHARES | {"parse": 15_000}
BASE_RUNS = FEWEST_JOBS  # the fewest that can turn a pull request red
FILLED: dict[str, tuple[State, dict[str, Any]]] = {}  # repositories, and what changed in their stages


def folded(shares: Mapping[str, int], seed: int) -> bytes:
    """One run: sample counts that scatter as sampling does, in two contexts for each function."""
    chance = random.Random(seed)
    lines = []
    for name, mean in shares.items():
        count = max(1, round(chance.gauss(mean, mean**0.5)))
        lines += [f"main;serve;{name} {count // 2}", f"main;batch;{name} {count - count // 2}"]
    return ("\n".join(lines) + "\n").encode()


def profiles(shares: Mapping[str, int] = SHARES, seed: int = 0, workload: str = "api") -> dict[str, bytes]:
    """Five runs of one workload."""
    return {f"{workload}/{run}.folded": folded(shares, 1000 * seed + run) for run in range(1, 6)}


BOTH = {"profiles": "profiles/head/**", "baseline-profiles": "profiles/base/**"}  # inputs for both builds in a job


def both_builds(head: Mapping[str, bytes], base: Mapping[str, bytes] | None = None) -> dict[str, bytes]:
    sides = {"base": profiles(SHARES, 1) if base is None else base, "head": head}
    return {f"{side}/{name}": data for side, files in sides.items() for name, data in files.items()}


class Stage:
    """A repository with a workspace, in which the action runs."""

    def __init__(self, fake: FakeGitHub, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.fake, self.folder, self.capsys = fake, folder, capsys
        self.log, self.code = "", 0  # of the last run
        self.base_branch = "main"
        self.base = fake.add_commit(branch="main")
        self.inputs: dict[str, str] = {"token": fake.token}
        self.history = False  # its own tests store and read one, which takes time
        self.actor = "octocat"
        self.fork = False
        self.attempt = 1
        self.action = "synchronize"  # of the pull request
        self.pace = QUICK
        self.environ: dict[str, str] = {}  # of the machine
        self.start = ""  # of the pull request's branch
        self.description: str | None = None  # of the pull request
        self.stacked: dict[str, Any] = {}  # the base and the stack in the event of a stacked pull request
        self.links: dict[str, Path] = {}  # in the checkout
        self._workspaces = itertools.count(1)  # also when two runs start at once

    def push(self, files: Mapping[str, bytes] | None = None) -> str:
        """A new commit of the base branch, recorded by the action itself."""
        self.base = self.fake.add_commit(parents=[self.base], branch=self.base_branch)
        self.record(files or profiles(seed=len(self.fake.state.commits)))
        return self.base

    def push_jobs(
        self, number: int = BASE_RUNS, files: Callable[[int], Mapping[str, bytes] | None] = lambda _: None
    ) -> None:
        """Base jobs, by default the fewest that can turn a pull request red; ``files`` returns those of one job."""
        given = [files(place) for place in range(number)]
        self.filled(lambda: [self.push(each) for each in given], given)

    def filled(self, fill: Callable[[], object], *names: object) -> None:
        """Fill the repository, or restore what an earlier test of this process made of an equal one.

        The names stand for what ``fill`` does.
        """
        key = str(
            (self.fake.state, self.inputs, self.history, self.environ, self.base_branch, self.base, self.fork, names)
        )
        if key not in FILLED:
            before = vars(self).copy()
            fill()
            changed = {name: value for name, value in vars(self).items() if before.get(name) is not value}
            FILLED[key] = self.fake.saved(), changed
        else:
            saved, changed = FILLED[key]
            vars(self).update(changed)
            self.fake.restore(saved)

    def record(self, files: Mapping[str, bytes]) -> int:
        return self.triggered("push", {}, self.base, f"refs/heads/{self.base_branch}", files)

    def damage_baselines(self, *commits: str) -> None:
        """The stored baselines of these commits, or all, no longer have the bytes that were uploaded."""
        state = self.fake.state
        for number, artifact in state.artifacts.items():
            if artifact.name == ARTIFACT and state.runs[artifact.run_id].head_sha in (commits or state.commits):
                state.artifacts[number] = replace(artifact, data=artifact.data[:-1])

    def set_policy(self, text: str) -> None:
        """Let the base commit contain this policy."""
        commit = self.fake.state.commits[self.base]
        files = {**commit.files, ".github/profgate.yml": text.encode()}
        self.fake.state.commits[self.base] = replace(commit, files=files)

    def copy_baselines(self, *keys: str) -> None:
        """The base jobs have stored the same baselines for these keys, too."""
        for artifact in list(self.fake.state.artifacts.values()):
            for key in keys if artifact.name == ARTIFACT else ():
                self.fake.add_artifact(artifact.run_id, f"profgate-{key}", artifact.data)

    def open_pull(
        self, *, fork: bool = False, files: Mapping[str, bytes] | None = None, without: Iterable[str] = ()
    ) -> None:
        self.head = self.fake.add_commit(parents=[self.base], files=files, without=without)
        there = ("mallory/shop", 666) if fork else None
        self.number = self.fake.add_pull(self.head, self.base, fork=there, base_ref=self.base_branch)
        self.fork = fork

    def push_to_pull(self) -> None:
        self.head = self.fake.add_commit(parents=[self.head])
        self.fake.state.pulls[self.number].head_sha = self.head

    def compare(self, files: Mapping[str, bytes], *, base: str = "") -> int:
        """The action on the pull request, at a test merge of it."""
        self.start_pull_run(base)
        return self.finish(self.step(files))

    def matrix(self, shards: Mapping[str, Mapping[str, bytes]], ended: str = "success") -> int:
        """Shards of one run of the pull request, and the job that merges them; returns the latter's exit code."""
        self.start_pull_run()
        for key, files in shards.items():
            assert self.step(files, key=key, mode="shard") == 0, self.log
        return self.finish(self.step({}, mode="merge", **{"shards-result": ended}))

    def start_pull_run(self, base: str = "") -> None:
        before_it, after_it = (self.fake.state.commits[sha].files for sha in (self.base, self.head))
        self.merge = self.fake.add_commit(
            parents=[base or self.base, self.head],
            files={path: data for path, data in after_it.items() if before_it.get(path) != data},
            without=before_it.keys() - after_it.keys(),
        )
        self.pull_run = self.fake.start_run(self.head, event="pull_request", branch="feature", **self._head_place())
        self.before = len(self.fake.requests)

    def start_again(self) -> None:
        """Another attempt of the same run, as somebody asks for it."""
        self.attempt += 1
        runs = self.fake.state.runs
        runs[self.pull_run] = replace(runs[self.pull_run], attempt=self.attempt)

    def finish(self, code: int) -> int:
        self.requests = [one for one in self.fake.requests[self.before :] if "/twirp/" not in one.path]
        self.fake.finish_run()
        return code

    def step(self, files: Mapping[str, bytes], **inputs: str) -> int:
        """One use of the action in the pull request's run."""
        ours = self.fake.state.repository_id
        event = {
            "action": self.action,
            "number": self.number,
            "pull_request": {
                "number": self.number,
                "body": self.description,
                "draft": self.fake.state.pulls[self.number].draft,
                "head": {"sha": self.head, "ref": "feature", "repo": {"id": 666 if self.fork else ours}},
                "base": {"sha": self.base, "ref": self.base_branch, "repo": {"id": ours}},
                "user": {"login": "octocat"},
                **self.stacked,
            },
        }
        environ = {
            "GITHUB_SHA": self.merge,
            "GITHUB_REF": f"refs/pull/{self.number}/merge",
            "GITHUB_BASE_REF": self.base_branch,
        }
        return self.run("pull_request", files, environ | {"GITHUB_ACTOR": self.actor}, event, inputs)

    def start_fork_comment(self) -> None:
        self.fake.start_run(self.fake.state.branches["main"], event="workflow_run", path=COMMENT_WORKFLOW)
        self.before = len(self.fake.requests)

    def fork_comment(self, conclusion: str = "success", event: str = "pull_request") -> int:
        """The action on the default branch after the pull request's run, as workflow_run starts it."""
        self.start_fork_comment()
        return self.finish(self.fork_comment_step(conclusion, event))

    def fork_comment_step(self, conclusion: str = "success", event: str = "pull_request", **inputs: str) -> int:
        """One use of the action in the fork comment workflow."""
        run = self.fake.state.runs[self.pull_run]
        finished = {
            "id": run.id,
            "event": event,
            "conclusion": conclusion,
            "head_branch": run.head_branch,
            "head_sha": run.head_sha,
            "path": run.path,
            "head_repository": {
                "id": run.head_repository_id,
                "owner": {"login": run.head_repository.partition("/")[0]},
            },
        }
        environ = {
            "GITHUB_SHA": self.fake.state.branches["main"],
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_ACTOR": self.actor,
            "GITHUB_WORKFLOW_REF": f"{self.fake.state.repository}/{COMMENT_WORKFLOW}@refs/heads/main",
        }
        inputs = {"baseline-workflow": WORKFLOW, **inputs}
        return self.run("workflow_run", {}, environ, {"action": "completed", "workflow_run": finished}, inputs)

    def triggered(
        self,
        name: str,
        event: Mapping[str, Any],
        commit: str,
        ref: str = "refs/heads/main",
        files: Mapping[str, bytes] | None = None,
        inputs: Mapping[str, str] | None = None,
    ) -> int:
        """The action in a run that an event starts for a commit of a branch or tag."""
        self.fake.start_run(commit, event=name, branch=ref.removeprefix("refs/heads/").removeprefix("refs/tags/"))
        self.before = len(self.fake.requests)
        return self.finish(self.run(name, files or {}, {"GITHUB_SHA": commit, "GITHUB_REF": ref}, event, inputs))

    def compare_refs(self, baseline: str, target: str) -> int:
        """The action as started by hand to compare two refs."""
        inputs = {"baseline-ref": baseline, "target-ref": target}
        return self.triggered("workflow_dispatch", {"inputs": {}}, self.base, inputs=inputs)

    def queued(self, files: Mapping[str, bytes], commit: str = "", base: str = "", ref: str = "") -> int:
        """The action on a group of the merge queue, by default of the pull request alone."""
        commit = commit or self.fake.add_commit(parents=[self.base, self.head])
        base = base or self.base
        ref = ref or f"refs/heads/gh-readonly-queue/main/pr-{self.number}-{base}"
        group = {"head_sha": commit, "base_sha": base, "head_ref": ref, "base_ref": "refs/heads/main"}
        return self.triggered("merge_group", {"action": "checks_requested", "merge_group": group}, commit, ref, files)

    def commented(self, body: str, author: str = "maintainer", action: str = "created") -> int:
        """The action on the default branch after a comment on the pull request."""
        number = self.fake.add_comment(self.number, body, author=author)
        event = {
            "action": action,
            "issue": {"number": self.number, "pull_request": {"url": "https://api.github.com/pulls/1"}},
            "comment": {"id": number, "body": body, "user": {"login": author}},
        }
        tip = self.fake.state.branches["main"]
        return self.triggered("issue_comment", event, tip, inputs={"baseline-workflow": "profgate.yml"})

    def _head_place(self) -> dict[str, Any]:
        return {"repository": "mallory/shop", "repository_id": 666} if self.fork else {}

    def run(
        self,
        event_name: str,
        files: Mapping[str, bytes],
        environ: Mapping[str, str],
        event: Mapping[str, Any],
        inputs: Mapping[str, str] | None = None,
    ) -> int:
        workspace = self.folder / f"workspace-{next(self._workspaces)}"
        for name, data in files.items():
            place = workspace / "profiles" / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(data)
        workspace.mkdir(exist_ok=True)
        for name, target in self.links.items():
            (workspace / name).parent.mkdir(exist_ok=True)
            (workspace / name).symlink_to(target)
        repository = {"id": self.fake.state.repository_id, "default_branch": self.fake.state.default_branch}
        (workspace / "event.json").write_text(json.dumps(payload(event_name, {"repository": repository, **event})))
        self.workspace = workspace
        return self.launch(
            {
                **self.fake.service_env(),
                "GITHUB_EVENT_NAME": event_name,
                "GITHUB_EVENT_PATH": str(workspace / "event.json"),
                "GITHUB_WORKSPACE": str(workspace),
                "GITHUB_WORKFLOW_REF": f"{self.fake.state.repository}/{WORKFLOW}@refs/heads/main",
                "GITHUB_RUN_ATTEMPT": str(self.attempt),
                "GITHUB_JOB": f"job-{len(self.fake.state.runs)}",
                "GITHUB_OUTPUT": str(workspace / "output.txt"),
                "GITHUB_STEP_SUMMARY": str(workspace / "summary.md"),
                **{f"INPUT_{name.upper()}": value for name, value in {**self.inputs, **(inputs or {})}.items()},
                **self.environ,
                **environ,
            }
        )

    def launch(self, environ: Mapping[str, str]) -> int:
        """Run the action in this process; tests that end it by a signal start another process instead."""
        with pytest.MonkeyPatch.context() as patched:
            if not self.history:
                patched.setattr(base_runs, "extend_history", lambda *_: None)
                patched.setattr(compared_sides, "known_before", lambda *_: None)
            self.code = main(environ, self.pace)
        self.log = self.capsys.readouterr().out
        return self.code

    @property
    def outputs(self) -> dict[str, str]:
        found: dict[str, str] = {}
        lines = iter((self.workspace / "output.txt").read_text().splitlines())
        for line in lines:
            name, delimiter = line.split("<<")
            value = []
            while (part := next(lines)) != delimiter:
                value.append(part)
            found[name] = "\n".join(value)
        return found

    @property
    def base_jobs(self) -> int:
        """The number of base jobs with which the report compares, for its first metric."""
        metrics = [metric for load in self.report["workloads"] for metric in load["metrics"]]
        return int(metrics[0]["calibration"]["base_jobs"]) if metrics else 0

    @property
    def summary(self) -> str:
        return (self.workspace / "summary.md").read_text()

    @property
    def comments(self) -> list[str]:
        return self.fake.comment_bodies(self.number)

    @property
    def report(self) -> dict[str, Any]:
        """The report that was written, empty where none was."""
        place = self.workspace / "profgate-report" / "report.json"
        return dict(json.loads(place.read_text())) if place.exists() else {}

    def fail(self, method: str, path: str, status: int, *, stored: bool = False, times: int = 1) -> None:
        """Such requests fail; a limit comes without the time it lasts."""
        message = "You have exceeded a secondary rate limit" if status == 403 else "Server Error"
        self.fake.fail(method, path, status, stored=stored, times=times, message=message)

    def attach(self, tag: str) -> None:
        """Attach the file to a release, as a step of ``examples/workflows/release.yml`` does."""
        step = yaml.safe_load(RELEASES.read_text())["jobs"]["profgate"]["steps"][1]
        *command, place, replace = shlex.split(step["run"])
        assert (command, replace) == (["gh", "release", "upload", "$TAG"], "--clobber")
        self.fake.attach(tag, posixpath.basename(place), (self.workspace / place).read_bytes())

    def file(self, name: str) -> str:
        return (self.workspace / "profgate-report" / name).read_text()
