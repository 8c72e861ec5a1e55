"""Renders the evolution of benchmarks over versions as one self-contained HTML page."""

import base64
import json
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from markupsafe import Markup

from profgate.flamegraph.page import NO_WAY_OUT, hash_source, page_script, page_style
from profgate.flamegraph.table_page import check_links
from profgate.model.arrays import FloatArray
from profgate.model.visible_text import full_name, plain
from profgate.report.numbers import counted
from profgate.report.templates import render_template
from profgate.track.evolution_text import ARROWS, evolution_notes, finite_values, jump_cells, version_name, warnings
from profgate.track.versions import Evolution, EvolutionLine, Jump, MeasuredVersion

SCHEMA = "profgate.evolution-page/1"


def build_evolution_page(evolution: Evolution, links: Mapping[int, str] | None = None) -> str:
    """Return the page as text. ``links`` maps indices of jumps to relative paths (otherwise `ValueError`)."""
    links = links or {}
    check_links(links.values())
    script, style = page_script("evolution"), page_style(("page", "evolution"))
    text = json.dumps(_document(evolution, links), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    packed = zlib.compress(text.encode("utf-8", "replace"))
    # maximum number of rows in the table for browsers without JavaScript
    jumps = evolution.first_jumps()[:20]
    page = render_template(
        "page/evolution.html.j2",
        title=f"Evolution of {full_name(evolution.title)}",
        aside=counted(len(evolution.measured), "version"),
        facts=_facts(evolution),
        origin=_origin(evolution),
        notes=[*warnings(evolution), *evolution_notes(evolution)],
        jumps=[(jump_cells(evolution, jump), jump.direction, links.get(number)) for number, jump in jumps],
        policy=f"default-src 'none'; script-src {hash_source(script)}; style-src {hash_source(style)}; {NO_WAY_OUT}",
        data=base64.b64encode(packed).decode("ascii"),
        script=Markup(script),  # noqa: S704 -- our own file
        style=Markup(style),  # noqa: S704 -- our own file
    )
    return page.encode("utf-8", "replace").decode("utf-8")  # a name may contain a lone surrogate


def _document(evolution: Evolution, links: Mapping[int, str]) -> dict[str, Any]:
    """Return the data for the script of the page. Lines in the data refer to names by index."""
    names = sorted({line.benchmark for line in evolution.lines})
    places = {name: place for place, name in enumerate(names)}
    metrics: dict[tuple[str, str], int] = {}
    shown = []
    for line in evolution.lines:
        metric = line.metric
        if (metric.name, metric.unit) not in metrics:
            metrics[metric.name, metric.unit] = len(metrics)
            own = {"name": full_name(metric.name), "unit": plain(metric.unit)}
            shown.append({**own, "better": metric.better, "kind": metric.kind})
    machines = list(dict.fromkeys(version.machine for version in evolution.measured if version.machine))
    benchmarks = [full_name(name) for name in names]
    first = next(place for (name, _), place in metrics.items() if name == evolution.metric)
    document = {"schema": SCHEMA, "metric": first, "metrics": shown, "benchmarks": benchmarks}
    document["lines"] = [
        {"benchmark": places[line.benchmark], "metric": metrics[line.metric.name, line.metric.unit], **_columns(line)}
        for line in evolution.lines
    ]
    document["machines"] = [plain(name) for name in machines]
    document["versions"] = [_version(measured, machines) for measured in evolution.measured]
    document["jumps"] = [_jump(jump, links.get(number)) for number, jump in enumerate(evolution.jumps)]
    return document


def _columns(line: EvolutionLine) -> dict[str, Any]:
    return {
        "middle": _rounded(line.middle),
        "low": _unless_same(line.low, line),
        "high": _unless_same(line.high, line),
        "count": line.count.tolist(),
        "breaks": list(line.breaks),
        "known": line.source_known,
    }


def _version(measured: MeasuredVersion, machines: Sequence[str]) -> dict[str, Any]:
    return {
        "name": version_name(measured),
        "commit": measured.version.commit[:10],
        "subject": plain(measured.version.subject)[:200],
        "problem": plain(measured.problem)[:500],
        "machine": machines.index(measured.machine) if measured.machine else None,
    }


def _jump(jump: Jump, link: str | None) -> dict[str, Any]:
    return {
        "line": jump.line,
        "from": jump.baseline,
        "to": jump.target,
        "values": [_short(jump.from_value), _short(jump.to_value)],
        "ratio": None if jump.ratio is None else _short(jump.ratio),
        "worse": jump.direction == "worse",
        "noise": _short(jump.noise),
        "href": link,
    }


def _rounded(values: FloatArray) -> list[float | None]:
    return [None if value is None else _short(value) for value in finite_values(values)]


def _unless_same(values: FloatArray, line: EvolutionLine) -> list[float | None] | None:
    """Return the values as a list, or None if all values equal the medians, as with single runs."""
    column = _rounded(values)
    return None if column == _rounded(line.middle) else column


def _short(value: float) -> float:
    """Round the value to seven significant digits, which is more than the page shows."""
    shown = float(f"{value:.7g}")
    return int(shown) if shown.is_integer() and abs(shown) < 1 << 53 else shown


def _facts(evolution: Evolution) -> list[tuple[str, str]]:
    """Return texts with the numbers of worse and better jumps of the metric that is shown first, and their styles."""
    jumps: Counter[str] = Counter(jump.direction for _, jump in evolution.first_jumps())
    found = ((tone, arrow, jumps[tone]) for tone, arrow in ARROWS.items() if jumps[tone])
    return [(f"{arrow} {counted(count, 'jump')} for the {tone}", tone) for tone, arrow, count in found] or [
        ("No jump", "")
    ]


def _origin(evolution: Evolution) -> list[tuple[str, str]]:
    """Return the range of versions, the number of benchmarks, and the command, as pairs of plain text and code."""
    first, last = (version_name(evolution.measured[number]) for number in (0, -1))
    benchmarks = counted(len({line.benchmark for line in evolution.lines}), "benchmark")
    command = [("", full_name(evolution.command))] if evolution.command else []
    return [(f"{first} to {last}", ""), (benchmarks, ""), *command]
