"""Sentences, without a full stop, about findings, metrics and reports."""

from collections.abc import Iterable, Mapping

from profgate.model.change import Change
from profgate.model.kinds import BY_WORD, MAYBE
from profgate.model.reason import ReasonCode
from profgate.model.report import Finding, MetricReport, Report, direction_of
from profgate.report import numbers
from profgate.report.wording import Quote, second_measurement

COMMON = 0.05  # smallest deviation of the common factor from 1 that is reported
SOURCES = {"changed": "changed", "added": "added", "removed": "removed", "renamed": "moved or renamed"}
REACHES = {
    "called by a changed function": "called by changed code",
    "dependency changed": "dependency changed",
    "not reachable": "not reachable from the change",
}
NO_PATH = {"changed here": "changed here", "unknown": "unknown whether the change reaches it"}


def source_text(finding: Finding) -> str:
    """Return how the pull request changed the finding's function; empty if it is unchanged or the change is unknown."""
    change = SOURCES.get(finding.evidence.source or "")
    return f"{change} here" if change else ""


def reach_text(finding: Finding, *, with_path: bool = True) -> str:
    """Return how the pull request affects a function that it does not modify; empty if inapplicable or unknown."""
    text, path = REACHES.get(finding.evidence.reach or "", ""), finding.evidence.reach_path
    return f"{text}: {path}" if text and path and with_path else text


def evidence_texts(finding: Finding) -> tuple[str, ...]:
    """Return sentences about the second measurement, the reach, and the change on the base branch."""
    return tuple(filter(None, (repetition(finding), reach_text(finding), base_branch_text(finding))))


def base_branch_text(finding: Finding) -> str:
    """Return a sentence if the function also changed on the base branch; empty if it did not or if this is unknown."""
    change = finding.evidence.base_branch
    size = "" if change in {None, "changed"} else f" ({100 * float(change or 0):+.1f} %)"
    return f"base branch: changed there too{size}" if change else ""


def repetition(finding: Finding) -> str:
    """Return the result of the second measurement, unless the reasons of the finding contain it."""
    evidence = finding.evidence
    repeated = {ReasonCode.CONFIRMED, ReasonCode.NOT_REPEATED} & {reason.code for reason in finding.reasons}
    if repeated or evidence.confirmed in {None, "not seen"}:
        return "" if repeated or not evidence.confirmed else "not in the second measurement"
    return f"{'' if evidence.confirmed == 'yes' else 'not '}confirmed by {second_measurement(evidence.second())}"


def repetitions(findings: Iterable[Finding]) -> str:
    """Return a sentence with the number of confirmed findings; empty if there was no second measurement."""
    known = [finding.evidence.confirmed for finding in findings if finding.evidence.confirmed]
    if not known:
        return ""
    unseen = f", {known.count('not seen')} without a value in it" if "not seen" in known else ""
    return f"Measured again, interleaved: {known.count('yes')} of {len(known)} possible regressions confirmed{unseen}."


def calibration(report: Report, metric: MetricReport) -> str:
    """Return a sentence on how a metric was judged, or "" if the report does not contain it."""
    facts = metric.calibration
    if facts.mode == "jobs":
        basis = f"compared with {numbers.counted(facts.base_jobs or 0, 'base job')}"
    elif facts.mode == "runs" and facts.inconclusive != "too_few_runs":
        order = "interleaved runs" if facts.interleaved else "runs"
        basis = f"{facts.splits or 0:,} ways to regroup the {order}"
    else:
        return ""
    basis = "exact counts" if facts.exact else basis
    if factor := common_factor(metric):
        basis += f"; a common factor of {factor:.2f} is divided out"
    return "; ".join(filter(None, (basis, false_alarms(report))))


def common_factor(metric: MetricReport) -> float | None:
    """Return the factor by which all functions of a metric changed, or None if it is unknown or close to 1."""
    factor = metric.calibration.common_factor
    return factor if factor is not None and abs(factor - 1.0) >= COMMON else None


def false_alarms(report: Report) -> str:
    """Return the false alarm rate on unchanged code with its interval, or "" if it was never measured.

    If the rate exceeds the budget, the sentence ends with advice.
    """
    policy = report.policy
    if not policy.unchanged_comparisons:
        return ""
    text = (
        f"false alarms in {policy.unchanged_reds} of {numbers.counted(policy.unchanged_comparisons, 'comparison')} of "
        f"unchanged code (95 % interval {numbers.percent(policy.false_alarms_low)} to "
        f"{numbers.percent(policy.false_alarms_high)})"
    )
    if policy.over_budget and not policy.auto_demote:
        text += ", more than the budget allows: set auto-demote: true, or fail-on: never until it is quieter"
    return text


def visible_changes(metric: MetricReport) -> str:
    """Return the smallest visible changes, such as ``4 % in the total, 22 % in a 10 % function``, or "" if unknown."""
    total, tenth = metric.calibration.visible_total, metric.calibration.visible_tenth
    found = [f"{numbers.smallest_change(total)} in the total"] if total is not None else []
    found += [f"{numbers.smallest_change(tenth)} in a 10 % function"] if tenth is not None else []
    return ", ".join(found)


def detectable(metric: MetricReport) -> str:
    """Return the result of `visible_changes` with a label, or "" if the changes are unknown."""
    seen = visible_changes(metric)
    return f"smallest visible change: {seen}" if seen else ""


def run_counts(metric: MetricReport) -> str:
    """Return the numbers of runs of a metric: ``5 + 5 runs``."""
    noise = metric.runs.get("noise", 0)
    others = f", {numbers.counted(noise, 'run')} of other base jobs" if noise else ""
    return f"{metric.runs.get('baseline', 0)} + {metric.runs.get('target', 0)} runs{others}"


def only_counted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the numbers of unlisted rows as text: without a result, too small, or beyond a list's limit."""
    texts = {
        "unknown": ("row", "without a result"),
        "small": ("new or gone location", "too small to list"),
        "cut": ("change", "beyond the longest list"),
    }
    return tuple(
        f"{numbers.counted(counts[name], noun)} {rest}" for name, (noun, rest) in texts.items() if counts.get(name)
    )


def renames(metrics: Iterable[MetricReport], quote: Quote) -> list[str]:
    """Return a sentence for each renamed function and each renamed file, without duplicates."""
    pairs = [(item.others[0], item.location) for metric in metrics for item in metric.relations if item.others]
    names = [(old.name, new.name) for old, new in pairs if old.name != new.name or old.file == new.file]
    files = [(old.file, new.file) for old, new in pairs if old.name == new.name and old.file != new.file]
    return [
        *(f"renamed, compared as one: {quote(old)} is now {quote(new)}" for old, new in dict.fromkeys(names)),
        *(f"renamed file: {quote(old)} → {quote(new)}" for old, new in dict.fromkeys(files) if old and new),
    ]


def call_counts(change: Change) -> str:
    """Return the number of calls on both sides: ``106 → 203,238``."""
    before, after = (None if isinstance(value, str) else value for value in (change.from_value, change.to_value))
    return numbers.from_to(before, after, "count")


def growth(finding: Finding, metric: MetricReport) -> str:
    """Return how the cost grows with the input size: ``linear → power (n^1.0 → n^2.0), 27 → 176 ms at size 6,619``.

    The result is empty if no model-based strategy reports a change in the same direction.
    """
    models = (
        change
        for change in metric.changes
        if isinstance(change.from_value, str)
        and change.location == finding.location
        and direction_of(BY_WORD[change.kind]) == finding.direction != "none"
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
    return f"{text} ({powers}), {numbers.from_to(before, after, metric.unit)} at size {size:,.0f}"
