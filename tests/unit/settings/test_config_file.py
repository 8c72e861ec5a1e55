import copy
import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema_rs import Draft202012Validator, meta

from policy_schema import schema
from profgate.errors import SettingsError
from profgate.model.change import OptionSpec
from profgate.model.name_aliases import Aliases
from profgate.model.policy import DriftRule, Policy, Rule
from profgate.settings.config_file import Catalogue, read_policy

CUTOFF = OptionSpec("cutoff", 0.0, "Rows below are left out.", 0.0, 1.0)
TIMES = OptionSpec("times", 3, "How often.", 1)
WAY = OptionSpec("way", "mean", "How.", choices=("mean", "median"))
STRICT = OptionSpec("strict", default=False, meaning="Whether.")
CATALOGUE: Catalogue = {
    "eto": (CUTOFF, TIMES, WAY, STRICT),
    "exclusive_time_outliers": (CUTOFF, TIMES, WAY, STRICT),
    "clr": (),
    "bmoe": (),
}

POLICIES = Path(__file__).parents[2] / "data" / "policy"
GOOD = (POLICIES / "complete.yml").read_text()


def policy_of(text: str) -> Policy:
    return read_policy(text, "profgate.yml", CATALOGUE)


def mistakes_of(text: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        policy_of(text)
    return str(caught.value).splitlines()


def test_complete_file_is_read() -> None:
    assert policy_of(GOOD) == Policy(
        rules=(
            Rule("bmoe", {"type": ("mixed",), "postprocessor": ("regression_analysis",)}),
            Rule(
                "eto",
                {"cmd": ("mybin",), "workload": ("big-*", "17")},
                {"cutoff": 0.5, "times": 2, "way": "median", "strict": True},
            ),
            Rule("clr"),
        ),
        apply="first",
        location_filter="lib.*",
        cutoff=2.0,
        fail_on="severe",
        on_not_compared="fail",
        on_inconclusive="fail",
        owners=("@team",),
        ignore=("cpu_idle", "swapper*"),
        source="profgate.yml",
    )


def test_aliases_map_old_names_to_new_names() -> None:
    policy = policy_of("gate:\n  aliases:\n    old_total: total\n    'v1_*': 'v2_*'\n")
    assert policy.aliases == Aliases((("old_total", "total"), ("v1_*", "v2_*")))
    with pytest.raises(SettingsError) as caught:
        policy_of("gate:\n  aliases:\n    a: [b]\n    c*: cd\n    e: e\n")
    assert [line.partition(": ")[0] for line in str(caught.value).splitlines()] == [
        "profgate.yml:3:8",
        "profgate.yml:4:5",
        "profgate.yml:5:5",
    ]


@pytest.mark.parametrize("text", ["", "# only a comment\n", "gate:\n", "degradation:\ngate: {}\n"])
def test_empty_file_has_the_defaults(text: str) -> None:
    assert policy_of(text) == Policy(source="profgate.yml")


PLACES = "2:3 4:7 5:16 6:39 6:42 6:59 6:69 6:82 7:7 8:20 9:11 11:12 13:17 14:12 15:12 16:1"


def test_every_mistake_is_reported_with_its_place() -> None:
    found = {line.split(": ")[0]: line for line in mistakes_of((POLICIES / "mistakes.yml").read_text())}
    assert " ".join(place.removeprefix("profgate.yml:") for place in found) == PLACES
    assert "did you mean strategies?" in found["profgate.yml:2:3"]
    assert "did you mean clr?" in found["profgate.yml:5:16"]
    assert "did you mean gate?" in found["profgate.yml:16:1"]
    assert found["profgate.yml:11:12"].endswith("'degraded' is unknown; did you mean degradation?")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("gate: {fail-on: severe, fail-on: never}", "twice"),
        ("gate: {fail-on: severe, fail_on: never}", "keep one"),
        ("a: &x [1]\nb: *x\n", "aliases"),
        ("gate: &g {ignore: [a]}\n<<: *g\n", "aliases"),
        ("<<: {gate: {}}", "plain key"),
        ("? [a]\n: b", "plain key"),
        ("[" * 5000, "nested deeper"),
        ("gate: " + "{a: " * 20 + "}" * 20, "nested deeper"),
        ("gate: {fail-on: !!python/object/apply:os.system [ls]}", "tag"),
        ("gate: !mine {}", "tag"),
        ("gate: {own-baseline: !!int x}", "plain number"),
        ("gate: {own-baseline: .nan}", "plain number"),
        ("gate: {own-baseline: 0x" + "f" * 9000 + "}", "plain number"),
        ("gate: {own-baseline: 1.0e+999}", "plain number"),
        ("gate: [", "invalid YAML"),
        ("\x00", "invalid YAML"),
        ("- gate", "must be a mapping"),
        ("gate: never", "must be a mapping"),
        ("degradation: {strategies: {method: clr}}", "must be a list"),
        ("degradation: {strategies: [" + "{method: clr}," * 201 + "]}", "more than 200"),
        ("#" * 300_000, "larger than"),
        ("--- 1\n--- 2\n", "invalid YAML"),
    ],
)
def test_hostile_or_broken_text_is_refused_with_a_place(text: str, word: str) -> None:
    lines = mistakes_of(text)
    assert any(word in line for line in lines), lines
    assert all(line.startswith("profgate.yml:") for line in lines)
    assert all(len(line) < 400 for line in lines)


