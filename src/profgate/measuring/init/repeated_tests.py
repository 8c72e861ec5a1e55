"""A benchmark for a repository without one: it repeats the tests in one process."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from profgate.measuring.init.candidates import Candidate, Kind, joined
from profgate.measuring.init.java_project import CLASS_PATH
from profgate.measuring.init.library_share import OTHERS
from profgate.measuring.init.repository_files import Files
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
