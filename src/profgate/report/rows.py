"""Sort and group the findings for all text reports, and write the headline."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from profgate.model.change import Location
from profgate.model.kinds import BY_WORD, RANKS, Kind
from profgate.model.levels import TOTAL_FLOOR
from profgate.model.reason import Reason, ReasonCode, combined_reason
from profgate.model.report import Attribution, Conclusion, Finding, MetricReport, Report
from profgate.model.sides import NotCompared
from profgate.report import numbers
from profgate.report.finding_text import Row, change_text, name_of, total_change
from profgate.report.parts import only_share_changed, place_name
from profgate.report.statements import Calls
from profgate.report.wording import UNDECIDED, Quote, full_sentence, reason_text

COLOURS = ("red", "yellow", "neutral", "green")
SUSPECTED = frozenset({ReasonCode.SUSPECT, ReasonCode.DEPARTURE})  # what an inconclusive result names
WITHOUT_PLACE = UNDECIDED | {ReasonCode.SUSPECT}  # sentences that do not name the workload
SHOWN_ELSEWHERE = {ReasonCode.FINDING, ReasonCode.MORE, ReasonCode.NO_CHANGE, ReasonCode.NOT_MEASURED_AGAIN}
QUIET = frozenset({ReasonCode.WITHIN_NOISE, ReasonCode.NO_SELF_COST})
DOUBTS = {
    ReasonCode.OFFSET: "the total did not grow",
    ReasonCode.NOT_REACHABLE: "not reachable from the change",
}
WITHIN_NOISE = "within noise"


class ShownConclusion(NamedTuple):
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


@dataclass(frozen=True, slots=True)
class Pair:
    """One metric of one workload."""

    workload: str
    metric: MetricReport


def grouped(report: Report) -> Groups:
    """Return the findings of all workloads, grouped and sorted."""
    groups: dict[str, list[Row]] = {name: [] for name in Groups._fields}
    causes: set[int] = set()
    counts = [(load.name, metric) for load, metric in report.metrics if metric.counts_calls]
    changes = ((name, change) for name, metric in counts for change in metric.changes)
    calls = {(name, change.location): (change.from_value, change.to_value) for name, change in changes}
    every = [Row(load.name, metric, finding) for load, metric, finding in report.findings]
    every = [row if row.metric.counts_calls else replace(row, calls=_calls(row, calls)) for row in every]
    shown = (row for row in every if row.finding.kind != "NoChange" or row.finding.attribution != Attribution())
    for row in sorted(shown, key=_importance):
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
        return "noise" if only_share_changed(finding) else "better"
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

    Metrics with findings come before metrics without findings. Both groups are sorted by relative change and name.
    """
    compared = [Pair(workload.name, metric) for workload, metric in report.metrics if metric.state == "compared"]
    compared.sort(key=lambda pair: (-abs(pair.metric.total.relative or 0.0), pair.workload, pair.metric.name))
    return tuple(sorted(compared, key=changed, reverse=True))


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
        NotCompared(
            workload.name, metric.name, "both", combined_reason(metric.not_tested or (Reason(ReasonCode.UNSTATED),))
        )
        for workload, metric in report.metrics
        if metric.state != "compared" and not {(workload.name, metric.name), (workload.name, None)} & stated
    ]
    order = ("both", "baseline", "target")
    entries = [*report.not_compared, *unstated]
    entries.sort(key=lambda entry: (order.index(entry.side), entry.name, entry.metric or ""))
    return tuple(entries)


def doubt(report: Report, quote: Quote) -> str:
    """Return a sentence that explains why nothing was compared."""
    missing, compared = not_compared(report), len(pairs(report))
    reason = next(iter(report.verdict.reasons), None)
    if reason is not None and reason.code is ReasonCode.NO_BASELINE and reason.reasons:
        reason = reason.reasons[0]
    elif len(missing) == 1:
        return f"{quote(missing[0].name)}: {reason_text(missing[0].reason, quote)}"
    elif missing and compared:
        return f"{len(missing)} of {len(missing) + compared} could not be compared"
    reason = reason or next((entry.reason for entry in missing), Reason(ReasonCode.NOTHING_COMPARED))
    return reason_text(reason, quote)


