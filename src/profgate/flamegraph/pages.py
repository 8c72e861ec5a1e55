"""Build the pages of a report: a flame graph for each workload and metric, worst first, and the index."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from markupsafe import Markup

from profgate.flamegraph.excerpts import excerpts_of
from profgate.flamegraph.folded_export import two_column_folded
from profgate.flamegraph.page import NO_WAY_OUT, build_page, check_links, hash_source
from profgate.flamegraph.page_columns import NamedTree, PageHeader, cut_tree, threshold_for
from profgate.flamegraph.page_input import PageContext, page_input
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.comparison import Comparison, RunValues
from profgate.model.excerpt import Excerpt
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Document, MetricReport, Report, WorkloadReport
from profgate.model.visible_text import full_name, plain
from profgate.report import statements
from profgate.report.assets import read_asset
from profgate.report.explanation import explanation
from profgate.report.markdown_text import RAW, short_sha
from profgate.report.metric_headline import WorkloadRow, metric_headline, view_of_metric, workload_row
from profgate.report.numbers import counted
from profgate.report.rows import CONCLUSIONS, ordered, parts_of
from profgate.report.templates import render_template
from profgate.report.view import View
from profgate.report.wording import full_sentence

# exceptions that are raised by a bug, or by too little memory, while a page is built
BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
MOST_ROWS = 1000
MOST_STACKS = 20_000
PageKey = tuple[str, str]  # workload and metric


@dataclass(frozen=True, slots=True)
class PageDocument:
    """The page for one workload and metric, its call paths as folded stacks, and what explains its findings."""

    workload: str
    metric: str
    document: Document
    stacks: Document | None = None
    excerpts: tuple[Excerpt, ...] = ()


def build_pages(
    comparisons: Sequence[Comparison],
    states: Sequence[SourceStates | None],
    report: Report,
    policy: Policy,
    diff: SourceDiff | None = None,
    limit: int = 10,
    run_values: Callable[[Comparison], RunValues | None] = lambda _: None,
) -> tuple[tuple[PageDocument, ...], tuple[Reason, ...]]:
    """Return the pages of at most ``limit`` drawable comparisons and a reason for each page that cannot be built.

    ``states`` contains the source states of the functions for each comparison, or None. ``run_values`` returns the
    costs of each run as they were tested, or None.
    """
    metrics = {(load.name, metric.name): (load, metric) for load, metric in report.metrics}
    found = [
        (comparison, metrics[comparison.workload, comparison.metric.name], name, known)
        for comparison, name, known in zip(comparisons, file_names(comparisons), states, strict=True)
        if comparison.drawable
    ]
    pages, failed = [], []
    for comparison, metric, name, known in sorted(found, key=lambda page: page[1][1].importance)[:limit]:
        try:
            context = _context(report, *metric, policy)._replace(states=known, diff=diff)
            tree, header = page_input(comparison, context._replace(run_values=run_values(comparison)))
            excerpts = excerpts_of(tree, header)
            if excerpts:
                quoted = view_of_metric(report, metric[0], replace(metric[1], excerpts=excerpts))
                header = replace(header, explanation=explanation(quoted))
            text = build_page(tree, header)
        except BUGS as error:
            where = {"workload": comparison.workload, "metric": comparison.metric.name}
            text = f"{type(error).__name__}: {error}".removesuffix(": ")[:200]
            failed.append(Reason(ReasonCode.PAGE_FAILED, {**where, "error": text}))
            continue
        document = Document(name, "text/html", text)
        stacks = Document(f"{name.removesuffix('.html')}.folded", "text/plain", _folded_stacks(tree, header))
        pages.append(PageDocument(comparison.workload, comparison.metric.name, document, stacks, excerpts))
    return tuple(pages), tuple(failed)


def _folded_stacks(named: NamedTree, header: PageHeader) -> str:
    """Return the largest call paths with their costs before and after, the former for as many runs as the latter."""
    shown = cut_tree(named.tree, threshold_for(named.tree, header.keep, MOST_STACKS), header.keep)
    names = [*named.names, "(merged small stacks)", ""]  # `OTHER` and the root are counted from the end
    return two_column_folded(shown.tree, names, header.exponent, Fraction(header.runs[1], header.runs[0]))[0]


def _context(report: Report, workload: WorkloadReport, metric: MetricReport, policy: Policy) -> PageContext:
    alone = view_of_metric(report, workload, metric)
    rows = ordered(alone.groups)
    return PageContext(
        labels=(report.baseline.sha or report.baseline.label, report.target.sha or report.target.label),
        headline=metric_headline(report, alone),
        findings=[row.shown for row in rows],
        parts={row.shown.location: parts_of(row) for row in reversed(rows)},
        embed=policy.embed_source,
    )


def file_names(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a unique file name for each page, also on file systems that ignore case. Equal names are numbered."""
    names: dict[str, str] = {}
    further: dict[str, Iterator[int]] = {}  # the numbers that were not yet added to a name
    for comparison in comparisons:
        # without characters that file names or URLs must quote
        name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in comparison.workload)
        metric = "".join(letter if letter.isalnum() else "-" for letter in comparison.metric.name)
        # file systems limit names to 255 bytes, and a number and a suffix are appended
        name = stem = f"{name}.{metric}".encode()[:180].decode(errors="ignore")
        numbers = further.setdefault(_folded(stem), count(2))
        while _folded(name) in names:
            name = f"{stem}-{next(numbers)}"
        names[_folded(name)] = f"{name}.html"
    return list(names.values())


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKD", name).casefold()


