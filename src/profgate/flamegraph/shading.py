"""Compute the colour level of each row, with the same rules and constants as `colour.js` on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from profgate.flamegraph.page_columns import OTHER, PageHeader

if TYPE_CHECKING:
    from profgate.model.arrays import BoolArray, FloatArray, IntArray
    from profgate.model.comparison import DiffTree

LEVELS = 32
FIRST_LEVEL = 4
_CERTAIN = 4.0
_NEW_SAMPLES = 16
_SMALLEST_REFERENCE = 0.001
_ROUNDING = 1e-12


class Colouring(NamedTuple):
    """Rules for the colours of rows.

    ``basis`` is the value whose change is shown, and ``ramp`` maps a change to a colour. ``reference`` selects the
    change that gets the strongest colour. Changes below ``gate``, a fraction of the total, are neutral. With
    ``chance``, insignificant changes are also neutral. ``classic`` selects the colours and exact widths of
    flamegraph.pl.
    """

    basis: Literal["inclusive", "self"] = "inclusive"
    ramp: Literal["sqrt", "linear"] = "sqrt"
    reference: Literal["auto", "max"] = "auto"
    gate: float = 0.001
    chance: bool = True
    classic: bool = False


USUAL = Colouring()
CLASSIC = Colouring(basis="self", ramp="linear", reference="max", gate=0.0, chance=False, classic=True)


class Shading(NamedTuple):
    """Each row's change and colour level, from -32 (less) to +32 (more), and the ratio and total for scaling."""

    level: IntArray
    delta: FloatArray
    ratio: float
    whole: float


def shade(tree: DiffTree, header: PageHeader, style: Colouring = USUAL) -> Shading:
    """Compute the colour levels from the changes relative to the total. Small and insignificant changes are neutral."""
    level = np.zeros(len(tree), np.int64)
    own = style.basis == "self"
    before, after = (tree.baseline_self, tree.target_self) if own else (tree.baseline_total, tree.target_total)
    before_total, after_total = float(tree.baseline_total[0]), float(tree.target_total[0])
    ratio = ratio_of(header, before_total, after_total)
    whole = max(after_total, before_total * ratio)
    delta: FloatArray = np.asarray(after - before * ratio, np.float64)
    if not whole:
        return Shading(level, delta, ratio, whole)
    size = np.abs(delta) / whole
    passed = (size >= style.gate) & (size > _ROUNDING) & (tree.symbol != OTHER)
    if style.chance:
        passed &= _beyond_chance(tree, header, ratio, before, after, own=own)
    rows = np.flatnonzero(passed)
    if len(rows):
        part = size[rows] / _reference(np.sort(size[rows]), style)
        strength = np.minimum(1.0, part if style.ramp == "linear" else np.sqrt(part))
        steps = np.maximum(FIRST_LEVEL if style.gate else 1, np.floor(LEVELS * strength + 0.5).astype(np.int64))
        level[rows] = np.where(delta[rows] > 0, steps, -steps)
    if style.chance and not own and not header.total_certain:
        level[0] = 0
    return Shading(level, delta, ratio, whole)


def ratio_of(header: PageHeader, before_total: float, after_total: float) -> float:
    """Return the factor by which the before side is scaled."""
    if header.normalisation == "total" and before_total and after_total:
        return after_total / before_total
    return header.runs[1] / header.runs[0]


def classic_colour(delta: float, largest: float) -> tuple[int, int, int]:
    """Return the colour of flamegraph.pl for a change.

    The colour changes linearly from white to red for an increase, and from white to blue for a decrease. The largest
    change has the strongest colour.
    """
    pale = int(210 * (largest - abs(delta)) / largest)
    return (255, pale, pale) if delta > 0 else (pale, pale, 255) if delta < 0 else (255, 255, 255)


def _reference(sizes: FloatArray, style: Colouring) -> float:
    if style.reference == "max":
        return float(sizes[-1])
    return max(_SMALLEST_REFERENCE, float(sizes[int(np.ceil(0.98 * len(sizes))) - 1]))


def _beyond_chance(
    tree: DiffTree,
    header: PageHeader,
    ratio: float,
    before: IntArray,
    after: IntArray,
    *,
    own: bool,
) -> BoolArray:
    """Return a mask of the rows whose change is significant.

    Repeated runs are tested; without them, the z-score is tested. Paths that exist on only one side also need 16
    samples.
    """
    sample = header.value_of_one_sample
    passed = np.ones(len(tree), np.bool_)
    if tree.evidence is not None and header.normalisation == "none":
        passed = tree.evidence[int(own)]
    elif sample:
        passed = np.abs(_z(before / sample, after / sample, tree, header, ratio)) >= _CERTAIN
    if sample:
        passed = passed & ~_few(tree, sample)
    return passed


def _z(before: FloatArray, after: FloatArray, tree: DiffTree, header: PageHeader, ratio: float) -> FloatArray:
    sample = header.value_of_one_sample or 1
    all_before, all_after = float(tree.baseline_total[0]) / sample, float(tree.target_total[0]) / sample
    with np.errstate(divide="ignore", invalid="ignore"):
        if header.normalisation == "total" and all_before and all_after:
            part = (after + before) / (all_after + all_before)
            spread = np.sqrt(np.maximum(part * (1 - part), 0.0) * (1 / all_after + 1 / all_before))
            z = (after / all_after - before / all_before) / spread
        else:
            z = (after - ratio * before) / np.sqrt(after + ratio * ratio * before)
    return np.asarray(np.nan_to_num(z, posinf=0.0, neginf=0.0), np.float64)


def _few(tree: DiffTree, sample: int) -> BoolArray:
    """Return a mask of the rows that exist on only one side and have too few samples to be significant."""
    before, after = tree.baseline_total / sample, tree.target_total / sample
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = np.where(before > 0, before * (after[0] / before[0]), after * (before[0] / after[0]))
    one_sided = (before == 0) | (after == 0)
    return np.asarray(one_sided & (expected < _NEW_SAMPLES), np.bool_)