def leading(report: Report) -> Row | None:
    """Return the finding that the headline is about: a regression, or an improvement if nothing else matters more.

    Findings of functions take precedence over totals. A better total takes precedence over a regression in the same
    metric that does not fail.
    """
    groups, conclusion = grouped(report), report.verdict.conclusion
    if [reason.code for reason in report.verdict.reasons[:1]] == [ReasonCode.COMMON_FACTOR]:
        return None  # the change of a function may have the same cause
    colour = {"fail": "red", "warn": "yellow", "inconclusive": "yellow"}.get(conclusion)
    suspects = [row for row in groups.worse if row.finding.colour == colour]
    first = _function(suspects) or next(iter(suspects), None)
    if conclusion in {"pass", "warn"}:
        gain = next((row for row in groups.better if row.total), None)
        if first is None or (gain is not None and gain.metric is first.metric):
            return gain or next(iter(groups.better), None)
    return first


def headline(report: Report, quote: Quote, *, total: bool = True) -> str:
    """Return the most important result as one sentence, or an empty string.

    ``quote`` escapes names for the output format. ``total`` appends the change in the total to a regression.
    """
    first = leading(report)
    if report.verdict.conclusion == "inconclusive":
        possible = f"; possible: {change_text(first, quote, brief=True)}" if first is not None else ""
        return full_sentence(report.verdict.reasons[0], quote) + possible
    if first is None:
        return _moved(report, quote)
    text = (_improvement if first.finding.direction == "better" else _regression)(first, report, quote)
    text += _total_of(first, report, quote) if total and first.finding.direction != "better" else ""
    return f"T{text[1:]}" if text.startswith("total of ") else text


def _moved(report: Report, quote: Quote) -> str:
    """Return a sentence on the functions between which most cost moved, or an empty string."""
    moved = [(metric, change) for _, metric in report.metrics for change in metric.changes if change.delta]
    moved = [(metric, change) for metric, change in moved if change.result and change.result.net == "moved"]
    if not moved:
        return ""
    metric = max(moved, key=lambda pair: abs(pair[1].delta or 0.0))[0]
    changes = sorted((change for own, change in moved if own is metric), key=lambda change: change.delta or 0.0)
    ends = changes[:1] + changes[1:][-1:]
    parts = (f"{quote(place_name(end.location))} {numbers.signed(end.delta, metric.unit)}" for end in ends)
    return f"Cost moved: {', '.join(parts)}; no net change"


def _regression(first: Row, report: Report, quote: Quote) -> str:
    text, finding = change_text(first, quote), first.finding
    parameters = {reason.code: reason.parameters for reason in finding.reasons}
    if finding.acknowledgement:
        text = f"Accepted: {text}"
    elif severity := parameters.get(ReasonCode.SEVERITY):
        text = f"{text} (does not fail: {severity.get('setting')} is {severity.get('value')})"
    elif first.everything:
        text = full_sentence(finding.reasons[0], quote)
    elif report.verdict.conclusion == "warn":
        doubt = next((f" ({doubt})" for code, doubt in DOUBTS.items() if code in parameters), "")
        text = f"Possible regression: {change_text(first, quote, brief=True)}{doubt}"
    return text


def _improvement(gain: Row, report: Report, quote: Quote) -> str:
    if not gain.total:
        return change_text(gain, quote)
    groups = grouped(report)
    text = change_text(gain, quote) if len(report.workloads) > 1 else total_change(gain)
    if part := _function(groups.better, gain.metric):
        text += f", mostly in {quote(name_of(part.finding))}"
    if cost := _function(groups.worse, gain.metric):
        text += f"; {quote(name_of(cost.finding))} costs more ({numbers.signed(cost.finding.delta, gain.metric.unit)})"
    return text


def _function(rows: Iterable[Row], metric: MetricReport | None = None) -> Row | None:
    """Return the first row of a function, optionally of a given metric."""
    return next((row for row in rows if not row.total and (metric is None or row.metric is metric)), None)


