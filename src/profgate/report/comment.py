"""Write the pull request comment and the step summary: headline, at most three causes, totals and details."""

from collections.abc import Iterable, Sequence
from urllib.parse import quote

from profgate.errors import ProfgateError
from profgate.model.levels import GATE_SHARE
from profgate.model.links import Links
from profgate.model.reason import Reason
from profgate.model.report import Document, Finding, MetricReport
from profgate.model.visible_text import full_name
from profgate.report import numbers, rows, statements
from profgate.report.markdown_text import (
    LONGEST_NAME,
    MARKDOWN,
    MARKER_KEY,
    bullets,
    code_span,
    dotted,
    limited,
    link,
    link_target,
    paragraphs,
    plain_name,
    sentence,
    short_sha,
    table,
    unbroken,
)
from profgate.report.rank_report import rank_details, rank_sections, result_text
from profgate.report.rows import (
    NO_DIFF,
    SOURCES,
    TOP_LEVEL,
    Pair,
    Row,
    change_text,
    details,
    finding_key,
    place_name,
    reach_text,
    source_place,
    whose_text,
    why,
)
from profgate.report.view import OPEN, View, acceptance_lines, ways_out

# GitHub rejects more than 65,536 characters, and a string has at least as many bytes as characters
COMMENT_BYTES = 60_000
SUMMARY_BYTES = 1_000_000  # GitHub drops a step summary that exceeds 1 MiB
NO_BREAK = "\N{NO-BREAK SPACE}"
SIGNS = {"red": "🔴", "yellow": "🟡", "green": "⚡", "neutral": "💡"}


