"""The policy of the gate and the rules of the strategies, as one immutable object."""

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Interval

from profgate.model.name_aliases import Aliases

FailOn = Literal["severe", "degradation", "maybe", "never"]
FAIL_ON_ORDER: tuple[FailOn, ...] = ("never", "severe", "degradation", "maybe")
OnNotCompared = Literal["neutral", "fail"]
OnInconclusive = Literal["neutral", "fail"]
Confirm = Literal["off", "required", "when-possible"]
EmbedSource = Literal["changed", "none", "all"]  # functions whose source code a page may embed


MEANING = "meaning"  # metadata key of the description of a policy key


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule that applies a strategy to matching profiles.

    ``keys`` maps keys such as type, cmd and args to accepted glob patterns.
    """

    method: str
    keys: dict[str, tuple[str, ...]] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Policy:
    """The configuration of the gate with its documented defaults. If ``rules`` is empty, the built-in list is used.

    Fields with a meaning are keys of the section ``gate`` in the policy file, where their names contain hyphens.
    ``unchanged`` contains the numbers of red results and of comparisons for unchanged code. ``demoted`` states whether
    these results made the gate advisory, or is None if their order was not checked.
    """

    rules: tuple[Rule, ...] = ()
    apply: Literal["all", "first"] = "all"
    location_filter: str = "*"
    cutoff: float = 0.0
    unchanged: tuple[int, int] = (0, 0)
    demoted: bool | None = None
    source: str = "built-in"
    fail_on: FailOn = field(
        default="degradation",
        metadata={
            MEANING: "The least severity that turns the check red: severe, degradation (the default), maybe or never."
        },
    )
    fail_on_total: FailOn = field(default="degradation", metadata={MEANING: "The same for the total of a workload."})
    on_not_compared: OnNotCompared = field(
        default="neutral", metadata={MEANING: "neutral (the default) or fail, when something could not be compared."}
    )
    on_inconclusive: OnInconclusive = field(
        default="neutral",
        metadata={MEANING: "neutral (the default) or fail, when the runs are too few or too noisy to judge."},
    )
    gate_without_history: bool = field(default=False, metadata={MEANING: "Deprecated, without effect."})
    max_gate_distance: Annotated[int, Interval(ge=0, le=50)] = field(
        default=0,
        metadata={MEANING: "Commits between the merge base and a baseline that may turn something red (0)."},
    )
    budget: Annotated[float, Interval(gt=0, le=1)] = field(
        default=0.01, metadata={MEANING: "Part of the comparisons of unchanged code that may be red (0.01)."}
    )
    auto_demote: bool = field(
        default=False,
        metadata={MEANING: "true lets the gate only advise while it is over the budget (false by default)."},
    )
    unchanged_paths: tuple[str, ...] = field(
        default=("*.md", "*.rst", "docs/*", "LICENSE*"),
        metadata={MEANING: "Paths that do not affect the program; * is any text (*.md, *.rst, docs/* and LICENSE*)."},
    )
    confirm: Confirm = field(
        default="off",
        metadata={MEANING: "off (the default), required or when-possible: whether red waits for a second measurement."},
    )
    owners: tuple[str, ...] = field(
        default=(),
        metadata={MEANING: "Who may accept a slowdown; without it everybody who may write to the repository."},
    )
    ignore: tuple[str, ...] = field(
        default=(), metadata={MEANING: "Functions whose stacks are left out; * is any text."}
    )
    focus: tuple[str, ...] = field(
        default=(), metadata={MEANING: "Functions without which a stack is left out; * is any text."}
    )
    name_rules: Literal["none", "safe", "loose"] = field(
        default="safe",
        metadata={
            MEANING: "How names of both sides are aligned: none, safe (the default) or loose (profgate explain-name)."
        },
    )
    aliases: Aliases = field(
        default_factory=Aliases,
        metadata={MEANING: "Old names of functions, stars standing for any text, and what they are called now."},
    )
    embed_source: EmbedSource = field(
        default="changed",
        metadata={MEANING: "Whose source a page may hold: changed functions (changed, the default), none or all."},
    )
