"""Builds of small programs, and which of them are the same."""

import random
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from profgate.attribution.machine_code import FACTS, INSTRUCTIONS, Program, is_same_program, program_of

needs_tools = pytest.mark.skipif(not (shutil.which("gcc") and shutil.which("objdump")), reason="needs gcc and objdump")
HEADER = '#define VERSION "1.4.2"\n'
WORK = """
#include <stdio.h>
static int calls, others;
static const int weights[] = {3, 5, 7, 9};
static const char *const names[] = {"a", "bb", "ccc"};
__attribute__((noinline)) static int add(int n) { return n * 7 + calls; }
__attribute__((noinline)) static int twice(int n) { return n * 2; }
__attribute__((noinline)) static int thrice(int n) { return n * 3; }
static int (*const chosen[])(int) = {twice, thrice};
__attribute__((noinline)) int hot(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++) sum += weights[i & 3] * add(i) + chosen[i & 1](i);
    calls++;
    return sum + names[n % 3][0];
}
__attribute__((noinline)) int kind(int n) {
    switch (n) {
        case 0: return hot(1);
        case 1: puts("one"); return 4;
        case 2: return hot(3) * 2;
        case 3: return add(n);
        case 4: puts("four"); return 1;
        case 5: return twice(n) - others;
        default: return 0;
    }
}
"""
MAIN = """
#include <stdio.h>
#include "version.h"
int hot(int), kind(int);
int main(int count, char **words) {
    printf("version %s %s\\n", VERSION, words[0]);
    return hot(count) + kind(count);
}
"""
SOURCES = {"version.h": HEADER, "work.c": WORK, "main.c": MAIN}
UNUSED = "int unused(const char *s, int n) { int f = 7; for (int i = 0; i < n; i++) f += s[i] * 5; return f; }\n"
RUST = """
use std::collections::HashMap;
#[inline(never)]
fn hot(values: &[u64], at: usize) -> u64 { values[at] * 3 + values[at / 2] }
#[inline(never)]
fn kind(n: usize) -> &'static str {
    match n { 0 => "none", 1 => "one", 2 => "two", 3 => "three", 4 => "4", _ => "many" }
}
fn main() {
    let values: Vec<u64> = (0..99).collect();
    let found: HashMap<usize, u64> = (0..99).map(|n| (n, hot(&values, n))).collect();
    println!("{} {} {}", found.len(), kind(found.len() % 6), std::env::args().next().unwrap());
}
"""


def built(folder: Path, sources: Mapping[str, str], *options: str, compiler: str = "gcc") -> tuple[bytes, bytes]:
    """A program of these sources, and the output of objdump."""
    folder.mkdir()
    for name, text in sources.items():
        (folder / name).write_text(text)
    files = [name for name in sources if not name.endswith(".h")]
    subprocess.run([compiler, *options, *files, "-o", "program"], cwd=folder, check=True)
    commands = (["objdump", *words.split(), "program"] for words in (FACTS, INSTRUCTIONS))
    listing = b"".join(subprocess.run(words, cwd=folder, check=True, stdout=-1).stdout for words in commands)
    return (folder / "program").read_bytes(), listing


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    return built(tmp_path_factory.mktemp("base") / "it", SOURCES, "-O2")


def changed(name: str, old: str, new: str) -> dict[str, str]:
    assert SOURCES[name].count(old) == 1
    return {**SOURCES, name: SOURCES[name].replace(old, new)}


@needs_tools
@pytest.mark.parametrize(
    "sources",
    [
        changed("version.h", "1.4.2", "1.10.0-rc.1+build.77"),
        changed("work.c", "static int calls", f"// a comment\n\n{UNUSED}static int calls"),
        changed("work.c", "static int calls", "const char text[999] = {1};\nstatic int calls"),
        dict(reversed(SOURCES.items())),
    ],
    ids=["version", "unused function", "unused data", "order of files"],
)
def test_builds_that_place_code_elsewhere_are_the_same(
    base: tuple[bytes, bytes], tmp_path: Path, sources: Mapping[str, str]
) -> None:
    other = built(tmp_path / "it", sources, "-O2")
    assert other != base
    assert is_same_program(program_of(*base), program_of(*other))
    assert is_same_program(program_of(*other), program_of(*base))


