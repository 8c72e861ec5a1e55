"""Comparisons that hold models of cost over size, written down or fitted to points."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from comparisons import from_exclusive, symbols_of, timed
from profgate.compare.growth import cost_models
from profgate.model.comparison import Comparison, Observations
from profgate.model.cost_models import MODEL_NAMES
from profgate.model.profile import Configuration, FrameList, Model, Profile
from profgate.model.record import replace
from profgate.model.units import Metric

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Given:
    """A model as a test writes it: name, coefficients, r_square and the range of x."""

    name: str
    coefficients: Sequence[float]
    r_square: float = 0.99
    start: float = 1.0
    end: float = 1000.0
    y: Sequence[float] | None = None

    def model(self, frame: int) -> Model:
        curve = None
        if self.y is not None:
            curve = tuple(np.linspace(self.start, self.end, len(self.y)).tolist()), tuple(self.y)
        named = {f"b{place}": value for place, value in enumerate(self.coefficients)}
        return Model(frame, self.name, self.r_square, named, self.start, self.end, curve)


def with_line(*models: Given) -> tuple[Given, ...]:
    """The models, with a poor line over the same range where none of them is one."""
    first = models[0]
    line = Given("linear", (1.0, 1.0), 0.5, first.start, first.end)
    return models if any(one.name == "linear" for one in models) else (*models, line)


MODEL_PAIRS: dict[str, tuple[Sequence[Given], Sequence[Given]]] = {
    "A": ([Given("linear", (5, 1), 0.99)], [Given("linear", (5, 10), 0.99)]),
    "B": (with_line(Given("constant", (10,), 0.95, 0, 10)), with_line(Given("constant", (12.5,), 0.95, 0, 10))),
    "C": (with_line(Given("power", (1, 1.5), 0.999)), with_line(Given("power", (10, 1.5), 0.999))),
    "D": (with_line(Given("logarithmic", (0, 1), 0.99)), [Given("linear", (3, 0.004), 0.99)]),
    "E": (
        with_line(Given("quadratic", (1, 1, 1), 0.99, 0, 100)),
        with_line(Given("quadratic", (1, 1, 50), 0.99, 0, 100)),
    ),
    "F": (with_line(Given("constant", (10,), 0.95, 0, 10)), with_line(Given("constant", (10,), 0.95, 0, 20))),
    "G": ([Given("linear", (100, 2), 0.97, 0, 100)], [Given("linear", (104, 2.08), 0.97, 0, 100)]),
    "H": ([Given("linear", (100, 2), 0.97, 0, 100)], with_line(Given("quadratic", (100, 1, 0.02), 0.98, 0, 100))),
}  # the pairs of the golden table of comparisons of models


def modelled(
    baseline: Mapping[str, Sequence[Given]], target: Mapping[str, Sequence[Given]], *, metric: Metric | None = None
) -> Comparison:
    """Models by location for each side; a location without an entry does not exist there."""
    return _comparison(baseline, target, {}, {}, metric or timed("ms"))


def measured(
    baseline: Mapping[str, Points], target: Mapping[str, Points], *, metric: Metric | None = None
) -> Comparison:
    """Records with sizes, (x, y), by location for each side."""
    return _comparison({}, {}, baseline, target, metric or timed("ms"))


def pair(baseline: Sequence[Given], target: Sequence[Given], *, metric: Metric | None = None) -> Comparison:
    """One location ``f``."""
    return modelled({"f": baseline}, {"f": target}, metric=metric)


def points(*, noise: float = 0.0, **model: float | str) -> list[tuple[float, float]]:
    """Twenty points of a shape: ``points(shape="quadratic", b0=1, b1=0, b2=3, noise=0.01)``."""
    x = np.linspace(float(model.get("start", 1)), float(model.get("end", 100)), 20)
    b0, b1, b2 = (float(model.get(name, 0.0)) for name in ("b0", "b1", "b2"))
    shapes = {
        "constant": b0 + 0 * x,
        "logarithmic": b0 + b1 * np.log(x),
        "linear": b0 + b1 * x,
        "quadratic": b0 + b1 * x + b2 * x * x,
        "power": b0 * x**b1,
        "exponential": b0 * b1**x,
    }
    y = shapes[str(model["shape"])]
    wave = 1.0 + noise * np.array([(-1.0) ** place * (1.0 + place % 3) for place in range(len(x))])
    return list(zip(x.tolist(), (y * wave).tolist(), strict=True))


def _comparison(
    models_b: Mapping[str, Sequence[Given]],
    models_t: Mapping[str, Sequence[Given]],
    points_b: Mapping[str, Points],
    points_t: Mapping[str, Points],
    metric: Metric,
) -> Comparison:
    names = sorted({*models_b, *models_t, *points_b, *points_t})
    flat = [dict.fromkeys([*models, *found], 1) for models, found in ((models_b, points_b), (models_t, points_t))]
    empty = from_exclusive([flat[0]], [flat[1]], metric=metric)
    mapping = np.arange(len(names))
    sides = [[(_profile(models, names, metric), mapping)] for models in (models_b, models_t)]
    records = _records(names, points_b, points_t) if points_b or points_t else None
    return replace(
        empty, symbols=symbols_of(names), attachments=tuple(filter(None, (records, cost_models(sides, records))))
    )


def _profile(models: Mapping[str, Sequence[Given]], names: Sequence[str], metric: Metric) -> Profile:
    brought = tuple(one.model(names.index(name)) for name, given in models.items() for one in given)
    assert all(one.name in MODEL_NAMES for one in brought)
    return Profile("p", Configuration(), (metric,), FrameList.of_names(list(names)), attachments=brought)


def _records(names: Sequence[str], *sides: Mapping[str, Points]) -> Observations:
    rows = [
        (side, names.index(name), x, y)
        for side, found in enumerate(sides)
        for name, several in found.items()
        for x, y in several
    ]
    return Observations(
        symbol=np.array([row[1] for row in rows], np.int64),
        side=np.array([row[0] for row in rows], np.int64),
        run=np.array([row[0] for row in rows], np.int64),
        amount=np.array([row[3] for row in rows], np.float64),
        exclusive=np.array([row[3] for row in rows], np.float64),
        size=np.array([row[2] for row in rows], np.float64),
        subtype=np.zeros(len(rows), np.int64),
        subtypes=["time delta"],
    )
