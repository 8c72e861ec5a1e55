"""Benchmarks for a repository without one: its tests, repeated in one process, or a file to be completed."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from profgate.measuring.init.candidates import MAIN, Candidate, Files, Kind, joined
from profgate.measuring.init.finders import CLASS_PATH
from profgate.measuring.init.library_share import OTHERS
from profgate.measuring.init.native_project import OPTIONS
from profgate.measuring.init.repository import default_setup
from profgate.measuring.init.workflow import Plan
from profgate.report.templates import render_template

WITHOUT_CONTEXT = re.compile(  # the start of a test of Node whose function takes nothing, so that it can be repeated
    r"\b(?:it|test)\(\s{0,20}['\"`][^\n]{1,200}['\"`],\s{0,20}(?:async\s)?\s{0,20}(?:function[\w\s]{0,80})?\(\s{0,20}\)"
)
JEST = re.compile(r"(\S{1,200}/jest)((?: \S{1,200})*)$")
# the path and the command of the file that repeats tests, and the commands of tests that it can repeat
REPEATED: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "Python": ("benchmarks/repeated_tests.py", "python benchmarks/repeated_tests.py", ("pytest", "unittest")),
    "Node": (
        "bench/repeated-tests.mjs",
        "node bench/repeated-tests.mjs",
        ("--test", "/mocha", "/tape", "/uvu", "/borp", ": ava ", ": tap ", ": vitest "),
    ),
    "jest": ("bench/repeated-jest.cjs", "bench/repeated-jest.cjs", ("/jest",)),
    "Java": ("bench/RepeatedTests.java", f'java -cp "{CLASS_PATH}" bench/RepeatedTests.java', ("pom.xml",)),
}


def repeated_tests(files: Files, found: Sequence[Candidate], kind: Kind) -> list[Candidate]:
    """Return a benchmark that repeats what the first fitting candidate of a kind runs, if there is one.

    The benchmarks of pytest are repeated too, because its plugins run them for a fixed time.
    """
    for each in sorted(found, key=lambda each: not each.weight):
        jest = JEST.search(each.command) is not None
        path, command, runners = REPEATED.get("jest" if jest else each.language, ("", "", ()))
        replaced = bool(each.command) or kind is Kind.TESTS  # no benchmark without a command
        if each.kind is not kind or not replaced or not any(name in f"{each.command} {each.place}" for name in runners):
            continue
        tests = (files.read(path) for path in files.tracked if OTHERS.search(path))
        if "/mocha" in each.command and not any(map(WITHOUT_CONTEXT.search, tests)):
            continue
        here, listed = (joined(each.package, name) for name in (path, f"{path.rpartition('.')[0]}.txt"))
        text = render_template(f"init/{path.rpartition('/')[2]}.j2")
        same = " ".join(other.command for other in found if (other.kind, other.setup) == (kind, each.setup))
        if files.read(here) in {"", text}:
            command, update = _started(each.command, command, same if kind is Kind.BENCHMARK else each.command)
            return [
                replace(
                    each,
                    command=command,
                    place=f"a new file that repeats the {kind.name.lower().rstrip('s')}s",
                    kind=Kind.BENCHMARK,
                    folder=each.package,
                    new_files={here: text, listed: ""},
                    update=update,
                )
            ]
    return []


def _started(tests: str, command: str, all_tests: str) -> tuple[str, str]:
    """Return the command that repeats tests, which ``tests`` runs, and the command that writes their list."""
    if JEST.search(tests):
        list_of = command.replace("cjs", "txt")
        options = JEST.sub(lambda found: found[1] + "".join(re.findall(r" -\S*", found[2])), tests)
        run = f"{options} --coverage=false --setupFilesAfterEnv ./{command}"
        update = f"rm -f {list_of}; REPEATED_TESTS=update {run} || true; node {command}"
        return f"{run} --runTestsByPath $(cut -d ' ' -f 2 {list_of} | sort -u)", update
    variables, _, rest = tests.partition("node ")
    if not command.startswith("node "):
        chosen = [word for word in all_tests.split() if word.endswith(".py") or word == "--benchmark-only"]
        return command, " ".join([command, "--update", *dict.fromkeys(chosen)])
    if "/mocha" not in rest:  # the new file replaces the others
        loaders = re.findall(r"(?:--import|--require|-r|--loader) \S{1,200}", rest)
        command = variables + " ".join(["node", *loaders, command.removeprefix("node ")])
    else:
        command = f"{variables}node --import ./{command.removeprefix('node ')} {rest}"
    return command, f"REPEATED_TESTS=update {command}"


LINKED = f"cc {OPTIONS} -O2 -I. -Iinclude -Isrc bench/profile.c $(find . -name '*.a') -o build/profile"
SKELETONS = {  # by language: the path, the command, and what builds it
    "Python": ("benchmarks/profile_library.py", "python benchmarks/profile_library.py", ()),
    "Node": ("bench/profile.mjs", "node bench/profile.mjs", ()),
    "Go": ("profile_test.go", "go test -run '^$' -bench '^BenchmarkProfile$' -benchtime 1000x .", ()),
    "Rust": ("examples/perf_profile.rs", "target/release/examples/perf_profile", ()),
    "Java": ("bench/Profile.java", f'java -cp "{CLASS_PATH}" bench/Profile.java', ()),
    "native code": ("bench/profile.c", "build/profile", (f"mkdir -p build && {LINKED}",)),
}
PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
IMPORT = re.compile(r"from [\w.]+ import \w|import [\w{*\"(]|(?:const|var|let) .*\brequire\(|use \w+::|#include \"")


def skeleton(files: Files, plan: Plan) -> Plan:
    """Return a plan that records a new file, which has the imports and calls that are most frequent in the tests."""
    path, command, build = SKELETONS[plan.recipe.language]
    lines, own = Counter[str](), set[str]()
    for each in sorted(files.tracked):
        if not OTHERS.search(each):
            own.update(PurePosixPath(each).with_suffix("").parts)
        elif each.endswith(plan.recipe.endings):
            lines.update(files.read(each).splitlines())
    frequent = [line for line, _ in lines.most_common() if line.isprintable() and len(line) < 100]
    imports = [line for line in frequent if IMPORT.match(line) and not own.isdisjoint(re.findall(r"\w+", line))][:5]
    names = {name for line in imports for name in re.findall(r"\w+", line)} - {"import", "require", "from", "const"}
    calls = [line.strip() for line in frequent if not names.isdisjoint(re.findall(r"\b(\w++)\(", line))]
    package = next((found[1] for name in files.listed("*.go") if (found := PACKAGE.search(files.read(name)))), "main")
    values = {"path": path, "imports": imports, "calls": [call for call in calls if call not in imports][:8]}
    text = render_template("init/skeleton.j2", language=plan.recipe.language, package=package, **values)
    setup = (*default_setup(files, plan.recipe.language, "."), *build)
    problem = f"{plan.problem}; or complete {path}, as profgate init --skill explains"
    return replace(
        plan,
        command=command,
        install=setup,
        folder=".",
        workload=MAIN,
        timed=False,
        new_files={path: text},
        update="",
        problem=problem,
    )
