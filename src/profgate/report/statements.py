"""Sentences, without a full stop, about findings, metrics and reports."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from profgate.model.calibration import Calibration
from profgate.model.change import Location
from profgate.model.levels import FEWEST_JOBS, MACHINE, RED, VISIBLE_SHARE
from profgate.model.measurement import Suspect
from profgate.model.policy import DriftRule
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Finding, MetricReport, Report
from profgate.report import numbers
from profgate.report.markdown_text import limited
from profgate.report.rows import place_name
from profgate.report.wording import OBSTACLES, Quote, filled, full_sentence, number_of

NAMED_STEPS = 5  # maximum number of steps that a drift names
FEW = 2  # maximum number of functions that a sentence names
NAMED = 3  # maximum number of suspects that a sentence names for each outcome
OUTCOMES = {"possible": "still possible", "not repeated": "not repeated", "not measured": "not in the new runs"}
MOST_RUNS = 50  # if more runs are needed, more runs are no practical advice
QUIETER = "use a quieter machine or a count, such as instructions; here, {wanted:count} runs of each side are needed"
ADVICE = {
    ReasonCode.TOO_FEW_SAMPLES: "record about {factor} times longer{metric:heap}",
    ReasonCode.TOO_FEW_RUNS: "record at least {wanted} runs of each side",
    ReasonCode.CANNOT_SEE: "record at least {wanted} runs of each side",
    ReasonCode.OTHER_WORK: "Check that the run of the target did all its work.",
    ReasonCode.EVERYTHING: "To learn whether the machine or this change is the cause, measure both commits in turns "
    "({confirm:name}).",
    ReasonCode.ARTIFACT_EXPIRED: "Run the workflow on the base branch again; it stores a new baseline.",
}


def measurement(report: Report, quote: Quote) -> str:
    """Return a sentence on the measurement of both commits in turns; empty if there was none."""
    measured = report.measurement
    if measured is None:
        return ""
    took = f"{measured.runs} + {measured.runs} runs in {numbers.duration(measured.seconds)}"
    took += f" on each of {len(measured.machines)} machines" if len(measured.machines) > 1 else ""
    if not measured.suspects:
        return f"Both commits were measured in turns, {took}."
    by_outcome: dict[str | None, list[Suspect]] = {}
    for suspect in measured.suspects:
        by_outcome.setdefault(suspect.outcome, []).append(suspect)
    yes = len(by_outcome.get("confirmed", []))
    parts = [f"{yes} of {numbers.counted(len(measured.suspects), 'suspect')} confirmed"]
    for outcome in ("possible", "not repeated", "not measured"):
        if of_outcome := by_outcome.get(outcome):
            named = limited(of_outcome, NAMED, "suspect", "", lambda suspect: _suspect(suspect, quote))
            parts.append(f"{OUTCOMES[outcome]}: {', '.join(named)}")
    return f"Both commits were measured in turns, {took}: {'; '.join(parts)}."


def claims(report: Report, quote: Quote) -> list[str]:
    """Return a sentence on each claim that the headline may not show."""
    shown = report.verdict.reasons[:1]
    return [full_sentence(claim.remark, quote) for claim in report.claims if claim.remark and claim.remark not in shown]


def proof(report: Report, quote: Quote) -> str:
    """Return when the gate was last proven to report a change, or "" if that is unknown."""
    known = report.proof
    if known is None or not known.caught:
        return ""
    work = f"{numbers.signed_percent(known.size)} of the run in {quote(known.function)}"
    return f"Last proof: {work} was caught on {known.caught}"


def _suspect(suspect: Suspect, quote: Quote) -> str:
    name = "the total" if suspect.location is None else quote(suspect.location.name)
    first = "" if suspect.change is None else f"first {numbers.signed_percent(suspect.change)}"
    measured = suspect.low is not None and suspect.high is not None
    now = f"now {numbers.interval(suspect.low or 0.0, suspect.high or 0.0)}" if measured else ""
    both = ", ".join(filter(None, (first, now)))
    return f"{name} ({both})" if both else name


def blind_spots(report: Report, quote: Quote) -> str:
    """Return which changed functions no workload measured, or "" if all are measured or no profile shows functions."""
    spots = report.blind_spots
    if spots is None or all(metric.lacks == "calls" for _, metric in report.metrics):
        return ""
    share, parts = f", or take less than {numbers.percent(spots.share)} of a run" if spots.share else "", []
    if spots.missed:
        parts.append(f"{_listed(spots.missed, quote)} not measured{share}")
    if unknown := (*spots.unknown, *spots.unseen):
        parts.append(f"it is unknown whether {_listed(unknown, quote)} measured")
    return "; ".join(parts)


def _listed(locations: Sequence[Location], quote: Quote) -> str:
    """Return the first names and the number of the others: ``retry, parse_url, and 2 more functions were``."""
    names = ", ".join(limited(locations, FEW, "function", "", lambda one: quote(place_name(one, with_file=True))))
    return f"{names} {'was' if len(locations) == 1 else 'were'}"


def drift(metric: MetricReport, rule: DriftRule, quote: Quote) -> str:
    """Return the drift of a total: ``+7.8 % since v2.3 (limit 5%): #91 +2.1 %, #104 +1.9 %, smaller steps +3.8 %``."""
    relative, named = metric.total.relative or 0.0, metric.steps[:NAMED_STEPS]
    steps = [f"{quote(step.name)} {numbers.signed_percent(step.relative)}" for step in named]
    smaller = numbers.signed_percent(relative - sum(step.relative for step in named))
    since = f"{numbers.signed_percent(relative)} since {quote(rule.since)} (limit {rule.fail_on})"
    return f"{since}: {', '.join([*steps, f'smaller steps {smaller}'])}"


