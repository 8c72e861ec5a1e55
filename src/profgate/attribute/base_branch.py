"""Three accounts of one result: what is this pull request's, what the base branch did too, and what only that did."""

from dataclasses import dataclass, replace

from profgate.model.change import Location
from profgate.model.report import Finding, Report

EVIDENCE = "base branch"
NAMED = 3  # locations in a sentence
Key = tuple[str, str, Location]


@dataclass(frozen=True, slots=True)
class Account:
    """Locations that changed for the worse or the better: in the target alone, in both, in the base branch alone."""

    own: tuple[Key, ...]
    shared: tuple[Key, ...]
    drift: tuple[Key, ...]


def account(report: Report, base: Report) -> Account:
    """The findings of the target and of a later state of the base branch, both against the same baseline."""
    here, there = _found(report), _found(base)
    same = [key for key, one in here.items() if key in there and there[key].direction == one.direction]
    return Account(
        own=tuple(key for key in here if key not in same),
        shared=tuple(same),
        drift=tuple(key for key in there if key not in same),
    )


def with_base_branch(report: Report, base: Report, name: str) -> Report:
    """The report whose findings say what the base branch did there; ``name`` says which state of it was looked at.

    It is evidence only: no verdict changes.
    """
    told, there = account(report, base), _found(base)
    shared = {key: _size(there[key]) for key in told.shared}
    workloads = []
    for workload in report.workloads:
        metrics = []
        for metric in workload.metrics:
            findings = tuple(
                _with_word(one, shared.get((workload.name, metric.name, one.location))) for one in metric.findings
            )
            metrics.append(replace(metric, findings=findings))
        workloads.append(replace(workload, metrics=tuple(metrics)))
    return replace(report, workloads=tuple(workloads), warnings=(*report.warnings, _sentence(told, name)))


def _found(report: Report) -> dict[Key, Finding]:
    """Findings that count for something, by where they are."""
    return {
        (workload.name, metric.name, one.location): one
        for workload in report.workloads
        for metric in workload.metrics
        for one in metric.findings
        if one.direction != "none" and one.colour != "neutral" and one.carried_by is None
    }


def _with_word(finding: Finding, size: str | None) -> Finding:
    if size is None:
        return finding
    return replace(finding, evidence={**(finding.evidence or {}), EVIDENCE: f"changed there too{size}"})


def _size(finding: Finding) -> str:
    return "" if finding.relative is None else f" ({100 * finding.relative:+.1f} %)"


def _sentence(told: Account, name: str) -> str:
    parts = [
        f"{len(told.own)} of the changes are this pull request's",
        f"{len(told.shared)} are already there",
        f"{len(told.drift)} are only there" + _names(told.drift),
    ]
    return f"seen beside {name}: {', '.join(parts)}"


def _names(keys: tuple[Key, ...]) -> str:
    if not keys:
        return ""
    more = f" and {len(keys) - NAMED} more" if len(keys) > NAMED else ""
    return f" ({', '.join(key[2].name for key in keys[:NAMED])}{more})"
