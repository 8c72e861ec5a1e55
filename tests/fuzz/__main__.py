"""Fuzzes the entry points of untrusted data: ./run fuzz [ENTRY_POINT ...] [--minutes 10] [--seed 1].

Each entry point gets a process of its own, one after the other. Findings are stored in build/fuzz/ENTRY_POINT/findings,
and inputs that reached new code in build/fuzz/ENTRY_POINT/corpus, with which the next run begins. build/fuzz/log.jsonl
has a line for each run. The exit code is 1 if anything was found.
"""

import argparse
import json
import os
import re
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads would not survive a fork, and reserve much of the address space

from fuzz.campaign import Limits, engine, hunt, kept_input

if TYPE_CHECKING:
    from fuzz.entry_point import EntryPoint

ROOT = Path(__file__).resolve().parents[2]
LEAST_SECONDS = 5.0  # not worth another start
STEP = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)/")
UNITS = re.compile(r"stat::number_of_executed_units: (\d+)")
HEADINGS = ("entry point", "wall s", "CPU s", "runs", "branches", "features", "corpus", "slowest s", "most MB")
WIDTHS = (20, 7, 7, 10, 9, 15, 7, 10, 8)


def main() -> int:
    """Runs what was asked for and gives the exit code."""
    parser = argparse.ArgumentParser(
        prog="run fuzz", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    atheris = engine()
    from fuzz.entry_points import ENTRY_POINTS

    parser.add_argument(
        "entry_points", nargs="*", metavar="ENTRY_POINT", help=f"of {', '.join(ENTRY_POINTS)}; all by default"
    )
    parser.add_argument("--minutes", type=float, default=10.0, help="wall clock for each entry point (%(default)s)")
    parser.add_argument("--rounds", type=int, default=1, help="turns of that length for each entry point (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="begins the chance (%(default)s)")
    parser.add_argument("--output", type=Path, default=ROOT / "build" / "fuzz", help="folder (build/fuzz)")
    chosen = parser.parse_args()
    unknown = sorted(set(chosen.entry_points) - set(ENTRY_POINTS))
    if unknown:
        parser.error(f"unknown entry point {unknown[0]}; there are {', '.join(ENTRY_POINTS)}")
    if atheris is None:
        print("run fuzz: atheris is not installed here, so the search is not guided by what inputs reach", flush=True)
    print(line_of(HEADINGS), " findings", flush=True)
    found = 0
    names = list(chosen.entry_points or ENTRY_POINTS)
    for turn, name in enumerate(names * chosen.rounds):
        row = fuzz(
            ENTRY_POINTS[name],
            chosen.output.resolve() / name,
            chosen.minutes * 60,
            chosen.seed + turn,
            atheris,
            Limits(),
        )
        found += len(row["findings"])
        print(
            line_of(cells_of(row)),
            "",
            counts_text(row["findings"]) or "none",
            f"({counts_text(row['outcomes'])})",
            flush=True,
        )
        with (chosen.output / "log.jsonl").open("a") as log:
            log.write(json.dumps(row) + "\n")
    return 1 if found else 0


def fuzz(
    entry_point: "EntryPoint", folder: Path, seconds: float, seed: int, atheris: ModuleType | None, limits: Limits
) -> dict[str, Any]:
    """Runs one entry point for that long, beginning anew where the process dies, and sums up."""
    folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    rows: list[dict[str, Any]] = []
    while (left := end - time.monotonic()) > LEAST_SECONDS or not rows:
        (folder / "status.json").unlink(missing_ok=True)
        log = folder / "engine.log"
        code = _apart(log, partial(hunt, entry_point, folder, left, seed + len(rows), atheris, limits))
        log_text = log.read_text(errors="replace")
        if not (folder / "status.json").exists():
            raise SystemExit(f"run fuzz: {entry_point.name} did not start:\n{log_text[-2000:]}")
        rows.append(_row(folder, log_text, code))
    return _sum(rows)


def _apart(log: Path, task: Callable[[], None]) -> int:
    """Does the task in a copy of this process, which has everything loaded; its exit code, negative for a signal."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            file = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(file, 1)
            os.dup2(file, 2)
            task()
            code = 0
        except Exception:  # noqa: BLE001 - reported in the log, and by the exit code
            traceback.print_exc()
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _row(folder: Path, log_text: str, code: int) -> dict[str, Any]:
    row: dict[str, Any] = json.loads((folder / "status.json").read_text())
    steps = STEP.findall(log_text)
    if steps:
        row["branches"], row["corpus"] = int(steps[-1][0]), int(steps[-1][2])
        row["features"] = [int(steps[0][1]), int(steps[-1][1])]
    row["runs"] = max([row["runs"], *map(int, UNITS.findall(log_text))])
    if code != 0:
        row["findings"][f"the process ended with {code}"] = 1
        (folder / "findings" / f"ended-{code}-{int(time.time())}").write_bytes(kept_input(folder))
    return row


def _sum(rows: list[dict[str, Any]]) -> dict[str, Any]:
    whole = dict(rows[-1], seed=rows[0]["seed"])
    for key in ("runs", "wall_seconds", "cpu_seconds"):
        whole[key] = round(sum(row[key] for row in rows), 1)
    for key in ("slowest_cpu_seconds", "largest_growth_bytes"):
        whole[key] = max(row[key] for row in rows)
    for key in ("outcomes", "findings"):
        names = dict.fromkeys(name for row in rows for name in row[key])
        whole[key] = {name: sum(row[key].get(name, 0) for row in rows) for name in names}
    if "features" in whole:
        whole["features"] = [rows[0].get("features", [0])[0], whole["features"][1]]
    return whole


def cells_of(row: dict[str, Any]) -> tuple[str, ...]:
    """What the table shows of a run; what an unguided one does not know is a dash."""
    times = (f"{row['wall_seconds']:.0f}", f"{row['cpu_seconds']:.0f}")
    features = " -> ".join(map(str, row.get("features", ["-"])))
    reached = (str(row.get("branches", "-")), features, str(row.get("corpus", "-")))
    return (
        row["entry point"],
        *times,
        str(row["runs"]),
        *reached,
        f"{row['slowest_cpu_seconds']:.2f}",
        str(row["largest_growth_bytes"] >> 20),
    )


def line_of(cells: tuple[str, ...]) -> str:
    """Cells under their headings."""
    name, *numbers = (
        cell.ljust(width) if place == 0 else cell.rjust(width)
        for place, (cell, width) in enumerate(zip(cells, WIDTHS, strict=True))
    )
    return " ".join((name, *numbers))


def counts_text(counts: dict[str, int]) -> str:
    """Names with how often each was seen."""
    return ", ".join(f"{name} {count}" for name, count in counts.items())


if __name__ == "__main__":
    sys.exit(main())
