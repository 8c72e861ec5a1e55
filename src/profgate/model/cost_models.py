"""Models of the cost of a location as a function of the input size, for both sides."""

from profgate.model.arrays import BoolArray, FloatArray, IntArray
from profgate.model.record import Record, field

# formulas in order of growth; the number of a model is its index in MODEL_NAMES
SHAPES = ("constant", "logarithmic", "linear", "quadratic", "power", "exponential")
# curves without a formula, which a profile stores as x and y values
CURVES = ("regressogram", "moving_average", "kernel_regression")
MODEL_NAMES = SHAPES + CURVES
CONSTANT, LOGARITHMIC, LINEAR, QUADRATIC, POWER, EXPONENTIAL = range(len(SHAPES))
REGRESSOGRAM = MODEL_NAMES.index("regressogram")
WITHOUT_SUBTYPE = -1


class CostModels(Record, eq=False):
    """The models of all locations on both sides. Each array has one element per model.

    These arrays are int64: ``side`` (0 = baseline, 1 = target), ``symbol``, ``subtype`` (an index into the
    observations' subtypes, or -1), ``kind`` (an index into `MODEL_NAMES`) and ``points`` (the number of fitted points,
    0 = unknown). These arrays are float64: ``r_square`` (R²), ``start`` and ``end`` (the range of x), ``error`` (the
    sum of squared errors in y, NaN = unknown) and ``coefficients`` (three per model, in the metric's unit). The boolean
    array ``fitted`` marks the models that profgate fitted; all other models were read from a profile. ``curves`` maps
    the row of a model without a formula to its x and y values, with NaN for missing values.
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
