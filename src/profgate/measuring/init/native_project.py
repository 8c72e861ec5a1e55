"""Commands of C and C++ projects: the programs of CMake and make."""

import os
import re
import shlex
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

from profgate.io.files import read_loosely, write_text
from profgate.io.git import without_git
from profgate.io.processes import run_command
from profgate.io.scratch import scratch_folder
from profgate.io.worktrees import copied_worktree
from profgate.measuring.init.candidates import MEASURES, Candidate, Files, Kind, entries, joined, subtable, table_of

OPTIONS = "-g -fno-omit-frame-pointer"
TESTS = re.compile(r"test", re.IGNORECASE)
SWITCHES = (MEASURES, TESTS, re.compile(r"example|develop", re.IGNORECASE))
PROJECT = re.compile(r"^\s{0,9}project\s{0,9}\(", re.IGNORECASE | re.MULTILINE)
OFF = re.compile(r"^(\w{1,80}):BOOL=(?:OFF|NO|FALSE|0)$", re.MULTILINE)
PLACE = re.compile(r"[A-Za-z0-9_.+][A-Za-z0-9_.+-]{0,80}(?:/[A-Za-z0-9_.+-]{1,80}){1,20}")
RULE = re.compile(  # a target with a recipe, in the database that make prints
    r"^([\w./+-]{1,160}):(?!=)[^\n]*+\n((?:#[^\n]*+\n)++)((?:\t[^\n]*+\n)++)", re.MULTILINE
)
GOOGLE = re.compile(r"#include [<\"]benchmark/benchmark\.h")
API = "build/.cmake/api/v1"  # CMake's file API
LARGEST_REPLY = 1 << 24
MAKEFILES = ("GNUmakefile", "Makefile", "makefile")
SKELETON = "bench/profile.c"  # it is linked with all libraries that the build of the repository makes
LINKED = (
    f"mkdir -p build && cc {OPTIONS} -O2 -I. -Iinclude -Isrc -Ibuild -Ibuild/include {SKELETON} "
    "$(find . -name '*.a') -lm -lpthread -ldl -o build/profile"
)


def native_setup(files: Files, folder: str) -> tuple[str, ...]:
    """Return shell lines for a release build with symbols and frame pointers, of a folder or else of the top."""
    place = folder if files.read(joined(folder, "CMakeLists.txt")) else "."
    made = (_make(".", ()),) if any(map(files.read, MAKEFILES)) else ()
    built = _cmake_setup(place) if files.read(joined(place, "CMakeLists.txt")) else made
    return (*built, *([LINKED] if files.read(SKELETON) else []))


def built_candidates(files: Files) -> Iterator[Candidate]:
    """Return the programs that CMake or make would build in a copy of the working tree.

    If CMake has no benchmark, the project's switches for benchmarks, tests and examples are turned on in this order,
    then folders of benchmarks and tests are configured that are projects of their own.
    """
    lists = {path.rpartition("/")[0] or ".": files.read(path) for path in files.listed("**/CMakeLists.txt")}
    end = time.monotonic() + 120.0  # for all configurations
    own = [folder for folder, text in lists.items() if PROJECT.search(text)]
    nested = [folder for pattern in (MEASURES, TESTS) for folder in own if pattern.search(folder)]
    with scratch_folder() as scratch, copied_worktree(f"{scratch}/checkout", files.top) as checkout:
        for path in sorted(path for path in files.tracked if PurePosixPath(path).name in MAKEFILES):
            yield from _makefile(files, checkout, PurePosixPath(path).parent.as_posix(), end)
        for folder in (".", *nested) if "." in lists else ():
            found = _programs(files, checkout, folder, end)
            yield from found
            if Kind.BENCHMARK in {each.kind for each in found} or (found and folder != "."):
                return


def _makefile(files: Files, checkout: str, folder: str, end: float) -> Iterator[Candidate]:
    """Return the programs that the rules of a Makefile build. make expands the variables of their commands."""
    log = f"{checkout}-make-{folder.replace('/', '-')}"

    def printed(*words: str) -> str:
        """Return what make prints instead of running the commands of a target. MAKE is no make, as in a recipe."""
        run_command(
            ["make", "--dry-run", "-C", folder, "MAKE=true", *words],
            folder=checkout,
            environment=without_git(os.environ),
            log=log,
            timeout=max(0.01, end - time.monotonic()),
        )
        return read_loosely(log, LARGEST_REPLY)

    # no rule makes this target, so make does not make its Makefile again
    for target, about, recipe in RULE.findall(printed("--print-data-base", "--question", ".profgate")):
        commands = printed(target) if _kind(target + recipe) is not None else ""
        name = [target, *re.findall(r" -o (\S{1,160})", commands)][-1]
        program, kind = os.path.normpath(f"{folder}/{name}"), _kind(" ".join(map(os.path.basename, (target, name))))
        usable = PLACE.fullmatch(f"./{name}") and not PurePosixPath(name).suffix and program not in files.tracked
        if kind is not None and usable and (f"./{name}\n" in commands or "Phony target" not in about):
            command = program if "/" in program else f"./{program}"
            place, setup = f"{target} of the Makefile in {folder}", (_make(folder, [target]),)
            yield Candidate("native code", command, place, kind, setup=setup)


