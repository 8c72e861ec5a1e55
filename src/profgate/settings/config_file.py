"""Conversion of the YAML configuration file to a `Policy`, or to one error that lists all mistakes with positions.

The keys of ``gate`` are the fields of `Policy`. The options of a rule are the options of the rule's strategy.
"""

import re
from collections.abc import Mapping
from functools import cache, reduce
from operator import or_
from typing import Annotated, Any, Literal, cast, get_type_hints

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    ValidationError,
    WithJsonSchema,
    create_model,
)
from typing_extensions import TypeAliasType

from profgate.errors import did_you_mean
from profgate.model.change import OptionSpec
from profgate.model.name_aliases import MOST_ALIASES, Aliases, mistake_in
from profgate.model.policy import DriftRule, Policy, Rule
from profgate.model.record import replace
from profgate.settings.mistakes import message
from profgate.settings.yaml_document import Path, YamlDocument

Catalogue = Mapping[str, tuple[OptionSpec, ...]]

MEANINGS = {
    "fail_on": (
        "Lowest severity of a function or total that turns the check red: severe, degradation (the default), "
        "maybe or never."
    ),
    "on_not_compared": (
        "What fails when something could not be compared: nothing (pass), a stored baseline that cannot be "
        "read (unreadable), or anything (fail). By default, fail in mode merge and for profiles of a fork, "
        "except on the first run; otherwise unreadable."
    ),
    "required": "Workloads that must be compared and, if a result is in doubt, confirmed; * matches any text.",
    "on_inconclusive": "Result if there are too few runs or too much noise: neutral (the default) or fail.",
    "on_blind_spots": (
        "Result if no workload measured a function that the pull request changed: pass (the default), warn "
        "(review) or fail."
    ),
    "carry": "true lets a pull request leave out workloads that its changes cannot reach (profgate affected).",
    "confirm": "Whether red needs a measurement of both commits in turns: off (the default) or required.",
    "machines": "Number of machines that must confirm a regression when both commits are measured in turns: 1 or 2.",
    "drift": (
        "Fail a base run if a total became slower by this much since a commit: {since: last-release, fail-on: "
        "5%}. Instead of last-release, since may name a tag, branch or commit."
    ),
    "owners": "Users who may accept a slowdown; by default everybody with write access.",
    "own_baseline": "true lets a pull request bring a baseline that its own job measured (input baseline-profiles).",
    "ignore": "Functions whose stacks are left out; * matches any text.",
    "aliases": "Old and new names of functions, in which * matches any text.",
    "embed_source": "Functions whose source a page may contain: changed (the default), none or all.",
}
KEYS = {name.replace("_", "-"): name for name in MEANINGS}  # of the section ``gate``, with the fields of `Policy`
STRICT = ConfigDict(extra="forbid", strict=True)


def _pattern(text: str) -> str:
    if text != "*":
        try:
            re.compile(text)
        except re.error as error:
            raise ValueError(f"is not a regular expression ({error}); write * for no filter") from None
    return text


NUMBER_OR_TEXT = {"type": ["string", "number"]}
Text = Annotated[str, Field(strict=False, coerce_numbers_to_str=True), WithJsonSchema(NUMBER_OR_TEXT)]
Texts = Annotated[tuple[Text, ...], Field(strict=False)]
OneOrMany = Annotated[Texts, BeforeValidator(lambda value: value if isinstance(value, list) else [value])]
Globs = TypeAliasType(
    "Globs",
    Annotated[OneOrMany, WithJsonSchema({"anyOf": [NUMBER_OR_TEXT, {"type": "array", "items": NUMBER_OR_TEXT}]})],
)
Pattern = Annotated[str, AfterValidator(_pattern)]
Names = Annotated[dict[str, Text] | None, Field(max_length=MOST_ALIASES)]
Percentage = Annotated[str, Field(pattern=r"^[0-9]{1,3}([.][0-9]{1,3})? ?%$")]
DRIFT = create_model(
    "Drift",
    __config__=STRICT,
    since=(Text, Field(DriftRule().since, description="A tag, branch or commit, or last-release.")),
    fail_on=(Percentage, Field(DriftRule().fail_on, alias="fail-on", description="Smallest change that fails.")),
)
WITHOUT_EFFECT = (Any, Field(None, description="Perun's own; without effect here."))
RULE_KEYS = ("type", "cmd", "args", "workload", "collector", "postprocessor", "metric", "unit")


