"""A finding as a row of the outputs, and its change, cause and place in words."""

import hashlib
import math

from profgate.model.change import BY_WORD, COLLECTORS, MAYBE, WORSE, GateResult, Kind, Location, ModelPair
from profgate.model.reason import ReasonCode
from profgate.model.record import Record, replace
from profgate.model.report import TOTAL, Cause, Finding, MetricReport
from profgate.model.units import base_unit
from profgate.model.visible_text import brief_path
from profgate.report import numbers
from profgate.report.wording import Quote, reason_text

Calls = tuple[float | None, float | None]  # numbers of calls in the baseline and the target
MOST = 0.5  # smallest fraction of a change that callees must explain to be called most of it
TOP_LEVEL = "<module>"  # name of top-level code
NAMELESS = ("<", "(")  # first characters of placeholders for unnamed functions
SOURCES = {"changed": "changed", "added": "added", "removed": "removed", "renamed": "moved or renamed"}
REACHES = {
    "called by a changed function": "called by changed code",
    "dependency changed": "dependency changed",
    "not reachable": "not reachable from the change",
    "same machine code": "same machine code on both sides",
}
NO_DIFF = "no diff was given, so it is unknown whose change it is"
TAGS: dict[Kind, str] = {
    Kind.TOTAL_DEGRADATION: "total worse",
    Kind.SEVERE_DEGRADATION: "severe",
    Kind.DEGRADATION: "degraded",
    Kind.MAYBE_DEGRADATION: "possible",
    Kind.NOT_IN_BASELINE: "new",
    Kind.UNKNOWN: "inconclusive",
    Kind.NO_CHANGE: "unchanged",
    Kind.NOT_IN_TARGET: "gone",
    Kind.MAYBE_OPTIMIZATION: "possibly better",
    Kind.OPTIMIZATION: "better",
    Kind.SEVERE_OPTIMIZATION: "much better",
    Kind.TOTAL_OPTIMIZATION: "total better",
}
# headings of what the terminal report shows of each finding
COLUMNS = ("baseline → target", "change", "share of total", "calls")


class Pair(Record):
    """One metric of one workload."""

    workload: str
    metric: MetricReport


class Row(Pair):
    """A finding with its workload and metric.

    ``elsewhere`` is the number of other workloads with the same cause. ``calls`` contains the numbers of calls on both
    sides if they are known.
    """

    finding: Finding
    elsewhere: int = 0
    calls: Calls | None = None

    @property
    def shown(self) -> Finding:
        """The finding as outputs show it: about the caller in the project instead of a function of another project.

        Findings that are part of the change of another one, or without such a caller, stay as they are.
        """
        finding, total, cause = self.finding, self.metric.total, _cause_of(self.finding, self.metric)
        if cause is None or finding.explained_by is not None or cause.costs.inclusive_to is None:
            return finding
        before, after = cause.costs.inclusive_from or 0.0, cause.costs.inclusive_to
        if not finding.delta or (after - before) / finding.delta < MOST:
            return finding
        return replace(
            finding,
            location=cause.end,
            from_value=before,
            to_value=after,
            delta=after - before,
            relative=(after - before) / before if before else None,
            share_from=before / total.baseline if total.baseline else None,
            share_to=after / total.target if total.target else None,
            changes=tuple(
                replace(change, result=change.result and GateResult(judged="subtree")) for change in finding.changes
            ),
            costs=cause.costs,
            attribution=cause.attribution,
        )

    @property
    def total(self) -> bool:
        """Whether the finding is about the whole workload."""
        return self.finding.is_total

    @property
    def everything(self) -> bool:
        """Whether this is a total that changed because all functions changed by a common factor."""
        return self.total and any(reason.code is ReasonCode.EVERYTHING for reason in self.finding.reasons)

    @property
    def columns(self) -> tuple[str, str, str, str]:
        """The texts of the columns `COLUMNS`: ``self 14 → 103 samples``, ``7.4x``, ``19.7 → 41.1 %``, ``1 → 2``."""
        calls = numbers.from_to(*self.calls, "count") if self.calls and self.calls[0] != self.calls[1] else ""
        return "".join(amounts(self.shown, self.metric.unit)), *growth_and_share(self.shown), calls


