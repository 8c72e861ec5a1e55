"""``profgate init`` on small repositories: what it sees, what it asks, and that linters accept what it writes."""

import json
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from profgate import wiring
from profgate.__main__ import main
from profgate.init.recipes import RECIPES, extent_for
from profgate.settings.config_file import read_policy
from profgate.settings.inputs import settings_from
from workflow_rules import jobs_with_code_and_a_writing_token, unpinned

ROOT = Path(__file__).parents[2]
CATALOGUE = {name: one.options for one in wiring.strategies() for name in (one.name, one.short)}
SETUP = "import setuptools\n"
CI = """\
on:
  push:
    branches: [develop]
jobs:
  test:
    runs-on: [self-hosted, linux, bench-1]
    steps:
      - uses: actions/checkout@v7
      - uses: actions/setup-python@v6
        with:
          python-version: 3.12
      - uses: actions/setup-node@v5
        with:
          node-version: 22
  windows:
    runs-on: windows-latest
  reckoned:
    runs-on: ${{ matrix.os }}
"""


def made(top: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return top


@pytest.fixture(params=RECIPES, ids=lambda recipe: recipe.language)
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return made(tmp_path, {request.param.marks[0]: ""})


def written(repository: Path, name: str = "performance") -> Path:
    return repository / ".github" / "workflows" / f"{name}.yml"


def jobs_of(repository: Path, name: str = "performance") -> dict[str, Any]:
    return dict(yaml.safe_load(written(repository, name).read_text())["jobs"])


def job_of(repository: Path) -> dict[str, Any]:
    """The job that measures."""
    return dict(jobs_of(repository)["measure"])


def shell_of(repository: Path) -> dict[str, str]:
    """The shell lines that prepare a checkout and that record one run of it, as one line each where they continue."""
    return {name: text.replace(" \\\n", "") for name, text in job_of(repository)["env"].items()}


def linted(place: Path) -> None:
    """Nothing to say have GitHub's own parser, the published schema and zizmor; skips where one is missing."""
    folder = str(Path(sys.executable).parent)
    zizmor, schema = (shutil.which(name, path=folder) for name in ("zizmor", "check-jsonschema"))
    parser = ROOT / ".ci" / "workflow-parser"
    if None in {zizmor, schema, shutil.which("node")} or not (parser / "node_modules").is_dir():
        pytest.skip("zizmor or GitHub's parser is not installed; ./run setup e2e, npm ci --prefix .ci/workflow-parser")
    for command in (
        [zizmor, "--offline", "--config", ROOT / "examples" / "zizmor.yml", place],
        [schema, "--builtin-schema", "vendor.github-workflows", place],
    ):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    parsed = subprocess.run(["node", parser / "parse.mjs", place], capture_output=True, text=True, check=True)
    assert json.loads(parsed.stdout)["errors"] == []


def test_every_language_has_a_workflow_and_a_policy(repository: Path) -> None:
    assert main(["init", str(repository), "--yes", "--branch", "trunk"]) == 0
    content = yaml.safe_load(written(repository).read_text())
    assert content[True]["push"]["branches"] == ["trunk"]  # YAML 1.1 reads a bare on as true
    for job in content["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("profgate/"):
                settings_from(step["with"])
    assert "COMMAND" not in written(repository).read_text()
    assert unpinned(written(repository).read_text()) == []
    policy = repository / ".github" / "profgate.yml"
    assert read_policy(policy.read_text(), str(policy), CATALOGUE).confirm == "required"


def test_every_run_records_the_same_profiles(repository: Path) -> None:
    """A second workload with fewer runs would make the result of every pull request inconclusive."""
    assert main(["init", str(repository), "--yes"]) == 0
    record = shell_of(repository)["RECORD"]
    assert "PROFGATE_OUT" in record
    assert set(re.findall(r"\$PROFGATE_OUT/(\w+)", record)) == {"main"}
    assert not re.search(r"PROFGATE_RUN\"? -", record)


def test_workflow_passes_the_linters(repository: Path) -> None:
    assert main(["init", str(repository), "--yes"]) == 0
    linted(written(repository))


PYPROJECT = """\
[build-system]
requires = ["hatchling"]
[project]
name = "shop"
[project.optional-dependencies]
test = ["pytest"]
"""


BENCHMARK = "func BenchmarkX(b *testing.B) {}\n"
TWO_ENVIRONMENTS = """\
[testenv]
commands = pytest
[testenv:bench]
commands =
  pip list
  python tools/b.py 3
"""
DEPENDENT = """\
[testenv]
deps =
  pytest>=8
  pytest-xdist
  -r dev.txt
  cov: coverage
  evil $(id)
commands = coverage run \\
  -m pytest tests
"""
TOX_TABLES = """\
[env_run_base]
deps = ["pytest[x]", ".", "-e .", "a;id"]
commands = [["pytest", "tests"]]
[env.bench]
commands = [["pip", "list"], ["pytest", "bench", { replace = "posargs", extend = true }]]
"""
IN_PYPROJECT = TOX_TABLES.replace("[env", "[tool.tox.env")
SESSION = """\
@nox.session
def tests(session):
    session.install("x")
    session.run("pytest", "-q")
"""


@pytest.mark.parametrize(
    ("files", "command", "install"),
    [
        ({"pyproject.toml": PYPROJECT + "[tool.pytest]\n"}, "python -m pytest", "pip install -e '.[test]'\n"),
        ({"requirements.txt": "pytest-benchmark\n"}, "python -m pytest --benchmark-only", "pip install -r"),
        (
            {"setup.py": SETUP, "bench/__init__.py": "", "bench/cart.py": ""},
            "python bench/cart.py",
            "pip install -e .\n",
        ),
        (
            {"uv.lock": "x", "pyproject.toml": "[tool.pytest]\n"},
            "python -m pytest",
            "pipx install uv==0.13.9\nuv sync\n",
        ),
        ({"poetry.lock": "x", "pyproject.toml": ""}, "python -m pytest", "pipx install poetry==2.5.1\n"),
        ({"tox.ini": "[testenv]\ncommands = pytest {posargs:tests}\n"}, "python -m pytest", ""),
        ({"tox.ini": TWO_ENVIRONMENTS}, "python tools/b.py 3", ""),
        ({"tox.ini": DEPENDENT}, "python -m pytest tests", "pip install 'pytest>=8' pytest-xdist -r dev.txt\n"),
        ({"setup.cfg": f"[tox:tox]\n{DEPENDENT}"}, "python -m pytest tests", "pip install 'pytest>=8'"),
        ({"tox.toml": TOX_TABLES}, "python -m pytest bench", "pip install 'pytest[x]'\n"),
        ({"pyproject.toml": IN_PYPROJECT}, "python -m pytest bench", "pip install 'pytest[x]'\n"),
        ({"noxfile.py": SESSION}, "python -m pytest -q", "pip install x\n"),
        ({"noxfile.py": SESSION, "uv.lock": "x"}, "python -m pytest -q", "pipx install uv==0.13.9\nuv sync\n"),
        ({"setup.py": SETUP, "noxfile.py": SESSION}, "python -m pytest -q", "pip install -e .\npip install x\n"),
        ({"setup.py": SETUP, "Makefile": "bench: all\n\t@uv run pytest b -q\n"}, "python -m pytest b -q", "pip"),
        (
            {"go.mod": "", "a_test.go": "", "shop/b_test.go": BENCHMARK},
            "-bench . -benchtime 1000x ./shop -o",
            "go mod download\n",
        ),
        ({"go.mod": "", "deep/a_test.go": "func TestX(t *testing.T) {}\n"}, "go test ./deep", "go mod download\n"),
        (
            {"package.json": '{"scripts": {"test": "mocha", "bench": "NODE_ENV=x node --expose-gc bench/all.mjs"}}'},
            "--expose-gc bench/all.mjs",
            "npm install\n",
        ),
        (
            {"package.json": '{"scripts": {"test": "tsc && vitest run"}}', "pnpm-lock.yaml": "x"},
            "node_modules/.bin/vitest run",
            "corepack enable\npnpm install --frozen-lockfile\n",
        ),
        ({"package.json": "{}", "package-lock.json": "{}", "benchmark/a.js": ""}, "benchmark/a.js", "npm ci\n"),
        (
            {"Cargo.toml": '[dev-dependencies]\ncriterion = "0.7"\n[[bench]]\nname = "parse"\n'},
            '"$program" --bench --profile-time 10',
            "cargo build --release --bins --examples\n",
        ),
        ({"Cargo.toml": "", "benches/sort.rs": ""}, "program=$(cargo bench --bench sort --no-run", "cargo build"),
        ({"Cargo.toml": "", "src/bin/bench_it.rs": ""}, "-- target/release/bench_it\n", "cargo build"),
        (
            {"Makefile": "all:\n\tcc x.c\ntest: all\n\t./t\nbench: all tables\n\t./b 3\n"},
            "perf record -F 999 -g -o perf.data -- ./b 3\n",
            "make CC='cc -g -fno-omit-frame-pointer' CXX='c++ -g -fno-omit-frame-pointer' all tables\n",
        ),
        ({"Makefile": "bench:\n\tcc x.c && ./a.out\n"}, "-- make bench\n", "make CC='cc -g"),
        ({"CMakeLists.txt": "project(x)\n"}, "-- ./bench\n", "CFLAGS=-fno-omit-frame-pointer CXXFLAGS"),
        ({"meson.build": "project('x')\n"}, "-- ./bench\n", "CFLAGS=-fno-omit-frame-pointer CXXFLAGS"),
        ({"pom.xml": "<project/>"}, 'mvn -B test -DargLine="-XX:StartFlightRecording=', ""),
        ({"build.gradle.kts": "a", "gradlew": "a"}, "./gradlew test --no-daemon --rerun-tasks --init-script", ""),
        ({"setup.py": SETUP, "bench/it's.py": "", "bench/x.txt": ""}, "-- python 'bench/it'\"'\"'s.py'\n", "pip"),
        ({"setup.py": SETUP, "bench/a b.py": ""}, "-- python 'bench/a b.py'\n", "pip"),
        ({"package.json": "{}", "bench/a b.js": ""}, "run-$PROFGATE_RUN.cpuprofile\" 'bench/a b.js'\n", "npm install"),
    ],
    ids=str,
)
def test_commands_and_installation_are_detected(
    files: dict[str, str], command: str, install: str, tmp_path: Path
) -> None:
    assert main(["init", str(made(tmp_path, files)), "--yes"]) == 0
    shell = shell_of(tmp_path)
    assert command in shell["RECORD"]
    prepared = shell.get("SETUP", "")
    assert f"\n{install}" in f"\n{prepared}"
    assert set(unpinned(written(tmp_path).read_text())) <= {"pip install "}  # the project's own requirements
    shown = subprocess.run(["sh", "-n", "-c", shell["RECORD"] + prepared], capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr


def test_runner_version_and_branch_come_from_workflows(tmp_path: Path) -> None:
    made(tmp_path, {"setup.py": SETUP, ".github/workflows/ci.yml": CI})
    assert main(["init", str(tmp_path), "--yes"]) == 0
    job = job_of(tmp_path)
    assert job["runs-on"] == ["self-hosted", "linux", "bench-1"]
    assert jobs_of(tmp_path)["profgate"]["runs-on"] == job["runs-on"]
    assert job["steps"][1] == {"uses": "actions/setup-python@v6", "with": {"python-version": "3.12"}}
    assert yaml.safe_load(written(tmp_path).read_text())[True]["push"]["branches"] == ["develop"]
    linted(written(tmp_path))


def test_branch_of_git_comes_first(tmp_path: Path) -> None:
    made(tmp_path, {"setup.py": SETUP, ".github/workflows/ci.yml": CI})
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "trunk", tmp_path], check=True)
    assert main(["init", str(tmp_path), "--yes"]) == 0
    assert yaml.safe_load(written(tmp_path).read_text())[True]["push"]["branches"] == ["trunk"]


HOSTILE = {
    "pyproject.toml": "[tool.pytest",
    "Makefile": "bench:\n\tpython x.py ${{ secrets.A }}\ntest:\n\tpython $(curl evil)\n",
    "tox.ini": "[testenv]\ncommands = python `id`.py\n",
    "package.json": '{"scripts": {"bench": "node \\u0000 ${{ github.token }}", "test": 7}}',
    "noxfile.py": '@nox.session\ndef bench(s):\n    s.run("python", "a;id")\n',
    "bench/$(id).py": "",
    ".github/workflows/a.yml": 'jobs: {a: {runs-on: "x\\ny", steps: [{uses: "actions/setup-python@v1 #", with: 3}]}}',
    ".github/workflows/b.yml": "on: {push: {branches: ['a]b', '**']}}\njobs: [1, {steps: {a: 1}}]\n",
    ".github/workflows/c.yml": "a: &a [*a]\n",
}


def test_hostile_files_do_not_reach_the_workflow(tmp_path: Path) -> None:
    assert main(["init", str(made(tmp_path, HOSTILE)), "--yes"]) == 0
    text = written(tmp_path).read_text()
    assert not re.search(r"secrets|github\.token|[$;`(]id\b|curl|evil", text)
    assert job_of(tmp_path)["runs-on"] == "ubuntu-latest"
    linted(written(tmp_path))


@pytest.mark.parametrize("name", ["a;id.py", "$(id).py", "`id`.py", "${{ github.token }}.py", "a\nid.py", "a#id.py"])
def test_hostile_names_of_files_are_not_used(tmp_path: Path, name: str) -> None:
    marks = ("pyproject.toml", "go.mod", "package.json", "Cargo.toml")
    files = dict.fromkeys(marks, "") | {f"{folder}/{name}": "" for folder in ("bench", "benches", "src/bin")}
    files |= {f"bench/{name[:-3]}.js": "", f"benches/{name[:-3]}.rs": "", f"{name[:-3]}/a_test.go": BENCHMARK}
    made(tmp_path, files)
    for language in ("Python", "Go", "Node", "Rust"):
        assert main(["init", str(tmp_path), "--yes", "--language", language]) == 0
        assert re.sub(r"[^\n]*Executable[^\n]*", "", shell_of(tmp_path)["RECORD"]).count("id") == 0
        assert "github.token" not in written(tmp_path).read_text()
        shutil.rmtree(tmp_path / ".github")


def test_links_out_of_the_repository_are_not_read(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    made(outside, {"bench/secret.py": "", "Makefile": "bench:\n\tpython secret.py\n", "package.json": "{}"})
    made(inside, {"requirements/all.txt": "pytest-benchmark\n"})
    for name in ("bench", "Makefile", "package.json"):
        (inside / name).symlink_to(outside / name)
    (inside / "requirements.txt").symlink_to("requirements/all.txt")
    for loop in ("perf", "benchmarks"):  # each link doubles the paths that a search follows
        (inside / loop).symlink_to(".")
    assert main(["init", str(inside), "--yes"]) == 0
    assert "secret" not in written(inside).read_text()
    assert "-- python -m pytest --benchmark-only\n" in shell_of(inside)["RECORD"]


@pytest.mark.parametrize("link", [".github", ".github/workflows", ".github/workflows/performance.yml"])
def test_no_link_is_followed_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str], link: str) -> None:
    outside, inside = made(tmp_path / "outside", {"kept": ""}), made(tmp_path / "inside", {"setup.py": SETUP})
    (inside / link).parent.mkdir(parents=True, exist_ok=True)
    (inside / link).symlink_to(outside / "kept" if link.endswith("yml") else outside)
    assert main(["init", str(inside), "--yes"]) == 2
    assert "performance.yml: is a link or in a folder that is a link" in capsys.readouterr().err
    assert [path.name for path in outside.rglob("*")] == ["kept"]
    assert (outside / "kept").read_text() == ""


