"""Results as a Markdown table and as JSON."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from typing import Any

from bench.cases import Limit, Results, Row
from bench.harness import MEBIBYTE, Measured

HEAD = (
    *("work", "profgate", "peer", "wall s", "peer s", "ratio", "before", "CPU ratio", "before"),
    *("target", "peak MiB", "peer MiB", "ratio", "verdict"),
)
LEGEND = (
    "Medians of {runs} alternating runs (A B A B) after a warm-up; wall ratios are medians of the pairs.\n"
    "Before: the ratios that were stored last for another commit.\n"
    "Peak memory is the largest sum over all processes of a run, sampled in the warm-up;\n"
    "peaks below 20 MiB cannot be distinguished."
)


def as_table(results: Results, runs: int, before: Mapping[str, Any]) -> str:
    """A Markdown table, profgate's own limits, and measurements that failed, beside the record of another commit."""
    known = {(row["work"], row["ours"], row["peer"]): row for row in before.get("rows", ())}
    limits = {limit["work"]: limit["figure"] for limit in before.get("limits", ())}
    lines = [_cells(HEAD), _cells(["---"] * len(HEAD))]
    lines += [_cells(_row(row, known.get((row.work, row.ours, row.peer), {}))) for row in results.rows]
    lines += ["", *(_limit(limit, limits.get(limit.work)) for limit in results.limits)]
    problems = dict.fromkeys(f"- {row.work}, {row.peer}: {row.problem}" for row in results.rows if row.problem)
    problems |= dict.fromkeys(f"- {problem}" for problem in results.problems)
    return "\n".join([*lines, *problems, "", LEGEND.format(runs=runs)])


def as_json(results: Results, runs: int) -> dict[str, Any]:
    """The machine, ratios and all runs."""
    return {
        "machine": {
            "system": platform.platform(),
            "processors": os.cpu_count(),
            "python": platform.python_version(),
            "numpy": version("numpy"),
        },
        "runs": runs,
        "rows": [_record(row) for row in results.rows],
        "problems": results.problems,
        "limits": [asdict(limit) | {"met": limit.figure <= limit.most} for limit in results.limits],
    }


def verdict(row: Row) -> str:
    """met, missed, missing or failed; empty without a target."""
    if row.wall_ratio is None:
        return "missing" if row.problem == "not installed" else "failed"
    bounds = [(row.wall_ratio, row.target.wall), (row.peak_ratio, row.target.peak)]
    wanted = [(figure, most) for figure, most in bounds if most is not None]
    if not wanted:
        return ""
    return "met" if all(figure is not None and figure <= most for figure, most in wanted) else "missed"


def failed(results: Results) -> bool:
    """Whether profgate failed in a row."""
    return bool(results.problems) or any(row.mine is None for row in results.rows)


def _row(row: Row, before: Mapping[str, Any]) -> list[str]:
    wall = f"<= {row.target.wall:g}" if row.target.wall is not None else ""
    peak = f", peak <= {row.target.peak:g}" if row.target.peak is not None else ""
    return [
        row.work,
        row.ours,
        row.peer.replace("|", "\\|"),
        _number(row.mine.wall if row.mine else None, 3),
        _number(row.theirs.wall if row.theirs else None, 3),
        _number(row.wall_ratio, 2),
        _number(before.get("wall_ratio"), 2),
        _number(row.processor_ratio, 2),
        _number(before.get("processor_ratio"), 2),
        wall + peak,
        _number(row.mine.peak / MEBIBYTE if row.mine else None, 0),
        _number(row.theirs.peak / MEBIBYTE if row.theirs else None, 0),
        _number(row.peak_ratio, 2),
        verdict(row),
    ]


def _number(figure: float | None, decimals: int) -> str:
    return "-" if figure is None else f"{figure:.{decimals}f}"


def _cells(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _limit(limit: Limit, before: float | None) -> str:
    result = "met" if limit.figure <= limit.most else "missed"
    others = [limit.beside] * bool(limit.beside) + ([] if before is None else [f"before {before:.3g}"])
    return f"- {limit.work}: {limit.figure:.3g} {limit.unit}, at most {limit.most:g}: {'; '.join([result, *others])}"


def _record(row: Row) -> dict[str, Any]:
    return {
        "work": row.work,
        "ours": row.ours,
        "peer": row.peer,
        "wall_ratio": row.wall_ratio,
        "processor_ratio": row.processor_ratio,
        "peak_ratio": row.peak_ratio,
        "target": asdict(row.target),
        "verdict": verdict(row),
        "problem": row.problem,
        "profgate": _measured(row.mine),
        "theirs": _measured(row.theirs),
    }


def _measured(measured: Measured | None) -> dict[str, Any] | None:
    if measured is None:
        return None
    runs = [asdict(sample) for sample in measured.samples]
    return {"wall": measured.wall, "processor": measured.processor, "peak": measured.peak, "runs": runs}
