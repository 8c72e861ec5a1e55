"""Write the pull request comment and the step summary: the result, the first change in one column, and details."""

from collections.abc import Iterable, Sequence
from functools import partial
from urllib.parse import quote

from profgate.errors import ProfgateError
from profgate.model.levels import GATE_SHARE
from profgate.model.links import Links
from profgate.model.reason import Reason
from profgate.model.report import Document, Finding, MetricReport
from profgate.model.visible_text import full_name
from profgate.report import groups, numbers, statements
from profgate.report.comment_pictures import bars, changed_lines
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
    sentence,
    short_sha,
    unbroken,
)
from profgate.report.rank_report import rank_details, rank_sections, result_text
from profgate.report.rows import (
    NO_DIFF,
    SOURCES,
    Pair,
    Row,
    change_text,
    details,
    finding_key,
    place_of,
    reach_text,
    source_place,
    whose_text,
    why,
)
from profgate.report.view import OPEN, View, acceptance_lines

# GitHub rejects more than 65,536 characters, and a string has at least as many bytes as characters
COMMENT_BYTES = 60_000
SUMMARY_BYTES = 1_000_000  # GitHub drops a step summary that exceeds 1 MiB
HELP = "https://profgate.github.io/profgate/how-to/red/"
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
    what_to_do = (body.next_step(), body.acceptance()) if unknown else ()
    parts = (bullets(body.view.suspects), *orders, body.compared(), *what_to_do)
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
        view, row = self.view, self.view.subject
        whose, place = (_whose(row), place_of(row)) if row else ("", "")
        above = paragraphs(
            f"### {view.sign} {view.title()}{f' · {whose}' if whose else ''}",
            self.missing_ones(limit) if view.doubtful and len(view.missing) > 1 else "",
            bullets(limited(view.drifts[1:], limit, "total")),
            *((place and code_span(place), changed_lines(row), bars(row)) if row else ()),
            view.changed_here(),
            view.certainty() if row else self.visible(),
            f"{_capital(NO_DIFF)}." if row and not row.total and not whose_text(row.shown) else "",
            bullets(statements.claims(view.report, view.style.code)),
            view.missed,
            self.next_step(),
        )
        sections = self.details(limit)
        details = [part for title, text in sections for part in (f"**{_capital(title)}**" * (len(sections) > 1), text)]
        titles = _capital(dotted(*(title for title, _ in sections)))
        folded = (f"<details><summary>{titles}</summary>", *details, "</details>") if sections else ()
        return paragraphs(unbroken(above).rstrip(), *folded)

    def next_step(self) -> str:
        """Return what a reader should do, with links to the pages, as one line."""
        help_link = (link("More", HELP),) if self.view.report.verdict.fails else ()
        return f"{self.view.step()} {dotted(*help_link, *self.page_link())}".rstrip()

    def acceptance(self) -> str:
        """Return how a maintainer accepts several findings and workloads that fail the check."""
        ways = ", ".join(self.view.ways_out())
        limit = " (`max` is 1.25 times the measured growth)" if " max=+" in ways else ""
        return f"A maintainer can comment {ways}{limit}." if ways else ""

    def details(self, limit: int) -> list[tuple[str, str]]:
        """Return the titles and the texts of the details, with at most about ``limit`` lines in each list."""
        view, counted = self.view, numbers.counted
        causes = counted(len(view.causes), "change" if view.subject else "possible change")
        if len(view.causes) > 1 and (failing := sum(row.finding.colour == "red" for row in view.causes)):
            causes += f", {failing} failing"
        related, acceptances = view.groups.related, view.report.acceptances
        notes = [
            row
            for row in view.groups.other
            if abs((row.finding.share_to or 0.0) - (row.finding.share_from or 0.0)) >= GATE_SHARE
        ]
        totals = [pair for pair in view.pairs[OPEN:] if groups.changed(pair)]
        texts = [
            (causes, self.rows(view.causes, limit)),
            (counted(len(view.better), "improvement"), self.rows(view.better, limit)),
            (f"{len(view.suspects)} not tested", bullets(view.suspects)),
            (
                f"{counted(len(related), 'finding')} within these changes",
                bullets(limited(related, limit, "finding", text=self.note)),
            ),
            (counted(len(notes), "note"), bullets(limited(notes, limit, "note", text=self.note))),
            (counted(len(totals), "more total"), bullets(limited(totals, limit, "total", text=self.total))),
            ("to accept", self.acceptance()),
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
        """Return the title and the list of the changed functions that are not known to be measured."""
        spots = self.view.report.blind_spots
        found = (*spots.missed, *spots.unknown, *spots.unseen) if spots is not None else ()
        lines = [f"{code_span(one.name, LONGEST_NAME)} {sentence(source_place(one))}" for one in found]
        return f"{len(lines):,} not measured or unknown", bullets(limited(lines, max(limit, 2), "function"))

    def _measured(self) -> list[Reason | str]:
        """Return lines that explain the numbers: facts, further reasons, notes, warnings, renames and policy."""
        view, policy = self.view, self.view.report.policy
        lines: list[Reason | str] = [self.compared()]
        if not view.pairs:
            return [line for line in lines if line]
        about = statements.measurement, statements.undecided
        lines += [statements.larger_budget(view.report), *(text(view.report, view.style.code) for text in about)]
        lines += [*self._facts(), *view.further_reasons(), *view.notes()]
        lines += [statements.proof(view.report, code_span)]
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

    def rows(self, shown: Sequence[Row], limit: int) -> str:
        """Return a list of findings. They get signs if their colours differ."""
        signs = len({(row.finding.colour, row.finding.is_accepted) for row in shown}) > 1
        return bullets(limited(shown, limit, "finding", text=partial(self._row, signs=signs)))

    def _row(self, row: Row, *, signs: bool) -> str:
        finding, location = row.shown, row.shown.location
        sign = ("✅ " if finding.is_accepted else f"{SIGNS[finding.colour]} ") if signs else ""
        place, url = source_place(location, finding.attribution.path), _frame_link(row, self.links)
        *_, share, calls = row.columns
        return dotted(
            f"{sign}{change_text(row, self.view.style.code)}",
            link(sentence(place) or _page_of(row), url) if place or url else "",
            self.view.where(row),
            code_span(location.name, 300) * (self.view.names.get(location.name) not in {None, location.name}),
            f"{len(location.lines)} functions of this name, added up" if location.lines else "",
            f"{share} of the run" if share else "",
            f"{calls} calls" if calls else "",
            *details(row, self.view.style.code),
            f"also in {numbers.counted(row.elsewhere, 'more workload')}" if row.elsewhere else "",
            _origin(finding),
            *map(sentence, why(row, self.view.style.name)),
        )

    def note(self, row: Row) -> str:
        """Return a finding in one line."""
        style = self.view.style
        return dotted(change_text(row, style.code), *map(sentence, why(row, style.name)))

    def compared(self) -> str:
        """Return one line with the totals, the runs, the commits and the links to the report."""
        return dotted(
            self.totals(OPEN),
            self.runs(),
            link("all pages", self.links.index) if self.links.index and len(self.links.pages) > 1 else "",
            link("report", self.links.report) if self.links.report else "",
            link("workflow run", self.run_url) if link_target(self.run_url) else "",
        )

    def visible(self) -> str:
        """Return which changes the comparison would have shown, if it showed none."""
        facts = [pair.metric.calibration for pair in self.view.pairs]
        if self.view.report.verdict.conclusion != "pass" or not facts:
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
        shown = ", ".join(limited(self.view.pairs, limit, "total", "", self.total))
        label = "Totals:" if len(self.view.pairs) > 1 else "Total"
        return f"{label} {shown}" if shown else ""

    def total(self, pair: Pair) -> str:
        """Return the total, ``2.21 → 2.62 s (+18.6 %)``, with its name if there are several metrics."""
        values, change = groups.total_words(pair.metric)
        text = f"{numbers.solid(values)} ({change if ', ' in change else f'**{change}**'})"
        return f"{self.view.where(pair)} {text}".lstrip()

    def missing_ones(self, limit: int) -> str:
        """Return a list of the workloads and metrics that were not compared, with reasons."""
        return bullets(limited(self.view.not_compared(), max(limit, 2), "workload"))

    def page_link(self) -> Iterable[str]:
        """Yield a link to the flame graph of the first row, or how to get the flame graphs."""
        view, links = self.view, self.links
        shown = [row for row in (view.subject, *view.groups.worse, *view.groups.better, *view.pairs) if row]
        row = next((row for row in shown if (row.workload, row.metric.name) in links.pages), None)
        drawable = any(pair.metric.lacks != "calls" for pair in view.pairs)
        if row:
            target = _frame_link(row, links) if isinstance(row, Row) else links.pages[row.workload, row.metric.name]
            yield link(_page_of(row), target)
        elif drawable and links.fetch:
            yield f"flame graphs: {code_span(links.fetch, 400)}"


def _page_of(pair: Pair) -> str:
    return "table of functions" if pair.metric.lacks else "🔥 flame graph"


def _full_name(pair: Pair) -> str:
    return f"{code_span(pair.workload, LONGEST_NAME)} {code_span(pair.metric.name, 40)}"


def _compared_runs(metric: MetricReport) -> tuple[str, str]:
    """Return the numbers of runs (``5 + 5 interleaved runs``) and the base jobs with which they were compared."""
    facts = metric.calibration
    jobs = facts.base_jobs if facts.mode == "jobs" else None
    counts = " + ".join(str(metric.runs.get(side, 0)) for side in ("baseline", "target"))
    text = f", compared with {numbers.counted(jobs, 'base job')}" if jobs else ""
    return f"{counts} {'interleaved ' if facts.interleaved else ''}runs", text


def _whose(row: Row) -> str:
    """Return whose change it is in few words, unless the headline contains it or the change is that of a total."""
    if row.total or row.shown.attribution.reach == "calls a changed function":
        return ""
    return _origin(row.shown, with_path=False)


def _origin(finding: Finding, *, with_path: bool = True) -> str:
    """Return whose change it is, with a link to the diff if possible."""
    if finding.is_total:
        return sentence(reach_text(finding))
    if finding.attribution.reach == "calls a changed function":
        return whose_text(finding, code_span)
    change = SOURCES.get(finding.attribution.source or "")
    if change and link_target(finding.attribution.source_link):
        return f"{change} {link('in this PR', finding.attribution.source_link)}"
    return sentence(whose_text(finding, with_path=with_path))


def _frame_link(row: Row, links: Links) -> str | None:
    page = link_target(links.pages.get((row.workload, row.metric.name)))
    if page is None or row.total:
        return page
    # the key distinguishes functions with the same name; the name is for readers and is used if the key is unknown
    name = quote(full_name(row.shown.location.name), safe="", errors="replace")
    # with a longer name, the URL fragment contains only the key of the frame
    return f"{page}#finding={finding_key(row.shown.location)}{f'~{name}' if len(name) <= 300 else ''}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
