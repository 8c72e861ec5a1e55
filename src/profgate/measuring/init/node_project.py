"""Commands of Node projects: the scripts of package.json and benchmark files, also in the packages of a workspace."""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import PurePosixPath

from profgate.measuring.init.candidates import (
    MEASURES,
    NAME,
    PLAIN,
    Candidate,
    Files,
    Kind,
    joined,
    subtable,
    table_of,
    within,
)
from profgate.measuring.init.finders import Declared, declared

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
    r"npm|npm-run-all2?|npx|nx|pnpm|python3?|rm|run-s|sh|tsd|turbo|wireit|wrangler|yarn"
)
# these run benchmarks or tests in processes of their own, which the profiler does not see
ELSEWHERE = re.compile(r"(?:^|[\s/])(ava|cypress|jest|karma|playwright|tap|vitest|wtr)(?=\s|$)")
UNSEEN = "runs it in processes that the profiler does not see"
TIMED = r"['\"](?:benchmark|tinybench|mitata|benny|cronometro|bench-node)['\"]"  # they are imported
LOADERS = {"tsx": "--import tsx", "ts-node": "-r ts-node/register", "babel-node": "-r @babel/register"}
RUNS = re.compile(  # the start of a command that runs a script
    r"(?:(?:cross-env|(?<!\w)[A-Z_][A-Z0-9_]*+=\S*)\s+)*(?:(?:npm|yarn|pnpm|npx|run|run-script|--silent|-s)\s+)+"
)
BUILDS = re.compile(r"build|compile|prepare|install|setup|clean")
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*=\S*")
NO_BENCHMARK = re.compile(
    r"/_[^/]*$|(?:config|util|helper|fixture|setup|types|report|result)[^/]*$|\.d\.ts$", re.IGNORECASE
)
TESTS = re.compile(r"\b(?:mocha|uvu|borp)\b|node --test|^\S+ (?:run )?test(?![\w./-])")
# these only check the text of the sources, so a benchmark or a test does not need them
CHECKS = re.compile(
    r"\b\w{0,20}lint\d?\b|\b(?:style|format|prettier|types?|check|xo|standard|jscs|biome|tsd|tstyche)\b"
)
# matches a quoted word in which neither the shell nor GitHub replaces anything
QUOTED = re.compile(r"'[ !-#%-&(-~]*'|\"(?:[ !#%-_a-~]|\$(?=\"))*\"")


FILES = "bench*.*[jt]s bench*/*.*[jt]s perf/*.*[jt]s"  # Node runs TypeScript, too
BENCHMARKS = (Declared(FILES, "node {path}", needs=TIMED, timed=True), Declared(FILES, "node {path}"))
Script = tuple[str, tuple[str, ...], str]  # a command of Node, the lines before it, and the folder in which all start


