"""The order, the groups and the words in which every text report shows findings."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from profgate.model.change import Location
from profgate.model.kinds import BETTER, BY_WORD, MAYBE, RANKS, WORSE, Kind
from profgate.model.levels import TOTAL_FLOOR
from profgate.model.reason import ReasonCode
from profgate.model.report import Direction, Finding, MetricReport, NotCompared, Report
from profgate.report import numbers
from profgate.report.wording import full_sentence, reason_text

COLOURS = ("red", "yellow", "neutral", "green")
TAGS: dict[Kind, tuple[str, str]] = {
    Kind.TOTAL_DEGRADATION: ("🔴", "total worse"),
    Kind.SEVERE_DEGRADATION: ("🔴", "severe"),
    Kind.DEGRADATION: ("🟠", "degraded"),
    Kind.MAYBE_DEGRADATION: ("🟡", "maybe"),
    Kind.NOT_IN_BASELINE: ("🆕", "new"),
    Kind.UNKNOWN: ("❔", "undecided"),
    Kind.NO_CHANGE: ("✅", "unchanged"),
    Kind.NOT_IN_TARGET: ("🗑", "gone"),
    Kind.MAYBE_OPTIMIZATION: ("🟢", "maybe better"),
    Kind.OPTIMIZATION: ("⚡", "better"),
    Kind.SEVERE_OPTIMIZATION: ("⚡", "much better"),
    Kind.TOTAL_OPTIMIZATION: ("⚡", "total better"),
}
UNDECIDED = frozenset({ReasonCode.TOO_FEW_SAMPLES, ReasonCode.TOO_FEW_RUNS, ReasonCode.CANNOT_SEE})
QUIET = frozenset({ReasonCode.WITHIN_NOISE, ReasonCode.NO_SELF_COST})
HIDDEN = frozenset({"contexts", "source", "source_link", "reach", "reach_path", "judged", "new"})
CONFIRMED = "confirmed"  # evidence of a second measurement, in words of its own
SOURCES = {
    "changed": "changed here",
    "added": "added here",
    "removed": "removed here",
    "renamed": "moved or renamed here",
}
HARDLY_ANY = 99.0  # growth from which the baseline had next to nothing, and a multiple of it means nothing
MULTIPLE = 0.5  # relative change from which a multiple is easier to read than percents
NAMELESS = ("<", "(")  # how the names of what has none begin
Quote = Callable[[str], str]
COMMON = 0.05  # common factor from which it is stated


@dataclass(frozen=True, slots=True)
class Row:
    """A finding with the workload and metric it belongs to.

    ``carries`` counts the further findings of its story here, ``elsewhere`` the other workloads that tell it too.
    """

    workload: str
    metric: MetricReport
    finding: Finding
    carries: int = 0
    elsewhere: int = 0

    @property
    def total(self) -> bool:
        """Whether the finding is about the whole workload."""
        return is_total(self.finding)

    @property
    def tag(self) -> tuple[str, str]:
        """Sign and word of the finding."""
        return tag_of(self.finding)


def tag_of(finding: Finding) -> tuple[str, str]:
    """Sign and word by which every report calls a finding."""
    if finding.acknowledgement:
        return "✅", "accepted"
    kind = _kind(finding)
    if finding.colour == "neutral" and kind in MAYBE:
        return "·", "note"
    return TAGS[Kind.MAYBE_DEGRADATION] if finding.colour == "yellow" and kind in WORSE else TAGS[kind]


class Groups(NamedTuple):
    """All findings, each in one group, worst first.

    What costs more and what costs less, a row for each story; what is only a hint; the further rows of the stories; and
    hints of which the calibrated test says that they are noise, or that have no cost of their own on either side.
    """

    worse: tuple[Row, ...]
    better: tuple[Row, ...]
    other: tuple[Row, ...]
    carried: tuple[Row, ...]
    noise: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One metric of one workload."""

    workload: str
    metric: MetricReport


