"""Findings in, the gate's word out, from nothing but what the report stores."""

from dataclasses import replace
from typing import Any, cast

import numpy as np

from profgate.judge.acceptances import with_acceptances
from profgate.judge.findings import Court, importance, merged
from profgate.judge.stories import with_stories
from profgate.model.kinds import BY_WORD, MAYBE, WORSE
from profgate.model.levels import GATE_Q, LIST_Q, TOTAL_ALPHA, TOTAL_ALPHA_GATE
from profgate.model.policy import Policy
from profgate.model.report import Colour, Conclusion, Finding, MetricReport, Report, Verdict, WorkloadReport
from profgate.model.units import MetricKind
from profgate.statistics.binomial import exceeds, interval
from profgate.statistics.corrections import holm

CALIBRATED_RUNS = 8
MEASURED_RUNS = 2  # base runs from which they show their own scatter
CONCLUSIONS: dict[Colour, Conclusion] = {"red": "fail", "neutral": "not_compared", "yellow": "warn", "green": "pass"}
FAR_APART = 0.5  # relative change of a total that nobody judged, from which it is worth a look
NAMED_REASONS = 5  # of a kind; more would bury the first

Place = tuple[int, int]
Entry = tuple[WorkloadReport, MetricReport, Finding]


def judge(draft: Report, policy: Policy) -> Report:
    """The report with findings and verdict; judging its JSON again gives the same.

    Findings the draft already holds lend their evidence; what is accepted says the draft's list, each time anew.
    """
    compared = {
        (w, m): metric
        for w, workload in enumerate(draft.workloads)
        for m, metric in enumerate(workload.metrics)
        if metric.state == "compared"
    }
    totals = _adjusted_totals(compared)
    workloads = []
    for w, workload in enumerate(draft.workloads):
        metrics = []
        for m, metric in enumerate(workload.metrics):
            if (w, m) in compared:
                court = _court(draft, policy, metric, len(compared), totals.get((w, m)))
                metrics.append(replace(metric, findings=merged(metric, court)))
            else:
                metrics.append(replace(metric, findings=()))
        workloads.append(replace(workload, metrics=tuple(metrics)))
    accepted, acceptances = with_acceptances(workloads, draft.acceptances)
    judged = replace(draft, workloads=with_stories(accepted), acceptances=acceptances, policy=_stated(policy))
    return replace(judged, verdict=_verdict(judged, policy))


def _stated(policy: Policy) -> dict[str, str | int | float | bool | None]:
    return {
        "fail_on": policy.fail_on,
        "fail_on_total": policy.fail_on_total,
        "on_not_compared": policy.on_not_compared,
        "gate_without_history": policy.gate_without_history,
        "max_gate_distance": policy.max_gate_distance,
        "budget": policy.budget,
        "confirm": policy.confirm,
        "auto_demote": policy.auto_demote,
        **_false_alarms(policy),
        "source": policy.source,
    }


def policy_stated_in(report: Report) -> Policy:
    """The part of the policy by which a report was judged; what it does not state is the built-in one."""
    known = {name: report.policy[name] for name in _stated(Policy()) if name in report.policy}
    reds, trials = report.policy.get("unchanged_reds"), report.policy.get("unchanged_comparisons")
    tried = (reds, trials) if isinstance(reds, int) and isinstance(trials, int) else (0, 0)
    said = report.policy.get("demoted")
    demoted = said if isinstance(said, bool) else None
    return replace(Policy(), unchanged=tried, demoted=demoted, **cast("dict[str, Any]", known))


def _false_alarms(policy: Policy) -> dict[str, str | int | float | bool | None]:
    """How often the gate was red on unchanged code, with its 95 % interval; nothing where that was never tried."""
    reds, trials = policy.unchanged
    if not trials:
        return {}
    low, high = interval(reds, trials)
    return {
        "unchanged_reds": reds,
        "unchanged_comparisons": trials,
        "false_alarms_low": low,
        "false_alarms_high": high,
        "over_budget": _over_budget(policy),
        **({} if policy.demoted is None else {"demoted": policy.demoted}),
    }


def _over_budget(policy: Policy) -> bool:
    """Whether the budget hardly explains the false alarms that were seen."""
    reds, trials = policy.unchanged
    return exceeds(reds, trials, policy.budget)


def _adjusted_totals(compared: dict[Place, MetricReport]) -> dict[Place, float]:
    """P of every tested total, corrected for how many were tested."""
    raw = {
        place: float(p)
        for place, metric in compared.items()
        if isinstance(p := metric.calibration.get("total_p"), int | float)
    }
    adjusted = holm(np.array(list(raw.values()), dtype=np.float64))
    return dict(zip(raw, adjusted.tolist(), strict=True))