def larger_budget(report: Report) -> str:
    """Return which budget would allow enough runs, or "" if there were enough."""
    measured = report.measurement
    if measured is None or measured.needed is None:
        return ""
    fits = f"Only {measured.runs} + {measured.runs} runs fit into a budget of {numbers.duration(measured.budget)}"
    return f"{fits}; with `--budget {math.ceil(measured.needed / 60)}m` there would be 10 + 10."


def basis(metric: MetricReport) -> tuple[str, str, str]:
    """Return the numbers of runs, how the metric was judged, and the smallest visible changes; "" if unknown.

    If a failing change of a large function is smaller than the visible change, the text adds why it is visible.
    """
    noise, seen = metric.runs.get("noise", 0), _visible_changes(metric.calibration)
    others = f", {numbers.counted(noise, 'run')} of other base jobs" if noise else ""
    runs = f"{metric.runs.get('baseline', 0)} + {metric.runs.get('target', 0)} runs{others}"
    large = (finding for finding in metric.findings if (finding.share_to or 0.0) > VISIBLE_SHARE)
    if any(finding.colour == "red" and finding.growth < (metric.calibration.visible_tenth or 0.0) for finding in large):
        seen.append("less in a larger function")
    return runs, _calibration(metric), f"smallest visible change: {', '.join(seen)}" if seen else ""


def _calibration(metric: MetricReport) -> str:
    facts, factor = metric.calibration, metric.calibration.common_factor
    if facts.mode == "jobs":
        text = f"compared with {numbers.counted(facts.base_jobs or 0, 'base job')}"
    elif facts.mode == "runs" and facts.inconclusive != "too_few_runs":
        order = "interleaved runs" if facts.interleaved else "runs"
        text = f"compared with {facts.splits or 0:,} ways to divide the {order} into two sides"
    else:
        return ""
    text = "exact counts" if facts.exact and not facts.unlike else text
    # smallest deviation of the common factor from 1 that is reported
    if factor is not None and abs(factor - 1.0) >= 0.05:
        machine = "slower" if (factor > 1.0) == (metric.better == "lower") else "faster"
        likely = "" if facts.interleaved or max(factor, 1 / factor) > MACHINE else f", as on a {machine} machine"
        text += f"; everything took {factor:.2f}x as much{likely}; this is corrected before functions are judged"
    return text


def _visible_changes(calibration: Calibration) -> list[str]:
    """Return the smallest visible changes of the total and of a function of 10 % of the run, if known."""
    changes = ((calibration.visible_total, "the total"), (calibration.visible_tenth, "a function of 10 % of the run"))
    return [f"{numbers.smallest_change(change)} in {where}" for change, where in changes if change is not None]


def would_have_seen(calibration: Calibration) -> str:
    """Return the sentence about the smallest visible changes in reports without a change, or "" if unknown."""
    seen = _visible_changes(calibration) if calibration.visible_total else []
    return f"We would have seen a change of {', or '.join(seen)}." if seen else ""


RENAMES = 3  # further renamed functions are only counted


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


