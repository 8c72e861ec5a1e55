"""Measure how often planted work is reported: ./run bench canary CHECKOUT --record COMMAND [--canaries 20] [--runs 10].

CHECKOUT is a clone of a repository that is set up. COMMAND is a shell line that records one run of it and stores the
profile in the folder $PROFGATE_OUT. For each canary, `profgate canary plant` changes a copy of the checkout, both
copies are recorded in turns, `profgate compare` judges the runs, and `profgate canary check` checks the report. The row
contains the function, the work that the profiles show, and how many canaries were caught.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

PROFGATE = [sys.executable, "-m", "profgate"]


def main(argv: list[str]) -> int:
    """Print a row for the checkout."""
    parser = argparse.ArgumentParser(prog="bench canary", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--record", required=True, metavar="COMMAND")
    parser.add_argument("--canaries", type=int, default=20, metavar="N")
    parser.add_argument("--runs", type=int, default=10, metavar="N", help="of each side")
    parser.add_argument("--size", default="12", metavar="PERCENT")
    given = parser.parse_args(argv)
    caught, grown, name = 0, list[float](), ""
    for number in range(given.canaries):
        with TemporaryDirectory() as place:
            report, plan = _compared(given, Path(place), number)
            check = [*PROFGATE, "canary", "check", "out/report.json", "--result", "failure"]
            checked = subprocess.run(check, cwd=place, capture_output=True, text=True, check=False)
        caught += checked.returncode == 0
        name, growth = plan["function"], _growth(report, plan["function"])
        why = "; ".join(reason["text"] for reason in report["verdict"]["reasons"][:2])
        grown.append(growth)
        print(
            f"{number + 1}: {growth:+.1%} {checked.stdout.strip()}{checked.stderr.strip()} ({why})",
            file=sys.stderr,
            flush=True,
        )
    print(f"| {given.checkout.name}, `{name}` | {median(grown):+.1%} ({min(grown):+.1%} to {max(grown):+.1%}) ", end="")
    print(f"| {caught} of {given.canaries} |")
    return 0


def _compared(given: argparse.Namespace, place: Path, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    sides = {side: place / side for side in ("base", "head")}
    for folder in sides.values():
        shutil.copytree(given.checkout, folder, symlinks=True)
    work = place / "work"  # profiles contain the path of the checkout

    def record(side: str, run: int) -> None:
        out = place / f"profiles-{side}" / "main" / f"run-{run}"
        out.mkdir(parents=True)
        sides[side].rename(work)
        environment = {**os.environ, "PROFGATE_OUT": str(out)}
        subprocess.run(["sh", "-ec", given.record], cwd=work, env=environment, check=True, capture_output=True)
        work.rename(sides[side])

    record("base", 0)
    record("base", 1)
    plant = [*PROFGATE, "canary", "plant", "../profiles-base", "--size", given.size, "--output", "../canary.json"]
    sides["head"].rename(work)
    subprocess.run(plant, cwd=work, check=True, capture_output=True)
    work.rename(sides["head"])
    record("head", 0)
    for side in sides:
        shutil.rmtree(place / f"profiles-{side}")  # a warm-up
    for run in range(given.runs):
        for side in ("base", "head") if (run + number) % 4 in {0, 3} else ("head", "base"):
            record(side, run)
    diff = subprocess.run(["git", "diff"], cwd=sides["head"], check=True, capture_output=True).stdout
    (place / "change.diff").write_bytes(diff)
    compare = [
        *PROFGATE,
        "compare",
        "../profiles-base",
        "../profiles-head",
        "--interleaved",
        "--diff",
        "../change.diff",
    ]
    subprocess.run([*compare, "--output-dir", "../out"], cwd=sides["head"], check=False, capture_output=True)
    texts = ((place / name).read_text(encoding="utf-8") for name in ("out/report.json", "canary.json"))
    report, plan = map(json.loads, texts)
    return report, plan


def _growth(report: dict[str, Any], function: str) -> float:
    """The growth of a function, as a fraction of the run of the baseline."""
    for load in report["workloads"]:
        for metric in load["metrics"]:
            for finding in metric["findings"]:
                if finding["location"]["name"] == function:
                    costs, total = finding["costs"], metric["total"]["baseline"]
                    return float((costs["inclusive_to"] - costs["inclusive_from"]) / total)
    return float("nan")
