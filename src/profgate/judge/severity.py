"""How severe a finding is: distance over noise and weight in the run, five buckets each."""

from typing import Literal

from profgate.model.policy import FailOn

Severity = Literal["severe", "degraded", "maybe", "none"]

DISTANCE_BOUNDS = (1.5, 3.0, 6.0, 12.0)
WEIGHT_BOUNDS = (0.002, 0.01, 0.02, 0.05)
ENOUGH: dict[FailOn, frozenset[Severity]] = {
    "never": frozenset(),
    "severe": frozenset({"severe"}),
    "degradation": frozenset({"severe", "degraded"}),
    "maybe": frozenset({"severe", "degraded", "maybe"}),
}


def bucket(value: float, bounds: tuple[float, ...]) -> int:
    """1..5: the bounds that a value reaches, plus one; a hair's breadth below a bound reaches it."""
    return 1 + sum(value >= bound - 1e-9 for bound in bounds)


def severity(distance: float, weight: float) -> Severity:
    """From the distance in noise bars and the weight as a part of the run."""
    score = (bucket(distance, DISTANCE_BOUNDS) + bucket(abs(weight), WEIGHT_BOUNDS)) / 2.0
    if score < 2.0:
        return "maybe"
    return "degraded" if score < 3.5 else "severe"


def fails(level: Severity, fail_on: FailOn) -> bool:
    """Whether the policy lets this severity fail the gate."""
    return level in ENOUGH[fail_on]
