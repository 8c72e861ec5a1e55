"""Compute the gate's findings and verdict from the contents of a report alone."""

import math
from itertools import starmap

from profgate.decide.judge.accepted import common_factor, with_acceptances, with_causes
from profgate.decide.judge.claims import with_claims
from profgate.decide.judge.findings import GATE_TEST, GateContext, judged_findings
from profgate.model.change import BY_WORD, MAYBE, WORSE
from profgate.model.levels import RED, RED_OF_FAMILIES, SUSPECT_SHARE, SUSPECTS, VISIBLE
from profgate.model.policy import Policy, StatedPolicy, matches
from profgate.model.reason import NotCompared, Parameter, Reason, ReasonCode
from profgate.model.record import replace
from profgate.model.report import (
    Colour,
    Conclusion,
    Finding,
    MetricReport,
    Report,
    Verdict,
    WorkloadReport,
)

DEFAULT_POLICY = Policy()
NAMED_REASONS = 5  # maximum number for each colour, after the first reason; a longer list would hide important reasons
RUNS_WANTED = 5  # recommended number of runs per side
NO_BASELINE = frozenset({ReasonCode.NO_BASELINE, ReasonCode.NEVER_RECORDED})
# reasons that apply to all workloads of a run
WHOLE = frozenset({ReasonCode.COMMITTED_PROFILES, ReasonCode.BASELINE_RUNNING, ReasonCode.SHARD_FAILED})

Entry = tuple[WorkloadReport, MetricReport, Finding]


def judge(draft: Report, policy: Policy) -> Report:
    """Return the report with findings and a verdict. Judging the result again does not change it.

    The costs and the attribution of findings in the draft are reused.
    """
    compared = (metric.calibration for _, metric in draft.metrics if metric.state == "compared")
    families = {
        facts.family for facts in compared if facts.family and (facts.splits or 0) * RED >= 1.0
    }  # others cannot reach RED
    red = min(RED, RED_OF_FAMILIES / max(1, len(families)))
    judged = draft.with_metrics(lambda workload, metric: _judged(draft, policy, red, workload, metric))
    stated = StatedPolicy(**{name: getattr(policy, name) for name in StatedPolicy.__struct_fields__})
    judged = with_claims(replace(with_causes(with_acceptances(judged)), policy=stated), policy)
    return replace(judged, verdict=_verdict(judged, policy))


def _judged(draft: Report, policy: Policy, red: float, workload: WorkloadReport, metric: MetricReport) -> MetricReport:
    if metric.state != "compared":
        return replace(metric, findings=(), unjudged=())
    compared = [other for other in workload.metrics if other.state == "compared"]
    decided = any(other.calibration.inconclusive is None for other in compared)
    cpu = next((note for note in workload.comparability if note.code is ReasonCode.CPU_DIFFERS), None)
    context = GateContext(policy, red, tuple(_advisory(draft, metric)), decided, cpu)
    return judged_findings(metric, context)


def _advisory(draft: Report, metric: MetricReport) -> list[Reason]:
    """Return the reasons why no finding of a metric can be red."""
    reasons = []
    if metric.calibration.unlike:
        reasons.append(Reason(ReasonCode.COUNTS_APART, {"facts": metric.calibration.unlike}))
    if metric.calibration.undirected:
        reasons.append(Reason(ReasonCode.NO_DIRECTION, {"metric": metric.name}))
    distance = draft.baseline.distance or 0
    if distance:
        reasons.append(Reason(ReasonCode.SUBSTITUTE_BASELINE, {"distance": distance}))
    return reasons


def policy_stated_in(report: Report, otherwise: Policy = DEFAULT_POLICY) -> Policy:
    """Return the policy that was used to judge a report, and ``otherwise`` for the settings that it does not state."""
    stated = report.policy
    settings = {name: value for name in Policy.__struct_fields__ if (value := getattr(stated, name, None)) is not None}
    return replace(otherwise, **settings)


