"""The gate's policy and the strategies' rules, as one frozen value that detection and judgement read."""

from dataclasses import dataclass, field
from typing import Any, Literal

from profgate.model.name_aliases import Aliases

FailOn = Literal["severe", "degradation", "maybe", "never"]
FAIL_ON_ORDER: tuple[FailOn, ...] = ("never", "severe", "degradation", "maybe")
OnNotCompared = Literal["neutral", "fail"]
OnInconclusive = Literal["neutral", "fail"]
Confirm = Literal["off", "required", "when-possible"]
EmbedSource = Literal["changed", "none", "all"]  # whose source a page may hold


@dataclass(frozen=True, slots=True)
class Rule:
    """A strategy for the profiles its keys match; ``keys`` maps type, cmd, args, ... to accepted globs."""

    method: str
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policy:
    """Defaults are the documented ones; empty ``rules`` mean the built-in list.

    ``unchanged``: reds and comparisons of unchanged code; ``demoted``: whether they made the gate advise, None where
    nobody looked at their order. A commit that touches ``unchanged_paths`` alone leaves the program as it is.
    """

    rules: tuple[Rule, ...] = ()
    apply: Literal["all", "first"] = "all"
    location_filter: str = "*"
    cutoff: float = 0.0
    fail_on: FailOn = "degradation"
    fail_on_total: FailOn = "degradation"
    on_not_compared: OnNotCompared = "neutral"
    on_inconclusive: OnInconclusive = "neutral"
    gate_without_history: bool = False
    max_gate_distance: int = 0
    budget: float = 0.01
    confirm: Confirm = "off"
    auto_demote: bool = False
    unchanged: tuple[int, int] = (0, 0)
    demoted: bool | None = None
    unchanged_paths: tuple[str, ...] = ("*.md", "*.rst", "docs/*", "LICENSE*")
    owners: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    focus: tuple[str, ...] = ()
    name_rules: Literal["none", "safe", "loose"] = "safe"
    aliases: Aliases = field(default_factory=Aliases)
    embed_source: EmbedSource = "changed"
    source: str = "built-in"
