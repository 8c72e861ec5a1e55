from comparisons import from_stacks
from profgate.decide.detect.overweight import overweight_document
from profgate.model.units import Metric
from profgate.report.overweight_text import MEANING, overweight_text

TIME = Metric("cpu", "nanoseconds")


def text(before: dict[str, int], after: dict[str, int], *pivots: str) -> str:
    comparison = from_stacks([before], [after], metric=TIME)
    return overweight_text(overweight_document(comparison, pivots), 120)


def test_values_have_readable_units() -> None:
    shown = text({"main;parse": 4_000_000_000, "main": 1_000_000_000}, {"main;parse": 6_000_000_000, "main": 10**9})
    assert shown.startswith("Total 5.00 → 7.00 s (+40.0 %)\n")
    assert "4.00 → 6.00 s" in shown
    assert MEANING in shown


def test_numbers_without_a_fraction_are_integers() -> None:
    comparison = from_stacks([{"main": 1}, {"main": 2}], [{"main": 3}] * 2, metric=TIME)
    document = overweight_document(comparison)
    assert str(document["all_stacks"]) == "{'baseline': 1.5, 'target': 3, 'delta': 1.5}"


def test_small_changes_are_only_counted() -> None:
    shown = text({"main;parse": 4000, "main;Union": 1}, {"main;parse": 6000, "main;Union": 9})
    assert "Union" not in shown
    assert "1 function changed by less than 0.5 % of the run or 5.0 % of the change; --format json" in shown