def render_comment(
    view: View, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """Render the comment with at most 60,000 bytes.

    Raises:
        ProfgateError: if the key contains characters that are not allowed in the marker.
    """
    first_line, body = _marker_of(view, key), Body(view, links, run_url)
    texts = (f"{first_line}\n{body.text(limit)}" for limit in (10, 5, 2, 0))
    return Document("comment.md", "text/markdown", _fitting(texts, COMMENT_BYTES))


def render_summary(view: View, *, links: Links | None = None, run_url: str | None = None, note: str = "") -> Document:
    """Render the step summary, which is the comment with more rows, with at most 1,000,000 bytes.

    ``note`` is a trusted sentence, such as the reason why there is no comment.
    """
    body = Body(view, links, run_url)
    texts = (body.text(limit) + (f"\n> {note}\n" if note else "") for limit in (500, 200, 50, 10, 0))
    return Document("summary.md", "text/markdown", _fitting(texts, SUMMARY_BYTES))


def _fitting(texts: Iterable[str], most: int) -> str:
    """Return the first text that has at most ``most`` bytes, or the last text if there is none."""
    for text in texts:
        if len(text.encode()) <= most:
            break
    return text


def render_quiet_comment(
    view: View, *, key: str = "default", links: Links | None = None, run_url: str | None = None
) -> Document:
    """Render a comment with only the headline, for an outdated warning or an inconclusive comparison."""
    body, report = Body(view, links, run_url), view.report
    unknown = view.doubtful or report.verdict.conclusion == "inconclusive"
    first = f"{view.sign} {body.view.title()}" if unknown else "✅ Resolved: no performance regression any more"
    orders = (rank_details(check) for _, _, check in rank_sections(report) if check.order == "below")
    parts = (bullets(body.view.suspects), *orders, body.compared(), body.next_step() if unknown else "")
    return Document("comment.md", "text/markdown", paragraphs(f"{_marker_of(view, key)}\n### {first}", *parts))


def _marker_of(view: View, key: str) -> str:
    return marker(key, view.report.target.sha, view.report.baseline.sha)


def marker(key: str, head_sha: str | None, base_sha: str | None) -> str:
    """Return the hidden first line, which identifies the comment."""
    if not MARKER_KEY.fullmatch(key):
        raise ProfgateError("key", f"{key[:64]!r} cannot mark a comment; use a-z, 0-9, dot, underscore, single hyphens")
    places = [f" {side}={sha}" for side, sha in (("head", short_sha(head_sha)), ("base", short_sha(base_sha))) if sha]
    return f"<!-- profgate v1 key={key}{''.join(places)} -->"


class Body:
    """The comment of a report below the marker."""

    def __init__(self, view: View, links: Links | None = None, run_url: str | None = None) -> None:
        self.view, self.links = view.in_style(MARKDOWN), links or Links()
        self.run_url = run_url or self.links.run

    def text(self, limit: int) -> str:
        """Return the text with at most ``limit`` rows in each section of the details."""
        above = paragraphs(
            f"### {self.view.sign} {self.view.title()}",
            statements.larger_budget(self.view.report),
            statements.measurement(self.view.report, code_span),
            self.missing_ones(limit) if self.view.doubtful and len(self.view.missing) > 1 else "",
            self.table(self.view.shown, OPEN) or bullets(self.view.suspects),
            bullets(limited(self.view.drifts[1:], limit, "total")),
            self.view.changed_here(),
            statements.blind_spots(self.view.report, code_span),
            self.compared(),
            self.visible(),
        )
        sections = self.details(limit)
        details = [part for title, text in sections for part in (f"**{_capital(title)}**" * (len(sections) > 1), text)]
        titles = _capital(dotted(*(title for title, _ in sections)))
        folded = (f"<details><summary>{titles}</summary>", *details, "</details>") if sections else ()
        return paragraphs(unbroken(above).rstrip(), *folded, self.next_step())

    def next_step(self) -> str:
        """Return what a reader should do, as one line."""
        view, report = self.view, self.view.report
        step = f"The check fails: {link('what to do now', view.help)}." if view.help else view.step()
        ways = ", ".join(ways_out((*view.groups.worse, *view.groups.related), report))
        on_github = report.verdict.fails and short_sha(report.target.sha)
        limit = " (`max` is 1.25 times the measured growth)" if " max=+" in ways else ""
        return f"{step} Intended? A maintainer can comment {ways}{limit}." if ways and on_github else step

    def details(self, limit: int) -> list[tuple[str, str]]:
        """Return the titles and the texts of the details, with at most about ``limit`` lines in each list."""
        view, counted = self.view, numbers.counted
        causes = counted(len(view.more), "more cause" if view.shown else "possible change")
        if failing := sum(row.finding.colour == "red" for row in view.more):
            causes += f", {failing} failing"
        related, acceptances = view.groups.related, view.report.acceptances
        notes = [
            row
            for row in view.groups.other
            if abs((row.finding.share_to or 0.0) - (row.finding.share_from or 0.0)) >= GATE_SHARE
        ]
        totals = [pair for pair in view.pairs[OPEN:] if rows.changed(pair)]
        texts = [
            (causes, self.table(view.more, limit)),
            (counted(len(view.better), "improvement"), self.table(view.better, limit)),
            (f"{len(view.suspects)} not tested", bullets(view.suspects if view.shown else ())),
            (
                f"{counted(len(related), 'finding')} within these changes",
                bullets(limited(related, limit, "finding", text=_note)),
            ),
            (counted(len(notes), "note"), bullets(limited(notes, limit, "note", text=_note))),
            (counted(len(totals), "more total"), bullets(limited(totals, limit, "total", text=self.total))),
            (counted(len(acceptances), "acceptance"), bullets(acceptance_lines(view.report, view.style))),
            self.not_measured(limit),
            (f"{len(view.missing):,} not compared", "" if view.doubtful else self.missing_ones(limit)),
        ]
        for _, location, check in rank_sections(view.report):
            texts.append((f"order of {sentence(location)}: {sentence(result_text(check))}", rank_details(check)))
        measured = limited(self._measured(), 2 * max(limit, 2), "line", text=view.worded)
        texts.append(("how this was measured", bullets(measured)))
        return [(title, text) for title, text in texts if text]

    def not_measured(self, limit: int) -> tuple[str, str]:
        """Return the title and the list of the changed functions that are not known to be measured, if unnamed."""
        spots = self.view.report.blind_spots
        groups = (spots.missed, (*spots.unknown, *spots.unseen)) if spots is not None else ()
        if max(map(len, groups), default=0) <= statements.FEW:
            return "", ""
        lines = [
            f"{code_span(location.name, LONGEST_NAME)} {sentence(source_place(location))}{doubt}"
            for group, doubt in zip(groups, ("", ", unknown"), strict=True)
            for location in group
        ]
        return f"{len(lines):,} not measured", bullets(limited(lines, max(limit, 2), "function"))

    def _measured(self) -> list[Reason | str]:
        """Return lines that explain the numbers: facts, further reasons, notes, warnings, renames and policy."""
        view, policy = self.view, self.view.report.policy
        if not view.pairs:
            return []
        lines: list[Reason | str] = []
        if distance := view.report.baseline.distance:
            older = f"The baseline is {numbers.counted(distance, 'commit')} older than the merge base"
            lines.append(f"{older}: no profiles of a newer commit can be used.")
        lines += [*self._facts(), *view.further_reasons(), *view.notes()]
        lines += statements.renames((pair.metric for pair in view.pairs), code_span)
        stated = {"fail-on": policy.fail_on, "source": policy.source}
        if any(stated.values()):
            settings = ", ".join(f"{name} {value}" for name, value in stated.items() if value)
            lines.append(f"Policy: {sentence(settings)}")
        return [line for line in lines if line]

    def _facts(self) -> Iterable[str]:
        """Yield a line of facts for each metric. Metrics that have the same facts share a line."""
        lines: dict[str, list[Pair]] = {}
        for pair in self.view.pairs:
            facts = dotted(*map(sentence, statements.basis(pair.metric)))
            for text in (facts, *(f"not tested: {self.view.reason(reason)}" for reason in pair.metric.not_tested)):
                lines.setdefault(text, []).append(pair)
        for text, pairs in lines.items():
            if text:
                yield f"{', '.join(limited(pairs, 2, 'metric', '', _full_name))}: {text}"

    def table(self, table_rows: Sequence[Row], limit: int) -> str:
        """Return a table of findings. The findings get signs if their colours differ."""
        shown = table_rows[:limit]
        signs = len({(row.finding.colour, row.finding.is_accepted) for row in shown}) > 1
        cells = [finding_cells(row, self.links, self.view.where(row), signs=signs) for row in shown]
        more = f"… and {len(table_rows) - limit:,} more in the report." if limit < len(table_rows) else ""
        return paragraphs(table(("Function", "Change"), "ll", cells) if cells else "", more).rstrip()

    def compared(self) -> str:
        """Return one line with the totals, the runs, the commits and the links, and what cannot be decided yet."""
        line = dotted(
            self.totals(OPEN),
            self.runs(),
            NO_DIFF if any(not (row.total or whose_text(row.shown)) for row in self.view.shown) else "",
            *self.page_links(),
            link("report", self.links.report) if self.links.report else "",
            link("workflow run", self.run_url) if link_target(self.run_url) else "",
        )
        return paragraphs(line, statements.undecided(self.view.report, code_span) if self.view.pairs else "").rstrip()

    def visible(self) -> str:
        """Return which changes the comparison would have shown, if it showed none."""
        facts = [pair.metric.calibration for pair in self.view.pairs]
        if self.view.report.verdict.conclusion != "pass" or self.view.shown or not facts:
            return ""
        return statements.would_have_seen(max(facts, key=lambda one: one.visible_total or 0))

    def runs(self) -> str:
        """Return the numbers of runs and the commits: ``5 + 5 interleaved runs of 7f8c04f and 983248d``."""
        sides = (short_sha(side.sha) or side.label for side in (self.view.report.baseline, self.view.report.target))
        names = " and ".join(code_span(side, LONGEST_NAME) for side in sides if side)
        kinds = {_compared_runs(pair.metric) for pair in self.view.pairs}
        if len(kinds) != 1:
            return names if kinds else ""
        runs, jobs = kinds.pop()
        return f"{runs}{f' of {names}' if names else ''}{jobs}"

    def totals(self, limit: int) -> str:
        """Return the totals of at most ``limit`` metrics in one line."""
        shown = ", ".join(map(self.total, self.view.pairs[:limit]))
        more = f" and {len(self.view.pairs) - limit:,} more" if len(self.view.pairs) > limit else ""
        label = "Totals:" if len(self.view.pairs) > 1 else "Total"
        return f"{label} {shown}{more}" if shown else ""

    def total(self, pair: Pair) -> str:
        """Return the total, ``2.21 → 2.62 s (+18.6 %)``, with its name if there are several metrics."""
        values, change = rows.total_words(pair.metric)
        text = f"{_solid(values)} ({change if ', ' in change else f'**{change}**'})"
        return f"{self.view.where(pair)} {text}".lstrip()

    def missing_ones(self, limit: int) -> str:
        """Return a list of the workloads and metrics that were not compared, with reasons."""
        return bullets(limited(self.view.not_compared(), max(limit, 2), "workload"))

    def page_links(self) -> Iterable[str]:
        """Yield links to the flame graph of the first row and to all pages, or explain how to get the flame graphs."""
        links, rows_shown = self.links, (*self.view.groups.worse, *self.view.groups.better)
        names = [(row.workload, row.metric.name) for row in rows_shown]
        names += [(pair.workload, pair.metric.name) for pair in self.view.pairs]
        page = next((name for name in names if name in links.pages), None)
        undrawable = all(pair.metric.lacks == "calls" for pair in self.view.pairs)
        if page:
            stackless = any((one.workload, one.metric.name) == page and one.metric.lacks for one in self.view.pairs)
            yield link("table of functions" if stackless else "🔥 flame graph", links.pages[page])
        elif not undrawable and links.fetch:
            yield f"flame graphs: {code_span(links.fetch, 400)}"
        elif self.view.pairs and undrawable and links.report and not links.pages:
            yield "no flame graph: no stacks were recorded"
        if links.index and len(links.pages) > 1:
            yield link("all pages", links.index)


def finding_cells(row: Row, links: Links, where: str = "", *, signs: bool = False) -> tuple[str, str]:
    """Return the table cells of one finding: the function and whose change it is, and the change with its reason.

    There are only two columns, because a phone shows no more.

    ``where`` names the workload or metric, if necessary. ``signs`` adds a sign for the finding's colour.
    """
    finding, location = row.shown, row.shown.location
    name = (
        f"Total of {code_span(row.workload)}"
        if row.total
        else code_span(place_name(location) if location.name == TOP_LEVEL else location.name)
    )
    target = link_target(_frame_link(row, links))
    label = _lines(
        f"**{name}**{NO_BREAK + '🔥' if target and not row.metric.lacks else ''}",
        sentence(source_place(location)) * bool(location.file),
    )
    sign = ("✅ " if finding.is_accepted else f"{SIGNS[finding.colour]} ") if signs else ""
    cost, change, share, calls = map(_solid, row.columns)
    return (
        _lines(
            f"{sign}[{label}]({target})" if target else f"{sign}{label}",
            f"{len(location.lines)} functions of this name, added up" if location.lines else "",
            where,
            f"also in {numbers.counted(row.elsewhere, 'more workload')}" if row.elsewhere else "",
            _origin(finding),
        ),
        _lines(
            f"**{change}** ({cost})",
            _bar(finding.from_value, finding.to_value),
            f"{share} of the run" if share else "",
            f"{calls} calls" if calls else "",
            *details(row, code_span),
            dotted(*map(sentence, why(row, plain_name))),
        ),
    )


def _note(row: Row) -> str:
    """Return a finding in one line."""
    return dotted(change_text(row, code_span), *map(sentence, why(row, plain_name)))


def _full_name(pair: Pair) -> str:
    return f"{code_span(pair.workload, LONGEST_NAME)} {code_span(pair.metric.name, 40)}"


def _bar(before: float | None, after: float | None) -> str:
    """Return bars with lengths proportional to the values, ``▋ → █████``, if both are known and not zero."""
    if not before or not after or min(before, after) < 0:
        return ""
    # bars of four characters fit beside an arrow on a phone
    eighths = (max(1, round(8 * 4 * (value / max(before, after)))) for value in (before, after))
    # the last character of a bar is drawn in eighths
    return f"{NO_BREAK}→{NO_BREAK}".join("█" * (count // 8) + ("", *"▏▎▍▌▋▊▉")[count % 8] for count in eighths)


def _compared_runs(metric: MetricReport) -> tuple[str, str]:
    """Return the numbers of runs (``5 + 5 interleaved runs``) and the base jobs with which they were compared."""
    facts = metric.calibration
    jobs = facts.base_jobs if facts.mode == "jobs" else None
    counts = " + ".join(str(metric.runs.get(side, 0)) for side in ("baseline", "target"))
    text = f", compared with {numbers.counted(jobs, 'base job')}" if jobs else ""
    return f"{counts} {'interleaved ' if facts.interleaved else ''}runs", text


def _origin(finding: Finding) -> str:
    """Return whose change it is, with a link to the diff if possible."""
    if finding.is_total:
        return sentence(reach_text(finding))
    if finding.attribution.reach == "calls a changed function":
        return whose_text(finding, code_span)
    change = SOURCES.get(finding.attribution.source or "")
    if change and link_target(finding.attribution.source_link):
        return f"{change} {link('in this PR', finding.attribution.source_link)}"
    return sentence(whose_text(finding))


def _frame_link(row: Row, links: Links) -> str | None:
    page = link_target(links.pages.get((row.workload, row.metric.name)))
    if page is None or row.total:
        return page
    # the key distinguishes functions with the same name; the name is for readers and is used if the key is unknown
    name = quote(full_name(row.shown.location.name), safe="", errors="replace")
    # with a longer name, the URL fragment contains only the key of the frame
    return f"{page}#finding={finding_key(row.shown.location)}{f'~{name}' if len(name) <= 300 else ''}"


def _lines(*parts: str) -> str:
    return "<br>".join(filter(None, parts))


def _solid(text: str) -> str:
    """Keep two values and their unit on one line, except for long units."""
    return text.replace(" ", NO_BREAK).replace(f"{NO_BREAK}samples", " samples")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
