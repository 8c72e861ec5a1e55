"""Finders of Python, Go, Rust and Java: the files that declare benchmarks or tests, and the commands that run them."""

import re
import shlex
import tomllib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from profgate.measuring.init.candidates import (
    PLAIN,
    Candidate,
    Files,
    Kind,
    entries,
    joined,
    spread,
    subtable,
    table_of,
    within,
)


@dataclass(frozen=True, slots=True)
class Declared:
    """Files that declare benchmarks or tests, and the command that runs one of them.

    ``places`` are the patterns of their paths, separated by spaces. Their text contains ``needs`` and not ``without``,
    and ``functions`` matches the names of the benchmarks in it. In ``command`` and ``setup``, ``{path}`` is the file,
    ``{program}`` is the file or, in a package of Python, ``-m`` and the module, ``{name}`` is its name, ``{functions}``
    and ``{words}`` are names of its benchmarks, and ``{option}`` depends on its name.
    """

    places: str
    command: str
    setup: str = ""
    needs: str = ""
    without: str = "(?!)"
    functions: str = "(?!)"
    kind: Kind = Kind.BENCHMARK
    timed: bool = False


def declared(
    language: str,
    rows: Sequence[Declared],
    files: Files,
    folder: str,
    prepared: Callable[[str, str], tuple[str, ...]],
    options: Mapping[str, str],
) -> Iterator[Candidate]:
    """Return a command for each file in a folder that fits a row. Only the first row that fits a file counts.

    ``prepared`` returns the lines of a setup for the text of the row and the file.
    """
    here, seen = files.inside(folder), set[str]()
    for row in rows:
        paths = {path for place in row.places.split() for path in here.listed(place) if PLAIN.fullmatch(path)}
        for path in sorted(paths - seen, key=lambda path: (path.count("/"), path)):
            text, name = here.read(path), PurePosixPath(path.removesuffix("/main.rs")).stem
            if re.search(row.without, text, re.MULTILINE) or not re.search(row.needs, text, re.MULTILINE):
                continue
            seen.add(path)
            functions = re.findall(row.functions, text, re.MULTILINE)
            values = {"path": shlex.quote(path), "name": shlex.quote(name), "program": _program(here, path)}
            values |= {"functions": "|".join(spread(functions)), "words": " ".join(spread(functions))}
            values["option"] = options.get(name, "")
            command, setup = row.command.format(**values), prepared(row.setup.format(**values), path)
            size = len(functions)
            yield Candidate(language, command, path, row.kind, folder, folder, setup, size, timed=row.timed)


def _program(here: Files, path: str) -> str:
    """Return the file as an argument of its interpreter. A module of a package of Python runs as a module."""
    packages = [parent for parent in PurePosixPath(path).parents if here.listed(f"{parent}/__init__.py")]
    module = PurePosixPath(path).with_suffix("").parts[-len(packages) - 1 :]
    return f"-m {shlex.quote('.'.join(module))}" if packages else shlex.quote(path)


