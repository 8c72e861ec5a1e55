"""The view of a report: the texts that all outputs show, with names, sentences and links in the style of the output."""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from copy import copy
from itertools import islice

from profgate.model.acceptance import Acceptance, AcceptanceState, command_for, workload_command
from profgate.model.levels import TOTAL_FLOOR
from profgate.model.reason import Reason, ReasonCode
from profgate.model.report import Conclusion, Finding, MetricReport, Report
from profgate.model.visible_text import short_names
from profgate.report import groups, numbers, statements
from profgate.report.groups import BETTER, CONCLUSIONS, POSSIBLE, WITHIN_NOISE
from profgate.report.markdown_text import LONGEST_NAME, PLAIN, Style, limited, short_sha
from profgate.report.rows import (
    SOURCES,
    Pair,
    Row,
    change_text,
    place_name,
    place_of,
    total_change,
    why,
)
from profgate.report.wording import OBSTACLES, Quote, full_sentence, reason_text

OPEN = 3  # maximum number of rows, and of totals, outside the collapsible section
SUSPECTED = frozenset({ReasonCode.SUSPECT, ReasonCode.DEPARTURE})  # what an inconclusive result names
UNDECIDED = {*OBSTACLES, ReasonCode.OTHER_WORK}
WITHOUT_PLACE = {*OBSTACLES, ReasonCode.SUSPECT}  # sentences that do not name the workload
SHOWN_ELSEWHERE = {
    ReasonCode.FINDING,
    ReasonCode.MORE,
    ReasonCode.NO_CHANGE,
    ReasonCode.NOT_MEASURED_AGAIN,
    ReasonCode.CLAIM,
}
DOUBTS = {
    ReasonCode.OFFSET: "but the total did not grow",
    ReasonCode.NOT_REACHABLE: "",  # the sentence of the reason
}
SIDES = {"target": "only in the target", "baseline": "only in the baseline", "both": "on both sides"}
COLOUR_OF: dict[Conclusion, str] = {"fail": "red", "warn": "yellow", "inconclusive": "yellow"}
SHOWN_ACCEPTANCES = 10  # because anyone can write any number of commands
COMMANDS = 3  # maximum number of commands that the comment shows
STATES: dict[AcceptanceState, str] = {
    "open": "not judged",
    "applies": "accepted",
    "exceeded": "no longer covered, accepted",
    "unused": "not needed:",
    "refused": "refused:",
}


