"""The policy of the gate and the rules of the strategies, as one immutable object."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Any, Literal

from profgate.model.name_aliases import Aliases
from profgate.model.record import Record, field, replace

FailOn = Literal["severe", "degradation", "maybe", "never"]
OnNotCompared = Literal["pass", "unreadable", "fail"]
OnInconclusive = Literal["neutral", "fail"]
OnBlindSpots = Literal["pass", "warn", "fail"]
Confirm = Literal["off", "required"]
Machines = Literal[1, 2]
EmbedSource = Literal["changed", "none", "all"]  # functions whose source code a page may embed

LAST_RELEASE = "last-release"


def matches(name: str, patterns: Iterable[str]) -> bool:
    """Return whether a name matches a pattern, in which only * is a wildcard, since names may contain brackets."""
    return any(fnmatchcase(name, pattern.replace("[", "[[]").replace("?", "[?]")) for pattern in patterns)


class Rule(Record):
    """A rule that applies a strategy to profiles whose ``keys``, such as type or cmd, match glob patterns."""

    method: str
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


class DriftRule(Record):
    """How much slower a base branch may become: the change since a commit (a ref, or `LAST_RELEASE`) that fails."""

    since: str = LAST_RELEASE
    fail_on: str = "5%"

    @property
    def limit(self) -> float:
        """The change that fails, as a fraction."""
        return float(self.fail_on.rstrip(" %")) / 100.0


class Policy(Record):
    """The configuration of the gate with its documented defaults. If ``rules`` is empty, the built-in list is used.

    `settings.config_file` lists the fields that are keys of the section ``gate`` in the policy file.
    """

    rules: tuple[Rule, ...] = ()
    apply: Literal["all", "first"] = "all"
    location_filter: str = "*"
    cutoff: float = 0.0
    source: str = "built-in"
    fail_on: FailOn = "degradation"
    on_not_compared: OnNotCompared = "unreadable"
    required: tuple[str, ...] = ()
    on_inconclusive: OnInconclusive = "neutral"
    on_blind_spots: OnBlindSpots = "pass"
    carry: bool = False
    confirm: Confirm = "off"
    machines: Machines = 2
    drift: DriftRule | None = None
    owners: tuple[str, ...] = ()
    own_baseline: bool = False
    ignore: tuple[str, ...] = ()
    aliases: Aliases = Aliases()
    embed_source: EmbedSource = "changed"

    @property
    def allows_own_baseline(self) -> bool:
        """Whether a pull request may supply its own baseline. Without a policy file, this is always allowed."""
        return self.own_baseline or self.source == Policy().source


class StatedPolicy(Record):
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
