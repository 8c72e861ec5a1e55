"""Commands of Node projects: the scripts of package.json and benchmark files, also in the packages of a workspace."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from profgate.measuring.init.candidates import (
    MEASURES,
    NAME,
    PLAIN,
    Candidate,
    Kind,
    depth,
    joined,
    json_object,
    strings,
    subtable,
    within,
)
from profgate.measuring.init.repository_files import Files

LOCKS = (
    ("package-lock.json", "npm", ("npm ci",)),
    ("npm-shrinkwrap.json", "npm", ("npm ci",)),
    (
        "pnpm-lock.yaml",
        "pnpm",
        ("command -v pnpm || npm install --global pnpm@10.34.8", "pnpm install --frozen-lockfile"),
    ),
    ("yarn.lock", "yarn", ("command -v yarn || corepack enable", "yarn install --immutable")),
    ("bun.lock", "npm", ("command -v bun || npm install --global bun@1.4.5", "bun install --frozen-lockfile")),
)
# these are not written in JavaScript, or only start other programs
NOT_NODE = re.compile(
    r"0x|autocannon|bash|branchcmp|bun|cargo|cd|clinic|concurrently|cp|deno|echo|exec|exit|go|lerna|make|mkdir|"
    r"npm-run-all2?|npx|nx|python3?|rm|run-s|sh|tsd|turbo|wireit|wrangler"
)
# these run benchmarks or tests in processes of their own, which the profiler does not see
ELSEWHERE = re.compile(r"(?:^|[\s/])(ava|cypress|karma|playwright|tap|vitest|wtr)(?=\s|$)")
TIMED = re.compile(r"['\"](?:benchmark|tinybench|mitata|benny|cronometro|bench-node)['\"]")  # they are imported
LOADERS = {"tsx": "--import tsx", "ts-node": "-r ts-node/register", "babel-node": "-r @babel/register"}
RUNNERS = frozenset({"npm", "yarn", "pnpm"})
NO_BENCHMARK = re.compile(r"^_|config|util|helper|fixture|setup|types|\.d\.ts$|report|result", re.IGNORECASE)
TESTS = re.compile(r"\b(?:mocha|uvu|borp)\b|node --test")
# these only check the text of the sources, so a benchmark or a test does not need them
CHECKS = re.compile(
    r"\b\w{0,20}lint\d?\b|\b(?:style|format|prettier|types?|check|xo|standard|jscs|biome|tsd|tstyche)\b"
)
# matches a quoted word in which neither the shell nor GitHub replaces anything
QUOTED = re.compile(r"'[ !-#%-&(-~]*'|\"(?:[ !#%-_a-~]|\$(?=\"))*\"")


@dataclass(frozen=True, slots=True)
class _Script:
    """The last command of a script, which starts ``node``, and the commands before it. All start in ``folder``."""

    command: str
    before: tuple[str, ...] = ()
    folder: str = "."


def node_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the scripts of a package.json that end with a command of Node, then the benchmark files."""
    here = files.inside(folder)
    package = json_object(here.read("package.json"))
    scripts = {name: text for name, text in subtable(package, "scripts").items() if isinstance(text, str)}
    setup = node_setup(files, folder)
    place = joined(folder, "package.json")
    packages = [inner for inner in here.projects("package.json") if inner != "."]
    tools = "../" * depth(folder) + "node_modules/.bin/" if _is_member(files, folder) else "node_modules/.bin/"

    def is_timed(command: str) -> bool:
        return any(TIMED.search(here.read(word.strip("'\"").removeprefix("./"))) for word in command.split())

    for name in sorted(scripts, key=lambda name: (name not in {"bench", "benchmark", "perf"}, name)):
        kind = Kind.BENCHMARK if MEASURES.search(name) else Kind.TESTS
        measures = kind is Kind.BENCHMARK and re.sub("^(pre|post)", "", name) in {name, ""}
        chosen = not CHECKS.search(name) and (measures or name == "test" or TESTS.search(scripts[name]))
        script = _script(scripts, name, tools) if chosen and NAME.fullmatch(name.replace(":", "")) else None
        if script is not None and (measures or name == "test" or TESTS.search(script.command)):
            what, where = f"script {name!r} of {place}", joined(folder, script.folder)
            used = [inner for inner in packages if f" {inner}/" in f" {joined(script.folder, script.command)}"]
            own = [line for inner in used for line in within(joined(folder, inner), _installation(files.inside(inner)))]
            steps = (*setup, *own, *within(folder, script.before))
            timed = is_timed(script.command)
            if tool := ELSEWHERE.search(script.command):
                reason = f"{what}: {tool[1]} runs it in processes that the profiler does not see"
                yield Candidate("Node", "", reason, kind, folder, where, steps)
                continue
            yield Candidate("Node", script.command, what, kind, folder, where, steps, timed=timed)
    for path in _benchmark_files(here, package):
        if not path.startswith(tuple(f"{inner}/" for inner in packages)):
            command = f"node {'--import tsx ' if path.endswith('ts') else ''}{shlex.quote(path)}"
            kind, timed = Kind.BENCHMARK, is_timed(path)
            yield Candidate("Node", command, joined(folder, path), kind, folder, folder, setup, timed=timed)


