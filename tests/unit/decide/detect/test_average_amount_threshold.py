"""The ratio of means against every golden row."""

import math
from collections.abc import Sequence

import numpy as np
import pytest

from comparisons import from_exclusive, from_stacks, symbols_of
from profgate.decide.detect.amounts import AverageAmountThreshold
from profgate.model.change import Context, Detection, Kind
from profgate.model.comparison import Comparison, Observations
from profgate.model.record import replace
from profgate.model.units import Metric
from sentences import details_of, not_tested

Record = tuple[str, str, float]
WORSE, BETTER, SAME, UNKNOWN = Kind.DEGRADATION, Kind.OPTIMIZATION, Kind.NO_CHANGE, Kind.UNKNOWN
NAN = math.nan


def observed(baseline: Sequence[Record], target: Sequence[Record]) -> Comparison:
    names = sorted({name for name, _, _ in [*baseline, *target]})
    subtypes = sorted({subtype for _, subtype, _ in [*baseline, *target]})
    rows = [(0, *record) for record in baseline] + [(1, *record) for record in target]
    comparison = from_exclusive([dict.fromkeys(names, 1)], [dict.fromkeys(names, 1)])
    return replace(
        comparison,
        symbols=symbols_of(names),
        attachments=(
            Observations(
                symbol=np.array([names.index(name) for _, name, _, _ in rows]),
                side=np.array([side for side, _, _, _ in rows]),
                run=np.array([side for side, _, _, _ in rows]),
                amount=np.array([amount for _, _, _, amount in rows], dtype=np.float64),
                exclusive=np.array([amount for _, _, _, amount in rows], dtype=np.float64),
                size=np.full(len(rows), np.nan),
                subtype=np.array([subtypes.index(subtype) for _, _, subtype, _ in rows]),
                subtypes=subtypes,
            ),
        ),
    )


def detect(comparison: Comparison) -> Detection:
    return AverageAmountThreshold().detect(comparison, {}, Context())


@pytest.mark.parametrize(
    ("baseline", "target", "kind", "ratio"),
    [
        ([10], [21], WORSE, 2.1),
        ([10, 30], [40], WORSE, 2.0),
        ([100], [199], SAME, 1.99),
        ([2], [1], BETTER, 0.5),
        ([7e-9], [0], BETTER, 0.0),  # AAT-d1
        ([0], [3e9], WORSE, NAN),  # AAT-d2
        ([0], [0.000001], WORSE, NAN),
        ([0], [0], SAME, NAN),
        ([-4], [-8], UNKNOWN, NAN),  # AAT-d4
        ([-1], [5], UNKNOWN, NAN),
        ([NAN], [5], UNKNOWN, NAN),  # AAT-d6
        ([5], [NAN], UNKNOWN, NAN),
        ([5], [], Kind.NOT_IN_TARGET, NAN),
        ([], [5], Kind.NOT_IN_BASELINE, NAN),
        ([156.48], [60677.98], WORSE, 387.768277),
        ([60677.98], [135.29], BETTER, 0.002229639),
    ],
)
def test_golden_rows(baseline: list[float], target: list[float], kind: Kind, ratio: float) -> None:
    result = detect(observed([("f", "", b) for b in baseline], [("f", "", t) for t in target]))
    assert [Kind(code) for code in result.kind.tolist()] == [kind]
    assert details_of(result).ratio[0] == pytest.approx(ratio, rel=2e-7, nan_ok=True)


def test_single_subtype_has_no_label() -> None:
    assert set(detect(observed([("f", "real", 1)], [("f", "real", 1)])).labels) <= {""}


def test_golden_subtypes_stay_apart() -> None:
    result = detect(
        observed(
            [("f", "real", 1), ("f", "user", 0.1), ("f", "sys", 0.1)],
            [("f", "real", 1), ("f", "user", 1), ("f", "sys", 0.5)],
        )
    )
    rows = {result.labels[row]: (Kind(int(result.kind[row])), details_of(result).ratio[row]) for row in range(3)}
    assert rows == {
        "real": (SAME, pytest.approx(1)),
        "user": (WORSE, pytest.approx(10)),
        "sys": (WORSE, pytest.approx(5)),
    }


def test_aat_d5_stacks_average_over_runs() -> None:
    """AAT-d5: for sampled stacks the published mean runs over whichever stacks occurred."""
    comparison = from_stacks([{"main;f": 10, "main;g;f": 10}], [{"main;f": 20}])
    result = detect(comparison)
    row = result.symbol.tolist().index(comparison.symbols.names.index("f"))
    assert (result.from_value[row], result.to_value[row], Kind(int(result.kind[row]))) == (20.0, 20.0, SAME)


def test_higher_is_better_swaps_kinds() -> None:
    comparison = from_exclusive([{"f": 10}], [{"f": 30}], metric=Metric("hits", "hits", better="higher"))
    assert Kind(int(detect(comparison).kind[0])) is BETTER


def test_nothing_to_average_is_not_tested() -> None:
    assert not_tested(detect(from_exclusive([{"f": 0}], [{"f": 0}])))
