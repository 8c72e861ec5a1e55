"""Workflows, executed by an independent runner (nektos/act) with our container, against the fake GitHub."""

import json
import os
import shutil
import socket
import ssl
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import trustme
import yaml

from e2e.container_run import BASE, IMAGE, WORK, build_image, why_not
from fake_github import FakeGitHub
from measured_repository import made

ROOT = Path(__file__).parents[2]
ACT = "github.com/nektos/act@v0.2.89"
WORKFLOW, POLICY = ".github/workflows/performance.yml", ".github/profgate.yml"


@pytest.fixture(scope="module")
def act() -> Path:
    """Build the runner with the Go toolchain; the module is verified by Go's checksum database."""
    if reason := why_not():
        pytest.skip(reason)
    go = shutil.which("go")
    if go is None:
        pytest.skip("Go is not installed; it builds nektos/act")
    program = WORK / "bin" / "act"
    if not program.exists():
        environment = os.environ | {"GOBIN": str(program.parent), "GOFLAGS": "-buildvcs=false", "CGO_ENABLED": "0"}
        done = subprocess.run([go, "install", ACT], env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"nektos/act cannot be built: {done.stderr[-500:]}")
    build_image()
    return program


class Runner(ABC):
    """A repository whose workflow act executes; the fake GitHub knows its commits."""

    workflow = WORKFLOW
    timeout = 300

    def __init__(self, act: Path, fake: FakeGitHub, folder: Path, engine: str, authority: Path) -> None:
        self.act, self.fake, self.engine = act, fake, engine
        self.repository, self.artifacts = folder / "repository", folder / "artifacts"
        self.action = folder / "action"
        self.actions = {"profgate": self.action}  # those of other repositories, by name
        self.flags = list[str]()  # further options of act
        self.home = folder / "home"
        self.home.mkdir()
        self._write_action()
        self._write_workflow(authority)

    def _write_action(self) -> None:
        """The action's metadata with the image that was built before; act cannot pass build arguments."""
        self.action.mkdir()
        metadata = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
        metadata["runs"]["image"] = f"docker://{IMAGE}"
        (self.action / "action.yml").write_text(yaml.safe_dump(metadata), encoding="utf-8")

    @abstractmethod
    def _write_workflow(self, authority: Path) -> None:
        """Write the workflow to the repository, which trusts the authority."""

    def _start(self, authority: Path, workflows: Mapping[str, dict[Any, Any]]) -> None:
        """Make the folder a repository with these workflows."""
        for name, content in workflows.items():
            content["on"] = content.pop(True)  # YAML 1.1 reads "on" as a boolean
            made(self.repository, {name: yaml.safe_dump(content)})
        shutil.copy(authority, self.repository / "ca.pem")
        self._git("init", "--quiet", "--initial-branch=main")
        self._git("remote", "add", "origin", f"{self.fake.server_url}/{self.fake.state.repository}")

    def _git(self, *words: str) -> str:
        identity = ["-c", "user.name=Tester", "-c", "user.email=tester@example.org"]
        command = ["git", "-C", str(self.repository), *identity, *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    def version(self, files: Mapping[str, str], branch: str = "main") -> str:
        """Commit a version of the program; the fake GitHub learns the commit."""
        before = self.fake.state.branches.get("main")
        made(self.repository, files)
        self._git("checkout", "--quiet", "-B", branch)
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "--message", f"Version of {branch}")
        known = {POLICY: (self.repository / POLICY).read_bytes()}
        sha = self._git("rev-parse", "HEAD")
        return self.fake.add_commit(sha=sha, parents=[before] if before else [], branch=branch, files=known)

    def merge(self, base: str, head: str) -> None:
        """Check out the test merge of the pull request."""
        self._git("checkout", "--quiet", "--detach", base)
        self._git("merge", "--quiet", "--no-ff", "--message", "Merge", head)
        self.fake.add_commit(sha=self._git("rev-parse", "HEAD"), parents=[base, head])

    def run(
        self, job: str, event: str, payload: dict[str, object], run: int, **others: str
    ) -> subprocess.CompletedProcess[str]:
        """Execute one job of the workflow for one event, with other options of act."""
        host = self.fake.server_url.removeprefix("https://")
        place = self.home / f"event-{run}.json"
        place.write_text(json.dumps(payload), encoding="utf-8")
        server = {"path": str(self.artifacts), "addr": "127.0.0.1", "port": str(_free_port())}
        options = {
            "eventpath": str(place),
            "job": job,
            "workflows": self.workflow,
            "defaultbranch": "main",
            "platform": f"ubuntu-latest={BASE}",
            "pull": "false",
            "network": "host",
            "container-daemon-socket": "-",
            "no-cache-server": "true",
            "github-instance": host,
            "secret": f"GITHUB_TOKEN={self.fake.token}",
            **{f"artifact-server-{name}": value for name, value in server.items()},
            **others,
        }
        command = [str(self.act), event, *(f"--{name}={value}" for name, value in options.items())]
        command += [f"--local-repository=profgate/{name}@v1={place}" for name, place in self.actions.items()]
        command += [f"--env=GITHUB_RUN_ID={run}", *self.flags]
        environ = {"PATH": os.environ["PATH"], "HOME": str(self.home), "DOCKER_HOST": self.engine}
        return subprocess.run(
            command, cwd=self.repository, env=environ, capture_output=True, text=True, check=False, timeout=self.timeout
        )

    @property
    def repository_facts(self) -> dict[str, object]:
        """The repository, as events describe it."""
        state = self.fake.state
        return {"id": state.repository_id, "default_branch": "main", "full_name": state.repository}

    def open_pull(
        self, head: str, base: str, *, number: int | None = None, branch: str = "feature", fork: bool = False
    ) -> tuple[int, int, dict[str, object]]:
        """The number, the run and the event of a pull request, which is a new one without a number."""
        owner = ("mallory/shop", 666) if fork else None
        number = self.fake.add_pull(head, base, number=number, head_ref=branch, fork=owner)
        ours = self.repository_facts
        pull = {
            "number": number,
            "head": {"sha": head, "ref": branch, "repo": {"id": 666, "full_name": "mallory/shop"} if fork else ours},
            "base": {"sha": base, "ref": "main", "repo": ours},
            "user": {"login": "octocat"},
        }
        run = self.fake.start_run(head, event="pull_request", branch=branch, path=self.workflow)
        return number, run, {"action": "synchronize", "number": number, "pull_request": pull, "repository": ours}

    def uploaded(self, run: int) -> dict[str, bytes]:
        """What the runner's artifact server received in one run, by file name."""
        return {path.name: path.read_bytes() for path in (self.artifacts / str(run)).rglob("*") if path.is_file()}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _authority(folder: Path) -> tuple[ssl.SSLContext, Path]:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    authority.cert_pem.write_to_path(folder / "ca.pem")
    return context, folder / "ca.pem"
