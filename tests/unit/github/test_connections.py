import pytest

from profgate.errors import ProfgateError
from profgate.github.connections import RetryBudget


def test_whole_budget_can_be_waited_for() -> None:
    slept: list[float] = []
    budget = RetryBudget(5, sleep=slept.append)
    budget.wait(2, "x")
    budget.wait(3, "x")
    with pytest.raises(ProfgateError, match="x"):
        budget.wait(0.1, "x")
    assert slept == [2, 3]