def grouped(report: Report) -> Groups:
    """The findings of all workloads in reading order."""
    shown = (row for row in _rows(report) if row.finding.kind != "NoChange" or row.finding.evidence)
    found = sorted(shown, key=_importance)
    told: dict[str, list[Row]] = {name: [] for name in Groups._fields}
    stories: set[int] = set()
    for row in found:
        story, group = row.finding.story, _group(row)
        if group in {"worse", "better"} and story is not None:
            if row.finding.carried_by is not None or story in stories:
                group = "carried"
            else:
                stories.add(story)
        told[group].append(row)
    carried = told["carried"]
    led = {name: [_with_members(row, carried) for row in told[name]] for name in ("worse", "better")}
    return Groups(**{name: tuple(found) for name, found in (told | led).items()})


def _group(row: Row) -> str:
    finding = row.finding
    if finding.direction == "worse" and finding.colour in {"red", "yellow"}:
        return "worse"
    if finding.direction == "better" and finding.colour == "green":
        return "better" if _improved(row) else "noise"
    weightless = finding.from_value == 0 and finding.to_value == 0
    return "noise" if weightless or {reason.code for reason in finding.reasons[:1]} & QUIET else "other"


def _improved(row: Row) -> bool:
    """Whether its value moved too: where others grew, a share falls without anybody's merit."""
    relative = row.finding.relative
    return relative is None or (relative < 0 if row.metric.better == "lower" else relative > 0)


def _with_members(row: Row, carried: Iterable[Row]) -> Row:
    finding = row.finding
    if finding.story is None or finding.carried_by is not None:
        return row
    same = [other for other in carried if other.finding.story == finding.story and other is not row]
    here = sum((other.workload, id(other.metric)) == (row.workload, id(row.metric)) for other in same)
    elsewhere = {other.workload for other in same} - {row.workload}
    return replace(row, carries=here, elsewhere=len(elsewhere))


def pairs(report: Report) -> tuple[Pair, ...]:
    """Every compared metric, those with findings first, then by the size of the relative change, then by name."""
    found = [Pair(workload.name, metric) for workload in report.workloads for metric in workload.metrics]
    return tuple(sorted((pair for pair in found if pair.metric.state == "compared"), key=_movement))


def changed(pair: Pair) -> bool:
    """Whether more than hints was found about this metric."""
    return any(finding.colour != "neutral" and finding.kind != "NoChange" for finding in pair.metric.findings)


def not_compared(report: Report) -> tuple[NotCompared, ...]:
    """What could not be compared: first what the baseline knows, then what is new, each by name."""
    stated = {(entry.name, entry.metric) for entry in report.not_compared}
    silent = [
        NotCompared(workload.name, metric.name, "both", "; ".join(metric.cannot_tell) or "no reason was given")
        for workload in report.workloads
        for metric in workload.metrics
        if metric.state != "compared" and not {(workload.name, metric.name), (workload.name, None)} & stated
    ]
    order = {"both": 0, "baseline": 1, "target": 2}
    entries = (*report.not_compared, *silent)
    return tuple(sorted(entries, key=lambda entry: (order[entry.side], entry.name, entry.metric or "", entry.reason)))


def doubt(report: Report, quote: Quote) -> str:
    """Why nothing was compared, as one sentence."""
    missing, known = not_compared(report), len(pairs(report))
    if len(missing) == 1:
        return f"{quote(missing[0].name)}: {missing[0].reason}"
    if missing and known:
        return f"{len(missing)} of {len(missing) + known} could not be compared"
    if report.verdict.reasons:
        return reason_text(report.verdict.reasons[0], quote)
    return missing[0].reason if missing else "there was nothing to compare"


def headline(report: Report, quote: Quote) -> str:
    """What matters most, as one sentence; ``quote`` makes names safe for the place the sentence goes to.

    A function comes before a total. Empty where nothing was found.
    """
    groups, conclusion = grouped(report), report.verdict.conclusion
    if conclusion == "inconclusive":
        possible = _cause([row for row in groups.worse if row.finding.colour == "yellow"])
        text = full_sentence(report.verdict.reasons[0], quote)
        return text if possible is None else f"{text}; possible: {story(possible, quote)}"
    wanted = {"fail": ("red",), "warn": ("yellow",)}.get(conclusion, ())
    worse = [row for row in groups.worse if row.finding.colour in wanted]
    first = _cause(worse)
    if first is None:
        return _improvement(groups, quote) if conclusion in {"pass", "warn"} else ""
    text = story(first, quote)
    proven = {reason.code: reason.parameters for reason in first.finding.reasons}.get(ReasonCode.SEVERITY)
    if first.finding.acknowledgement:
        text = f"Accepted: {text}"
    elif proven is not None:
        text = f"{text} (does not fail: {proven.get('setting')} is {proven.get('value')})"
    elif conclusion == "warn":
        text = f"Possible regression: {text} ({_doubt(first)})"
    gain = next((row for row in groups.better if row.total and row.metric is first.metric), None)
    if gain is not None:
        return f"{story(gain, quote)}, but {text[0].lower() + text[1:]}"
    return f"{text}{_total_of(first, report, quote)}"


