"""The strategy of the history among the others: chosen by rules, silent on two sides."""

from comparisons import from_stacks
from profgate.decide.detect.report_strategies import ChangePoint
from profgate.model.change import Context
from sentences import not_tested


def test_two_sides_are_no_history() -> None:
    comparison = from_stacks([{"main;f": 60}], [{"main;f": 90}])
    result = ChangePoint().detect(comparison, {}, Context())
    assert len(result.symbol) == 0
    assert not_tested(result) == "history_needed"
