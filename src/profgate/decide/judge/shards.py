"""Judge reports again: merged from several shards, or after both commits were measured in turns."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from profgate.decide.judge.verdict import judge
from profgate.errors import ProfgateError
from profgate.model.acceptance import Acceptance
from profgate.model.arrays import FloatArray
from profgate.model.blind_spots import BlindSpots, of_all_shards
from profgate.model.calibration import Maxima, TestFamily
from profgate.model.change import Change, GateResult
from profgate.model.levels import FEWEST_JOBS, NEARLY_ALL, RED
from profgate.model.links import Links
from profgate.model.measurement import Measurement, Suspect
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side, without_repeats
from profgate.model.report import Finding, MetricReport, Report, WorkloadReport


def suspects_in(report: Report) -> list[Suspect]:
    """Return the regressions that the report lists. Functions of nearly the whole run are covered by the total."""
    return [
        Suspect(
            workload.name,
            metric.name,
            None if finding.is_total else finding.location,
            listed=True,
            change=finding.relative,
        )
        for workload, metric, finding in report.findings
        if finding.colour != "neutral" and finding.direction == "worse"
        if max(finding.share_from or 0.0, finding.share_to or 0.0) < NEARLY_ALL
    ]


def is_open(report: Report) -> bool:
    """Return whether a measurement can decide more than the report does: it fails, warns or is inconclusive."""
    return report.verdict.conclusion in {"fail", "warn", "inconclusive"}


def needs_more_suspects(report: Report) -> bool:
    """Return whether the list of suspects may be incomplete: the report is inconclusive or has few base jobs."""
    jobs = [metric.calibration.base_jobs or 0 for _, metric in report.metrics if metric.state == "compared"]
    return report.verdict.conclusion == "inconclusive" or min(jobs, default=0) < FEWEST_JOBS


def with_measurement(first: Report, measured: Report, measurement: Measurement, policy: Policy) -> Report:
    """Return the first report with the metrics that were measured in turns replaced by their new results."""
    new = {(workload.name, metric.name): metric for workload, metric in measured.metrics}

    def replaced(workload: WorkloadReport, metric: MetricReport) -> MetricReport:
        repeated = new.get((workload.name, metric.name))
        return metric if repeated is None or repeated.state != "compared" else repeated

    draft = first.with_metrics(replaced)
    warnings = (*first.warnings, *(warning for warning in measured.warnings if warning not in first.warnings))
    return judge(replace(draft, measurement=measurement, warnings=warnings), policy)


def without_measurement(first: Report, why: str, side: str, policy: Policy) -> Report:
    """Return the first report after a measurement failed on one side, or elsewhere if ``side`` is empty."""
    warning = Reason(ReasonCode.NOT_MEASURED_AGAIN, {"text": why, "side": side})
    return judge(replace(first, warnings=(*first.warnings, warning)), policy)


@dataclass(frozen=True, slots=True)
class Shard:
    """The report and the links of one shard. Each shard has a unique name. ``digest`` is that of the report."""

    name: str
    report: Report
    links: Links = field(default_factory=Links)
    digest: str = ""


def merge_reports(
    shards: Sequence[Shard],
    policy: Policy,
    lost: Sequence[NotCompared] = (),
    warnings: Sequence[Reason] = (),
    acceptances: Sequence[Acceptance] | None = None,
) -> tuple[Report, Links]:
    """Merge the reports of all shards into one judged report and their links into one object.

    ``lost`` lists the shards without a report. ``warnings`` are added to the warnings of the reports. ``acceptances``,
    if given, replace the acceptances of the reports. If several shards have a workload with the same name, the name of
    the shard is appended to the workload's name. The significance levels apply to all shards together, as if one job
    had compared everything.

    Raises:
        ProfgateError: if the reports describe different commits.
    """
    if not shards:
        raise ProfgateError("shards", "there is no report to merge; give at least one")
    target = _target(shards)
    times: Counter[str] = Counter()
    for shard in shards:
        names = [load.name for load in shard.report.workloads]
        names += [entry.name for entry in _absences(shard)]
        times.update(set(names))
    shared = {name for name, count in times.items() if count > 1}
    baseline, doubts = _baseline(shards)
    tests, standing = _tests(shards), _standing(shards)
    workloads: list[WorkloadReport] = []
    absent: list[NotCompared] = []
    changes: list[Change] = []
    stored: list[Acceptance] = []
    pages: dict[tuple[str, str], str] = {}
    for shard in shards:
        levels = _levels(shard, standing)
        for load in shard.report.workloads:
            metrics = tuple(_with_p(metric, levels) for metric in load.metrics)
            workloads.append(replace(load, name=_name(shard, load.name, shared), metrics=metrics))
        absent += [replace(entry, name=_name(shard, entry.name, shared)) for entry in _absences(shard)]
        changes += shard.report.changes
        stored += shard.report.acceptances
        for (workload, metric), url in shard.links.pages.items():
            pages[_name(shard, workload, shared), metric] = url
    absent.sort(key=lambda entry: (entry.name, entry.side, entry.metric or ""))
    draft = replace(
        shards[0].report,
        baseline=baseline,
        target=target,
        workloads=tuple(workloads),
        not_compared=(*lost, *absent),
        changes=tuple(changes),
        warnings=without_repeats((*doubts, *_warnings(shards), *warnings)),
        acceptances=without_repeats(stored if acceptances is None else acceptances),
        tests=tests,
        blind_spots=_blind_spots(shards),
    )
    return judge(draft, policy), Links(pages=pages)


def _blind_spots(shards: Sequence[Shard]) -> BlindSpots | None:
    """Return the functions that no shard measured. They are unknown if they are unknown for a shard with results."""
    found = [shard.report.blind_spots for shard in shards if shard.report.workloads]
    known = [spots for spots in found if spots is not None]
    return of_all_shards(known) if known and len(known) == len(found) else None


def _tests(shards: Sequence[Shard]) -> tuple[TestFamily, ...]:
    """Merge test families with the same name. Raises `ProfgateError` if their numbers of splits differ."""
    by_name: dict[str, list[TestFamily]] = {}
    for shard in shards:
        for family in shard.report.tests:
            same = by_name.setdefault(family.name, [])
            same.append(family)
            splits = {len(side) for other in same[-2:] for maxima in (other.first, other.last) for side in maxima}
            if len(splits) != 1 or 0 in splits:
                problem = f"the tests {family.name} have another number of splits than those of the other reports"
                raise ProfgateError(f"shard {shard.name}", f"{problem}; merge reports of one version of profgate")
    merged = []
    for name, same in by_name.items():
        first, last = zip(*((family.first, family.last) for family in same), strict=True)
        merged.append(TestFamily(name, _largest(first), _largest(last)))
    return tuple(merged)


def _largest(maxima: Sequence[Maxima]) -> Maxima:
    worse, better = (tuple(map(max, zip(*side, strict=True))) for side in zip(*maxima, strict=True))
    return worse, better


Standing = dict[tuple[str, str], FloatArray]  # the key is (name of the shard, name of the family)


Levels = tuple[FloatArray, FloatArray]


def _with_p(metric: MetricReport, levels: Mapping[str, Levels]) -> MetricReport:
    """Return a metric with p-values corrected for the tests of all shards, unless it was compared with base jobs."""
    of_family = levels.get(str(metric.calibration.family))
    if of_family is None:
        return metric

    def corrected(finding: Finding) -> Finding:
        changes = (
            replace(change, result=replace(result, p=_p(result, of_family))) if (result := _ranked(change)) else change
            for change in finding.changes
        )
        return replace(finding, changes=tuple(changes))

    findings, unjudged = (tuple(map(corrected, some)) for some in (metric.findings, metric.unjudged))
    return replace(metric, findings=findings, unjudged=unjudged)


def _standing(shards: Sequence[Shard]) -> Standing:
    """Return the maxima of the test statistics, by shard and family.

    The significant changes of a shard are excluded from its maxima if they are also significant among the tests of all
    shards.
    """
    families = [(shard, family) for shard in shards for family in shard.report.tests]
    standing: Standing = {(shard.name, family.name): np.array(family.first) for shard, family in families}
    waiting = families
    while waiting:
        settled = [
            (shard, family)
            for shard, family in waiting
            if max(_p_of_found(shard, family.name, standing), default=0.0) <= RED
        ]
        if not settled:
            break
        standing |= {(shard.name, family.name): np.array(family.last) for shard, family in settled}
        waiting = [pair for pair in waiting if pair not in settled]
    return standing


def _p_of_found(shard: Shard, family: str, standing: Standing) -> list[float]:
    tested = [metric for _, metric in shard.report.metrics if metric.calibration.family == family]
    results = (_ranked(change) for metric in tested for change in metric.changes)
    significant = [result for result in results if result is not None and (result.p or 0.0) <= RED]
    if not significant:
        return []
    levels = _levels(shard, standing)[family]
    return [_p(result, levels) for result in significant]


def _ranked(change: Change) -> GateResult | None:
    """Return the result of a permutation test, whose p value depends on the other tests."""
    result = change.result
    return result if result is not None and (result.p or 0.0) > 0.0 and result.t is not None else None


def _levels(shard: Shard, standing: Standing) -> dict[str, Levels]:
    """For each family of a shard, return the sorted maxima over all shards, without those of the recorded split.

    The first array is used for changes that are not significant in the shard, and the second array for significant
    changes. Each array has one row for increases and one row for decreases.
    """
    levels = {}
    for family in shard.report.tests:
        others = [maxima for (name, every), maxima in standing.items() if every == family.name and name != shard.name]
        first, last = (
            np.sort(np.max([np.array(own), *others], axis=0)[:, 1:], axis=1) for own in (family.first, family.last)
        )
        levels[family.name] = first, last
    return levels


def _p(result: GateResult, levels: Levels) -> float:
    """Return the p-value of a result among the tests of all shards. It is never less than that in its own shard."""
    p, t = result.p or 0.0, result.t or 0.0
    largest = levels[int(p <= RED)][int(t < 0)]
    # relative tolerance, because maxima are stored with six digits
    below = int(np.searchsorted(largest, abs(t) * (1.0 - 1e-5)))
    return max(p, (1 + len(largest) - below) / (1 + len(largest)))  # the recorded split is also counted


def _name(shard: Shard, workload: str, shared: set[str]) -> str:
    return f"{workload} [{shard.name}]" if workload in shared else workload


def _absences(shard: Shard) -> tuple[NotCompared, ...]:
    """Return the workloads that a shard could not compare. An empty shard counts as one such workload."""
    if shard.report.workloads or shard.report.not_compared:
        return shard.report.not_compared
    return (NotCompared(shard.name, None, "both", Reason(ReasonCode.NOTHING_COMPARED)),)


def _target(shards: Sequence[Shard]) -> Side:
    """Return the common target of all shards. Raises `ProfgateError` if their commits differ."""
    first = shards[0]
    for shard in shards[1:]:
        if shard.report.target.sha != first.report.target.sha:
            own, other = (side.report.target.sha or "an unknown commit" for side in (shard, first))
            what = f"is a report of {own}, {first.name} of {other}; merge reports of one build"
            raise ProfgateError(f"shard {shard.name}", what)
    return first.report.target


def _baseline(shards: Sequence[Shard]) -> tuple[Side, list[Reason]]:
    """Return the common baseline or, if the baselines differ, the most distant baseline and a warning."""
    sides = {shard.name: shard.report.baseline for shard in shards}
    farthest = max(sides.values(), key=lambda side: (side.sha is not None, side.distance or 0))
    if len({(side.sha, side.distance) for side in sides.values()}) == 1:
        return farthest, []
    names = [f"{name} {(side.sha or 'none')[:12]} (distance {side.distance or 0})" for name, side in sides.items()]
    return farthest, [Reason(ReasonCode.BASELINES_DIFFER, {"baselines": ", ".join(names)})]


def _warnings(shards: Sequence[Shard]) -> list[Reason]:
    """Return the warnings. A warning is prefixed with the shard's name unless all shards have this warning."""
    of_all = set(map(repr, shards[0].report.warnings))
    for shard in shards[1:]:
        of_all &= set(map(repr, shard.report.warnings))
    warnings = [warning for warning in shards[0].report.warnings if repr(warning) in of_all]
    for shard in shards:
        own = [warning for warning in shard.report.warnings if repr(warning) not in of_all]
        warnings += [Reason(ReasonCode.SHARD, {"shard": shard.name}, (warning,)) for warning in own]
    return warnings
