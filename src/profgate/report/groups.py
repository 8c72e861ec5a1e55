"""The findings and totals that outputs show, in which order and with which conclusion."""

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from profgate.model.change import Location
from profgate.model.reason import NotCompared, ReasonCode, combined_reason
from profgate.model.record import Record, replace
from profgate.model.report import Conclusion, MetricReport, Report
from profgate.report import numbers
from profgate.report.rows import Calls, Pair, Row, whose_text

QUIET = frozenset({ReasonCode.WITHIN_NOISE, ReasonCode.NO_SELF_COST, ReasonCode.SHARE_SHIFTED})
WITHIN_NOISE = "within noise"
POSSIBLE = "possible"
LARGE = 1.1  # smallest ratio between totals that needs an explanation if it is within noise


class ShownConclusion(Record):
    """How reports show a conclusion: a sign, a word for a whole run, and a word for one workload."""

    sign: str
    word: str
    badge: str


CONCLUSIONS: dict[Conclusion, ShownConclusion] = {
    "pass": ShownConclusion("✅", "passed", "unchanged"),
    "warn": ShownConclusion("🟡", "review", "review"),
    "fail": ShownConclusion("❌", "failed", "fails"),
    "not_compared": ShownConclusion("⚪", "not compared", "not compared"),
    "inconclusive": ShownConclusion("⚪", "inconclusive", "inconclusive"),
}


BETTER = ShownConclusion("⚡", "passed", "better")


class Groups(NamedTuple):
    """All findings, divided into groups that are sorted from worst to best.

    ``worse`` and ``better`` contain one row for each cause, ``related`` the other findings of these causes, ``noise``
    the notes within noise or without self cost, and ``other`` all other notes.
    """

    worse: tuple[Row, ...]
    better: tuple[Row, ...]
    other: tuple[Row, ...]
    related: tuple[Row, ...]
    noise: tuple[Row, ...]


def grouped(report: Report) -> Groups:
    """Return the findings of all workloads, grouped and sorted."""
    groups: dict[str, list[Row]] = {name: [] for name in Groups._fields}
    causes: set[int] = set()
    counts = [(load.name, metric) for load, metric in report.metrics if metric.counts_calls]
    changes = ((name, change) for name, metric in counts for change in metric.changes)
    calls = {(name, change.location): (change.from_value, change.to_value) for name, change in changes}
    every = [Row(load.name, metric, finding) for load, metric, finding in report.findings]
    every = [row if row.metric.counts_calls else replace(row, calls=_calls(row, calls)) for row in every]
    shown = (row for row in every if row.finding.kind != "NoChange" or whose_text(row.finding))
    for row in sorted(shown, key=lambda row: (row.finding.importance, row.workload, row.metric.name)):
        cause, group = row.finding.cause, _group(row)
        if group in {"worse", "better"} and cause is not None:
            if row.finding.explained_by is not None or cause in causes:
                group = "related"
            else:
                causes.add(cause)
        groups[group].append(row)
    places = {(row.finding.cause, row.workload) for row in groups["related"]}
    spread = Counter(cause for cause, _ in places)
    for name in ("worse", "better"):
        caused = [(row, row.finding.cause) for row in groups[name]]
        groups[name] = [replace(row, elsewhere=spread[at] - ((at, row.workload) in places)) for row, at in caused]
    return Groups(**{name: tuple(group) for name, group in groups.items()})


def _calls(row: Row, counted: Mapping[tuple[str, Location], Calls]) -> Calls | None:
    costs = row.finding.costs
    calls = None if costs.calls_to is None else (costs.calls_from, costs.calls_to)
    return counted.get((row.workload, row.finding.location), calls)


def _group(row: Row) -> str:
    finding = row.finding
    if finding.direction == "worse" and finding.colour in {"red", "yellow"}:
        return "worse"
    if finding.direction == "better" and finding.colour == "green":
        return "better"
    costless = finding.from_value == 0 and finding.to_value == 0
    return "noise" if costless or {reason.code for reason in finding.reasons[:1]} & QUIET else "other"


