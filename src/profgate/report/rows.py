"""Sort and group the findings for all text reports, and write the headline."""

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from profgate.model.change import Location
from profgate.model.kinds import BY_WORD, MAYBE, RANKS, WORSE, Kind
from profgate.model.levels import TOTAL_FLOOR
from profgate.model.reason import Reason, ReasonCode, joined
from profgate.model.report import Evidence, Finding, MetricReport, NotCompared, Report, direction_of
from profgate.model.units import base_unit
from profgate.report import numbers
from profgate.report.statements import common_factor
from profgate.report.wording import full_sentence, reason_text

COLOURS = ("red", "yellow", "neutral", "green")
TAGS: dict[Kind, tuple[str, str]] = {
    Kind.TOTAL_DEGRADATION: ("🔴", "total worse"),
    Kind.SEVERE_DEGRADATION: ("🔴", "severe"),
    Kind.DEGRADATION: ("🟠", "degraded"),
    Kind.MAYBE_DEGRADATION: ("🟡", "maybe"),
    Kind.NOT_IN_BASELINE: ("🆕", "new"),
    Kind.UNKNOWN: ("❔", "undecided"),
    Kind.NO_CHANGE: ("✅", "unchanged"),
    Kind.NOT_IN_TARGET: ("🗑", "gone"),
    Kind.MAYBE_OPTIMIZATION: ("🟢", "maybe better"),
    Kind.OPTIMIZATION: ("⚡", "better"),
    Kind.SEVERE_OPTIMIZATION: ("⚡", "much better"),
    Kind.TOTAL_OPTIMIZATION: ("⚡", "total better"),
}
UNDECIDED = frozenset({ReasonCode.TOO_FEW_SAMPLES, ReasonCode.TOO_FEW_RUNS, ReasonCode.CANNOT_SEE})
QUIET = frozenset({ReasonCode.WITHIN_NOISE, ReasonCode.NO_SELF_COST})
DOUBTS = {
    ReasonCode.OFFSET: "offset elsewhere",
    ReasonCode.NOT_REACHABLE: "not reachable from the change",
    ReasonCode.NOT_REPEATED: "not repeated",
}
HARDLY_ANY = 99.0  # relative change above which a multiple is meaningless, because the baseline is very small
MULTIPLE = 0.5  # relative change above which a multiple is easier to read than a percentage
NAMELESS = ("<", "(")  # first characters of placeholders for unnamed functions
Quote = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Row:
    """A finding with its workload and metric.

    ``related`` is the number of other findings of the same cause in this metric. ``elsewhere`` is the number of other
    workloads that have findings of this cause.
    """

    workload: str
    metric: MetricReport
    finding: Finding
    related: int = 0
    elsewhere: int = 0

    @property
    def total(self) -> bool:
        """Whether the finding is about the whole workload."""
        return self.finding.is_total

    @property
    def tag(self) -> tuple[str, str]:
        """Symbol and name of the kind of the finding."""
        return tag_of(self.finding)


def tag_of(finding: Finding) -> tuple[str, str]:
    """Return the symbol and the name that all reports use for the kind of a finding."""
    if finding.acknowledgement:
        return "✅", "accepted"
    kind = _kind(finding)
    if finding.colour == "neutral" and kind in MAYBE:
        return "·", "note"
    return TAGS[Kind.MAYBE_DEGRADATION] if finding.colour == "yellow" and kind in WORSE else TAGS[kind]