def renames(metrics: Iterable[MetricReport], code: Callable[[str, int], str]) -> list[str]:
    """Return a sentence for each renamed function and each renamed file, without duplicates."""
    names, files = dict[str, None](), dict[str, None]()
    for metric in metrics:
        for old, new in metric.renamed:
            if old.name != new.name or old.file == new.file:
                names[f"renamed, compared as one: {code(old.name, 60)} is now {code(new.name, 60)}"] = None
            elif old.file and new.file:
                files[f"renamed file: {code(old.file, 60)} → {code(new.file, 60)}"] = None
    return [*limited([*names], RENAMES, "renamed function", ", compared as one each"), *files]


def undecided(report: Report, quote: Quote) -> str:
    """Return what a comparison with stored baselines cannot decide, and what decides it; empty if it can decide."""
    distance = report.baseline.distance or 0
    if report.measurement is not None:
        return ""
    if distance:
        older = f"The baseline is {numbers.counted(distance, 'commit')} older than the merge base"
        until = "the merge base is recorded and this job runs again, or both commits are measured in turns"
        return f"{older}: nothing fails the check until {until}."
    facts = [metric.calibration for _, metric in report.metrics if metric.state == "compared"]
    jobs = [fact.base_jobs or 0 for fact in facts if fact.different_jobs and fact.mode == "runs"]
    if min(jobs, default=FEWEST_JOBS) < FEWEST_JOBS:
        elsewhere = max(fact.jobs_elsewhere or 0 for fact in facts)
        of_model, on_model = (" of this CPU model", " on this CPU model") if elsewhere else ("", "")
        stored = f"{min(jobs)} of {FEWEST_JOBS} base jobs{of_model} {'is' if min(jobs) == 1 else 'are'} stored"
        if elsewhere:
            stored += f" ({elsewhere} of other models {'does' if elsewhere == 1 else 'do'} not count)"
        listed = f"{stored}: slower functions are listed"
        if report.policy.confirm not in {None, "off"}:
            return f"{listed}, and measuring both commits in turns decides."
        more = numbers.counted(FEWEST_JOBS - min(jobs), "more recorded push", "more recorded pushes")
        return (
            f"{listed}, and can fail the check after {more} to {quote(report.baseline.ref or report.baseline.label)}"
            f"{on_model}."
        )
    if any(note.code is ReasonCode.CPU_DIFFERS for load in report.workloads for note in load.comparability):
        return "The baseline is from another CPU model: no total fails the check unless both sides are from one model."
    return ""


def advice(reason: Reason, report: Report, code: Quote) -> str:
    """Return advice on how to get a conclusive comparison, or "" for reasons without advice.

    ``code`` quotes commands.
    """
    reason = reason.reasons[0] if reason.code is ReasonCode.NO_BASELINE and reason.reasons else reason
    noisy = (number_of(reason.parameters.get("wanted")) or 0) > MOST_RUNS
    given = {**reason.parameters, "confirm": "profgate confirm"}
    text = filled(QUIETER if noisy else ADVICE.get(reason.code, ""), given, code)
    if reason.code not in OBSTACLES:
        return text
    if report.measurement is not None:
        return "To decide, let each run do more work, or measure on a quieter machine."
    return _to_decide(report, text, code)


def advice_on(finding: Finding, report: Report, code: Quote) -> str:
    """Return advice on how to decide about a possible finding, or "" if a measurement would not decide."""
    reasons = {reason.code: reason.parameters for reason in finding.reasons}
    settled = {ReasonCode.OFFSET, ReasonCode.ACCEPTED, ReasonCode.ACCEPTED_PARTS}
    if not settled.isdisjoint(reasons):
        return ""
    if report.measurement is not None:
        repeat = f"To decide, confirm it again with a larger {code('--budget')}."
        return repeat if ReasonCode.STILL_POSSIBLE in reasons else ""
    splits = number_of(reasons.get(ReasonCode.FEW_SPLITS, {}).get("splits", 1 / RED)) or 0
    few = ReasonCode.UNCONFIRMED in reasons or splits * RED < 1.0
    runs = "record at least 5 runs of each side" if few and ReasonCode.UNLIKE_RUNS not in reasons else ""
    return _to_decide(report, runs, code)


def _to_decide(report: Report, otherwise: str, code: Quote) -> str:
    """Return the command that decides, and the other way ``otherwise``, if it is not empty."""
    if report.policy.confirm not in {None, "off"}:
        command = "profgate confirm"
    else:
        command = (
            "profgate confirm report.json -- COMMAND"
            if report.baseline.sha
            else ""
            if otherwise
            else "profgate measure"
        )
    ways = filter(None, (command and f"run {code(command)}", otherwise))
    return f"To decide, {', or '.join(ways)}."
