"""Compare speed and memory of profgate with other programs: ./run bench [--size 10k,100k,1m] [--runs N].

The results are stored by commit in build/bench/results, and the table shows those of the commit before beside them.

./run bench field measures the accuracy of verdicts, with --counts that of counts, ./run bench history the size and
speed of a history, ./run bench drift what drift in recorded runs is detected, ./run bench claims how often claims are
proven, ./run bench canary how often planted work is reported, ./run bench load the comparison of 10,000 workloads,
./run bench scale that by different executors, ./run bench machines simulates the verdict of two machines, ./run bench
ranks what stable ranks detect, ./run bench page how fast a page with 300,000 nodes is in a browser, and ./run bench
mutants whether tests fail with changed code.
"""

import argparse
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from bench.cases import PPROF_SIZE, SMALL, run_cases
from bench.files import RECIPES
from bench.table import as_json, as_table, failed

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "bench"
OTHERS = {"field": "bench.field.main"} | {
    name: f"bench.{name}"
    for name in ("canary", "claims", "drift", "history", "load", "machines", "mutants", "page", "ranks", "scale")
}
SIZES = [name for name in RECIPES if name not in {SMALL, PPROF_SIZE}]


def _sizes(text: str) -> list[str]:
    sizes = [size.strip().lower() for size in text.split(",") if size.strip()]
    for size in sizes:
        if size not in SIZES:
            raise argparse.ArgumentTypeError(f"unknown size {size!r}; choose from {', '.join(SIZES)}")
    return sizes


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of runs; give 1 or more")
    return int(text)


def _commit() -> str:
    """The commit of the checkout, marked if files differ from it."""
    command = ["git", "describe", "--always", "--abbrev=40", "--dirty", "--exclude=*"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    """Print the table. The exit code is 1 if profgate failed."""
    if sys.argv[1:2] and sys.argv[1] in OTHERS:
        return int(import_module(OTHERS[sys.argv[1]]).main(sys.argv[2:]))
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--size", type=_sizes, default="10k,100k", metavar="LIST", help=f"of {', '.join(SIZES)}")
    parser.add_argument("--runs", type=_positive, default=3, metavar="N", help="timed runs of each command")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for a single run")
    arguments = parser.parse_args()
    results = run_cases(arguments.size, arguments.runs, arguments.timeout, FOLDER)
    stored = FOLDER / "results" / f"{_commit()}.json"
    others = sorted(set(stored.parent.glob("*.json")) - {stored}, key=lambda path: path.stat().st_mtime)
    print(as_table(results, arguments.runs, json.loads(others[-1].read_bytes()) if others else {}))
    stored.parent.mkdir(parents=True, exist_ok=True)
    stored.write_text(json.dumps(as_json(results, arguments.runs), indent=1) + "\n", encoding="utf-8")
    return 1 if failed(results) else 0


if __name__ == "__main__":
    sys.exit(main())
