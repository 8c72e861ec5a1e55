"""How often the gate was red on unchanged code, and how the report says it."""

from profgate.history.false_alarms import LAST, reds_and_trials
from profgate.model.history import StoredVerdict
from profgate.model.report import Report, Side, Verdict
from profgate.report.rows import false_alarms


def verdict(conclusion: str, comparisons: int = 1) -> StoredVerdict:
    return StoredVerdict("unchanged", "c", "c", "1", conclusion, 0, comparisons)


def test_only_the_last_comparisons_that_compared_anything_count() -> None:
    old, new = [verdict("fail")] * 50, [verdict("pass")] * (LAST - 1)
    assert reds_and_trials([*old, *new, verdict("not_compared"), verdict("fail", 0)]) == (1, LAST)
    assert reds_and_trials([]) == (0, 0)


def report(**policy: float | bool) -> Report:
    return Report(Side("b"), Side("t"), Verdict("pass", "green", ()), (), policy=dict(policy))


def test_the_rate_is_told_with_its_interval_and_advice_beyond_the_budget() -> None:
    assert false_alarms(report()) == ""
    told = false_alarms(
        report(unchanged_reds=0, unchanged_comparisons=299, false_alarms_low=0.0, false_alarms_high=0.0123)
    )
    assert told == "false alarms in 0 of 299 comparisons of unchanged code (95 % interval 0 % to 1.2 %)"
    numbers = {"unchanged_reds": 2, "unchanged_comparisons": 20, "false_alarms_low": 0.01, "false_alarms_high": 0.3}
    assert "set auto-demote: true" in false_alarms(report(**numbers, over_budget=True))
    assert "set auto-demote" not in false_alarms(report(**numbers, over_budget=True, auto_demote=True))