def _court(draft: Report, policy: Policy, metric: MetricReport, pairs: int, total_p: float | None) -> Court:
    advisory = []
    runs = metric.calibration.get("base_runs")
    known = runs if isinstance(runs, int) else 0
    noisy = metric.kind != MetricKind.COUNTED
    if noisy and known < CALIBRATED_RUNS and not policy.gate_without_history:
        advisory.append(f"calibrating: {known} of {CALIBRATED_RUNS} base runs, advisory until then")
    elif noisy and not policy.gate_without_history and metric.calibration.get("state") == "uncalibrated":
        advisory.append("calibrating: the base runs hold too few samples to show their noise, advisory until then")
    if policy.auto_demote and (_over_budget(policy) if policy.demoted is None else policy.demoted):
        reds, trials = policy.unchanged
        advisory.append(
            f"demoted: the gate was red in {reds} of {trials} comparisons of unchanged code, more than the budget of "
            f"{_percent(policy.budget)} allows"
        )
    distance = draft.baseline.distance or 0
    if distance > policy.max_gate_distance:
        advisory.append(f"the baseline is a substitute, {distance} commits from the fair one")
    weak, disturbed = (metric.calibration.get(name) for name in ("totals_advisory", "disturbed"))
    levels = {
        name: float(level) if isinstance(level := metric.calibration.get(key), int | float) else default
        for name, key, default in (
            ("q", "q", LIST_Q),
            ("gate_q", "gate_q", GATE_Q),
            ("alpha", "total_alpha", TOTAL_ALPHA),
            ("gate", "total_alpha_gate", TOTAL_ALPHA_GATE),
        )
    }
    return Court(
        policy=policy,
        pairs=pairs,
        total_p=total_p,
        q=levels["q"],
        gate_q=levels["gate_q"],
        alpha=levels["alpha"],
        alpha_gate=levels["gate"],
        advisory=tuple(advisory),
        totals_advisory=(str(weak),) if weak else (),
        locations_advisory=(str(disturbed),) if disturbed else (),
        unmeasured=metric.kind == MetricKind.TIMED and known < MEASURED_RUNS,
    )


class _Docket:
    """What the verdict weighs, gathered once from a judged report."""

    def __init__(self, report: Report) -> None:
        metrics = [(workload, metric) for workload in report.workloads for metric in workload.metrics]
        self.compared = [pair for pair in metrics if pair[1].state == "compared"]
        self.blocked = [pair for pair in metrics if pair[1].state != "compared"]
        self.missing = [entry for entry in report.not_compared if entry.side != "target"]
        self.new = [entry for entry in report.not_compared if entry.side == "target"]
        self.failed = [pair for pair in self.compared if pair[1].counts.get("failed")]
        found = [(workload, metric, finding) for workload, metric in self.compared for finding in metric.findings]
        self.unjudged = [pair for pair in self.compared if _total_unjudged(pair[1])]
        self.strangers = [pair for pair in self.compared if "known_share" in pair[1].calibration]
        self.departures = [change for change in report.changes if BY_WORD[change.kind] in MAYBE]
        self.findings = sorted(found, key=lambda entry: importance(entry[2]))

    def of(self, colour: Colour) -> list[Entry]:
        """Findings of one colour, the most important first."""
        return [entry for entry in self.findings if entry[2].colour == colour]


def _total_unjudged(metric: MetricReport) -> bool:
    """A total far apart of which the test of totals could say nothing: not passed in silence."""
    silent = any(reason.startswith("totals:") for reason in metric.cannot_tell)
    return silent and abs(metric.total.relative or 0.0) >= FAR_APART


def _colour(docket: _Docket) -> Colour:
    if docket.of("red"):
        return "red"
    if not docket.compared or docket.missing or docket.blocked:
        return "neutral"
    doubts = docket.of("yellow") or docket.new or docket.failed or docket.unjudged or docket.strangers
    departed = any(BY_WORD[change.kind] in WORSE for change in docket.departures)
    return "yellow" if doubts or departed else "green"


def _verdict(report: Report, policy: Policy) -> Verdict:
    docket = _Docket(report)
    colour = _colour(docket)
    conclusion = CONCLUSIONS[colour]
    exit_code = {"red": 1, "neutral": 3}.get(colour, 0)
    if colour == "neutral" and policy.on_not_compared == "fail":
        exit_code = 1
    waiting = _advisory_reasons(docket)
    return Verdict(
        conclusion=conclusion,
        colour=colour,
        reasons=_reasons(docket, waiting),
        advisory=bool(waiting),
        exit_code=exit_code,
    )