@needs_tools
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("work.c", "n * 7", "n * 8"),  # a function that the hot one calls
        ("work.c", "return n * 3", "return n * 5"),  # one that it calls through a table
        ("work.c", "{3, 5, 7, 9}", "{3, 5, 7, 8}"),
        ("work.c", "{twice, thrice}", "{thrice, twice}"),
        ("work.c", '"ccc"', '"cce"'),
        ("work.c", "calls++", "others++"),
        ("work.c", "static int calls,", "static int calls = 4,"),
        ("work.c", "case 1: puts", "case 7: puts"),  # another table of addresses
        ("work.c", "case 3: return add(n)", "case 3: return twice(n)"),
        ("main.c", "hot(count) +", "hot(count) + hot(count + 1) +"),  # the same function is called more often
        ("main.c", "version %s", "version: %s"),
    ],
)
def test_changed_programs_differ(base: tuple[bytes, bytes], tmp_path: Path, name: str, old: str, new: str) -> None:
    other = built(tmp_path / "it", changed(name, old, new), "-O2")
    assert not is_same_program(program_of(*base), program_of(*other))


@needs_tools
def test_other_libraries_differ(base: tuple[bytes, bytes], tmp_path: Path) -> None:
    other = built(tmp_path / "it", SOURCES, "-O2", "-Wl,--no-as-needed", "-lm")
    assert not is_same_program(program_of(*base), program_of(*other))


@needs_tools
@pytest.mark.parametrize("options", [["-no-pie"], ["-static"], ["-m32"]])
def test_programs_with_unclear_addresses_are_not_compared(tmp_path: Path, options: list[str]) -> None:
    try:
        other = built(tmp_path / "it", SOURCES, *options)
    except subprocess.CalledProcessError:
        return  # the compiler lacks the libraries, or objdump refuses the file
    with pytest.raises(ValueError, match="position-independent"):
        program_of(*other)


@needs_tools
@pytest.mark.parametrize("part", [0, 1])
def test_damaged_files_raise_no_other_error(base: tuple[bytes, bytes], part: int) -> None:
    chance = random.Random(7)
    for _ in range(60):
        damaged = bytearray(base[part])
        for _ in range(chance.choice([1, 20, 400])):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        del damaged[chance.choice([len(damaged), chance.randrange(len(damaged))]) :]
        given = (bytes(damaged), base[1]) if part == 0 else (base[0], bytes(damaged))
        try:
            found: Program | None = program_of(*given)
        except ValueError:
            continue
        assert found
        is_same_program(program_of(*base), found)


@needs_tools
def test_name_that_imitates_a_line_is_refused(tmp_path: Path) -> None:
    name = "\\n0000000000001000 <hot>:"
    data, listing = built(tmp_path / "it", changed("version.h", "1.4.2", name), "-O2")
    with pytest.raises(ValueError, match="position-independent"):
        program_of(data, listing)


IN_RUST = ("-O", "--crate-name", "program")


@pytest.fixture(scope="module")
def rust(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return program_of(*built(tmp_path_factory.mktemp("rust") / "old", {"main.rs": RUST}, *IN_RUST, compiler="rustc"))


@needs_tools
@pytest.mark.skipif(not shutil.which("rustc"), reason="needs rustc")
@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (
            "#[inline(never)]\nfn hot",
            "// lines before\n\nfn unused(n: u64) -> u64 { n * 5 }\n#[inline(never)]\nfn hot",
            True,
        ),
        ("* 3 + values", "* 4 + values", False),
        ('"three"', '"threw"', False),
        ("(0..99).collect()", "(0..98).collect()", False),
    ],
)
def test_programs_in_rust(tmp_path: Path, rust: Program, old: str, new: str, *, same: bool) -> None:
    assert RUST.count(old) == 1
    after = built(tmp_path / "new", {"main.rs": RUST.replace(old, new)}, *IN_RUST, compiler="rustc")
    assert is_same_program(rust, program_of(*after)) is same