def test_name_of_a_replaced_workflow_must_be_plain(tmp_path: Path) -> None:
    name = "a: ${{ github.token }}"
    made(tmp_path, {"setup.py": SETUP, f".github/workflows/{name}.yml": "uses: profgate/profgate@v1\n"})
    terminal = Terminal(str(tmp_path))
    terminal.answer("uses profgate already. Replace it?", "y\n")
    for question in ("Command", "Command that installs it", "Runner", "Base branch"):
        terminal.answer(question, "\n")
    assert terminal.end() == 2
    assert "cannot be the name of a workflow; rename the file" in terminal.shown
    assert written(tmp_path, name).read_text() == "uses: profgate/profgate@v1\n"


def test_long_lines_cost_no_long_time(tmp_path: Path) -> None:
    """A try that goes back from every blank or brace would take many minutes."""
    for number, tail in enumerate((" " * 900_000 + "x", "{posargs" * 100_000)):
        place = made(tmp_path / str(number), {"tox.ini": f"[testenv]\ncommands =\n  pytest{tail}\n"})
        assert main(["init", str(place), "--yes"]) == 0


def test_existing_files_are_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = tmp_path / ".github" / "profgate.yml"
    made(tmp_path, {"setup.py": SETUP, ".github/workflows/performance.yml": "name: other\n"})
    policy.write_text("gate: {fail-on: never}\n")
    assert main(["init", str(tmp_path), "--yes"]) == 0
    assert written(tmp_path).read_text() == "name: other\n"
    assert policy.read_text() == "gate: {fail-on: never}\n"
    assert "profgate/profgate@v1" in written(tmp_path, "profgate").read_text()
    capsys.readouterr()
    assert main(["init", str(tmp_path), "--yes"]) == 2
    assert "uses profgate already; nothing was written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--command", "echo ${{ secrets.x }}"], "without ${{"),
        (["--command", "a\nb"], "one line of shell"),
        (["--install", "a\nb"], "one line of shell"),
        (["--branch", "x]\n"], "is not a branch"),
        (["--runner", "${{ matrix.os }}"], "is not a label of a runner"),
    ],
)
def test_invalid_workflow_values_are_refused(
    words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(made(tmp_path, {"setup.py": SETUP})), "--yes", *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / ".github").exists()


