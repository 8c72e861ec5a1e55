"""Build the pages of a report: a flame graph for each workload and metric, worst first, and the index."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import count

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
from profgate.model.record import Record, replace
from profgate.model.report import Document, MetricReport, Report, WorkloadReport
from profgate.model.visible_text import full_name, plain
from profgate.report.assets import escaped, filled_asset, read_asset
from profgate.report.explanation import explanation
from profgate.report.groups import CONCLUSIONS, ordered
from profgate.report.markdown_text import short_sha
from profgate.report.metric_headline import WorkloadRow, metric_headline, view_of_metric, workload_row
from profgate.report.numbers import counted
from profgate.report.rows import parts_of, whose_text
from profgate.report.view import View
from profgate.report.wording import full_sentence

# exceptions that are raised by a bug, or by too little memory, while a page is built
BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
MOST_ROWS = 1000
MOST_STACKS = 20_000
_SIGNS = {"fails": "✕", "review": "!", "better": "✓", "unchanged": "✓"}
PageKey = tuple[str, str]  # workload and metric


class PageDocument(Record):
    """The page for one workload and metric, its call paths as folded stacks, and what explains its findings."""

    workload: str
    metric: str
    document: Document
    stacks: Document | None = None
    excerpts: tuple[Excerpt, ...] = ()


_Task = Callable[[], PageDocument | Reason]


def build_pages(
    comparisons: Sequence[Comparison],
    states: Sequence[SourceStates | None],
    report: Report,
    policy: Policy,
    diff: SourceDiff | None = None,
    limit: int = 10,
    run_values: Callable[[Comparison], RunValues | None] = lambda _: None,
    *,
    run: Callable[[list[_Task]], list[PageDocument | Reason]],
) -> tuple[tuple[PageDocument, ...], tuple[Reason, ...]]:
    """Return the pages of at most ``limit`` drawable comparisons and a reason for each page that cannot be built.

    ``states`` contains the source states of the functions for each comparison, or None. ``run_values`` returns the
    costs of each run as they were tested, or None. ``run`` calls functions and returns their results in the same order.
    """
    metrics = {(load.name, metric.name): (load, metric) for load, metric in report.metrics}
    found = [
        (comparison, metrics[comparison.workload, comparison.metric.name], name, known)
        for comparison, name, known in zip(comparisons, file_names(comparisons), states, strict=True)
        if comparison.drawable
    ]

    def page(
        comparison: Comparison, reported: tuple[WorkloadReport, MetricReport], name: str, known: SourceStates | None
    ) -> PageDocument | Reason:
        try:
            context = replace(_context(report, *reported, policy), states=known, diff=diff)
            tree, header = page_input(comparison, replace(context, run_values=run_values(comparison)))
            excerpts = excerpts_of(tree, header)
            if excerpts:
                quoted = view_of_metric(report, reported[0], replace(reported[1], excerpts=excerpts))
                header = replace(header, explanation=explanation(quoted))
            text = build_page(tree, header)
        except BUGS as error:
            where = {"workload": comparison.workload, "metric": comparison.metric.name}
            text = f"{type(error).__name__}: {error}".removesuffix(": ")[:200]
            return Reason(ReasonCode.PAGE_FAILED, {**where, "error": text})
        document = Document(name, "text/html", text)
        stacks = Document(f"{name.removesuffix('.html')}.folded", "text/plain", _folded_stacks(tree, header))
        return PageDocument(comparison.workload, comparison.metric.name, document, stacks, excerpts)

    drawn = sorted(found, key=lambda page: page[1][1].importance)[:limit]
    made = run([partial(page, *one) for one in drawn])
    pages = tuple(one for one in made if isinstance(one, PageDocument))
    return pages, tuple(one for one in made if isinstance(one, Reason))


def _folded_stacks(named: NamedTree, header: PageHeader) -> str:
    """Return the largest call paths with their costs before and after, the former for as many runs as the latter."""
    tree = named.tree
    if len(tree) > MOST_STACKS:
        tree = cut_tree(tree, threshold_for(tree, header.keep, MOST_STACKS), header.keep).tree
    names = [*named.names, "(merged small stacks)", ""]  # `OTHER` and the root are counted from the end
    return two_column_folded(tree, names, header.exponent, Fraction(header.runs[1], header.runs[0]))[0]


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


class IndexRow(Record):
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
    rows = []
    for pair in view.pairs[:MOST_ROWS]:
        name, metric, row = pair.workload, pair.metric.name, workload_row(view, pair)
        cells = replace(row, finding=plain(row.finding))
        rows.append(IndexRow(full_name(name), full_name(metric), cells, hrefs.get((name, metric))))
    for entry in view.missing[: MOST_ROWS - len(rows)]:
        reason = plain(full_sentence(entry.reason, str))
        cells = WorkloadRow("", "not compared", "", "", "", reason)
        rows.append(IndexRow(full_name(entry.name), full_name(entry.metric or ""), cells))
    hidden = len(view.pairs) + len(view.missing) - len(rows)
    codes = ((name, short_sha(side.sha) or side.label) for name, side in sides)
    origin = " · ".join(f"{name} <code>{escaped(plain(code))}</code>" for name, code in codes if code)
    instead = next(iter(hrefs.values())) if len(rows) == len(hrefs) == 1 else ""
    style = read_asset("page/page.css")
    title = escaped(plain(view.title()))
    whose = whose_text(view.subject.shown, with_path=False) if view.subject is not None else ""
    page = filled_asset(
        "page/index.html",
        head=filled_asset(
            "page/head.html",
            policy=escaped(f"default-src 'none'; style-src {hash_source(style)}; {NO_WAY_OUT}"),
            instead=f'<meta http-equiv="refresh" content="0; url={escaped(instead)}">\n' if instead else "",
            title=title,
            style=style,
        ),
        title=f"{title} · {escaped(whose)}" if whose else title,
        badge=_sign(CONCLUSIONS[view.report.verdict.conclusion].badge, named=True),
        step=escaped(plain(" ".join(filter(None, (view.step(), view.certainty(), view.missed))))),
        origin=f'<p class="origin">{origin}</p>\n' if origin else "",
        content=_table(rows) if rows else "<p>Nothing was compared.</p>\n",
        more=f'<p class="quiet">{counted(hidden, "more row")} in report.json.</p>\n' if hidden else "",
    )
    return page.encode("utf-8", "replace").decode("utf-8")  # a name may contain a lone surrogate


def _sign(word: str, *, named: bool = False) -> str:
    meaning = f'role="img" aria-label="{word}"' if named else 'aria-hidden="true"'
    return f'<span class="sign {word.replace(" ", "-")}" {meaning}>{_SIGNS.get(word, "?")}</span> '


def _small(text: str) -> str:
    return f"<small>{escaped(text)}</small>" if text else ""


def _table(rows: Sequence[IndexRow]) -> str:
    lines = []
    for row in rows:
        cells, name = row.cells, escaped(row.workload)
        name = f'<a href="{escaped(row.href)}">{name}</a>' if row.href else name
        tone = f' class="{escaped(cells.tone)}"' if cells.tone else ""
        lines.append(
            f'<tr><th scope="row">{name}{_small(row.metric)}</th>'
            f'<td class="words">{_sign(cells.verdict)}{escaped(cells.verdict)}{_small(cells.finding)}</td>'
            f"<td{tone}>{escaped(cells.change)}{_small(cells.amounts)}</td></tr>\n"
        )
    head = '<th scope="col">Workload</th><th scope="col" class="words">Verdict</th><th scope="col">Total</th>'
    opening = '<div class="scroll" tabindex="0" role="region" aria-label="Workloads"><table class="two-lines">'
    return f"{opening}<thead><tr>{head}</tr></thead><tbody>\n{''.join(lines)}</tbody></table></div>\n"