def amounts(finding: Finding, unit: str) -> tuple[str, str]:
    """Return ``self `` and the values over all calls. The word is left out if there is no other total cost."""
    costs = finding.costs
    values = numbers.from_to(finding.from_value, finding.to_value, unit)
    total = numbers.from_to(costs.inclusive_from, costs.inclusive_to, unit)
    has_total = None not in (costs.inclusive_from, costs.inclusive_to)
    is_self = has_total and total != values and finding.result.judged != "subtree"
    return "self " if is_self else "", values


def growth_and_share(finding: Finding) -> tuple[str, str]:
    """Return the change of the values and the part of the run. If only the share changed, it is the change."""
    share = "" if finding.is_total else numbers.share_from_to(finding.share_from, finding.share_to)
    if finding.only_share:
        return f"{share} of the run", ""
    return numbers.growth(finding.from_value, finding.to_value), share


def details(row: Row, quote: Quote) -> tuple[str, ...]:
    """Return how the cost grows with the input size, and the callees that explain the change."""
    return tuple(filter(None, (growth_by_size(row.finding, row.metric), parts_text(row, quote))))


def tag_of(finding: Finding) -> str:
    """Return the name that all reports use for this kind of finding."""
    if finding.is_accepted:
        return "accepted"
    kind = BY_WORD.get(finding.kind, Kind.UNKNOWN)
    if finding.colour == "neutral" and kind in MAYBE:
        return "note"
    if finding.only_share:
        return "share"
    return TAGS[Kind.MAYBE_DEGRADATION if finding.colour == "yellow" and kind in WORSE else kind]


def change_text(row: Row, quote: Quote, *, capital: bool = False) -> str:
    """Return a finding as text: ``parse is 2.1x slower (14 → 29 samples)``, ``parse +31 % (14 → 18 samples)``.

    ``capital`` capitalizes the word total, but never a name.
    """
    finding, metric = row.shown, row.metric
    before, after = finding.from_value, finding.to_value
    (basis, values), times = amounts(finding, metric.unit), growth_and_share(finding)[0]
    name = (
        f"{'Total' if capital else 'total'} of {quote(row.workload)}"
        if row.total
        else quote(place_name(finding.location))
    )
    if not before and after:
        own, whole = numbers.quantity(after, metric.unit), numbers.quantity(finding.costs.inclusive_to, metric.unit)
        return f"{name} is new ({f'{whole}, self {own}' if basis else own})"
    if before and not after:
        return f"{name} is gone (it had {basis}{numbers.quantity(before, metric.unit)})"
    new = next(((quote(callee), takes) for callee, takes in new_parts(finding, metric)), None)
    costs = f" ({basis}{values})"
    if finding.only_share:  # its cost changed in the other direction, so it is neither slower nor faster
        return f"{new[0]} is new and {new[1]}" if new else f"{name} takes {times}{costs}"
    word = _comparative(row)
    cause = _cause_of(finding, metric) if finding.attribution.source not in {"changed", "added"} else None
    if cause is not None and cause.changed and finding.relative is not None:
        size = f"{times} {word}" if times.endswith("x") else f"{word}: {times}"
        return f"{quote(place_name(cause.end))}, changed here, makes {name} {size}{costs}"
    if finding.attribution.reach == "calls a changed function":
        name = f"{name}, which calls {quote(finding.attribution.reach_path or '')} (changed here),"
    within = f", {parts_of(row)[0]} {quote(place_name(row.finding.location))}" if finding is not row.finding else ""
    return f"{name} {_size(times, word)}{costs}{f': new {new[0]} {new[1]}' if new else within}{per_call(row, word)}"


def per_call(row: Row, word: str) -> str:
    """Return ``, called 3.0x as often`` if this explains most of a change, otherwise ``, slower per call``.

    The text is empty if the calls are unknown or if the change is that of another function.
    """
    known = (*(row.calls or (None,)), row.finding.from_value, row.finding.to_value)
    if row.shown is not row.finding or not all(value is not None and value > 0 for value in known):
        return ""
    more_often, ratio = (math.log((after or 1.0) / (before or 1.0)) for before, after in (known[:2], known[2:]))
    if more_often * ratio > 0 and abs(more_often) >= MOST * abs(ratio):
        return f", called {numbers.ratio(1.0, math.exp(more_often))} as often"
    return f", {word} per call"