class View:
    """A report in the style of an output.

    ``first`` is the finding that the headline is about, ``causes`` are the regressions and ``better`` the improvements,
    without totals that they explain.
    """

    def __init__(self, report: Report, style: Style = PLAIN) -> None:
        """Group and sort the findings, which takes most of the time; `in_style` does not repeat it."""
        self.report, self.names = report, short_names(_functions(report))
        self.style = style.naming(self.names)
        self.groups, self.pairs, self.missing = (
            groups.grouped(report),
            groups.pairs(report),
            groups.not_compared(report),
        )
        self.metrics = Counter(pair.workload for pair in self.pairs)
        # the first reason of each metric
        self._obstacles = {
            (reason.parameters.get("workload"), reason.parameters.get("metric")): [reason]
            for reason in reversed(report.verdict.reasons)
            if reason.code in UNDECIDED
        }
        self.first = self._leading()
        self.causes, self.better = self._causes(), [row for row in self.groups.better if not row.total]

    def in_style(self, style: Style) -> "View":
        """Return the same view in another style."""
        view = copy(self)
        view.style = style.naming(self.names)
        return view

    @property
    def doubtful(self) -> bool:
        """Whether the result is that the sides were not compared."""
        return self.report.verdict.conclusion == "not_compared" or not self.pairs

    @property
    def subject(self) -> Row | None:
        """The finding that a comment explains: that of the headline, unless nothing was decided."""
        return self.first if self.report.verdict.conclusion in {"pass", "warn", "fail"} and not self.doubtful else None

    @property
    def conclusion(self) -> Conclusion:
        """The conclusion that outputs show."""
        conclusion = self.report.verdict.conclusion
        return "not_compared" if self.doubtful and conclusion != "fail" else conclusion

    @property
    def sign(self) -> str:
        """The sign before the headline."""
        better = self.conclusion == "pass" and self.first is not None and self.first.finding.direction == "better"
        return (BETTER if better else CONCLUSIONS[self.conclusion]).sign

    def reason(self, reason: Reason) -> str:
        """Return the sentence for a reason."""
        return self.style.text(reason_text(reason, self.style.name))

    def where(self, pair: Pair) -> str:
        """Return the workload if there are several workloads, and the metric if the workload has several metrics."""
        names = [self.style.code(pair.workload, LONGEST_NAME)] if len(self.metrics) > 1 else []
        names += [self.style.code(pair.metric.name, 30)] if self.metrics[pair.workload] > 1 else []
        return " ".join(names)

    def title(self) -> str:
        """Return the headline, or what else describes the result."""
        if self.doubtful:
            return f"Not compared: {self.doubt()}"
        if text := self.headline():
            return text
        if self.report.verdict.conclusion == "pass":
            return self.nothing_found()
        reasons = self.report.verdict.reasons[:1]
        return "".join(self.style.text(full_sentence(reason, self.style.name)) for reason in reasons)

    def nothing_found(self) -> str:
        """Return that there is no change, and which changed functions were not measured."""
        missed = statements.blind_spots(self.report, self.style.code)
        return f"No performance change found{f', but {missed}' if missed else ''}"

    @property
    def missed(self) -> str:
        """A sentence on the changed functions that no workload measured, or "" if the headline states them."""
        quiet = self.conclusion == "pass" and not self.headline()
        missed = "" if quiet else statements.blind_spots(self.report, self.style.code)
        return f"{missed[:1].upper()}{missed[1:]}." if missed else ""

    def doubt(self) -> str:
        """Return a sentence that explains why nothing was compared."""
        missing, compared, quote = self.missing, len(self.pairs), self.style.name
        reason = next(iter(self.report.verdict.reasons), None)
        if reason is not None and reason.code is ReasonCode.NO_BASELINE and reason.reasons:
            reason = reason.reasons[0]
        elif len(missing) == 1:
            return self.style.text(f"{quote(missing[0].name)}: {reason_text(missing[0].reason, quote)}")
        elif missing and compared:
            return f"{len(missing)} of {len(missing) + compared} could not be compared"
        return self.reason(reason or next((entry.reason for entry in missing), Reason(ReasonCode.NOTHING_COMPARED)))

    def headline(self, *, total: bool = True) -> str:
        """Return the most important result as one sentence, or an empty string.

        ``total`` appends the change in the total to a regression.
        """
        first, quote, verdict = self.first, self.style.code, self.report.verdict
        if drifts := self.drifts:
            return drifts[0]
        if verdict.conclusion == "inconclusive" or (verdict.reasons and verdict.reasons[0].code is ReasonCode.CLAIM):
            obstacle = OBSTACLES.get(verdict.reasons[0].code)
            if first is None or obstacle is None:
                return full_sentence(verdict.reasons[0], quote)
            what = "confirm" if first.finding.from_value else "judge the cost"
            return f"{obstacle} to {what}: {change_text(first, quote)}"
        if first is None:
            return ""
        if first.finding.direction == "better":
            text = self._improvement(first)
        else:
            text = self._regression(first) + (self._total_of(first) if total else "")
        return text

    @property
    def drifts(self) -> list[str]:
        """A sentence on the drift of each total, most important first, in the report on a base branch."""
        return [
            f"{self.where(pair) or 'Total'} {statements.drift(pair.metric, rule, self.style.code)}"
            for pair in self.pairs
            if (rule := pair.metric.drift)
        ]

    def _leading(self) -> Row | None:
        """Return a regression, or an improvement if nothing else matters more.

        Findings of functions take precedence over totals. A better total takes precedence over a regression in the
        same metric that does not fail.
        """
        groups, verdict = self.groups, self.report.verdict
        if [reason.code for reason in verdict.reasons[:1]] == [ReasonCode.COMMON_FACTOR]:
            return None  # the change of a function may have the same cause
        suspects = [row for row in groups.worse if row.finding.colour == COLOUR_OF.get(verdict.conclusion)]
        first = _function(suspects) or next(iter(suspects), None)
        if verdict.conclusion == "inconclusive":
            return first or _function(groups.better)
        if verdict.conclusion in {"pass", "warn"}:
            gain = next((row for row in groups.better if row.total), None)
            if first is None or (gain is not None and gain.metric is first.metric):
                return gain or next(iter(groups.better), None)
        return first

    def _regression(self, first: Row) -> str:
        quote, finding = self.style.code, first.finding
        parameters = {reason.code: reason.parameters for reason in finding.reasons}
        if finding.is_accepted:
            return f"Accepted: {change_text(first, quote)}"
        text = change_text(first, quote, capital=True)
        if severity := parameters.get(ReasonCode.SEVERITY):
            return f"{text} (does not fail: fail-on is {severity.get('value')})"
        if first.everything:
            return full_sentence(finding.reasons[0], quote)
        if self.report.verdict.conclusion == "warn":
            doubts = (DOUBTS[one.code] or reason_text(one, quote) for one in finding.reasons if one.code in DOUBTS)
            return ", ".join([f"Possible regression: {change_text(first, quote)}", *islice(doubts, 1)])
        return text

    def _improvement(self, gain: Row) -> str:
        quote = self.style.code
        if not gain.total:
            return change_text(gain, quote)
        text = change_text(gain, quote, capital=True) if len(self.report.workloads) > 1 else total_change(gain)
        if part := _function(self.groups.better, gain.metric):
            text += f", mostly in {quote(place_name(part.shown.location))}"
        if cost := _function(self.groups.worse, gain.metric):
            more = numbers.signed(cost.finding.delta, gain.metric.unit)
            text += f"; {quote(place_name(cost.shown.location))} costs more ({more})"
        return text

    def _total_of(self, row: Row) -> str:
        """Return the change in the total, which is appended to the sentence about a function.

        A large change in doubt is only stated where its runs are, because it seems to contradict the sentence.
        """
        relative = row.metric.total.relative
        doubt = groups.unseen_total(row.metric)
        noise = doubt == WITHIN_NOISE and relative is not None and abs(relative) < TOTAL_FLOOR
        if row.total or relative is None or not (noise or doubt in {"", POSSIBLE}):
            return ""
        of = f" of {self.style.code(row.workload)}" if len(self.report.workloads) > 1 else ""
        return f"; total{of} {'unchanged' if noise else groups.total_growth(row.metric)}"

    def further_reasons(self, listed: AbstractSet[ReasonCode] = frozenset()) -> list[Reason]:
        """Return the reasons for the verdict that neither the headline nor a row shows, without those of ``listed``."""
        inconclusive = self.report.verdict.conclusion == "inconclusive"
        reasons = self.report.verdict.reasons[inconclusive:]
        shown = SHOWN_ELSEWHERE | listed | (SUSPECTED if inconclusive else set())
        return [one for one in reasons if one.code not in shown]

    def undecided(self, pair: Pair) -> str:
        """Return why a metric is inconclusive, or "" if it is conclusive."""
        reasons = self._obstacles.get((pair.workload, pair.metric.name), ())
        return next(map(self.reason, reasons), "")

    def worded(self, line: Reason | str) -> str:
        """Return a line of the details."""
        return line if isinstance(line, str) else self.style.text(self._line(line, self.style.name))

    @property
    def suspects(self) -> list[str]:
        """A line for each of the first functions, and orders of durations, that an inconclusive result names.

        Functions with a possible finding are left out, because the headline or a row names them.
        """
        shown = {row.finding.location.name for row in self.groups.worse}
        reasons = self.report.verdict.reasons if self.report.verdict.conclusion == "inconclusive" else ()
        named = [one for one in reasons if one.code in SUSPECTED and one.parameters.get("function") not in shown]
        # maximum number of suspects of an inconclusive result
        return limited(named, 10, "line", text=lambda one: self._line(one, self.style.code))

    def _line(self, reason: Reason, quote: Quote) -> str:
        if len(self.report.workloads) > 1 and reason.code in WITHOUT_PLACE:
            return f"{quote(str(reason.parameters.get('workload')))}: {reason_text(reason, quote)}"
        return full_sentence(reason, quote)

    def changed_here(self) -> str:
        """Return a sentence on changed functions that are within noise, or "" if a finding is shown."""
        quiet = self.quiet_changes()
        return f"Changed in this PR, within noise: {quiet}." if quiet else ""

    def quiet_changes(self) -> str:
        """Return the costs of changed functions that are within noise, or "" if a finding is shown."""
        changed = (row for row in self.groups.noise if row.finding.attribution.source in SOURCES)
        noise, passed = (Reason(ReasonCode.WITHIN_NOISE),), "pass"
        quiet = [row for row in changed if (row.finding.reasons, groups.conclusion_of(row.metric)) == (noise, passed)]
        return "" if self.causes or self.better else ", ".join(limited(quiet, OPEN, "function", "", self._cost))

    def _cost(self, row: Row) -> str:
        name = self.style.code(place_name(row.finding.location))
        return f"{self.where(row)} {name} ({row.columns[0]})".lstrip()

    def certainty(self) -> str:
        """Return how certain the first finding is, as a sentence or ""."""
        row = self.subject
        if row is None:
            return ""
        reason = "" if row.everything else next((self.style.text(text) for text in why(row, self.style.name)), "")
        certain = "Certain: " * (row.finding.colour in {"red", "green"} and bool(reason))
        text = f"{certain}{reason}"
        return f"{text[:1].upper()}{text[1:]}." if text else ""

    def step(self) -> str:
        """Return whether the check fails and what a reader should do, as one line."""
        verdict, reasons = self.report.verdict, self._yellow.reasons if self._yellow else ()
        # other systems read exit code 3
        decision = (
            "The check fails."
            if verdict.fails
            else "Nothing was decided, so the check on GitHub passes."
            if verdict.exit_code
            else "The check passes."
            if self.report.measurement is not None or self.report.policy.confirm in {None, "off"}
            else "The check passes unless the result is confirmed."
        )
        if advice := self.advice() or (self._correction() if verdict.fails else ""):
            return f"{decision} {advice}"
        if verdict.exit_code:
            return decision
        offset = any(reason.code is ReasonCode.OFFSET for reason in reasons)
        if statements.blind_spots(self.report, self.style.code):
            return "The check passes. To judge what was not measured, let a benchmark call it."
        return "The check passes, because the total did not grow." if offset else "Nothing to do: the check passes."

    def _correction(self) -> str:
        """Return what makes a failing check pass, as one sentence."""
        row = self.subject
        what = "" if row is None else place_of(row) or ("" if row.total else place_name(row.shown.location))
        improve = f"Improve {self.style.code(what)}" if what else "Correct the change"
        accept = (f"push, or a maintainer comments {way} to accept it" for way in self.ways_out())
        return f"{improve} and {next(accept, 'measure again')}."

    def advice(self) -> str:
        """Return advice on how to get a conclusive result, or "" if the result is conclusive."""
        verdict, code = self.report.verdict, self.style.code
        finding = self.first.finding if self.first is not None else None
        if verdict.conclusion == "warn" and not self.doubtful:
            reasons = finding.reasons if finding is not None and finding.is_total else ()
        elif finding is not None and any(reason.code is ReasonCode.UNLIKE_RUNS for reason in finding.reasons):
            reasons = ()  # more runs would not decide
        else:
            reasons = verdict.reasons
        if text := next((statements.advice(reason, self.report, code) for reason in reasons[:1]), ""):
            return text
        yellow = self._yellow
        return "" if verdict.exit_code or yellow is None else statements.advice_on(yellow, self.report, code)

    @property
    def _yellow(self) -> Finding | None:
        return next((row.finding for row in self.groups.worse if row.finding.colour == "yellow"), None)

    def _causes(self) -> list[Row]:
        """Return the rows of functions, and of totals whose colour neither a function nor the headline explains."""
        worse = self.groups.worse
        colours = {(id(row.metric), row.finding.colour) for row in worse if not row.total}
        explained = {entry for metric, colour in colours for entry in ((metric, "yellow"), (metric, colour))}
        return [
            row
            for row in worse
            if not row.total or not (row.everything or (id(row.metric), row.finding.colour) in explained)
        ]

    def ways_out(self) -> list[str]:
        """Return the commands that accept the findings and workloads for which the check of a commit fails."""
        if not self.report.verdict.fails or not short_sha(self.report.target.sha):
            return []
        red: dict[tuple[str, str | None], float] = {}
        for row in (*self.groups.worse, *self.groups.related):
            if row.finding.colour == "red" and not row.total:
                function = row.finding.location.name, row.finding.location.file
                red[function] = max(row.finding.growth, red.get(function, 0.0))
        files = Counter(name for name, _ in red)
        commands = [
            command_for(name, growth, file if files[name] > 1 else None) for (name, file), growth in red.items()
        ]
        commands += [workload_command(name) for name in _workloads(self.report)]
        return limited(commands, COMMANDS, "command", "", lambda text: self.style.code(f"{text}REASON", 300))

    def not_compared(self) -> list[str]:
        """Return the workloads and metrics that were not compared, with reasons."""
        code = self.style.code
        return [
            f"{' '.join(code(name, 60) for name in (one.name, one.metric) if name is not None)} ({SIDES[one.side]}): "
            f"{self.reason(one.reason)}"
            for one in self.missing
        ]

    def notes(self, shown: AbstractSet[ReasonCode] = frozenset()) -> list[str]:
        """Return the notes on the workloads and the warnings, without the warnings of ``shown``.

        A failing metric is no reason to doubt that both sides did the same work.
        """
        failed = {(load.name, metric.name) for load, metric, finding in self.report.findings if finding.colour == "red"}
        notes = (
            f"{self.style.code(load.name)}: {self.reason(note)}"
            for load in self.report.workloads
            for note in load.comparability
            if note.code is not ReasonCode.TOTALS_FAR_APART or (load.name, note.parameters.get("metric")) not in failed
        )
        return [*notes, *(self.reason(warning) for warning in self.report.warnings if warning.code not in shown)]


