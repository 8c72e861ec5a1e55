"""Write the pull request comment and the step summary: headline, at most three causes, totals and details."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from profgate.errors import ProfgateError
from profgate.model.acceptance import limits_text, shown_text
from profgate.model.levels import GATE_SHARE
from profgate.model.links import Links
from profgate.model.reason import ReasonCode
from profgate.model.report import Document, Finding, MetricReport, Report, WorkloadReport
from profgate.model.visible_text import full_name, name_text
from profgate.report import numbers, rows, statements
from profgate.report.acceptance_rows import acceptance_lines, ways_out
from profgate.report.finding_text import (
    FACTS,
    SOURCES,
    TOP_LEVEL,
    Row,
    base_branch_text,
    change_text,
    details,
    finding_key,
    place_name,
    reach_text,
    source_place,
    why,
)
from profgate.report.markdown_text import (
    MARKER_KEY,
    bullets,
    code_span,
    limited,
    link,
    link_target,
    paragraphs,
    sentence,
    short_sha,
    table,
    unbroken,
)
from profgate.report.rank_report import rank_details, rank_sections, result_text
from profgate.report.rows import Pair
from profgate.report.view import LONGEST_NAME, MARKDOWN, View, plain_name
from profgate.report.wording import IN_TURNS

# GitHub rejects more than 65,536 characters, and a string has at least as many bytes as characters
COMMENT_BYTES = 60_000
SUMMARY_BYTES = 1_000_000  # GitHub drops a step summary that exceeds 1 MiB
OPEN = 3  # maximum number of rows, and of totals, outside the collapsible section
LONGEST_FRAGMENT = 300  # characters; if a name is longer, the URL fragment contains only the key of the frame
LONGEST_COMMAND = 400
NO_BREAK = "\N{NO-BREAK SPACE}"
SIGNS = {"red": "🔴", "yellow": "🟡", "green": "⚡", "neutral": "💡"}
HELP = "https://profgate.github.io/profgate/how-to/red/"
POLICY = ("fail_on", "fail_on_total", "source")


def render_comment(
    report: Report, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """Render the comment with at most 60,000 bytes.

    Raises:
        ProfgateError: if the key contains characters that are not allowed in the marker.
    """
    first_line, body = _marker_of(report, key, report.findings), Body(report, links, run_url)
    texts = (f"{first_line}\n{body.text(limit)}" for limit in (10, 5, 2, 0))
    return Document("comment.md", "text/markdown", _fitting(texts, COMMENT_BYTES))


def render_summary(
    report: Report, *, links: Links | None = None, run_url: str | None = None, note: str = ""
) -> Document:
    """Render the step summary, which is the comment with more rows, with at most 1,000,000 bytes.

    ``note`` is a trusted sentence, such as the reason why there is no comment.
    """
    body = Body(report, links, run_url)
    texts = (body.text(limit) + (f"\n> {note}\n" if note else "") for limit in (500, 200, 50, 10, 0))
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
    body = Body(report, links, run_url)
    unknown = body.doubtful or report.verdict.conclusion == "inconclusive"
    first = f"{body.sign} {body.title()}" if unknown else "✅ Resolved: no performance regression any more"
    orders = (rank_details(check) for _, _, check in rank_sections(report) if check.order == "below")
    parts = (bullets(body.suspects()), *orders, body.compared(), body.next_step() if unknown else "")
    return Document("comment.md", "text/markdown", paragraphs(f"{_marker_of(report, key)}\n### {first}", *parts))


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


class Body(View):
    """The comment of a report below the marker."""

    def __init__(self, report: Report, links: Links | None = None, run_url: str | None = None) -> None:
        super().__init__(report, MARKDOWN)
        self.links = links or Links()
        self.run_url = run_url or self.links.run
        causes, better = self.causes(), [row for row in self.groups.better if not row.total]
        most = 0 if report.verdict.conclusion == "inconclusive" or self.doubtful else OPEN
        self.shown = (causes or better)[:most]
        self.more, self.better = causes[most:], better if causes else better[most:]

    def text(self, limit: int) -> str:
        """Return the text with at most ``limit`` rows in each section of the details."""
        above = paragraphs(
            f"### {self.sign} {self.title()}",
            statements.larger_budget(self.report),
            bullets(self.suspects()),
            statements.measurement(self.report, code_span),
            self.missing_ones(limit) if self.doubtful and len(self.missing) > 1 else "",
            self.table(self.shown, OPEN),
            self.compared(),
            self.visible(),
        )
        sections = self.sections(limit)
        details = [part for title, text in sections for part in (f"**{_capital(title)}**" * (len(sections) > 1), text)]
        titles = _capital(dotted(*(title for title, _ in sections)))
        folded = (f"<details><summary>{titles}</summary>", *details, "</details>") if sections else ()
        return paragraphs(unbroken(above).rstrip(), *folded, self.next_step())

    def next_step(self) -> str:
        """Return what a reader should do, as one line."""
        report, verdict = self.report, self.report.verdict
        if advice := self.advice():
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
        report, more, better, counted = self.report, self.more, self.better, numbers.counted
        failing = sum(row.finding.colour == "red" for row in more)
        causes = counted(len(more), "more cause" if self.shown else "possible change")
        parts = [note_line(row) for row in self.groups.related]
        notes = [note_line(row) for row in self.groups.other if _noticeable(row)]
        totals = [self.total(pair) for pair in self.pairs[OPEN:] if rows.changed(pair)]
        sections = [
            (f"{causes}, {failing} failing" if failing else causes, self.table(more, limit)),
            (counted(len(better), "improvement"), self.table(better, limit)),
            (f"{counted(len(parts), 'finding')} within these changes", bullets(limited(parts, limit, "finding"))),
            (counted(len(notes), "note"), bullets(limited(notes, limit, "note"))),
            (counted(len(totals), "more total"), bullets(limited(totals, limit, "total"))),
            (counted(len(report.acceptances), "acceptance"), bullets(acceptance_lines(report, MARKDOWN))),
            (f"{len(self.missing):,} not compared", "" if self.doubtful else self.missing_ones(limit)),
            *(
                (f"order of {sentence(location)}: {sentence(result_text(check))}", rank_details(check))
                for _, location, check in rank_sections(report)
            ),
            ("how this was measured", bullets(limited(self.measured(), 2 * max(limit, 2), "line"))),
        ]
        return [(title, text) for title, text in sections if text]

    def table(self, found: Sequence[Row], limit: int) -> str:
        """Return a table of findings. The findings get signs if their colours differ."""
        shown = found[:limit]
        signs = len({(row.finding.colour, row.finding.acknowledgement is None) for row in shown}) > 1
        cells = [finding_cells(row, self.links, self.where(row.workload, row.metric), signs=signs) for row in shown]
        more = f"… and {len(found) - limit:,} more in the report." if limit < len(found) else ""
        return paragraphs(table(("Function", "Change"), "ll", cells) if cells else "", more).rstrip()

    def compared(self) -> str:
        """Return one line with the totals, the runs, the commits and the links, and what cannot be decided yet."""
        line = dotted(
            self.totals(OPEN),
            self.runs(),
            *self.page_links(),
            link("report", self.links.report) if self.links.report else "",
            link("workflow run", self.run_url) if link_target(self.run_url) else "",
        )
        return paragraphs(line, statements.undecided(self.report, code_span) if self.pairs else "").rstrip()

    def visible(self) -> str:
        """Return which changes the comparison would have shown, if it showed none."""
        facts = [pair.metric.calibration for pair in self.pairs]
        if self.report.verdict.conclusion != "pass" or self.shown or not facts:
            return ""
        return statements.would_have_seen(max(facts, key=lambda one: one.visible_total or 0))

    def runs(self) -> str:
        """Return the numbers of runs and the commits: ``5 + 5 interleaved runs of 7f8c04f and 983248d``."""
        sides = (short_sha(side.sha) or side.label for side in (self.report.baseline, self.report.target))
        names = " and ".join(code_span(side, LONGEST_NAME) for side in sides if side)
        kinds = {_compared_runs(pair.metric) for pair in self.pairs}
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
        """Return the total, ``2.21 → 2.62 s (+18.6 %)``, with its name if there are several metrics."""
        values, change = rows.total_words(pair.metric)
        text = f"{_solid(values)} ({change if ', ' in change else f'**{change}**'})"
        return f"{self.where(pair.workload, pair.metric)} {text}".lstrip()

    def missing_ones(self, limit: int) -> str:
        """Return a list of the workloads and metrics that were not compared, with reasons."""
        return bullets(limited(self.not_compared(), max(limit, 2), "workload"))

    def page_links(self) -> Iterable[str]:
        """Yield links to the flame graph of the first row and to all pages, or explain how to get the flame graphs."""
        links, rows_shown = self.links, (*self.groups.worse, *self.groups.better)
        names = [(row.workload, row.metric.name) for row in rows_shown]
        names += [(pair.workload, pair.metric.name) for pair in self.pairs]
        page = next((links.pages[name] for name in names if name in links.pages), None)
        undrawable = all(pair.metric.undrawable for pair in self.pairs)
        if page:
            yield link("🔥 flame graph", page)
        elif not undrawable and links.fetch:
            yield f"flame graphs: {code_span(links.fetch, LONGEST_COMMAND)}"
        elif self.pairs and undrawable and links.report and not links.pages:
            yield "no flame graph: no stacks were recorded"
        if links.index and len(links.pages) > 1:
            yield link("all pages", links.index)

    def causes(self) -> list[Row]:
        """Return the rows of functions, and of totals whose colour neither a function nor the headline explains."""
        worse = self.groups.worse
        colours = {(id(row.metric), row.finding.colour) for row in worse if not row.total}
        explained = {entry for metric, colour in colours for entry in ((metric, "yellow"), (metric, colour))}
        return [
            row
            for row in worse
            if not row.total or not (row.everything or (id(row.metric), row.finding.colour) in explained)
        ]

    def measured(self) -> list[str]:
        """Return lines that explain the numbers: facts, further reasons, notes, warnings, renames and policy."""
        distance, policy = self.report.baseline.distance, self.report.policy
        older = f"The baseline is {numbers.counted(distance or 0, 'commit')} older than the merge base"
        stated = ", ".join(f"{name.replace('_', '-')} {value}" for name in POLICY if (value := getattr(policy, name)))
        lines = [
            f"{older}: no profiles of a newer commit can be used." if distance else "",
            *self.facts(),
            *self.further_reasons(),
            *self.notes(),
            *statements.renames((pair.metric for pair in self.pairs), code_span),
            stated and f"Policy: {sentence(stated)}",
        ]
        return [line for line in lines if line and self.pairs]

    def facts(self) -> Iterable[str]:
        """Yield a line of facts for each metric. Metrics that have the same facts share a line."""
        lines: dict[str, list[str]] = {}
        for pair in self.pairs:
            facts = dotted(*map(sentence, statements.basis(self.report, pair.metric)))
            for text in (facts, *(f"not tested: {self.reason(reason)}" for reason in pair.metric.not_tested)):
                lines.setdefault(text, []).append(
                    f"{code_span(pair.workload, LONGEST_NAME)} {code_span(pair.metric.name, 40)}"
                )
        yield from (f"{', '.join(limited(names, 2, 'metric', ''))}: {text}" for text, names in lines.items() if text)


def finding_cells(row: Row, links: Links, where: str = "", *, signs: bool = False) -> tuple[str, str]:
    """Return the table cells of one finding: the function and whose change it is, and the change with its reason.

    There are only two columns, because a phone shows no more.

    ``where`` names the workload or metric, if necessary. ``signs`` adds a sign for the finding's colour.
    """
    finding, location = row.finding, row.finding.location
    name = (
        f"Total of {code_span(row.workload)}"
        if row.total
        else code_span(place_name(location) if location.name == TOP_LEVEL else location.name)
    )
    target = link_target(_frame_link(row, links))
    label = _lines(f"**{name}**{NO_BREAK + '🔥' if target else ''}", cell(source_place(location)) * bool(location.file))
    sign = ("✅ " if finding.acknowledgement else f"{SIGNS[finding.colour]} ") if signs else ""
    cost, change, *more = map(_solid, row.facts)
    return (
        _lines(
            f"{sign}[{label}]({target})" if target else f"{sign}{label}",
            f"{len(location.lines)} functions of this name, added up" if location.lines else "",
            where,
            f"also in {numbers.counted(row.elsewhere, 'more workload')}" if row.elsewhere else "",
            dotted(_origin(finding), cell(base_branch_text(finding))),
        ),
        _lines(
            f"**{change}** ({cost})",
            *(f"{text} {fact.noun}" for fact, text in zip(FACTS[2:], more, strict=True) if text),
            *details(row, code_span),
            dotted(*map(cell, why(row, plain_name))),
        ),
    )


def note_line(row: Row) -> str:
    """Return a finding in one line."""
    return dotted(change_text(row, code_span), *map(cell, why(row, plain_name)))


def _compared_runs(metric: MetricReport) -> tuple[str, str]:
    """Return the numbers of runs (``5 + 5 interleaved runs``) and the base jobs with which they were compared."""
    facts = metric.calibration
    jobs = facts.base_jobs if facts.mode == "jobs" else None
    counts = " + ".join(str(metric.runs.get(side, 0)) for side in ("baseline", "target"))
    text = f", compared with {numbers.counted(jobs, 'base job')}" if jobs else ""
    return f"{counts} {'interleaved ' if facts.interleaved else ''}runs", text


def _origin(finding: Finding) -> str:
    """Return how the pull request changed or affected the function, with a link to the diff if possible."""
    if source := SOURCES.get(finding.attribution.source or ""):
        return f"{source} {link('in this PR', finding.attribution.source_link)}"
    if finding.attribution.reach == "calls a changed function":
        return reach_text(finding, code_span)
    return cell(reach_text(finding))


def _frame_link(row: Row, links: Links) -> str | None:
    page = link_target(links.pages.get((row.workload, row.metric.name)))
    if page is None or row.total:
        return page
    # the key distinguishes functions with the same name; the name is for readers and is used if the key is unknown
    name = quote(full_name(row.finding.location.name), safe="", errors="replace")
    return f"{page}#finding={finding_key(row.finding.location)}{f'~{name}' if len(name) <= LONGEST_FRAGMENT else ''}"


def _noticeable(note: Row) -> bool:
    return abs((note.finding.share_to or 0.0) - (note.finding.share_from or 0.0)) >= GATE_SHARE


def cell(text: str) -> str:
    """Escape a sentence for a table cell."""
    return sentence(text, 160)


def dotted(*parts: str) -> str:
    """Join the nonempty parts of a line."""
    return " · ".join(filter(None, parts))


def _lines(*parts: str) -> str:
    return "<br>".join(filter(None, parts))


def _solid(text: str) -> str:
    """Keep two values and their unit on one line, except for long units."""
    return text.replace(" ", NO_BREAK).replace(f"{NO_BREAK}samples", " samples")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
