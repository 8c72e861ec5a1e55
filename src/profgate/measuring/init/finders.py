"""Finders of Python, Go, Rust and Java: lists of the files that declare benchmarks or tests, and how these run."""

import re
import shlex
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import PurePosixPath

from profgate.measuring.init.candidates import (
    PLAIN,
    Candidate,
    Files,
    Kind,
    joined,
    spread,
    subtable,
    table_of,
    within,
)
from profgate.model.record import Record

MARKS = {  # the files of a project whose benchmarks are not those of a project around it
    "Python": ("pyproject.toml",),
    "Go": ("go.mod",),
    "Node": ("package.json",),
    "Rust": ("Cargo.toml",),
    "Java": ("pom.xml", "build.gradle", "build.gradle.kts"),
}
EACH, FOLDER, ALL = "{path}", "{parent}", ""  # what the files of one command have in common


class Declared(Record):
    """Files that declare benchmarks or tests, and the command that runs them.

    ``places`` are the patterns of their paths, separated by spaces. Their text contains ``needs`` and not ``without``,
    and ``functions`` matches the names of the benchmarks in it. ``group`` is what the files of one command have in
    common. In ``command`` and ``setup``, ``{path}`` is the first file, ``{paths}`` are all,
    ``{name}`` and ``{parent}`` are its name and folder, and ``{functions}`` and ``{words}`` name its benchmarks.
    The finder of a language may add other values.
    """

    places: str
    command: str
    setup: str = ""
    needs: str = ""
    without: str = "(?!)"
    functions: str = "(?!)"
    kind: Kind = Kind.BENCHMARK
    timed: bool = False
    group: str = EACH


def declared(
    language: str,
    rows: Sequence[Declared],
    files: Files,
    folder: str,
    prepared: Callable[[str], tuple[str, ...]],
    more: Callable[[str], Mapping[str, str]] = lambda _: {},
) -> Iterator[Candidate]:
    """Return the commands for the files of a project that fit a row. Only the first row of a kind counts for a file.

    Files of projects inside this one do not count. ``prepared`` returns the lines of a setup for the text of the row,
    and ``more`` returns further values for the first file of a command.
    """
    here, seen = files.inside(folder), set[tuple[Kind, str]]()
    marks = chain.from_iterable(here.listed(f"**/{mark}") for mark in MARKS[language])
    nested = tuple(mark[: mark.rfind("/") + 1] for mark in marks if "/" in mark)
    for row in rows:
        groups = defaultdict[str, list[str]](list)
        found = {path for place in row.places.split() for path in here.listed(place) if PLAIN.fullmatch(path)}
        for path in sorted(found, key=lambda path: (path.count("/"), path)):
            text = "" if path.startswith(nested) or (row.kind, path) in seen else here.read(path) or "\n"
            if text and re.search(row.needs, text, re.MULTILINE) and not re.search(row.without, text, re.MULTILINE):
                seen.add((row.kind, path))
                groups[row.group.format(path=path, parent=path.rpartition("/")[0])].append(path)
        for paths in groups.values():
            texts = "\n".join(map(here.read, paths))
            functions, first = re.findall(row.functions, texts, re.MULTILINE), PurePosixPath(paths[0])
            values = {
                "path": shlex.quote(paths[0]),
                "paths": shlex.join(paths),
                "name": shlex.quote(PurePosixPath(paths[0].removesuffix("/main.rs")).stem),
                "parent": shlex.quote(f"./{first.parent}".removesuffix("/.")),
                "functions": "|".join(spread(functions)),
                "words": " ".join(spread(functions)),
                **more(paths[0]),
            }
            command, setup = row.command.format(**values), prepared(row.setup.format(**values))
            place, size = paths[0], len(functions)
            yield Candidate(language, command, place, row.kind, folder, folder, setup, size, timed=row.timed)