@cache
def _gate_model() -> type[BaseModel]:
    hints = get_type_hints(Policy, include_extras=True)
    found: dict[str, Any] = {}
    for name, field in KEYS.items():
        kind = hints[field]
        if kind == tuple[str, ...]:
            kind = Globs
        elif kind is Aliases:
            kind = Names
        elif name == "drift":
            kind = Annotated[
                DRIFT | None, AfterValidator(lambda found: found and DriftRule(found.since, found.fail_on))
            ]
        elif name == "confirm":  # YAML 1.1 parses an unquoted off as false
            kind = Annotated[kind, BeforeValidator(lambda value: "off" if value is False else value)]
        default = None if kind is Names else getattr(Policy(), field)
        found[field] = (kind, Field(default, alias=name, description=MEANINGS[field]))
    return create_model("Gate", __config__=STRICT, **found)


def _option_type(spec: OptionSpec) -> Any:  # noqa: ANN401 - a type annotation
    kind: Any = type(spec.default)
    if spec.name == "location_filter":
        kind = Pattern
    elif spec.choices:
        kind = Literal[spec.choices]
    elif kind in {int, float}:
        kind = Annotated[kind, Field(ge=spec.minimum, le=spec.maximum)]
    return kind, Field(spec.default, description=spec.meaning)


@cache
def _rule_model(methods: tuple[str, ...], specs: tuple[OptionSpec, ...]) -> Any:  # noqa: ANN401 - a model
    choices: dict[str, Any] = {spec.name: _option_type(spec) for spec in specs}
    found: dict[str, Any] = {"method": (Literal[methods], ...)} | dict.fromkeys(RULE_KEYS, (Globs, ()))
    if choices:
        options = create_model(f"Options of {methods[0]}", __config__=STRICT, **choices)
        found["options"] = (options, Field(None))
    else:
        found["options"] = (dict[str, Any], Field(None, max_length=0))
    return create_model(f"Rule with {methods[0]}", __config__=STRICT, **found)


def file_model(catalogue: Catalogue) -> type[BaseModel]:
    """Return the model of a configuration file."""
    names: dict[int, list[str]] = {}
    for method, specs in catalogue.items():  # all names of a strategy share the same options object
        names.setdefault(id(specs), []).append(method)
    models = [_rule_model(tuple(methods), catalogue[methods[0]]) for methods in names.values()]
    rule: Any = reduce(or_, models)
    if len(models) > 1:
        rule = Annotated[rule, Discriminator("method")]
    degradation: dict[str, Any] = {
        "apply": (Literal["all", "first"], Field("all", description="Use all matching rules, or only the first.")),
        "strategies": (Annotated[list[rule], Field(max_length=200)], ()),
        "location_filter": (Pattern, Field("*", description="Regular expression searched in the module; * is off.")),
        "cutoff": (Annotated[float, Field(ge=0, le=100)], 0.0),
        "collect_before_check": WITHOUT_EFFECT,
        "log_collect": WITHOUT_EFFECT,
    }
    parts: dict[str, Any] = {
        "degradation": (create_model("Degradation", __config__=STRICT, **degradation) | None, None),
        "gate": (_gate_model() | None, None),
    }
    return create_model("File", __config__=STRICT, **parts)


