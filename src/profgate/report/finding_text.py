"""Write a finding: the facts that every output shows, and one sentence. All numbers of a change are written here."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from profgate.model.kinds import BY_WORD, MAYBE, WORSE, Kind
from profgate.model.reason import ReasonCode
from profgate.model.report import Finding, MetricReport
from profgate.model.units import base_unit
from profgate.report import numbers
from profgate.report.parts import changed_cause, new_parts, only_share_changed, parts_text, place_name
from profgate.report.statements import Calls, call_counts, growth_by_size
from profgate.report.wording import Quote

TAGS: dict[Kind, tuple[str, str]] = {
    Kind.TOTAL_DEGRADATION: ("🔴", "total worse"),
    Kind.SEVERE_DEGRADATION: ("🔴", "severe"),
    Kind.DEGRADATION: ("🟠", "degraded"),
    Kind.MAYBE_DEGRADATION: ("🟡", "possible"),
    Kind.NOT_IN_BASELINE: ("🆕", "new"),
    Kind.UNKNOWN: ("❔", "inconclusive"),
    Kind.NO_CHANGE: ("✅", "unchanged"),
    Kind.NOT_IN_TARGET: ("🗑", "gone"),
    Kind.MAYBE_OPTIMIZATION: ("🟢", "possibly better"),
    Kind.OPTIMIZATION: ("⚡", "better"),
    Kind.SEVERE_OPTIMIZATION: ("⚡", "much better"),
    Kind.TOTAL_OPTIMIZATION: ("⚡", "total better"),
}


class ShownChange(NamedTuple):
    """A change over all calls: ``self ``, ``14 → 103 samples`` and ``7.4x``.

    ``basis`` is empty for a total cost, and for a self cost without another total cost.
    """

    basis: str
    amounts: str
    growth: str


class Fact(NamedTuple):
    """A fact about a finding: a column of the terminal report and of CSV, and a text in the comment and on the page."""

    key: str
    heading: str
    text: Callable[[Finding, ShownChange, Calls | None], str]
    noun: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """A finding with its workload and metric.

    ``elsewhere`` is the number of other workloads with the same cause. ``calls`` contains the numbers
    of calls on both sides if they differ.
    """

    workload: str
    metric: MetricReport
    finding: Finding
    elsewhere: int = 0
    calls: Calls | None = None

    @property
    def total(self) -> bool:
        """Whether the finding is about the whole workload."""
        return self.finding.is_total

    @property
    def everything(self) -> bool:
        """Whether this is a total that changed because all functions changed by a common factor."""
        return self.total and any(reason.code is ReasonCode.EVERYTHING for reason in self.finding.reasons)

    @property
    def facts(self) -> tuple[str, ...]:
        """The texts of the facts that each output shows."""
        return facts(self.finding, self.metric.unit, self.calls)

    @property
    def tag(self) -> tuple[str, str]:
        """The symbol and name for the kind of finding."""
        return tag_of(self.finding)


def shown_change(finding: Finding, unit: str) -> ShownChange:
    """Return the change as all outputs write it."""
    costs = finding.costs
    amounts = numbers.from_to(finding.from_value, finding.to_value, unit)
    total = numbers.from_to(costs.inclusive_from, costs.inclusive_to, unit)
    has_total = None not in (costs.inclusive_from, costs.inclusive_to)
    is_self = has_total and total != amounts and finding.result.judged != "subtree"
    text = numbers.growth(finding.from_value, finding.to_value)
    if only_share_changed(finding):
        text = f"{numbers.share_from_to(finding.share_from, finding.share_to)} of the run"
    return ShownChange("self " if is_self else "", amounts, text)


def _share(finding: Finding, _change: ShownChange, _calls: Calls | None) -> str:
    shown = not finding.is_total and not only_share_changed(finding)
    return numbers.share_from_to(finding.share_from, finding.share_to) if shown else ""


# a fact that is added here is shown by all outputs
FACTS = (
    Fact("cost", "baseline → target", lambda _finding, change, _calls: f"{change.basis}{change.amounts}"),
    Fact("change", "change", lambda _finding, change, _calls: change.growth),
    Fact("share", "share of total", _share, "of the run"),
    Fact("calls", "calls", lambda _finding, _change, calls: call_counts(calls) if calls else "", "calls"),
)


def facts(finding: Finding, unit: str, calls: Calls | None = None) -> tuple[str, ...]:
    """Return the texts of the facts, in the order of `FACTS`."""
    change = shown_change(finding, unit)
    return tuple(fact.text(finding, change, calls) for fact in FACTS)


def further_facts(finding: Finding, unit: str, calls: Calls | None = None) -> list[str]:
    """Return the facts besides the change, with their nouns: ``19.7 → 41.1 % of the run``."""
    texts = zip(FACTS, facts(finding, unit, calls), strict=True)
    return [f"{text} {fact.noun}".rstrip() for fact, text in list(texts)[2:] if text]


def details(row: Row, quote: Quote) -> tuple[str, ...]:
    """Return how the cost grows with the input size, and the callees that explain the change."""
    texts = (growth_by_size(row.finding, row.metric), parts_text(row.finding, row.metric, quote))
    return tuple(filter(None, texts))


def tag_of(finding: Finding) -> tuple[str, str]:
    """Return the symbol and the name that all reports use for this kind of finding."""
    if finding.acknowledgement:
        return "✅", "accepted"
    kind = BY_WORD.get(finding.kind, Kind.UNKNOWN)
    if finding.colour == "neutral" and kind in MAYBE:
        return "·", "note"
    if only_share_changed(finding):
        return TAGS[kind][0], "share"
    return TAGS[Kind.MAYBE_DEGRADATION] if finding.colour == "yellow" and kind in WORSE else TAGS[kind]


def name_of(finding: Finding, *, with_file: bool = False) -> str:
    """Return the name of a finding's function, with its file and line under the conditions of `place_name`."""
    return place_name(finding.location, with_file=with_file)


