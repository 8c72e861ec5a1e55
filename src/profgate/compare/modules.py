"""Modules of both sides: a library of another version is the same library."""

import re
from collections.abc import Iterable

_DIGITS = re.compile(r"\d+")


def paired_modules(baseline: Iterable[str], target: Iterable[str]) -> dict[str, str]:
    """Names that differ in digits alone and pair one to one, each with the text ``old -> new`` that stands for both."""
    before, after = _by_shape(baseline), _by_shape(target)
    texts: dict[str, str] = {}
    for shape, old in before.items():
        new = after.get(shape, set())
        if len(old) == len(new) == 1 and old != new:
            (left,), (right,) = old, new
            texts |= dict.fromkeys((left, right), f"{left} -> {right}")
    return texts


def _by_shape(names: Iterable[str]) -> dict[str, set[str]]:
    shapes: dict[str, set[str]] = {}
    for name in names:
        shapes.setdefault(_DIGITS.sub("#", name), set()).add(name)
    return shapes
