"""Real time holds user and sys time: added up they would count twice."""

import numpy as np
import pytest

from comparisons import overlaid
from profgate.decide.detect.amounts import AverageAmountThreshold
from profgate.decide.detect.overweight import overweight_table
from profgate.model.change import Context, Kind
from profgate.model.profile import Configuration, FrameList, Measurements, Profile
from profgate.model.reason import Reason, ReasonCode
from profgate.model.units import Metric, MetricKind


def run(amounts: dict[str, float], kinds: tuple[str, ...] = ("real", "user", "sys")) -> Profile:
    """One command, timed."""
    count = len(kinds)
    return Profile(
        "p",
        Configuration(),
        (Metric("time", "nanoseconds", kind=MetricKind.TIMED),),
        FrameList.of_names(["ls"]),
        measurements=Measurements(
            np.zeros(count, np.int64),
            np.array([amounts[kind] for kind in kinds]),
            np.full(count, np.nan),
            np.full(count, np.nan),
            list(kinds),
            np.arange(count),
        ),
    )


BASE, TARGET = {"real": 1000.0, "user": 100.0, "sys": 100.0}, {"real": 1000.0, "user": 900.0, "sys": 50.0}


def test_totals_are_of_real_time() -> None:
    comparison = overlaid([run(BASE)], [run(TARGET)])
    assert (comparison.run_totals * comparison.metric.scale).tolist() == pytest.approx([1000.0, 1000.0])
    assert Reason(ReasonCode.REAL_TIME) in comparison.warnings
    assert overweight_table(comparison).total_delta == 0


def test_records_separate_the_kinds() -> None:
    detection = AverageAmountThreshold().detect(overlaid([run(BASE)], [run(TARGET)]), {}, Context())
    assert sorted(detection.kind.tolist()) == [int(Kind.DEGRADATION), int(Kind.NO_CHANGE), int(Kind.OPTIMIZATION)]