class Groups(NamedTuple):
    """All findings, divided into groups that are sorted from worst to best.

    ``worse`` and ``better`` contain one row for each cause, and ``related`` contains the other findings of these
    causes. ``noise`` contains notes that are within noise or have no self cost on either side, and ``other`` contains
    all other notes.
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
    found = (Row(workload.name, metric, finding) for workload, metric, finding in report.findings)
    shown = (row for row in found if row.finding.kind != "NoChange" or row.finding.evidence != Evidence())
    for row in sorted(shown, key=_importance):
        cause, group = row.finding.cause, _group(row)
        if group in {"worse", "better"} and cause is not None:
            if row.finding.explained_by is not None or cause in causes:
                group = "related"
            else:
                causes.add(cause)
        groups[group].append(row)
    related: dict[int | None, list[Row]] = {}
    for row in groups["related"]:
        related.setdefault(row.finding.cause, []).append(row)
    for name in ("worse", "better"):
        groups[name] = [_with_related(row, related.get(row.finding.cause, [])) for row in groups[name]]
    return Groups(**{name: tuple(found) for name, found in groups.items()})


def _group(row: Row) -> str:
    finding = row.finding
    if finding.direction == "worse" and finding.colour in {"red", "yellow"}:
        return "worse"
    if finding.direction == "better" and finding.colour == "green":
        # if other functions became slower, the share of an unchanged function decreases
        sign = 1 if row.metric.better == "lower" else -1
        return "better" if finding.relative is None or finding.relative * sign < 0 else "noise"
    costless = finding.from_value == 0 and finding.to_value == 0
    return "noise" if costless or {reason.code for reason in finding.reasons[:1]} & QUIET else "other"


def _with_related(row: Row, related: Sequence[Row]) -> Row:
    here = sum(other.workload == row.workload and other.metric is row.metric for other in related)
    return replace(row, related=here, elsewhere=len({other.workload for other in related} - {row.workload}))


def pairs(report: Report) -> tuple[Pair, ...]:
    """Return all compared metrics.

    Metrics with findings come before metrics without findings. Both groups are sorted by relative change and name.
    """
    found = [Pair(workload.name, metric) for workload, metric in report.metrics if metric.state == "compared"]
    found.sort(key=lambda pair: (-abs(pair.metric.total.relative or 0.0), pair.workload, pair.metric.name))
    return tuple(sorted(found, key=changed, reverse=True))


def changed(pair: Pair) -> bool:
    """Return whether a metric has findings other than notes."""
    return any(finding.colour != "neutral" and finding.kind != "NoChange" for finding in pair.metric.findings)


def not_compared(report: Report) -> tuple[NotCompared, ...]:
    """Return workloads and metrics that could not be compared, sorted by side (both, baseline, target) and name."""
    stated = {(entry.name, entry.metric) for entry in report.not_compared}
    unstated = [
        NotCompared(workload.name, metric.name, "both", joined(metric.not_tested or (Reason(ReasonCode.UNSTATED),)))
        for workload, metric in report.metrics
        if metric.state != "compared" and not {(workload.name, metric.name), (workload.name, None)} & stated
    ]
    order = ("both", "baseline", "target")
    entries = [*report.not_compared, *unstated]
    entries.sort(key=lambda entry: (order.index(entry.side), entry.name, entry.metric or ""))
    return tuple(entries)


def doubt(report: Report, quote: Quote) -> str:
    """Return a sentence that explains why nothing was compared."""
    missing, known = not_compared(report), len(pairs(report))
    if len(missing) == 1:
        return f"{quote(missing[0].name)}: {reason_text(missing[0].reason, quote)}"
    if missing and known:
        return f"{len(missing)} of {len(missing) + known} could not be compared"
    if report.verdict.reasons:
        return reason_text(report.verdict.reasons[0], quote)
    return reason_text(missing[0].reason, quote) if missing else "there was nothing to compare"


def headline(report: Report, quote: Quote) -> str:
    """Return the most important result as one sentence, or an empty string.

    Findings of functions take precedence over totals. ``quote`` escapes names for the output format.
    """
    groups, conclusion = grouped(report), report.verdict.conclusion
    colour = {"fail": "red", "warn": "yellow", "inconclusive": "yellow"}.get(conclusion)
    suspects = [row for row in groups.worse if row.finding.colour == colour]
    first = _function(suspects) or next(iter(suspects), None)
    if conclusion == "inconclusive":
        text = full_sentence(report.verdict.reasons[0], quote)
        return text if first is None else f"{text}; possible: {change_text(first, quote)}"
    if first is not None:
        return _regression(first, groups, report, quote)
    return _improvement(groups, quote) if conclusion in {"pass", "warn"} else ""


def _regression(first: Row, groups: Groups, report: Report, quote: Quote) -> str:
    text = change_text(first, quote)
    parameters = {reason.code: reason.parameters for reason in first.finding.reasons}
    if first.finding.acknowledgement:
        text = f"Accepted: {text}"
    elif severity := parameters.get(ReasonCode.SEVERITY):
        text = f"{text} (does not fail: {severity.get('setting')} is {severity.get('value')})"
    elif report.verdict.conclusion == "warn":
        doubts = (doubt for code, doubt in DOUBTS.items() if code in parameters)
        text = f"Possible regression: {text} ({next(doubts, 'not confirmed')})"
    gain = next((row for row in groups.better if row.total and row.metric is first.metric), None)
    if gain is not None:
        return f"{change_text(gain, quote)}, but {text[0].lower() + text[1:]}"
    return f"{text}{_total_of(first, report, quote)}"


def _improvement(groups: Groups, quote: Quote) -> str:
    total = next((row for row in groups.better if row.total), None)
    if total is None:
        return change_text(groups.better[0], quote) if groups.better else ""
    text = change_text(total, quote)
    if gain := _function(groups.better, total.metric):
        text += f", above all {change_text(gain, quote)}"
    if cost := _function(groups.worse, total.metric):
        text += f"; {change_text(cost, quote)}"
    return text


def _function(rows: Iterable[Row], metric: MetricReport | None = None) -> Row | None:
    """Return the first row of a function, optionally of a given metric."""
    return next((row for row in rows if not row.total and (metric is None or row.metric is metric)), None)


def _total_of(row: Row, report: Report, quote: Quote) -> str:
    """Return the change of the total, which is appended to the sentence about a function."""
    relative = row.metric.total.relative
    if row.total or relative is None:
        return ""
    of = f" of {quote(row.workload)}" if len(report.workloads) > 1 else ""
    if total_within_noise(row.metric) and abs(relative) < TOTAL_FLOOR:
        return f"; total{of} unchanged"
    doubt = "" if any(finding.is_total for finding in row.metric.findings) else f", {unseen_total(row.metric)}"
    return f"; total{of} {numbers.signed_percent(relative)}{doubt}"


def finding_key(location: Location) -> str:
    """Return sixteen hexadecimal digits that identify a function, its file and its call path in a URL."""
    parts = (location.name, location.file or "", *(location.context or ()))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def name_of(finding: Finding, *, with_file: bool = False) -> str:
    """Return the name of the function of a finding.

    The file is appended if ``with_file`` is set or if the name is a placeholder such as ``<genexpr>``.
    """
    name, file = finding.location.name, finding.location.file
    return f"{name} ({file.rpartition('/')[2]})" if file and (with_file or name[:1] in NAMELESS) else name


def total_within_noise(metric: MetricReport) -> bool:
    """Return whether the total was tested and has no finding."""
    tested = metric.calibration.total_tested and metric.calibration.inconclusive != "too_few_runs"
    return bool(tested) and not any(finding.is_total for finding in metric.findings)


def unseen_total(metric: MetricReport) -> str:
    """Return a text that explains whether a total without a finding is within noise or was not tested."""
    return "within noise" if total_within_noise(metric) else "not tested"


def change_text(row: Row, quote: Quote) -> str:
    """Return a finding as a sentence: ``parse is 2.1x slower (14 → 29 samples)``."""
    finding, unit = row.finding, row.metric.unit
    before, after = finding.from_value, finding.to_value
    if row.total:
        return f"{quote(row.workload)} is {_size_text(row)}"
    name, new = quote(name_of(finding)), finding.evidence.new
    if not before and after:
        return f"{name} is new ({numbers.quantity(after, unit)})"
    if before and not after:
        return f"{name} is gone (it had {numbers.quantity(before, unit)})"
    text = f"{name} is {_size_text(row)}"
    return f"{text}: new {quote(new)}" if new and finding.direction == "worse" else text


def _size_text(row: Row) -> str:
    """Return the change of a finding: ``7.4x slower (14 → 103 samples)``."""
    finding, relative = row.finding, row.finding.relative
    if relative is None:
        return "different"
    if base_unit(row.metric.unit)[0] in {"nanoseconds", "samples"}:
        more, less = "slower", "faster"
    else:
        more, less = ("higher", "lower") if row.metric.better == "higher" else ("larger", "smaller")
    values = numbers.from_to(finding.from_value, finding.to_value, row.metric.unit)
    text = f"{more if relative > 0 else less} ({values})"
    if relative >= HARDLY_ANY:
        return text
    if relative >= MULTIPLE:
        return f"{numbers.ratio(finding.from_value, finding.to_value)} {text}"
    return f"{numbers.percent(abs(relative))} {text}"


def why(row: Row, quote: Quote) -> tuple[str, ...]:
    """Return the first reason for a finding's colour, and texts on related findings, common factor and growth."""
    finding = row.finding
    parts = [reason_text(reason, quote) for reason in finding.reasons[:1]]
    if finding.explained_by is not None:
        parts.append(f"part of the change of {quote(finding.explained_by.name)}")
    if row.related:
        parts.append(numbers.counted(row.related, "related function"))
    if row.elsewhere:
        parts.append(f"also in {numbers.counted(row.elsewhere, 'more workload')}")
    factor, relative = common_factor(row.metric), finding.statistics.ratio
    if factor and relative is not None and not row.total:
        parts.append(f"{numbers.ratio(1.0, 1.0 + relative)} after the common factor of {factor:.2f}")
    return tuple(filter(None, (*parts, growth(row))))


