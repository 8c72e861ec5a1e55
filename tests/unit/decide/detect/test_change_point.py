"""The strategy of the history among the others: chosen by rules, silent on two sides."""

from dataclasses import fields

import pytest

from comparisons import from_stacks
from profgate.decide.detect.report_strategies import ChangePoint
from profgate.decide.detect.strategy import resolved
from profgate.history.trends import TrendRules, trend_rules
from profgate.model.change import Context
from profgate.model.history import Series
from profgate.model.policy import Policy, Rule
from profgate.model.profile import Configuration
from profgate.model.units import Metric
from sentences import not_tested

TIME, SERIES = Metric("time", "nanoseconds"), Series("k", "api", Configuration(workload="api"))


def test_two_sides_are_no_history() -> None:
    comparison = from_stacks([{"main;f": 60}], [{"main;f": 90}])
    result = ChangePoint().detect(comparison, {}, Context())
    assert len(result.symbol) == 0
    assert not_tested(result) == "history_needed"


def test_its_options_are_the_rules_of_trends() -> None:
    assert TrendRules(**resolved(ChangePoint(), {})) == TrendRules()
    assert {one.name for one in ChangePoint.options} == {one.name for one in fields(TrendRules)}


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ((), TrendRules()),
        ((Rule("clr"),), TrendRules()),
        ((Rule("clr"), Rule("cp", {}, {"min_magnitude": 0.1})), TrendRules(min_magnitude=0.1)),
        ((Rule("cp", {"workload": ("other",)}, {"p": 0.1}),), TrendRules()),
        ((Rule("cp", {"workload": ("a*",)}, {"p": 0.1}), Rule("cp", {}, {"window": 20})), TrendRules(p=0.1)),
    ],
)
def test_first_matching_rule_bounds_trends(rules: tuple[Rule, ...], expected: TrendRules) -> None:
    assert trend_rules(Policy(rules=rules))(SERIES, TIME) == expected
