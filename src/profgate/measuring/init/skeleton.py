"""A benchmark that somebody has to complete, where no command spends enough of its time in the library."""

import re
from collections import Counter
from dataclasses import replace
from pathlib import PurePosixPath

from profgate.measuring.init.candidates import MAIN
from profgate.measuring.init.java_project import CLASS_PATH
from profgate.measuring.init.library_share import OTHERS
from profgate.measuring.init.native_project import OPTIONS
from profgate.measuring.init.repository import default_setup
from profgate.measuring.init.repository_files import Files
from profgate.measuring.init.workflow import Plan
from profgate.report.templates import render_template

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
    calls = [line.strip() for line in frequent if not names.isdisjoint(re.findall(r"(\w+)\(", line))]
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
