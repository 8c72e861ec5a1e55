"""Compare many workloads or symbols, and merge many shards: ./run bench load [--workloads 10000] [CASE ...].

Prints wall time, CPU time, peak memory and the size of report.json. The files are generated: small programs with Zipf
shares and sampling noise, of which one in a hundred has a slower function on the target side, and one program with many
functions. The exit code is 1 if a comparison exceeds 30 s, 1 GiB or 40 MB.
"""

import argparse
import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from bench.harness import ENVIRONMENT, MEBIBYTE, Contender, Measured, RunError, measure_in_turn
from bench.peers import profgate

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench" / "load"
MERGE, SYMBOLS = "merge", "symbols"
FILES, RUNS_OF_EACH = "files", "runs"
MOST_SECONDS, MOST_MEMORY, MOST_REPORT = 30.0, 1 << 30, 40_000_000
SIDES = ("baseline", "target")
POOL = 3_000  # names that all programs share
SAMPLES = 2_000  # of one run
RUNS = 5
SLOWER_EVERY = 100  # workloads
SLOWER = 1.5


class _Program:
    """One workload: stacks with Zipf shares, one of which takes longer on the target side of some workloads."""

    def __init__(self, number: int) -> None:
        chance = np.random.default_rng(number)
        functions = int(chance.integers(20, 51))
        names = [f"handler_{place % 97}.process_{place:04d}" for place in chance.choice(POOL, functions, replace=False)]
        self._chance = chance
        self._stacks = [names[0]]
        for name in names[1:]:
            above = self._stacks[int(chance.integers(max(1, len(self._stacks) // 2)))]
            self._stacks.append(f"{above};{name}")
        shares = chance.permutation(1.0 / np.arange(1, functions + 1))
        after = shares.copy()
        after[int(shares.argmax())] *= 1.0 if number % SLOWER_EVERY else SLOWER
        self._means = (SAMPLES * shares / shares.sum(), SAMPLES * after / shares.sum())

    def run(self, side: int) -> str:
        """Return one recording as folded stacks."""
        counts = self._chance.poisson(self._means[side] * self._chance.normal(1.0, 0.01)).tolist()
        return "".join(f"{stack} {count}\n" for stack, count in zip(self._stacks, counts, strict=True) if count)


def write_files(folder: Path, workloads: range) -> None:
    """Write one folded file for each workload and side."""
    for number in workloads:
        program = _Program(number)
        for place, side in enumerate(SIDES):
            file = folder / side / f"group_{number % 100}" / f"workload_{number}.folded"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(program.run(place), encoding="ascii")


def write_runs(folder: Path, workloads: range) -> None:
    """Write five folded files for each workload and side."""
    for number in workloads:
        program = _Program(number)
        for place, side in enumerate(SIDES):
            files = folder / side / f"workload_{number}"
            files.mkdir(parents=True)
            for run in range(RUNS):
                (files / f"{run}.folded").write_text(program.run(place), encoding="ascii")


def write_results(folder: Path, workloads: range) -> None:
    """Write five files of benchmark results for each side, with one benchmark for each workload."""
    chance = np.random.default_rng(len(workloads))
    usual = np.exp(chance.normal(-7.0, 2.0, len(workloads)))
    slower = np.where(np.array(workloads) % SLOWER_EVERY, 1.0, SLOWER)
    for place, side in enumerate(SIDES):
        (folder / side).mkdir(parents=True)
        for run in range(RUNS):
            seconds = usual * slower**place * chance.normal(1.0, 0.02, len(workloads))
            benchmarks = [
                {"fullname": f"tests/test_{number % 200}.py::test_{number}", "stats": {"mean": value, "rounds": 5}}
                for number, value in enumerate(seconds.tolist())
            ]
            text = json.dumps({"machine_info": {}, "benchmarks": benchmarks, "version": "5.1.0"})
            (folder / side / f"{run}.json").write_text(text, encoding="ascii")


def write_symbols(folder: Path, symbols: range) -> None:
    """Write one folded file for each side, in which each function has one stack."""
    chance = np.random.default_rng(len(symbols))
    for side in SIDES:
        (folder / side).mkdir(parents=True)
        counts = (1 + chance.poisson(3.0, len(symbols))).tolist()
        names = (f"package_{number // 1000:03}.Class_{number // 20 % 50:02}.method_{number:06}" for number in symbols)
        lines = (f"main;{name[:11]};{name} {count}\n" for name, count in zip(names, counts, strict=True))
        (folder / side / "large.folded").write_text("".join(lines), encoding="ascii")


CASES: dict[str, Callable[[Path, range], None]] = {
    FILES: write_files,
    RUNS_OF_EACH: write_runs,
    "results": write_results,
    SYMBOLS: write_symbols,
}


def main(words: Sequence[str]) -> int:
    """Print the table. The exit code is 1 if a comparison failed or exceeds a limit."""
    parser = argparse.ArgumentParser(prog="bench load", description=__doc__)
    parser.add_argument("case", nargs="*", metavar="CASE", help=f"of {', '.join([*CASES, MERGE])}; all by default")
    parser.add_argument("--workloads", type=int, default=10_000, metavar="N", help="of each side")
    parser.add_argument("--symbols", type=int, default=1_000_000, metavar="N", help="functions of the large program")
    parser.add_argument("--shards", type=int, default=50, metavar="N", help="reports to merge, with equal numbers")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS", help="for a single run")
    options = parser.parse_args(words)
    if unknown := set(options.case) - {*CASES, MERGE}:
        parser.error(f"unknown case {', '.join(sorted(unknown))}")
    print("| case | count | seconds | CPU seconds | peak MiB | report.json MB |\n|---|---|---|---|---|---|")
    exceeded = 0
    for case in options.case or [*CASES, MERGE]:
        count = options.symbols if case == SYMBOLS else options.workloads
        folder = written(case, count, options.shards)
        contender = _merging(folder, options.shards) if case == MERGE else comparing(folder)
        outcome = measure_in_turn([contender], 1, options.timeout)[contender.name]
        if isinstance(outcome, RunError):
            print(f"| {case} | {count:,} | {outcome} |", flush=True)
            exceeded += 1
            continue
        size = (folder / "report" / "report.json").stat().st_size
        print(_line(case, count, outcome, size), flush=True)
        exceeded += outcome.wall > MOST_SECONDS or outcome.peak > MOST_MEMORY or size > MOST_REPORT
    return int(exceeded > 0)


def _line(case: str, count: int, outcome: Measured, size: int) -> str:
    """Return a row of the table. The CPU time depends less on other programs on the machine than the wall time."""
    times = f"{outcome.wall:.1f} | {outcome.processor:.1f}"
    return f"| {case} | {count:,} | {times} | {outcome.peak / MEBIBYTE:.0f} | {size / 1e6:.1f} |"


def written(case: str, workloads: int, shards: int = 0) -> Path:
    """Return the folder of a case, with its files, which are written again if this program changed."""
    version = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
    name = f"{case}-{workloads}" + (f"-{shards}" if case == MERGE else "")
    folder, stamp = FOLDER / name, FOLDER / f"{name}.stamp"
    if not stamp.exists() or stamp.read_text(encoding="ascii") != version:
        shutil.rmtree(folder, ignore_errors=True)
        if case == MERGE:
            for shard in range(shards):
                write_runs(folder / f"shard_{shard}", range(shard, workloads, shards))
        else:
            CASES[case](folder, range(workloads))
        stamp.write_text(version, encoding="ascii")
    return folder


def comparing(folder: Path) -> Contender:
    """Return the comparison of both sides in a folder."""
    options: list[str | Path] = ["--interleaved", "--fail-on", "never", "--output-dir", folder / "report"]
    return profgate("compare", folder / "baseline", folder / "target", *options)


def _merging(folder: Path, shards: int) -> Contender:
    """Compare each shard without measuring it, and return the merge."""
    for shard in range(shards):
        compared = comparing(folder / f"shard_{shard}")
        subprocess.run(compared.pipe[0], stdout=subprocess.DEVNULL, env=ENVIRONMENT, check=True)
    reports = [folder / f"shard_{shard}" / "report" / "report.json" for shard in range(shards)]
    return profgate("report", "merge", *reports, "--fail-on", "never", "--output-dir", folder / "report")