class _VerdictInputs:
    """The inputs of the verdict, collected from a judged report.

    ``missing`` contains the reasons why something was not compared, and ``doubts`` those that call for a review.
    """

    def __init__(self, report: Report, policy: Policy) -> None:
        self.compared = [pair for pair in report.metrics if pair[1].state == "compared"]
        blocked = [pair for pair in report.metrics if pair[1].state != "compared"]
        accepted = {one.location: one for one in report.acceptances if one.limit is None and one.state == "applies"}
        absent = [entry for entry in report.not_compared if entry.side != "target"]
        gone = [entry for entry in absent if entry.side == "baseline" and entry.name in accepted]
        # reports that are merged come from jobs of the pull request, so the policy decides again what may be carried
        missing = [
            entry
            for entry in absent
            if entry not in gone
            and not (policy.carry and entry.reason.code is ReasonCode.CARRIED)
            and (entry.reason.code is not ReasonCode.NO_RESULTS or matches(entry.name, policy.required))
        ]
        known = {workload.name for workload in report.workloads} | {entry.name for entry in absent} | accepted.keys()
        unmet = [pattern for pattern in policy.required if not any(matches(name, [pattern]) for name in known)]
        missing += [NotCompared(pattern, None, "baseline", Reason(ReasonCode.REQUIRED)) for pattern in unmet]
        new = [entry for entry in report.not_compared if entry.side == "target"]
        why = [each for entry in report.not_compared for each in (entry.reason, *entry.reason.reasons)]
        self.unread = any(reason.code is ReasonCode.ARTIFACT_UNUSABLE for reason in why)
        accepted_work: list[tuple[WorkloadReport, MetricReport]] = []
        self.inconclusive: list[tuple[WorkloadReport, MetricReport]] = []
        for workload, metric in inconclusive(report):
            is_accepted = metric.did_other_work and workload.name in accepted
            (accepted_work if is_accepted else self.inconclusive).append((workload, metric))
        # a pull request can record too little, but not cause noise on both sides
        names = [
            *(entry.name for entry in missing),
            *(workload.name for workload, _ in blocked),
            *(load.name for load, one in self.inconclusive if one.calibration.inconclusive != "cannot_see"),
        ]
        self.lacks_required = bool(unmet) or any(matches(name, policy.required) for name in names)
        self.lacks_required |= bool(policy.required) and any(entry.reason.code in WHOLE for entry in missing)
        entries = [(workload, metric, finding) for workload, metric in self.compared for finding in metric.findings]
        self.findings = sorted(entries, key=lambda entry: entry[2].importance)
        self.unproven = _unproven(self.findings, policy)
        shared: list[Reason] = []
        for workload, metric in self.compared:
            if (factor := common_factor(metric)) is not None:
                reason = Reason(ReasonCode.COMMON_FACTOR, _place(workload, metric, factor=factor))
                required = matches(workload.name, policy.required) and workload.name not in accepted
                (self.unproven if required else shared).append(reason)
        failed = (warning for warning in report.warnings if warning.code is ReasonCode.NOT_MEASURED_AGAIN)
        self.unmeasured = next(failed, None) if policy.confirm == "required" else None
        self.blind_spots = _blind_spots(report) if self.compared and policy.on_blind_spots != "pass" else None
        self.contradicted = any(claim.state == "contradicted" for claim in report.claims)
        self.claims = [claim.remark for claim in report.claims if claim.state != "proven" and claim.remark is not None]
        departures = [change for change in report.changes if BY_WORD[change.kind] in MAYBE]
        self.departed = any(BY_WORD[change.kind] in WORSE for change in departures)
        without = (entry.reason for entry in new if entry.reason.code in NO_BASELINE)
        self.missing = [
            *([] if self.compared else [next(without, Reason(ReasonCode.NOTHING_COMPARED))]),
            *(Reason(ReasonCode.NOT_COMPARED, _place(*pair), pair[1].not_tested) for pair in blocked),
            *(
                Reason(ReasonCode.NOT_COMPARED, {"workload": entry.name, "metric": entry.metric}, (entry.reason,))
                for entry in missing
            ),
        ]
        self.doubts = [
            *starmap(_undecided_reason, accepted_work),
            *(Reason(ReasonCode.REMOVED, {"workload": one.name, "by": accepted[one.name].by}) for one in gone),
            *(Reason(ReasonCode.NEW_WORKLOAD, {"workload": entry.name}, (entry.reason,)) for entry in new),
            *(
                Reason(ReasonCode.TOTAL_NOT_TESTED, _place(workload, metric, relative=metric.total.relative))
                for workload, metric in self.compared
                # a total that could not be tested calls for a review if it changed by much
                if not metric.calibration.total_tested and abs(metric.total.relative or 0.0) >= 0.5
            ),
            *(
                Reason(ReasonCode.FEW_SHARED_NAMES, _place(workload, metric, share=metric.calibration.known_share))
                for workload, metric in self.compared
                if metric.calibration.known_share is not None
            ),
            *shared,
            *(
                Reason(ReasonCode.STRATEGY_FAILED, _place(*pair))
                for pair in self.compared
                if pair[1].counts.get("failed")
            ),
            *(warning for warning in report.warnings if warning.code is ReasonCode.FAILED_RUNS),
        ]
        self.departures = [
            Reason(ReasonCode.DEPARTURE, {"workload": change.location.name}, tuple(filter(None, (change.reason,))))
            for change in departures
        ]

    def of(self, colour: Colour) -> list[Entry]:
        """Return the findings of one colour, most important first."""
        return [entry for entry in self.findings if entry[2].colour == colour]


