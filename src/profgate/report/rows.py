"""The order, the groups and the words in which every text report shows findings."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from profgate.model.change import Location
from profgate.model.kinds import BETTER, BY_WORD, MAYBE, RANKS, WORSE, Kind
from profgate.model.report import Direction, Finding, MetricReport, NotCompared, Report
from profgate.model.units import MetricKind
from profgate.report import numbers

COLOURS = ("red", "yellow", "neutral", "green")
TAGS: dict[Kind, tuple[str, str]] = {
    Kind.TOTAL_DEGRADATION: ("🔴", "total worse"),
    Kind.SEVERE_DEGRADATION: ("🔴", "severe"),
    Kind.DEGRADATION: ("🟠", "degraded"),
    Kind.MAYBE_DEGRADATION: ("🟡", "maybe"),
    Kind.NOT_IN_BASELINE: ("🆕", "new"),
    Kind.UNKNOWN: ("❔", "cannot tell"),
    Kind.NO_CHANGE: ("✅", "unchanged"),
    Kind.NOT_IN_TARGET: ("🗑", "gone"),
    Kind.MAYBE_OPTIMIZATION: ("🟢", "maybe better"),
    Kind.OPTIMIZATION: ("⚡", "better"),
    Kind.SEVERE_OPTIMIZATION: ("⚡", "much better"),
    Kind.TOTAL_OPTIMIZATION: ("⚡", "total better"),
}
NOISE = (
    ("the calibrated test sees no more than noise here",),
    ("it has no cost of its own: a caller of what changed",),
)
MOVED_KEYS = frozenset({"cost", "from", "into", "of", "through"})
AGAIN = "measured again"  # the evidence of a second measurement, a sentence by itself
MOVED = ("moved", "renamed", "split")  # cost that is at another place, not new
SOURCES = {
    "changed": "changed here",
    "added": "added here",
    "removed": "removed here",
    "renamed": "moved or renamed here",
}
GATE_RUNS = 8  # independent base runs from which the noise counts as known
HARDLY_ANY = 99.0  # growth from which the baseline had next to nothing, and a multiple of it says nothing
NAMELESS = ("<", "(")  # how the names of what has none begin
VERBS = {"time": "takes", "memory": "uses", "samples": "has"}
Quote = Callable[[str], str]


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
        return self.finding.location == Location("total")

    @property
    def tag(self) -> tuple[str, str]:
        """Sign and word of the finding."""
        return tag_of(self.finding)


def tag_of(finding: Finding) -> tuple[str, str]:
    """Sign and word by which every report calls a finding."""
    if finding.acknowledgement:
        return "✅", "accepted"
    kind = _kind(finding)
    if finding.colour != "red" and (cost := (finding.evidence or {}).get("cost")) in MOVED:
        return "🔀", cost
    return ("·", "hint") if finding.colour == "neutral" and kind in MAYBE else TAGS[kind]


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
    return "noise" if (weightless or finding.reasons[:1] in NOISE) and not moved_words(finding) else "other"


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


def doubt(report: Report, quote: Quote, words: Quote) -> str:
    """Why nothing can be said, as one sentence; ``words`` makes our own sentences safe, which may hold names too."""
    missing, known = not_compared(report), len(pairs(report))
    if len(missing) == 1:
        return f"{quote(missing[0].name)}: {words(missing[0].reason)}"
    if missing and known:
        return f"{len(missing)} of {len(missing) + known} could not be compared"
    if report.verdict.reasons:
        return words(report.verdict.reasons[0])
    return words(missing[0].reason) if missing else "there was nothing to compare"


def headline(report: Report, quote: Quote) -> str:
    """What matters most, as one sentence; ``quote`` makes names safe for the place the sentence goes to.

    What is sure comes first, then what is not, as what it is. Of the sure a cause says more than a sum, as long as it
    weighs as much for the verdict; who reads one line must not take a program that got faster for a slower one.
    """
    groups, conclusion = grouped(report), report.verdict.conclusion
    worse = [] if conclusion == "pass" else list(groups.worse)
    if conclusion == "fail":
        worse = [row for row in worse if row.finding.colour == "red"] or worse
    worse = [row for row in worse if row.finding.colour == worse[0].finding.colour]
    doubts = [row for row in worse if conclusion != "fail" and _doubtful(row)]
    doubts.sort(key=lambda row: -_moved_share(row.finding))
    better = [row for row in groups.better if not _doubtful(row)]
    sure = _cause([row for row in worse if conclusion == "fail" or not _doubtful(row)])
    first = sure or _cause(doubts) or _cause(better)
    if first is None:
        return ""
    gains = [row for row in better if row.metric is first.metric]
    told = [row for row in gains if row.total][:1]
    words = [story(row, quote) for row in told]
    if sure is None and (gain := next((row for row in gains if not row.total), None)):
        words.append(f"{'above all ' if told else ''}{story(gain, quote)}")
    elif sure is not None:
        words.append(f"{'but ' if told else ''}{story(sure, quote)}")
    if (doubt := _cause(doubts)) and (sure is None or sure.total):
        words.append(f"{'perhaps ' if _kind(doubt.finding) in MAYBE else ''}{story(doubt, quote)}")
    whole = first.metric.total.relative
    if told or first.total or whole is None:
        return "; ".join(words)
    of = f" of {quote(first.workload)}" if len(report.workloads) > 1 else ""
    quiet = ", within noise" if total_within_noise(first.metric) else ""
    return f"{'; '.join(words)} (total{of} {numbers.signed_percent(whole)}{quiet})"


def _cause(rows: Sequence[Row]) -> Row | None:
    """The first row of a function, else the first at all."""
    return next((row for row in rows if not row.total), rows[0] if rows else None)


def _doubtful(row: Row) -> bool:
    """Whether weak evidence is all there is, or a new name, whose cost another name may have had."""
    return _kind(row.finding) in MAYBE | {Kind.NOT_IN_BASELINE}


def name_of(finding: Finding) -> str:
    """The name of a finding's function, with its file where ``<genexpr>`` or ``(anonymous)`` alone says nothing."""
    name, file = finding.location.name, finding.location.file
    return f"{name} ({file.rpartition('/')[2]})" if file and name[:1] in NAMELESS else name


