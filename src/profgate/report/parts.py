"""Describe what changed within a function: its share of the run, and its direct callees that explain the change."""

from collections.abc import Callable

from profgate.model.change import COLLECTORS, Location
from profgate.model.kinds import Kind
from profgate.model.report import Finding, MetricReport
from profgate.report import numbers

EXPLAINS = 0.25  # smallest fraction of a change that a new function must explain to be named in the same sentence
HARDLY_ANY = 0.1  # maximum part of the tested change that the recorded cost shows if only the share changed
MOST = 0.5  # smallest fraction of a change that callees must explain to be called most of it
TOP_LEVEL = "<module>"  # name of top-level code
NAMELESS = ("<", "(")  # first characters of placeholders for unnamed functions


def place_name(place: Location, *, with_file: bool = False) -> str:
    """Return the name of a function.

    The file and line are appended if ``with_file`` is set or if the name is a common one: ``__eq__ (token.py:12)``.
    Top-level code is named by its file: ``<module main.js>``.
    """
    name, file = place.name, place.file
    if name == TOP_LEVEL and file:
        return f"{name[:-1]} {file.rpartition('/')[2]}>"
    bare = name[:1] in NAMELESS or name in {"_", "__", "wrapper"} or (name[:2] == "__" == name[-2:])
    return f"{name} ({source_place(place).rpartition('/')[2]})" if file and (with_file or bare) else name


def source_place(place: Location) -> str:
    """Return the file and line of a function, or the lines of all functions whose costs are added up."""
    lines = "" if place.name == TOP_LEVEL else ", ".join(map(str, place.lines or filter(None, (place.line,))))
    return f"{place.file or ''}{f':{lines}' if lines else ''}"


def changed_cause(finding: Finding, metric: MetricReport) -> Location | None:
    """Return the changed function that explains the change of an unchanged function, or None if there is none."""
    here = finding.location.name, finding.location.file, finding.direction
    causes = (cause for cause in metric.causes if (cause.location.name, cause.location.file, cause.direction) == here)
    cause = next(causes, None) if finding.attribution.source not in {"changed", "added"} else None
    return cause.end if cause is not None and cause.changed else None


def only_share_changed(finding: Finding) -> bool:
    """Return whether the change is visible only relative to the rest of the run, as on a faster or slower machine.

    When other functions become slower, the share of an unchanged function decreases.
    """
    relative, ratio = finding.relative, finding.result.ratio
    return not (finding.is_total or relative is None or not ratio) and relative / ratio < HARDLY_ANY


def parts_of(finding: Finding, metric: MetricReport) -> tuple[str, list[tuple[str, str]]]:
    """Return ``mostly in``, and the names of callees that explain a change with texts such as ``+150 ms (new)``.

    If only the share of the function changed, the result is ``new``, and the new callees with their shares.
    """
    if only_share_changed(finding):
        return "new", new_parts(finding, metric)
    whole, explained = abs(finding.delta or 0.0), 0.0
    shown: list[tuple[str, str]] = []
    for part in (part for part in metric.parts if part.location == finding.location):
        delta = part.to_value - part.from_value
        if shown and explained + abs(delta) > whole:
            continue  # the callees call each other, so their costs overlap
        explained += abs(delta)
        size = "" if abs(delta) > whole else f"{numbers.signed(delta, metric.unit)} "
        shown.append((place_name(part.callee), f"{size}{'(new)' * part.new}".strip()))
    word = "all" if explained > whole else "mostly" if explained >= MOST * whole else "partly"
    return f"{word} {'during' if finding.location.name in COLLECTORS else 'in'}", shown


def parts_text(finding: Finding, metric: MetricReport, quote: Callable[[str], str]) -> str:
    """Return the result of `parts_of` as text: ``mostly in parse +150 ms (new)``; empty without such callees."""
    word, parts = parts_of(finding, metric)
    return f"{word} {', '.join(f'{quote(name)} {text}'.rstrip() for name, text in parts)}" if parts else ""


def new_parts(finding: Finding, metric: MetricReport) -> list[tuple[str, str]]:
    """Return the new functions to which the change was attributed, with texts like ``takes 12 % of the run``.

    The largest share comes first. Functions that explain less than a quarter of the growth are omitted.
    """
    listed = finding.result.new or "" if finding.direction == "worse" else ""
    whole = metric.total.target or 0.0
    names, _, more = listed.rpartition(" and ")
    names = names if more.endswith(" more") else listed
    least = EXPLAINS * ((finding.to_value or 0.0) - (finding.from_value or 0.0))
    shown = []
    for new in metric.findings:
        if new.kind == Kind.NOT_IN_BASELINE.word and f", {new.location.name}, " in f", {names}, ":
            cost = new.costs.inclusive_to or (new.share_to or 0.0) * whole
            shown += [(-cost, place_name(new.location))] if whole and cost >= least else []
    return [(name, f"takes {numbers.percent(-cost / whole)} of the run") for cost, name in sorted(shown)]