def _program(here: Files, path: str) -> str:
    """Return the file as an argument of its interpreter. A module of a package of Python runs as a module."""
    packages = [parent for parent in PurePosixPath(path).parents if here.listed(f"{parent}/__init__.py")]
    module = PurePosixPath(path).with_suffix("").parts[-len(packages) - 1 :]
    return f"-m {shlex.quote('.'.join(module))}" if packages else shlex.quote(path)


GROUPS = ("bench", "benchmark", "benchmarks", "test", "tests", "testing", "dev")
REQUIREMENTS = ("requirements.txt", *(f"requirements{sign}{name}.txt" for sign in "-_/" for name in GROUPS))
PY_FOLDERS = " ".join(f"**/{folder}/[!_]*.py" for folder in ("bench", "benches", "benchmark", "benchmarks", "perf"))
PY_FILES = f"**/bench*.py **/perf_*.py {PY_FOLDERS}"
SETTINGS = "pyproject.toml requirements.txt setup.cfg tox.ini pytest.ini"
PY_TEST, FIXTURE = r"^(?:async )?def test_\w+\(|^class Test\w+", r"^[ \t]*def test_\w+\([^)]{0,500}\bbenchmark\b"
TOP_LEVEL = r"^(?:if __name__|for |while |with |[\w.]{1,200}\()|\A\s*\Z"
PLUGIN, PYTEST = "pytest pytest-benchmark {further}", "python -m pytest --benchmark-only"
SCRIPTS = (
    Declared(PY_FILES, f"{PYTEST} {{path}}", PLUGIN, FIXTURE, "codspeed", timed=True),
    Declared(PY_FILES, "python -m pytest {path}", "pytest {further}", PY_TEST),
    # without these options, pyperf starts other processes
    Declared(PY_FILES, "python {program} --debug-single-value --loops 1", "pyperf {further}", "pyperf"),
    Declared(PY_FILES, "python {program}", "{further}", TOP_LEVEL, r"^setup\("),
    Declared(SETTINGS, PYTEST, "{tox} pytest", "pytest.benchmark", timed=True, group=ALL),
    Declared(
        f"{SETTINGS} **/test_*.py **/conftest.py",
        "python -m pytest",
        "{tox} pytest",
        "pytest|def test",
        kind=Kind.TESTS,
        group=ALL,
    ),
    Declared(
        "**/*test*.py",
        "python -m pytest {paths}",
        "{tox} pytest",
        r"\(unittest\.TestCase\)",
        kind=Kind.TESTS,
        group=ALL,
    ),
)
NEED = re.compile(
    r"-r ?[A-Za-z0-9._/-]+|[A-Za-z0-9][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?([<>=!~]=?[A-Za-z0-9.*,<>=!~]+)?"
)
PY_LOCKS = (  # the tools are installed into .venv, where uv must not remove them again
    ("uv.lock", ("command -v uv || pip install uv==0.13.9", "uv sync --inexact")),
    ("poetry.lock", ("command -v poetry || pip install poetry==2.5.1", "poetry install")),
    ("pdm.lock", ("command -v pdm || pip install pdm==2.29.4", "pdm sync")),
    ("Pipfile.lock", ("command -v pipenv || pip install pipenv==2026.10.3", "pipenv sync --dev")),
)


