"""Build the pages of a report: a flame graph for each workload and metric, the worst first, and the index."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from markupsafe import Markup

from profgate.flamegraph.page import NO_WAY_OUT, build_page, hash_source
from profgate.flamegraph.page_columns import BlueprintRules
from profgate.flamegraph.page_input import PageContext, page_input
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Document, MetricReport, Report
from profgate.model.visible_text import full_name, plain
from profgate.report import numbers
from profgate.report.rows import Row, change_text, headline, weight_of
from profgate.report.templates import read_asset, render_template

LONGEST_STEM = 180  # in bytes; file systems limit names to 255 bytes, and a digest and a suffix are appended
# exceptions that are raised by a bug, or by too little memory, while a page is built
BUGS = (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError)
MOST_ROWS = 1000  # maximum number of rows in the index
COLOURS = ("red", "yellow", "neutral", "green")


@dataclass(frozen=True, slots=True)
class PageDocument:
    """The page of one workload and metric."""

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
) -> tuple[tuple[PageDocument, ...], tuple[Reason, ...]]:
    """Return the pages of at most ``limit`` drawable comparisons, and a reason for each page that cannot be built.

    ``states`` contains, for each comparison, the states of the sources of the functions, or None.
    """
    metrics = {(load.name, metric.name): metric for load, metric in report.metrics}
    labels = (report.baseline.sha or report.baseline.label, report.target.sha or report.target.label)
    found = [
        (comparison, metrics[comparison.workload, comparison.metric.name], name, known)
        for comparison, name, known in zip(comparisons, _file_names(comparisons), states, strict=True)
        if comparison.drawable
    ]
    pages, failed = [], []
    for comparison, metric, name, known in sorted(found, key=lambda page: _importance(page[1]))[:limit]:
        context = PageContext(labels, metric.findings, known, rules=_blueprint_rules(policy))
        try:
            text = build_page(*page_input(comparison, replace(context, diff=diff, embed=policy.embed_source)))
        except BUGS as error:
            where = {"workload": comparison.workload, "metric": comparison.metric.name}
            text = f"{type(error).__name__}: {error}".removesuffix(": ")[:200]
            failed.append(Reason(ReasonCode.PAGE_FAILED, {**where, "error": text}))
            continue
        pages.append(PageDocument(comparison.workload, comparison.metric.name, Document(name, "text/html", text)))
    return tuple(pages), tuple(failed)


def _importance(metric: MetricReport) -> tuple[int, float]:
    """Return a sort key that puts the worst colour first, then the largest change relative to the total."""
    worst = min((COLOURS.index(finding.colour) for finding in metric.findings), default=len(COLOURS))
    moved = max((abs(finding.delta or 0.0) for finding in metric.findings), default=0.0)
    return worst, -(moved / metric.total.baseline if metric.total.baseline else 0.0)


def _blueprint_rules(policy: Policy) -> BlueprintRules:
    """Return the thresholds of the call_context strategy, so that the blueprint has the same colours as the report."""
    options = next((rule.options for rule in policy.rules if rule.method in {"call_context", "ctx"}), {})
    return BlueprintRules(**{name: options[name] for name in ("min_shift", "sigma") if name in options})


def _file_names(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a unique file name for each page. A digest of the workload and metric is added to equal and long names."""
    plain = [_plain_name(comparison) for comparison in comparisons]
    times = Counter(name.casefold() for name in plain)
    names = []
    for comparison, name in zip(comparisons, plain, strict=True):
        stem = name.encode()[:LONGEST_STEM].decode(errors="ignore")
        if stem != name or times[name.casefold()] > 1:
            identity = f"{comparison.workload}\0{comparison.metric.name}\0{comparison.metric.unit}"
            stem += f"-{hashlib.sha256(identity.encode(errors='surrogatepass')).hexdigest()[:10]}"
        names.append(f"{stem}.html")
    return names


def _plain_name(comparison: Comparison) -> str:
    """Return the names of the workload and the metric without characters that file names or URLs must quote."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in comparison.workload)
    metric = "".join(letter if letter.isalnum() else "-" for letter in comparison.metric.name)
    return f"{name}.{metric}"


def build_index(report: Report, hrefs: Mapping[tuple[str, str], str]) -> str:
    """Return an HTML page with the verdict and a line for each metric of each workload, the worst metric first.

    ``hrefs`` contains the relative paths of the pages by workload and metric. Metrics without a page have no link.
    Raises `ValueError` for a path outside the folder.
    """
    for href in hrefs.values():
        if ":" in href.split("/", 1)[0] or href.startswith(("/", "\\")) or ".." in href.split("/"):
            raise ValueError(f"page index: {href!r} is no path inside the folder; pass a relative path")
    pairs = sorted(report.metrics, key=lambda pair: _importance(pair[1]))
    rows = [_index_row(load.name, metric, hrefs.get((load.name, metric.name))) for load, metric in pairs[:MOST_ROWS]]
    style = read_asset("page/page.css")
    page = render_template(
        "page/index.html.j2",
        rows=rows,
        more=len(pairs) - len(rows),
        sides=[plain(side.sha or side.label) for side in (report.baseline, report.target)],
        headline=plain(headline(report, str)),
        conclusion=report.verdict.conclusion,
        style=Markup(style),  # noqa: S704 -- trusted file
        policy=f"default-src 'none'; style-src {hash_source(style)}; {NO_WAY_OUT}",
    )
    return page.encode("utf-8", "replace").decode("utf-8")  # a name may contain a lone surrogate


def _index_row(workload: str, metric: MetricReport, href: str | None) -> dict[str, str | None]:
    total = metric.total
    found = sorted((finding for finding in metric.findings if finding.colour != "neutral"), key=weight_of)
    first = next((finding for finding in found if not finding.is_total), None)
    rows = [Row(workload, metric, finding) for finding in (first,) if finding is not None]
    growth = (total.relative or 0.0) * (1 if metric.better == "lower" else -1)
    return {
        "href": href,
        "workload": full_name(workload),
        "metric": full_name(metric.name),
        "baseline": numbers.quantity(total.baseline, metric.unit),
        "target": numbers.quantity(total.target, metric.unit),
        "change": numbers.signed_percent(total.relative),
        "tone": "worse" if growth > 0 else "better" if growth < 0 else "",
        "colour": found[0].colour if found else "none",
        "finding": plain(change_text(rows[0], str)) if rows else "",
    }