def test_unknown_language_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path), "--yes"]) == 2
    assert f"{tmp_path}: contains none of pyproject.toml, setup.py, " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["init", str(tmp_path), "--yes", "--language", "native code"]) == 0


def test_missing_folder_is_not_created(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path / "none"), "--yes", "--language", "Go"]) == 2
    assert "is not a folder; specify the root folder of a repository" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_pull_request_code_has_a_read_only_token(repository: Path) -> None:
    assert main(["init", str(repository), "--yes"]) == 0
    jobs = jobs_of(repository)
    assert set(jobs["measure"]["permissions"].values()) == {"read"}
    assert jobs["profgate"]["permissions"] == {"contents": "read", "pull-requests": "write"}
    content = yaml.safe_load(written(repository).read_text())
    assert content["permissions"] == {}
    assert list(jobs_with_code_and_a_writing_token(content)) == []


@pytest.mark.parametrize(
    ("seconds", "rate", "runs", "enough"),
    [(None, 1000, 5, False), (0.01, 1000, 50, False), (0.4, 1000, 25, True), (4, 1000, 5, True), (60, 100, 5, True)],
)
def test_rate_and_runs_give_enough_samples(seconds: float | None, rate: int, runs: int, enough: bool) -> None:
    extent = extent_for(1000, seconds)
    assert (extent.rate, extent.runs, extent.enough) == (rate, runs, enough)