def _make(folder: str, targets: Sequence[str]) -> str:
    at = [] if folder == "." else ["-C", shlex.quote(folder)]
    return " ".join(["make", *at, f"CC='cc {OPTIONS}' CXX='c++ {OPTIONS}'", *targets])


def _programs(files: Files, checkout: str, folder: str, end: float) -> list[Candidate]:
    """Return the programs of a project, those that are built without a switch first."""
    found, off = _configured(files, checkout, folder, (), end)
    names = [name for pattern in SWITCHES for name in off if pattern.search(name)][:6]
    for chosen in (names, *([name] for name in names)):
        benchmarks = any(map(MEASURES.search, chosen))
        if any(each.kind is Kind.BENCHMARK for each in found) or not chosen or (found and not benchmarks):
            break
        found += _configured(files, checkout, folder, chosen, end)[0]
    return found


def _configured(
    files: Files, checkout: str, folder: str, switches: Sequence[str], end: float
) -> tuple[list[Candidate], list[str]]:
    """Configure a project, and return its programs and the switches that are off, or nothing if CMake fails."""
    shutil.rmtree(f"{checkout}/build", ignore_errors=True)
    write_text(f"{checkout}/{API}/query/codemodel-v2", "")
    outcome = run_command(
        ["sh", "-ec", _cmake_setup(folder, switches)[0]],
        folder=checkout,
        environment=without_git(os.environ),
        log=f"{checkout}-log",
        timeout=max(0.01, end - time.monotonic()),  # at the end, every command fails at once
    )
    if outcome.failure:
        return [], []
    found = list[Candidate]()
    for reply in sorted(Path(checkout, API, "reply").glob("target-*.json")):
        program = table_of(read_loosely(str(reply), LARGEST_REPLY))
        found += _program(files, checkout, program, folder, switches)
    return found, OFF.findall(read_loosely(f"{checkout}/build/CMakeCache.txt", LARGEST_REPLY))


def _program(
    files: Files, checkout: str, target: Mapping[str, Any], folder: str, switches: Sequence[str]
) -> Iterator[Candidate]:
    """Return the commands of a benchmark or test, at the top and in the folder of its source, where its data may be."""
    name = str(target.get("name"))
    sources = [Path(checkout, folder, str(each.get("path"))) for each in entries(target.get("sources"), dict)]
    own = [path for path in (os.path.relpath(each, checkout) for each in sources) if path in files.tracked]
    place = f"{joined(folder, str(subtable(target, 'paths').get('source')))}/{name}"
    kind = _kind(f"{place} {own[0]}") if own and target.get("type") == "EXECUTABLE" else None
    if kind is None:
        return
    text, setup = "".join(map(files.read, own)), _cmake_setup(folder, switches, name)
    work = " --benchmark_min_time=100x" if GOOGLE.search(text) else ""  # since version 1.8 of Google Benchmark
    for artifact in entries(target.get("artifacts"), dict)[:1]:
        program = Path(checkout, "build", str(artifact.get("path")))
        for where in dict.fromkeys((".", Path(own[0]).parent.as_posix())):
            command, what = os.path.relpath(program, Path(checkout, where)), f"target {place} of {own[0]}"
            if PLACE.fullmatch(f"{name}/{where}/{command}"):
                line = (command if "/" in command else f"./{command}") + work
                yield Candidate("native code", line, what, kind, ".", where, setup, len(text))


def _kind(name: str) -> Kind | None:
    return Kind.BENCHMARK if MEASURES.search(name) else Kind.TESTS if TESTS.search(name) else None


def _cmake_setup(folder: str = ".", switches: Sequence[str] = (), target: str = "") -> tuple[str, str]:
    given = [f"-D{name}=ON" for name in dict.fromkeys(switches)]
    frames = "CFLAGS=-fno-omit-frame-pointer CXXFLAGS=-fno-omit-frame-pointer"
    configure = f"{frames} cmake -S {shlex.quote(folder)} -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo"
    return " ".join([configure, *given]), f'cmake --build build -j "$(nproc)"{target and f" --target {target}"}'
