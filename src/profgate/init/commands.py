"""Detection of the commands in a repository that run its benchmarks or tests.

The files are not trusted, so only commands that are a single line and match `PLAIN` are used.
"""

import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from profgate.init.repository_files import Files

Environment = tuple[str, str, list[str], list[str]]  # tox environment: name, file, commands and requirements
PLAIN = re.compile(r"[A-Za-z0-9 ._/=:,@'\"\[\]^$*-]{1,200}")
MEASURES = re.compile(r"bench|perf", re.IGNORECASE)
MAKE_RULE = re.compile(r"^([A-Za-z0-9_.-]+):(?!=)([^\n]*)\n((?:\t[^\n]*\n?)+)", re.MULTILINE)
NOX_SESSION = re.compile(r"@(?:nox\.)?session\b[^\n]*\ndef (\w+)\(.*?(?=\n@|\ndef |\Z)", re.DOTALL)
NOX_CALL = re.compile(r"\.(run|install)\(\s*((?:[\"'][^\"'\n]*[\"']\s*,?\s*)+)")
# matches the prefix of a tox command, or the placeholder for arguments
TOX_SIGN = re.compile(r"^[-! ]+|^[\w{},!.-]+:\s+|\{posargs[^{}]*\}")
NEED = re.compile(
    r"-r ?[A-Za-z0-9._/-]+|[A-Za-z0-9.][A-Za-z0-9._-]*(\[[A-Za-z0-9,._-]+\])?([<>=!~]=?[A-Za-z0-9.*,<>=!~]+)?"
)
PYTEST_FILES = ("pytest.ini", "conftest.py", "tests/conftest.py")
FRAMES = "CFLAGS=-fno-omit-frame-pointer CXXFLAGS=-fno-omit-frame-pointer"
SEGMENT = re.compile(r"&&|\|\||;|\|")


@dataclass(frozen=True, slots=True)
class Command:
    """A command, the place where it was found, and its requirements.

    The requirements are arguments of ``pip install`` or targets of ``make``.
    """

    command: str
    place: str
    needs: tuple[str, ...] = ()


def python_commands(files: Files) -> list[Command]:
    """Return benchmark scripts, then pytest benchmarks, then the commands that run the project's tests."""
    project = _toml(files.read("pyproject.toml"))
    requirements = " ".join(map(files.read, ("pyproject.toml", "requirements.txt", "setup.cfg", "tox.ini")))
    folders = ("bench", "benchmarks", "perf", ".")
    scripts = [path for folder in folders for path in sorted(files.listed(f"{folder}/*.py"))]
    found = [Command(f"python {shlex.quote(path)}", path) for path in scripts if _is_script(path)]
    if "pytest-benchmark" in requirements or "pytest_benchmark" in requirements:
        found.append(Command("python -m pytest --benchmark-only", "pytest-benchmark is required"))
    found += _of_sessions(files.read("noxfile.py")) + _of_tox(files, project) + _of_make(files.read("Makefile"))
    if "pytest" in _at(project, "tool") or any(map(files.read, PYTEST_FILES)):
        found.append(Command("python -m pytest", "the configuration of pytest"))
    elif files.listed("tests/test_*.py") or "pytest" in requirements:
        found.append(Command("python -m pytest", "tests/"))
    return _distinct(found)


def node_commands(files: Files) -> list[Command]:
    """Return the scripts in package.json that only run node (benchmarks first), then the benchmark files."""
    scripts = _at(_json(files.read("package.json")), "scripts")
    ordered = sorted(scripts, key=lambda name: (not MEASURES.search(name), not name.startswith("test"), name))
    chosen = [name for name in ordered if MEASURES.search(name) or name == "test"]
    found = [
        Command(command, f"script {name!r} of package.json")
        for name in chosen
        for command in [_node(str(scripts[name]))]
        if command
    ]
    benchmarks = [
        path for pattern in ("bench*.*js", "bench*/*.*js", "perf/*.*js") for path in sorted(files.listed(pattern))
    ]
    return _distinct([*found, *(Command(shlex.quote(path), path) for path in benchmarks if PLAIN.fullmatch(path))])