def _improvement(groups: Groups, quote: Quote) -> str:
    better = sorted(groups.better, key=lambda row: not row.total)
    if not better:
        return ""
    first = better[0]
    text = story(first, quote)
    if first.total:
        cause = next((row for row in better[1:] if not row.total and row.metric is first.metric), None)
        costs = next((row for row in groups.worse if not row.total and row.metric is first.metric), None)
        text += f", above all {story(cause, quote)}" if cause is not None else ""
        return f"{text}; {story(costs, quote)}" if costs is not None else text
    return text


def _doubt(row: Row) -> str:
    """The doubt of a possible regression in two words."""
    codes = {reason.code for reason in row.finding.reasons}
    if ReasonCode.OFFSET in codes:
        return "offset elsewhere"
    if ReasonCode.NOT_REACHABLE in codes:
        return "not reachable from the change"
    return "not repeated" if ReasonCode.NOT_REPEATED in codes else "not confirmed"


def _total_of(row: Row, report: Report, quote: Quote) -> str:
    """How the total moved, behind a function's change."""
    relative = row.metric.total.relative
    if row.total or relative is None:
        return ""
    of = f" of {quote(row.workload)}" if len(report.workloads) > 1 else ""
    if total_within_noise(row.metric) and abs(relative) < TOTAL_FLOOR:
        return f"; total{of} unchanged"
    doubt = "" if any(map(is_total, row.metric.findings)) else f", {unseen_total(row.metric)}"
    return f"; total{of} {numbers.signed_percent(relative)}{doubt}"


def _cause(rows: Sequence[Row]) -> Row | None:
    """The first row of a function, else the first at all."""
    return next((row for row in rows if not row.total), rows[0] if rows else None)


def finding_key(location: Location) -> str:
    """Sixteen hexadecimal digits that name a function, file and call path in an address."""
    parts = (location.name, location.file or "", *(location.context or ()))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_total(finding: Finding) -> bool:
    """Whether a finding is about a whole workload; a function of this name has a share of the run."""
    return finding.location == Location("total") and finding.share_from is None and finding.share_to is None


def name_of(finding: Finding, *, with_file: bool = False) -> str:
    """The name of a finding's function, with its file on request and for names such as ``<genexpr>``."""
    name, file = finding.location.name, finding.location.file
    return f"{name} ({file.rpartition('/')[2]})" if file and (with_file or name[:1] in NAMELESS) else name


def total_within_noise(metric: MetricReport) -> bool:
    """Whether the total was tested and nothing was found."""
    tested = metric.calibration.get("total_tested") and metric.calibration.get("inconclusive") != "too_few_runs"
    return bool(tested) and not any(is_total(found) for found in metric.findings)


def unseen_total(metric: MetricReport) -> str:
    """What is known of a total without a finding."""
    return "within noise" if total_within_noise(metric) else "not tested"


def story(row: Row, quote: Quote) -> str:
    """One finding as a sentence: ``parse is 2.1x slower (14 → 29 samples)``."""
    finding, unit = row.finding, row.metric.unit
    before, after = finding.from_value, finding.to_value
    if row.total:
        return f"{quote(row.workload)} is {_growth(row)}"
    name, new = quote(name_of(finding)), (finding.evidence or {}).get("new", "")
    if not before and after:
        return f"{name} is new ({numbers.quantity(after, unit)})"
    if before and not after:
        return f"{name} is gone (it had {numbers.quantity(before, unit)})"
    text = f"{name} is {_growth(row)}"
    return f"{text}: new {quote(new)}" if new and finding.direction == "worse" else text


