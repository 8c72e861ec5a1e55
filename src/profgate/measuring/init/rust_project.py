"""Commands of Rust packages: benchmarks, and programs whose names contain "bench" or "perf"."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from profgate.measuring.init.candidates import (
    MEASURES,
    MOST,
    PLAIN,
    Candidate,
    Kind,
    strings,
    subtable,
    tables,
    toml,
    within,
)
from profgate.measuring.init.repository_files import Files

NAME = re.compile(r"[A-Za-z0-9_-]{1,80}")


def rust_candidates(files: Files, folder: str) -> Iterator[Candidate]:
    """Return benchmark programs, then the benchmarks in Cargo.toml and benches/, then the tests of the library."""
    here = files.inside(folder)
    cargo = toml(here.read("Cargo.toml"))
    if not subtable(cargo, "package"):
        return
    if folder == "." or subtable(cargo, "workspace"):
        yield from _programs(here, folder)
    for name, path, features in _benches(here, cargo):
        text = here.read(path)
        if NAME.fullmatch(name) and not re.search(r"\biai(_callgrind)?::|\bgungraun::", text):
            # a stable compiler, because a nightly one may differ between the baseline and a pull request
            unstable = (
                "RUSTC_BOOTSTRAP=1 " if re.search(r"^#!\[feature\(|^extern crate test;", text, re.MULTILINE) else ""
            )
            build = f"{unstable}cargo bench --bench {name}{f' --features {features}' if features else ''}"
            named = re.findall(r"^#\[bench\]\n(?:#\[[^\n]{0,200}\]\n)?(?:pub )?fn (\w{1,80})\(", text, re.MULTILINE)[
                :MOST
            ]
            options = f" -- --exact {' '.join(named)}" if named else ""
            options = (
                " -- --profile-time 2" if re.search(r"\bcriterion(2|_bench)?\b|codspeed_criterion", text) else options
            )
            timed = bool(options or re.search(r"#\[(divan::)?bench|\bdivan::main|\bbencher::", text))
            setup, place = within(folder, [f"{build} --no-run"]), f"benchmark {name} of {path}"
            count = len(re.findall(r"bench_function|bench_with_input|\.bench\(|#\[(divan::)?bench", text))
            kind = Kind.BENCHMARK
            yield Candidate("Rust", build + options, place, kind, folder, folder, setup, count, timed=timed)
    own = [path for path in here.listed("**/*.rs") if path.startswith("src/")] if here.listed("src/lib.rs") else []
    whole = {f"--test {PurePosixPath(path).stem}": [path] for path in here.listed("tests/*.rs")}
    for option, paths in ({"--lib": own} | whole).items():
        texts = [text for text in map(here.read, paths) if "#[test]" in text]
        if texts and PLAIN.fullmatch(option):
            build = f"cargo test --release {option}"
            setup = within(folder, [f"{build} --no-run"])
            size = sum(map(len, texts))
            place = "src" if option == "--lib" else paths[0]
            yield Candidate("Rust", build, f"tests in {place}", Kind.TESTS, folder, folder, setup, size)


def _benches(here: Files, cargo: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Return the name, file and required features of each benchmark."""
    stated = {str(each.get("name")): each for each in tables(cargo.get("bench"))}
    paths = {path.removeprefix("benches/").removesuffix(".rs"): path for path in sorted(here.listed("benches/*.rs"))}
    paths |= {path.split("/")[1]: path for path in sorted(here.listed("benches/*/main.rs"))}
    for name in dict.fromkeys([*stated, *paths]):
        bench = stated.get(name, {})
        features = [feature for feature in strings(bench.get("required-features")) if NAME.fullmatch(feature)]
        yield name, str(bench.get("path") or paths.get(name, f"benches/{name}.rs")), ",".join(features)


def _programs(here: Files, folder: str) -> Iterator[Candidate]:
    for place, option, output in (("src/bin", "--bin", ""), ("examples", "--example", "examples/")):
        for path in sorted(here.listed(f"{place}/*.rs")):
            name = path.rpartition("/")[2].removesuffix(".rs")
            if MEASURES.search(name) and NAME.fullmatch(name):
                setup = within(folder, [f"cargo build --release {option} {name}"])
                yield Candidate("Rust", f"target/release/{output}{name}", path, Kind.BENCHMARK, folder, folder, setup)