def total_change(row: Row) -> str:
    """Return the change of a total: ``Total −18.6 % (442 → 360 samples)``."""
    values, growth, *_ = row.columns
    return f"Total {_size(growth, _comparative(row))} ({values})"


def _size(times: str, word: str) -> str:
    return f"is {times} {word}" if times.endswith("x") else "is different" if times == numbers.UNKNOWN else times


def _comparative(row: Row) -> str:
    is_more = (row.shown.relative or 0.0) > 0
    if base_unit(row.metric.unit)[0] in {"nanoseconds", "samples"}:
        return "slower" if is_more else "faster"
    more, less = ("higher", "lower") if row.metric.better == "higher" else ("larger", "smaller")
    return more if is_more else less


def growth_by_size(finding: Finding, metric: MetricReport) -> str:
    """Return how the cost grows with the input size: ``linear → power (n^1.0 → n^2.0), 27 → 176 ms at size 6,619``.

    The result is empty if no model-based strategy reports a change in the same direction.
    """
    models = [
        (change.details, change)
        for change in finding.agreeing
        if isinstance(change.details, ModelPair) and change.details.baseline
    ]
    models.sort(key=lambda pair: (pair[0].largest_common_size is None, BY_WORD[pair[1].kind] in MAYBE))
    if not models:
        return ""
    pair, change = models[0]
    text = f"{pair.baseline} → {pair.target}"
    if pair.value_from is None or pair.value_to is None or pair.largest_common_size is None:
        return f"{text}, {numbers.signed_percent(change.relative)} over the common sizes"
    exponents = (pair.growth_from, pair.growth_to)
    powers = " → ".join(numbers.UNKNOWN if power is None else f"n^{power:.2f}" for power in exponents)
    values = numbers.from_to(pair.value_from, pair.value_to, metric.unit)
    return f"{text} ({powers}), {values} at size {pair.largest_common_size:,.0f}"


def place_name(location: Location, *, with_file: bool = False) -> str:
    """Return the name of a function. Parentheses distinguish a function called "total" from the total of a metric.

    The file and line are appended if ``with_file`` is set or if the name is a common one: ``__eq__ (token.py:12)``.
    Top-level code is named by its file: ``<module main.js>``.
    """
    name, file = "total()" if location.name == TOTAL.name else location.name, location.file
    if name == TOP_LEVEL and file:
        return f"{name[:-1]} {file.rpartition('/')[2]}>"
    bare = name[:1] in NAMELESS or name in {"_", "__", "wrapper"} or (name[:2] == "__" == name[-2:])
    return f"{name} ({source_place(location).rpartition('/')[2]})" if file and (with_file or bare) else name


def source_place(location: Location, path: str | None = None) -> str:
    """Return the file and line of a function, or the lines of all functions whose costs are added up.

    ``path`` is the path of the file in the repository, if the location has another one.
    """
    lines = "" if location.name == TOP_LEVEL else ", ".join(map(str, location.lines or filter(None, (location.line,))))
    return f"{brief_path(path or location.file or '')}{f':{lines}' if lines else ''}"


def place_of(row: Row) -> str:
    """Return the file and line where a finding happened: its most important line, or its function; "" if unknown."""
    location, path = row.shown.location, row.shown.attribution.path
    lines = next((place.lines for place in row.metric.places if place.location == location), ())
    costliest = max(lines, key=lambda line: abs((line.to_value or 0.0) - (line.from_value or 0.0)), default=None)
    if costliest is not None:
        location = replace(location, line=costliest.after or costliest.before, lines=())
    return source_place(location, path) if path or location.file else ""


def whole_change(finding: Finding) -> float:
    """Return by how much a function and what it calls changed, of which its lines are parts."""
    costs = finding.costs
    return max(abs((costs.inclusive_to or 0.0) - (costs.inclusive_from or 0.0)), abs(finding.delta or 0.0))


def _cause_of(finding: Finding, metric: MetricReport) -> Cause | None:
    """Return what explains the change of a finding, or None if its own function does."""
    here = finding.location.name, finding.location.file, finding.direction
    causes = (cause for cause in metric.causes if (cause.location.name, cause.location.file, cause.direction) == here)
    return next(causes, None)


