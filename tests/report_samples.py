"""Hand-made reports with round numbers, for the tests of everything that shows a report."""

from collections.abc import Iterable
from typing import Any

from profgate.model.calibration import Calibration
from profgate.model.change import Change, GateResult, Location
from profgate.model.policy import StatedPolicy
from profgate.model.reason import NotCompared, Parameter, Reason, ReasonCode, Side, as_reason
from profgate.model.record import replace
from profgate.model.report import (
    Colour,
    Conclusion,
    Finding,
    MetricReport,
    Report,
    Total,
    Verdict,
    WorkloadReport,
)
from profgate.report.wording import reason_text

HEAD = "4f2c1ab" + "0" * 33
BASE = "9d01e77" + "1" * 33
SECOND = 1e9
PROOF = Reason(ReasonCode.NO_SPLIT, {"splits": 252, "runs": 10})
LATER = Reason(ReasonCode.FEW_SPLITS, {"p": 3 / 252, "splits": 252})
RED = Verdict("fail", "red", (Reason(ReasonCode.FINDING, {"function": "f", "kind": "SevereDegradation"}),), exit_code=1)
GREEN = Verdict("pass", "green", ())


CALIBRATION = Calibration(
    state="tested", mode="runs", splits=252, total_tested=True, visible_total=0.04, visible_tenth=0.22
)


def finding(
    name: str,
    before: float,
    after: float,
    *,
    kind: str = "SevereDegradation",
    colour: Colour = "red",
    whole: float = 40 * SECOND,
    file: str | None = None,
    p: float | None = 0.004,
) -> Finding:
    """A finding with values in nanoseconds and shares of ``whole``."""
    severity = {"Severe": "severe", "Maybe": "maybe", "NoChan": "none"}.get(kind[:6].rstrip("D"), "degraded")
    found = Finding(
        severity="severe" if severity == "severe" else "maybe" if severity == "maybe" else "degraded",
        colour=colour,
        kind=kind,
        direction="worse" if after > before else "better" if after < before else "none",
        location=Location(name, file),
        from_value=before,
        to_value=after,
        delta=after - before,
        relative=(after - before) / before if before else None,
        share_from=before / whole,
        share_to=after / whole,
        changes=(),
        reasons={"red": (PROOF,), "yellow": (LATER,)}.get(colour, ()),
        weight=(after - before) / whole,
    )
    return with_result(replace(found, changes=(change_of(found),)), p=p, t=9.5)


def with_result(item: Finding, **result: Any) -> Finding:
    """The finding with this result of the gate's test."""
    return replace(item, changes=(replace(item.changes[0], result=GateResult(**result)), *item.changes[1:]))


def metric(
    *findings: Finding, name: str = "cpu", unit: str = "nanoseconds", before: float = 41.2e9, after: float = 44e9
) -> MetricReport:
    return MetricReport(
        name=name,
        unit=unit,
        better="lower",
        kind="sampled",
        state="compared",
        runs={"baseline": 5, "target": 5, "noise": 0},
        total=Total(before, after, after - before, (after - before) / before),
        findings=findings,
        counts={"no_change": 1812, "unknown": 2},
        calibration=CALIBRATION,
    )


def change_of(item: Finding) -> Change:
    return Change(
        strategy="calibrated_log_ratio",
        family="T",
        kind=item.kind,
        subtype="time",
        location=item.location,
        from_value=item.from_value,
        to_value=item.to_value,
        delta=item.delta,
        relative=item.relative,
        share_from=item.share_from,
        share_to=item.share_to,
        confidence_type="p_value",
        confidence=0.004,
        reason=as_reason("no other split of the runs differs as much"),
    )


def workload(*metrics: MetricReport, name: str = "api-bench", notes: tuple[str, ...] = ()) -> WorkloadReport:
    return WorkloadReport(name, tuple(map(as_reason, notes)), metrics)


def report(
    *workloads: WorkloadReport,
    verdict: Verdict = GREEN,
    missing: tuple[NotCompared, ...] = (),
    warnings: tuple[str, ...] = (),
) -> Report:
    return Report(
        baseline=Side("main", BASE, "refs/heads/main", 7741, 0),
        target=Side("pull request", HEAD, "refs/pull/12/merge", 7742, None),
        verdict=verdict,
        workloads=workloads,
        not_compared=missing,
        warnings=tuple(map(as_reason, warnings)),
        policy=StatedPolicy("degradation", source="built-in"),
    )


