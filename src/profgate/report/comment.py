"""Render the pull request comment and the step summary: headline, at most three causes, totals and details."""

from collections import Counter
from collections.abc import Iterable, Sequence

from profgate.errors import ProfgateError
from profgate.model.acceptance import limits_text, shown_text
from profgate.model.levels import GATE_SHARE
from profgate.model.links import Links
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Document, Finding, MetricReport, Report, WorkloadReport
from profgate.model.visible_text import name_text
from profgate.report import numbers, rows, statements, wording
from profgate.report.acceptance_rows import markdown_acceptances, ways_out
from profgate.report.cells import (
    LONGEST_NAME,
    compared_runs,
    dotted,
    finding_cells,
    note_line,
    plain_name,
    total_text,
)
from profgate.report.finding_text import Row
from profgate.report.markdown_text import (
    MARKER_KEY,
    code_span,
    link,
    link_target,
    sentence,
    short_sha,
    unbroken,
)
from profgate.report.rank_report import rank_details, rank_sections, result_text
from profgate.report.rows import Pair
from profgate.report.templates import render_template
from profgate.report.wording import IN_TURNS

# GitHub rejects more than 65,536 characters, and a string has at least as many bytes as characters
COMMENT_BYTES = 60_000
SUMMARY_BYTES = 1_000_000  # GitHub drops a step summary that exceeds 1 MiB
OPEN = 3  # maximum number of rows, and of totals, outside the collapsible section
LONGEST_TEXT = 400
TABLE_HEAD = [("Function", "Change"), (":--", ":--")]
HELP = "https://profgate.github.io/profgate/how-to/red/"
POLICY = ("fail_on", "fail_on_total", "source")