def node_setup(files: Files, folder: str) -> tuple[str, ...]:
    """Return shell lines that install the packages, and build what the repository does not contain."""
    member = _is_member(files, folder)
    top = json_object(files.read("package.json"))
    lines = [*_installation(files)] if folder == "." or files.listed("package.json") else []
    if folder != "." and not member:
        lines += within(folder, _installation(files.inside(folder)))
    built = _build(files, "." if member and "build" in subtable(top, "scripts") else folder, member=member)
    return (*lines, *built, *(_build(files, ".") if folder != "." and not member else ()))


def _installation(files: Files) -> list[str]:
    return list(next((lines for lock, _, lines in LOCKS if files.listed(lock)), ("npm install",)))


def _build(files: Files, folder: str, *, member: bool = False) -> tuple[str, ...]:
    """Return the line that builds a package, if git tracks no file that other code imports from the package."""
    package = json_object(files.inside(folder).read("package.json"))
    scripts = subtable(package, "scripts")
    imported = [path.removeprefix("./") for path in node_entries(package)]
    existing = {f"{joined(folder, path)}{ending}" for path in imported for ending in ("", ".js", "/index.js")}
    missing = imported and existing.isdisjoint(files.tracked)
    if "build" not in scripts or not (missing or (member and folder == ".")):
        return ()
    if "build" in str(scripts.get("prepare", "")):  # npm install builds the package
        return ()
    return within(folder, [f"{_runner(files)} run build"])


def _runner(files: Files) -> str:
    return next((runner for lock, runner, _ in LOCKS if files.listed(lock)), "npm")


def node_entries(package: Mapping[str, Any]) -> list[str]:
    """Return the files that other code imports: ``main``, ``module`` and the values of ``exports``."""
    entries, found = [package.get("main"), package.get("module"), package.get("exports")], list[str]()
    for entry in entries:  # grows while it is read
        if isinstance(entry, str) and not entry.endswith((".json", ".d.ts")):
            found.append(entry)
        elif isinstance(entry, dict):
            entries += list(entry.values())[:50]
    return found


def _is_member(files: Files, folder: str) -> bool:
    """Return whether a package belongs to the workspace at the top, which installs its requirements."""
    if folder == ".":
        return False
    given = json_object(files.read("package.json")).get("workspaces")
    patterns = strings(given.get("packages") if isinstance(given, dict) else given)
    patterns += re.findall(r"^[ \t]*-[ \t]*['\"]?([A-Za-z0-9@_./*-]+)", files.read("pnpm-workspace.yaml"), re.MULTILINE)
    return any(fnmatchcase(folder, pattern.removeprefix("./").rstrip("/")) for pattern in patterns)


def _script(scripts: Mapping[str, str], name: str, tools: str, seen: tuple[str, ...] = ()) -> _Script | None:
    """Return a script that ends with a command of Node, or None. What runs before it keeps its form."""
    segments = _segments(scripts.get(name, ""))
    if name in seen or not segments or not all(PLAIN.fullmatch(QUOTED.sub("x", segment)) for segment in segments):
        return None
    before, folder = ([f"npm run pre{name}"] if _segments(scripts.get(f"pre{name}", "")) else []), "."
    for segment in segments[:-1]:
        changed = re.fullmatch(r"cd ([A-Za-z0-9_@./-]+)", segment)
        if changed and folder == ".":
            folder = changed[1].removeprefix("./").rstrip("/") or "."
        else:
            own = (
                f'PATH="$PWD/node_modules/.bin:$PATH" && {segment}'
                if segment.split()[0] not in {*RUNNERS, "cd", "node"}
                else segment
            )
            before += within(folder, [own])
    if ".." in folder.split("/") or folder.startswith("/"):
        return None
    words = [word for word in segments[-1].split() if word not in {"cross-env", "c8", "nyc"}]
    variables = []
    while words and re.fullmatch(r"[A-Z_][A-Z0-9_]*=\S*", words[0]):
        variables.append(words.pop(0))
    program, rest = (words[0], words[1:]) if words else ("", [])
    if program in RUNNERS:
        inner = next((word for word in rest if word not in {"run", "run-script", "--silent", "-s"}), "")
        further = _script(scripts, inner, tools, (*seen, name)) if folder == "." else None
        return further and _Script(further.command, (*before, *further.before), further.folder)
    if not NAME.fullmatch(program) or program.startswith("-") or NOT_NODE.fullmatch(program):
        return None
    rest = [word for word in rest if not word.startswith(("--coverage", "--check-coverage"))]
    if program == "jest":  # otherwise it starts other processes
        rest.append("--runInBand")
    started = LOADERS.get(program, "" if program == "node" else f"{tools}{program}")
    command = " ".join(["node", *([started] if started else []), *rest])
    return _Script(" ".join([*variables, command]), tuple(before), folder)


def _segments(script: str) -> list[str]:
    """Return the commands of a script without those that only check the text of the sources."""
    segments = []
    for segment in script.split("&&"):
        name = next((word for word in segment.split() if word not in {*RUNNERS, "run", "npx"}), "")
        if name and not CHECKS.search(name):
            segments.append(segment.strip())
    return segments


def _benchmark_files(here: Files, package: Mapping[str, Any]) -> list[str]:
    endings = ["*.*js", "*.js", *(["*.ts"] if "tsx" in subtable(package, "devDependencies") else [])]
    places = ("bench", "bench*/", "perf/")
    found = {
        path: None
        for place in places
        for ending in endings
        for path in sorted(here.listed(f"{place}{ending}"))
        if PLAIN.fullmatch(path) and not NO_BENCHMARK.search(path.rpartition("/")[2])
    }
    return sorted(found, key=lambda path: not re.search(r"bench|index|main|run", path.rpartition("/")[2]))