def _total_of(row: Row, report: Report, quote: Quote) -> str:
    """Return the change in the total, which is appended to the sentence about a function."""
    relative, state = row.metric.total.relative, unseen_total(row.metric)
    if row.total or relative is None:
        return ""
    of = f" of {quote(row.workload)}" if len(report.workloads) > 1 else ""
    if state == WITHIN_NOISE and abs(relative) < TOTAL_FLOOR:
        return f"; total{of} unchanged"
    return f"; total{of} {numbers.relative_growth(relative)}{f' ({state})' if state else ''}"


def finding_key(location: Location) -> str:
    """Return sixteen hexadecimal digits that identify a function, its file and its call path in a URL."""
    parts = (location.name, location.file or "", *(location.context or ()))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def total_words(metric: MetricReport) -> tuple[str, str]:
    """Return the costs of a metric's total, and its change with a word for doubt: ``+18.6 %, possible``."""
    total = metric.total
    words = filter(None, (numbers.relative_growth(total.relative), unseen_total(metric)))
    return numbers.from_to(total.baseline, total.target, metric.unit), ", ".join(words)


def unseen_total(metric: MetricReport) -> str:
    """Return why a total has no certain finding, or an empty string if it has one."""
    if colours := {finding.colour for finding in metric.findings if finding.is_total}:
        return "possible" if "yellow" in colours else ""
    if metric.calibration.inconclusive:
        return "inconclusive"
    return WITHIN_NOISE if metric.calibration.total_tested else "not tested"


def why(row: Row, quote: Quote) -> tuple[str, ...]:
    """Return the first reason for a finding's colour, and the cause if another function is the cause."""
    cause = row.finding.explained_by
    parts = [f"part of the change of {quote(cause.name)}"] if cause is not None else []
    return (*(reason_text(reason, quote) for reason in row.finding.reasons[:1]), *parts)


def further_reasons(report: Report, quote: Quote) -> tuple[str, ...]:
    """Return the reasons for the verdict that neither the headline nor a row shows."""
    inconclusive = report.verdict.conclusion == "inconclusive"
    reasons = report.verdict.reasons[inconclusive:]
    shown = SHOWN_ELSEWHERE | SUSPECTED if inconclusive else SHOWN_ELSEWHERE
    return tuple(_reason_line(report, reason, quote) for reason in reasons if reason.code not in shown)


def suspects(report: Report, quote: Quote) -> list[str]:
    """Return a line for each function, and for each order of durations, that an inconclusive result names.

    Functions with a possible finding are left out, because the headline or a row names them.
    """
    if report.verdict.conclusion != "inconclusive":
        return []
    found = {row.finding.location.name for row in grouped(report).worse}
    named = (reason for reason in report.verdict.reasons if reason.code in SUSPECTED)
    reasons = (reason for reason in named if reason.parameters.get("function") not in found)
    return [line for reason in reasons if (line := _reason_line(report, reason, quote))]


def _reason_line(report: Report, reason: Reason, quote: Quote) -> str:
    if len(report.workloads) > 1 and reason.code in WITHOUT_PLACE:
        return f"{quote(str(reason.parameters.get('workload')))}: {reason_text(reason, quote)}"
    return full_sentence(reason, quote)


def _importance(row: Row) -> tuple[tuple[int, bool, int, float, float], str, str, str, str]:
    location = row.finding.location
    return weight_of(row.finding), row.workload, row.metric.name, location.name, location.file or ""


def weight_of(finding: Finding) -> tuple[int, bool, int, float, float]:
    """Return the sort key of a finding: improvements last, otherwise by colour, cause, kind and size of the change."""
    return (
        COLOURS.index(finding.colour) if finding.direction != "better" else len(COLOURS),
        finding.is_indirect,
        RANKS[BY_WORD.get(finding.kind, Kind.UNKNOWN)] * (-1 if finding.direction == "better" else 1),
        -abs(finding.weight),
        -abs(finding.relative or 0.0),
    )