def node_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the scripts of a package.json that end with a command of Node, then the benchmark files."""
    here, setup = files.inside(folder), node_setup(files, folder)
    package = table_of(here.read("package.json"))
    scripts = {name: text for name, text in subtable(package, "scripts").items() if isinstance(text, str)}
    above = "../" * len(PurePosixPath(folder).parts) if _is_member(files, folder) else ""
    for name in sorted(scripts, key=lambda name: (name not in {"bench", "benchmark", "perf", "test"}, name)):
        kind, what = Kind.BENCHMARK if MEASURES.search(name) else Kind.TESTS, f"script {name!r} of package.json"
        if not NAME.fullmatch(name.replace(":", "")) or CHECKS.search(name) or name.startswith(("pre", "post")):
            continue
        for command, before, inside in _parts(scripts, name, f"{above}node_modules/.bin/", set()):
            if kind is Kind.TESTS and name != "test" and not TESTS.search(command):
                continue
            tool, where = ELSEWHERE.search(command), joined(folder, inside)
            steps = (*setup, *within(folder, before))
            texts = "\n".join(here.read(word.strip("'\"").removeprefix("./")) for word in command.split())
            reason = f": {tool[1]} {UNSEEN}" if tool else ""
            line, timed = "" if tool else command, re.search(TIMED, texts) is not None
            yield Candidate("Node", line, what + reason, kind, folder, where, steps, timed=timed)
    for runner in filter(ELSEWHERE.fullmatch, subtable(package, "devDependencies")):
        yield Candidate("Node", "", f"package.json: {runner} {UNSEEN}", Kind.TESTS, folder, folder, setup)
    listed = declared("Node", BENCHMARKS, files, folder, lambda _: setup)
    chosen = [each for each in listed if not NO_BENCHMARK.search(each.place)]
    yield from sorted(chosen, key=lambda each: not re.search(r"(?:bench|index|main|run)[^/]*$", each.place))


def node_setup(files: Files, folder: str) -> tuple[str, ...]:
    """Return shell lines that install the packages, and build what the repository does not contain."""
    member, lines, built = _is_member(files, folder), list[str](), list[str]()
    for place in dict.fromkeys((".", folder)):
        here = files.inside(place)
        package = table_of(here.read("package.json"))
        if here.listed("package.json") and not (member and place == folder):
            lines += within(place, _tool(here)[1])
        imported = json.dumps([package.get("main"), package.get("module"), package.get("exports")])
        entries = re.findall(r'"(?:\./)?([\w@./-]{1,200})(?<!\.json)(?<!\.d\.ts)"(?!:)', imported)
        existing = {f"{joined(place, path)}{ending}" for path in entries for ending in ("", ".js", "/index.js")}
        missing = bool(entries) and existing.isdisjoint(files.tracked)
        scripts = subtable(package, "scripts")
        # npm install builds the package in the script prepare
        if "build" in scripts and "build" not in str(scripts.get("prepare")) and (missing or (member and place == ".")):
            built[:0] = [] if member and built else within(place, [f"{_tool(files)[0]} run build"])
    return (*lines, *built)


def _tool(files: Files) -> tuple[str, tuple[str, ...]]:
    """Return the tool that installs the packages of a folder, and its lines."""
    return next(((tool, lines) for lock, tool, lines in LOCKS if files.listed(lock)), ("npm", ("npm install",)))


def _is_member(files: Files, folder: str) -> bool:
    """Return whether a package belongs to the workspace at the top, which installs its requirements."""
    given = json.dumps(table_of(files.read("package.json")).get("workspaces")) + files.read("pnpm-workspace.yaml")
    patterns = re.findall(r"[A-Za-z0-9@_./*-]{1,200}", given)
    return folder != "." and any(fnmatchcase(folder, pattern.removeprefix("./").rstrip("/")) for pattern in patterns)


def _parts(scripts: Mapping[str, str], name: str, tools: str, seen: set[str]) -> Iterator[Script]:
    """Return the last command of a script, and the benchmarks or tests before it. What else runs before prepares it.

    A script that does not end with a command of Node has no parts. ``seen`` are the scripts that have been examined,
    because scripts may call each other, and each may call others several times.
    """
    segments, folder = _segments(scripts.get(name, "")), "."
    known = all(PLAIN.fullmatch(QUOTED.sub("x", each)) and not re.match(r"cd (/|.*\.\.)", each) for each in segments)
    if name in seen or not known:
        return
    seen.add(name)
    before = [f"npm run pre{name}"] if _segments(scripts.get(f"pre{name}", "")) else []
    for number, segment in enumerate(segments, 1):
        inner = RUNS.sub("", segment, 1).partition(" ")[0] if RUNS.match(segment) else ""
        changed = re.fullmatch(r"cd ([A-Za-z0-9_@./-]+)", segment)
        found: list[Script] = [(command, (), folder)] if (command := _command(segment, tools)) else []
        found += _parts(scripts, inner, tools, seen) if inner and folder == "." else ()
        starts, last = inner or segment.startswith("node "), number == len(segments)
        tests = TESTS.search(segment) or ELSEWHERE.search(segment)
        if tests and not last and MEASURES.search(name) and not MEASURES.search(segment):
            continue  # the tests of a benchmark, which come before it
        own = tests or (starts and MEASURES.search(segment) and not BUILDS.search(segment))
        if found and (last or own):
            yield from ((command, (*before, *lines), place) for command, lines, place in found)
        elif changed and folder == ".":
            folder = joined(".", changed[1])
        elif tests:
            return  # tests are no preparation
        else:
            path = "" if starts or changed else 'PATH="$PWD/node_modules/.bin:$PATH" && '
            before += within(folder, [path + segment])


def _command(segment: str, tools: str) -> str:
    """Return the command of Node that a command of a script starts, or "" if it starts another program."""
    words = [word for word in segment.split() if word not in {"cross-env", "c8", "nyc"}]
    variables = list(takewhile(VARIABLE.fullmatch, words))
    program, *rest = (*words[len(variables) :], "")
    if not NAME.fullmatch(program) or program.startswith("-") or NOT_NODE.fullmatch(program):
        return ""
    started = LOADERS.get(program, "" if program == "node" else f"{tools}{program}")
    return " ".join(filter(None, [*variables, "node", started, *rest]))


def _segments(script: str) -> list[str]:
    """Return the commands of a script without those that only check the text of the sources."""
    segments = map(str.strip, script.split("&&"))
    return [each for each in segments if each and not CHECKS.search(RUNS.sub("", each, 1).partition(" ")[0])]