def _functions(report: Report) -> set[str]:
    """Return the names of all functions that outputs may name."""
    metrics = [metric for _, metric in report.metrics]
    names = {change.location.name for metric in metrics for change in metric.changes}
    names |= {cause.end.name for metric in metrics for cause in metric.causes}
    return names | {part.callee.name for metric in metrics for part in metric.parts}


def _function(candidates: Iterable[Row], metric: MetricReport | None = None) -> Row | None:
    """Return the first row of a function, optionally of a given metric."""
    return next((row for row in candidates if not row.total and (metric is None or row.metric is metric)), None)


def _workloads(report: Report) -> list[str]:
    """Return the workloads that fail the gate because they are gone or did other work."""
    names = [entry.name for entry in report.not_compared if entry.reason.code is ReasonCode.MISSING_IN_TARGET]
    other_work = {ReasonCode.COMMON_FACTOR, ReasonCode.OTHER_WORK}
    doubtful = (reason for reason in report.verdict.reasons if reason.code in other_work)
    names += [str(reason.parameters.get("workload")) for reason in doubtful]
    accepted = {one.location for one in report.acceptances if one.state == "applies"}
    return [name for name in dict.fromkeys(names) if name not in accepted]


def acceptance_lines(report: Report, style: Style) -> list[str]:
    """Return a line for each of at most 10 acceptances. Refused acceptances come last."""
    ordered = sorted(report.acceptances, key=lambda item: item.state == "refused")
    return limited(ordered, SHOWN_ACCEPTANCES, "acceptance", text=lambda item: _line(item, style))


def _line(item: Acceptance, style: Style) -> str:
    what = style.code(item.location) if item.location else "a command"
    by = f" by {style.code(item.by, 60)}" if item.by and item.state == "applies" else ""
    remark = reason_text(item.remark, str) if item.remark else ""
    reason = f" ({style.text(item.reason)})" if item.reason else ""
    link = f" · {style.link('where', item.link)}" if item.link else ""
    return f"{what}: {STATES[item.state]}{by} {style.text(remark)}{reason}{link}"