def regression() -> Report:
    total = replace(finding("total", 41.2e9, 44e9, kind="TotalDegradation", p=None), share_from=None, share_to=None)
    cpu = metric(
        total,
        finding("http.parse_headers", 2.4e9, 5.1e9, file="http.py"),
        finding("re.Scanner.match", 1.1e9, 1.6e9, kind="Degradation"),
        finding("json.dumps", 0.8e9, 0.9e9, kind="MaybeDegradation", colour="yellow", p=3 / 252),
        finding("render", 3.1e9, 2.6e9, kind="Optimization", colour="green"),
        finding("cache.lookup", 0.0, 0.21e9, kind="NotInBaseline", colour="neutral", p=None),
    )
    quiet = metric(before=12.9e9, after=12.913e9)
    return report(
        workload(cpu, notes=("the processor models differ: totals are advisory",)),
        workload(quiet, name="cli-bench"),
        verdict=RED,
        warnings=("2 of 10 profiles have unresolved symbols",),
    )


def improvement() -> Report:
    cpu = metric(
        finding("render", 3.1e9, 1.5e9, kind="SevereOptimization", colour="green"), before=41.2e9, after=39.6e9
    )
    return report(workload(cpu))


def unchanged() -> Report:
    return report(workload(metric(before=41.2e9, after=41.2e9)))


def nothing_compared() -> Report:
    missing = (
        NotCompared("api-bench", None, "target", as_reason("no baseline profiles are stored for commit 9d01e77")),
    )
    verdict = Verdict("not_compared", "neutral", (Reason(ReasonCode.NOTHING_COMPARED),), exit_code=3)
    return report(verdict=verdict, missing=missing)


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "a|b`c``d\\|e",
    "@octocat please merge #1 GH-2 octo/repo#3",
    "`",
    "</details></summary><h1>",
    "\u202eevil\u202c \u200bhidden\x1b[31m\r\n| x | y |",
    "[link](https://evil.example) ![x](http://evil.example/x.png) www.evil.example",
    "-->",
    "$$x^2$$ :tada: ~~gone~~ **bold**",
    "",
    "ä" * 500,
    "lone \ud800 half",
)


def hostile() -> Report:
    found = tuple(finding(name, 1e9 + place, 2e9, colour="red") for place, name in enumerate(HOSTILE))
    reasons = (Reason(ReasonCode.DEPARTURE, {"workload": name}, (as_reason(name),)) for name in HOSTILE[:3])
    verdict = Verdict("fail", "red", tuple(reasons), exit_code=1)
    loads = [workload(metric(*found, name=HOSTILE[1]), name=name, notes=(name,)) for name in HOSTILE[:4]]
    missing = tuple(NotCompared(name, name, "both", as_reason(f"cannot read {name}")) for name in HOSTILE)
    return report(*loads, verdict=verdict, missing=missing, warnings=HOSTILE)


def many(count: int = 300, changed: int = 40) -> Report:
    loads = [
        workload(
            metric(finding(f"module.function_{number}", 1e9, 1e9 + 1e6 * number)) if number < changed else metric(),
            name=f"workload-{number:03}",
        )
        for number in range(1, count + 1)
    ]
    return report(*loads, verdict=RED)


def inconclusive() -> Report:
    short = replace(
        metric(before=674.0, after=702.0, name="samples", unit="samples"), calibration=Calibration(state="tested")
    )
    parameters: dict[str, Parameter] = {
        "workload": "api-bench",
        "metric": "samples",
        "samples": 674,
        "runs": 5,
        "factor": 8,
    }
    reason = Reason(ReasonCode.TOO_FEW_SAMPLES, parameters)
    costs: dict[str, Parameter] = {"from": 8.0, "to": 113.0, "unit": "samples", "share_from": 0.012, "share_to": 0.161}
    place: dict[str, Parameter] = {"workload": "api-bench", "metric": "samples", "function": "http.parse_headers"}
    suspect = Reason(ReasonCode.SUSPECT, place | costs)
    return report(workload(short), verdict=verdict("inconclusive", reason, suspect))


def verdict(conclusion: Conclusion, *reasons: Reason) -> Verdict:
    colours: dict[Conclusion, Colour] = {"fail": "red", "warn": "yellow", "pass": "green"}
    return Verdict(conclusion, colours.get(conclusion, "neutral"), reasons)


def text(sentence: str) -> Reason:
    """A departure with a text of its own."""
    return Reason(ReasonCode.DEPARTURE, {"workload": "api-bench"}, (as_reason(sentence),))


def texts(reasons: Iterable[Reason]) -> list[str]:
    """The sentences of reasons."""
    return [reason_text(reason, str) for reason in reasons]
