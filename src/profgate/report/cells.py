"""Format findings and totals as Markdown for the tables and lines of the comment, the summary and release notes."""

from urllib.parse import quote

from profgate.model.links import Links
from profgate.model.report import Finding, MetricReport
from profgate.model.visible_text import full_name, name_text
from profgate.report import numbers, parts, rows, statements
from profgate.report.finding_text import FACTS, Row, change_text, details
from profgate.report.markdown_text import code_cell, code_span, link, link_target, sentence
from profgate.report.rows import Pair

LONGEST_NAME = 60
LONGEST_FRAGMENT = 300  # characters; if a name is longer, the URL fragment contains only the key of the frame
NO_BREAK = "\N{NO-BREAK SPACE}"
SIGNS = {"red": "🔴", "yellow": "🟡", "green": "⚡", "neutral": "💡"}


def finding_cells(row: Row, links: Links, where: str = "", *, signs: bool = False) -> tuple[str, str]:
    """Return the table cells of one finding: the function and whose change it is, and the change with its reason.

    There are only two columns, because a phone shows no more.

    ``where`` names the workload or metric, if necessary. ``signs`` adds a sign for the finding's colour.
    """
    finding, location = row.finding, row.finding.location
    name = (
        f"Total of {code_cell(row.workload)}"
        if row.total
        else code_cell(parts.place_name(location) if location.name == parts.TOP_LEVEL else location.name)
    )
    target = link_target(_frame_link(row, links))
    source = cell(parts.source_place(location)) if location.file else ""
    added = f"{len(location.lines)} functions of this name, added up" if location.lines else ""
    label = _lines(f"**{name}**{NO_BREAK + '🔥' if target else ''}", source)
    linked = f"[{label}]({target})" if target else label
    sign = ("✅ " if finding.acknowledgement else f"{SIGNS[finding.colour]} ") if signs else ""
    elsewhere = f"also in {numbers.counted(row.elsewhere, 'more workload')}" if row.elsewhere else ""
    cost, change, *more = map(_solid, row.facts)
    whose = dotted(_origin(finding), cell(statements.base_branch_text(finding)))
    return (
        _lines(f"{sign}{linked}", added, where.replace("|", "\\|"), elsewhere, whose),
        _lines(
            f"**{change}** ({cost})",
            *(f"{text} {fact.noun}" for fact, text in zip(FACTS[2:], more, strict=True) if text),
            *details(row, code_cell),
            dotted(*map(cell, rows.why(row, plain_name))),
        ),
    )


def note_line(row: Row) -> str:
    """Return a finding in one line."""
    return dotted(change_text(row, code_span), *map(cell, rows.why(row, plain_name)))


def total_text(pair: Pair) -> str:
    """Return the total of a metric: ``2.21 → 2.62 s (+18.6 %)``."""
    values, change = rows.total_words(pair.metric)
    return f"{_solid(values)} ({change if ', ' in change else f'**{change}**'})"


def compared_runs(metric: MetricReport) -> tuple[str, str]:
    """Return the numbers of runs (``5 + 5 interleaved runs``) and the base jobs with which they were compared."""
    facts = metric.calibration
    jobs = facts.base_jobs if facts.mode == "jobs" else None
    counts = " + ".join(str(metric.runs.get(side, 0)) for side in ("baseline", "target"))
    text = f", compared with {numbers.counted(jobs, 'base job')}" if jobs else ""
    return f"{counts} {'interleaved ' if facts.interleaved else ''}runs", text


def _origin(finding: Finding) -> str:
    """Return how the pull request changed or affected the function, with a link to the diff if possible."""
    if source := statements.SOURCES.get(finding.attribution.source or ""):
        return f"{source} {link('in this PR', finding.attribution.source_link)}"
    if finding.attribution.reach == "calls a changed function":
        return statements.reach_text(finding, code_cell)
    return cell(statements.reach_text(finding))


def _frame_link(row: Row, links: Links) -> str | None:
    page = link_target(links.pages.get((row.workload, row.metric.name)))
    if page is None or row.total:
        return page
    # the key distinguishes functions with the same name; the name is for readers and is used if the key is unknown
    name = quote(full_name(row.finding.location.name), safe="", errors="replace")
    key = rows.finding_key(row.finding.location)
    return f"{page}#finding={key}~{name}" if len(name) <= LONGEST_FRAGMENT else f"{page}#finding={key}"


def cell(text: str) -> str:
    """Escape a sentence for a table cell."""
    return sentence(text, 160).replace("|", "\\|")


def plain_name(name: str) -> str:
    """Format a name for a sentence that is escaped later."""
    return name_text(name, LONGEST_NAME)


def dotted(*parts: str) -> str:
    """Join the nonempty parts of a line."""
    return " · ".join(filter(None, parts))


def _lines(*parts: str) -> str:
    return "<br>".join(filter(None, parts))


def _solid(text: str) -> str:
    """Keep two values and their unit on one line, except for long units."""
    return text.replace(" ", NO_BREAK).replace(f"{NO_BREAK}samples", " samples")
