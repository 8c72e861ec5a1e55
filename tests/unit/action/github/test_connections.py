import itertools

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


def test_waits_of_a_failed_request_are_counted_once() -> None:
    ticks = itertools.count(0, 4)  # the wait is a part of the four seconds
    budget = RetryBudget(5, sleep=lambda _: None, clock=lambda: next(ticks))

    def fail() -> None:
        with budget.spent_on():
            budget.wait(3)
            raise OSError("cut")

    with pytest.raises(OSError, match="cut"):
        fail()
    budget.wait(1)
    with pytest.raises(RetryBudgetExceededError):
        budget.wait(0.1)
