"""Which strategies run: rules and names."""

from collections.abc import Mapping
from typing import Any

import pytest

from comparisons import SAMPLES
from profgate.decide.detect.builtin import DEFAULTS, STRATEGIES, all_strategies, selected, strategy_named
from profgate.errors import SettingsError
from profgate.model.change import Context, Detection, OptionSpec
from profgate.model.comparison import Comparison
from profgate.model.policy import Policy, Rule
from profgate.model.profile import Configuration

HERE = Configuration(
    type="mixed", command="mybin", workload="big-[1]", collector="time", postprocessors=("regression", "filter")
)


class Outside:
    """A strategy from outside."""

    name = "outside"
    short = "out"
    family = "S"
    options: tuple[OptionSpec, ...] = ()

    def detect(self, comparison: Comparison, options: Mapping[str, Any], context: Context) -> Detection:
        raise NotImplementedError


def shorts(policy: Policy) -> list[str]:
    return [strategy.short for strategy, _ in selected(policy, HERE, SAMPLES)]


def test_defaults_run_without_rules() -> None:
    assert tuple(shorts(Policy())) == DEFAULTS == ("tot", "clr", "eto", "ow", "ctx")


def test_records_with_sizes_add_model_strategies() -> None:
    chosen = [strategy.short for strategy, _ in selected(Policy(), HERE, SAMPLES, sized=True)]
    assert chosen == [*DEFAULTS, "bmoe", "int"]
    ruled = Policy(rules=(Rule("aat"),))
    assert [strategy.short for strategy, _ in selected(ruled, HERE, SAMPLES, sized=True)] == ["aat"]


@pytest.mark.parametrize(
    ("keys", "matches"),
    [
        ({}, True),
        ({"type": ("mixed",)}, True),
        ({"type": ("time", "mixed")}, True),
        ({"type": ("mix",)}, False),
        ({"type": ("mix*",), "cmd": ("mybin",)}, True),
        ({"type": ("mix*",), "cmd": ("other",)}, False),
        ({"workload": ("big-[1]",)}, True),
        ({"workload": ("big-?1?",)}, False),
        ({"postprocessor": ("filter",)}, True),
        ({"args": ("*",)}, False),
        ({"metric": ("samples",), "unit": ("samp*",)}, True),
        ({"nonsense": ("*",)}, False),
    ],
)
def test_all_keys_of_a_rule_must_match(keys: dict[str, tuple[str, ...]], *, matches: bool) -> None:
    assert shorts(Policy(rules=(Rule("aat", keys),))) == (["aat"] if matches else [])


def test_first_and_all_and_duplicates() -> None:
    rules = (
        Rule("eto", {"type": ("none",)}),
        Rule("aat"),
        Rule("average_amount_threshold"),
        Rule("aat", options={"degradation": 3.0}),
        Rule("clr"),
    )
    assert shorts(Policy(rules=rules)) == ["aat", "aat", "clr"]
    assert shorts(Policy(rules=rules, apply="first")) == ["aat"]


def test_options_override_policy_and_defaults() -> None:
    policy = Policy(rules=(Rule("eto", options={"cutoff": 2.0}),), location_filter="app", cutoff=1.0)
    (_, options) = selected(policy, HERE, SAMPLES)[0]
    assert (options["cutoff"], options["location_filter"], options["mzs"]) == (2.0, "app", 3.5)


def test_unknown_name_lists_known_ones() -> None:
    with pytest.raises(SettingsError, match=r"'unheard'.*known are totals, tot,"):
        strategy_named("unheard")
    assert strategy_named("clr") is strategy_named("calibrated_log_ratio")


def test_outside_strategies_join_unless_their_name_is_taken() -> None:
    assert all_strategies([Outside()])[-1].name == "outside"
    with pytest.raises(SettingsError, match="taken"):
        all_strategies([STRATEGIES[0]])


def test_outside_object_without_parts_is_refused() -> None:
    with pytest.raises(SettingsError, match="has no name, short, family, options, detect"):
        all_strategies([object()])  # type: ignore[list-item]
