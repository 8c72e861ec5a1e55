"""The comment of a pull request: the verdict first, few rows open, the rest folded, never too long for GitHub."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from profgate.errors import ProfgateError
from profgate.model.acceptance import limits_text
from profgate.model.links import Links
from profgate.model.report import Document, Finding, Report, Side
from profgate.model.visible_text import full_name, name_text
from profgate.report import numbers, rows
from profgate.report.acceptances import markdown_acceptances, ways_out
from profgate.report.markdown_text import (
    MARKER_KEY,
    code_span,
    link,
    link_target,
    markdown_filters,
    sentence,
    short_sha,
)
from profgate.report.rank_report import rank_details, rank_sections
from profgate.report.rows import Pair, Row, finding_key
from profgate.report.templates import render_template
from profgate.report.wording import advice, full_sentence

COMMENT_BYTES = 60_000  # GitHub refuses a body above 65,536 characters; bytes are the strictest way to count them
ROW_LIMITS = (20, 10, 5, 2, 0)
OPEN_ROWS = 3
OPEN_REASONS = 3
LONGEST_COMMAND = 400
LONGEST_DOUBT = 400
LONGEST_NAME = 60
LONGEST_FRAGMENT = 300  # a link that long helps nobody; it then names the frame by its key alone
POLICY = ("fail_on", "fail_on_total", "source")
SIGNS = {"fail": "❌", "warn": "🟡", "pass": "✅", "not_compared": "⚪", "inconclusive": "⚪"}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that are shown, and how many are left out."""

    rows: tuple[Any, ...]
    more: int

    @property
    def count(self) -> int:
        """All rows, shown or not."""
        return len(self.rows) + self.more


def render_comment(
    report: Report,
    *,
    key: str = "default",
    links: Links | None = None,
    head_sha: str | None = None,
    base_sha: str | None = None,
    run_url: str | None = None,
    updated: str | None = None,
) -> Document:
    """The sticky comment, at most 60,000 bytes; ``updated`` is the time as text, given by the caller.

    Raises:
        ProfgateError: when the key could break out of the marker.
    """
    values: dict[str, Any] = {
        "marker": marker(
            key, head_sha or report.target.sha, base_sha or report.baseline.sha, limits_text(report.acceptances)
        ),
        "links": links or Links(),
        "run_url": run_url,
        "updated": updated,
        "head": short_sha(head_sha or report.target.sha),
        "base": short_sha(base_sha or report.baseline.sha),
    }
    text = ""
    for limit in ROW_LIMITS:
        text = render_template(
            "markdown/comment.md.j2", filters=markdown_filters, **view(report, limit=limit, **values)
        )
        if len(text.encode()) <= COMMENT_BYTES:
            break
    return Document("comment.md", "text/markdown", text)


