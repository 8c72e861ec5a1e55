"""Collects the records and cost models of both sides. Models are read from profiles or fitted to records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from profgate.compare.columns import exclusive_amounts, place_of, run_starts
from profgate.model.arrays import FloatArray, IntArray, read_only
from profgate.model.comparison import Observations
from profgate.model.cost_models import CONSTANT, LINEAR, MODEL_NAMES, QUADRATIC, SHAPES, WITHOUT_SUBTYPE, CostModels
from profgate.model.profile import Model, Profile
from profgate.statistics.model_fits import fitted

if TYPE_CHECKING:
    from profgate.model.units import Metric

_Side = Sequence[tuple[Profile, IntArray]]
Columns = dict[str, NDArray[Any]]


def observations(
    profiles: Sequence[Profile], maps: Sequence[IntArray], baselines: int, metric: Metric
) -> Observations | None:
    """Return the records of one metric from both sides, or None if the profiles do not contain records."""
    columns: list[tuple[IntArray | FloatArray, ...]] = []
    codes: dict[str, int] = {}
    starts = run_starts(profiles, metric).tolist()
    for number, (profile, mapping, start) in enumerate(zip(profiles, maps, starts, strict=False)):
        body, place = profile.measurements, place_of(profile, metric)
        if body is None or place is None:
            continue
        rows = np.flatnonzero(body.of_metric(place))
        subtype = np.array([codes.setdefault(name, len(codes)) for name in body.subtypes], np.int64)
        columns.append(
            (
                mapping[body.frame[rows]],
                np.full(len(rows), int(number >= baselines), np.int64),
                start + (body.order[rows] if body.scenarios else np.zeros(len(rows), np.int64)),
                body.amount[rows],
                exclusive_amounts(profile, place),
                body.size[rows],
                subtype[rows],
            )
        )
    if not columns:
        return None
    symbol, side, run, amount, exclusive, size, subtype = map(np.concatenate, zip(*columns, strict=True))
    return Observations(symbol, side, run, amount, exclusive, size, subtype, list(codes))


def cost_models(sides: Sequence[_Side], observations: Observations | None) -> CostModels | None:
    """Return the models of all locations, sorted by side, location and kind, or None if there are no models.

    If a profile contains models of a location, no models are fitted for this location. The only exception is a missing
    linear model, because the other models are compared with the linear model. If a location has several models of one
    kind, the model with the highest R² is used.
    """
    stored = _stored(sides)
    if not stored and (observations is None or not np.isfinite(observations.size).any()):
        return None
    models = list(stored.values())
    side, symbol, kind = np.array(list(stored), np.int64).reshape(-1, 3).T
    ours = _fitted(observations)
    owner, formula = 2 * symbol + side, kind < len(SHAPES)
    of_ours = 2 * ours["symbol"] + ours["side"]
    line_lacks = (ours["kind"] == LINEAR) & ~np.isin(of_ours, owner[kind == LINEAR])
    needed = ~np.isin(of_ours, owner[formula]) | line_lacks
    facts = np.array([(model.r_square, model.x_start, model.x_end) for model in models], np.float64)
    r_square, start, end = facts.reshape(-1, 3).T
    theirs: Columns = {
        "side": side,
        "symbol": symbol,
        "subtype": np.full(len(models), WITHOUT_SUBTYPE),
        "kind": kind,
        "coefficients": np.array(list(map(_coefficients, kind.tolist(), models))).reshape(-1, 3),
        "r_square": r_square,
        "start": start,
        "end": end,
        "error": np.full(len(models), np.nan),
        "points": np.zeros(len(models), np.int64),
        "fitted": np.zeros(len(models), np.bool_),
    }
    columns = {name: np.concatenate([theirs[name], ours[name][needed]]) for name in theirs}
    if not len(columns["kind"]):
        return None
    columns["r_square"] = np.clip(columns["r_square"], 0.0, 1.0)
    order = np.lexsort([columns[name] for name in ("kind", "subtype", "symbol", "side")])
    curves = {
        row: (np.array(curve[0]), np.array(curve[1]))
        for row, place in enumerate(order.tolist())
        if place < len(models) and (curve := models[place].curve) is not None
    }
    return CostModels(**{name: read_only(column[order]) for name, column in columns.items()}, curves=curves)


def _stored(sides: Sequence[_Side]) -> dict[tuple[int, int, int], Model]:
    """Map (side, symbol, kind) to the model with the highest R². An R² of NaN counts as the lowest."""
    found: dict[tuple[int, int, int], Model] = {}
    for side, runs in enumerate(sides):
        for profile, mapping in runs:
            for model in profile.attachments:
                if isinstance(model, Model) and model.name in MODEL_NAMES:
                    key = side, int(mapping[model.frame]), MODEL_NAMES.index(model.name)
                    known = found.setdefault(key, model)
                    if model.r_square > known.r_square or np.isnan(known.r_square) > np.isnan(model.r_square):
                        found[key] = model
    return found


def _fitted(observations: Observations | None) -> Columns:
    """Fit models to the records that have sizes, and return the models as columns."""
    group, count = np.zeros(0, np.int64), 0
    keys, size, amount = np.zeros((3, 0), np.int64), np.zeros(0), np.zeros(0)
    if observations is not None:
        sized = np.isfinite(observations.size) & np.isfinite(observations.amount)
        several = len(observations.subtypes) > 1
        subtype = observations.subtype if several else np.full(len(sized), WITHOUT_SUBTYPE)
        owners = np.stack([observations.side, observations.symbol, subtype])[:, sized]
        keys, group = np.unique(owners, axis=1, return_inverse=True)
        group, count = group.reshape(-1), keys.shape[1]  # the inverse has different shapes in different numpy versions
        size, amount = observations.size[sized], observations.amount[sized]
    fits = fitted(group, size, amount, count)
    columns: Columns = fits._asdict()
    side, symbol, subtype = keys[:, columns.pop("group")]
    return {"side": side, "symbol": symbol, "subtype": subtype, "fitted": np.ones(len(side), np.bool_), **columns}


def _coefficients(kind: int, model: Model) -> list[float]:
    """Return b0, b1 and b2. A coefficient that the formula needs but the profile does not contain is NaN."""
    needed = {CONSTANT: 1, QUADRATIC: 3}.get(kind, 2 if kind < len(SHAPES) else 0)
    return [model.coefficients.get(f"b{place}", np.nan) if place < needed else 0.0 for place in range(3)]