def test_measured_command_is_recorded_often_enough(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, {"setup.py": SETUP, "bench.py": ""})
    assert main(["init", str(tmp_path), "--yes", "--measure", "--command", "true"]) == 0
    text = written(tmp_path).read_text()
    for shown in (text, capsys.readouterr().out):
        assert re.search(r"50 runs of 0\.\d s at 1,000 samples a second give about [\d,]+ samples\.", shown)
        assert "10,000 are needed: let the command do" in shown
    assert "seq 50" in text
    assert "--budget 5m" in text


def test_go_iterations_follow_the_measured_time(tmp_path: Path) -> None:
    output = "BenchmarkX-2   100   40000000 ns/op   3 B/op\nBenchmarkY-2  100  10000000.5 ns/op\n"
    made(tmp_path, {"go.mod": "module x\n", "a_test.go": BENCHMARK, "out.txt": output})
    command = "cat out.txt; : -benchtime 1000x"
    assert main(["init", str(tmp_path), "--yes", "--measure", "--command", command]) == 0
    assert ": -benchtime 440x -o" in shell_of(tmp_path)["RECORD"]
    assert "5 runs of 22.0 s at 100 samples a second give about 11,000 samples." in written(tmp_path).read_text()


@pytest.mark.parametrize(
    ("mark", "command", "message"),
    [
        ("pom.xml", "mvn -B test", "takes the time of the build tool for that of the tests"),
        ("go.mod", "true -benchtime 10x", "found no benchmark in the output"),
        ("setup.py", "exit 3", "ended with exit code 3"),
    ],
)
def test_unmeasurable_command_is_an_error(
    mark: str, command: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(made(tmp_path, {mark: "x"})), "--yes", "--measure", "--command", command]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / ".github").exists()