def inconclusive(report: Report) -> list[tuple[WorkloadReport, MetricReport]]:
    """Return the metrics of all inconclusive workloads.

    A workload is inconclusive if all its tested metrics are inconclusive and none of them has a red finding. Memory
    and call counts are considered only if there is no other metric, because they show nothing about time.
    """
    undecided = []
    for workload in report.workloads:
        every = [metric for metric in workload.metrics if metric.calibration.state == "tested"]
        costs = [metric for metric in every if not metric.counts_calls] or every
        compared = [metric for metric in costs if metric.unit != "bytes"] or costs
        decided = not compared
        for metric in compared:
            colours = {finding.colour for finding in metric.findings}
            decided = decided or metric.calibration.inconclusive is None or "red" in colours
        if not decided:
            undecided += [(workload, metric) for metric in compared]
    return undecided


def _verdict(report: Report, policy: Policy) -> Verdict:
    inputs = _VerdictInputs(report, policy)
    conclusion = _conclusion(inputs, policy)
    failing = {"not_compared": policy.on_not_compared, "inconclusive": policy.on_inconclusive}
    exit_code = {"fail": 1, "not_compared": 3}.get(conclusion, 0)
    doubtful = inputs.lacks_required or bool(inputs.claims)
    if inputs.unmeasured is not None:  # suspects that could not be measured again are undecided, and must not pass
        suspects = (finding for _, _, finding in inputs.of("yellow") if finding.direction == "worse")
        doubtful = doubtful or not all(finding.is_accepted for finding in suspects)
    if failing.get(conclusion) == "fail" or (conclusion in failing and doubtful):
        exit_code = 1
    colours: dict[Conclusion, Colour] = {"fail": "red", "warn": "yellow", "pass": "green"}
    return Verdict(
        conclusion=conclusion,
        colour=colours.get(conclusion, "neutral"),
        reasons=_reasons(inputs, conclusion),
        exit_code=exit_code,
    )


def _conclusion(inputs: _VerdictInputs, policy: Policy) -> Conclusion:
    unread = inputs.unread and policy.on_not_compared != "pass"
    if inputs.of("red") or inputs.unproven or inputs.contradicted or unread:
        return "fail"
    if policy.on_blind_spots == "fail" and inputs.blind_spots and inputs.blind_spots.parameters["case"] != "unknown":
        return "fail"
    if inputs.unmeasured is not None:  # a pull request must not gain by failing where it is measured
        return "fail" if inputs.unmeasured.parameters.get("side") == "target" else "not_compared"
    if inputs.missing:
        return "not_compared"
    if inputs.inconclusive or inputs.claims:
        return "inconclusive"
    return "warn" if inputs.of("yellow") or inputs.doubts or inputs.blind_spots or inputs.departed else "pass"


def _blind_spots(report: Report) -> Reason | None:
    """Return a reason if the changed functions were not all measured, or None if they were or are not known at all."""
    spots = report.blind_spots
    if spots is None:
        return None
    doubtful = len(spots.unknown) + len(spots.unseen)
    case = "missed" if spots.missed else "unknown" if doubtful and spots.complete else "incomplete"
    found = Reason(ReasonCode.BLIND_SPOTS, {"case": case, "functions": len(spots.missed) or doubtful})
    return found if spots.missed or doubtful or not spots.complete else None


def _unproven(findings: list[Entry], policy: Policy) -> list[Reason]:
    """Return the regressions that only an older baseline or a missing confirmation keeps from being red.

    They are undecided, which is no pass where the policy wants everything to be compared. Counts of unlike machines
    are undecided, too: the pull request states the facts about its recording, and can state others.
    """
    unproven = []
    for workload, metric, finding in findings:
        required, why = matches(workload.name, policy.required), {reason.code for reason in finding.reasons}
        undecided = {ReasonCode.SUBSTITUTE_BASELINE} if required or policy.on_not_compared == "fail" else set()
        undecided |= {ReasonCode.WAITS, ReasonCode.COUNTS_APART} if required else set[ReasonCode]()
        if finding.colour == "yellow" and why and why <= undecided and finding.explained_by is None:
            name = "" if finding.is_total else finding.location.name
            unproven.append(Reason(ReasonCode.UNPROVEN, _place(workload, metric, function=name), finding.reasons))
    return unproven[:NAMED_REASONS]