def growth(row: Row) -> str:
    """Return how the cost grows with the input size: ``linear → power (n^1.0 → n^2.0), 27 → 176 ms at size 6,619``.

    The text is empty if no strategy for models reports a change in the same direction.
    """
    models = (
        change
        for change in row.metric.changes
        if isinstance(change.from_value, str)
        and change.location == row.finding.location
        and direction_of(BY_WORD[change.kind]) == row.finding.direction != "none"
    )
    order = sorted(models, key=lambda change: ("growth_to" not in change.evidence, BY_WORD[change.kind] in MAYBE))
    first = next(iter(order), None)
    if first is None:
        return ""
    text = f"{first.from_value} → {first.to_value}"
    names = ("value_from", "value_to", "largest_common_size", "growth_from", "growth_to")
    known = (first.evidence.get(name) for name in names)
    before, after, size, *exponents = (None if isinstance(value, str) else value for value in known)
    if before is None or after is None or size is None:
        return f"{text}, {numbers.signed_percent(first.relative)} over the common sizes"
    powers = " → ".join(numbers.UNKNOWN if power is None else f"n^{power:.2f}" for power in exponents)
    return f"{text} ({powers}), {numbers.from_to(before, after, row.metric.unit)} at size {size:,.0f}"


def further_reasons(report: Report, quote: Quote) -> tuple[str, ...]:
    """Return the reasons of the verdict that neither the headline nor a row shows."""
    shown = {ReasonCode.FINDING, ReasonCode.MORE, ReasonCode.NO_CHANGE}
    reasons = [reason for reason in report.verdict.reasons if reason.code not in shown]
    if report.verdict.conclusion == "inconclusive":
        reasons = reasons[1:]
    several = len(report.workloads) > 1
    return tuple(
        f"{quote(str(reason.parameters.get('workload')))}: {reason_text(reason, quote)}"
        if several and reason.code in UNDECIDED
        else full_sentence(reason, quote)
        for reason in reasons
    )


def _importance(row: Row) -> tuple[tuple[int, int, float, float], str, str, str, str]:
    place = row.finding.location
    return weight_of(row.finding), row.workload, row.metric.name, place.name, place.file or ""


def weight_of(finding: Finding) -> tuple[int, int, float, float]:
    """Return the sort key of a finding: improvements last, otherwise by colour, kind and size of the change."""
    weight = finding.statistics.weight
    return (
        COLOURS.index(finding.colour) if finding.direction != "better" else len(COLOURS),
        RANKS[_kind(finding)] * (-1 if finding.direction == "better" else 1),
        -abs((finding.share_to or 0.0) - (finding.share_from or 0.0) if weight is None else weight),
        -abs(finding.relative or 0.0),
    )


def _kind(finding: Finding) -> Kind:
    return BY_WORD.get(finding.kind, Kind.UNKNOWN)
