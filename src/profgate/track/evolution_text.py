"""Formats an evolution as terminal text or JSON."""

import json
from collections.abc import Iterator
from typing import NamedTuple

from profgate.model.arrays import FloatArray, finite
from profgate.model.visible_text import full_name, name_text, plain
from profgate.report.numbers import counted, from_to, signed_percent
from profgate.report.text_table import aligned
from profgate.report.wording import full_sentence
from profgate.track.versions import Evolution, EvolutionLine, Jump, MeasuredVersion

SCHEMA = "profgate.evolution/1"
MOST_JUMPS = 20
MOST_VERSIONS = 6  # maximum number of versions listed in a warning
ARROWS = {"worse": "▲", "better": "▼"}


class JumpCells(NamedTuple):
    """Table cells of a jump in the terminal and on the page."""

    arrow: str
    benchmark: str
    versions: str
    change: str
    values: str


def jump_cells(evolution: Evolution, jump: Jump) -> JumpCells:
    """Return the cells of a jump, such as ``▲``, ``bench_sort``, ``v1 → v2``, ``+12 %``, ``2.0 → 2.2 s``."""
    line = evolution.lines[jump.line]
    versions = (version_name(evolution.measured[number]) for number in (jump.baseline, jump.target))
    change = signed_percent(jump.ratio) if jump.ratio is not None else "from zero"
    values = from_to(jump.from_value, jump.to_value, line.metric.unit)
    return JumpCells(ARROWS[jump.direction], full_name(line.benchmark), " → ".join(versions), change, values)


def version_name(measured: MeasuredVersion) -> str:
    """Return the shortened name of a version."""
    return name_text(measured.version.name, 40)


def finite_values(values: FloatArray) -> list[float | None]:
    """Return the values as a list in which None replaces NaN and infinity."""
    return list(map(finite, values.tolist()))


def evolution_lines(evolution: Evolution, width: int = 100) -> list[tuple[str, str]]:
    """Return the number of measured versions, warnings, and the jumps of the first metric, as styled lines."""
    measured = sum(bool(version.runs) for version in evolution.measured)
    chosen = [line for line in evolution.lines if line.metric.name == evolution.metric]
    versions, benchmarks = counted(len(evolution.measured), "version"), counted(len(chosen), "benchmark")
    lines = [("head", f"{measured} of {versions} measured, {benchmarks}, {plain(evolution.metric)}")]
    lines += [("warn", f"  {text}") for text in warnings(evolution)]
    lines += [("quiet", f"  {note}") for note in evolution_notes(evolution)]
    jumps = [jump for _, jump in evolution.first_jumps()]
    lines.append(("text", ""))
    if not jumps:
        lines.append(("good", "No jump: neighbouring versions differ by no more than noise."))
    shown = jumps[:MOST_JUMPS]
    rows = [jump_cells(evolution, jump) for jump in shown]
    rows = [cells._replace(benchmark=name_text(cells.benchmark)) for cells in rows]
    for jump, text in zip(shown, aligned(rows, width, name=1), strict=True):
        lines.append(("bad" if jump.direction == "worse" else "good", text))
    if len(jumps) > MOST_JUMPS:
        lines.append(("quiet", f"and {counted(len(jumps) - MOST_JUMPS, 'smaller jump')}"))
    if others := len(evolution.jumps) - len(jumps):
        lines.append(("quiet", f"{counted(others, 'jump')} in other metrics; the page and --metric show them"))
    return lines


def warnings(evolution: Evolution) -> Iterator[str]:
    """Yield each distinct problem or warning, with the versions to which it applies."""
    found: dict[str, list[str]] = {}
    for measured in evolution.measured:
        for text in filter(None, (measured.problem, *measured.warnings)):
            found.setdefault(text, []).append(version_name(measured))
    for text, versions in found.items():
        more = f" and {len(versions) - MOST_VERSIONS} more" if len(versions) > MOST_VERSIONS else ""
        yield f"{', '.join(versions[:MOST_VERSIONS])}{more}: {name_text(text, 300)}"


def evolution_notes(evolution: Evolution) -> list[str]:
    """Return the notes of an evolution as sentences without control characters."""
    return [plain(full_sentence(note, str)) for note in evolution.notes]


def evolution_json(evolution: Evolution) -> str:
    """Return all values, jumps and problems as JSON text in the format `profgate.evolution/1`."""
    names = [measured.version.name for measured in evolution.measured]
    versions = [
        {
            "name": measured.version.name,
            "commit": measured.version.commit or None,
            "subject": measured.version.subject,
            "runs": len(measured.runs),
            "problem": measured.problem or None,
            "warnings": measured.warnings,
            "machine": measured.machine or None,
        }
        for measured in evolution.measured
    ]
    benchmarks = [
        {
            "name": line.benchmark,
            **_metric(line),
            "kind": line.metric.kind,
            "better": line.metric.better,
            "state": "source changed" if line.breaks else "compared",
            "source_known": line.source_known,
            "source_changed_at": [names[number] for number in line.breaks],
            "values": finite_values(line.middle),
            "low": finite_values(line.low),
            "high": finite_values(line.high),
            "n": line.count.tolist(),
        }
        for line in evolution.lines
    ]
    jumps = [
        {
            "benchmark": evolution.lines[jump.line].benchmark,
            **_metric(evolution.lines[jump.line]),
            "baseline": names[jump.baseline],
            "target": names[jump.target],
            "from": jump.from_value,
            "to": jump.to_value,
            **{part: getattr(jump, part) for part in ("ratio", "direction", "noise")},
        }
        for jump in evolution.jumps
    ]
    head = {
        "schema": SCHEMA,
        "title": evolution.title,
        "command": evolution.command,
        "metric": evolution.metric,
        "notes": evolution_notes(evolution),
    }
    document = {**head, "versions": versions, "benchmarks": benchmarks, "jumps": jumps}
    return json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _metric(line: EvolutionLine) -> dict[str, str]:
    return {"metric": line.metric.name, "unit": line.metric.unit}