def read_policy(text: str, name: str, catalogue: Catalogue, defaults: Policy | None = None) -> Policy:
    """Parse the policy in a configuration file. Missing keys have their values in ``defaults``.

    ``catalogue`` maps the full and short name of every strategy to its options. Raises `SettingsError` with one line
    ``name:line:column: what; what to do`` for each mistake.
    """
    document, policy = YamlDocument(name), replace(defaults or Policy(), source=name)
    data = document.read(text)
    document.raise_any()
    if data is None:
        return policy
    try:
        found = file_model(catalogue).model_validate(data)
    except ValidationError as error:
        for mistake in error.errors():
            _explain(cast("Mapping[str, Any]", mistake), document, catalogue)
        found = None
    gate = data.get("gate") if isinstance(data, dict) else None
    _check_aliases(gate.get("aliases") if isinstance(gate, dict) else None, document)
    document.raise_any()
    return replace(policy, **_fields(cast("Any", found)))


def _fields(found: Any) -> dict[str, Any]:  # noqa: ANN401 - a model made above
    """Return a mapping from field names of `Policy` to the values in a valid file."""
    taken: dict[str, Any] = {}
    if found.gate is not None:
        taken |= {name: getattr(found.gate, name) for name in found.gate.model_fields_set}
    if "aliases" in taken:
        taken["aliases"] = Aliases(tuple((taken["aliases"] or {}).items()))
    if found.degradation is not None:
        names = found.degradation.model_fields_set & {"apply", "location_filter", "cutoff"}
        taken |= {name: getattr(found.degradation, name) for name in names}
        taken["rules"] = tuple(_rule(rule) for rule in found.degradation.strategies)
    return taken


def _rule(found: Any) -> Rule:  # noqa: ANN401 - a model made above
    keys = {name: getattr(found, name) for name in RULE_KEYS if name in found.model_fields_set}
    options = found.options.model_dump(exclude_unset=True) if found.options else {}
    return Rule(found.method, keys, options)


def _check_aliases(aliases: object, document: YamlDocument) -> None:
    pairs: list[tuple[str, str]] = []
    for old, new in aliases.items() if isinstance(aliases, dict) else ():
        if isinstance(new, str | int | float) and not isinstance(new, bool):
            pairs.append((old, str(new)))
            if what := mistake_in(pairs):
                document.add(document.keys["gate", "aliases", old], f"alias {old[:60]!r} {what}")
                pairs.pop()


def _explain(error: Mapping[str, Any], document: YamlDocument, catalogue: Catalogue) -> None:
    """Add a mistake found by pydantic, at the position of the invalid value or unknown key."""
    # pydantic adds the method of a rule after its index
    path = tuple(part for number, part in enumerate(error["loc"]) if number != 3 or error["loc"][1] != "strategies")
    while path and path not in document.values:
        path = path[:-1]
    kind, details = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        where, known = _known(error["loc"], catalogue)
        what = f"unknown key {str(path[-1])[:60]!r} in {where}; {did_you_mean(str(path[-1]), known)}"
        document.add(document.keys[path], what)
    elif kind == "union_tag_invalid":
        given = str(details["tag"])[:60]
        document.add(document.values[*path, "method"], f"unknown method {given!r}; {did_you_mean(given, catalogue)}")
    elif kind in {"union_tag_not_found", "missing"}:
        methods = ", ".join(catalogue)
        document.add(document.values[path], f"a rule without method selects nothing; add method: one of {methods}")
    else:
        rules = " of rules, each with a method" if path[-1:] == ("strategies",) and "list" in kind else ""
        document.add(document.values[path], f"{_shown(error['input'])} {message(error)}{rules}")


def _known(loc: Path, catalogue: Catalogue) -> tuple[str, list[str]]:
    """Return the description and the valid keys of the mapping at the path ``loc``, which contains an unknown key."""
    if len(loc) == 1:
        return "the file", ["degradation", "gate"]
    if loc[0] == "gate":
        return ("gate.drift", ["since", "fail-on"]) if len(loc) > 2 else ("gate", list(KEYS))
    if loc[1] != "strategies":
        return "degradation", ["apply", "strategies", "location_filter", "cutoff"]
    if len(loc) == 5:
        return "a rule", [*RULE_KEYS, "method", "options"]
    method = str(loc[3])
    return f"the options of {method}", [spec.name for spec in catalogue[method]]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'mapping'}"
    return "an empty value" if value is None else repr(value)[:60]