class IndexRow(NamedTuple):
    """A metric of a workload on the index page."""

    workload: str
    metric: str
    cells: WorkloadRow
    href: str | None = None


def build_index(view: View, hrefs: Mapping[PageKey, str]) -> str:
    """Return an HTML page with the verdict and a row for each metric of each workload, the worst metric first.

    ``hrefs`` contains the relative paths of the pages. Metrics without a page have no link. If there is only one row,
    browsers open its page instead. Raises `ValueError` for a path outside the folder.
    """
    check_links(hrefs.values())
    sides = (("before", view.report.baseline), ("after", view.report.target))
    pairs = [(load.name, metric) for load, metric in view.report.metrics if metric.state == "compared"]
    pairs.sort(key=lambda pair: pair[1].importance)
    rows = []
    for name, metric in pairs[:MOST_ROWS]:
        row = workload_row(name, metric, str)
        cells = row._replace(finding=plain(row.finding))
        rows.append(IndexRow(full_name(name), full_name(metric.name), cells, hrefs.get((name, metric.name))))
    for entry in view.missing[: MOST_ROWS - len(rows)]:
        reason = plain(full_sentence(entry.reason, str))
        cells = WorkloadRow("", "not compared", "", "", "", reason)
        rows.append(IndexRow(full_name(entry.name), full_name(entry.metric or ""), cells))
    hidden = len(pairs) + len(view.missing) - len(rows)
    origin = [(name, plain(code)) for name, side in sides if (code := short_sha(side.sha) or side.label)]
    style = read_asset("page/page.css")
    page = render_template(
        "page/index.html.j2",
        title=plain(view.in_style(RAW).title()),
        badge=CONCLUSIONS[view.report.verdict.conclusion].badge,
        aside="",
        facts=(),
        notes=[plain(missed)] if (missed := statements.blind_spots(view.report, str)) else (),
        rows=rows,
        more=f"{counted(hidden, 'more row')} in report.json." if hidden else "",
        instead=next(iter(hrefs.values())) if len(rows) == len(hrefs) == 1 else "",
        origin=origin,
        style=Markup(style),  # noqa: S704 -- trusted file
        policy=f"default-src 'none'; style-src {hash_source(style)}; {NO_WAY_OUT}",
    )
    return page.encode("utf-8", "replace").decode("utf-8")  # a name may contain a lone surrogate