def render_quiet_comment(
    report: Report, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """The headline alone, for a comment whose warning no longer holds and for an inconclusive comparison."""
    links = links or Links()
    doubtful = _doubtful(report) or report.verdict.conclusion == "inconclusive"
    text = render_template(
        "markdown/quiet.md.j2",
        headline=f"{_sign(report)} {headline(report)}" if doubtful else "",
        advice=_advice(report),
        marker=marker(key, report.target.sha, report.baseline.sha, limits_text(report.acceptances)),
        compared=compared(report, short_sha(report.baseline.sha), short_sha(report.target.sha)),
        foot=_joined(link("report", links.index or links.report) if links.index or links.report else "", _run(run_url)),
    )
    return Document("comment.md", "text/markdown", text)


def marker(key: str, head_sha: str | None, base_sha: str | None, limits: str = "") -> str:
    """The hidden first line by which our own comment is found again; it remembers the limits of acceptances."""
    if not MARKER_KEY.fullmatch(key):
        raise ProfgateError("key", f"{key[:64]!r} cannot mark a comment; use a-z, 0-9, dot, underscore, single hyphens")
    places = [f" {side}={sha}" for side, sha in (("head", short_sha(head_sha)), ("base", short_sha(base_sha))) if sha]
    return f"<!-- profgate v1 key={key}{''.join(places)}{f' accepted={limits}' if limits else ''} -->"


def view(
    report: Report,
    *,
    limit: int,
    marker: str,
    links: Links,
    run_url: str | None,
    updated: str | None,
    head: str | None,
    base: str | None,
    open_rows: int = OPEN_ROWS,
) -> dict[str, Any]:
    """What the templates show: every decision is made here, every name is still as the profile has it."""
    groups, pairs, missing = rows.grouped(report), rows.pairs(report), rows.not_compared(report)
    moved = tuple(pair for pair in pairs if rows.changed(pair))
    shown = pairs if len(pairs) <= 3 and moved else moved
    worse = [row for row in groups.worse if not row.total]  # totals have their own table
    page = _first_page(groups.worse + groups.better, links, report)
    return {
        "marker": marker,
        "sign": _sign(report),
        "headline": headline(report),
        "compared": " ".join(filter(None, (compared(report, base, head), rows.measured_again(report)))),
        "advice": _advice(report),
        "reasons": [sentence(reason) for reason in rows.further_reasons(report, _plain)[:OPEN_REASONS]]
        if _loud(report)
        else [],
        "base": base,
        "head": head,
        "several": len(pairs) > 1,
        "totals": _table(shown[:open_rows], open_rows),
        "hidden_totals": _table(shown[open_rows:], limit),
        "unchanged": _unchanged(len(pairs) - len(moved), len(groups.noise)),
        "worse": _table(worse[:open_rows], open_rows),
        "worse_more": _table(worse[open_rows:], limit),
        "gating": sum(row.finding.colour == "red" for row in worse[open_rows:]),
        "better": _table([row for row in groups.better if not row.total], limit),
        "other": _table(groups.other, limit),
        "carried": _table(groups.carried, limit),
        "missing": _table(missing, max(limit, 2)),
        "open_missing": _doubtful(report),
        "row_of": lambda row: finding_cells(row, links),
        "total_of": total_cells,
        "counted": numbers.counted,
        "ways_out": ways_out((*worse, *groups.carried)) if head and report.verdict.conclusion == "fail" else (),
        "acceptances": markdown_acceptances(report),
        "pages": _joined(
            link("🔥 flame graph difference", page) if page else _no_page(pairs, links),
            link("all pages", links.index) if links.index else "",
            link("report", links.report) if links.report else "",
        ),
        "ranks": [
            (f"{sign} Order of {sentence(place)}: {sentence(check.said)}", rank_details(check))
            for sign, place, check in rank_sections(report)
        ],
        "trust": trust(report, pairs, max(limit, 2)) if pairs else [],
        "trust_title": _trust_title(report, pairs),
        "foot": _joined(
            f"updated for {code_span(head)}" + (f" at {sentence(updated)}" if updated else "") if head else "",
            _run(run_url or links.run),
        ),
    }


def headline(report: Report) -> str:
    """The first line in Markdown."""
    if _doubtful(report):
        return _doubt(report)
    conclusion = report.verdict.conclusion
    text = rows.headline(report, code_span)
    if text:
        return text
    if conclusion == "pass":
        seen = _least_visible(report)
        return f"No performance change{f' (smallest visible: {seen})' if seen else ''}"
    return next((sentence(full_sentence(reason, _plain)) for reason in report.verdict.reasons), "")


def _advice(report: Report) -> str:
    """What would make an inconclusive comparison conclusive; empty for every other conclusion."""
    inconclusive = report.verdict.conclusion == "inconclusive" and not _doubtful(report)
    return advice(report.verdict.reasons[0]) if inconclusive else ""


def _least_visible(report: Report) -> str:
    """The smallest visible change of the only metric, or of the metric that shows least."""
    metrics = [pair.metric for pair in rows.pairs(report)]
    metrics = [metric for metric in metrics if rows.visible(metric)]
    if not metrics:
        return ""
    return rows.visible(max(metrics, key=lambda metric: metric.calibration.get("visible_total") or 0.0))


def compared(report: Report, base: str | None, head: str | None) -> str:
    """Who was compared with whom, and how much of it."""
    count = len(rows.pairs(report))
    amount = numbers.counted(sum(any(m.state == "compared" for m in w.metrics) for w in report.workloads), "workload")
    metrics = "" if amount.startswith(f"{count} ") else f" ({numbers.counted(count, 'metric')})"
    target = "this pull request" if head else "target"
    sides = f"baseline {_side(report.baseline, base)}, {target} {_side(report.target, head)}."
    return f"{amount}{metrics} compared: {sides}" if count else f"B{sides[1:]}"


def finding_cells(row: Row, links: Links) -> dict[str, Any]:
    """The cells of one finding."""
    finding, unit = row.finding, row.metric.unit
    sign, tag = row.tag
    times = numbers.ratio(finding.from_value, finding.to_value)
    values = _unbroken(numbers.from_to(finding.from_value, finding.to_value, unit))
    new = (finding.evidence or {}).get("new", "")
    return {
        "tag": f"{sign} {tag}",
        "name": rows.name_of(finding),
        "page": link_target(_frame_link(row, links)) or "",
        "place": _place(finding),
        "workload": row.workload,
        "metric": row.metric.name,
        "times": times if times != numbers.UNKNOWN else "",
        "values": values,
        "share": "" if row.total else _unbroken(numbers.share_from_to(finding.share_from, finding.share_to)),
        "new": new,
        "whose": _whose(finding) or numbers.UNKNOWN,
        "why": _joined(_why(row), *(sentence(text, 120) for text in _notes_of(finding))).replace("|", "\\|")
        or numbers.UNKNOWN,
    }


def _place(finding: Finding) -> str:
    """File and line of a function; empty where the profile does not state them."""
    place = finding.location
    return f"{place.file}{f':{place.line}' if place.line else ''}" if place.file else ""


def _whose(finding: Finding) -> str:
    """Whose change it is: what the pull request did to the function, with a link to its lines, or what it reaches."""
    words = rows.source_words(finding)
    if words:
        return link(words, (finding.evidence or {}).get("source_link"))
    return sentence(rows.reach_words(finding), 120).replace("|", "\\|")


def _notes_of(finding: Finding) -> tuple[str, ...]:
    reach = rows.reach_words(finding)
    return tuple(text for text in rows.evidence_words(finding) if text != reach)


def total_cells(pair: Pair) -> dict[str, Any]:
    """The cells of one total."""
    total, unit = pair.metric.total, pair.metric.unit
    found = next((row for row in (Row(pair.workload, pair.metric, f) for f in pair.metric.findings) if row.total), None)
    change = numbers.signed(total.delta, unit)
    relative = f" ({numbers.signed_percent(total.relative)})" if total.relative is not None else ""
    return {
        "workload": pair.workload,
        "metric": pair.metric.name,
        "baseline": numbers.quantity(total.baseline, unit),
        "target": numbers.quantity(total.target, unit),
        "change": f"**{change}{relative}**" if found else f"{change}{relative}",
        "tag": _joined(" ".join(found.tag), _why(found)) if found else rows.unseen_total(pair.metric),
    }


def trust(report: Report, pairs: Sequence[Pair], limit: int) -> list[str]:
    """What a reader needs to know to believe the numbers, one line a fact, in Markdown."""
    lines = []
    if report.baseline.distance:
        commits = numbers.counted(report.baseline.distance, "commit")
        lines.append(f"The baseline is {commits} older than the merge base: no profiles are stored for a newer commit.")
    lines += _facts(report, pairs, limit)
    notes = [(workload.name, note) for workload in report.workloads for note in workload.comparability]
    lines += [f"{code_span(name)}: {sentence(note)}" for name, note in notes[:limit]] + _more(
        len(notes) - limit, "note"
    )
    warnings = [text for text in (sentence(warning) for warning in report.warnings) if text]
    lines += warnings[:limit] + _more(len(warnings) - limit, "warning")
    lines += [sentence(reason) for reason in rows.further_reasons(report, _plain)[OPEN_REASONS:limit]]
    if named := rows.strategies(report):
        lines.append("Strategies used: " + ", ".join(code_span(name, 40) for name in named[:20]))
    lines += _renames(pairs, limit)
    lines += rows.only_counted(rows.counts(report))
    policy = [f"{name.replace('_', '-')} {report.policy[name]}" for name in POLICY if name in report.policy]
    if policy:
        lines.append("Policy: " + sentence(", ".join(policy)))
    return lines


def _facts(report: Report, pairs: Sequence[Pair], limit: int) -> list[str]:
    """What is known of each metric; metrics of which the same is known share a line."""
    lines: dict[str, list[str]] = {}
    for pair in pairs:
        told = _joined(*(sentence(part) for part in _told(report, pair)))
        lines.setdefault(told, []).append(_pair(pair))
        for reason in pair.metric.cannot_tell[:OPEN_REASONS]:
            lines.setdefault(f"not tested: {sentence(reason)}", []).append(_pair(pair))
    shown = [f"{_several(names)}: {told}" for told, names in lines.items() if told]
    return shown[:limit] + _more(len(shown) - limit, "fact")


def _renames(pairs: Sequence[Pair], limit: int) -> list[str]:
    found = list(dict.fromkeys(both for pair in pairs for both in rows.renames(pair.metric)))
    lines = [f"renamed, compared as one: {code_span(old, 60)} is now {code_span(new, 60)}" for old, new in found]
    files = list(dict.fromkeys(both for pair in pairs for both in rows.renamed_files(pair.metric)))
    lines += [f"renamed file: {code_span(old, 60)} → {code_span(new, 60)}" for old, new in files]
    return lines[:limit] + _more(len(lines) - limit, "rename")


def _told(report: Report, pair: Pair) -> tuple[str, ...]:
    return rows.run_counts(pair.metric), rows.calibration(report, pair.metric), rows.detectable(pair.metric)


def _several(names: Sequence[str]) -> str:
    more = len(names) - 2
    return ", ".join(names[:2]) + (f" and {numbers.counted(more, 'metric')} more" if more > 0 else "")


def _doubtful(report: Report) -> bool:
    return report.verdict.conclusion == "not_compared" or not rows.pairs(report)


def _loud(report: Report) -> bool:
    return report.verdict.conclusion in {"fail", "warn"} and not _doubtful(report)


def _sign(report: Report) -> str:
    if _doubtful(report) and report.verdict.conclusion != "fail":
        return SIGNS["not_compared"]
    improved = report.verdict.conclusion == "pass" and rows.headline(report, code_span)
    return "⚡" if improved else SIGNS[report.verdict.conclusion]


def _doubt(report: Report) -> str:
    return f"Not compared: {sentence(rows.doubt(report, _plain), LONGEST_DOUBT)}"


def _why(row: Row) -> str:
    return _joined(*(sentence(part, 160) for part in rows.why(row, _plain)))


def _plain(name: str) -> str:
    """A name inside a sentence that is made safe as a whole."""
    return name_text(name, LONGEST_NAME)


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _unchanged(quiet: int, noise: int) -> str:
    return _joined(
        f"{numbers.counted(quiet, 'metric')} without a finding" if quiet else "",
        f"{numbers.counted(noise, 'note')} within noise or without self cost, in the report" if noise else "",
    )


def _side(side: Side, sha: str | None) -> str:
    if sha:
        return code_span(sha)
    return code_span(side.label, 60) if side.label else ""


def _pair(pair: Pair) -> str:
    return f"{code_span(pair.workload)} {code_span(pair.metric.name, 40)}"


def _trust_title(report: Report, pairs: Sequence[Pair]) -> str:
    facts = []
    if pairs:
        counts = {rows.run_counts(pair.metric) for pair in pairs}
        facts.append(counts.pop() if len(counts) == 1 else "different numbers of runs")
        states = {rows.calibration(report, pair.metric) for pair in pairs}
        facts.append(states.pop() if len(states) == 1 else "")
    notes = sum(len(workload.comparability) for workload in report.workloads) + len(report.warnings)
    facts.append(numbers.counted(notes, "note") if notes else "")
    return _joined(*facts)


def _frame_link(row: Row, links: Links) -> str | None:
    page = link_target(links.pages.get((row.workload, row.metric.name)))
    if page is None or row.total:
        return page
    # the key finds the function among those of its name; the name is for people, and where the page has no such mark
    name = quote(full_name(row.finding.location.name), safe="", errors="replace")
    key = finding_key(row.finding.location)
    return f"{page}#finding={key}~{name}" if len(name) <= LONGEST_FRAGMENT else f"{page}#finding={key}"


def _first_page(found: Sequence[Row], links: Links, report: Report) -> str | None:
    named = [(row.workload, row.metric.name) for row in found] + [
        (p.workload, p.metric.name) for p in rows.pairs(report)
    ]
    return next((links.pages[name] for name in named if name in links.pages), None)


def _no_page(pairs: Sequence[Pair], links: Links) -> str:
    """How else to come by the flame graph, or that there is none: no stacks. Empty where neither is known."""
    undrawable = all(pair.metric.undrawable for pair in pairs)
    if pairs and undrawable and links.report and not links.pages:
        return "no flame graph: no stacks were recorded"
    return f"🔥 flame graphs: {code_span(links.fetch, LONGEST_COMMAND)}" if not undrawable and links.fetch else ""


def _run(url: str | None) -> str:
    return link("workflow run", url) if link_target(url) else ""


def _table(entries: Sequence[Any], limit: int) -> Table:
    return Table(tuple(entries[:limit]), max(0, len(entries) - limit))


def _more(count: int, word: str) -> list[str]:
    return [f"and {numbers.counted(count, word)} more in the report"] if count > 0 else []


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
