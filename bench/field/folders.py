"""Recordings in folders p1/LIBRARY/{spy,cp}-{a,b} and p2/PROGRAM/{spy,cp}/VARIANT, judged cell by cell."""

import random
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from bench.field.cases import INTERLEAVED, SINGLE, UNORDERED, Case, runs_in
from bench.field.judging import LISTED, TOTAL, report_of, worse_findings
from bench.field.table import exact_interval

from profgate.io.executors import results_of

SPLITS = 50
CHUNK = 10  # number of comparisons in a task
SIDES = (5, 3, 1)
UNLIKE = frozenset({"load", "hashseed"})  # the sides differ in more than the code


def _runs(folder: Path) -> tuple[Path, ...]:
    """The runs below the one folder in this folder."""
    return tuple(run for child in sorted(folder.glob("*")) for run in runs_in(child))


def _program_cases(program: Path) -> Iterator[tuple[str, Case]]:
    for profiler in sorted(path for path in program.iterdir() if path.is_dir()):
        draw = random.Random(f"{program.name}/{profiler.name}")
        label = f"{program.name} {profiler.name}"
        base = _runs(profiler / "base")
        for size in SIDES:
            for _ in range(SPLITS if len(base) >= 2 * size else 0):
                chosen = draw.sample(base, 2 * size)
                mode = INTERLEAVED if size > 1 else SINGLE
                yield (
                    f"{label} base {size}+{size}",
                    Case(mode, "base", "base", tuple(chosen[:size]), tuple(chosen[size:])),
                )
        for variant in sorted(path.name for path in profiler.iterdir() if "base" not in path.name):
            target = _runs(profiler / variant)
            stem = "base-nc" if variant == "newcost" else "long-base" if variant.startswith("long-") else "base"
            baseline = _runs(profiler / stem)
            mode = UNORDERED if variant in UNLIKE else INTERLEAVED
            for first in range(0, max(1, len(baseline) - len(target) + 1), max(1, len(target))):
                part = baseline[first : first + len(target)]
                if len(part) == len(target):
                    yield f"{label} {variant}", Case(mode, variant, variant, part, target)


def _library_cases(library: Path) -> Iterator[tuple[str, Case]]:
    for profiler in ("spy", "cp"):
        sides = [_runs(library / f"{profiler}-{side}") for side in "ab"]
        if all(sides):
            yield f"{library.name} {profiler} upgrade", Case(INTERLEAVED, "upgrade", library.name, sides[0], sides[1])


def folder_cases(folder: Path) -> Iterator[tuple[str, Case]]:
    """All cells with their comparisons."""
    for place in sorted(path for path in folder.glob("p*/*") if path.is_dir()):
        yield from _library_cases(place) if (place / "spy-a").exists() else _program_cases(place)


def shown(finding_names: list[str], most: int = 4) -> str:
    """The first names as code."""
    return ", ".join(f"`{name}`" for name in finding_names[:most]) + (" …" if len(finding_names) > most else "")


@dataclass(frozen=True, slots=True)
class Judged:
    """The judged comparison of a cell, with its red rows."""

    label: str
    conclusion: str
    listed: bool
    red: list[str]


def _judged(cases: Sequence[tuple[str, Case]]) -> list[Judged]:
    results = []
    for label, case in cases:
        report = report_of(case)
        found = worse_findings(report)
        red = [finding.location.name for finding in found if finding.colour == "red"]
        total = any(finding.location.name == TOTAL and finding.colour in LISTED for finding in found)
        results.append(Judged(label, report.verdict.conclusion, bool(found) or total, red))
    return results


def judge_folder(folder: Path, executor: Executor) -> str:
    """A table with a line a cell."""
    cases = list(folder_cases(folder))
    chunks = (partial(_judged, cases[first : first + CHUNK]) for first in range(0, len(cases), CHUNK))
    cells: dict[str, list[Judged]] = {}
    for judged in chain.from_iterable(results_of(chunks, executor)):
        cells.setdefault(judged.label, []).append(judged)
    lines = [
        "| recordings | comparisons | red | any row | inconclusive | red rows |",
        "| --- | --: | --: | --: | --: | --- |",
    ]
    for label, results in cells.items():
        red_count = sum(bool(one.red) for one in results)
        low, high = exact_interval(red_count, len(results))
        names = list(dict.fromkeys(name for one in results for name in one.red))
        lines.append(
            f"| {label} | {len(results)} | {red_count} ({100 * low:.0f} to {100 * high:.0f} %) "
            f"| {sum(one.listed for one in results)} "
            f"| {sum(one.conclusion == 'inconclusive' for one in results)} | {shown(names)} |"
        )
    return "\n".join(lines)