def go_commands(files: Files) -> list[Command]:
    """Return one command per package, because Go profiles one package at a time.

    The packages with the most benchmarks come first.
    """
    counts: dict[str, int] = {}
    for path in files.listed("**/*_test.go"):
        folder = f"./{path.rpartition('/')[0]}".rstrip("/") if "/" in path else "."
        counts[folder] = counts.get(folder, 0) + len(
            re.findall(r"^func Benchmark\w*\(", files.read(path), re.MULTILINE)
        )
    ranked = sorted(filter(PLAIN.fullmatch, counts), key=lambda folder: (-counts[folder], folder))
    measured = [folder for folder in ranked if counts[folder]]
    timed = "go test -run '^$' -bench . -benchtime 1000x"
    found = [
        Command(f"{timed} {shlex.quote(folder)}", f"{counts[folder]} benchmarks in {folder}") for folder in measured[:5]
    ]
    return found + [
        Command(f"go test {shlex.quote(folder)}", f"tests in {folder}") for folder in ranked[:1] if not measured
    ]


def rust_commands(files: Files) -> list[Command]:
    """Return benchmark programs, then the benchmarks in Cargo.toml and benches/.

    Benchmarks that use criterion run for a fixed time.
    """
    cargo = _toml(files.read("Cargo.toml"))
    given = cargo.get("bench")
    benches = given if isinstance(given, list) else []
    names = [str(bench.get("name", "")) for bench in benches if isinstance(bench, dict)]
    names += [path.removeprefix("benches/").removesuffix(".rs") for path in sorted(files.listed("benches/*.rs"))]
    timed = " -- --profile-time 10" if "criterion" in _at(cargo, "dev-dependencies") else ""
    plain = [name for name in dict.fromkeys(names) if re.fullmatch(r"[A-Za-z0-9_-]{1,80}", name)]
    programs = [
        Command(f"target/release/{folder}{path.rpartition('/')[2].removesuffix('.rs')}", path)
        for place, folder in (("src/bin", ""), ("examples", "examples/"))
        for path in sorted(files.listed(f"{place}/*.rs"))
        if MEASURES.search(path) and re.fullmatch(r"[A-Za-z0-9_/.-]{1,80}", path)
    ]
    return programs + [
        Command(f"cargo bench --bench {name}{timed}", f"benchmark {name} of Cargo.toml or benches/") for name in plain
    ]


def native_commands(files: Files) -> list[Command]:
    """Return commands for the benchmark targets in a Makefile, followed by commands for the test targets.

    If the last line of a target runs a program, the command runs this program directly.
    """
    rules = [(rule[1], rule[2].split(), rule[3]) for rule in MAKE_RULE.finditer(f"{files.read('Makefile')}\n")]
    chosen = [rule for rule in rules if MEASURES.search(rule[0])]
    chosen += [rule for rule in rules if rule[0] in {"check", "test"}]
    return _distinct(_of_rule(*rule) for rule in chosen)


def java_commands(files: Files) -> list[Command]:
    """Return the commands that run the tests with Maven or Gradle."""
    gradle = "./gradlew test" if files.read("gradlew") else "gradle test"
    found = [Command("mvn -B test", "pom.xml")] if files.read("pom.xml") else []
    return found + [Command(gradle, name) for name in ("build.gradle", "build.gradle.kts") if files.read(name)][:1]


COMMANDS: Mapping[str, Callable[[Files], list[Command]]] = {
    "Python": python_commands,
    "Go": go_commands,
    "Node": node_commands,
    "Rust": rust_commands,
    "Java": java_commands,
    "native code": native_commands,
}


def installation(language: str, files: Files, needs: Sequence[str] = ()) -> list[str]:
    """Return shell lines that install the requirements of a command and of the repository."""
    if language == "Python":
        return _install_python(files, needs)
    if language == "Node":
        return next((list(lines) for lock, lines in NODE_LOCKS if files.listed(lock)), ["npm install"])
    if language == "native code":
        return _build_native(files, needs)
    return {"Go": ["go mod download"], "Rust": ["cargo build --release --bins --examples"]}.get(language, [])


