"""Judge reports again: merged from several shards, or after both commits were measured in turns."""

from collections import Counter
from collections.abc import Sequence

from profgate.decide.judge.claims import joined_claims
from profgate.decide.judge.verdict import judge
from profgate.errors import ProfgateError
from profgate.model.acceptance import Acceptance
from profgate.model.blind_spots import BlindSpots, of_all_shards
from profgate.model.claim import Claim
from profgate.model.levels import FEWEST_JOBS, NEARLY_ALL
from profgate.model.links import Links
from profgate.model.measurement import Measurement, Suspect
from profgate.model.policy import Policy
from profgate.model.reason import NotCompared, Reason, ReasonCode, Side, without_repeats
from profgate.model.record import Record, replace
from profgate.model.report import MetricReport, Report, WorkloadReport


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
    return judge(replace(draft, measurement=measurement, warnings=warnings, claims=measured.claims), policy)


def without_measurement(first: Report, why: str, side: str, policy: Policy) -> Report:
    """Return the first report after a measurement failed on one side, or elsewhere if ``side`` is empty."""
    warning = Reason(ReasonCode.NOT_MEASURED_AGAIN, {"text": why, "side": side})
    return judge(replace(first, warnings=(*first.warnings, warning)), policy)


class Shard(Record):
    """The report and the links of one shard. Each shard has a unique name. ``digest`` is that of the report."""

    name: str
    report: Report
    links: Links = Links()
    digest: str = ""


def merge_reports(
    shards: Sequence[Shard],
    policy: Policy,
    lost: Sequence[NotCompared] = (),
    warnings: Sequence[Reason] = (),
    acceptances: Sequence[Acceptance] | None = None,
    claims: Sequence[Claim] | None = None,
) -> tuple[Report, Links]:
    """Merge the reports of all shards into one judged report and their links into one object.

    ``lost`` lists the shards without a report. ``warnings`` are added to the warnings of the reports. ``acceptances``,
    if given, replace the acceptances of the reports, and ``claims`` their claims, which take over the results. If
    several shards have a workload with the same name, the name of the shard is appended to the workload's name. The
    tests of each shard are a family, so the significance level is divided by the number of shards.

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
        names += [family for _, metric in shard.report.metrics if (family := metric.calibration.family)]
        times.update(set(names))
    shared = {name for name, count in times.items() if count > 1}
    baseline, doubts = _baseline(shards)
    workloads: list[WorkloadReport] = []
    absent: list[NotCompared] = []
    stored: list[Acceptance] = []
    pages: dict[tuple[str, str], str] = {}
    for shard in shards:
        for load in shard.report.workloads:
            metrics = tuple(_with_family(metric, shard, shared) for metric in load.metrics)
            workloads.append(replace(load, name=_name(shard, load.name, shared), metrics=metrics))
        absent += [replace(entry, name=_name(shard, entry.name, shared)) for entry in _absences(shard)]
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
        changes=tuple(change for shard in shards for change in shard.report.changes),
        warnings=without_repeats((*doubts, *_warnings(shards), *warnings)),
        acceptances=without_repeats(stored if acceptances is None else acceptances),
        claims=joined_claims((shard.report for shard in shards), claims),
        blind_spots=_blind_spots(shards),
    )
    return judge(draft, policy), Links(pages=pages)


def _blind_spots(shards: Sequence[Shard]) -> BlindSpots | None:
    """Return the functions that no shard measured. They are unknown if they are unknown for a shard with results."""
    found = [shard.report.blind_spots for shard in shards if shard.report.workloads]
    known = [spots for spots in found if spots is not None]
    return of_all_shards(known) if known and len(known) == len(found) else None


def _with_family(metric: MetricReport, shard: Shard, shared: set[str]) -> MetricReport:
    facts = metric.calibration
    family = facts.family and _name(shard, facts.family, shared)
    return replace(metric, calibration=replace(facts, family=family))


def _name(shard: Shard, name: str, shared: set[str]) -> str:
    return f"{name} [{shard.name}]" if name in shared else name


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
    of_all = set.intersection(*(set(map(repr, shard.report.warnings)) for shard in shards))
    warnings = [warning for warning in shards[0].report.warnings if repr(warning) in of_all]
    for shard in shards:
        own = [warning for warning in shard.report.warnings if repr(warning) not in of_all]
        warnings += [Reason(ReasonCode.SHARD, {"shard": shard.name}, (warning,)) for warning in own]
    return warnings