def parts_of(row: Row) -> tuple[str, list[tuple[str, str]]]:
    """Return ``mostly in``, and the names of callees that explain a change with texts such as ``+150 ms (new)``.

    If only the share of the function changed, the result is ``new``, and the new callees with their shares.
    """
    finding, metric = row.finding, row.metric
    if row.shown is not finding:
        delta = finding.delta or 0.0
        word = "mostly in" if abs(delta) >= MOST * abs(row.shown.delta or 0.0) else "partly in"
        return word, [(place_name(finding.location), numbers.signed(delta, metric.unit))]
    if finding.only_share:
        return "new", new_parts(finding, metric)
    whole, explained = abs(finding.delta or 0.0), 0.0
    shown: list[tuple[str, str]] = []
    for part in (part for part in metric.parts if part.location == finding.location):
        delta = part.to_value - part.from_value
        if shown and explained + abs(delta) > whole:
            continue  # the callees call each other, so their costs overlap
        explained += abs(delta)
        size = "" if abs(delta) > whole else f"{numbers.signed(delta, metric.unit)} "
        shown.append((place_name(part.callee), f"{size}{'(new)' * part.new}".strip()))
    word = "all" if explained > whole else "mostly" if explained >= MOST * whole else "partly"
    return f"{word} {'during' if finding.location.name in COLLECTORS else 'in'}", shown


def parts_text(row: Row, quote: Quote) -> str:
    """Return the result of `parts_of` as text: ``mostly in parse +150 ms (new)``; empty without such callees."""
    word, parts = parts_of(row)
    return f"{word} {', '.join(f'{quote(name)} {text}'.rstrip() for name, text in parts)}" if parts else ""


def new_parts(finding: Finding, metric: MetricReport) -> list[tuple[str, str]]:
    """Return the new functions to which the change was attributed, with texts like ``takes 12 % of the run``.

    The largest share comes first. Functions that explain less than a quarter of the growth are omitted.
    """
    names = finding.result.new_callees if finding.direction == "worse" else ()
    whole = metric.total.target or 0.0
    # smallest fraction of a change that a new function must explain to be named in the same sentence
    least = 0.25 * ((finding.to_value or 0.0) - (finding.from_value or 0.0))
    shown = []
    for new in metric.findings:
        if new.kind == Kind.NOT_IN_BASELINE.word and new.location.name in names:
            cost = new.costs.inclusive_to or (new.share_to or 0.0) * whole
            if whole and cost >= least:
                shown.append((-cost, place_name(new.location)))
    return [(name, f"takes {numbers.percent(-cost / whole)} of the run") for cost, name in sorted(shown)]


def source_text(finding: Finding) -> str:
    """Return how the pull request changed the finding's function; empty if it is unchanged or the change is unknown."""
    change = SOURCES.get(finding.attribution.source or "")
    return f"{change} here" if change else ""


def reach_text(finding: Finding, quote: Quote = str, *, with_path: bool = True) -> str:
    """Return how the pull request affects a function that it does not modify; empty if inapplicable or unknown."""
    text, path = REACHES.get(finding.attribution.reach or "", ""), finding.attribution.reach_path
    if finding.attribution.reach == "calls a changed function":
        return f"calls {quote(path or '')} (changed here); inlined calls count for the caller"
    return f"{text}: {path}" if text and path and with_path else text


def whose_text(finding: Finding, quote: Quote = str, *, with_path: bool = True) -> str:
    """Return whose change it is: ``changed in this PR``, or ``not changed in this PR`` and how it is affected.

    The text is empty if no diff was given.
    """
    source, reach = finding.attribution.source, finding.attribution.reach
    if source is None and reach is None:
        return ""
    if source in SOURCES or reach == "changed here":
        return f"{SOURCES.get(source or '', 'changed')} in this PR"
    text = reach_text(finding, quote, with_path=with_path) or "unknown whether the change reaches it"
    return f"not changed in this PR; {text}" if source == "same" else text


def why(row: Row, quote: Quote) -> tuple[str, ...]:
    """Return the first reason for a finding's colour, and the cause if another function is the cause."""
    cause = row.finding.explained_by
    parts = [f"part of the change of {quote(cause.name)}"] if cause is not None else []
    return (*(reason_text(reason, quote) for reason in row.finding.reasons[:1]), *parts)


def finding_key(location: Location) -> str:
    """Return sixteen hexadecimal digits that identify a function, its file and its call path in a URL."""
    parts = (location.name, location.file or "", *(location.context or ()))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