def python_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return benchmark scripts, pytest benchmarks and the tests of a project."""
    here = files.inside(folder)
    tox = re.findall(r"^deps\s{0,9}=(.*(?:\n[ \t]+.*)*)", here.read("tox.ini"), re.MULTILINE)[:1]

    def more(path: str) -> dict[str, str]:
        inner = path.rpartition("/")[0]
        own = [f"-r {each}" for each in here.listed(f"{inner}/*requirements*.txt")] if inner else []
        return {"program": _program(here, path), "further": _needs(own), "tox": _needs(tox)}

    return declared("Python", SCRIPTS, files, folder, lambda needs: python_setup(files, folder, needs), more)


def python_setup(files: Files, folder: str, needs: str = "") -> tuple[str, ...]:
    """Return shell lines that install a project and further requirements."""
    here = files.inside(folder)
    project = table_of(here.read("pyproject.toml"), tomllib.loads)
    groups = "".join(f" --group {name}" for name in GROUPS if name in subtable(project, "dependency-groups"))
    lines = next((list(known) for lock, known in PY_LOCKS if here.listed(lock)), [])
    if lines and here.listed("uv.lock"):
        lines[-1] += groups
    elif not lines:
        lines += [f"pip install -r {name}" for name in REQUIREMENTS if here.read(name)]
        if "build-system" in project or "project" in project or here.read("setup.py"):
            extras = subtable(project, "project", "optional-dependencies")
            chosen = ",".join(name for name in GROUPS if name in extras)
            lines.append(f"pip install -e '.[{chosen}]'" if chosen else "pip install -e .")
        lines += ["pip install 'pip>=25.1'", f"pip install{groups}"] if groups else []  # pip 25.1 knows groups
    return within(folder, [*lines, *(f"pip install {each}" for each in filter(None, [needs.strip()]))])


def _needs(requirements: Iterable[str]) -> str:
    """Return the requirements that are safe arguments of ``pip install``, quoted for the shell."""
    safe = dict.fromkeys(filter(NEED.fullmatch, map(str.strip, "\n".join(requirements).split("\n"))))
    return " ".join(need if need.startswith("-r") else shlex.quote(need) for need in safe)


GO_BENCHMARK = r"^func (Benchmark\w{0,80})\(\w+ \*testing\.B\)"
GO_TEST = r"^func Test\w{0,80}\(\w+ \*testing\.T\)"
TAGGED = r"^//go:build (?!.*(?:go1|linux|unix|amd64|!))"  # not built by default
GO_TESTS = (  # one command for each package, as Go profiles; it names its benchmarks, so a new one changes no total
    Declared(
        "**/*_test.go",
        "go test -run '^$' -bench '^({functions})$' -benchtime 1000x {parent}",
        "",
        GO_BENCHMARK,
        TAGGED,
        GO_BENCHMARK,
        group=FOLDER,
    ),
    Declared("**/*_test.go", "go test -count 1 {parent}", "", GO_TEST, TAGGED, GO_TEST, Kind.TESTS, group=FOLDER),
)


def go_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the benchmarks, then the tests of each package of a module."""
    return declared("Go", GO_TESTS, files, folder, lambda _: within(folder, ["go mod download"]))


COUNTED = r"\biai(_callgrind)?::|\bgungraun::"  # these run below another profiler
LIBTEST = r"^#\[bench\]\n(?:#\[[^\n]{0,200}\]\n)?(?:pub )?fn (\w{1,80})\("
CRITERION = r"\bcriterion(2|_bench)?\b|codspeed_criterion"
CALLS = r"(?:bench_function|bench_with_input|\.bench\(|#\[(?:divan::)?bench)"
BENCHES = "benches/*.rs benches/*/main.rs"
BENCH = "cargo bench --bench {name}"
STABLE = f"RUSTC_BOOTSTRAP=1 {BENCH}"  # a nightly compiler may differ between the baseline and a pull request
BUILT = "cargo build --release --target-dir target"  # also of a member of a workspace
CARGO_TEST, CARGO_LIBRARY = "cargo test --release --test {name}", "cargo test --release --lib"
RUST_ROWS = (
    Declared("src/bin/*bench*.rs src/bin/*perf*.rs", "target/release/{name}", f"{BUILT} --bin {{name}}"),
    Declared("examples/*bench*.rs examples/*perf*.rs", "target/release/examples/{name}", f"{BUILT} --example {{name}}"),
    Declared(BENCHES, f"{BENCH} -- --profile-time 2", f"{BENCH} --no-run", CRITERION, COUNTED, CALLS, timed=True),
    Declared(BENCHES, f"{STABLE} -- --exact {{words}}", f"{STABLE} --no-run", LIBTEST, COUNTED, LIBTEST, timed=True),
    Declared(BENCHES, STABLE, f"{STABLE} --no-run", r"^#!\[feature\(|^extern crate test;", COUNTED, timed=True),
    Declared(
        BENCHES, BENCH, f"{BENCH} --no-run", r"#\[(divan::)?bench|\bdivan::main|\bbencher::", COUNTED, CALLS, timed=True
    ),
    Declared(BENCHES, BENCH, f"{BENCH} --no-run", "", COUNTED),
    Declared("tests/*.rs", CARGO_TEST, f"{CARGO_TEST} --no-run", r"#\[test\]", functions="\n", kind=Kind.TESTS),
    Declared(
        "src/lib.rs", CARGO_LIBRARY, f"{CARGO_LIBRARY} --no-run", r"#\[test\]|\bmod ", functions="\n", kind=Kind.TESTS
    ),
)


