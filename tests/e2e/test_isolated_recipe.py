"""The workflow isolated.yml, executed by an independent runner: hostile code of both commits reaches nothing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from action_stage import SHARES, SLOWER
from e2e.container_run import BASE, api_service
from e2e.independent_runner import POLICY, ROOT, WORKFLOW, Runner, _authority, act
from fake_github import FakeGitHub
from measured_repository import made

__all__ = ["act"]
pytestmark = pytest.mark.full
# What code of a pull request would like to reach, by name.
PROBES = """
import os, random, socket, sys
from pathlib import Path

def connects():
    socket.create_connection(("127.0.0.1", {port}), 1).close()

def writes(path):
    Path(path).write_text("mine")

PROBES = {{
    "network": connects,
    "token": lambda: next(name for name in os.environ if name.startswith(("GITHUB", "ACTIONS", "RUNNER", "INPUT"))),
    "run": lambda: os.environ["PROFGATE_RUN"],
    "other side": lambda: next(path for path in Path("..").iterdir() if path.resolve() != Path.cwd()),
    "commit": lambda: Path(Path(".git").read_text().split()[1], "HEAD").read_text(),
    "own code": lambda: writes("shop.py.new"),
    "cache": lambda: writes(Path.home() / "cache"),
    "benchmark": lambda: writes("bench/new"),
}}

def reached():
    found = []
    for name, probe in PROBES.items():
        try:
            probe()
            found.append(name)
        except (OSError, LookupError, StopIteration):
            pass
    return found

SHARES = {shares}
"""
BENCHMARK = """
import os, random, sys
from shop import SHARES, reached

if found := reached():
    sys.exit(f"reached {found}")
with open(os.environ["PROFGATE_OUT"] + "/checkout.folded", "w") as profile:
    for name, mean in SHARES.items():
        profile.write(f"main;{name} {round(random.gauss(mean, mean ** 0.5))}\\n")
"""


class IsolatedRunner(Runner):
    """A repository with the recipe; only what it downloads and records differs, and jobs do not exchange artifacts."""

    def _write_workflow(self, authority: Path) -> None:
        workflow = yaml.safe_load((ROOT / "examples/workflows/isolated.yml").read_text(encoding="utf-8"))
        measure, judge = workflow["jobs"]["measure"], workflow["jobs"]["profgate"]
        checkout, download, install, measured, _ = measure["steps"]
        measure["env"] = {
            "IMAGE": BASE,
            "SETUP": "echo ready > built",
            "RECORD": 'PYTHONPATH="$PWD" python bench/checkout.py',
        }
        download["run"] = re.sub(r"pip install.*?done\n", "", download["run"], flags=re.DOTALL)
        install["run"] = f'mkdir -p "$RUNNER_TEMP/profgate/.venv/bin"; ln -sf {sys.prefix}/bin/profgate "$_"'
        measured["run"] += f"\ncp profgate-report/report.json {self.home}/"
        measure["steps"] = [checkout, download, install, measured]
        judge["steps"] = [checkout, judge["steps"][1]]
        judge["steps"][1]["with"] |= {"ca-bundle": "ca.pem", "baseline-workflow": "performance.yml"}
        del judge["needs"]
        made(self.repository, {POLICY: 'gate: {required: ["*"]}\n'})
        self._start(authority, {WORKFLOW: workflow})

    def program(self, shares: dict[str, int], benchmark: str) -> dict[str, str]:
        """The program and its benchmark."""
        port = self.fake.server_url.rpartition(":")[2]
        return {"shop.py": PROBES.format(port=port, shares=shares), "bench/checkout.py": benchmark}


def test_recipe_isolates_both_sides(act: Path, tmp_path: Path) -> None:
    context, authority = _authority(tmp_path)
    with api_service() as engine, FakeGitHub(enterprise=True, certificate=context) as fake:
        runner = IsolatedRunner(act, fake, tmp_path, engine, authority)
        base = runner.version(runner.program(SHARES, BENCHMARK))
        head = runner.version(
            runner.program(SLOWER, "raise SystemExit('the benchmark of the pull request')"), "feature"
        )
        outside = subprocess.run(
            [sys.executable, "-c", "import shop; print(shop.reached())"],
            cwd=runner.repository,
            env={"GITHUB_TOKEN": "x", "PROFGATE_RUN": "1", "HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "'network', 'token', 'run', 'other side'" in outside.stdout  # the probes work where nothing is isolated
        runner.merge(base, head)
        number, run, event = runner.open_pull(head, base)
        done = runner.run("measure", "pull_request", event, run, platform="ubuntu-latest=-self-hosted")
        assert done.returncode == 0, done.stdout + done.stderr
        shutil.copy(runner.home / "report.json", runner.repository)
        done = runner.run("profgate", "pull_request", event, run)
        (comment,) = fake.comment_bodies(number)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "`parse`" in comment.splitlines()[1]
    assert "interleaved" in comment
