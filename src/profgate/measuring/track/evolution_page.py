"""Renders the evolution of benchmarks over versions as one self-contained HTML page."""

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from profgate.flamegraph.page import NO_WAY_OUT, check_links, hash_source, page_script, page_style
from profgate.flamegraph.page_columns import packed
from profgate.measuring.track.evolution_text import (
    ARROWS,
    evolution_document,
    evolution_notes,
    jump_cells,
    version_name,
    warnings,
)
from profgate.measuring.track.versions import Evolution
from profgate.model.visible_text import full_name, plain
from profgate.report.numbers import counted
from profgate.report.templates import render_template


def build_evolution_page(evolution: Evolution, links: Mapping[int, str] | None = None) -> str:
    """Return the page as text. ``links`` maps indices of jumps to relative paths (otherwise `ValueError`)."""
    links = links or {}
    check_links(links.values())
    script, style = page_script("evolution"), page_style(("page", "evolution"))
    text = json.dumps(_document(evolution, links), separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # maximum number of rows in the table for browsers without JavaScript
    jumps = evolution.first_jumps()[:20]
    page = render_template(
        "page/evolution.html.j2",
        title=f"Evolution of {full_name(evolution.title)}",
        aside=counted(len(evolution.measured), "version"),
        facts=_facts(evolution),
        origin=_origin(evolution),
        notes=[*warnings(evolution), *evolution_notes(evolution)],
        jumps=[(*jump_cells(evolution, jump, full_name), jump.direction, links.get(number)) for number, jump in jumps],
        policy=f"default-src 'none'; script-src {hash_source(script)}; style-src {hash_source(style)}; {NO_WAY_OUT}",
        data=Markup(packed(text.encode("utf-8", "replace"))),  # noqa: S704 -- no character of it is markup
        script=Markup(script),  # noqa: S704 -- our own file
        style=Markup(style),  # noqa: S704 -- our own file
    )
    return page.encode("utf-8", "replace").decode("utf-8")  # a name may contain a lone surrogate


def _document(evolution: Evolution, links: Mapping[int, str]) -> dict[str, Any]:
    """Return the document of the evolution, in which the script of the page also finds versions and lines by number."""
    document = evolution_document(evolution, plain)
    for version, measured in zip(document["versions"], evolution.measured, strict=True):
        version["name"] = version_name(measured)
    for benchmark, line in zip(document["benchmarks"], evolution.lines, strict=True):
        benchmark |= {"name": full_name(line.benchmark), "breaks": line.breaks}
    for number, (found, jump) in enumerate(zip(document["jumps"], evolution.jumps, strict=True)):
        found |= {"line": jump.line, "at": [jump.baseline, jump.target], "href": links.get(number)}
    return document


def _facts(evolution: Evolution) -> list[tuple[str, str]]:
    """Return texts with the numbers of worse and better jumps of the metric that is shown first, and their styles."""
    jumps = Counter(jump.direction for _, jump in evolution.first_jumps())
    facts = []
    for tone, count in sorted(jumps.items(), reverse=True):
        facts.append((f"{ARROWS[tone]} {counted(count, 'jump')} for the {tone}", str(tone)))
    return facts or [("No jump", "")]


def _origin(evolution: Evolution) -> list[tuple[str, str]]:
    """Return the range of versions, the number of benchmarks, and the command, as pairs of plain text and code."""
    first, last = (version_name(evolution.measured[number]) for number in (0, -1))
    benchmarks = counted(len({line.benchmark for line in evolution.lines}), "benchmark")
    command = [("", full_name(evolution.command))] if evolution.command else []
    return [(f"{first} to {last}", ""), (benchmarks, ""), *command]