def render_comment(
    report: Report, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """Render the comment with at most 60,000 bytes.

    Raises:
        ProfgateError: if the key contains characters that are not allowed in the marker.
    """
    first_line, body = _marker_of(report, key, report.findings), Body(report, links or Links(), run_url)
    texts = (body.text(limit, marker=first_line) for limit in (10, 5, 2, 0))
    return Document("comment.md", "text/markdown", _fitting(texts, COMMENT_BYTES))


def render_summary(
    report: Report, *, links: Links | None = None, run_url: str | None = None, note: str = ""
) -> Document:
    """Render the step summary, which is the comment with more rows, with at most 1,000,000 bytes.

    ``note`` is a trusted sentence, such as the reason why there is no comment.
    """
    body = Body(report, links or Links(), run_url)
    texts = (body.text(limit, note=note) for limit in (500, 200, 50, 10, 0))
    return Document("summary.md", "text/markdown", _fitting(texts, SUMMARY_BYTES))


def _fitting(texts: Iterable[str], most: int) -> str:
    """Return the first text that has at most ``most`` bytes, or the last text if there is none."""
    for text in texts:
        if len(text.encode()) <= most:
            break
    return text


def render_quiet_comment(
    report: Report, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """Render a comment with only the headline, for an outdated warning or an inconclusive comparison."""
    doubtful = _doubtful(report) or report.verdict.conclusion == "inconclusive"
    resolved = "✅ Resolved: no performance regression any more"
    first = f"{_sign(report)} {markdown_headline(report)}" if doubtful else resolved
    orders = (rank_details(check).strip() for _, _, check in rank_sections(report) if check.order == "below")
    body = Body(report, links or Links(), run_url)
    parts = (_suspects(report), *orders, body.compared(), body.next_step() if doubtful else "")
    text = "\n\n".join(filter(None, (f"{_marker_of(report, key)}\n### {first}", *parts)))
    return Document("comment.md", "text/markdown", f"{text}\n")


def _marker_of(report: Report, key: str, shown: Iterable[tuple[WorkloadReport, MetricReport, Finding]] = ()) -> str:
    """Return the marker, which contains the growth of the findings in the comment, red findings first."""
    accepted_ones = sorted(
        (entry for entry in shown if entry[2].is_acceptable), key=lambda entry: entry[2].colour != "red"
    )
    growths = (
        ((name_text(finding.location.name), finding.location.file, load.name, metric.name), finding.growth)
        for load, metric, finding in accepted_ones
    )
    accepted = limits_text(report.acceptances)
    return marker(key, report.target.sha, report.baseline.sha, shown=shown_text(growths), accepted=accepted)


def marker(key: str, head_sha: str | None, base_sha: str | None, **stored: str) -> str:
    """Return the hidden first line, which identifies the comment and contains values for later runs."""
    if not MARKER_KEY.fullmatch(key):
        raise ProfgateError("key", f"{key[:64]!r} cannot mark a comment; use a-z, 0-9, dot, underscore, single hyphens")
    places = [f" {side}={sha}" for side, sha in (("head", short_sha(head_sha)), ("base", short_sha(base_sha))) if sha]
    fields = (f" {name}={value}" for name, value in stored.items() if value)
    return f"<!-- profgate v1 key={key}{''.join(places)}{''.join(fields)} -->"


class Body:
    """The text of a report below the marker."""

    def __init__(self, report: Report, links: Links, run_url: str | None) -> None:
        self.report, self.links, self.run_url = report, links, run_url or links.run
        self.groups, self.pairs, self.missing = rows.grouped(report), rows.pairs(report), rows.not_compared(report)
        self.metrics = Counter(pair.workload for pair in self.pairs)
        causes, better = _causes(self.groups.worse), [row for row in self.groups.better if not row.total]
        most = 0 if report.verdict.conclusion == "inconclusive" or _doubtful(report) else OPEN
        self.shown = (causes or better)[:most]
        self.more, self.better = causes[most:], better if causes else better[most:]

    def text(self, limit: int, *, marker: str = "", note: str = "") -> str:
        """Return the text with at most ``limit`` rows in each section of the details."""
        report = self.report
        sections = self.sections(limit)
        return render_template(
            "markdown/comment.md.j2",
            filters={"unbroken": unbroken},
            marker=marker,
            headline=f"{_sign(report)} {markdown_headline(report)}",
            advice="\n\n".join(filter(None, (statements.larger_budget(report), _suspects(report)))),
            measured=statements.measurement(report, code_span),
            missing=self.not_compared(limit) if _doubtful(report) and len(self.missing) > 1 else "",
            table=self.table(self.shown, OPEN),
            compared="\n\n".join(filter(None, (self.compared(), self.visible()))),
            sections=sections,
            titles=_capital(dotted(*(title for title, _ in sections))),
            capital=_capital,
            next_step=self.next_step(),
            note=note,
        )

    def next_step(self) -> str:
        """Return what a reader should do, as one line."""
        report, verdict = self.report, self.report.verdict
        if advice := _advice(report):
            return f"The check {'fails' if verdict.exit_code else 'passes'}. {advice}"
        if verdict.exit_code:
            step = f"The check fails: {link('what to do now', HELP)}."
            ways = ", ".join(ways_out((*self.groups.worse, *self.groups.related), report))
            on_github = verdict.exit_code == 1 and short_sha(report.target.sha)
            limit = " (`max` is 1.25 times the measured growth)" if " max=+" in ways else ""
            return f"{step} Intended? A maintainer can comment {ways}{limit}." if ways and on_github else step
        finding = next((row.finding for row in self.groups.worse if row.finding.colour == "yellow"), None)
        codes = {reason.code for reason in finding.reasons} if finding else set()
        if codes & {ReasonCode.OFFSET, ReasonCode.TOTAL_IMPROVED}:
            return "The check passes, because the total did not grow."
        if finding and not report.measurement and codes.isdisjoint({ReasonCode.ACCEPTED, ReasonCode.ACCEPTED_PARTS}):
            return f"The check passes. To decide, measure both commits {IN_TURNS}: `profgate confirm`."
        return "Nothing to do: the check passes."

    def sections(self, limit: int) -> list[tuple[str, str]]:
        """Return the title and the text of each section of the details."""
        more, better = self.more, self.better
        failing = sum(row.finding.colour == "red" for row in more)
        parts = [note_line(row) for row in self.groups.related]
        notes = [note_line(row) for row in filter(_noticeable, self.groups.other)]
        totals = [self.total(pair) for pair in self.pairs[OPEN:] if rows.changed(pair)]
        acceptances, counted = self.report.acceptances, numbers.counted
        title = counted(len(more), "more cause" if self.shown else "possible change")
        sections = [
            (f"{title}, {failing} failing" if failing else title, self.table(more, limit)),
            (counted(len(better), "improvement"), self.table(better, limit)),
            (f"{counted(len(parts), 'finding')} within these changes", _bullets(_limited(parts, limit, "finding"))),
            (counted(len(notes), "note"), _bullets(_limited(notes, limit, "note"))),
            (counted(len(totals), "more total"), _bullets(_limited(totals, limit, "total"))),
            (counted(len(acceptances), "acceptance"), _bullets(markdown_acceptances(self.report))),
            (f"{len(self.missing):,} not compared", "" if _doubtful(self.report) else self.not_compared(limit)),
            *(
                (f"order of {sentence(location)}: {sentence(result_text(check))}", rank_details(check).strip())
                for _, location, check in rank_sections(self.report)
            ),
            ("how this was measured", _bullets(_measured(self.report, self.pairs, max(limit, 2)))),
        ]
        return [(title, text) for title, text in sections if text]

    def table(self, found: Sequence[Row], limit: int) -> str:
        """Return a table of findings. The findings get signs if their colours differ."""
        shown = found[:limit]
        signs = len({(row.finding.colour, row.finding.acknowledgement is None) for row in shown}) > 1
        cells = [finding_cells(row, self.links, self.where(row.workload, row.metric), signs=signs) for row in shown]
        table = "\n".join(f"| {' | '.join(line)} |" for line in [*TABLE_HEAD, *cells]) if cells else ""
        more = f"\n\n… and {len(found) - limit:,} more in the report." if limit < len(found) else ""
        return (table + more).strip()

    def compared(self) -> str:
        """Return one line with the totals, the runs, the commits and the links, and what cannot be decided yet."""
        line = dotted(
            self.totals(OPEN),
            self.runs(),
            *self.page_links(),
            link("report", self.links.report) if self.links.report else "",
            link("workflow run", self.run_url) if link_target(self.run_url) else "",
        )
        undecided = statements.undecided(self.report, code_span) if self.pairs else ""
        return "\n\n".join(filter(None, (line, undecided)))

    def visible(self) -> str:
        """Return which changes the comparison would have shown, if it showed none."""
        facts = max(
            (pair.metric.calibration for pair in self.pairs), key=lambda one: one.visible_total or 0, default=None
        )
        if self.report.verdict.conclusion != "pass" or self.shown or facts is None:
            return ""
        return statements.would_have_seen(facts)

    def runs(self) -> str:
        """Return the numbers of runs and the commits: ``5 + 5 interleaved runs of 7f8c04f and 983248d``."""
        sides = (short_sha(side.sha) or side.label for side in (self.report.baseline, self.report.target))
        names = " and ".join(code_span(side, LONGEST_NAME) for side in sides if side)
        kinds = {compared_runs(pair.metric) for pair in self.pairs}
        if len(kinds) != 1:
            return names if kinds else ""
        runs, jobs = kinds.pop()
        return f"{runs}{f' of {names}' if names else ''}{jobs}"

    def totals(self, limit: int, label: str = "Total") -> str:
        """Return the totals of at most ``limit`` metrics in one line."""
        shown = ", ".join(map(self.total, self.pairs[:limit]))
        more = f" and {len(self.pairs) - limit:,} more" if len(self.pairs) > limit else ""
        label = f"{label}s:" if label and len(self.pairs) > 1 else label
        return f"{label} {shown}{more}".lstrip() if shown else ""

    def total(self, pair: Pair) -> str:
        """Return the total of a metric, with its name if there are several metrics."""
        return f"{self.where(pair.workload, pair.metric)} {total_text(pair)}".lstrip()

    def where(self, workload: str, metric: MetricReport) -> str:
        """Return the workload if there are several workloads, and the metric if the workload has several metrics."""
        names = [code_span(workload, LONGEST_NAME)] if len(self.metrics) > 1 else []
        names += [code_span(metric.name, 30)] if self.metrics[workload] > 1 else []
        return " ".join(names)

    def not_compared(self, limit: int) -> str:
        """Return a list of the workloads and metrics that were not compared, with reasons."""
        lines = [statements.missing(entry, code_span, _text) for entry in self.missing]
        return _bullets(_limited(lines, max(limit, 2), "workload"))

    def page_links(self) -> Iterable[str]:
        """Yield links to the flame graph of the first row and to all pages, or explain how to get the flame graphs."""
        links, rows_shown = self.links, (*self.groups.worse, *self.groups.better)
        names = [(row.workload, row.metric.name) for row in rows_shown]
        names += [(pair.workload, pair.metric.name) for pair in self.pairs]
        page = next((links.pages[name] for name in names if name in links.pages), None)
        if page:
            yield link("🔥 flame graph", page)
        elif not all(pair.metric.undrawable for pair in self.pairs) and links.fetch:
            yield f"flame graphs: {code_span(links.fetch, LONGEST_TEXT)}"
        elif self.pairs and all(pair.metric.undrawable for pair in self.pairs) and links.report and not links.pages:
            yield "no flame graph: no stacks were recorded"
        if links.index and len(links.pages) > 1:
            yield link("all pages", links.index)


def _noticeable(note: Row) -> bool:
    return abs((note.finding.share_to or 0.0) - (note.finding.share_from or 0.0)) >= GATE_SHARE


def _causes(worse: Sequence[Row]) -> list[Row]:
    """Return the rows of functions, and those of totals whose colour neither a function nor the headline explains."""
    colours = {(id(row.metric), row.finding.colour) for row in worse if not row.total}
    explained = {entry for metric, colour in colours for entry in ((metric, "yellow"), (metric, colour))}
    return [
        row
        for row in worse
        if not row.total or not (row.everything or (id(row.metric), row.finding.colour) in explained)
    ]


def markdown_headline(report: Report) -> str:
    """Return the headline in Markdown."""
    if _doubtful(report):
        return f"Not compared: {sentence(rows.doubt(report, plain_name), LONGEST_TEXT)}"
    if text := rows.headline(report, code_span):
        return text
    if report.verdict.conclusion == "pass":
        return "No performance change found"
    return next((sentence(wording.full_sentence(reason, plain_name)) for reason in report.verdict.reasons), "")


def _advice(report: Report) -> str:
    """Return advice on how to get a conclusive result, or "" if the result is conclusive."""
    first = rows.leading(report)
    if report.verdict.conclusion == "warn" and not _doubtful(report):
        reasons = first.finding.reasons if first is not None and first.total else ()
    else:
        reasons = report.verdict.reasons
    return next((text for reason in reasons[:1] if (text := statements.advice(reason, report))), "")


def _suspects(report: Report) -> str:
    return _bullets(rows.suspects(report, code_span))


def _measured(report: Report, pairs: Sequence[Pair], limit: int) -> list[str]:
    """Return Markdown lines that explain the numbers: facts, further reasons, notes, warnings, renames and policy."""
    distance = report.baseline.distance
    older = f"The baseline is {numbers.counted(distance, 'commit')} older than the merge base" if distance else ""
    policy = ((name, getattr(report.policy, name)) for name in POLICY)
    stated = ", ".join(f"{name.replace('_', '-')} {value}" for name, value in policy if value is not None)
    lines = [
        older and f"{older}: no profiles of a newer commit can be used.",
        *_facts(report, pairs),
        *map(sentence, rows.further_reasons(report, plain_name)),
        *statements.comparability(report, code_span, _text),
        *map(_text, report.warnings),
        *statements.renames((pair.metric for pair in pairs), _short_code),
        stated and f"Policy: {sentence(stated)}",
    ]
    return _limited([line for line in lines if line], 2 * limit, "line") if pairs else []


def _facts(report: Report, pairs: Sequence[Pair]) -> Iterable[str]:
    """Yield a line of facts for each metric. Metrics that have the same facts share a line."""
    lines: dict[str, list[str]] = {}
    for pair in pairs:
        metric = pair.metric
        facts = (statements.run_counts(metric), statements.calibration(report, metric), statements.detectable(metric))
        reasons = (f"not tested: {_text(reason)}" for reason in metric.not_tested)
        for text in (dotted(*map(sentence, facts)), *reasons):
            lines.setdefault(text, []).append(f"{_short_code(pair.workload)} {code_span(metric.name, 40)}")
    yield from (f"{', '.join(_limited(names, 2, 'metric', ''))}: {text}" for text, names in lines.items() if text)


def _limited(lines: Sequence[str], limit: int, noun: str, where: str = " in the report") -> list[str]:
    more = len(lines) - limit
    return [*lines[:limit], *([f"and {numbers.counted(more, f'more {noun}')}{where}"] if more > 0 else [])]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


def _doubtful(report: Report) -> bool:
    return report.verdict.conclusion == "not_compared" or not rows.pairs(report)


def _sign(report: Report) -> str:
    if _doubtful(report) and report.verdict.conclusion != "fail":
        return rows.CONCLUSIONS["not_compared"].sign
    first = rows.leading(report)
    passes = report.verdict.conclusion == "pass"
    better = passes and first is not None and first.finding.direction == "better"
    return (rows.BETTER if better else rows.CONCLUSIONS[report.verdict.conclusion]).sign


def _text(reason: Reason) -> str:
    return sentence(wording.reason_text(reason, plain_name))


def _short_code(name: str) -> str:
    return code_span(name, LONGEST_NAME)