def total_within_noise(metric: MetricReport) -> bool:
    """Whether the total was tested and nothing was found."""
    return metric.calibration.get("total_p") is not None and all(
        found.location != Location("total") for found in metric.findings
    )


def mild_word(report: Report) -> str:
    """How to begin what does not fail: accepted, where that is all there is to it."""
    worse = [row for row in grouped(report).worse if not row.total]
    return "Accepted" if worse and all(row.finding.acknowledgement for row in worse) else "Worth a look"


def story(row: Row, quote: Quote) -> str:
    """One finding as a sentence: ``parse takes 2.1x its previous time``."""
    finding, unit = row.finding, row.metric.unit
    before, after = finding.from_value, finding.to_value
    if row.total:
        return f"{quote(row.workload)} {_growth(row)} in total"
    name = quote(name_of(finding))
    if not before and after:
        return f"{name} is new with {numbers.quantity(after, unit)}"
    if before and not after:
        return f"{name} is gone (it had {numbers.quantity(before, unit)})"
    return f"{name} {_growth(row)}"


def _growth(row: Row) -> str:
    finding, noun = row.finding, numbers.noun(row.metric.unit)
    verb = VERBS.get(noun)
    if finding.relative is None:
        return "changed"
    if finding.relative >= HARDLY_ANY:
        values = (numbers.quantity(value, row.metric.unit) for value in (finding.from_value, finding.to_value))
        return f"went from {' to '.join(values)}"
    if finding.relative >= 0.5:
        times = numbers.ratio(finding.from_value, finding.to_value)
        return f"{verb} {times} its previous {noun}" if verb else f"is at {times} its previous value"
    size, up = numbers.percent(abs(finding.relative)), finding.relative > 0
    if verb:
        fewer = "fewer" if noun == "samples" else "less"
        return f"{verb} {size} {'more' if up else fewer} {noun}"
    return f"is {size} {'higher' if up else 'lower'}"


