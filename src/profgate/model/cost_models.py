"""Models of a location's cost over its input size, as columns for both sides."""

from dataclasses import dataclass, field

from profgate.model.arrays import BoolArray, FloatArray, IntArray

# in order of growth; a model's number is its index here
SHAPES = ("constant", "logarithmic", "linear", "quadratic", "power", "exponential")
# without a formula: values over x, as stored in a profile
CURVES = ("regressogram", "moving_average", "kernel_regression")
MODEL_NAMES = SHAPES + CURVES
CONSTANT, LOGARITHMIC, LINEAR, QUADRATIC, POWER, EXPONENTIAL = range(len(SHAPES))
REGRESSOGRAM = MODEL_NAMES.index("regressogram")
WITHOUT_SUBTYPE = -1


@dataclass(frozen=True, slots=True, eq=False)
class CostModels:
    """One row for each model of a location, baseline and target together.

    int64[model]: ``side`` (0 baseline, 1 target), ``symbol``, ``subtype`` (index into the observations' subtypes, -1 if
    the model has none), ``kind`` (index into `MODEL_NAMES`), ``points`` it was fitted to (0 = unknown). float64[model]:
    ``r_square``, ``start`` and ``end`` of x, ``error`` = sum of squared errors in y (NaN = unknown); ``coefficients``
    float64[model, 3] in the metric's unit. ``fitted`` bool[model]: fitted by profgate, otherwise read from the profile.
    ``curves``: x and y of the models without a formula, by row; NaN = missing value.
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
