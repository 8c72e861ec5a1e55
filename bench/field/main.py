"""Measure the accuracy of verdicts on real programs: ./run bench field [options].

Records programs, variants and upgrades with real profilers, judges them, and prints the acceptance table. Existing
recordings are used again, so an interrupted session continues, and a changed rule is judged in minutes. One of these
options measures something else instead: --counts the section "Counts on other machines", with callgrind; --rebuilt
programs whose code is placed elsewhere, with perf, and --machines the same on imitated machines; --collapsed broken
benchmarks, and --live the branches of small repositories, with `profgate measure`.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain
from pathlib import Path

from bench.field.cases import Case, cases_of, upgrade_cases
from bench.field.collapsed import measure_collapsed
from bench.field.counts import counts_text, record_counts
from bench.field.folders import CHUNK, judge_folder
from bench.field.judging import Outcome, outcome_of
from bench.field.live import measure_live
from bench.field.page import COUNTS, PAGE, page, table_text
from bench.field.placement import judge_pairs, rebuilt_text
from bench.field.programs import PROGRAMS
from bench.field.rebuilt import record_rebuilt
from bench.field.recorders import RecordError, tool
from bench.field.session import record_all
from bench.field.truth import measure_all
from bench.field.upgrades import UPGRADES

from profgate.io.executors import executor_named, results_of

DEFAULT = Path(__file__).resolve().parents[2] / "build" / "field"
OUTCOMES, REBUILT_OUTCOMES = "outcomes.json", "rebuilt.json"
HALVES = ("held-out", "dev", "all")

Work = tuple[str, bool, Case]


def _judged(work: Sequence[Work]) -> list[Outcome]:
    return [outcome_of(name, case, held_out=held_out) for name, held_out, case in work]


def judge_recordings(folder: Path, executor: str) -> list[Outcome]:
    """Judge all comparisons of a folder of recordings by an executor. Raises ProfgateError."""
    truth_file = folder / "upgrades" / "truth.json"
    truth = json.loads(truth_file.read_text(encoding="utf-8")) if truth_file.exists() else {}
    work: list[Work] = []
    for program in PROGRAMS:
        work += [(program.name, program.held_out, case) for case in cases_of(program, folder / program.name)]
    work += [(upgrade.name, upgrade.held_out, case) for upgrade, case in upgrade_cases(folder, truth)]
    chunks = [work[first : first + CHUNK] for first in range(0, len(work), CHUNK)]
    tasks = [partial(_judged, chunk) for chunk in chunks]
    with executor_named(executor) as started:
        return list(chain.from_iterable(results_of(tasks, started)))


def measure_counts(folder: Path, processes: int, *, record: bool) -> int:
    """Print the section of counts, or why it is skipped. Raises RecordError if a program cannot be recorded."""
    if record:
        try:
            tool("valgrind")
        except RecordError:
            print(f"{COUNTS}: skipped, because valgrind was not found; install it to record counts")
            return 0
        record_counts(folder, processes)
    print(f"{COUNTS}\n\n{counts_text(folder, processes)}")
    return 0


def measure_rebuilt(options: argparse.Namespace, folder: Path, executor: str) -> int:
    """Record what is missing, and print the table of rebuilt programs. The exit code is 1 if a row misses its target.

    It is 3 if recordings are missing. Raises RecordError.
    """
    record = options.judge is None
    if record and not record_rebuilt(folder, options.minutes, machines=options.machines, quick=options.quick):
        return 3
    outcomes, differences = judge_pairs(folder, executor)
    stored = {"outcomes": [asdict(one) for one in outcomes], "differences": [asdict(one) for one in differences]}
    (folder / REBUILT_OUTCOMES).write_text(json.dumps(stored, indent=0) + "\n", encoding="utf-8")
    text, met = rebuilt_text(outcomes, differences)
    print(text)
    return 0 if met else 1


def _measured(options: argparse.Namespace, folder: Path, executor: str) -> int | None:
    """Measure what an option requests, or return None. Raises RecordError."""
    record = options.judge is None
    if options.counts:
        return measure_counts(folder / "counts", options.processes, record=record)
    if options.rebuilt or options.machines:
        place = folder / "rebuilt" if record else folder
        return measure_rebuilt(options, place, executor)
    if options.collapsed:
        return measure_collapsed(folder / "collapsed", options.budget)
    if options.live is not None:
        return measure_live(folder / "live", options.live, options.budget)
    return None


def main(arguments: list[str]) -> int:
    """Print the table. The exit code is 1 if a row misses its target."""
    parser = argparse.ArgumentParser(prog="bench field", description=__doc__)
    parser.add_argument("--to", type=Path, default=DEFAULT, metavar="FOLDER", help="where recordings are stored")
    parser.add_argument("--quick", action="store_true", help="two programs and few variants")
    parser.add_argument("--minutes", type=float, default=60.0, metavar="N", help="stop recording after this time")
    parser.add_argument("--judge", type=Path, metavar="FOLDER", help="judge these recordings, record nothing")
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="judge recordings in folders p1 and p2")
    parser.add_argument("--counts", action="store_true", help="record and judge counts on other machines")
    parser.add_argument("--rebuilt", action="store_true", help="record and judge programs that are built again")
    parser.add_argument("--machines", action="store_true", help="as --rebuilt, also on imitated machines")
    parser.add_argument("--collapsed", action="store_true", help="measure broken benchmarks")
    parser.add_argument("--live", type=int, metavar="N", help="measure N branches of small repositories, at most 48")
    parser.add_argument("--budget", default="60s", metavar="TIME", help="for each branch (default: 60s)")
    parser.add_argument("--half", choices=HALVES, default=HALVES[0], help="programs that the table counts")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="N", help="for judging")
    parser.add_argument(
        "--executor", metavar="NAME", help="for judging: processes[:N] or dask://HOST:PORT (default: processes:N)"
    )
    parser.add_argument("--page", action="store_true", help=f"write {PAGE.name} as well")
    options = parser.parse_args(arguments)
    executor = options.executor or f"processes:{options.processes}"
    if options.folder is not None:
        with executor_named(executor) as started:
            print(judge_folder(options.folder, started))
        return 0
    folder = (options.judge or options.to).resolve()
    try:
        code = _measured(options, folder, executor)
        return _verdicts(options, folder, executor) if code is None else code
    except RecordError as error:
        print(f"bench field: {error}", file=sys.stderr)
        return 2


def _verdicts(options: argparse.Namespace, folder: Path, executor: str) -> int:
    """Record what is missing, judge it and print the acceptance table. Raises RecordError."""
    if options.judge is None:
        if not record_all(folder, quick=options.quick, minutes=options.minutes):
            return 3
        measure_all(UPGRADES[:1] if options.quick else UPGRADES, folder)
    elif not (folder / "manifest.json").exists():
        print(
            f"bench field: {folder} has no manifest.json; record it with: ./run bench field --to FOLDER",
            file=sys.stderr,
        )
        return 2
    outcomes = judge_recordings(folder, executor)
    (folder / OUTCOMES).write_text(json.dumps([asdict(one) for one in outcomes], indent=0) + "\n", encoding="utf-8")
    text, met = table_text(outcomes, "all" if options.quick else options.half)
    print(text)
    if options.page:
        PAGE.write_text(page(folder, outcomes), encoding="utf-8")
    return 0 if met else 1
