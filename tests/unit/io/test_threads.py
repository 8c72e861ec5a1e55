"""Execution of a task in a thread."""

import pytest

from profgate.io.threads import started


def test_result_is_that_of_the_task() -> None:
    assert started(lambda: 42)() == 42


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_error_of_the_task_is_raised_by_the_caller() -> None:
    def failing() -> None:
        raise MemoryError

    with pytest.raises(MemoryError):
        started(failing)()