def accepts(text: str) -> bool:
    try:
        policy_of(text)
    except SettingsError:
        return False
    return True


def test_schema_accepts_what_the_code_accepts() -> None:
    described = schema(CATALOGUE)
    meta.validate(described)
    validator = Draft202012Validator(described)
    good = yaml.safe_load(GOOD)
    chance = random.Random(7)
    verdicts = {True: 0, False: 0}
    for _ in range(150):
        data = mutated(copy.deepcopy(good), chance)
        text = yaml.safe_dump(data)
        taken = accepts(text)
        both_spellings = {"fail-on", "fail_on"} <= set(data["gate"] or ())
        # A schema knows neither regular expressions of Python nor that two spellings are one key.
        if not both_spellings and data["degradation"].get("location_filter") != "(":
            assert validator.is_valid(data) == taken, text
        verdicts[taken] += 1
    assert min(verdicts.values()) > 20


def mutated(data: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The good file with one value replaced or added."""
    values: list[Any] = ["severe", "never", 0, 1, 0.5, 60, -1, True, False, None, [], ["a"], {}, "off", "first", "("]
    places = [data["gate"], data["degradation"], *data["degradation"]["strategies"]]
    place = chance.choice([*places, data["degradation"]["strategies"][1]["options"]])
    name = chance.choice([*place, "fail-on", "method"])
    place[name] = chance.choice(values)
    return data


def test_filter_in_rule_options_is_checked() -> None:
    catalogue: Catalogue = {"eto": (OptionSpec("location_filter", "*", "Where."),)}
    text = 'degradation: {strategies: [{method: eto, options: {location_filter: "%s"}}]}'
    assert read_policy(text % "^lib", "p.yml", catalogue).rules[0].options == {"location_filter": "^lib"}
    with pytest.raises(SettingsError, match=r"^p\.yml:1:[0-9]+: '\(' is not a regular expression"):
        read_policy(text % "(", "p.yml", catalogue)


@pytest.mark.parametrize(("value", "written"), [("3", "3"), ("two", "'two'")])
def test_number_of_machines_is_one_or_two(value: str, written: str) -> None:
    assert policy_of("gate: {machines: 1}").machines == 1
    assert mistakes_of(f"gate: {{machines: {value}}}") == [f"profgate.yml:1:18: {written} is unknown; known are 1, 2"]


def test_limit_of_the_drift() -> None:
    assert policy_of("gate:\n  drift: {since: 2.0, fail-on: 2.5%}\n").drift == DriftRule("2.0", "2.5%")
    rule = policy_of("gate: {drift: {}}").drift
    assert (rule, rule and rule.limit) == (DriftRule("last-release", "5%"), 0.05)
    assert mistakes_of("gate: {drift: {fail-on: 5}}") == ["profgate.yml:1:25: 5 is not text; put it in quotes"]
    assert mistakes_of("gate: {drift: {fail-on: '5'}}") == [
        "profgate.yml:1:25: '5' is not a percentage; write a number with %, such as 5%"
    ]
    (mistake,) = mistakes_of("gate: {drift: {fail_on: 5%}}")
    assert "unknown key 'fail_on' in gate.drift" in mistake