GROUPS = ("bench", "benchmark", "benchmarks", "test", "tests", "testing", "dev")
REQUIREMENTS = ("requirements.txt", *(f"requirements{sign}{name}.txt" for sign in "-_/" for name in GROUPS))
SETTINGS = ("pyproject.toml", "requirements.txt", "setup.cfg", "tox.ini", "pytest.ini")
PY_FOLDERS = " ".join(f"**/{folder}/[!_]*.py" for folder in ("bench", "benches", "benchmark", "benchmarks", "perf"))
PY_FILES = f"**/bench*.py **/perf_*.py {PY_FOLDERS}"
PY_TEST, FIXTURE = r"^(?:async )?def test_\w+\(|^class Test\w+", r"^[ \t]*def test_\w+\([^)]{0,500}\bbenchmark\b"
TOP_LEVEL = r"^(?:if __name__|for |while |with |[\w.]{1,200}\()|\A\s*\Z"
PYTEST = "python -m pytest --benchmark-only {path}"
SCRIPTS = (
    Declared(PY_FILES, PYTEST, "pytest pytest-benchmark", FIXTURE, "codspeed", timed=True),
    Declared(PY_FILES, "python -m pytest {path}", "pytest", PY_TEST),
    Declared(
        PY_FILES, "python {program} --debug-single-value --loops 1", "pyperf", "pyperf"
    ),  # else in other processes
    Declared(PY_FILES, "python {program}", "", TOP_LEVEL, r"^setup\("),
)
NEED = re.compile(
    r"-r ?[A-Za-z0-9._/-]+|[A-Za-z0-9.][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?([<>=!~]=?[A-Za-z0-9.*,<>=!~]+)?"
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

    def prepared(needs: str, path: str) -> tuple[str, ...]:
        inner = path.rpartition("/")[0]
        own = [f"-r {each}" for each in here.listed(f"{inner}/*requirements*.txt")] if inner else []
        return python_setup(files, folder, _needs([*needs.split(), *own]))

    yield from declared("Python", SCRIPTS, files, folder, prepared, {})
    tox = re.findall(r"^deps\s{0,9}=(.*(?:\n[ \t]+.*)*)", here.read("tox.ini"), re.MULTILINE)
    needs = _needs(["\n".join(tox[:1]), "pytest"])
    locked = any(here.listed(lock) for lock, _ in PY_LOCKS)
    setup, texts = python_setup(files, folder, () if locked else needs), " ".join(map(here.read, SETTINGS))
    case = [each for each in here.listed("**/*test*.py") if "(unittest.TestCase)" in here.read(each)]
    known = "pytest" in texts or here.listed("**/test_*.py") or here.listed("**/conftest.py")
    if "pytest-benchmark" in texts or "pytest_benchmark" in texts:
        command, what = "python -m pytest --benchmark-only", "pytest-benchmark is required"
        yield Candidate("Python", command, what, Kind.BENCHMARK, folder, folder, setup, timed=True)
    if known or case:
        command = shlex.join(["python", "-m", "pytest", *([] if known else filter(PLAIN.fullmatch, case))])
        yield Candidate("Python", command, "tests", Kind.TESTS, folder, folder, setup)


def python_setup(files: Files, folder: str, needs: Iterable[str] = ()) -> tuple[str, ...]:
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
    further = [need for need in dict.fromkeys(needs) if f"pip install {need}" not in lines and need != "."]
    return within(folder, [*lines, f"pip install {' '.join(further)}"] if further else lines)


def _needs(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the requirements that are safe arguments of ``pip install``, quoted for the shell."""
    safe = dict.fromkeys(filter(NEED.fullmatch, map(str.strip, "\n".join(requirements).split("\n"))))
    return tuple(need if need.startswith("-r") else shlex.quote(need) for need in safe)


GO_FUNCTION = re.compile(r"^func ((?:Benchmark|Test)\w{0,80})\(\w+ \*testing\.[BT]\)", re.MULTILINE)
TAGGED = re.compile(r"^//go:build (?!.*(?:go1|linux|unix|amd64|!))", re.MULTILINE)  # not built by default


def go_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return one command per package, as Go profiles. It names its benchmarks, so that a new one changes no total."""
    here = files.inside(folder)
    nested = tuple(f"{inner}/" for inner in here.projects("go.mod") if inner != ".")
    found = defaultdict[tuple[str, Kind], list[str]](list)
    for path in here.listed("**/*_test.go"):
        text, package = here.read(path), f"./{path.rpartition('/')[0]}".removesuffix("/")
        if not path.startswith(nested) and PLAIN.fullmatch(package) and not TAGGED.search(text):
            for name in GO_FUNCTION.findall(text):
                found[package, Kind.TESTS if name.startswith("Test") else Kind.BENCHMARK].append(name)
    for (package, kind), names in sorted(found.items()):
        chosen = f"-run '^$' -bench '^({'|'.join(spread(names))})$' -benchtime 1000x"
        command = f"go test {chosen if kind is Kind.BENCHMARK else '-count 1'} {shlex.quote(package)}"
        place = f"{len(names)} functions such as {names[0]} in {joined(folder, package)}"
        setup = within(folder, ["go mod download"])
        yield Candidate("Go", command, place, kind, folder, folder, setup, len(names))


COUNTED = r"\biai(_callgrind)?::|\bgungraun::"  # these run below another profiler
UNSTABLE = r"^#!\[feature\(|^extern crate test;"
LIBTEST = r"^#\[bench\]\n(?:#\[[^\n]{0,200}\]\n)?(?:pub )?fn (\w{1,80})\("
CRITERION = r"\bcriterion(2|_bench)?\b|codspeed_criterion"
FIXED_TIME = r"#\[(divan::)?bench|\bdivan::main|\bbencher::"
CALLS = r"(?:bench_function|bench_with_input|\.bench\(|#\[(?:divan::)?bench)"
BENCHES = "benches/*.rs benches/*/main.rs"
BENCH = "cargo bench --bench {name}{option}"
STABLE = f"RUSTC_BOOTSTRAP=1 {BENCH}"  # a nightly compiler may differ between the baseline and a pull request
CARGO_BIN, CARGO_EXAMPLE = "cargo build --release --bin {name}", "cargo build --release --example {name}"
RUST_PROGRAMS = (
    Declared("src/bin/*bench*.rs src/bin/*perf*.rs", "target/release/{name}", CARGO_BIN),
    Declared("examples/*bench*.rs examples/*perf*.rs", "target/release/examples/{name}", CARGO_EXAMPLE),
)
RUST_BENCHMARKS = (
    Declared(BENCHES, f"{BENCH} -- --profile-time 2", f"{BENCH} --no-run", CRITERION, COUNTED, CALLS, timed=True),
    Declared(BENCHES, f"{STABLE} -- --exact {{words}}", f"{STABLE} --no-run", LIBTEST, COUNTED, LIBTEST, timed=True),
    Declared(BENCHES, STABLE, f"{STABLE} --no-run", UNSTABLE, COUNTED, timed=True),
    Declared(BENCHES, BENCH, f"{BENCH} --no-run", FIXED_TIME, COUNTED, CALLS, timed=True),
    Declared(BENCHES, BENCH, f"{BENCH} --no-run", "", COUNTED),
)
CARGO_TEST, CARGO_LIBRARY = "cargo test --release --test {name}", "cargo test --release --lib"
RUST_TESTS = (
    Declared("tests/*.rs", CARGO_TEST, f"{CARGO_TEST} --no-run", r"#\[test\]", functions="\n", kind=Kind.TESTS),
    Declared(
        "src/lib.rs", CARGO_LIBRARY, f"{CARGO_LIBRARY} --no-run", r"#\[test\]|\bmod ", functions="\n", kind=Kind.TESTS
    ),
)


def rust_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return benchmark programs, then the benchmarks in benches/, then the tests."""
    cargo = table_of(files.inside(folder).read("Cargo.toml"), tomllib.loads)
    options = dict[str, str]()
    for bench in entries(cargo.get("bench"), dict):
        features = ",".join(entries(bench.get("required-features"), str))
        options[str(bench.get("name"))] = f" --features {shlex.quote(features)}" if PLAIN.fullmatch(features) else ""
    top = folder == "." or "workspace" in cargo  # whose output is below it
    rows = (*(RUST_PROGRAMS if top else ()), *RUST_BENCHMARKS, *RUST_TESTS) if subtable(cargo, "package") else ()
    return declared("Rust", rows, files, folder, lambda line, _: within(folder, [line]), options)


JMH_METHOD = r"@Benchmark\b[^;{}]{0,400}?\b(\w{1,80})\s{0,9}\([^;{}()]{0,400}\)[\w\s,.]{0,200}\{"  # an annotated method
# in this process, where an error of a benchmark ends it; calls each benchmark so often that a slower one takes longer
JMH = "java -cp \"CLASS_PATH\" org.openjdk.jmh.Main '\\b{name}\\.({functions})$' -f 0 -foe true -bm ss -wi 0 -i 1 -bs "
JMH_BENCHMARKS = (
    Declared("**/*.java", f"{JMH}1000", needs=JMH_METHOD, without="@OperationsPerInvocation", functions=JMH_METHOD),
    Declared("**/*.java", f"{JMH}1", needs=JMH_METHOD, functions=JMH_METHOD),
)
CLASS_PATH = "target/test-classes:target/classes:$(cat target/class-path)"
# the rules of a release do not apply
MAVEN = "mvn -B -q -DskipTests -Denforcer.skip -Drat.skip -Dmaven.javadoc.skip"
GOALS = "package dependency:build-classpath -Dmdep.outputFile=target/class-path"


def java_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the JMH benchmarks and the tests of a Maven module, or the JMH benchmarks of a Gradle build.

    A command names its benchmarks, so that a new one does not change the total.
    """
    here, class_path, setup = files.inside(folder), CLASS_PATH, java_setup(files, folder)
    if here.read("pom.xml"):
        if tests := sum(path.startswith("src/test/") for path in here.listed("**/*.java")):  # repeated in one JVM
            yield Candidate("Java", "", joined(folder, "pom.xml"), Kind.TESTS, folder, folder, setup, tests)
    elif "jmh" in here.read("build.gradle") + here.read("build.gradle.kts"):  # the plugin builds one archive
        program = "./gradlew" if files.read("gradlew") else "gradle"
        class_path, setup = "$(ls build/libs/*-jmh.jar | head -n 1)", (f"{program} -p {shlex.quote(folder)} jmhJar",)
    else:
        return
    found = declared("Java", JMH_BENCHMARKS, files, folder, lambda *_: setup, {})
    named = (replace(each, command=each.command.replace("CLASS_PATH", class_path)) for each in found)
    yield from (each for each in named if each.place.startswith("src/"))


def java_setup(files: Files, folder: str) -> tuple[str, ...]:
    """Return the line that compiles a module of Maven and what it needs, and stores the class path."""
    if folder != "." and files.read("pom.xml"):
        return (f"{MAVEN} -pl {shlex.quote(folder)} -am {GOALS}",)
    return within(folder, [f"{MAVEN} {GOALS}"] if files.read(joined(folder, "pom.xml")) else [])
