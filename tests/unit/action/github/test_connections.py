import pytest

from profgate.action.github.connections import RetryBudget, RetryBudgetExceededError


def test_whole_budget_can_be_waited_for() -> None:
    slept: list[float] = []
    budget = RetryBudget(5, sleep=slept.append)
    budget.wait(2)
    budget.wait(3)
    with pytest.raises(RetryBudgetExceededError):
        budget.wait(0.1)
    assert slept == [2, 3]
