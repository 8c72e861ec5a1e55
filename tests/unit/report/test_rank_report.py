"""What the stable ranks say to people."""

import numpy as np

from profgate.model.durations import DurationRun, RankCheck
from profgate.model.reason import Reason, ReasonCode
from profgate.model.record import replace
from profgate.report.rank_report import rank_details, rank_lines
from profgate.statistics.rank_checks import RankRules, check, side_by_side

HOSTILE = "a|b`@all\u202e\x1b[31m<img src=x>\n"


def runs(count: int, tests: int = 120, last_slow: float = 1.0) -> list[DurationRun]:
    true = 10 ** np.random.default_rng(3).uniform(6, 9, tests)
    names = [HOSTILE, *(f"t{place}" for place in range(1, tests))]
    made = []
    for number in range(count):
        values = true * np.exp(np.random.default_rng(number).normal(0, 0.002, tests))
        values[0] *= last_slow if number == count - 1 else 1.0
        made.append(DurationRun(f"run {number}", "nanoseconds", dict(zip(names, values.tolist(), strict=True))))
    return made


def checked(made: list[DurationRun]) -> RankCheck:
    return check(side_by_side(made[:-1], made[-1:]), RankRules())


def text(found: RankCheck) -> str:
    return "\n".join(line for _, line in rank_lines(found))


def test_departure_names_test_safely() -> None:
    found = checked(runs(5, last_slow=5000.0))
    shown = text(found)
    assert shown.startswith("REVIEW  the order of the durations changed: tests became slower")
    assert "moved most" in shown
    assert "a|b`@all[31m<img src=x>" in shown
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "| ``a\\|b`@all[31m<img src=x>`` |" in rank_details(found)


def test_reason_of_a_stored_check_is_safe() -> None:
    reason = Reason(ReasonCode.ORDER_NOT_TESTED, {"case": "few_tests", "tests": 1, "needed": HOSTILE})
    shown = text(replace(checked(runs(2)), reason=reason))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
