"""The newest tools that install here record a known program, and profgate reads what the tools report themselves.

Also, each command that a message advises for a file that is not read is run, and what it writes is read.
"""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.registry import read_profile
from stack_rows import rows

pytestmark = pytest.mark.full
PACKAGES = "asv memray py-spy pyinstrument pyperf pytest pytest-benchmark pytest-codspeed scalene viztracer yappi"
MODULES = "bun deno mitata tinybench vitest"
PROGRAMS = {
    "burn.py": """
        def spin(n):
            return sum(i * i for i in range(n))
        def heavy(): return [spin(600) for _ in range(20)]
        def medium(): return [spin(300) for _ in range(20)]
        def light(): return [spin(100) for _ in range(20)]
        def work():
            for _ in range(400):
                heavy(); medium(); light()
        if __name__ == "__main__":
            work()
        """,
    "keep.py": """
        def heavy(kept): kept.append(bytearray(600_000))
        def medium(kept): kept.append(bytearray(300_000))
        def light(kept): kept.append(bytearray(100_000))
        def work(kept):
            for _ in range(20):
                heavy(kept); medium(kept); light(kept)
        work([])
        """,
    "test_burn.py": """
        import burn
        def test_heavy(): [burn.heavy() for _ in range(40)]
        def test_medium(): [burn.medium() for _ in range(40)]
        """,
    "test_rounds.py": """
        import burn
        def test_heavy(benchmark): benchmark(burn.heavy)
        def test_medium(benchmark): benchmark(burn.medium)
        """,
    "bench.py": """
        import burn, pyperf
        runner = pyperf.Runner(processes=2, values=3, warmups=1)
        runner.bench_func("heavy", burn.heavy)
        runner.bench_func("medium", burn.medium)
        """,
    "benchmarks/__init__.py": "",
    "benchmarks/shop.py": """
        def time_heavy(): sum(i * i for i in range(20000))
        def time_medium(): sum(i * i for i in range(10000))
        """,
    "asv.conf.json": '{"version": 1, "project": "a", "repo": ".", "environment_type": "existing"}',
    "c/burn.c": """
        #include <stdlib.h>
        #include <string.h>
        volatile long sum;
        void *volatile kept;
        #define SPIN(n) for (long i = 0; i < n; i++) sum += i
        __attribute__((noinline)) void heavy(void) { SPIN(60000); kept = memset(malloc(600), 1, 600); sum++; }
        __attribute__((noinline)) void medium(void) { SPIN(30000); kept = memset(malloc(300), 1, 300); sum++; }
        __attribute__((noinline)) void light(void) { SPIN(10000); kept = memset(malloc(100), 1, 100); sum++; }
        __attribute__((noinline)) void work(int n) { for (int i = 0; i < n; i++) { heavy(); medium(); light(); } }
        int main(int c, char **v) { work(c > 1 ? atoi(v[1]) : 1000); return 0; }
        """,
    "go.mod": "module shop\n\ngo 1.21\n",
    "shop.go": """
        package shop
        var Sum int
        //go:noinline
        func spin(n int) { for i := 0; i < n; i++ { Sum += i % 7 } }
        //go:noinline
        func Heavy() { spin(60000) }
        //go:noinline
        func Medium() { spin(30000) }
        //go:noinline
        func Light() { spin(10000) }
        func Work() { Heavy(); Medium(); Light() }
        """,
    "shop_test.go": """
        package shop
        import "testing"
        func TestHeavy(t *testing.T) { for i := 0; i < 500; i++ { Heavy() } }
        func TestMedium(t *testing.T) { for i := 0; i < 500; i++ { Medium() } }
        func BenchmarkHeavy(b *testing.B) { for i := 0; i < b.N; i++ { Heavy() } }
        func BenchmarkMedium(b *testing.B) { for i := 0; i < b.N; i++ { Medium() } }
        func BenchmarkWork(b *testing.B) { for i := 0; i < b.N; i++ { Work() } }
        """,
    "Burn.java": """
        public class Burn {
            static volatile long sum;
            static void spin(long n) { for (long i = 0; i < n; i++) sum += i; }
            static void heavy() { spin(60000); }
            static void medium() { spin(30000); }
            static void light() { spin(10000); }
            public static void main(String[] a) { for (int i = 0; i < 4000; i++) { heavy(); medium(); light(); } }
        }
        """,
    "burn.js": """
        let sum = 0;
        function spin(n) { for (let i = 0; i < n; i++) sum += Math.sqrt(i); }
        function heavy() { spin(60000); }
        function medium() { spin(30000); }
        function light() { spin(10000); }
        for (let i = 0; i < 3000; i++) { heavy(); medium(); light(); }
        """,
    "keep.js": """
        globalThis.kept = [];
        function fill(n) { const a = []; for (let i = 0; i < n; i++) a.push({ i }); kept.push(a); }
        function heavy() { fill(6000); }
        function medium() { fill(3000); }
        function light() { fill(1000); }
        for (let k = 0; k < 50; k++) { heavy(); medium(); light(); }
        """,
    "spin.mjs": """
        export function heavy() { let s = 0; for (let i = 0; i < 60000; i++) s += Math.sqrt(i); return s; }
        export function medium() { let s = 0; for (let i = 0; i < 30000; i++) s += Math.sqrt(i); return s; }
        """,
    "shop.bench.mjs": """
        import { test } from 'vitest';
        import { heavy, medium } from './spin.mjs';
        test('shop', async ({ bench }) => {
            await bench('heavy', heavy).run();
            await bench('medium', medium).run();
        });
        """,
    "tasks.mjs": """
        import { Bench } from 'tinybench';
        import { heavy, medium } from './spin.mjs';
        const bench = new Bench().add('heavy', heavy).add('medium', medium);
        await bench.run();
        console.log(JSON.stringify(bench.tasks.map(({ name, result }) => ({ name, result }))));
        """,
    "mitata.mjs": """
        import { bench, run } from 'mitata';
        import { heavy, medium } from './spin.mjs';
        bench('heavy', heavy);
        bench('medium', medium);
        await run({ format: { json: { samples: false, debug: false } } });
        """,
    "burn.php": """
        <?php
        function spin($n) { $s = 0; for ($i = 0; $i < $n; $i++) { $s += $i; } return $s; }
        function heavy() { spin(60000); }
        function medium() { spin(30000); }
        function light() { spin(10000); }
        for ($i = 0; $i < 100; $i++) { heavy(); medium(); light(); }
        """,
}
COMMIT = "git init -q . && git add . && git -c user.name=a -c user.email=a@b commit -qm a"
VALGRIND, RECORD, HYPERFINE = "valgrind --tool=", "perf record -F 499 -g -o a.data", "hyperfine -N -r 3"
NPM = "ln -s $NODE_MODULES node_modules"
TRACE = "--trace-event-categories disabled-by-default-v8.cpu_profiler --trace-event-file-pattern a.json"
C = "cc -g -O1 -fno-omit-frame-pointer -no-pie -o burn c/burn.c"
JAVA = "javac -g Burn.java && java -XX:StartFlightRecording=filename=a.jfr,settings=profile Burn"