def why(row: Row, said: frozenset[str] = frozenset()) -> tuple[str, ...]:
    """How well founded a finding is: ``fails the gate``, ``4 of 5 strategies``, ``q = 0.0004``.

    Of the reasons why it does not fail the first that is not among those ``said`` before of the whole report.
    """
    finding = row.finding
    mild = [reason for reason in finding.reasons if reason not in said][:1]
    parts = ["fails the gate"] if finding.colour == "red" else mild
    if finding.carried_by is not None:
        parts.append(f"carried by {finding.carried_by.name}")
    if row.carries:
        parts.append(f"carries {numbers.counted(row.carries, 'row')} more")
    if row.elsewhere:
        parts.append(f"also in {numbers.counted(row.elsewhere, 'more workload')}")
    if len(finding.strategies) == 1 and not row.total:
        parts.append(f"only {finding.strategies[0].name}")
    elif finding.strategies and not row.total:
        agreeing = sum(vote.agrees for vote in finding.strategies)
        # of a new function every strategy says no more than that it is new
        parts += [f"{agreeing} of {len(finding.strategies)} strategies"] * bool(agreeing)
    if finding.statistics.get("q") is not None:
        q_value = numbers.probability(finding.statistics["q"])
        parts.append(f"q {q_value.replace('<', '< ') if q_value[0] == '<' else '= ' + q_value}")
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


def moved_words(finding: Finding) -> str:
    """Where the cost of a finding was before, in words; empty where it did not move."""
    evidence = finding.evidence or {}
    words = {"renamed": "renamed from {from}", "moved": "cost moved from {from}", "new": "reached through {through}"}
    words |= {"split": "split into {into}" if "into" in evidence else "took in {of}"}
    form = words.get(evidence.get("cost", ""), "")
    try:
        return form.format_map(evidence)
    except KeyError:  # a report of another program may lack the name
        return ""


def evidence_words(finding: Finding) -> tuple[str, ...]:
    """What else is known of a finding's place, each as ``name: text``.

    First, in words of their own, what a second measurement found, and cost that moved.
    """
    told = MOVED_KEYS | {"source", "source_link", "reach", "reach_path", "confirmed", AGAIN}
    plain = ((name, text) for name, text in sorted((finding.evidence or {}).items()) if name not in told)
    again = (finding.evidence or {}).get(AGAIN, "")
    first = filter(None, (again, moved_words(finding), reach_words(finding)))
    return (*first, *(f"{name}: {text}" for name, text in plain))


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
    found = (relation for relation in metric.relations if relation.kind == "renamed")
    return [(relation.others[0], relation.location) for relation in found if relation.others]


def measured_again(report: Report) -> str:
    """How many of the suspects a second measurement confirmed, as a sentence; empty where there was none."""
    said = [(row.finding.evidence or {}).get("confirmed") for row in _rows(report)]
    asked = [word for word in said if word]
    if not asked:
        return ""
    unseen = f", {asked.count('not seen')} not seen again" if "not seen" in asked else ""
    return f"Measured again, both sides in turns: {asked.count('yes')} of {len(asked)} suspects confirmed{unseen}."


def further_reasons(report: Report) -> tuple[str, ...]:
    """The verdict's reasons without those that name a finding: findings have rows of their own."""
    found = tuple(_rows(report))
    names = {row.finding.location.name for row in found}
    if any(row.total for row in found):
        names.add("the total")
    return tuple(reason for reason in report.verdict.reasons if not _names_finding(reason, names))


