"""`profgate measure` on branches that only place code elsewhere, and on one with a slower function, of each program."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from bench.field.builds import BASE, BUILD, PLANTS, PROGRAMS, Rebuilt, built, files_of, planted_value
from bench.field.rebuilt import RATE
from bench.field.repositories import SCRIPT, Measured, branch, measured, repository
from bench.field.table import exact_interval

KINDS = ("string", "unused", "cold", "order", "data")  # the paths of both checkouts have the same length
PLANT = "plant15"
RECORD = f"""set -e
perf record -F {RATE} -g -o perf.data -- ./program > /dev/null
perf script --no-inline -i perf.data > "$PROFGATE_OUT/program.perf.txt" 2> /dev/null
rm perf.data
"""
RESULTS = "live.json"


def _branches(count: int) -> list[tuple[Rebuilt, str]]:
    """Return the branches that are measured: all programs with one kind after the other."""
    return [(program, kind) for kind in (*KINDS, PLANT) for program in PROGRAMS][:count]


def measure_live(folder: Path, count: int, budget: str) -> int:
    """Measure this many branches and print a table. The exit code is 1 if an unchanged one is red.

    Results that exist are used again. Raises RecordError if a program cannot be built.
    """
    path = folder / RESULTS
    known = (
        {name: Measured(**values) for name, values in json.loads(path.read_text("utf-8")).items()}
        if path.exists()
        else {}
    )
    names = []
    for program, kind in _branches(count):
        names.append(f"{program.name} {kind}")
        if names[-1] in known:
            continue
        known[names[-1]] = _measured(program, kind, folder, budget)
        text = json.dumps({name: asdict(each) for name, each in known.items()}, indent=1)
        path.write_text(f"{text}\n", encoding="utf-8")
        print(f"field: {names[-1]}: {known[names[-1]].conclusion}", file=sys.stderr)
    results = {name: known[name] for name in names}
    print(live_text(results))
    return int(any(each.conclusion == "fail" for name, each in results.items() if PLANT not in name))


def _measured(program: Rebuilt, kind: str, folder: Path, budget: str) -> Measured:
    place = folder / program.name
    repository(place, {**files_of(program, BASE), SCRIPT: RECORD, ".gitignore": "program\n*.o\nperf.data*\n"})
    value = {}
    if kind in PLANTS:
        work = folder / "work"
        value = {"value": planted_value(program, built(program, BASE, work), work)[kind]}
    branch(place, kind, files_of(program, kind, **value))
    return measured(place, kind, budget, f"sh {BUILD}")


def live_text(results: dict[str, Measured]) -> str:
    """Return a table with a line for each branch, and the rates."""
    lines = ["| branch | conclusion | red | runs | seconds |", "| --- | --- | --- | --: | --: |"]
    for name, each in results.items():
        shown = each.error or ", ".join(f"`{function}`" for function in each.red)
        lines.append(f"| {name} | {each.conclusion} | {shown} | {each.runs} | {each.seconds:.0f} |")
    lines.append("")
    for title, chosen in (
        ("rebuilt", [each for name, each in results.items() if PLANT not in name]),
        ("planted", [each for name, each in results.items() if PLANT in name]),
    ):
        lines += _rate(title, chosen)
    return "\n".join(lines)


def _rate(title: str, results: Sequence[Measured]) -> list[str]:
    if not results:
        return []
    red = sum(each.conclusion == "fail" for each in results)
    low, high = exact_interval(red, len(results))
    return [f"{title}: {red} of {len(results)} red ({100 * low:.1f}–{100 * high:.1f} %)"]
