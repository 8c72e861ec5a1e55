"""The workflow of ``profgate init`` and the workflow that it calls, executed by an independent runner.

The runner knows neither ``job.workflow_sha`` nor the repositories of actions, so the called workflow has a local form.
"""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from action_stage import ARTIFACT, SHARES, SLOWER
from e2e.container_run import api_service
from e2e.independent_runner import ROOT, WORKFLOW, Runner, _authority, act
from fake_github import FakeGitHub
from measured_repository import made
from profgate.__main__ import main

__all__ = ["act"]
pytestmark = [pytest.mark.full, pytest.mark.xdist_group("container")]
GATE = ".github/workflows/gate.yml"
BENCHMARK = """
import os, random
from shop import SHARES

place = os.environ["PROFGATE_OUT"] + "/main"
os.makedirs(place, exist_ok=True)
with open(f"{place}/run-{os.environ['PROFGATE_RUN']}.folded", "w") as profile:
    for name, mean in SHARES.items():
        count = round(random.gauss(mean, mean ** 0.5))
        profile.write(f"main;serve;{name} {count // 2}\\nmain;batch;{name} {count - count // 2}\\n")
"""
PLACE = 'place="$STORE/$GITHUB_RUN_ID/$NAME"; if grep -qsxF "$NAME" "$STORE/missing"; then exit 1; fi\n'
UPLOAD = PLACE + 'mkdir -p "$place"; for file in $FILES; do cp "$file" "$place/"; done'
DOWNLOAD = (
    PLACE + 'mkdir -p "$FOLDER"; case "$NAME" in *"["*) cp -r $place "$FOLDER/";; *) cp -r "$place/." "$FOLDER/";; esac'
)

# The package of the tests; each job seems to run on a machine of its own.
INSTALL = r"""
mkdir -p "$RUNNER_TEMP/profgate/bin"
cat /proc/sys/kernel/random/uuid > "$RUNNER_TEMP/boot"
cat > "$RUNNER_TEMP/profgate/bin/python" << END
#!/bin/sh
exec unshare -m sh -c 'mount --bind "\$0" /proc/sys/kernel/random/boot_id; {python} "\$@"' "$RUNNER_TEMP/boot" "\$@"
END
chmod +x "$RUNNER_TEMP/profgate/bin/python"
"""


def composite(place: Path, run: str, **inputs: str) -> None:
    """Write an action that stands for one of GitHub."""
    step = {"run": run, "shell": "bash", "env": {name: f"${{{{ inputs.{given} }}}}" for name, given in inputs.items()}}
    action = {"name": place.name, "inputs": {key: {"required": False} for key in inputs.values()}}
    place.mkdir(parents=True)
    (place / "action.yml").write_text(yaml.safe_dump(action | {"runs": {"using": "composite", "steps": [step]}}))


def program(shares: dict[str, int] | None) -> dict[str, str]:
    return {"shop.py": f"SHARES = {shares}\n"}