def test_without_a_terminal_nothing_is_asked(tmp_path: Path) -> None:
    made(tmp_path, {"setup.py": SETUP, "bench/cart.py": ""})
    command = [sys.executable, "-m", "profgate", "init", str(tmp_path)]
    done = subprocess.run(command, input="never read\n", capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("Standard input is not a terminal")
    assert "Records: python bench/cart.py (bench/cart.py)." in done.stdout
    assert "never read" not in written(tmp_path).read_text()


class Terminal:
    """``profgate init`` at a terminal of its own."""

    def __init__(self, *words: str) -> None:
        try:
            self._master, slave = pty.openpty()
        except OSError as error:  # a bare container may have none
            pytest.skip(f"no terminal can be opened here: {error}")
        command = [sys.executable, "-m", "profgate", "init", *words]
        self._process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, close_fds=True)
        os.close(slave)
        self.shown = ""

    def answer(self, question: str, text: str) -> None:
        """Waits for the question, then types."""
        asked = len(self.shown)
        self._read(lambda: question in self.shown[asked:] and self.shown.endswith("]: "))
        os.write(self._master, text.encode())

    def end(self) -> int:
        self._read(lambda: False)
        os.close(self._master)
        return self._process.wait(timeout=30)

    def _read(self, enough: Any) -> None:
        latest = time.monotonic() + 60
        while not enough():
            if time.monotonic() > latest:
                self._process.kill()
                pytest.fail(f"waited in vain at: {self.shown}")
            if not select.select([self._master], [], [], 1)[0]:
                continue
            try:
                data = os.read(self._master, 4096)
            except OSError:  # how Linux says that nobody writes any more
                return
            if not data:
                return
            self.shown += data.decode().replace("\r\n", "\n")