def ordered(groups: Groups) -> list[Row]:
    """Return the causes and the improvements, each followed by the findings that belong to it."""
    in_order, left = [], list(groups.related)
    for cause in (*groups.worse, *groups.better):
        same = [row for row in left if (row.finding.cause, id(row.metric)) == (cause.finding.cause, id(cause.metric))]
        in_order += [cause, *same]
        left = [row for row in left if row not in same]
    return [*in_order, *left]


def pairs(report: Report) -> tuple[Pair, ...]:
    """Return all compared metrics.

    They are sorted by their most important finding. Those without findings come last, the largest change first.
    """
    compared = [Pair(workload.name, metric) for workload, metric in report.metrics if metric.state == "compared"]
    compared.sort(key=lambda pair: (-abs(pair.metric.total.relative or 0.0), pair.workload, pair.metric.name))
    return tuple(sorted(compared, key=lambda pair: pair.metric.importance if changed(pair) else (4,)))


def changed(pair: Pair) -> bool:
    """Return whether a metric has findings other than notes."""
    return any(finding.colour != "neutral" and finding.kind != "NoChange" for finding in pair.metric.findings)


def conclusion_of(metric: MetricReport) -> Conclusion:
    """Return the conclusion that a report with only this metric would have."""
    colours = {finding.colour for finding in metric.findings}
    if metric.state != "compared":
        return "not_compared"
    if "red" in colours:
        return "fail"
    if metric.calibration.inconclusive is not None:
        return "inconclusive"
    return "warn" if "yellow" in colours else "pass"


def shown_conclusion(metric: MetricReport) -> ShownConclusion:
    """Return how reports show the result of a metric."""
    conclusion = conclusion_of(metric)
    better = conclusion == "pass" and any(finding.colour == "green" for finding in metric.findings)
    return BETTER if better else CONCLUSIONS[conclusion]


def not_compared(report: Report) -> tuple[NotCompared, ...]:
    """Return workloads and metrics that could not be compared, sorted by side (both, baseline, target) and name."""
    stated = {(entry.name, entry.metric) for entry in report.not_compared}
    unstated = [
        NotCompared(workload.name, metric.name, "both", combined_reason(metric.not_tested))
        for workload, metric in report.metrics
        if metric.state != "compared" and not {(workload.name, metric.name), (workload.name, None)} & stated
    ]
    order = ("both", "baseline", "target")
    entries = [*report.not_compared, *unstated]
    entries.sort(key=lambda entry: (order.index(entry.side), entry.name, entry.metric or ""))
    return tuple(entries)


def total_words(metric: MetricReport) -> tuple[str, str]:
    """Return the costs of a metric's total, and its change with why it is in doubt: ``+18.6 %, possible``."""
    total = metric.total
    words = filter(None, (numbers.relative_growth(total.relative), f"{unseen_total(metric)}{spread_of_runs(metric)}"))
    return numbers.from_to(total.baseline, total.target, metric.unit), ", ".join(words)


def total_growth(metric: MetricReport, reason: str = "") -> str:
    """Return the change of a metric's total beside a finding: ``+18.6 % (within noise)``.

    "Possible" is left out, because a reader would relate it to the finding.
    """
    doubt = unseen_total(metric)
    shown = f" ({doubt}{reason})" if doubt not in {"", POSSIBLE} else ""
    return f"{numbers.relative_growth(metric.total.relative)}{shown}"


def spread_of_runs(metric: MetricReport) -> str:
    """Return how much runs of one side differ if this explains a large change of the total that is in doubt."""
    spread, ratio = metric.calibration.run_spread or 1.0, 1.0 + (metric.total.relative or 0.0)
    explains = ratio > 0 and spread >= max(ratio, 1 / ratio) >= LARGE
    shown = explains and unseen_total(metric) in {WITHIN_NOISE, "inconclusive"}
    return f": runs of the same code differ by up to {spread:.1f}x" if shown else ""


def unseen_total(metric: MetricReport) -> str:
    """Return why a total has no certain finding, or an empty string if it has one."""
    if colours := {finding.colour for finding in metric.findings if finding.is_total}:
        return POSSIBLE if "yellow" in colours else ""
    if metric.drift is not None:  # its limit decides, not the noise
        return ""
    if metric.calibration.inconclusive:
        return "inconclusive"
    return WITHIN_NOISE if metric.calibration.total_tested else "not tested"
