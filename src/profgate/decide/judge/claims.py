"""Decide claims from what each machine measured: proven, not proven or contradicted."""

import math
from collections.abc import Iterable, Sequence

from profgate.model.claim import Claim, ClaimResult, ClaimState, level_of, refused
from profgate.model.levels import DEVIATIONS, PLACEMENT
from profgate.model.policy import Policy
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import Report

STATES: dict[str, ClaimState] = {"proven": "proven", "contradicted": "contradicted"}


def with_claims(report: Report, policy: Policy) -> Report:
    """Set the level, the state and the remark of each claim, unless it was refused when it was read."""
    settled = []
    for claim in report.claims:
        if claim.location and claim.change:
            level = level_of(claim.attempt, len(report.claims)) if claim.attempt else None
            ps = dict[str, float]()  # the largest p value of each machine
            for result in claim.results:
                ps[result.machine] = max(ps.get(result.machine, 0.0), 1.0 if result.p is None else result.p)
            p = combined_p(list(ps.values()))
            case = _case(claim, report, policy)
            if case == "proven" and (level is None or p > level):
                case = "attempts" if level is None else "level"
            remark = _remark(claim, {"case": case, "level": level, "p": p, "machines": len(ps)})
            claim = replace(claim, level=level, state=STATES.get(case, "not proven"), remark=remark)  # noqa: PLW2901
        elif claim.remark is None:
            claim = refused(claim.location)  # noqa: PLW2901
        settled.append(claim)
    return replace(report, claims=tuple(settled))


def joined_claims(reports: Iterable[Report], stated: Sequence[Claim] | None = None) -> tuple[Claim, ...]:
    """Return the claims of several reports with the results of all of them, or the ``stated`` claims, if given."""
    found = {claim.key: claim for claim in stated or ()}
    for report in reports:
        for claim in report.claims:
            if stated is None:
                found.setdefault(claim.key, replace(claim, results=()))
            if known := found.get(claim.key):
                found[claim.key] = replace(known, results=(*known.results, *claim.results))
    return tuple(found.values())


def combined_p(ps: Sequence[float]) -> float:
    """Return the probability of a product of independent p values that is at most the observed one (Fisher 1932)."""
    product = math.prod(ps)
    if not 0.0 < product < 1.0:  # no test has the p value 0
        return 1.0
    return product * sum((-math.log(product)) ** size / math.factorial(size) for size in range(len(ps)))


def _case(claim: Claim, report: Report, policy: Policy) -> str:
    """Return the case of `ReasonCode.CLAIM`; "proven" if only the p value is missing."""
    results, measurement = claim.results, report.measurement
    if measurement is None:
        return "unmeasured"
    obstacle = next((each.obstacle for each in results if each.obstacle), "" if results else "absent")
    machines, workloads = {each.machine for each in results}, {each.workload for each in results}
    needed = policy.machines if measurement.machines else 1
    complete = needed <= len(machines) and len(results) <= len(machines) * len(workloads)
    if obstacle or not complete:
        return obstacle or "machines"
    if {each.machine for each in results if _falls_short(claim, each)} == machines:
        return "contradicted"
    if any(metric.did_other_work and workload.name in workloads for workload, metric in report.metrics):
        return "other_work"
    placement = PLACEMENT if measurement.placement is None else measurement.placement
    deviations = DEVIATIONS[min(len(measurement.machines), 2)]
    if not all(_exceeds(each, deviations, 0.0 if each.counted else placement) for each in results):
        return "placement"
    return "proven" if all(_in_total(claim, each) for each in results) else "moved"


def _falls_short(claim: Claim, result: ClaimResult) -> bool:
    """Return whether no change in the interval is as large as the claim, with the common factor if that helps."""
    end = result.low if claim.change < 0 else result.high
    factor = (min if claim.change < 0 else max)(1.0, result.factor or 1.0)
    return ((1.0 + (end or 0.0)) * factor - 1.0) / claim.change < 1.0


def _exceeds(result: ClaimResult, deviations: float, placement: float) -> bool:
    """Return whether the change is larger than what another placement of the same code shows."""
    low, high = result.low or 0.0, result.high or 0.0
    return abs(low + high) / 2.0 >= deviations * math.hypot((high - low) / 4.0, placement)


def _in_total(claim: Claim, result: ClaimResult) -> bool:
    """Return whether the total may have changed by half of what was gained; otherwise, the cost moved elsewhere."""
    end = result.total_low if claim.change < 0 else result.total_high
    gain = (result.share or 0.0) * ((result.low or 0.0) + (result.high or 0.0)) / 2.0
    return (end or 0.0) / claim.change >= gain / 2.0 / claim.change


def _remark(claim: Claim, known: dict[str, Parameter]) -> Reason:
    ends = [end for each in claim.results for end in (each.low, each.high) if end is not None]
    interval = {"low": min(ends, default=None), "high": max(ends, default=None)}
    stated: dict[str, Parameter] = {"function": claim.location, "change": claim.change, "attempt": claim.attempt}
    return Reason(ReasonCode.CLAIM, {**stated, **interval, **known})
