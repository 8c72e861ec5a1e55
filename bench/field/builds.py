"""Programs in C, C++, Rust and Go that are built again with edits after which their code is placed elsewhere.

The programs are those of `counted`, of which a new main repeats the work. An edit of `KINDS` changes no instruction of
a function that runs. ``PLANTS`` grow one function by a share of the run.
"""

import os
import re
import shutil
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.field.recorders import RecordError, tool

SOURCES = Path(__file__).resolve().parent / "counted"
BASE = "base"
KINDS = {
    "string": "a longer version string",
    "unused": "unused functions before those that run",
    "cold": "unused functions after those that run",
    "order": "another order of objects (C, C++), functions (Rust) or of the linker (Go)",
    "data": "larger data",
    "path": "a longer path of the checkout",
    "comment": "a comment at the top of the file",
}
PLANTS = {"plant8": 8, "plant15": 15}  # percent of the run
UNIT = 1000  # the value of every constant that is the work of a function
LONG_PATH = "a-much-longer-checkout-path-of-another-runner/work/project"
VERSION = "1.0"
LONG_VERSION = "1.0-with-a-much-longer-build-string-of-a-nightly-build-2026-11-28-gabcdef0123456"
TIMED = 5  # runs whose processor time decides how much a function has to grow
BUILD = "build.sh"
UNUSED, OTHER = range(3), range(10, 14)  # numbers of unused functions in the program and in an object of its own


@dataclass(frozen=True, slots=True)
class Language:
    """How a program of a language is built, and the text of the edits.

    ``unused`` is a function with a number, ``kept`` refers to the numbered functions so that the linker keeps them, and
    ``marked`` is the line before each function that is not inlined.
    """

    name: str
    build: str
    unused: str
    data: str
    main: str
    marked: str
    begin: tuple[str, str]
    kept: str = ""