def rust_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return benchmark programs, then the benchmarks in benches/, then the tests."""
    cargo = files.inside(folder).read("Cargo.toml")
    rows = RUST_ROWS if "package" in table_of(cargo, tomllib.loads) else ()
    return declared("Rust", rows, files, folder, lambda line: within(folder, [line]))


JMH_METHOD = r"@Benchmark\b[^;{}]{0,400}?\b(\w{1,80})\s{0,9}\([^;{}()]{0,400}\)[\w\s,.]{0,200}\{"  # an annotated method
# in this process, where an error of a benchmark ends it; calls each benchmark so often that a slower one takes longer
JMH = (
    "java -cp \"{class_path}\" org.openjdk.jmh.Main '\\b{name}\\.({functions})$' -f 0 -foe true -bm ss -wi 0 -i 1 -bs "
)
JMH_BENCHMARKS = (
    Declared("**/*.java", f"{JMH}1000", needs=JMH_METHOD, without="@OperationsPerInvocation", functions=JMH_METHOD),
    Declared("**/*.java", f"{JMH}1", needs=JMH_METHOD, functions=JMH_METHOD),
)
JAVA_TEST = r"^import (?:static )?(?:org\.junit|junit\.framework|org\.testng)\b"
JAVA_TESTS = Declared("**/*.java", "", "", JAVA_TEST, "(?!)", JAVA_TEST, Kind.TESTS, group=ALL)  # repeated in one JVM
CLASS_PATH = "target/test-classes:target/classes:$(cat target/class-path)"
# the rules of a release do not apply
MAVEN = "mvn -B -q -DskipTests -Denforcer.skip -Drat.skip -Dmaven.javadoc.skip"
GOALS = "package dependency:build-classpath -Dmdep.outputFile=target/class-path"


def java_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the JMH benchmarks and the tests of a Maven module, or the JMH benchmarks of a Gradle build.

    A command names its benchmarks, so that a new one does not change the total.
    """
    here, class_path, setup = files.inside(folder), CLASS_PATH, java_setup(files, folder)
    rows: tuple[Declared, ...] = JMH_BENCHMARKS
    if here.read("pom.xml"):
        rows = (*rows, JAVA_TESTS)
    else:  # the plugin builds one archive
        program = "./gradlew" if files.read("gradlew") else "gradle"
        class_path, setup = "$(ls build/libs/*-jmh.jar | head -n 1)", (f"{program} -p {shlex.quote(folder)} jmhJar",)
        rows = rows if "jmh" in here.read("build.gradle") + here.read("build.gradle.kts") else ()
    return declared("Java", rows, files, folder, lambda _: setup, lambda _: {"class_path": class_path})


def java_setup(files: Files, folder: str) -> tuple[str, ...]:
    """Return the line that compiles a module of Maven and what it needs, and stores the class path."""
    if folder != "." and files.read("pom.xml"):
        return (f"{MAVEN} -pl {shlex.quote(folder)} -am {GOALS}",)
    return within(folder, [f"{MAVEN} {GOALS}"] if files.read(joined(folder, "pom.xml")) else [])
