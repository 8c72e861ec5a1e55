"""Where the values of Perun's models without a formula lie: its files store y, and x follows from the records."""

import numpy as np

from profgate.model.arrays import FloatArray
from profgate.model.cost_models import MODEL_NAMES, REGRESSOGRAM

Points = tuple[FloatArray, FloatArray]


def located(name: str, y: FloatArray, start: float, end: float, sizes: FloatArray) -> Points:
    """X and y of the values that a model of this name brings, x rising; a missing y is NaN.

    A regressogram has a value for each of its buckets, all equally wide, and says 0 of an empty one; ``sizes``, the x
    of the records it was made of, tell that from a measured 0. A moving average and a kernel regression have a value
    for each record, in the order of x; of those at one x the mean is taken. Where the sizes are not those of the model,
    the points are taken as equally spaced.
    """
    x = np.linspace(start, end, len(y))
    if MODEL_NAMES[REGRESSOGRAM] == name:
        if not end > start:
            return x, y
        buckets = np.histogram(sizes, bins=len(y), range=(start, end))[0]
        return x, np.where((y == 0) & (buckets == 0), np.nan, y)
    if len(sizes) != len(y) or not np.allclose([sizes.min(initial=np.inf), sizes.max(initial=-np.inf)], [start, end]):
        return x, y
    places, at = np.unique(np.sort(sizes), return_inverse=True)
    return places, np.bincount(at, weights=y) / np.bincount(at)
