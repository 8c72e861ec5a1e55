"""The cost models of both sides: those the profiles bring, and for all other locations those that their records fit."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from profgate.model.arrays import BoolArray, FloatArray, IntArray, read_only
from profgate.model.comparison import Observations
from profgate.model.cost_models import CONSTANT, LINEAR, MODEL_NAMES, QUADRATIC, SHAPES, WITHOUT_SUBTYPE, CostModels
from profgate.model.profile import Model, Profile
from profgate.statistics.regression import Fits, fitted

Side = Sequence[tuple[Profile, IntArray]]


def cost_models(sides: Sequence[Side], observations: Observations | None) -> CostModels | None:
    """Models of every location, sorted by side, location and kind; None where no side has any.

    Where a profile brings models of a location, ours are not fitted, save the line that it may lack and that the
    comparisons of models ask for. Several models of one kind for one location: the highest r_square.
    """
    brought = _brought(sides)
    if observations is None and not brought:
        return None
    fits, keys = _fits(observations)
    wanted = _needed(brought, fits, keys)
    columns = _joined(brought, fits, keys, wanted)
    if not len(columns.kind):
        return None
    return columns


@dataclass(frozen=True, slots=True, eq=False)
class _Keys:
    """What the groups of the fits stand for, int64[group]."""

    side: IntArray
    symbol: IntArray
    subtype: IntArray


@dataclass(frozen=True, slots=True)
class _Brought:
    side: int
    symbol: int
    kind: int
    model: Model

    @property
    def order(self) -> tuple[int, int, int, bool, float]:
        """Best first among models of one kind; an r_square that is no number comes last."""
        r_square = self.model.r_square
        return self.side, self.symbol, self.kind, not r_square >= 0, -r_square if r_square >= 0 else 0.0


def _brought(sides: Sequence[Side]) -> list[_Brought]:
    found = [
        _Brought(number, int(mapping[model.frame]), MODEL_NAMES.index(model.name), model)
        for number, runs in enumerate(sides)
        for profile, mapping in runs
        for model in profile.models
        if model.name in MODEL_NAMES
    ]
    best: dict[tuple[int, int, int], _Brought] = {}
    for one in sorted(found, key=lambda one: one.order):
        best.setdefault((one.side, one.symbol, one.kind), one)
    return list(best.values())


def _fits(observations: Observations | None) -> tuple[Fits, _Keys]:
    if observations is None:
        empty = np.zeros(0, np.int64)
        return fitted(empty, empty.astype(np.float64), empty.astype(np.float64), 0), _Keys(empty, empty, empty)
    sized = np.isfinite(observations.size) & np.isfinite(observations.amount)
    side, symbol, subtype = (column[sized] for column in (observations.side, observations.symbol, observations.subtype))
    if len(observations.subtypes) < 2:
        subtype = np.full(len(subtype), WITHOUT_SUBTYPE)
    keys, group = np.unique(np.stack([side, symbol, subtype]), axis=1, return_inverse=True)
    group = group.reshape(-1)  # its shape differs between versions of numpy
    fits = fitted(group, observations.size[sized], observations.amount[sized], keys.shape[1])
    return fits, _Keys(*keys)


def _needed(brought: Iterable[_Brought], fits: Fits, keys: _Keys) -> BoolArray:
    """bool[fit]: nothing was brought for its location and side, or models without a line were and this is one."""
    shapes: dict[tuple[int, int], set[int]] = {}
    for one in brought:
        if one.kind < len(SHAPES):
            shapes.setdefault((one.side, one.symbol), set()).add(one.kind)
    places = zip(keys.side[fits.group].tolist(), keys.symbol[fits.group].tolist(), fits.kind.tolist(), strict=True)
    empty: set[int] = set()
    return np.array(
        [
            not (had := shapes.get((side, symbol), empty)) or (kind == LINEAR and LINEAR not in had)
            for side, symbol, kind in places
        ],
        np.bool_,
    )


def _coefficients(kind: int, model: Model) -> list[float]:
    """b0, b1, b2; a coefficient that the formula needs and nobody gave is NaN."""
    needed = {CONSTANT: 1, QUADRATIC: 3}.get(kind, 2 if kind < len(SHAPES) else 0)
    return [model.coefficients.get(f"b{place}", np.nan) if place < needed else 0.0 for place in range(3)]


def _joined(brought: Sequence[_Brought], fits: Fits, keys: _Keys, wanted: BoolArray) -> CostModels:
    models = [one.model for one in brought]
    many = len(brought)

    def both(of_brought: Sequence[object], of_fits: FloatArray) -> FloatArray:
        return np.concatenate([np.asarray(of_brought, np.float64).reshape(many, *of_fits.shape[1:]), of_fits[wanted]])

    def whole(of_brought: Sequence[int], of_fits: IntArray) -> IntArray:
        return np.concatenate([np.asarray(of_brought, np.int64), of_fits[wanted]])

    side = whole([one.side for one in brought], keys.side[fits.group])
    symbol = whole([one.symbol for one in brought], keys.symbol[fits.group])
    subtype = whole([WITHOUT_SUBTYPE] * many, keys.subtype[fits.group])
    kind = whole([one.kind for one in brought], fits.kind)
    order = np.lexsort((kind, subtype, symbol, side))
    row_of = {place: row for row, place in enumerate(order.tolist())}
    return CostModels(
        side=read_only(side[order]),
        symbol=read_only(symbol[order]),
        subtype=read_only(subtype[order]),
        kind=read_only(kind[order]),
        coefficients=read_only(both([_coefficients(one.kind, one.model) for one in brought], fits.coefficients)[order]),
        r_square=read_only(np.clip(both([model.r_square for model in models], fits.r_square), 0.0, 1.0)[order]),
        start=read_only(both([model.x_start for model in models], fits.start)[order]),
        end=read_only(both([model.x_end for model in models], fits.end)[order]),
        error=read_only(both([np.nan] * many, fits.error)[order]),
        points=read_only(whole([0] * many, fits.points)[order]),
        fitted=read_only(whole([0] * many, np.ones(len(fits.kind), np.int64))[order].astype(np.bool_)),
        curves={
            row_of[place]: (np.array(one.model.curve[0]), np.array(one.model.curve[1]))
            for place, one in enumerate(brought)
            if one.model.curve is not None
        },
    )