def _growth(row: Row) -> str:
    """The change of a finding in words: ``7.4x slower (14 → 103 samples)``."""
    finding, noun = row.finding, numbers.noun(row.metric.unit)
    if finding.relative is None:
        return "different"
    values = f" ({numbers.from_to(finding.from_value, finding.to_value, row.metric.unit)})"
    up = finding.relative > 0
    if noun in {"time", "samples"}:
        words = "slower" if up else "faster"
    elif row.metric.better == "higher":
        words = "higher" if up else "lower"
    else:
        words = "larger" if up else "smaller"
    if finding.relative >= HARDLY_ANY:
        return f"{words}{values}"
    if finding.relative >= MULTIPLE:
        return f"{numbers.ratio(finding.from_value, finding.to_value)} {words}{values}"
    return f"{numbers.percent(abs(finding.relative))} {words}{values}"


def why(row: Row, quote: Quote) -> tuple[str, ...]:
    """Why a finding has its colour, and how many others belong to it."""
    finding = row.finding
    parts = [reason_text(reason, quote) for reason in finding.reasons[:1]]
    if finding.carried_by is not None:
        parts.append(f"part of the change of {quote(finding.carried_by.name)}")
    if row.carries:
        parts.append(numbers.counted(row.carries, "related function"))
    if row.elsewhere:
        parts.append(f"also in {numbers.counted(row.elsewhere, 'more workload')}")
    factor, relative = row.metric.calibration.get("common_factor"), finding.statistics.get("ratio")
    if isinstance(factor, float) and abs(factor - 1.0) >= COMMON and relative is not None and not row.total:
        parts.append(f"{numbers.ratio(1.0, 1.0 + relative)} after the common factor of {factor:.2f}")
    if told := growth(row):
        parts.append(told)
    return tuple(parts)


def growth(row: Row) -> str:
    """How its cost grows with the size of the input: ``linear → power (n^1.0 → n^2.0), 27 → 176 ms at size 6,619``.

    Empty where no strategy that compares models says anything in the finding's direction.
    """
    told = [
        change
        for change in row.metric.changes
        if isinstance(change.from_value, str)
        and change.location == row.finding.location
        and direction_of(BY_WORD[change.kind]) == row.finding.direction != "none"
    ]
    if not told:
        return ""
    first = min(told, key=lambda change: ("growth_to" not in change.evidence, BY_WORD[change.kind] in MAYBE))
    text = f"{first.from_value} → {first.to_value}"
    known = first.evidence
    before, after, size = (_known(known.get(name)) for name in ("value_from", "value_to", "largest_common_size"))
    if before is not None and after is not None and size is not None:
        exponents = [_known(known.get(f"growth_{side}")) for side in ("from", "to")]
        powers = " → ".join(numbers.UNKNOWN if one is None else f"n^{one:.2f}" for one in exponents)
        return f"{text} ({powers}), {numbers.from_to(before, after, row.metric.unit)} at size {size:,.0f}"
    return f"{text}, {numbers.signed_percent(first.relative)} over the common sizes"


def _known(value: float | str | None) -> float | None:
    return None if isinstance(value, str) else value


def evidence_words(finding: Finding) -> tuple[str, ...]:
    """What else is known of a finding's place, each as ``name: text``; first what a second measurement found."""
    evidence = finding.evidence or {}
    plain = ((name, text) for name, text in sorted(evidence.items()) if name not in HIDDEN and CONFIRMED not in name)
    repeated = {ReasonCode.CONFIRMED, ReasonCode.NOT_REPEATED} & {reason.code for reason in finding.reasons}
    first = filter(None, ("" if repeated else _measured_again(evidence), reach_words(finding)))
    return (*first, *(f"{name}: {text}" for name, text in plain))


def _measured_again(evidence: Mapping[str, str]) -> str:
    result = evidence.get(CONFIRMED)
    if result is None:
        return ""
    if result == "not seen":
        return "not in the second measurement"
    size = evidence.get("confirmed_change", "new")
    change = "new" if size == "new" else numbers.signed_percent(float(size))
    found = f"{'' if result == 'yes' else 'not '}confirmed by {evidence.get('confirmed_runs', '')} interleaved runs"
    return f"{found}: {change}, p = {evidence.get('confirmed_p', numbers.UNKNOWN)}"