def test_questions_accept_number_text_or_empty_line(tmp_path: Path) -> None:
    made(tmp_path, {"setup.py": SETUP, "bench/a.py": "", "bench/b.py": "", ".github/workflows/ci.yml": CI})
    terminal = Terminal(str(tmp_path))
    terminal.answer("Command to record", "2\n")
    terminal.answer("Command that installs it", "pip install .\n")
    terminal.answer("Runner", "\n")
    terminal.answer("Base branch", "bad]branch\n")
    terminal.answer("is not a branch", "release/1.x\n")
    assert terminal.end() == 0
    assert "  1. python bench/a.py (bench/a.py)\n  2. python bench/b.py (bench/b.py)\n" in terminal.shown
    assert "-- python bench/b.py\n" in shell_of(tmp_path)["RECORD"]
    assert shell_of(tmp_path)["SETUP"].endswith("\nEND\npip install .\n")
    assert yaml.safe_load(written(tmp_path).read_text())[True]["push"]["branches"] == ["release/1.x"]
    assert job_of(tmp_path)["runs-on"] == ["self-hosted", "linux", "bench-1"]


def test_language_is_chosen_among_several(tmp_path: Path) -> None:
    terminal = Terminal(str(made(tmp_path, {"setup.py": SETUP, "go.mod": "module x\n"})))
    terminal.answer("Language", "Cobol\n")
    terminal.answer("is none of", "2\n")
    for question in ("Command", "Command that installs it", "Runner", "Base branch"):
        terminal.answer(question, "\n")
    assert terminal.end() == 0
    assert "go test" in shell_of(tmp_path)["RECORD"]


@pytest.mark.parametrize(("answer", "replaced"), [("n", False), ("", False), ("y", True)])
def test_existing_workflow_is_replaced_after_a_yes(tmp_path: Path, answer: str, replaced: bool) -> None:
    ours = "uses: profgate/profgate@v1\n"
    made(tmp_path, {"setup.py": SETUP, ".github/workflows/perf.yml": ours, ".github/profgate.yml": "gate: {}\n"})
    terminal = Terminal(str(tmp_path))
    terminal.answer("uses profgate already. Replace it?", f"{answer}\n")
    if not replaced:
        assert terminal.end() == 2
        assert "nothing was written" in terminal.shown
        assert written(tmp_path, "perf").read_text() == ours
        return
    for question in ("Command", "Command that installs it", "Runner", "Base branch"):
        terminal.answer(question, "\n")
    terminal.answer(".github/profgate.yml exists. Replace it?", "no\n")
    assert terminal.end() == 0
    assert "name: perf\n" in written(tmp_path, "perf").read_text()
    assert (tmp_path / ".github" / "profgate.yml").read_text() == "gate: {}\n"


def test_end_of_input_writes_no_files(tmp_path: Path) -> None:
    terminal = Terminal(str(made(tmp_path, {"setup.py": SETUP})))
    terminal.answer("Command", "\x04")
    assert terminal.end() == 2
    assert not (tmp_path / ".github").exists()
