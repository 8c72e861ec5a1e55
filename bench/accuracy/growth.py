"""Programs whose functions are measured call by call with the size of their input, as a cost model needs them."""

import numpy as np
from bench.accuracy.simulator import Random

from profgate.model.arrays import FloatArray
from profgate.model.profile import Configuration, Facts, FrameList, Measurements, Profile
from profgate.model.units import Metric, MetricKind

FUNCTIONS, CALLS = 30, 60
LARGEST = 600.0
CALL_NOISE, RUN_NOISE = 0.05, 0.03
TIME = Metric("time", "nanoseconds", kind=MetricKind.TIMED)


def costs() -> FloatArray:
    """Nanoseconds for each unit of size, by function."""
    return np.asarray(4000.0 / np.arange(1, FUNCTIONS + 1))


def measured(random: Random, quadratic: int | None = None) -> Profile:
    """One run; every function takes time in proportion to its size, or to its square with equal cost at the middle."""
    size = random.uniform(10.0, LARGEST, (FUNCTIONS, CALLS))
    work = size.copy()
    if quadratic is not None:
        work[quadratic] = size[quadratic] ** 2 / (LARGEST / 2.0)
    run = np.exp(RUN_NOISE * random.standard_normal((FUNCTIONS, 1)))
    amount = costs()[:, None] * work * run * np.exp(CALL_NOISE * random.standard_normal(size.shape))
    records = amount.size
    return Profile(
        name="w",
        configuration=Configuration(type="mixed"),
        metrics=(TIME,),
        frames=FrameList.of_names([f"function_{number:02}" for number in range(FUNCTIONS)]),
        measurements=Measurements(
            np.repeat(np.arange(FUNCTIONS), CALLS),
            amount.ravel(),
            size.ravel(),
            np.full(records, np.nan),
            ["time"] * records,
            np.tile(np.arange(CALLS), FUNCTIONS),
        ),
        periods=(None,),
        facts=Facts(format="perun"),
    )