def reach_words(finding: Finding) -> str:
    """How the change can have come to a function that it does not touch; empty where it is touched, or nobody knows."""
    evidence = finding.evidence or {}
    path = evidence.get("reach_path", "")
    words = {
        "called by a changed function": f"called by changed code: {path}",
        "dependency changed": f"dependency changed: {path}",
        "not reachable": "not reachable from the change",
    }
    return words.get(evidence.get("reach", ""), "")


def reach_in_full(finding: Finding) -> str:
    """As `reach_words`, and also where the function is touched or nobody can tell; empty where nobody asked."""
    plain = {"changed here": "changed here", "unknown": "unknown whether the change reaches it"}
    return reach_words(finding) or plain.get((finding.evidence or {}).get("reach", ""), "")


def source_words(finding: Finding) -> str:
    """What the pull request did to the finding's function; empty where it did nothing, or nobody knows."""
    return SOURCES.get((finding.evidence or {}).get("source", ""), "")


def renames(metric: MetricReport) -> tuple[tuple[str, str], ...]:
    """(old, new) names of functions that are compared as one, without those that only their file gave a new place."""
    pairs = _renamed(metric)
    return tuple((old.name, new.name) for old, new in pairs if old.name != new.name or old.file == new.file)


def renamed_files(metric: MetricReport) -> tuple[tuple[str, str], ...]:
    """(old, new) files whose functions are compared as one, each once."""
    pairs = [(old.file, new.file) for old, new in _renamed(metric) if old.name == new.name]
    return tuple(dict.fromkeys((old, new) for old, new in pairs if old and new and old != new))


def _renamed(metric: MetricReport) -> list[tuple[Location, Location]]:
    return [(relation.others[0], relation.location) for relation in metric.relations if relation.others]


def measured_again(report: Report) -> str:
    """How many of the suspects a second measurement confirmed, as a sentence; empty where there was none."""
    results = [(row.finding.evidence or {}).get(CONFIRMED) for row in _rows(report)]
    known = [result for result in results if result]
    if not known:
        return ""
    unseen = f", {known.count('not seen')} without a value in it" if "not seen" in known else ""
    return f"Measured again, interleaved: {known.count('yes')} of {len(known)} possible regressions confirmed{unseen}."


def further_reasons(report: Report, quote: Quote) -> tuple[str, ...]:
    """The verdict's reasons that no row and no headline shows."""
    shown = {ReasonCode.FINDING, ReasonCode.MORE, ReasonCode.NO_CHANGE}
    reasons = [one for one in report.verdict.reasons if one.code not in shown]
    if report.verdict.conclusion == "inconclusive":
        reasons = reasons[1:]
    several = len(report.workloads) > 1
    return tuple(
        f"{quote(str(reason.parameters.get('workload')))}: {reason_text(reason, quote)}"
        if several and reason.code in UNDECIDED
        else full_sentence(reason, quote)
        for reason in reasons
    )


def calibration(report: Report, metric: MetricReport) -> str:
    """By what this metric is judged, in words; empty where the report does not state it."""
    facts = metric.calibration
    mode, jobs = facts.get("mode"), facts.get("base_jobs")
    if mode == "jobs":
        basis = f"compared with {numbers.counted(int(jobs or 0), 'base job')}"
    elif mode == "runs" and facts.get("inconclusive") != "too_few_runs":
        order = "interleaved runs" if facts.get("interleaved") else "runs"
        basis = f"{int(facts.get('splits') or 0):,} ways to regroup the {order}"
    else:
        return ""
    basis = "exact counts" if facts.get("exact") else basis
    factor = facts.get("common_factor")
    if isinstance(factor, float) and abs(factor - 1.0) >= COMMON:
        basis += f"; a common factor of {factor:.2f} is divided out"
    return "; ".join(filter(None, (basis, false_alarms(report))))


