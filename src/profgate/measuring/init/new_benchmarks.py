"""Benchmarks for a repository without one: its tests, repeated in one process, or a file to be completed."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from profgate.measuring.init.candidates import Candidate, Files, Kind, joined
from profgate.measuring.init.finders import CLASS_PATH
from profgate.measuring.init.library_share import OTHERS
from profgate.measuring.init.native_project import LINKED, SKELETON
from profgate.measuring.init.recipes import extent_for
from profgate.measuring.init.repository import SETUPS
from profgate.measuring.init.workflow import Plan
from profgate.model.record import replace
from profgate.report.templates import render_template

LOADER = re.compile(r"(?:--import|--require|-r|--loader) \S{1,200}")
# the path and the command of the file that repeats tests, and the commands and places of tests that it can repeat
REPEATED: Mapping[str, tuple[str, str, str]] = {
    "Python": ("benchmarks/repeated_tests.py", "python benchmarks/repeated_tests.py", "pytest|unittest"),
    "Node": (
        "bench/repeated-tests.mjs",
        "node bench/repeated-tests.mjs",
        "--test|/(?:mocha|tape|uvu|borp)|: (?:ava|jest|tap|vitest) ",
    ),
    "Java": ("bench/RepeatedTests.java", f'java -cp "{CLASS_PATH}" bench/RepeatedTests.java', r"^ .*\.java"),
}


def repeated_tests(files: Files, found: Sequence[Candidate], kind: Kind) -> list[Candidate]:
    """Return a benchmark that repeats what the first fitting candidate of a kind runs, if there is one.

    The benchmarks of pytest are repeated too, because its plugins run them for a fixed time.
    """
    for each in found:
        path, command, runners = REPEATED.get(each.language, ("", "", "(?!)"))
        here, listed = (joined(each.package, name) for name in (path, f"{path.rpartition('.')[0]}.txt"))
        fits = each.kind is kind and re.search(runners, f"{each.command} {each.place}")
        if not fits or (kind is Kind.BENCHMARK and not each.command):  # tests may have no command
            continue
        text = render_template(f"init/{path.rpartition('/')[2]}.j2")
        if files.read(here) not in {"", text}:
            continue
        if each.language == "Node":
            variables, _, rest = each.command.partition("node ")
            command = variables + " ".join(["node", *LOADER.findall(rest), command.removeprefix("node ")])
        same = [other.command for other in found if (other.kind, other.setup) == (kind, each.setup)]
        all_tests = " ".join(same if kind is Kind.BENCHMARK else [each.command]).split()
        chosen = dict.fromkeys(word for word in all_tests if word.endswith(".py") or word == "--benchmark-only")
        return [
            replace(
                each,
                command=command,
                place=f"a new file that repeats the {kind.name.lower().rstrip('s')}s",
                kind=Kind.BENCHMARK,
                folder=each.package,
                new_files={here: text, listed: ""},
                update=" ".join([command, "--update", *chosen]),
            )
        ]
    return []


SKELETONS = {  # by language: the path, the command, and what builds it
    "Python": ("benchmarks/profile_library.py", "python benchmarks/profile_library.py", ()),
    "Node": ("bench/profile.mjs", "node bench/profile.mjs", ()),
    "Go": ("profile_test.go", "go test -run '^$' -bench '^BenchmarkProfile$' -benchtime 1000x .", ()),
    "Rust": ("examples/perf_profile.rs", "target/release/examples/perf_profile", ()),
    "Java": ("bench/Profile.java", f'java -cp "{CLASS_PATH}" bench/Profile.java', ()),
    "native code": (SKELETON, "build/profile", (LINKED,)),
}
PACKAGE = re.compile(r"^package (\w+)", re.MULTILINE)
IMPORT = re.compile(r"from [\w.]+ import \w|import [\w{*\"(]|(?:const|var|let) .*\brequire\(|use \w+::|#include \"")


def skeleton(files: Files, plan: Plan) -> Plan:
    """Return a plan that records a new file, which has the imports and calls that are most frequent in the tests."""
    path, command, build = SKELETONS[plan.recipe.language]
    own = {
        part for each in files.tracked if not OTHERS.search(each) for part in PurePosixPath(each).with_suffix("").parts
    }
    tests = [
        files.read(each) for each in sorted(files.tracked) if OTHERS.search(each) and each.endswith(plan.recipe.endings)
    ]
    frequent = [
        line
        for line, _ in Counter("\n".join(tests).splitlines()).most_common()
        if line.isprintable() and len(line) < 100
    ]
    imports = [line for line in frequent if IMPORT.match(line) and not own.isdisjoint(re.findall(r"\w+", line))][:5]
    names = {name for line in imports for name in re.findall(r"\w+", line)} - {"import", "require", "from", "const"}
    calls = [line.strip() for line in frequent if not names.isdisjoint(re.findall(r"\b(\w++)\(", line))]
    package = next((found[1] for name in files.listed("*.go") if (found := PACKAGE.search(files.read(name)))), "main")
    text = render_template(
        "init/skeleton.j2",
        language=plan.recipe.language,
        package=package,
        path=path,
        imports=imports,
        calls=[call for call in calls if call not in imports][:8],
    )
    setup = (*SETUPS[plan.recipe.language](files, "."), *build)
    return replace(
        plan,
        benchmark=Candidate(plan.recipe.language, command, path, setup=setup, new_files={path: text}),
        extent=extent_for(plan.recipe.rate, None),
        problem=f"{plan.problem}; or complete {path}, as profgate init --skill explains",
    )
