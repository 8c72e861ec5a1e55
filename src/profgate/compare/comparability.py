"""Checks whether two sides can be compared. Facts that are known for both sides must agree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from profgate.model.comparison import Comparison, Note
from profgate.model.levels import GATE_SHARE
from profgate.model.reason import Parameter, Reason, ReasonCode
from profgate.model.units import CALLS, MetricKind

if TYPE_CHECKING:
    from profgate.model.profile import Facts, Profile

_MOST_NAMES = 5
_MOVES_COUNTS = {  # facts that change counts of the same code
    "CPU model": "cpu_model",
    "image": "image",
    "C library": "c_library",
    "kernel": "kernel",
    "architecture": "architecture",
    "environment": "environment",
    "profiler version": "profiler_version",
}
_VERSIONS = {"compiler": "compiler", "runtime version": "runtime", "profiler version": "profiler_version"}
_SYSTEM = re.compile(
    r"(?:^|/)(?:ld(?:-linux|-musl)[\w-]{0,20}|lib(?:c|m|pthread|gcc_s|stdc\+\+|c\+\+))[.-][\w.-]{0,40}$"
)
_MAJOR = re.compile(r"\d+")
_MAJOR_MINOR = re.compile(r"\d+(?:\.\d+)?")
_NO_NAME = re.compile(r"\[unknown\]|\?+|0x[0-9a-fA-F]+|unknown|<unknown>|\(unknown\)")
_NO_NAME_STARTS = "[?0u<("  # the first characters of these names; checking them is faster than matching the pattern


def _part(pattern: re.Pattern[str], text: str | None) -> str | None:
    if text is None:
        return None
    match = pattern.search(text)
    return match[0] if match else text


def _stated(facts: Facts) -> dict[str, str | None]:
    """Return the facts that prevent a comparison if their values differ between the sides."""
    return {
        "profiler": facts.profiler,
        "profiler version": _part(_MAJOR, facts.profiler_version),
        "runtime": _part(_MAJOR_MINOR, facts.runtime),
        "operating system": facts.os,
        "architecture": facts.architecture,
        "sampling mode": facts.mode,
    }


def _joined(values: Iterable[str]) -> str:
    return " and ".join(sorted(values))


def _disagreements(before: Sequence[Facts], after: Sequence[Facts], *, named: bool) -> Iterable[Note]:
    """Yield a note for each fact whose value differs between runs."""
    target_values = _known_values(after)
    for fact, theirs in _known_values(before).items():
        ours = target_values[fact]
        if theirs and ours and (theirs != ours or len(theirs) > 1):
            values: dict[str, Parameter] = {"baseline": _joined(theirs), "target": _joined(ours)}
            yield Note(Reason(ReasonCode.FACT_DIFFERS, {"fact": fact, **values}), blocks=not named)
        elif bool(theirs) != bool(ours):
            yield Note(Reason(ReasonCode.FACT_MISSING, {"fact": fact, "side": "target" if theirs else "baseline"}))


def _known_values(side: Sequence[Facts]) -> dict[str, set[str]]:
    """Return the values of each fact in the runs of a side, without unknown ones."""
    found: dict[str, set[str]] = {}
    for facts in side:
        for fact, value in _stated(facts).items():
            known = found.setdefault(fact, set())
            if value is not None:
                known.add(value)
    return found


def _machine(before: Sequence[Facts], after: Sequence[Facts]) -> Iterable[Note]:
    theirs = {facts.processor for facts in before if facts.processor}
    ours = {facts.processor for facts in after if facts.processor}
    if theirs and ours and (theirs != ours or len(theirs) > 1):
        yield Note(Reason(ReasonCode.CPU_DIFFERS, {"baseline": _joined(theirs), "target": _joined(ours)}))


def unlike(before: Facts, after: Facts) -> tuple[str, ...]:
    """Return the names of the facts because of which two recordings of the same code may have different counts.

    Two recordings of one job have none. Between jobs, each fact must be known and equal. If no job is known, as for
    files that a user compares, a fact counts if it differs.
    """
    if before.job is not None and before.job == after.job:
        return ()
    jobs = before.job is not None or after.job is not None
    found = []
    for name, field in _MOVES_COUNTS.items():
        old, new = getattr(before, field), getattr(after, field)
        # not every profiler states its version
        if old != new or (jobs and old is None and name != "profiler version"):
            found.append(name)
    return tuple(found)


def on_other_machine(facts: Facts, target: Iterable[Facts]) -> bool:
    """Return whether a run was recorded on another CPU model than the target. Such a base job bounds nothing there."""
    models = {known.processor for known in target}
    return facts.processor is not None and None not in models and facts.processor not in models


def _beside(before: Facts, after: Facts, *, counted: bool) -> Iterable[Note]:
    """Yield a note for each version that differs and, for counts, for each difference of the machines."""
    names = _VERSIONS | (_MOVES_COUNTS if counted else {})
    for name, field in names.items():
        old, new = getattr(before, field), getattr(after, field)
        if old and new and old != new and field not in {"cpu_model", "architecture"}:
            if field == "environment":
                old, new = _environment(old, new), _environment(new, old)
            yield Note(Reason(ReasonCode.FACT_DIFFERS, {"fact": name, "baseline": old, "target": new}))
    if counted and (facts := unlike(before, after)):
        yield Note(Reason(ReasonCode.COUNTS_APART, {"facts": ", ".join(facts)}))


def _environment(shown: str, other: str) -> str:
    """Return the size of an environment, and the names of the variables that the other environment lacks."""
    size, _, names = shown.partition(": ")
    alone = set(names.split()).difference(other.partition(": ")[2].split())
    return f"{size} with {', '.join(sorted(alone)[:_MOST_NAMES])}" if alone else size


def _rates(before: Sequence[Facts], after: Sequence[Facts]) -> Iterable[Note]:
    theirs = {facts.rate for facts in before if facts.rate}
    ours = {facts.rate for facts in after if facts.rate}
    if not theirs or not ours or len(theirs | ours) == 1:
        return
    parameters: dict[str, Parameter] = {
        "baseline": _joined(map("{:g}".format, theirs)),
        "target": _joined(map("{:g}".format, ours)),
    }
    # counts are converted to the rate of the target only if the rates of all runs are known
    if all(facts.rate for facts in (*before, *after)):
        parameters["rate"] = after[0].rate
    yield Note(Reason(ReasonCode.RATES_DIFFER, parameters))


def comparability(baseline: Sequence[Profile], target: Sequence[Profile], *, named: bool) -> tuple[Note, ...]:
    """Return notes on one workload. If the user named the two files (``named``), differences only cause warnings."""
    before = [profile.facts for profile in baseline]
    after = [profile.facts for profile in target]
    counted = any(metric.kind is MetricKind.COUNTED for metric in target[0].metrics)
    notes = [*_disagreements(before, after, named=named), *_machine(before, after), *_rates(before, after)]
    stated = {note.reason.parameters.get("fact") for note in notes}
    notes += [
        note
        for note in _beside(before[0], after[0], counted=counted)
        if str(note.reason.parameters.get("fact")).removesuffix(" version") not in stated
        and note.reason.parameters.get("fact") not in stated
    ]
    for side, runs in (("baseline", before), ("target", after)):
        if any(facts.truncated for facts in runs):
            notes.append(Note(Reason(ReasonCode.TRUNCATED, {"side": side}), blocks=not named))
    if baseline[0].configuration != target[0].configuration:
        notes.append(Note(Reason(ReasonCode.CONFIGURATIONS_DIFFER), blocks=not named))
    if min(len(before), len(after)) == 1 < max(len(before), len(after)):
        counts: dict[str, Parameter] = {"baseline": len(before), "target": len(after)}
        notes.append(Note(Reason(ReasonCode.RUN_COUNTS_DIFFER, counts)))
    return tuple(notes)


def differing_facts(comparison: Comparison) -> str | None:
    """Return the facts that may change counts of the same code, or None. Numbers of calls do not depend on them."""
    if comparison.metric.kind is not MetricKind.COUNTED or comparison.metric.name == CALLS.name:
        return None
    return ", ".join(unlike(*comparison.facts)) or None


def _of_system_libraries(comparison: Comparison) -> Reason | None:
    """Return how much system libraries changed the total of counts of different machines, or None if by very little."""
    if differing_facts(comparison) is None:
        return None
    symbols = comparison.symbols
    # in static programs, only the variants that the loader chooses are known by their raw names
    chosen = [raw.startswith("__") and raw != name for raw, name in zip(symbols.labels, symbols.names, strict=True)]
    system = [bool(_SYSTEM.search(place or "")) or one for place, one in zip(symbols.modules, chosen, strict=True)]
    before, after = comparison.runs.means(comparison.self_value[:, system].sum(axis=1))
    total, new = comparison.runs.means(comparison.run_totals)
    if total <= 0 or abs(after - before) < GATE_SHARE * total:
        return None
    names = sorted({module.rpartition("/")[2] for module in symbols.modules if module and _SYSTEM.search(module)})
    parameters: dict[str, Parameter] = {
        "metric": comparison.metric.name,
        "names": ", ".join(names[:_MOST_NAMES]) or "static",
    }
    return Reason(
        ReasonCode.SYSTEM_LIBRARY, parameters | {"moved": (after - before) / total, "relative": (new - total) / total}
    )


def doubts(comparison: Comparison) -> tuple[Note, ...]:
    """Return warnings about the values: very different totals, stacks without a frame, and unresolved names."""
    split, metric = comparison.runs.baseline, comparison.metric.name
    found = [] if comparison.metric.directed else [Reason(ReasonCode.NO_DIRECTION, {"metric": metric})]
    low, high = sorted(map(float, comparison.runs.means(comparison.run_totals)))
    found += filter(None, [_of_system_libraries(comparison)])
    # sides whose totals differ by more than a factor of 3 probably did different work
    if 0.0 < low < high / 3.0:
        found.append(Reason(ReasonCode.TOTALS_FAR_APART, {"metric": metric, "factor": high / low}))
    if (tree := comparison.tree) is not None:
        roots = (("baseline", tree.baseline_self, tree.baseline_total), ("target", tree.target_self, tree.target_total))
        # a few samples without a frame, such as those of a thread that starts, are usual
        found += [
            Reason(
                ReasonCode.NO_FRAMES,
                {"case": "no_stack", "metric": metric, "side": side, "share": float(own[0] / below[0])},
            )
            for side, own, below in roots
            if own[0] > 0.01 * below[0]
        ]
    names = enumerate(comparison.symbols.names)
    nameless = [symbol for symbol, name in names if name[:1] in _NO_NAME_STARTS and _NO_NAME.fullmatch(name)]
    if nameless:
        for side, runs in (("baseline", slice(None, split)), ("target", slice(split, None))):
            total = float(comparison.run_totals[runs].sum())
            share = float(comparison.self_value[runs][:, nameless].sum()) / total if total > 0.0 else 0.0
            if share > 0.20:
                found.append(
                    Reason(ReasonCode.NO_FRAMES, {"case": "unresolved", "metric": metric, "side": side, "share": share})
                )
    return tuple(map(Note, found))