class CalledRunner(Runner):
    """A repository with the files that ``profgate init`` writes, and the local form of the called workflow."""

    timeout = 900

    def _write_action(self) -> None:
        super()._write_action()
        action = yaml.safe_load((ROOT / "confirm" / "action.yml").read_text())
        installed = {"run": INSTALL.format(python=sys.executable), "shell": "bash"}
        action["runs"]["steps"] = [installed, action["runs"]["steps"][-1]]
        (self.action / "confirm").mkdir()
        (self.action / "confirm" / "action.yml").write_text(yaml.safe_dump(action))

    def local(self, gate: dict[str, Any]) -> None:
        """Change what the runner cannot resolve."""
        for job in gate["jobs"].values():
            steps = []
            for step in job["steps"]:
                name, given = step.get("uses", "").partition("@")[0], step.get("with", {})
                installs = name.startswith("actions/setup-") or step.get("name", "").startswith("Install")
                if installs or given.get("path") == ".profgate":
                    continue
                if name.startswith("./.profgate"):
                    step["uses"] = f"profgate/profgate{name.removeprefix('./.profgate')}@v1"
                    if not name.endswith("confirm"):
                        given |= {"ca-bundle": "ca.pem", "baseline-workflow": Path(WORKFLOW).name}
                elif "artifact" in name:
                    step["uses"] = f"profgate/{name.partition('/')[2]}@v1"
                    given["name"] = given.pop("pattern", given.get("name"))
                steps.append(step)
            job["steps"] = steps
        gate["jobs"]["profgate"]["steps"].insert(0, gate["jobs"]["measure"]["steps"][0])  # for the certificate

    def _write_workflow(self, authority: Path) -> None:
        made(self.repository, {"package.json": "{}", "bench/checkout.py": BENCHMARK})
        record = "python3 bench/checkout.py"
        assert main(["init", str(self.repository), "--yes", "--branch", "main", "--command", record]) == 0
        caller = yaml.safe_load((self.repository / WORKFLOW).read_text())
        caller[True]["workflow_dispatch"] = {}  # as a repository may add
        caller["jobs"]["performance"] |= {"uses": f"./{GATE}"}
        caller["jobs"]["performance"]["with"] |= {
            "record": f'PYTHONPATH="$PWD" {record}\n',
            "setup": "echo ready > built",
        }
        gate = yaml.safe_load((ROOT / GATE).read_text())
        self.local(gate)
        gate["jobs"]["confirm"]["runs-on"] = "machine"  # the base image has no profgate
        made(self.repository, {".gitignore": "profgate-report\nprofiles\nbuilt\nfirst\nmachines\n"})
        self._start(authority, {WORKFLOW: caller, GATE: gate})
        for kind, run, inputs in (("upload", UPLOAD, "FILES"), ("download", DOWNLOAD, "FOLDER")):
            place = self.actions[f"{kind}-artifact"] = self.action.parent / kind
            composite(place, run.replace("$STORE", str(self.home)), NAME="name", **{inputs: "path"})

    def all_jobs(self, event: str, payload: dict[str, object], run: int) -> "subprocess.CompletedProcess[str]":
        """Execute the calling job: ``confirm`` on this machine, which stands for two, and the others in containers."""
        self.flags = ["--platform=machine=-self-hosted", f"--container-options=-v {self.home}:{self.home}"]
        return self.run("performance", event, payload, run)

    def pushed(self, shares: dict[str, int] | None = SHARES) -> str:
        """A base run, which fails without shares and stores a baseline otherwise."""
        base = self.version(program(shares))
        run = self.fake.start_run(base, path=WORKFLOW)
        facts = {"ref": "refs/heads/main", "repository": self.repository_facts}
        done = self.all_jobs("push", {"after": base, **facts}, run)
        assert done.returncode == (shares is None), done.stdout + done.stderr
        archives = [data for place, data in self.uploaded(run).items() if "history" not in place]
        assert len(archives) == (shares is not None)
        for archive in archives:
            self.fake.add_artifact(run, ARTIFACT, archive)
        self.fake.finish_run("failure" if shares is None else "success")
        return base

    def proposed(self, base: str, shares: dict[str, int], branch: str, files: Mapping[str, str] | None = None) -> str:
        """The head of a branch, whose test merge is checked out."""
        head = self.version({**program(shares), **(files or {})}, branch)
        known = {name: text.encode() for name, text in (files or {}).items()}
        self.fake.add_commit(sha=head, parents=[base], branch=branch, files=known)
        self.merge(base, head)
        return head

    def pull_request(
        self,
        base: str,
        shares: dict[str, int],
        name: str,
        *,
        number: int | None = None,
        branch: str = "feature",
        fork: bool = False,
        files: Mapping[str, str] | None = None,
    ) -> tuple[int, list[str], str]:
        """The exit code, the comments and the log of a run for a pull request."""
        head = self.proposed(base, shares, branch, files)
        number, run, event = self.open_pull(head, base, number=number, branch=branch, fork=fork)
        done = self.all_jobs("pull_request", event, run)
        (self.home / f"{name}.log").write_text(done.stdout + done.stderr)
        self._git("checkout", "--quiet", "main")
        return done.returncode, self.fake.comment_bodies(number), done.stdout

    def merge_group(self, base: str, shares: dict[str, int]) -> tuple[int, str]:
        """The exit code and the log of a run for a group of the merge queue."""
        self.proposed(base, shares, "queued")
        sha, branch = self._git("rev-parse", "HEAD"), f"gh-readonly-queue/main/pr-1-{base}"
        self._git("checkout", "--quiet", "-b", branch)
        group = {"head_sha": sha, "base_sha": base, "head_ref": f"refs/heads/{branch}", "base_ref": "refs/heads/main"}
        run = self.fake.start_run(sha, event="merge_group", branch=branch, path=WORKFLOW)
        done = self.all_jobs("merge_group", {"merge_group": group, "repository": self.repository_facts}, run)
        (self.home / "queued.log").write_text(done.stdout + done.stderr)
        self._git("checkout", "--quiet", "main")
        return done.returncode, done.stdout


