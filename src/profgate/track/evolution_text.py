"""An evolution for the terminal, as JSON and as CSV."""

import csv
import io
import json
import math
from collections.abc import Iterator
from typing import Any

from profgate.model.arrays import FloatArray
from profgate.model.visible_text import name_text, plain
from profgate.report.numbers import counted, from_to, signed_percent
from profgate.report.text_table import aligned
from profgate.track.versions import Evolution, Jump, MeasuredVersion

SCHEMA = "profgate.evolution/1"
MOST_JUMPS = 20
MOST_NAMED = 6  # versions
FORMULA = ("=", "+", "-", "@", "\t", "\r")
CSV_COLUMNS = (
    *("version", "commit", "benchmark", "metric", "unit", "value", "low", "high", "n", "jump", "source_changed"),
)
ARROWS = {"worse": "▲", "better": "▼"}


def evolution_lines(evolution: Evolution, width: int = 100) -> list[tuple[str, str]]:
    """The summary as lines with their tone: what was measured, what failed, and the jumps of the first metric."""
    measured = sum(bool(version.runs) for version in evolution.measured)
    chosen = [line for line in evolution.lines if line.metric.name == evolution.metric]
    versions, benchmarks = counted(len(evolution.measured), "version"), counted(len(chosen), "benchmark")
    lines = [("head", f"{measured} of {versions} measured, {benchmarks}, {plain(evolution.metric)}")]
    lines += [("warn", f"  {text}") for text in _warnings(evolution)]
    lines += [("quiet", f"  {plain(note)}") for note in evolution.notes]
    jumps = [jump for _, jump in evolution.first_jumps()]
    lines.append(("text", ""))
    if not jumps:
        lines.append(("good", "No jump: no two neighbouring versions differ by more than noise explains."))
    shown = jumps[:MOST_JUMPS]
    tones = ["bad" if jump.direction == "worse" else "good" for jump in shown]
    lines += zip(tones, aligned([_row(evolution, jump) for jump in shown], width, name=1), strict=True)
    if len(jumps) > MOST_JUMPS:
        lines.append(("quiet", f"and {counted(len(jumps) - MOST_JUMPS, 'smaller jump')}"))
    others = len(evolution.jumps) - len(jumps)
    if others:
        lines.append(("quiet", f"{counted(others, 'jump')} in other metrics; the page and --metric show them"))
    return lines


def _warnings(evolution: Evolution) -> Iterator[str]:
    """Problems and warnings of versions, each once with all versions that have it."""
    found: dict[str, list[str]] = {}
    for measured in evolution.measured:
        for text in filter(None, (measured.problem, *measured.warnings)):
            found.setdefault(text, []).append(version_name(measured))
    for text, versions in found.items():
        more = f" and {len(versions) - MOST_NAMED} more" if len(versions) > MOST_NAMED else ""
        yield f"{', '.join(versions[:MOST_NAMED])}{more}: {name_text(text, 300)}"


def version_name(measured: MeasuredVersion) -> str:
    """A version as people call it."""
    return name_text(measured.version.name, 40)


def versions_text(evolution: Evolution, jump: Jump) -> str:
    """The versions of a jump: ``v1 → v2``."""
    return " → ".join(version_name(evolution.measured[number]) for number in (jump.baseline, jump.target))


def change_text(jump: Jump) -> str:
    """How much it changed: ``+12 %``."""
    return signed_percent(jump.ratio) if jump.ratio is not None else "from zero"


def _row(evolution: Evolution, jump: Jump) -> tuple[str, ...]:
    line = evolution.lines[jump.line]
    values = from_to(jump.from_value, jump.to_value, line.metric.unit)
    versions = versions_text(evolution, jump)
    return ARROWS[jump.direction], name_text(line.benchmark), versions, change_text(jump), values


def evolution_json(evolution: Evolution) -> str:
    """All values, jumps and problems as JSON text, `profgate.evolution/1`."""
    document = {
        "schema": SCHEMA,
        "title": evolution.title,
        "metric": evolution.metric,
        "notes": list(evolution.notes),
        "versions": [
            {
                "name": measured.version.name,
                "commit": measured.version.commit or None,
                "subject": measured.version.subject,
                "runs": len(measured.runs),
                "problem": measured.problem or None,
                "warnings": list(measured.warnings),
                "machine": measured.machine or None,
            }
            for measured in evolution.measured
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
                "values": _numbers(line.middle),
                "low": _numbers(line.low),
                "high": _numbers(line.high),
                "n": line.count.tolist(),
            }
            for line in evolution.lines
        ],
        "jumps": [_jump(evolution, jump) for jump in evolution.jumps],
    }
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _jump(evolution: Evolution, jump: Jump) -> dict[str, Any]:
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


def _numbers(values: FloatArray) -> list[float | None]:
    return [value if math.isfinite(value) else None for value in values.tolist()]


def evolution_csv(evolution: Evolution) -> str:
    """A row for each version and benchmark that has a value, in the order of the versions."""
    jumps = {(jump.line, jump.target): jump.direction for jump in evolution.jumps}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for number, measured in enumerate(evolution.measured):
        for place, line in enumerate(evolution.lines):
            if line.count[number]:
                values = (float(column[number]) for column in (line.middle, line.low, line.high))
                changed = "yes" if number in line.breaks else ""
                names = (line.benchmark, line.metric.name, line.metric.unit)
                row = (*names, *values, int(line.count[number]), jumps.get((place, number), ""), changed)
                writer.writerow([_cell(cell) for cell in (measured.version.name, measured.version.commit, *row)])
    return text.getvalue()


def _cell(value: object) -> object:
    """A text as one line that no spreadsheet takes for a formula; whole numbers without a fraction."""
    if isinstance(value, str):
        shown = plain(value)
        return f"'{shown}" if shown.startswith(FORMULA) else shown
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53 else value
