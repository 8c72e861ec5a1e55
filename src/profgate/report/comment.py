"""Render the pull request comment and the step summary: verdict, top rows, and collapsed details."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from profgate.errors import ProfgateError
from profgate.model.acceptance import limits_text, shown_text
from profgate.model.links import Links
from profgate.model.reason import Reason
from profgate.model.report import Document, Finding, MetricReport, Report, Side, WorkloadReport
from profgate.model.visible_text import full_name, name_text
from profgate.report import numbers, rows, statements, wording
from profgate.report.acceptance_rows import markdown_acceptances, ways_out
from profgate.report.markdown_text import (
    MARKER_KEY,
    code_span,
    link,
    link_target,
    markdown_filters,
    sentence,
    short_sha,
)
from profgate.report.rank_report import rank_details, rank_sections, result_text
from profgate.report.rows import Pair, Row
from profgate.report.templates import render_template

# GitHub rejects more than 65,536 characters, and a text has at least as many bytes as characters
COMMENT_BYTES = 60_000
SUMMARY_BYTES = 1_000_000  # GitHub drops the whole summary of a step if it exceeds 1 MiB
OPEN_REASONS = 3
LONGEST_TEXT = 400
LONGEST_NAME = 60
LONGEST_FRAGMENT = 300  # characters; for a longer name, the URL fragment contains only the key of the frame
POLICY = ("fail_on", "fail_on_total", "source")
SIGNS = {"fail": "❌", "warn": "🟡", "pass": "✅", "not_compared": "⚪", "inconclusive": "⚪"}


def render_comment(
    report: Report, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """Render the comment with at most 60,000 bytes.

    Raises:
        ProfgateError: if the key contains characters that are not allowed in the marker.
    """
    first_line = _marker_of(report, key, report.findings)
    for limit in (20, 10, 5, 2, 0):
        values = _view(report, limit, links or Links(), run_url)
        text = render_template("markdown/comment.md.j2", filters=FILTERS, marker=first_line, **values)
        if len(text.encode()) <= COMMENT_BYTES:
            break
    return Document("comment.md", "text/markdown", text)


def render_summary(
    report: Report, *, links: Links | None = None, run_url: str | None = None, note: str = ""
) -> Document:
    """Render the step summary with at most 1,000,000 bytes.

    ``note`` is a trusted sentence, such as the reason why there is no comment.
    """
    for limit in (500, 200, 50, 10, 0):
        values = _view(report, limit, links or Links(), run_url, open_rows=20 if limit else 5)
        text = render_template("markdown/summary.md.j2", filters=FILTERS, note=note, **values)
        if len(text.encode()) <= SUMMARY_BYTES:
            break
    return Document("summary.md", "text/markdown", text)


def render_quiet_comment(
    report: Report, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """Render a comment with only the headline, for an outdated warning or an inconclusive comparison."""
    links = links or Links()
    doubtful = _doubtful(report) or report.verdict.conclusion == "inconclusive"
    text = render_template(
        "markdown/quiet.md.j2",
        headline=f"{_sign(report)} {headline(report)}" if doubtful else "",
        advice=_advice(report),
        marker=_marker_of(report, key),
        compared=_compared(report),
        foot=_joined(link("report", links.index or links.report) if links.index or links.report else "", _run(run_url)),
    )
    return Document("comment.md", "text/markdown", text)


def _marker_of(report: Report, key: str, shown: Iterable[tuple[WorkloadReport, MetricReport, Finding]] = ()) -> str:
    """Return the marker with the growth of the findings that the comment shows, beginning with red findings."""
    found = sorted((entry for entry in shown if entry[2].is_acceptable), key=lambda entry: entry[2].colour != "red")
    growths = (
        ((name_text(finding.location.name), finding.location.file, load.name, metric.name), finding.growth)
        for load, metric, finding in found
    )
    accepted = limits_text(report.acceptances)
    return marker(key, report.target.sha, report.baseline.sha, shown=shown_text(growths), accepted=accepted)


def marker(key: str, head_sha: str | None, base_sha: str | None, **stored: str) -> str:
    """Return the hidden first line. It identifies the comment and contains values for later runs."""
    if not MARKER_KEY.fullmatch(key):
        raise ProfgateError("key", f"{key[:64]!r} cannot mark a comment; use a-z, 0-9, dot, underscore, single hyphens")
    places = [f" {side}={sha}" for side, sha in (("head", short_sha(head_sha)), ("base", short_sha(base_sha))) if sha]
    fields = (f" {name}={value}" for name, value in stored.items() if value)
    return f"<!-- profgate v1 key={key}{''.join(places)}{''.join(fields)} -->"


def _view(report: Report, limit: int, links: Links, run_url: str | None, open_rows: int = 3) -> dict[str, Any]:
    """Return the values for the templates. Names are not escaped yet."""
    groups, pairs, missing = rows.grouped(report), rows.pairs(report), rows.not_compared(report)
    moved = tuple(pair for pair in pairs if rows.changed(pair))
    shown = pairs if len(pairs) <= 3 and moved else moved
    worse = [row for row in groups.worse if not row.total]  # totals are in a separate table
    noise = len(groups.noise)
    head, conclusion = short_sha(report.target.sha), report.verdict.conclusion
    loud = conclusion in {"fail", "warn"} and not _doubtful(report)
    findings = [finding for _, _, finding in report.findings]
    return {
        "sign": _sign(report),
        "headline": headline(report),
        "compared": " ".join(filter(None, (_compared(report), statements.repetitions(findings)))),
        "advice": _advice(report),
        "reasons": [sentence(reason) for reason in rows.further_reasons(report, _plain)[:OPEN_REASONS] if loud],
        "head": head,
        "several": len(pairs) > 1,
        "totals": _table(shown[:open_rows], open_rows),
        "hidden_totals": _table(shown[open_rows:], limit),
        "unchanged": _joined(
            f"{numbers.counted(quiet, 'metric')} without a finding" if (quiet := len(pairs) - len(moved)) else "",
            f"{numbers.counted(noise, 'note')} within noise or without self cost, in the report" if noise else "",
        ),
        "worse": _table(worse[:open_rows], open_rows),
        "worse_more": _table(worse[open_rows:], limit),
        "gating": sum(row.finding.colour == "red" for row in worse[open_rows:]),
        "better": _table([row for row in groups.better if not row.total], limit),
        "other": _table(groups.other, limit),
        "related": _table(groups.related, limit),
        "missing": _table(missing, max(limit, 2)),
        "open_missing": _doubtful(report),
        "row_of": lambda row: finding_cells(row, links),
        "total_of": total_cells,
        "counted": numbers.counted,
        "ways_out": ways_out((*worse, *groups.related)) if head and conclusion == "fail" else (),
        "acceptances": markdown_acceptances(report),
        "pages": _pages(groups.worse + groups.better, pairs, links),
        "ranks": [
            (f"{sign} Order of {sentence(place)}: {sentence(result_text(check))}", rank_details(check))
            for sign, place, check in rank_sections(report)
        ],
        "trust": _trust(report, pairs, max(limit, 2)) if pairs else [],
        "trust_title": _trust_title(report, pairs),
        "foot": _joined(f"updated for {code_span(head)}" if head else "", _run(run_url or links.run)),
    }


def headline(report: Report) -> str:
    """Return the headline in Markdown."""
    if _doubtful(report):
        return f"Not compared: {sentence(rows.doubt(report, _plain), LONGEST_TEXT)}"
    conclusion = report.verdict.conclusion
    if text := rows.headline(report, code_span):
        return text
    if conclusion == "pass":
        metrics = [pair.metric for pair in rows.pairs(report) if statements.visible_changes(pair.metric)]
        worst = max(metrics, key=lambda metric: metric.calibration.visible_total or 0.0, default=None)
        seen = statements.visible_changes(worst) if worst is not None else ""
        return f"No performance change{f' (smallest visible: {seen})' if seen else ''}"
    return next((sentence(wording.full_sentence(reason, _plain)) for reason in report.verdict.reasons), "")


def _advice(report: Report) -> str:
    """Return advice on how to get a conclusive result, or "" if the result is already conclusive."""
    inconclusive = report.verdict.conclusion == "inconclusive" and not _doubtful(report)
    return wording.advice(report.verdict.reasons[0]) if inconclusive else ""


def _compared(report: Report) -> str:
    """Return a sentence with the compared commits and the numbers of workloads and metrics."""
    base, head = short_sha(report.baseline.sha), short_sha(report.target.sha)
    count = len(rows.pairs(report))
    workloads = len({workload.name for workload, metric in report.metrics if metric.state == "compared"})
    amount = numbers.counted(workloads, "workload")
    metrics = "" if count == workloads else f" ({numbers.counted(count, 'metric')})"
    target = "this pull request" if head else "target"
    sides = f"aseline {_side(report.baseline, base)}, {target} {_side(report.target, head)}."
    return f"{amount}{metrics} compared: b{sides}" if count else f"B{sides}"


def finding_cells(row: Row, links: Links) -> dict[str, Any]:
    """Return the table cells of one finding."""
    finding, place = row.finding, row.finding.location
    times = numbers.ratio(finding.from_value, finding.to_value)
    reach = statements.reach_text(finding)
    notes = [sentence(text, 120) for text in statements.evidence_texts(finding) if text != reach]
    return {
        "tag": " ".join(row.tag),
        "name": rows.name_of(finding),
        "page": link_target(_frame_link(row, links)) or "",
        "place": f"{place.file}{f':{place.line}' if place.line else ''}" if place.file else "",
        "workload": row.workload,
        "metric": row.metric.name,
        "times": times if times != numbers.UNKNOWN else "",
        "values": _unbroken(numbers.from_to(finding.from_value, finding.to_value, row.metric.unit)),
        "share": "" if row.total else _unbroken(numbers.share_from_to(finding.share_from, finding.share_to)),
        "new": finding.evidence.new or "",
        "origin": _origin(finding) or numbers.UNKNOWN,
        "why": _joined(_why(row), *notes).replace("|", "\\|") or numbers.UNKNOWN,
    }


def _origin(finding: Finding) -> str:
    """Return how the pull request changed or affects the function, with a link to the diff if possible."""
    if source := statements.source_text(finding):
        return link(source, finding.evidence.source_link)
    return sentence(statements.reach_text(finding), 120).replace("|", "\\|")


def total_cells(pair: Pair) -> dict[str, Any]:
    """Return the table cells of one total."""
    total, unit = pair.metric.total, pair.metric.unit
    found = next((row for f in pair.metric.findings if (row := Row(pair.workload, pair.metric, f)).total), None)
    change = numbers.signed(total.delta, unit)
    relative = numbers.in_brackets(total.relative)
    return {
        "workload": pair.workload,
        "metric": pair.metric.name,
        "baseline": numbers.quantity(total.baseline, unit),
        "target": numbers.quantity(total.target, unit),
        "change": f"**{change}{relative}**" if found else f"{change}{relative}",
        "tag": _joined(" ".join(found.tag), _why(found)) if found else rows.unseen_total(pair.metric),
    }


def _trust(report: Report, pairs: Sequence[Pair], limit: int) -> list[str]:
    """Return Markdown lines that explain the numbers: facts, notes, warnings, strategies and policy."""
    lines = []
    if report.baseline.distance:
        commits = numbers.counted(report.baseline.distance, "commit")
        lines.append(f"The baseline is {commits} older than the merge base: no profiles of a newer commit can be used.")
    lines += _limited(_facts(report, pairs), limit, "fact")
    notes = [(workload.name, note) for workload in report.workloads for note in workload.comparability]
    lines += _limited([f"{code_span(name)}: {_text(note)}" for name, note in notes], limit, "note")
    lines += _limited([text for warning in report.warnings if (text := _text(warning))], limit, "warning")
    lines += [sentence(reason) for reason in rows.further_reasons(report, _plain)[OPEN_REASONS:limit]]
    names = {vote.name for _, _, finding in report.findings for vote in finding.strategies}
    names |= {change.strategy for _, metric in report.metrics for change in metric.changes}
    if names:
        lines.append("Strategies used: " + ", ".join(code_span(name, 40) for name in sorted(names)[:20]))
    lines += _limited(statements.renames((pair.metric for pair in pairs), _short_code), limit, "rename")
    counts: Counter[str] = Counter()
    for _, metric in report.metrics:
        counts.update(metric.counts)
    lines += statements.only_counted(counts)
    policy = ((name, getattr(report.policy, name)) for name in POLICY)
    stated = [f"{name.replace('_', '-')} {value}" for name, value in policy if value is not None]
    return [*lines, *(["Policy: " + sentence(", ".join(stated))] if stated else [])]


def _facts(report: Report, pairs: Sequence[Pair]) -> list[str]:
    """Return a line of facts for each metric. Metrics with the same facts share a line."""
    lines: dict[str, list[str]] = {}
    for pair in pairs:
        metric = pair.metric
        name = f"{_short_code(pair.workload)} {code_span(metric.name, 40)}"
        facts = (statements.run_counts(metric), statements.calibration(report, metric), statements.detectable(metric))
        reasons = (f"not tested: {_text(reason)}" for reason in metric.not_tested[:OPEN_REASONS])
        for text in (_joined(*map(sentence, facts)), *reasons):
            lines.setdefault(text, []).append(name)
    return [f"{', '.join(_limited(names, 2, 'metric', ''))}: {text}" for text, names in lines.items() if text]


def _limited(lines: Sequence[str], limit: int, noun: str, where: str = " in the report") -> list[str]:
    more = len(lines) - limit
    return [*lines[:limit], *([f"and {numbers.counted(more, noun)} more{where}"] if more > 0 else [])]


def _doubtful(report: Report) -> bool:
    return report.verdict.conclusion == "not_compared" or not rows.pairs(report)


def _sign(report: Report) -> str:
    if _doubtful(report) and report.verdict.conclusion != "fail":
        return SIGNS["not_compared"]
    improved = report.verdict.conclusion == "pass" and rows.headline(report, code_span)
    return "⚡" if improved else SIGNS[report.verdict.conclusion]


def _why(row: Row) -> str:
    return _joined(*(sentence(part, 160) for part in rows.why(row, _plain)))


def _text(reason: Reason) -> str:
    return sentence(wording.reason_text(reason, _plain))


FILTERS = {**markdown_filters, "reason_text": _text}


def _plain(name: str) -> str:
    """Format a name for a sentence that is escaped later."""
    return name_text(name, LONGEST_NAME)


def _short_code(name: str) -> str:
    return code_span(name, LONGEST_NAME)


def _unbroken(text: str) -> str:
    return text.replace(" ", "\N{NO-BREAK SPACE}")


def _side(side: Side, sha: str | None) -> str:
    if sha:
        return code_span(sha)
    return code_span(side.label, 60) if side.label else ""


def _trust_title(report: Report, pairs: Sequence[Pair]) -> str:
    counts = {statements.run_counts(pair.metric) for pair in pairs}
    states = {statements.calibration(report, pair.metric) for pair in pairs}
    notes = sum(len(workload.comparability) for workload in report.workloads) + len(report.warnings)
    return _joined(
        "different numbers of runs" if len(counts) > 1 else "".join(counts),
        "".join(states) if len(states) == 1 else "",
        numbers.counted(notes, "note") if notes else "",
    )


def _frame_link(row: Row, links: Links) -> str | None:
    page = link_target(links.pages.get((row.workload, row.metric.name)))
    if page is None or row.total:
        return page
    # the key distinguishes functions of the same name; the name is for people and is used if the key is unknown
    name = quote(full_name(row.finding.location.name), safe="", errors="replace")
    key = rows.finding_key(row.finding.location)
    return f"{page}#finding={key}~{name}" if len(name) <= LONGEST_FRAGMENT else f"{page}#finding={key}"


def _pages(found: Sequence[Row], pairs: Sequence[Pair], links: Links) -> str:
    """Return links to a flame graph, to all pages and to the report.

    The first link may be replaced by the command to download the flame graphs, or by a note that there are no stacks.
    """
    names = [(row.workload, row.metric.name) for row in found] + [(pair.workload, pair.metric.name) for pair in pairs]
    page = next((links.pages[name] for name in names if name in links.pages), None)
    undrawable = all(pair.metric.undrawable for pair in pairs)
    first = ""
    if page:
        first = link("🔥 flame graph difference", page)
    elif pairs and undrawable and links.report and not links.pages:
        first = "no flame graph: no stacks were recorded"
    elif not undrawable and links.fetch:
        first = f"🔥 flame graphs: {code_span(links.fetch, LONGEST_TEXT)}"
    return _joined(
        first,
        link("all pages", links.index) if links.index else "",
        link("report", links.report) if links.report else "",
    )


def _run(url: str | None) -> str:
    return link("workflow run", url) if link_target(url) else ""


def _table(entries: Sequence[Any], limit: int) -> dict[str, Any]:
    return {"rows": entries[:limit], "more": max(0, len(entries) - limit), "count": len(entries)}


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)