class GraphRunner(CalledRunner):
    """The jobs without their steps: each writes its name, and ``measure`` the given conclusion."""

    def local(self, gate: dict[str, Any]) -> None:
        for name, job in gate["jobs"].items():
            shown = f"echo {name}${{{{ matrix.machine }}}} >> {self.home}/ran"
            job["steps"] = [{"run": shown}, {"id": "first", "run": f". {self.home}/{name}", "shell": "bash"}]


def test_jobs_follow_the_conclusion(act: Path, tmp_path: Path) -> None:
    context, authority = _authority(tmp_path)
    with api_service() as engine, FakeGitHub(enterprise=True, certificate=context) as fake:
        runner = GraphRunner(act, fake, tmp_path, engine, authority)
        base = runner.version(program(SHARES))
        head = runner.version(program(SLOWER), "feature")
        _, run, pull = runner.open_pull(head, base)
        for name in ("confirm", "profgate"):
            (runner.home / name).write_text("")

        def ran(event: str, conclusion: str, *, fails: str = "") -> str:
            (runner.home / "ran").write_text("")
            (runner.home / "measure").write_text(f"echo conclusion={conclusion} >> $GITHUB_OUTPUT\n")
            if fails:
                (runner.home / fails).write_text("exit 1\n")
            facts: dict[str, object] = {"repository": runner.repository_facts, "after": base}
            facts |= {"merge_group": {"head_sha": head}} if event == "merge_group" else {}
            done = runner.all_jobs(event, pull if event == "pull_request" else facts, run)
            assert done.returncode == bool(fails), done.stdout + done.stderr
            return " ".join(sorted((runner.home / "ran").read_text().split()))

        assert ran("push", "pass") == "measure"
        assert ran("workflow_dispatch", "warn") == "measure"
        assert ran("pull_request", "pass") == "measure profgate"
        assert ran("pull_request", "not_compared") == "measure profgate"
        assert ran("pull_request", "warn") == "confirm1 confirm2 measure profgate"
        assert ran("merge_group", "inconclusive") == "confirm1 confirm2 measure profgate"
        assert ran("pull_request", "fail", fails="confirm") == "confirm1 confirm2 measure profgate"
        assert ran("pull_request", "warn", fails="measure") == "measure profgate"


def test_pull_request_from_first_run_to_resolved(act: Path, tmp_path: Path) -> None:
    context, authority = _authority(tmp_path)
    with api_service() as engine, FakeGitHub(enterprise=True, certificate=context) as fake:
        runner = CalledRunner(act, fake, tmp_path, engine, authority)
        code, (comment,), _ = runner.pull_request(runner.version(program(SHARES)), SHARES, "first")
        assert (code, "First run" in comment, "measured both commits again" in comment) == (0, True, True)
        base = runner.pushed()
        assert runner.pull_request(base, SHARES, "quiet")[:2] == (0, [])
        runner.pushed(None)
        base = runner.version(program(SHARES))  # the newest base run failed, and the newest commit has none yet
        evil = f"it's$(touch${{IFS}}{runner.home}/evil)`touch${{IFS}}{runner.home}/evil`"
        hostile = {f"src/{name.replace('/', '_')}": "" for name in ("-rf", 'a"\nb', "::error::x", evil)}
        code, (comment,), _ = runner.pull_request(base, SLOWER, "slower", branch=evil, files=hostile)
        assert (code, "`parse`" in comment.splitlines()[1]) == (1, True)
        number, (before,) = len(fake.state.pulls), [place for place, one in fake.state.comments.items() if one.pull > 1]
        code, (comment,), _ = runner.pull_request(base, SHARES, "fixed", number=number, branch=evil)
        assert (code, "✅ Resolved" in comment) == (0, True)
        assert fake.state.comments[before].body == comment
        assert not (runner.home / "evil").exists()


def test_forks_lost_machines_and_merge_groups_are_judged(act: Path, tmp_path: Path) -> None:
    context, authority = _authority(tmp_path)
    with api_service() as engine, FakeGitHub(enterprise=True, certificate=context) as fake:
        runner = CalledRunner(act, fake, tmp_path, engine, authority)
        base = runner.pushed()
        code, log = runner.merge_group(base, SLOWER)
        assert (code, "the gate failed::" in log, " parse: " in log) == (1, True, True)
        (runner.home / "missing").write_text("profgate-machine-2")
        fake.read_only()
        code, comments, log = runner.pull_request(base, SLOWER, "fork", fork=True)
        assert (code, comments) == (1, [])
        assert "1 of 2 machines" in log
        assert "No comment was written: runs of forks" in log
