"""Commands of C and C++ projects: the programs of CMake, and the targets of a Makefile."""

import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from profgate.init.candidates import MAKE_RULE, MEASURES, NAME, PLAIN, Candidate, Kind
from profgate.init.repository_files import Files

OPTIONS = "-g -fno-omit-frame-pointer"
FRAMES = "CFLAGS=-fno-omit-frame-pointer CXXFLAGS=-fno-omit-frame-pointer"
MESON = (f"{FRAMES} meson setup build --buildtype=debugoptimized", "meson compile -C build")
PROGRAM = re.compile(
    r"\b\w{0,60}(?:add_executable|bench|test)\w{0,60}\s{0,9}\(\s*\"?([A-Za-z0-9_.+-]{1,80})\"?\s", re.IGNORECASE
)
SWITCH = re.compile(r"\b(?:option|cmake_dependent_option)\s*\(\s*(\w{0,60}(?:BENCH|PERF|TEST)\w{0,60})", re.IGNORECASE)
EXAMPLES = frozenset({"example", "examples", "doc", "docs"})  # often not part of the default build
TESTS = re.compile(r"test", re.IGNORECASE)


def native_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return the benchmark programs of CMake and the targets of the Makefile, then the test programs and targets."""
    if folder != ".":
        return
    yield from _cmake(files)
    rules = [(rule[1], rule[2].split(), rule[3]) for rule in MAKE_RULE.finditer(f"{files.read('Makefile')}\n")]
    for name, before, body in rules:
        if MEASURES.search(name):
            yield _of_rule(name, before, body, Kind.BENCHMARK, files)
        elif name in {"check", "test"}:
            yield _of_rule(name, before, body, Kind.TESTS, files)


def native_setup(files: Files, targets: Sequence[str] = ()) -> tuple[str, ...]:
    """Return shell lines for a release build with symbols and frame pointers."""
    if files.read("CMakeLists.txt"):
        return (_configured(()), "cmake --build build")
    if files.read("meson.build"):
        return MESON
    return (" ".join([f"make CC='cc {OPTIONS}' CXX='c++ {OPTIONS}'", *targets]),) if files.read("Makefile") else ()


def _cmake(files: Files) -> Iterator[Candidate]:
    """Return the programs whose target names contain "bench", "perf" or "test", with the switches that build them."""
    lists = (
        {path: files.read(path) for path in files.listed("**/CMakeLists.txt")} if files.read("CMakeLists.txt") else {}
    )
    lists = {path: text for path, text in lists.items() if EXAMPLES.isdisjoint(path.split("/"))}
    switches = [name for text in lists.values() for name in SWITCH.findall(text)]
    sources = {PurePosixPath(path).stem for suffix in ("c", "cc", "cpp") for path in files.listed(f"**/*.{suffix}")}
    stems = sorted(stem for stem in sources if MEASURES.search(stem) or TESTS.search(stem))
    for path, text in lists.items():
        named = [stem for stem in stems if re.search(rf"\b{re.escape(stem)}\b", text)]
        for name in filter(NAME.fullmatch, dict.fromkeys([*PROGRAM.findall(text), *named])):
            pattern = next((each for each in (MEASURES, TESTS) if each.search(name)), None)
            if pattern is not None:
                kind = Kind.BENCHMARK if pattern is MEASURES else Kind.TESTS
                configured = _configured([switch for switch in switches if pattern.search(switch)])
                setup = (configured, f"cmake --build build --target {name}")
                command = f"$(find build -type f -name {name} -perm -100 | head -n 1)"
                yield Candidate("native code", command, f"target {name} of {path}", kind, setup=setup)


def _configured(switches: Sequence[str]) -> str:
    given = [f"-D{name}=ON" for name in dict.fromkeys(switches)]
    return " ".join([f"{FRAMES} cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo", *given])


def _of_rule(name: str, before: Sequence[str], body: str, kind: Kind, files: Files) -> Candidate:
    """Return the program that a Makefile rule runs last, after the targets that the rule requires.

    If the rule has no required targets or does not end with a plain program, return a command for the target itself.
    """
    last = body.strip().splitlines()[-1].strip().lstrip("@-") if body.strip() else ""
    plain = all(re.fullmatch(r"[A-Za-z0-9_./-]{1,80}", target) for target in before)
    if before and plain and last.startswith("./") and PLAIN.fullmatch(last) and "$" not in last:
        setup = native_setup(files, before)
        return Candidate("native code", last, f"target {name} of the Makefile", kind, setup=setup)
    return Candidate("native code", f"make {name}", "Makefile", kind, setup=native_setup(files))