def false_alarms(report: Report) -> str:
    """How often the gate was red on unchanged code, with its interval and advice; empty where that was never tried."""
    policy = report.policy
    trials, reds = policy.get("unchanged_comparisons"), policy.get("unchanged_reds")
    low, high = policy.get("false_alarms_low"), policy.get("false_alarms_high")
    if not isinstance(trials, int) or not isinstance(low, int | float) or not isinstance(high, int | float):
        return ""
    text = (
        f"false alarms in {reds} of {numbers.counted(trials, 'comparison')} of unchanged code"
        f" (95 % interval {numbers.percent(low)} to {numbers.percent(high)})"
    )
    if policy.get("over_budget") and not policy.get("auto_demote"):
        text += ", more than the budget allows: set auto-demote: true, or fail-on: never until it is quieter"
    return text


def detectable(metric: MetricReport) -> str:
    """The smallest changes these runs can show, in words; empty where the report does not state them."""
    seen = visible(metric)
    return f"smallest visible change: {seen}" if seen else ""


def visible(metric: MetricReport) -> str:
    """The smallest visible changes: ``4 % in the total, 22 % in a 10 % function``."""
    total, tenth = (metric.calibration.get(f"visible_{name}") for name in ("total", "tenth"))
    found = [f"{numbers.smallest_change(total)} in the total"] if isinstance(total, int | float) else []
    found += [f"{numbers.smallest_change(tenth)} in a 10 % function"] if isinstance(tenth, int | float) else []
    return ", ".join(found)


def run_counts(metric: MetricReport) -> str:
    """How many runs stand behind the numbers of a metric."""
    runs = metric.runs
    noise = runs.get("noise", 0)
    others = f", {numbers.counted(noise, 'run')} of other base jobs" if noise else ""
    return f"{runs.get('baseline', 0)} + {runs.get('target', 0)} runs{others}"


def strategies(report: Report) -> tuple[str, ...]:
    """The names of all strategies with a result, sorted."""
    metrics = [metric for workload in report.workloads for metric in workload.metrics]
    votes = {vote.name for metric in metrics for finding in metric.findings for vote in finding.strategies}
    return tuple(sorted(votes | {change.strategy for metric in metrics for change in metric.changes}))


def counts(report: Report) -> Counter[str]:
    """How many rows are in no list, by reason, summed over everything that was compared."""
    found: Counter[str] = Counter()
    for workload in report.workloads:
        for metric in workload.metrics:
            found.update(metric.counts)
    return found


def only_counted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """What is in no list, in words, so that nothing is left out in silence."""
    unknown, small, cut = (counts.get(name, 0) for name in ("unknown", "small", "cut"))
    told = (
        f"{numbers.counted(unknown, 'row')} without a result" if unknown else "",
        f"{numbers.counted(small, 'new or gone location')} too small to list" if small else "",
        f"{numbers.counted(cut, 'change')} beyond the longest list" if cut else "",
    )
    return tuple(text for text in told if text)


def _rows(report: Report) -> Iterable[Row]:
    for workload in report.workloads:
        for metric in workload.metrics:
            for finding in metric.findings:
                yield Row(workload.name, metric, finding)


def _importance(row: Row) -> tuple[tuple[int, int, float, float], str, str, str, str]:
    place = row.finding.location
    return weight_of(row.finding), row.workload, row.metric.name, place.name, place.file or ""


def weight_of(finding: Finding) -> tuple[int, int, float, float]:
    """Sorts findings: what costs more first, of both directions the strongest and largest."""
    return (
        COLOURS.index(finding.colour) if finding.direction != "better" else len(COLOURS),
        RANKS[_kind(finding)] * (-1 if finding.direction == "better" else 1),
        -_moved_share(finding),
        -abs(finding.relative or 0.0),
    )


def _moved_share(finding: Finding) -> float:
    weight = finding.statistics.get("weight")
    return abs((finding.share_to or 0.0) - (finding.share_from or 0.0) if weight is None else weight)


def direction_of(kind: Kind) -> Direction:
    """Which way a kind points."""
    if kind in WORSE:
        return "worse"
    return "better" if kind in BETTER else "none"


def _kind(finding: Finding) -> Kind:
    return BY_WORD.get(finding.kind, Kind.UNKNOWN)


def _movement(pair: Pair) -> tuple[bool, float, str, str]:
    return not changed(pair), -abs(pair.metric.total.relative or 0.0), pair.workload, pair.metric.name