NODE_LOCKS = (
    ("package-lock.json", ("npm ci",)),
    ("pnpm-lock.yaml", ("corepack enable", "pnpm install --frozen-lockfile")),
    ("yarn.lock", ("corepack enable", "yarn install --immutable")),
    ("bun.lock", ("npm install --global bun@1.4.5", "bun install --frozen-lockfile")),
)
PYTHON_LOCKS = (
    ("uv.lock", ("pipx install uv==0.13.9", "uv sync")),
    ("poetry.lock", ("pipx install poetry==2.5.1", "poetry install")),
    ("pdm.lock", ("pipx install pdm==2.29.4", "pdm sync")),
    ("Pipfile.lock", ("pipx install pipenv==2026.10.3", "pipenv sync --dev")),
)


def _install_python(files: Files, needs: Sequence[str]) -> list[str]:
    for lock, known in PYTHON_LOCKS:
        if files.listed(lock):
            return list(known)
    project = _toml(files.read("pyproject.toml"))
    lines = [f"pip install -r {name}" for name in ("requirements.txt", "requirements-dev.txt") if files.read(name)]
    if "build-system" in project or "project" in project or files.read("setup.py"):
        extras = _at(_at(project, "project"), "optional-dependencies")
        groups = [name for name in ("test", "tests", "dev", "bench") if name in extras]
        lines.append(f"pip install -e '.[{','.join(groups)}]'" if groups else "pip install -e .")
    further = [need for need in needs if f"pip install {need}" not in lines and need != "."]
    return [*lines, f"pip install {' '.join(further)}"] if further else lines


def _of_rule(name: str, before: Sequence[str], body: str) -> Command:
    """Return the program that a Makefile rule runs last, and the targets that the rule requires.

    If the rule has no required targets or does not end with a plain program, return a command for the target itself.
    """
    last = body.strip().splitlines()[-1].strip().lstrip("@-") if body.strip() else ""
    plain = all(re.fullmatch(r"[A-Za-z0-9_./-]{1,80}", target) for target in before)
    if before and plain and last.startswith("./") and PLAIN.fullmatch(last) and "$" not in last:
        return Command(last, f"target {name} of the Makefile", tuple(before))
    return Command(f"make {name}", "Makefile")


def _build_native(files: Files, targets: Sequence[str]) -> list[str]:
    """Return shell lines for a release build with symbols and frame pointers."""
    if files.read("CMakeLists.txt"):
        return [f"{FRAMES} cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", "cmake --build build"]
    if files.read("meson.build"):
        return [f"{FRAMES} meson setup build --buildtype=debugoptimized", "meson compile -C build"]
    options = "-g -fno-omit-frame-pointer"
    return [" ".join([f"make CC='cc {options}' CXX='c++ {options}'", *targets])] if files.read("Makefile") else []


def _is_script(path: str) -> bool:
    name = path.rpartition("/")[2]
    inside = "/" in path and not name.startswith(("_", "test_", "conftest"))
    return bool((inside or MEASURES.match(name)) and PLAIN.fullmatch(path))


def _of_sessions(text: str) -> list[Command]:
    found = []
    for session in NOX_SESSION.finditer(text):
        calls = [(call[1], re.findall(r"[\"']([^\"'\n]*)[\"']", call[2])) for call in NOX_CALL.finditer(session[0])]
        installed = [words for kind, words in calls if kind == "install"]
        needs = _needs(need for words in installed for need in ([" ".join(words)] if words[0] == "-r" else words))
        found += [(session[1], _python(shlex.join(words)), needs) for kind, words in calls if kind == "run"]
    ordered = sorted(found, key=lambda session: not MEASURES.search(session[0]))
    return [Command(command, f"session {name} of noxfile.py", needs) for name, command, needs in ordered if command]


def _of_tox(files: Files, project: Mapping[str, Any]) -> list[Command]:
    """Return the tox commands, benchmarks first, from all five places that can define environments."""
    own = _at(_at(project, "tool"), "tox")
    ini = [("tox.ini", files.read("tox.ini")), ("setup.cfg", files.read("setup.cfg"))]
    ini.append(("pyproject.toml", str(own.get("legacy_tox_ini", ""))))
    stated = [section for place, text in ini for section in _tox_sections(place, text)]
    stated += _tox_tables("tox.toml", _toml(files.read("tox.toml"))) + _tox_tables("pyproject.toml", own)
    found = []
    for name, place, lines, needs in sorted(stated, key=lambda section: (not MEASURES.search(section[0]), section[0])):
        commands = [_python(TOX_SIGN.sub("", line).replace("{envpython}", "python")) for line in lines]
        found += [Command(command, f"{name} of {place}", _needs(needs)) for command in commands if command]
    return found


