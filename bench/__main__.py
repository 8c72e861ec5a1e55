"""Compare speed and memory of profgate with other programs: ./run bench [--size 10k,100k,1m] [--runs N] [--json FILE].

./run bench field measures the accuracy of verdicts, with --counts that of counts, ./run bench history the size and
speed of a history, ./run bench load the comparison of 10,000 workloads, ./run bench scale that by different executors,
./run bench ranks what stable ranks detect, and ./run bench page how fast a page with 300,000 nodes is in a browser.
"""

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

from bench.cases import PPROF_SIZE, SMALL, run_cases
from bench.files import RECIPES
from bench.table import as_json, as_table, failed

FOLDER = Path(__file__).resolve().parent.parent / "build" / "bench"
FURTHER = ("history", "load", "page", "ranks", "scale")  # modules with a main function of their own
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


def main() -> int:
    """Print the table. The exit code is 1 if profgate failed."""
    if sys.argv[1:2] == ["field"]:
        from bench.field.main import main as field

        return field(sys.argv[2:])
    if sys.argv[1:2] and sys.argv[1] in FURTHER:
        further: int = import_module(f"bench.{sys.argv[1]}").main(sys.argv[2:])
        return further
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("--size", type=_sizes, default="10k,100k", metavar="LIST", help=f"of {', '.join(SIZES)}")
    parser.add_argument("--runs", type=_positive, default=3, metavar="N", help="timed runs of each command")
    parser.add_argument("--timeout", type=float, default=300, metavar="SECONDS", help="for a single run")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every run there")
    arguments = parser.parse_args()
    results = run_cases(arguments.size, arguments.runs, arguments.timeout, FOLDER)
    print(as_table(results, arguments.runs))
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(as_json(results, arguments.runs), indent=1) + "\n", encoding="utf-8")
    return 1 if failed(results) else 0


if __name__ == "__main__":
    sys.exit(main())
