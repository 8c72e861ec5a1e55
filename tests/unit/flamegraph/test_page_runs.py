"""Which runs of which functions a page shows, and how their costs are rounded."""

import numpy as np
import pytest

from comparisons import from_stacks
from profgate.flamegraph import page_runs as module
from profgate.flamegraph.page_runs import INCLUSIVE, OWN, TOTAL, PageRuns, page_runs, recorded
from profgate.model.arrays import FloatArray
from profgate.model.comparison import RunValues
from profgate.model.record import replace


def floats(*values: float) -> FloatArray:
    return np.array(values, np.float64)


def given(
    own: dict[int, FloatArray],
    inclusive: dict[int, FloatArray] | None = None,
    broad: dict[int, FloatArray] | None = None,
    earlier: int = 0,
) -> RunValues:
    runs = len(next(iter(own.values())))
    return RunValues(np.full(runs, 1000.0), own, inclusive or {}, broad or {}, np.ones(runs), earlier)


def shown(values: RunValues, sides: tuple[int, int], findings: tuple[int, ...] = ()) -> PageRuns:
    found = page_runs(values, sides, findings)
    assert found is not None
    return found


def test_values_have_five_digits() -> None:
    found = shown(given({4: floats(98_765_432, 1_234_567, 0)}), (2, 1))
    assert found["rows"] == [[-1, TOTAL, -1, 10000, 10000, 10000], [4, OWN, 3, 98765, 1235, 0]]
    small = shown(given({4: floats(3.14159, 0.5, 3.0)}), (2, 1))
    assert small["rows"][1] == [4, OWN, -4, 31416, 5000, 30000]


def test_findings_come_before_the_largest_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FUNCTIONS", 3)
    own = {symbol: floats(*[10.0 * symbol] * 4) for symbol in range(1, 7)}
    found = shown(given(own, {2: floats(900, 900, 900, 900)}), (2, 2), findings=(1,))
    assert [(row[0], row[1]) for row in found["rows"]] == [(-1, TOTAL), (1, OWN), (2, OWN), (2, INCLUSIVE), (6, OWN)]


def test_values_are_as_recorded() -> None:
    """A function is tested without the factor of all other functions, which differs from the factor of all."""
    baseline, target = [{"main;f": 10, "main;g": 90}, {"main;f": 20, "main;g": 80}], [{"main;f": 50, "main;g": 100}]
    comparison = from_stacks(baseline, target)
    f = comparison.symbols.names.index("f")
    tested = replace(given({f: floats(9, 19, 45)}, {f: floats(9, 19, 45)}), factors=floats(1, 1.1, 1.2))
    rows = shown(recorded(comparison, tested), (2, 1))["rows"]
    assert [row[3:] for row in rows[1:]] == [[10000, 20000, 50000]] * 2