def calibration(report: Report, metric: MetricReport) -> str:
    """How far the noise of this metric is known, in words; empty where the report says nothing."""
    runs = metric.calibration.get("base_runs")
    if metric.kind == MetricKind.COUNTED:
        return "counted, not sampled"
    if not isinstance(runs, int):
        return ""
    if runs >= GATE_RUNS:
        disturbed = metric.calibration.get("disturbed")
        told = f"calibrated on {numbers.counted(runs, 'base run')}{f'; {disturbed}' if disturbed else ''}"
    elif report.policy.get("gate_without_history"):
        told = f"gating with {runs} of {GATE_RUNS} base runs, as the policy asks"
    else:
        told = f"calibrating: {runs} of {GATE_RUNS} base runs, advisory until then"
    return "; ".join(filter(None, (told, false_alarms(report))))


def false_alarms(report: Report) -> str:
    """How often the gate was red on unchanged code, with its interval and advice; empty where that was never tried."""
    said = report.policy
    trials, reds = said.get("unchanged_comparisons"), said.get("unchanged_reds")
    low, high = said.get("false_alarms_low"), said.get("false_alarms_high")
    if not isinstance(trials, int) or not isinstance(low, int | float) or not isinstance(high, int | float):
        return ""
    text = (
        f"false alarms in {reds} of {numbers.counted(trials, 'comparison')} of unchanged code"
        f" (95 % interval {numbers.percent(low)} to {numbers.percent(high)})"
    )
    if said.get("over_budget") and not said.get("auto_demote"):
        text += ", more than the budget allows: set auto-demote: true, or fail-on: never until it is quieter"
    return text


def detectable(metric: MetricReport) -> str:
    """The smallest changes these runs can show, in words; empty where the report says nothing."""
    where = metric.calibration.get("detectable_where")
    place = f" in {where}" if isinstance(where, str) else ""
    total = metric.calibration.get("total_detectable")
    told = [f"{numbers.smallest_change(metric.detectable)}{place}"] if metric.detectable is not None else []
    told += [f"{numbers.smallest_change(total)} in the total"] if isinstance(total, int | float) else []
    return f"smallest change it can see: {', '.join(told)}" if told else ""


def run_counts(metric: MetricReport) -> str:
    """How many runs stand behind the numbers of a metric."""
    runs = metric.runs
    text = f"{runs.get('baseline', 0)} + {runs.get('target', 0)} runs"
    noise = runs.get("noise", 0)
    text += f", {noise} more for noise" if noise else ""
    # repetitions of one job share its machine and layout; where no job is stated nobody can tell
    return f"{text}, independence assumed" if metric.calibration.get("independence") == "assumed" else text


def strategies(report: Report) -> tuple[str, ...]:
    """The names of all strategies that spoke, in order of the alphabet."""
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


def _names_finding(reason: str, names: set[str]) -> bool:
    if re.match(r"and \d+ more like these", reason):
        return True
    verbs = re.finditer(r" (?:may have got|got|is new|is gone|changed)\b", reason)
    return any(reason[: verb.start()] in names for verb in verbs)


def only_counted(counts: Mapping[str, int]) -> tuple[str, ...]:
    """What is in no list, in words, so that nothing is left out in silence."""
    unknown, small, cut = (counts.get(name, 0) for name in ("unknown", "small", "cut"))
    told = (
        f"{numbers.counted(unknown, 'row')} where a strategy could not tell" if unknown else "",
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
    return abs((finding.share_to or 0.0) - (finding.share_from or 0.0))


def direction_of(kind: Kind) -> Direction:
    """Which way a kind points."""
    if kind in WORSE:
        return "worse"
    return "better" if kind in BETTER else "none"


def _kind(finding: Finding) -> Kind:
    return BY_WORD.get(finding.kind, Kind.UNKNOWN)


def _movement(pair: Pair) -> tuple[bool, float, str, str]:
    return not changed(pair), -abs(pair.metric.total.relative or 0.0), pair.workload, pair.metric.name
