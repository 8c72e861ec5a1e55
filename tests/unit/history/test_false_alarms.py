"""How often the gate was red on unchanged code, and how it is reported."""

from typing import Any

from profgate.history.false_alarms import LAST, with_false_alarms
from profgate.model.history import StoredVerdict
from profgate.model.policy import Policy
from profgate.model.report import Report, StatedPolicy, Verdict
from profgate.model.sides import Side
from profgate.report.statements import false_alarms


def verdict(conclusion: str, comparisons: int = 1) -> StoredVerdict:
    return StoredVerdict("c", "c", "1", conclusion, 0, comparisons)


def unchanged(verdicts: list[StoredVerdict]) -> tuple[int, int]:
    return with_false_alarms(Policy(), verdicts).unchanged


def test_only_last_comparisons_count() -> None:
    old, new = [verdict("fail")] * 50, [verdict("pass")] * (LAST - 1)
    assert unchanged([*old, *new, verdict("not_compared"), verdict("fail", 0)]) == (1, LAST)
    assert unchanged([]) == (0, 0)


def demoted(*parts: tuple[str, int]) -> bool | None:
    given = [verdict(conclusion) for conclusion, times in parts for _ in range(times)]
    return with_false_alarms(Policy(budget=0.01), given).demoted


def test_gate_is_demoted_beyond_the_budget() -> None:
    assert demoted() is False
    assert demoted(("pass", 19), ("fail", 1)) is False
    assert demoted(("pass", 18), ("fail", 2)) is True
    assert demoted(("pass", 98), ("fail", 2)) is False
    assert demoted(("pass", 96), ("fail", 4)) is True


def test_gate_decides_again_after_fifty_comparisons() -> None:
    down = (("pass", 18), ("fail", 2))
    assert demoted(*down, ("pass", 49)) is True
    assert demoted(*down, ("pass", 50)) is False
    assert demoted(*down, ("pass", 30), ("fail", 1), ("pass", 68)) is True
    assert demoted(*down, ("pass", 30), ("fail", 1), ("pass", 69)) is False
    assert demoted(*down, ("pass", 50), ("fail", 1)) is True  # one red of one comparison since: not explained


def report(**policy: Any) -> Report:
    return Report(Side("b"), Side("t"), Verdict("pass", "green", ()), (), policy=StatedPolicy(**policy))


def test_rate_is_reported_with_its_interval() -> None:
    assert false_alarms(report()) == ""
    text = false_alarms(
        report(unchanged_reds=0, unchanged_comparisons=299, false_alarms_low=0.0, false_alarms_high=0.0123)
    )
    assert text == "false alarms in 0 of 299 comparisons of unchanged code (95 % interval 0 % to 1.2 %)"
    numbers = {"unchanged_reds": 2, "unchanged_comparisons": 20, "false_alarms_low": 0.01, "false_alarms_high": 0.3}
    assert "set auto-demote: true" in false_alarms(report(**numbers, over_budget=True))
    assert "set auto-demote" not in false_alarms(report(**numbers, over_budget=True, auto_demote=True))
