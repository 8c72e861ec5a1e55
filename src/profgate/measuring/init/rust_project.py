"""Commands of Rust packages: benchmarks, and programs whose names contain "bench" or "perf"."""

import shlex
import tomllib
from collections.abc import Iterator

from profgate.measuring.init.candidates import PLAIN, Candidate, Kind, entries, subtable, table_of, within
from profgate.measuring.init.declared import Declared, declared
from profgate.measuring.init.repository_files import Files

COUNTED = r"\biai(_callgrind)?::|\bgungraun::"  # these run below another profiler
UNSTABLE = r"^#!\[feature\(|^extern crate test;"
LIBTEST = r"^#\[bench\]\n(?:#\[[^\n]{0,200}\]\n)?(?:pub )?fn (\w{1,80})\("
CRITERION = r"\bcriterion(2|_bench)?\b|codspeed_criterion"
FIXED_TIME = r"#\[(divan::)?bench|\bdivan::main|\bbencher::"
FUNCTIONS = r"(?:bench_function|bench_with_input|\.bench\(|#\[(?:divan::)?bench)"
BENCHES = "benches/*.rs benches/*/main.rs"
BENCH = "cargo bench --bench {name}{option}"
STABLE = f"RUSTC_BOOTSTRAP=1 {BENCH}"  # a nightly compiler may differ between the baseline and a pull request
RUN, EXAMPLE = "cargo build --release --bin {name}", "cargo build --release --example {name}"
PROGRAMS = (
    Declared("src/bin/*bench*.rs src/bin/*perf*.rs", "target/release/{name}", RUN),
    Declared("examples/*bench*.rs examples/*perf*.rs", "target/release/examples/{name}", EXAMPLE),
)
BENCHMARKS = (
    Declared(BENCHES, f"{BENCH} -- --profile-time 2", f"{BENCH} --no-run", CRITERION, COUNTED, FUNCTIONS, timed=True),
    Declared(BENCHES, f"{STABLE} -- --exact {{words}}", f"{STABLE} --no-run", LIBTEST, COUNTED, LIBTEST, timed=True),
    Declared(BENCHES, STABLE, f"{STABLE} --no-run", UNSTABLE, COUNTED, timed=True),
    Declared(BENCHES, BENCH, f"{BENCH} --no-run", FIXED_TIME, COUNTED, FUNCTIONS, timed=True),
    Declared(BENCHES, BENCH, f"{BENCH} --no-run", "", COUNTED),
)
TEST, LIBRARY = "cargo test --release --test {name}", "cargo test --release --lib"
TESTS = (
    Declared("tests/*.rs", TEST, f"{TEST} --no-run", r"#\[test\]", functions="\n", kind=Kind.TESTS),
    Declared("src/lib.rs", LIBRARY, f"{LIBRARY} --no-run", r"#\[test\]|\bmod ", functions="\n", kind=Kind.TESTS),
)


def rust_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return benchmark programs, then the benchmarks in benches/, then the tests."""
    cargo = table_of(files.inside(folder).read("Cargo.toml"), tomllib.loads)
    options = dict[str, str]()
    for bench in entries(cargo.get("bench"), dict):
        features = ",".join(entries(bench.get("required-features"), str))
        options[str(bench.get("name"))] = f" --features {shlex.quote(features)}" if PLAIN.fullmatch(features) else ""
    top = folder == "." or "workspace" in cargo  # whose output is below it
    rows = (*(PROGRAMS if top else ()), *BENCHMARKS, *TESTS) if subtable(cargo, "package") else ()
    return declared("Rust", rows, files, folder, lambda line, _: within(folder, [line]), options)