def _of_finding(workload: WorkloadReport, metric: MetricReport, finding: Finding) -> Reason:
    name = "" if finding.is_total else finding.location.name
    facts = {"kind": finding.kind, "direction": finding.direction, "relative": finding.relative}
    return Reason(ReasonCode.FINDING, _place(workload, metric, function=name, **facts))


def _named(inputs: _VerdictInputs, colour: Colour) -> list[Reason]:
    """Return one reason for each distinct cause among the findings of one colour."""
    entries, seen = [], set[int | None]()
    for entry in inputs.of(colour):
        cause = entry[2].cause
        if entry[2].explained_by is None and (cause is None or cause not in seen):
            seen.add(cause)
            entries.append(entry)
    more = len(entries) - NAMED_REASONS - 1
    reasons = list(starmap(_of_finding, entries[: NAMED_REASONS + 1]))
    return [*reasons, *([Reason(ReasonCode.MORE, {"count": more})] if more > 0 else [])]


def _place(workload: WorkloadReport, metric: MetricReport, **parameters: Parameter) -> dict[str, Parameter]:
    return {"workload": workload.name, "metric": metric.name, **parameters}


def _undecided_reason(workload: WorkloadReport, metric: MetricReport) -> Reason:
    facts, runs = metric.calibration, metric.runs
    code, known = ReasonCode(str(facts.inconclusive)), dict[str, Parameter]()
    if code is ReasonCode.TOO_FEW_SAMPLES:
        counts = [(facts.samples_baseline or 0.0, runs["baseline"]), (facts.samples_target or 0.0, runs["target"])]
        samples, of_runs = min(counts)
        # recommended number of samples per side
        known = {"samples": int(samples), "runs": of_runs, "factor": -(-5000 // max(1, int(samples)))}
    elif code is ReasonCode.TOO_FEW_RUNS:
        known = {"baseline": runs["baseline"], "target": runs["target"], "wanted": RUNS_WANTED}
    elif code is ReasonCode.CANNOT_SEE:
        known = {"total": facts.visible_total, "tenth": facts.visible_tenth}
        # the noise of a mean falls with the square root of the number of runs
        times = (min(filter(None, (facts.visible_total, facts.visible_tenth)), default=VISIBLE) / VISIBLE) ** 2
        known["wanted"] = math.ceil(max(RUNS_WANTED, min(runs["baseline"], runs["target"]) * times))
    elif facts.other_runs is not None:
        known = dict(zip(("case", "before", "after"), facts.other_runs, strict=True))
    else:
        function, before, after = facts.fewer_calls or ("", None, None)
        known = {"share": facts.cost_left, "function": function, "before": before, "after": after}
        known |= {"from": metric.total.baseline, "to": metric.total.target, "unit": metric.unit}
    return Reason(code, _place(workload, metric, **known))


def _suspects(workload: WorkloadReport, metric: MetricReport) -> list[Reason]:
    """Return a reason for each of the functions whose cost and share of the run became worse by most."""
    sign = 1 if metric.better == "lower" else -1
    grown = [
        (sign * ((change.share_to or 0.0) - (change.share_from or 0.0)), change)
        for change in metric.changes
        if change.strategy == GATE_TEST and max(change.share_from or 0.0, change.share_to or 0.0) >= SUSPECT_SHARE
    ]
    grown.sort(key=lambda pair: -pair[0])
    return [
        Reason(
            ReasonCode.SUSPECT,
            _place(
                workload,
                metric,
                function=change.location.name,
                **{"from": change.from_value, "to": change.to_value, "unit": metric.unit},
                share_from=change.share_from,
                share_to=change.share_to,
            ),
        )
        for growth, change in grown[:SUSPECTS]
        if growth > 0 and sign * (change.delta or 0.0) > 0
    ]


def _reasons(inputs: _VerdictInputs, conclusion: Conclusion) -> tuple[Reason, ...]:
    undecided = list(starmap(_undecided_reason, inputs.inconclusive))
    absences = [
        *filter(None, (inputs.unmeasured, inputs.blind_spots)),
        *inputs.missing,
        *inputs.doubts,
        *inputs.departures,
    ]
    if conclusion == "fail":
        reasons = [*_named(inputs, "red"), *inputs.unproven, *inputs.claims, *absences, *undecided]
    elif conclusion == "not_compared":
        reasons = [*absences, *inputs.claims, *_named(inputs, "yellow"), *undecided]
    else:
        suspects = [reason for pair in inputs.inconclusive for reason in _suspects(*pair)]
        reasons = [*inputs.claims, *undecided, *suspects, *_named(inputs, "yellow"), *absences]
    quiet = [Reason(ReasonCode.NO_CHANGE, {"comparisons": len(inputs.compared)})]
    return tuple(reasons or _named(inputs, "green") or quiet)
