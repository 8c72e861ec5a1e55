"""Formats an evolution as terminal text or JSON."""

import json
from collections.abc import Callable, Iterator
from typing import Any

from profgate.measuring.track.versions import Evolution, Jump, MeasuredVersion
from profgate.model.arrays import finite
from profgate.model.visible_text import name_text, plain
from profgate.report.numbers import counted, from_to, signed_percent
from profgate.report.text_table import aligned
from profgate.report.wording import full_sentence

SCHEMA = "profgate.evolution/1"
MOST_JUMPS = 20
MOST_VERSIONS = 6  # maximum number of versions listed in a warning
ARROWS = {"worse": "▲", "better": "▼"}


def jump_cells(evolution: Evolution, jump: Jump, shown: Callable[[str], str]) -> tuple[str, str, str, str, str]:
    """Return the cells of a jump, such as ``▲``, ``bench_sort``, ``v1 → v2``, ``+12 %``, ``2.0 → 2.2 s``.

    ``shown`` forms the name of the benchmark.
    """
    line = evolution.lines[jump.line]
    versions = (version_name(evolution.measured[number]) for number in (jump.baseline, jump.target))
    change = signed_percent(jump.ratio) if jump.ratio is not None else "from zero"
    values = from_to(jump.from_value, jump.to_value, line.metric.unit)
    return ARROWS[jump.direction], shown(line.benchmark), " → ".join(versions), change, values


def version_name(measured: MeasuredVersion) -> str:
    """Return the shortened name of a version."""
    return name_text(measured.version.name, 40)


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
    rows = [jump_cells(evolution, jump, name_text) for jump in shown]
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


def evolution_document(evolution: Evolution, shown: Callable[[str], str] = str) -> dict[str, Any]:
    """Return values, jumps and problems in the format `profgate.evolution/1`, with texts as ``shown`` forms them."""
    names = [shown(measured.version.name) for measured in evolution.measured]
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "title": shown(evolution.title),
        "command": shown(evolution.command),
        "metric": shown(evolution.metric),
        "notes": evolution_notes(evolution),
        "versions": [],
        "benchmarks": [],
        "jumps": [],
    }
    for name, measured in zip(names, evolution.measured, strict=True):
        version = {
            "name": name,
            "commit": measured.version.commit or None,
            "subject": shown(measured.version.subject),
            "runs": len(measured.runs),
            "problem": shown(measured.problem) or None,
            "warnings": list(map(shown, measured.warnings)),
            "machine": shown(measured.machine) or None,
        }
        document["versions"].append(version)
    for line in evolution.lines:
        benchmark = {
            "name": shown(line.benchmark),
            "metric": shown(line.metric.name),
            "unit": shown(line.metric.unit),
            "kind": line.metric.kind,
            "better": line.metric.better,
            "state": "source changed" if line.breaks else "compared",
            "source_known": line.source_known,
            "source_changed_at": [names[number] for number in line.breaks],
            "values": list(map(finite, line.middle.tolist())),
            "low": list(map(finite, line.low.tolist())),
            "high": list(map(finite, line.high.tolist())),
            "n": line.count.tolist(),
        }
        document["benchmarks"].append(benchmark)
    for jump in evolution.jumps:
        benchmark = document["benchmarks"][jump.line]
        found = {
            "benchmark": benchmark["name"],
            "metric": benchmark["metric"],
            "unit": benchmark["unit"],
            "baseline": names[jump.baseline],
            "target": names[jump.target],
            "from": jump.from_value,
            "to": jump.to_value,
            "ratio": jump.ratio,
            "direction": jump.direction,
            "noise": jump.noise,
        }
        document["jumps"].append(found)
    return document


def evolution_json(evolution: Evolution) -> str:
    """Return the document of an evolution as JSON text."""
    return json.dumps(evolution_document(evolution), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
