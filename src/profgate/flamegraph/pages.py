"""Build the pages of a report: one differential flame graph for each workload and metric, worst first."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from profgate.flamegraph.page import build_page
from profgate.flamegraph.page_columns import BlueprintRules
from profgate.flamegraph.page_input import PageContext, page_input
from profgate.model.attribution import SourceDiff, SourceStates
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy
from profgate.model.report import Document, MetricReport, Report

LONGEST_STEM = 180  # in bytes; file systems limit names to 255 bytes, and a digest and a suffix are appended
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
) -> tuple[PageDocument, ...]:
    """Return the pages of at most ``limit`` drawable comparisons.

    ``states`` contains the states of the functions' sources for each comparison, or None.
    """
    metrics = {(load.name, metric.name): metric for load, metric in report.metrics}
    labels = (report.baseline.sha or report.baseline.label, report.target.sha or report.target.label)
    found = [
        (comparison, metrics[comparison.workload, comparison.metric.name], name, known)
        for comparison, name, known in zip(comparisons, _file_names(comparisons), states, strict=True)
        if comparison.drawable
    ]
    pages = []
    for comparison, metric, name, known in sorted(found, key=lambda page: _importance(page[1]))[:limit]:
        context = PageContext(labels, metric.findings, known, rules=_blueprint_rules(policy))
        text = build_page(*page_input(comparison, replace(context, diff=diff, embed=policy.embed_source)))
        pages.append(PageDocument(comparison.workload, comparison.metric.name, Document(name, "text/html", text)))
    return tuple(pages)


def _importance(metric: MetricReport) -> tuple[int, float]:
    """Return the sort key of a page: worst colour first, then the largest change relative to the total."""
    worst = min((COLOURS.index(finding.colour) for finding in metric.findings), default=len(COLOURS))
    moved = max((abs(finding.delta or 0.0) for finding in metric.findings), default=0.0)
    return worst, -(moved / metric.total.baseline if metric.total.baseline else 0.0)


def _blueprint_rules(policy: Policy) -> BlueprintRules:
    """Return the thresholds of the call_context strategy, so that the blueprint has the same colours as the report."""
    options = next((rule.options for rule in policy.rules if rule.method in {"call_context", "ctx"}), {})
    return BlueprintRules(**{name: options[name] for name in ("min_shift", "sigma") if name in options})


def _file_names(comparisons: Sequence[Comparison]) -> list[str]:
    """Return a unique file name for each page. Duplicate and long names contain a digest of the workload and metric."""
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
    """Return the names of workload and metric without characters that need quoting in file names or URLs."""
    name = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in comparison.workload)
    metric = "".join(letter if letter.isalnum() else "-" for letter in comparison.metric.name)
    return f"{name}.{metric}"