class Owner(NamedTuple):
    """A command of the tool that prints the total of a metric, and a pattern that finds it."""

    command: str
    total: str
    metric: str = ""


class Tool(NamedTuple):
    """A shell command that writes ``file``. The programs in ``needs`` must be installed."""

    name: str
    needs: str
    record: str
    file: str
    owner: Owner | None = None
    tolerance: float = 0.12  # of shares; samplers have noise, in particular on a busy machine


ASV = "asv machine --yes; asv run -E existing --set-commit-hash $(git rev-parse HEAD)"
CODSPEED = "pytest -p no:benchmark --codspeed --codspeed-mode walltime test_rounds.py"
MEMRAY = "memray run -f -o a.bin keep.py"
STATS = Owner("memray stats a.bin", r"Total allocations:\s+([\d,]+)", "allocations")
CALLGRIND = Owner("callgrind_annotate a.out", r"([\d,]+) \(100.0%\)  PROGRAM TOTALS", "Ir")
CACHEGRIND = Owner("cg_annotate a.out", r"([\d,]+) \(100.0%\).*PROGRAM TOTALS", "Ir")
DHAT = Owner("cat a.log", r"Total: +([\d,]+) bytes", "allocated")
PERF = Owner("perf report -i a.data --stdio", r"Event count \(approx.\): (\d+)")
PPROF = Owner("go tool pprof -unit ns -top a.pb.gz", r"Total samples = ([\d.]+)ns", "cpu")
TOOLS = [
    Tool("cProfile", "python", "python -m cProfile -o a.pstats burn.py", "a.pstats"),
    Tool("py-spy raw", "py-spy", "py-spy record -r 200 --format raw -o a.folded -- python burn.py", "a.folded"),
    Tool("py-spy", "py-spy", "py-spy record -r 200 --format speedscope -o a.json -- python burn.py", "a.json"),
    Tool("pyinstrument", "python", "pyinstrument -r json -o a.json burn.py", "a.json"),
    Tool("viztracer", "python", "viztracer --tracer_entries 3000000 -o a.json burn.py", "a.json"),
    Tool("yappi", "python", "yappi -f pstat -o a.pstat burn.py", "a.pstat"),
    Tool("memray stats", "memray", f"{MEMRAY}; memray stats --json -o a.json a.bin", "a.json", STATS),
    Tool("pyperf", "python", "python bench.py -o a.json --inherit-environ=PYTHONPATH", "a.json"),
    Tool("pytest-benchmark", "python", "pytest -p no:codspeed --benchmark-json=a.json test_rounds.py", "a.json"),
    Tool("pytest-codspeed", "python", CODSPEED, ".codspeed/results_*.json"),
    Tool("asv", "git asv", f"{COMMIT}; {ASV}", "results/*/????????-*.json"),
    Tool("pytest", "python", "pytest --junitxml=a.xml test_burn.py", "a.xml"),
    Tool(
        "callgrind", "valgrind cc", f"{C}; {VALGRIND}callgrind --callgrind-out-file=a.out ./burn 5", "a.out", CALLGRIND
    ),
    Tool(
        "cachegrind",
        "valgrind cc",
        f"{C}; {VALGRIND}cachegrind --cachegrind-out-file=a.out ./burn 5",
        "a.out",
        CACHEGRIND,
    ),
    Tool(
        "dhat", "valgrind cc", f"{C}; {VALGRIND}dhat --dhat-out-file=a.json ./burn 100 2> a.log", "a.json", DHAT, 0.001
    ),
    Tool("perf", "perf cc", f"{C}; {RECORD} ./burn 4000; perf script -i a.data > a.txt", "a.txt", PERF),
    Tool("go cpu", "go", "go test -run ^$ -bench Work -benchtime 1s -cpuprofile a.pb.gz .", "a.pb.gz", PPROF),
    Tool("go bench", "go", "go test -run ^$ -bench '[ym]$' . > a.txt", "a.txt"),
    Tool("go bench json", "go", "go test -json -run ^$ -bench '[ym]$' . > a.json", "a.json"),
    Tool("go test", "go", "go test -json -count=1 -run . . > a.json", "a.json"),
    Tool("hyperfine", "hyperfine cc", f"{C}; {HYPERFINE} --export-json a.json './burn 100' './burn 50'", "a.json"),
    Tool("node", "node", "node --cpu-prof --cpu-prof-name=a.cpuprofile burn.js", "a.cpuprofile"),
    Tool("node trace", "node", f"node --cpu-prof {TRACE} burn.js", "a.json"),
    Tool(
        *("node heap", "node", "node --heap-prof --heap-prof-interval=1024 --heap-prof-name=a.heapprofile keep.js"),
        "a.heapprofile",
    ),
    Tool("deno", "deno", "deno run -A --cpu-prof --cpu-prof-name=a.cpuprofile burn.js", "a.cpuprofile"),
    Tool("bun", "bun", "bun --cpu-prof --cpu-prof-name=a.cpuprofile burn.js", "a.cpuprofile"),
    Tool("vitest", "vitest", f"{NPM}; vitest bench --run --reporter=json --outputFile=a.json", "a.json"),
    Tool("tinybench", "node npm", f"{NPM}; node tasks.mjs > a.json", "a.json"),
    Tool("mitata", "node npm", f"{NPM}; node mitata.mjs > a.json", "a.json"),
    Tool("xdebug", "php", "php -d xdebug.mode=profile -d xdebug.output_dir=. burn.php", "cachegrind.out.*"),
]
# commands that record a file that is not read; advice for it is run with these names instead of its placeholders
NAMES = {"RECORDING": "a.*[nr]", "DUMP": "a.dump", "PROGRAM": "./burn", "SCRIPT": "burn.py", "CMD": "./burn"}
XDEBUG = "-d xdebug.start_with_request=yes -d xdebug.output_dir=."
FOLDED = "echo 'work;heavy 6\nwork;medium 3\nwork;light 1' > a.folded"
ADVICE = [
    Tool("heap snapshot", "bun node", "bun --heap-prof --heap-prof-name=b.json keep.js; cp keep.js burn.py", "b.json"),
    Tool("vitest text", "vitest", f"{NPM}; vitest bench --run > a.txt", "a.txt"),
    Tool("perf.data", "perf cc", f"{C}; {RECORD} ./burn 4000", "a.data"),
    Tool("perf report", "perf cc", f"{C}; perf record -o perf.data ./burn; perf report -i perf.data > a.txt", "a.txt"),
    Tool("perf stat", "perf cc hyperfine", f"{C}; perf stat -o a.log ./burn 9; tail -n +3 a.log > a.txt", "a.txt"),
    Tool("gmon.out", "perf cc", f"{C} -pg; ./burn 900; {C}", "gmon.out"),
    Tool("gprof", "perf gprof cc", f"{C} -pg; ./burn 900; gprof ./burn gmon.out > a.txt; {C}", "a.txt"),
    Tool("massif", "valgrind cc", f"{C}; {VALGRIND}massif --massif-out-file=a.out ./burn 9", "a.out"),
    Tool("program", "perf cc", C, "burn"),
    Tool("heaptrack", "heaptrack cc", f"{C}; heaptrack -o a ./burn 100", "a.zst"),
    Tool("flight recording", "javac jfr", JAVA, "a.jfr"),
    Tool("jfr print", "javac jfr", f"{JAVA}; jfr print --events jdk.ExecutionSample a.jfr > b.txt", "b.txt"),
    Tool("memray", "memray", MEMRAY, "a.bin"),
    Tool("memray table", "memray", f"{MEMRAY}; memray transform csv -o a.csv a.bin", "a.csv"),
    Tool("memray graph", "memray", f"{MEMRAY}; memray transform gprof2dot -o b.json a.bin", "b.json"),
    Tool("scalene", "scalene py-spy", "scalene run --cpu-only -o b.json burn.py", "b.json"),
    Tool("profile", "python", "python -m profile -o b.pstats keep.py", "b.pstats"),
    Tool("printed statistics", "python", "python -m cProfile burn.py > a.txt", "a.txt"),
    Tool("pyinstrument text", "python", "pyinstrument burn.py > a.txt", "a.txt"),
    Tool("pyinstrument pstats", "python", "pyinstrument -r pstats -o b.pstats burn.py", "b.pstats"),
    Tool("pyinstrument session", "python", "pyinstrument -r session -o b.pyisession burn.py", "b.pyisession"),
    Tool("pytest text", "python", "pytest test_burn.py > a.txt", "a.txt"),
    Tool("go test text", "go", "go test -v -run . . > a.txt", "a.txt"),
    Tool("go trace", "go", "go test -run ^$ -bench Work -trace a.trace .", "a.trace"),
    Tool("hyperfine text", "hyperfine cc", f"{C}; {HYPERFINE} './burn 100' > a.txt", "a.txt"),
    Tool("node test", "node", 'echo \'require("node:test")("a")\' > a.test.js; echo TAP version 13 > a.tap', "a.tap"),
    Tool(
        "node --prof",
        "node",
        "node --prof --no-logfile-per-isolate --logfile=a.log burn.js; cp burn.js burn.py",
        "a.log",
    ),
    Tool(
        "xdebug trace",
        "php",
        f"php -d xdebug.mode=trace {XDEBUG} burn.php; cp burn.php burn.py",
        "*.xt",
    ),
    Tool("lz4", "lz4", f"{FOLDED}; lz4 -q a.folded a.lz4; rm a.folded", "a.lz4"),
    Tool("bzip2", "bzip2", f"{FOLDED}; bzip2 a.folded", "a.folded.bz2"),
    Tool("xz", "xz", f"{FOLDED}; xz a.folded", "a.folded.xz"),
    Tool("tar", "tar", f"{FOLDED}; tar -czf a.tar.gz a.folded", "a.tar.gz"),
]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The variables of a shell in which the newest tools of Python and JavaScript are installed."""
    folder = tmp_path_factory.mktemp("tools")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    for package in PACKAGES.split():  # one that does not install leaves the others
        subprocess.run([str(folder / "bin" / "pip"), "install", "-q", "--upgrade", package], check=False)
    modules = folder / "node_modules"
    path = os.pathsep.join([str(folder / "bin"), str(modules / ".bin"), os.environ["PATH"]])
    variables = {**os.environ, "PATH": path, "GOTOOLCHAIN": "local", "NODE_MODULES": str(modules)}
    for packages in ("node", MODULES) if shutil.which("npm") else ():  # npm selects versions for the installed Node
        npm = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), *packages.split()]
        subprocess.run(npm, check=False, env=variables)
    return variables


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    for name, text in PROGRAMS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(textwrap.dedent(text).lstrip("\n"))
    yield tmp_path
    shutil.rmtree(tmp_path)


def run(command: str, folder: Path, environment: dict[str, str]) -> str:
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**environment, "PYTHONPATH": str(folder)},
        capture_output=True,
        timeout=300,
        check=False,
    )
    return (done.stdout + done.stderr).decode(errors="replace")


def recorded(tool: Tool, folder: Path, environment: dict[str, str]) -> Path:
    lacking = [name for name in tool.needs.split() if shutil.which(name, path=environment["PATH"]) is None]
    if lacking:
        pytest.skip(f"not installed: {', '.join(lacking)}")
    printed = run(tool.record, folder, environment)
    found = sorted(folder.glob(tool.file))
    assert found, f"{tool.record} wrote no {tool.file}: {printed[-800:]}"
    return found[0]


def shares(profile: Profile, metric: int) -> dict[str, float]:
    """The parts of heavy, medium and light in what these three take."""
    amounts = dict.fromkeys(("heavy", "medium", "light"), 0.0)
    for name in amounts:
        pattern = re.compile(rf"(?i)\b(?:\w+[._:])*_?(?:test|benchmark|time)?_?{name}\b")
        matching = [number for number, frame in enumerate(profile.frames.names) if pattern.search(frame)]
        if profile.graph is not None:
            amounts[name] = float(profile.graph.total_value[metric][matching].sum())
        elif profile.measurements is not None:
            amounts[name] = sum(
                float(amount)
                for frame, amount in zip(profile.measurements.frame, profile.measurements.amount, strict=True)
                if frame in matching
            )
        else:
            amounts[name] = sum(values[metric] for path, values in rows(profile) if pattern.search(path))
    total = sum(amounts.values())
    return {name: amount / total for name, amount in amounts.items()} if total else {}


@pytest.mark.parametrize("tool", TOOLS, ids=[tool.name for tool in TOOLS])
def test_newest_tool_is_read(tool: Tool, folder: Path, environment: dict[str, str]) -> None:
    path = recorded(tool, folder, environment)
    profile = read_profile(source_of(path.name, path.read_bytes()))
    names = [metric.name for metric in profile.metrics]
    metric = names.index(tool.owner.metric) if tool.owner and tool.owner.metric else 0
    found = shares(profile, metric)
    assert found or tool.name in {"memray stats", "hyperfine"}  # which measure whole programs
    if found.get("light"):
        assert found == pytest.approx({"heavy": 0.6, "medium": 0.3, "light": 0.1}, abs=tool.tolerance)
    elif found:  # a benchmark runner measures two functions
        assert found["heavy"] / found["medium"] == pytest.approx(2, abs=1.2)
    if tool.owner:
        printed = run(tool.owner.command, folder, environment)
        number = re.search(tool.owner.total, printed)
        assert number, printed[:2000]
        assert total_of(profile, metric) == pytest.approx(float(number[1].replace(",", "")), rel=0.01)


def total_of(profile: Profile, metric: int) -> float:
    if profile.graph is not None:
        return float(profile.graph.self_value[metric].sum())
    if profile.measurements is not None:
        return float(profile.measurements.amount[profile.measurements.of_metric(metric)].sum())
    assert profile.stacks is not None
    return float(profile.stacks.values[metric].sum() + profile.stacks.root_values[metric])


@pytest.mark.parametrize("tool", ADVICE, ids=[tool.name for tool in ADVICE])
def test_advised_command_writes_what_is_read(tool: Tool, folder: Path, environment: dict[str, str]) -> None:
    path = recorded(tool, folder, environment)
    with pytest.raises(ProfileError) as caught:
        read_profile(source_of(path.name, path.read_bytes()))
    command = re.split(r"(?:run|record|stacks with|record with): ", caught.value.what)[-1]
    for name, value in NAMES.items():
        command = re.sub(rf"\b{name}\b", value, command)
    before = {file: file.stat().st_mtime_ns for file in folder.iterdir()}
    printed = run(command, folder, environment)
    read = []
    for file in folder.glob("*"):
        if before.get(file) == file.stat().st_mtime_ns:
            continue
        try:
            read.append(read_profile(source_of(file.name, file.read_bytes())))
        except (ProfileError, OSError):
            continue
    assert read, f"{command} wrote nothing that is read: {printed[-800:]}"
    assert any(profile.frames.names for profile in read)
