"""How often the gate was red on code that did not change."""

from collections.abc import Sequence

from profgate.model.history import StoredVerdict

LAST = 200  # comparisons that count: a gate that was repaired must be able to show it


def reds_and_trials(verdicts: Sequence[StoredVerdict]) -> tuple[int, int]:
    """Red comparisons and all comparisons among the last ones of unchanged code that compared anything."""
    counting = [one for one in verdicts if one.comparisons > 0 and one.conclusion != "not_compared"][-LAST:]
    return sum(one.conclusion == "fail" for one in counting), len(counting)
