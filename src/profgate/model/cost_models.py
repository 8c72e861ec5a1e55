"""Models of a location's cost over the size of its input: columns that hold both sides."""

from dataclasses import dataclass, field

from profgate.model.arrays import BoolArray, FloatArray, IntArray

# by growth order; a model's number is its place here
SHAPES = ("constant", "logarithmic", "linear", "quadratic", "power", "exponential")
# without a formula: values over x, as a profile brings them
CURVES = ("regressogram", "moving_average", "kernel_regression")
MODEL_NAMES = SHAPES + CURVES
CONSTANT, LOGARITHMIC, LINEAR, QUADRATIC, POWER, EXPONENTIAL = range(len(SHAPES))
REGRESSOGRAM = MODEL_NAMES.index("regressogram")
WITHOUT_SUBTYPE = -1


@dataclass(frozen=True, slots=True, eq=False)
class CostModels:
    """A row for each model of a location, baseline and target together.

    int64[model]: ``side`` (0 baseline, 1 target), ``symbol``, ``subtype`` (index into the observations' subtypes, -1
    where the model does not say), ``kind`` (place in `MODEL_NAMES`), ``points`` it was fitted to (0 = not known).
    float64[model]: ``r_square``, ``start`` and ``end`` of x, ``error`` = sum of squared errors in y (NaN = not known);
    ``coefficients`` float64[model, 3] in the metric's unit. ``fitted`` bool[model]: by us, else the profile brought it.
    ``curves``: x and y of the models that have no formula, by row; a value that is missing is NaN.
    """

    side: IntArray
    symbol: IntArray
    subtype: IntArray
    kind: IntArray
    coefficients: FloatArray
    r_square: FloatArray
    start: FloatArray
    end: FloatArray
    error: FloatArray
    points: IntArray
    fitted: BoolArray
    curves: dict[int, tuple[FloatArray, FloatArray]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.kind)