def _tox_sections(place: str, text: str) -> list[Environment]:
    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text.replace("\\\n", " "))
    except configparser.Error:
        return []
    names = [name for name in parser.sections() if name.startswith("testenv")]

    def stated(name: str, key: str) -> list[str]:
        base = parser.get("testenv", key, fallback="")
        return parser.get(name, key, fallback=base).splitlines()

    return [(f"[{name}]", place, stated(name, "commands"), stated(name, "deps")) for name in names]


def _tox_tables(place: str, tox: Mapping[str, Any]) -> list[Environment]:
    base, others = _at(tox, "env_run_base"), _at(tox, "env")
    named = {"env_run_base": base, **{f"env.{name}": {**base, **_at(others, name)} for name in others}}
    return [(f"[{name}]", place, _lines(env.get("commands")), _lines(env.get("deps"))) for name, env in named.items()]


def _lines(value: object) -> list[str]:
    """Return one line per entry of a list. If an entry is a list, its strings are joined with spaces."""
    entries = value if isinstance(value, list) else []
    rows = [entry if isinstance(entry, list) else [entry] for entry in entries]
    return [" ".join(word for word in row if isinstance(word, str)) for row in rows]


def _needs(requirements: Iterable[str]) -> tuple[str, ...]:
    """Return the requirements that are safe arguments of ``pip install``, quoted for the shell."""
    plain = [need.strip() for need in requirements]
    safe = [need if need.startswith("-r") else shlex.quote(need) for need in plain if NEED.fullmatch(need)]
    return tuple(dict.fromkeys(safe))


def _of_make(text: str) -> list[Command]:
    found = []
    for name, _, body in MAKE_RULE.findall(f"{text}\n"):
        if MEASURES.search(name) or name in {"test", "tests", "check"}:
            commands = [_python(line.strip().lstrip("@-")) for line in body.splitlines()]
            found += [Command(command, f"target {name} of the Makefile") for command in commands if command]
    return sorted(found, key=lambda command: not MEASURES.search(command.place))


def _python(line: str) -> str:
    """Return the command in a form that starts Python directly, so that a sampler can follow it.

    Returns "" if there is no such form.
    """
    words = SEGMENT.split(line.strip())[-1].split()
    if words[:2] in (["uv", "run"], ["poetry", "run"], ["pdm", "run"], ["pipenv", "run"]):
        words = words[2:]
    if words[:2] == ["coverage", "run"] and "-m" in words:
        words = words[words.index("-m") + 1 :]
    if words and words[0] in {"pytest", "py.test", "unittest"}:
        words = ["python", "-m", words[0].replace("py.test", "pytest"), *words[1:]]
    if words and words[0] in {"python", "python3"} and len(words) > 1 and words[1] != "-c":
        text = " ".join(["python", *words[1:]])
        useful = words[1:3] != ["-m", "pip"] and words[1:3] != ["-m", "build"]
        return text if PLAIN.fullmatch(text) and useful else ""
    return ""


def _node(line: str) -> str:
    """Return the arguments of ``node`` in a shell command, or "" if the command does not run ``node``."""
    words = SEGMENT.split(line.strip())[-1].split()
    while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):
        words = words[1:]
    if not words or words[0] in {"echo", "npm", "npx", "yarn", "pnpm", "bun", "exit", "sh", "bash", "make"}:
        return ""
    text = " ".join(words[1:] if words[0] == "node" else [f"node_modules/.bin/{words[0]}", *words[1:]])
    return text if PLAIN.fullmatch(text) else ""


def _distinct(found: Iterable[Command]) -> list[Command]:
    """Return the commands without duplicates, in order of first appearance."""
    distinct: dict[str, Command] = {}
    for command in found:
        distinct.setdefault(command.command, command)
    return list(distinct.values())


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _at(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = data.get(key)
    return value if isinstance(value, dict) else {}
