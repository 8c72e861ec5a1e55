"""The project's own gate, executed by an independent runner on pull requests with and without a slower function."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from e2e.container_run import api_service
from e2e.independent_runner import POLICY, ROOT, WORKFLOW, Runner, _authority, act
from fake_github import FakeGitHub
from profgate.action.github.artifact_upload import report_artifact

__all__ = ["act"]
pytestmark = [pytest.mark.full, pytest.mark.xdist_group("container")]
SIDES = ("profiles-base", "profiles-head")
SLOWER = 450_000  # bytecodes, about 3 % of the largest part
PLANTS = (  # functions, and how often the largest part of the benchmark, Compare, calls them
    ("src/profgate/flamegraph/svg.py", "draw_svg", 12),
    ("src/profgate/compare/symbols.py", "_identity_texts", 40),
    ("src/profgate/model/call_tree.py", "merged_paths", 12),
    ("src/profgate/report/rows.py", "grouped", 17),
    ("src/profgate/attribution/repository_paths.py", "functions_by_file", 12),
    ("src/profgate/flamegraph/page_lines.py", "page_lines", 12),
    ("src/profgate/flamegraph/page_columns.py", "planes", 113),
    ("src/profgate/decide/judge/findings.py", "judged_findings", 12),
    ("src/profgate/readers/folded.py", "read_dialect", 30),
    ("src/profgate/decide/judge/verdict.py", "_unproven", 2),
)


class GateRunner(Runner):
    """A clone of this repository; the jobs exchange profiles and reports through the test."""

    timeout = 1800  # seconds; six recordings of about 30 s of processor time each

    def _write_workflow(self, authority: Path) -> None:
        """The project's workflow; SETUP and addresses differ, and the steps that record are a job on this machine."""
        subprocess.run(["git", "clone", "--quiet", ROOT, self.repository], check=True)
        self._git("remote", "set-url", "origin", f"{self.fake.server_url}/{self.fake.state.repository}")
        workflow = yaml.safe_load((ROOT / WORKFLOW).read_text(encoding="utf-8"))
        workflow["on"] = workflow.pop(True)
        measure, judge = workflow["jobs"]["measure"], workflow["jobs"]["profgate"]
        checkout, prepare, record, compare = measure["steps"]
        measure["env"]["SETUP"] = f"ln -s {sys.prefix} .venv"
        record["run"] += f"cp -r {' '.join(SIDES)} {self.home}/"
        workflow["jobs"]["record"] = measure | {"steps": [checkout, prepare, record]}
        here = {"uses": checkout["uses"]}
        measure["steps"], judge["steps"] = [here, compare], [here, *judge["steps"]]
        for step in (compare, judge["steps"][1]):
            step["with"] |= {"ca-bundle": "ca.pem"}
        judge["steps"][1]["with"]["shards-result"] = "success"
        for job in workflow["jobs"].values():
            job.pop("needs", None)
            job["runs-on"] = "ubuntu-latest"
        self.written = self.home / "performance.yml"
        self.written.write_text(yaml.safe_dump(workflow), encoding="utf-8")
        self.authority = authority

    def pull_request(self, plant: tuple[str, str, int], *, slower: bool) -> tuple[int, int, dict[str, object]]:
        """Check out the test merge of a pull request that changes one file."""
        path, name, calls = plant
        base, place = self._git("rev-parse", "HEAD"), self.repository / path
        before = {POLICY: (ROOT / POLICY).read_bytes(), path: place.read_bytes()}
        self.fake.add_commit(sha=base, branch="main", files=before)
        text = before[path].decode()
        (function,) = [
            node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == name
        ]
        lines = text.splitlines(keepends=True)
        added = f"for _ in range({SLOWER // 3 // calls}):\n        pass\n" if slower else "# unchanged\n"
        lines.insert(function.body[1].lineno - 1, f"    {added}")
        place.write_text("".join(lines), encoding="utf-8")
        self._git("checkout", "--quiet", "-b", "feature")
        self._git("commit", "--quiet", "--all", "--message", "Change a function")
        head = self._git("rev-parse", "HEAD")
        self._git("checkout", "--quiet", "--detach", base)
        self._git("merge", "--quiet", "--no-ff", "--message", "Merge", head)
        self.fake.add_commit(sha=head, parents=[base], branch="feature", files={path: place.read_bytes()})
        self.fake.add_commit(sha=self._git("rev-parse", "HEAD"), parents=[base, head], files={path: place.read_bytes()})
        shutil.copy(self.authority, self.repository / "ca.pem")
        shutil.copy(self.written, self.repository / WORKFLOW)
        return self.open_pull(head, base)


@pytest.mark.parametrize("slower", [True, False])
def test_gate_names_a_slower_function_and_passes_otherwise(act: Path, tmp_path: Path, *, slower: bool) -> None:
    context, authority = _authority(tmp_path)
    with api_service() as engine, FakeGitHub(enterprise=True, certificate=context) as fake:
        runner = GateRunner(act, fake, tmp_path, engine, authority)
        commit = runner._git("rev-parse", "HEAD")
        plant = PLANTS[int(commit, 16) % len(PLANTS)]
        number, run, event = runner.pull_request(plant, slower=slower)
        done = runner.run("record", "pull_request", event, run, platform="ubuntu-latest=-self-hosted")
        assert done.returncode == 0, done.stdout + done.stderr
        for side in SIDES:
            shutil.copytree(runner.home / side, runner.repository / side)
        done = runner.run("measure", "pull_request", event, run)
        assert done.returncode == 0, done.stdout + done.stderr
        name = report_artifact("default", 1)
        (report,) = [data for place, data in runner.uploaded(run).items() if place.startswith(name)]
        fake.add_artifact(run, name, report)
        done = runner.run("profgate", "pull_request", event, run)
        comments = fake.comment_bodies(number)
    assert done.returncode == int(slower), done.stdout + done.stderr
    assert ("set-output:: conclusion=fail" in done.stdout) is slower
    assert any(f"`{plant[1]}`" in comment for comment in comments) is slower
