"""Comparability before numbers: facts both sides state must agree, facts one side states are noted."""

import re
from collections.abc import Iterable, Sequence

import numpy as np

from profgate.model.comparison import SAMPLING_RATE, Comparison, Note
from profgate.model.profile import Facts, Profile

FAR_APART = 3.0  # totals of the sides that differ by more than this factor get a warning
NO_FRAME = 0.01  # part of a side's total in stacks without a frame
UNRESOLVED = 0.20  # part of a side's total in names a profiler could not resolve
_ADVICE = {"sampling mode": "; these count different time, record both sides in the same mode"}
_MAJOR = re.compile(r"\d+")
_MAJOR_MINOR = re.compile(r"\d+(?:\.\d+)?")
_NO_NAME = re.compile(r"\[unknown\]|\?+|0x[0-9a-fA-F]+|unknown|<unknown>|\(unknown\)")


def _part(pattern: re.Pattern[str], text: str | None) -> str | None:
    if text is None:
        return None
    match = pattern.search(text)
    return match[0] if match else text


def _stated(facts: Facts) -> dict[str, str | None]:
    """What blocks where both sides state it differently."""
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
    """Facts of every run: what the runs of both sides state must be one value."""
    sides = [[_stated(facts) for facts in side] for side in (before, after)]
    for fact in sides[0][0]:
        theirs, ours = ({run[fact] for run in side} - {None} for side in sides)
        known = [{str(value) for value in values} for values in (theirs, ours)]
        if known[0] and known[1] and (known[0] != known[1] or len(known[0]) > 1):
            text = f"{fact} differs: {_joined(known[0])} against {_joined(known[1])}{_ADVICE.get(fact, '')}"
            yield Note(fact, text, blocks=not named)
        elif bool(known[0]) != bool(known[1]):
            side = "target" if known[0] else "baseline"
            yield Note(fact, f"the {side} does not state its {fact}")


def _machine(before: Sequence[Facts], after: Sequence[Facts]) -> Iterable[Note]:
    theirs, ours = ({facts.cpu_model for facts in side if facts.cpu_model} for side in (before, after))
    if theirs and ours and (theirs != ours or len(theirs) > 1):
        text = f"CPU model differs: {_joined(theirs)} against {_joined(ours)}; totals are advisory"
        yield Note("CPU model", text, advisory=True)
    rates = [{facts.rate for facts in side if facts.rate} for side in (before, after)]
    if rates[0] and rates[1] and len(rates[0] | rates[1]) > 1:
        rates_of = [_joined(f"{rate:g}" for rate in side) for side in rates]
        text = f"sampling rate differs: {rates_of[0]} against {rates_of[1]}"
        if all(facts.rate for facts in (*before, *after)):
            how = f"counts of samples are given as at {after[0].rate:g} a second, totals are advisory"
            yield Note("rescaled samples", f"{text}; {how}", advisory=True)
        else:
            how = "some runs do not state theirs: totals are advisory, counts are compared as shares of their run"
            yield Note(SAMPLING_RATE, f"{text}; {how}", advisory=True)


def comparability(baseline: Sequence[Profile], target: Sequence[Profile], *, named: bool) -> tuple[Note, ...]:
    """Notes on one workload. ``named``: two files a person named are always compared, differences only warn."""
    before, after = [profile.facts for profile in baseline], [profile.facts for profile in target]
    notes = [*_disagreements(before, after, named=named), *_machine(before, after)]
    for side, runs in (("baseline", before), ("target", after)):
        if any(facts.truncated for facts in runs):
            notes.append(Note("truncated", f"the {side}'s profile is truncated", blocks=not named))
    if baseline[0].configuration != target[0].configuration:
        notes.append(Note("configuration", "the configurations differ", blocks=not named))
    if min(len(before), len(after)) == 1 < max(len(before), len(after)):
        text = f"run counts differ: {len(before)} against {len(after)}; the single run decides how much can be seen"
        notes.append(Note("run counts", text))
    return tuple(notes)


def doubts(comparison: Comparison) -> tuple[Note, ...]:
    """Warnings that only the numbers show: totals far apart, stacks without a frame, and unresolved names."""
    split, notes = comparison.runs.baseline, []
    if not comparison.metric.directed:
        text = f"the profiles do not state whether more or less {comparison.metric.name} is better"
        text += "; compared as if less were, never red"
        notes.append(Note("direction", text, advisory=True))
    means = [float(side.mean()) for side in (comparison.run_totals[:split], comparison.run_totals[split:])]
    low, high = min(means), max(means)
    if 0.0 < low < high / FAR_APART:
        text = f"the {comparison.metric.name} totals of the sides differ by a factor of {high / low:.3g}"
        notes.append(Note("totals", f"{text}: check that both recorded the same work"))
    if (tree := comparison.tree) is not None:
        roots = (("baseline", tree.baseline_self, tree.baseline_total), ("target", tree.target_self, tree.target_total))
        for side, own, below in roots:
            if own[0] > NO_FRAME * below[0]:
                text = f"{100.0 * own[0] / below[0]:.0f} % of the {side}'s {comparison.metric.name} is in stacks"
                notes.append(Note("frames", f"{text} without a frame, counted on the root"))
    nameless = np.array([bool(_NO_NAME.fullmatch(name)) for name in comparison.symbols.names], np.bool_)
    if nameless.any():
        sides = (("baseline", slice(None, split)), ("target", slice(split, None)))
        for side, runs in sides:
            total = float(comparison.run_totals[runs].sum())
            part = float(comparison.self_value[runs][:, nameless].sum()) / total if total > 0.0 else 0.0
            if part > UNRESOLVED:
                text = f"{100.0 * part:.0f} % of the {side}'s {comparison.metric.name} is in unresolved symbols"
                notes.append(Note("unresolved symbols", f"{text}: record with debug information"))
    return tuple(notes)
