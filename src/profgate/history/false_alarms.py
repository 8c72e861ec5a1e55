"""How often the gate was red on code that did not change, and whether it only advises for that."""

from collections.abc import Sequence
from dataclasses import replace

from profgate.model.history import StoredVerdict
from profgate.model.policy import Policy
from profgate.statistics.binomial import exceeds

LAST = 200  # comparisons that count: a gate that was repaired must be able to show it
TO_PROMOTE = 50  # further comparisons within the budget that let a demoted gate decide again


def with_false_alarms(policy: Policy, verdicts: Sequence[StoredVerdict]) -> Policy:
    """The policy with what comparisons of unchanged code, in order of recording, say of the gate."""
    reds = _reds(verdicts)
    return replace(policy, unchanged=(sum(reds[-LAST:]), len(reds[-LAST:])), demoted=_demoted(reds, policy.budget))


def _reds(verdicts: Sequence[StoredVerdict]) -> list[bool]:
    """Red or not, of all that compared anything."""
    return [one.conclusion == "fail" for one in verdicts if one.comparisons > 0 and one.conclusion != "not_compared"]


def _demoted(reds: Sequence[bool], budget: float) -> bool:
    """Whether the gate only advises after these: down where the budget does not explain them, up again when it does."""
    down, since = False, list[bool]()  # since the gate last changed its state
    for red in reds:
        since = [*since[1 - LAST :], red]
        if down and len(since) >= TO_PROMOTE and sum(since) <= budget * len(since):
            down, since = False, []
        elif not down and exceeds(sum(since), len(since), budget):
            down, since = True, []
    return down