def _advisory_reasons(docket: _Docket) -> list[str]:
    """Why findings that might be red are not, each reason once."""
    found: dict[str, None] = {}
    for _, _, finding in docket.of("yellow"):
        for reason in finding.reasons:
            if reason.startswith(("calibrating:", "demoted:", "the baseline is a substitute")):
                found.setdefault(reason)
    return list(found)


def _percent(fraction: float, *, signed: bool = False) -> str:
    percent = 100.0 * fraction
    return f"{percent:{'+' if signed else ''},.{0 if abs(percent) >= 99.95 else 1}f} %".replace("-", "\N{MINUS SIGN}")


def _said(workload: WorkloadReport, metric: MetricReport, finding: Finding) -> str:
    """One finding as a sentence without its full stop."""
    where = f"in {workload.name}, {metric.name}"
    size = "" if finding.relative is None else f" ({_percent(finding.relative, signed=True)})"
    if finding.location.name == "total" and finding.share_to is None:
        return f"the total got {finding.direction}{size} {where}"
    shares = ""
    if finding.share_from is not None and finding.share_to is not None:
        shares = f", from {_percent(finding.share_from)} to {_percent(finding.share_to)} of the run,"
    words = {"NotInBaseline": "is new", "NotInTarget": "is gone", "Unknown": "changed, nobody can tell which way"}
    by = f", accepted by {finding.acknowledgement.get('by')}" if finding.acknowledgement else ""
    verb = words.get(finding.kind, f"{'may have got' if finding.severity == 'maybe' else 'got'} {finding.direction}")
    return f"{finding.location.name} {verb}{size}{shares} {where}{by}".replace(",,", ",")


def _headline(docket: _Docket, colour: Colour) -> list[str]:
    entries = _one_of_each_story(docket.of(colour))
    if not entries:
        return []
    located = [entry for entry in entries if entry[2].share_to is not None]
    first = (located or entries)[0]
    text = _said(*first)
    total = first[1].total.relative
    if first[2].share_to is not None and total is not None:
        text += f"; the total changed by {_percent(total, signed=True)}"
    better = [entry for entry in docket.of("green") if entry[1] is first[1] and entry[2].share_to is None]
    if better and colour == "yellow":
        text = f"{_said(*better[0])}, but {text}"
    others = [_said(*entry) for entry in entries if entry is not first]
    more = [f"and {len(others) - NAMED_REASONS} more like these"] if len(others) > NAMED_REASONS else []
    return [text, *others[:NAMED_REASONS], *more]


def _one_of_each_story(entries: list[Entry]) -> list[Entry]:
    """Without findings that others carry, and with a story of several workloads once."""
    told: set[int | None] = set()
    kept = []
    for entry in entries:
        story = entry[2].story
        if entry[2].carried_by is None and (story is None or story not in told):
            told.add(story)
            kept.append(entry)
    return kept


def _absences(docket: _Docket) -> list[str]:
    found = [] if docket.compared else ["nothing was compared"]
    found += [
        f"not compared: {workload.name}, {metric.name}: {'; '.join(metric.cannot_tell) or 'no reason given'}"
        for workload, metric in docket.blocked
    ]
    found += [f"not compared: {entry.name}: {entry.reason}" for entry in docket.missing]
    found += [f"only in the target: {entry.name}: {entry.reason}" for entry in docket.new]
    found += [
        f"the total changed by {_percent(metric.total.relative or 0.0, signed=True)} in {workload.name}, "
        f"{metric.name}, which these runs cannot tell from noise: record more runs"
        for workload, metric in docket.unjudged
    ]
    found += [
        f"the sides share only {_percent(float(metric.calibration['known_share'] or 0.0))} of the run in "
        f"{workload.name}, {metric.name}: most functions are new or gone; look whether names hold line numbers or ids"
        for workload, metric in docket.strangers
    ]
    found += [f"a strategy failed in {workload.name}, {metric.name}" for workload, metric in docket.failed]
    found += [f"{change.location.name}: {change.reason}" for change in docket.departures]
    return found


def _quiet(docket: _Docket) -> str:
    pairs = len(docket.compared)
    return f"no change beyond noise in {pairs} comparison{'s' if pairs != 1 else ''}"


def _reasons(docket: _Docket, waiting: list[str]) -> tuple[str, ...]:
    colour = _colour(docket)
    absences = _absences(docket)
    reasons = [*_headline(docket, "red"), *absences] if colour == "red" else absences
    if colour != "red":
        looks = _headline(docket, "yellow")
        reasons = [*absences, *looks] if colour == "neutral" else [*looks, *waiting, *absences]
    if colour == "neutral":
        reasons += waiting
    return tuple(reasons or _headline(docket, "green") or [_quiet(docket)])
