"""Comparability before numbers: facts both sides state must agree, facts one side states are told."""

import re
from collections.abc import Sequence

from profgate.model.comparison import Note
from profgate.model.profile import Facts, Profile

_MAJOR = re.compile(r"\d+")
_MAJOR_MINOR = re.compile(r"\d+(?:\.\d+)?")


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
    }


def comparability(baseline: Sequence[Profile], target: Sequence[Profile], *, named: bool) -> tuple[Note, ...]:
    """Notes on one workload. ``named``: two files a person named are always compared, differences only warn."""
    before, after = baseline[0].facts, target[0].facts
    notes = []
    for fact, ours in _stated(after).items():
        theirs = _stated(before)[fact]
        if ours is not None and theirs is not None and ours != theirs:
            notes.append(Note(fact, f"{fact} differs: {theirs} against {ours}", blocks=not named))
        elif (ours is None) != (theirs is None):
            side = "baseline" if ours is None else "target"
            notes.append(Note(fact, f"the {side} does not state its {fact}"))
    if before.cpu_model and after.cpu_model and before.cpu_model != after.cpu_model:
        text = f"CPU model differs: {before.cpu_model} against {after.cpu_model}; totals are advisory"
        notes.append(Note("CPU model", text, advisory=True))
    truncated = [side for side, facts in (("baseline", before), ("target", after)) if facts.truncated]
    notes += [Note("truncated", f"the {side}'s profile is truncated", blocks=not named) for side in truncated]
    if before.rate and after.rate and before.rate != after.rate:
        notes.append(
            Note(
                "sampling rate",
                f"sampling rate differs: {before.rate:g} against {after.rate:g}; totals are advisory",
                advisory=True,
            )
        )
    if baseline[0].configuration != target[0].configuration:
        notes.append(Note("configuration", "the configurations differ", blocks=not named))
    return tuple(notes)