_UNUSED_C = """int unused_{number}(int count, const char *text) {{
    int found = {first};
    for (int at = 0; at < count; at++)
        found = found * {second} + text[at % {third}];
    return found % {third} ? found : found + text[count] * {first};
}}
"""
_MAIN_C = """
#include <stdio.h>
int main(int count, char **words) {{
    if (count > 5)
        puts("{version}");
    for (int round = 0; round < {rounds}; round++)
        once();
    return words == 0;
}}
"""
_C = "{compiler} -O2 -g -fno-omit-frame-pointer"
C = Language(
    "C",
    f"{_C.format(compiler='gcc')} -c other.c -o other.o\n{_C.format(compiler='gcc')} -c {{file}} -o main.o\n"
    "gcc -o program {objects} -lm\n",
    _UNUSED_C,
    'int large_table[1733] = {1, 2, 3};\nconst char large_text[5211] = "x";\n',
    _MAIN_C,
    "noinline",
    ("int main(void) {", "int once(void) {"),
)
CPP = Language(
    "C++",
    f"{_C.format(compiler='gcc')} -c other.c -o other.o\n{_C.format(compiler='g++')} -std=c++17 -c {{file}} -o main.o\n"
    "g++ -o program {objects}\n",
    _UNUSED_C,
    'int large_table[1733] = {1, 2, 3};\nextern const char large_text[5211];\nconst char large_text[5211] = "x";\n',
    _MAIN_C,
    "noinline",
    ("int main() {", "void once() {"),
)
RUST = Language(
    "Rust",
    "rustc -O -g -C force-frame-pointers=yes -o program {file}\n",
    """#[no_mangle]
pub extern "C" fn unused_{number}(count: u32, seed: u32) -> u32 {{
    let mut found = {first}u32;
    for at in 0..count {{
        found = found.wrapping_mul({second}) ^ (seed >> (at % {third}));
    }}
    if found % {third} == 0 {{ found.wrapping_add({first}) }} else {{ found }}
}}
""",
    "#[no_mangle]\npub static mut LARGE_TABLE: [u32; 1733] = [3; 1733];\n"
    "#[no_mangle]\npub static LARGE_TEXT: [u8; 5211] = [7; 5211];\n",
    """
fn main() {{
    if std::env::args().count() > 5 {{
        println!("{version}");
    }}
    for _ in 0..{rounds} {{
        once();
    }}
}}
""",
    "#[inline(never)]",
    ("fn main() {", "fn once() {"),
)
GO = Language(
    "Go",
    "GO111MODULE=off go build {flags}-o program {file}\n",
    """//go:noinline
func unused{number}(count int, text string) int {{
	found := {first}
	for at := 0; at < count; at++ {{
		found = found*{second} + int(text[at%{third}])
	}}
	if found%{third} == 0 {{
		found += {first}
	}}
	return found
}}

""",
    "\nvar LargeTable = [1733]uint32{1, 2, 3}\n\nfunc init() { LargeTable[5] = uint32(len(os.Args)) }\n",
    """
func main() {{
	if len(os.Args) > 5 {{
		fmt.Println("{version}")
	}}
	for round := 0; round < {rounds}; round++ {{
		once()
	}}
}}
""",
    "//go:noinline",
    ("func main() {", "func once() {"),
    "\nvar Kept = []any{{{names}}}\n",
)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A program, how often its work is repeated, and the function that grows, with the constant that is its work."""

    name: str
    file: str
    language: Language
    rounds: int
    function: str
    constant: str
    held_out: bool


PROGRAMS = (
    Rebuilt("words", "words.c", C, 65, "mixed", "MIXED", held_out=False),
    Rebuilt("ordered", "ordered.c", C, 40, "checked", "CHECKED", held_out=True),
    Rebuilt("catalog", "catalog.cpp", CPP, 28, "score", "SCORE", held_out=False),
    Rebuilt("sheet", "sheet.cpp", CPP, 28, "distance", "DISTANCE", held_out=True),
    Rebuilt("ledger", "ledger.rs", RUST, 30, "rounded", "ROUNDED", held_out=False),
    Rebuilt("visits", "visits.rs", RUST, 40, "level", "LEVEL", held_out=True),
    Rebuilt("tokens", "tokens.go", GO, 28, "classOf", "class", held_out=False),
    Rebuilt("routes", "routes.go", GO, 40, "hashOf", "hash", held_out=True),
)
BY_NAME = {program.name: program for program in PROGRAMS}


def _unused(language: Language, numbers: Sequence[int]) -> str:
    texts = []
    for number in numbers:
        first = 7 + 4 * number
        texts.append(language.unused.format(number=number, first=first, second=first + 1, third=number + 3))
    return "".join(texts)


def _kept(language: Language, numbers: Sequence[int]) -> str:
    names = ", ".join(f"unused{number}" for number in numbers)
    return language.kept.format(names=names)


def _grown(program: Rebuilt, text: str, value: int) -> str:
    """Set the constant of the function that grows."""
    if program.language is GO:  # const class, width, lines = 1000, 1000, 9000
        pattern, new = rf"(const {program.constant}, \w+, \w+) = {UNIT}\b", rf"\g<1> = {value}"
    else:
        pattern, new = rf"\b({program.constant}(?:: u32)?) = {UNIT}\b", rf"\g<1> = {value}"
    return re.sub(pattern, new, text)


def _reversed(text: str, language: Language) -> str:
    """Return the functions that are not inlined in the reverse order."""
    start, stop = text.index(language.marked), text.index(language.begin[1])
    functions = text[start:stop].split(language.marked)[1:]
    return text[:start] + "".join(language.marked + each for each in reversed(functions)) + text[stop:]


def files_of(program: Rebuilt, kind: str, value: int = UNIT) -> dict[str, str]:
    """Return the files of a program after an edit, with the script that builds it. A plant also moves code."""
    language = program.language
    text = (SOURCES / program.file).read_text(encoding="utf-8").replace(*language.begin)
    if language is GO:
        text = text.replace("import (", 'import (\n\t"os"', 1)
    text = _grown(program, text, value)
    if kind == "order" and language is RUST:
        text = _reversed(text, language)
    if kind == "unused" or kind in PLANTS:
        place = text.rindex("\n", 0, text.index(language.marked)) + 1
        text = text[:place] + _unused(language, UNUSED) + text[place:] + _kept(language, UNUSED)
    text += language.main.format(version=LONG_VERSION if kind == "string" else VERSION, rounds=program.rounds)
    if kind == "cold":
        text += _unused(language, UNUSED) + _kept(language, UNUSED)
    elif kind == "data":
        text += language.data
    elif kind == "comment":
        text = f"/* A comment\n   of two lines. */\n{text}"
    moved = kind == "order"
    build = language.build.format(
        file=program.file,
        objects="other.o main.o" if moved else "main.o other.o",
        flags="-ldflags=-randlayout=7 " if moved else "",
    )
    found = {program.file: text, BUILD: f"set -e\n{build}"}
    return found | ({"other.c": _unused(language, OTHER)} if language in {C, CPP} else {})


def build(files: Mapping[str, str], folder: Path) -> None:
    """Write the files to a new folder and build the program. Raises RecordError."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    outcome = subprocess.run([tool("sh"), BUILD], cwd=folder, capture_output=True, text=True, check=False)
    if outcome.returncode:
        last = (outcome.stderr.strip().splitlines() or ["no output"])[-1]
        raise RecordError(f"{files[BUILD].splitlines()[-1]}: {last}")


def built(program: Rebuilt, kind: str, work: Path, value: int = UNIT) -> Path:
    """Build a program after an edit below a folder, and return the folder with the executable. Raises RecordError."""
    folder = work / program.name / (LONG_PATH if kind == "path" else "") / kind
    build(files_of(program, kind, value), folder)
    return folder


def _processor_time(folder: Path) -> float:
    with subprocess.Popen(["./program"], cwd=folder, stdout=subprocess.DEVNULL) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if status:
        raise RecordError(f"{folder}/program: exit code {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def planted_value(program: Rebuilt, base: Path, work: Path) -> dict[str, int]:
    """Return the constants with which the function takes the shares of `PLANTS` more. Raises RecordError."""
    twice = built(program, "twice", work, 2 * UNIT)
    pairs = [(_processor_time(base), _processor_time(twice)) for _ in range(TIMED)]
    before, after = (statistics.median(times) for times in zip(*pairs, strict=True))
    share = after / before - 1.0
    if share < 0.02:
        raise RecordError(f"{program.name}: {program.constant} has no effect")
    return {name: round(UNIT * (1.0 + percent / 100.0 / share)) for name, percent in PLANTS.items()}
