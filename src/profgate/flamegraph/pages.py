"""Build the pages of a report: a flame graph for each workload and metric, worst first, and the index."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, count
from math import isfinite
from statistics import fmean

from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_input import PageContext, page_input
from profgate.flamegraph.table_page import MOST_ROWS, Cell, Heading, TablePage, check_links, runs_picture
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.comparison import Comparison, RunValues
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Document, MetricReport, Report, WorkloadReport
from profgate.model.sides import NotCompared
from profgate.model.visible_text import full_name, plain
from profgate.report import numbers
from profgate.report.finding_text import parts_of
from profgate.report.markdown_text import RAW, short_sha
from profgate.report.metric_headline import Earlier, metric_headline, view_of_metric, workload_row
from profgate.report.numbers import counted
from profgate.report.rows import CONCLUSIONS, ordered
from profgate.report.view import View
from profgate.report.wording import full_sentence

# exceptions that are raised by a bug, or by too little memory, while a page is built
BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
INDEX = (
    Heading("Workload"),
    Heading("Verdict", words=True),
    Heading("Total"),
    Heading("Runs", words=True),
)
RUNS = (("earlier base job",), ("run before", "runs before"), ("run after", "runs after"))
PageKey = tuple[str, str]  # workload and metric
RunTotals = Mapping[PageKey, tuple[Sequence[float], Sequence[float]]]  # totals of the runs of both sides


@dataclass(frozen=True, slots=True)
class PageDocument:
    """The page for one workload and metric."""

    workload: str
    metric: str
    document: Document


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
            text = build_page(*page_input(comparison, context._replace(run_values=run_values(comparison))))
        except BUGS as error:
            where = {"workload": comparison.workload, "metric": comparison.metric.name}
            text = f"{type(error).__name__}: {error}".removesuffix(": ")[:200]
            failed.append(Reason(ReasonCode.PAGE_FAILED, {**where, "error": text}))
            continue
        pages.append(PageDocument(comparison.workload, comparison.metric.name, Document(name, "text/html", text)))
    return tuple(pages), tuple(failed)


def _context(report: Report, workload: WorkloadReport, metric: MetricReport, policy: Policy) -> PageContext:
    alone = view_of_metric(report, workload, metric)
    rows = ordered(alone.groups)
    return PageContext(
        labels=(report.baseline.sha or report.baseline.label, report.target.sha or report.target.label),
        headline=metric_headline(report, alone),
        findings=[row.finding for row in rows],
        parts={row.finding.location: parts_of(row.finding, metric) for row in rows},
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


def build_index(
    view: View, hrefs: Mapping[PageKey, str], earlier: Earlier | None = None, runs: RunTotals | None = None
) -> str:
    """Return an HTML page with the verdict and a row for each metric of each workload, the worst metric first.

    ``hrefs`` contains the relative paths of the pages. Metrics without a page have no link. ``earlier`` is the result
    of `earlier_totals`, and ``runs`` that of `run_totals`. If there is only one row, browsers open its page instead.
    Raises `ValueError` for a path outside the folder.
    """
    check_links(hrefs.values())
    sides = (("before", view.report.baseline), ("after", view.report.target))
    pairs = sorted(view.report.metrics, key=lambda pair: pair[1].importance)
    compared, others = [pair for pair in pairs if pair[1].state == "compared"], view.missing
    rows = [
        _index_row(load.name, metric, hrefs, earlier or {}, (runs or {}).get((load.name, metric.name), ((), ())))
        for load, metric in compared[:MOST_ROWS]
    ]
    rows += map(_row_without_comparison, others[: MOST_ROWS - len(rows)])
    shown = [heading.title != "Runs" or any(row[at].picture for row in rows) for at, heading in enumerate(INDEX)]
    return TablePage(
        title=view.in_style(RAW).title(),
        badge=CONCLUSIONS[view.report.verdict.conclusion].badge,
        label="Workloads",
        columns=list(compress(INDEX, shown)),
        rows=[list(compress(row, shown)) for row in rows],
        empty="Nothing was compared.",
        omitted=len(compared) + len(others) - len(rows),
        elsewhere=" in report.json",
        instead=next(iter(hrefs.values())) if len(rows) == len(hrefs) == 1 else "",
        origin=[(name, code) for name, side in sides if (code := short_sha(side.sha) or side.label)],
    ).render()


def _index_row(
    workload: str,
    metric: MetricReport,
    hrefs: Mapping[PageKey, str],
    earlier: Earlier,
    runs: tuple[Sequence[float], Sequence[float]],
) -> list[Cell]:
    key, row = (workload, metric.name), workload_row(workload, metric, str)
    sides = [[value for value in values if isfinite(value)] for values in (earlier.get(key, ()), *runs)]
    label = "; ".join(
        f"{counted(len(values), *names)}: {numbers.from_to(min(values), max(values), metric.unit).replace('→', 'to')}"
        for names, values in zip(RUNS, sides, strict=True)
        if values
    )
    picture = runs_picture(sides, row.tone)
    return [
        Cell(full_name(workload), full_name(metric.name), href=hrefs.get(key)),
        Cell(row.verdict, plain(row.finding), badge=True),
        Cell(row.change, row.amounts, row.tone),
        Cell(label if picture else "", picture=picture),
    ]


def _row_without_comparison(entry: NotCompared) -> list[Cell]:
    reason = plain(full_sentence(entry.reason, str))
    name = Cell(full_name(entry.name), full_name(entry.metric or ""))
    return [name, Cell("not compared", reason, badge=True), Cell(""), Cell("")]


def earlier_totals(comparisons: Sequence[Comparison]) -> dict[PageKey, list[float]]:
    """Return the mean totals of the base jobs of other commits by workload and metric, oldest first, in base units."""
    found = {}
    for comparison in comparisons:
        totals, jobs = comparison.noise.run_totals, comparison.runs.noise_jobs or range(comparison.runs.noise)
        runs: dict[int, list[float]] = {}
        for job, total in zip(jobs, totals.tolist(), strict=True):
            runs.setdefault(job, []).append(total * comparison.metric.scale)
        # the newest job comes first
        found[comparison.workload, comparison.metric.name] = [fmean(values) for values in reversed(runs.values())]
    return found


def run_totals(comparisons: Sequence[Comparison]) -> dict[PageKey, tuple[list[float], list[float]]]:
    """Return the totals of the runs of both sides by workload and metric, in base units."""
    found = {}
    for comparison in comparisons:
        totals = [total * comparison.metric.scale for total in comparison.run_totals.tolist()]
        split = comparison.runs.baseline
        found[comparison.workload, comparison.metric.name] = (totals[:split], totals[split:])
    return found
