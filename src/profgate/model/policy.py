"""The policy of the gate and the rules of the strategies, as one immutable object."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeVar

from profgate.model.name_aliases import Aliases

FailOn = Literal["severe", "degradation", "maybe", "never"]
OnNotCompared = Literal["pass", "unreadable", "fail"]
OnInconclusive = Literal["neutral", "fail"]
OnBlindSpots = Literal["pass", "warn", "fail"]
Confirm = Literal["off", "required"]
Machines = Literal[1, 2]
EmbedSource = Literal["changed", "none", "all"]  # functions whose source code a page may embed

LAST_RELEASE = "last-release"
MEANING = "meaning"  # metadata key for the description of a policy key
Value = TypeVar("Value")


def _key(default: Value, meaning: str) -> Value:
    """Return the field of a policy key."""
    known: Value = field(default=default, metadata={MEANING: meaning})
    return known


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name matches a pattern, in which only * is a wildcard, since names may contain brackets."""
    return any(fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]")) for pattern in patterns)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule that applies a strategy to profiles whose ``keys``, such as type or cmd, match glob patterns."""

    method: str
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DriftRule:
    """How much slower a base branch may become: the change since a commit (a ref, or `LAST_RELEASE`) that fails."""

    since: str = LAST_RELEASE
    fail_on: str = "5%"

    @property
    def limit(self) -> float:
        """The change that fails, as a fraction."""
        return float(self.fail_on.rstrip(" %")) / 100.0


@dataclass(frozen=True, slots=True)
class Policy:
    """The configuration of the gate with its documented defaults. If ``rules`` is empty, the built-in list is used.

    Fields that have a description are keys of the section ``gate`` in the policy file, written with hyphens instead of
    underscores.
    """

    rules: tuple[Rule, ...] = ()
    apply: Literal["all", "first"] = "all"
    location_filter: str = "*"
    cutoff: float = 0.0
    source: str = "built-in"
    fail_on: FailOn = _key(
        "degradation",
        "Lowest severity of a function or total that turns the check red: severe, degradation (the default), "
        "maybe or never.",
    )
    on_not_compared: OnNotCompared = _key(
        "unreadable",
        "What fails when something could not be compared: nothing (pass), a stored baseline that cannot "
        "be read (unreadable), or anything (fail). By default, fail in mode merge and for profiles of a fork, "
        "except on the first run; otherwise unreadable.",
    )
    required: tuple[str, ...] = _key(
        (), "Workloads that must be compared and, if a result is in doubt, confirmed; * matches any text."
    )
    on_inconclusive: OnInconclusive = _key(
        "neutral", "Result if there are too few runs or too much noise: neutral (the default) or fail."
    )
    on_blind_spots: OnBlindSpots = _key(
        "pass",
        "Result if no workload measured a function that the pull request changed: pass (the default), warn (review) "
        "or fail.",
    )
    carry: bool = _key(
        False, "true lets a pull request leave out workloads that its changes cannot reach (profgate affected)."
    )
    confirm: Confirm = _key(
        "off", "Whether red needs a measurement of both commits in turns: off (the default) or required."
    )
    machines: Machines = _key(
        2, "Number of machines that must confirm a regression when both commits are measured in turns: 1 or 2."
    )
    drift: DriftRule | None = _key(
        None,
        "Fail a base run if a total became slower by this much since a commit: {since: last-release, fail-on: 5%}. "
        "Instead of last-release, since may name a tag, branch or commit.",
    )
    owners: tuple[str, ...] = _key((), "Users who may accept a slowdown; by default everybody with write access.")
    own_baseline: bool = _key(
        False, "true lets a pull request bring a baseline that its own job measured (input baseline-profiles)."
    )
    ignore: tuple[str, ...] = _key((), "Functions whose stacks are left out; * matches any text.")
    aliases: Aliases = _key(Aliases(), "Old and new names of functions, in which * matches any text.")
    embed_source: EmbedSource = _key(
        "changed", "Functions whose source a page may contain: changed (the default), none or all."
    )

    @property
    def allows_own_baseline(self) -> bool:
        """Whether a pull request may supply its own baseline. Without a policy file, this is always allowed."""
        return self.own_baseline or self.source == Policy().source


@dataclass(frozen=True, slots=True)
class StatedPolicy:
    """The policy of a judged report. Unknown values are None."""

    fail_on: FailOn | None = None
    on_not_compared: OnNotCompared | None = None
    required: tuple[str, ...] | None = None
    on_inconclusive: OnInconclusive | None = None
    on_blind_spots: OnBlindSpots | None = None
    carry: bool | None = None
    confirm: Confirm | None = None
    machines: Machines | None = None
    source: str | None = None


def with_strategies(policy: Policy, names: Sequence[str]) -> Policy:
    """Return the policy with these strategies instead of its rules, if any are named."""
    if not names:
        return policy
    return replace(policy, rules=tuple(Rule(name) for name in names), apply="all")
