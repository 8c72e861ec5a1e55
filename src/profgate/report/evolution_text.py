"""An evolution for the terminal, as JSON and as CSV."""

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import Any

from profgate.model.evolution import Evolution, EvolutionLine, Jump, MeasuredVersion
from profgate.model.visible_text import columns_of, fitting, name_text, plain
from profgate.report.numbers import counted, from_to, signed_percent

SCHEMA = "profgate.evolution/1"
MOST_JUMPS = 20
MOST_NAMED = 6  # versions
LONGEST_TEXT = 300
FORMULA = ("=", "+", "-", "@", "\t", "\r")
CSV_COLUMNS = (
    *("version", "commit", "benchmark", "metric", "unit", "value", "low", "high", "n", "jump", "source_changed"),
)
ARROWS = {"worse": "▲", "better": "▼"}


def evolution_lines(evolution: Evolution, width: int = 100) -> list[tuple[str, str]]:
    """The summary as lines with their tone: what was measured, what failed, and the jumps of the first metric."""
    measured = [one for one in evolution.measured if one.runs]
    chosen = [line for line in evolution.lines if line.metric.name == evolution.metric]
    versions, benchmarks = counted(len(evolution.measured), "version"), counted(len(chosen), "benchmark")
    lines = [("head", f"{len(measured)} of {versions} measured, {benchmarks}, {plain(evolution.metric)}")]
    lines += [("warn", f"  {text}") for text in _doubts(evolution)]
    lines += [("quiet", f"  {plain(note)}") for note in evolution.notes]
    jumps = [jump for jump in evolution.jumps if evolution.lines[jump.line].metric.name == evolution.metric]
    lines.append(("text", ""))
    if not jumps:
        lines.append(("good", "No jump: no two neighbouring versions differ by more than noise explains."))
    rows = [_row(evolution, jump) for jump in jumps[:MOST_JUMPS]]
    lines += _table(rows, [("bad" if jump.direction == "worse" else "good") for jump in jumps[:MOST_JUMPS]], width)
    if len(jumps) > MOST_JUMPS:
        lines.append(("quiet", f"and {counted(len(jumps) - MOST_JUMPS, 'smaller jump')}"))
    others = len(evolution.jumps) - len(jumps)
    if others:
        lines.append(("quiet", f"{counted(others, 'jump')} in other metrics; the page and --metric show them"))
    return lines


def _doubts(evolution: Evolution) -> Iterator[str]:
    """What was said of versions, once for all of which the same was said."""
    told: dict[str, list[str]] = {}
    for one in evolution.measured:
        for text in (one.problem, *one.warnings):
            if text:
                told.setdefault(text, []).append(version_name(one))
    for text, versions in told.items():
        more = f" and {len(versions) - MOST_NAMED} more" if len(versions) > MOST_NAMED else ""
        yield f"{', '.join(versions[:MOST_NAMED])}{more}: {name_text(text, LONGEST_TEXT)}"


def version_name(measured: MeasuredVersion) -> str:
    """A version as people call it."""
    return name_text(measured.version.name, 40)


def _row(evolution: Evolution, jump: Jump) -> tuple[str, ...]:
    line = evolution.lines[jump.line]
    before, after = (version_name(evolution.measured[number]) for number in (jump.baseline, jump.target))
    change = signed_percent(jump.ratio) if jump.ratio is not None else "from zero"
    values = from_to(jump.from_value, jump.to_value, line.metric.unit)
    return ARROWS[jump.direction], name_text(line.benchmark), f"{before} → {after}", change, values


def _table(rows: list[tuple[str, ...]], tones: list[str], width: int) -> list[tuple[str, str]]:
    """Columns side by side; the benchmark's name gives way where the terminal is narrow."""
    if not rows:
        return []
    widths = [max(columns_of(row[place]) for row in rows) for place in range(len(rows[0]))]
    others = sum(widths) - widths[1] + 2 * (len(widths) - 1)
    widths[1] = max(min(widths[1], width - others), 12)
    shown = []
    for row, tone in zip(rows, tones, strict=True):
        cells = [fitting(cell, widths[1]) if place == 1 else cell for place, cell in enumerate(row)]
        padded = [cell + " " * (size - columns_of(cell)) for cell, size in zip(cells, widths, strict=True)]
        shown.append((tone, "  ".join(padded).rstrip()))
    return shown


def evolution_json(evolution: Evolution) -> str:
    """All values, jumps and problems as JSON text, `profgate.evolution/1`."""
    document = {
        "schema": SCHEMA,
        "title": evolution.title,
        "metric": evolution.metric,
        "notes": list(evolution.notes),
        "versions": [
            {
                "name": one.version.name,
                "commit": one.version.commit or None,
                "subject": one.version.subject,
                "runs": len(one.runs),
                "problem": one.problem or None,
                "warnings": list(one.warnings),
                "machine": one.machine or None,
            }
            for one in evolution.measured
        ],
        "benchmarks": [
            {
                "name": line.benchmark,
                "metric": line.metric.name,
                "unit": line.metric.unit,
                "kind": line.metric.kind.value,
                "better": line.metric.better,
                "state": line.state,
                "source_known": line.source_known,
                "source_changed_at": [evolution.measured[number].version.name for number in line.breaks],
                "values": _numbers(line.middle.tolist()),
                "low": _numbers(line.low.tolist()),
                "high": _numbers(line.high.tolist()),
                "n": line.count.tolist(),
            }
            for line in evolution.lines
        ],
        "jumps": [jump_facts(evolution, jump) for jump in evolution.jumps],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def jump_facts(evolution: Evolution, jump: Jump) -> dict[str, Any]:
    """One jump in words and numbers that JSON knows."""
    line = evolution.lines[jump.line]
    return {
        "benchmark": line.benchmark,
        "metric": line.metric.name,
        "unit": line.metric.unit,
        "baseline": evolution.measured[jump.baseline].version.name,
        "target": evolution.measured[jump.target].version.name,
        "from": jump.from_value,
        "to": jump.to_value,
        "ratio": jump.ratio,
        "direction": jump.direction,
        "noise": jump.noise,
    }


def _numbers(values: list[float]) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values]


def evolution_csv(evolution: Evolution) -> str:
    """A row for each version and benchmark that has a value, in the order of the versions."""
    jumps = {(jump.line, jump.target): jump for jump in evolution.jumps}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for number, one in enumerate(evolution.measured):
        for place, line in enumerate(evolution.lines):
            if line.count[number]:
                jump = jumps.get((place, number))
                writer.writerow([_cell(cell) for cell in (*_names(one, line), *_values(line, number, jump))])
    return text.getvalue()


def _names(one: MeasuredVersion, line: EvolutionLine) -> tuple[str, ...]:
    return one.version.name, one.version.commit, line.benchmark, line.metric.name, line.metric.unit


def _values(line: EvolutionLine, number: int, jump: Jump | None) -> tuple[object, ...]:
    middle, low, high = (float(column[number]) for column in (line.middle, line.low, line.high))
    changed = "yes" if number in line.breaks else ""
    return middle, low, high, int(line.count[number]), jump.direction if jump else "", changed


def _cell(value: object) -> object:
    """A text as one line that no spreadsheet takes for a formula; whole numbers without a fraction."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 1 << 53 else value
    if not isinstance(value, str):
        return value
    shown = plain(value)
    return f"'{shown}" if shown.startswith(FORMULA) else shown