def change_text(row: Row, quote: Quote, *, brief: bool = False) -> str:
    """Return a finding as a sentence: ``parse is 2.1x slower (14 → 29 samples)``, or ``parse +31 % (14 → 18 samples)``.

    ``brief`` omits the costs.
    """
    finding, metric = row.finding, row.metric
    before, after = finding.from_value, finding.to_value
    basis, amounts, times = shown_change(finding, metric.unit)
    name = f"total of {quote(row.workload)}" if row.total else quote(name_of(finding))
    if not before and after:
        own, whole = numbers.quantity(after, metric.unit), numbers.quantity(finding.costs.inclusive_to, metric.unit)
        return f"{name} is new ({f'{whole}, self {own}' if basis else own})"
    if before and not after:
        return f"{name} is gone (it had {basis}{numbers.quantity(before, metric.unit)})"
    new = next(((quote(callee), takes) for callee, takes in new_parts(finding, metric)), None)
    costs = "" if brief else f" ({basis}{amounts})"
    if only_share_changed(finding):  # its cost changed in the other direction, so it is neither slower nor faster
        return f"{new[0]} is new and {new[1]}" if new else f"{name} takes {times}{costs}"
    word = _comparative(row)
    if (cause := changed_cause(finding, metric)) is not None and finding.relative is not None:
        size = f"{times} {word}" if times.endswith("x") else f"{word}: {times}"
        return f"{quote(place_name(cause))}, changed here, makes {name} {size}{costs}"
    return f"{name} {_size(times, word)}{costs}{f': new {new[0]} {new[1]}' if new else ''}"


def total_change(row: Row) -> str:
    """Return the change of a total: ``Total −18.6 % (442 → 360 samples)``."""
    change = shown_change(row.finding, row.metric.unit)
    return f"Total {_size(change.growth, _comparative(row))} ({change.amounts})"


def _size(times: str, word: str) -> str:
    return f"is {times} {word}" if times.endswith("x") else "is different" if times == numbers.UNKNOWN else times


def _comparative(row: Row) -> str:
    is_more = (row.finding.relative or 0.0) > 0
    if base_unit(row.metric.unit)[0] in {"nanoseconds", "samples"}:
        return "slower" if is_more else "faster"
    more, less = ("higher", "lower") if row.metric.better == "higher" else ("larger", "smaller")
    return more if is_more else less
