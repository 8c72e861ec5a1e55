"""The configuration file: YAML text becomes a `Policy`, or one error that names every mistake with line and column."""

import difflib
import math
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

from yaml import MappingNode, Node, SafeLoader, ScalarNode, SequenceNode, YAMLError, compose, parse
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent
from yaml.nodes import CollectionNode

from profgate.errors import SettingsError
from profgate.model.change import OptionSpec
from profgate.model.name_aliases import MOST_ALIASES, Aliases, mistake_in
from profgate.model.policy import (
    FAIL_ON_ORDER,
    Confirm,
    EmbedSource,
    FailOn,
    OnInconclusive,
    OnNotCompared,
    Policy,
    Rule,
)

Catalogue = Mapping[str, tuple[OptionSpec, ...]]

MOST_CHARACTERS = 256 * 1024
MOST_DEPTH = 12
MOST_RULES = 200
LARGEST = 2.0**63
SMALLEST = math.ulp(0.0)  # the least number above 0
RULE_KEYS = ("type", "cmd", "args", "workload", "collector", "postprocessor", "metric", "unit")
APPLY = ("all", "first")
NAME_RULES = ("none", "safe", "loose")
MOST_DISTANCE = 50
# Perun steers its own collecting with them; profgate collects nothing, so they change nothing here.
WITHOUT_EFFECT = ("collect_before_check", "log_collect")
SCALAR_TAGS = {f"tag:yaml.org,2002:{name}": name for name in ("str", "int", "float", "bool", "null", "timestamp")}
COLLECTION_TAGS = frozenset({"tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"})


@dataclass(frozen=True, slots=True)
class _Item:
    """A value with the place where it stands; mappings keep the item of each key."""

    value: Any
    line: int
    column: int

    def __repr__(self) -> str:
        return repr(self.value)


class _Mistakes:
    """Every mistake of one file, in the order in which they were met."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: list[tuple[int, int, str]] = []

    def add(self, item: _Item, what: str) -> None:
        self.lines.append((item.line, item.column, what))

    def raise_any(self) -> None:
        if self.lines:
            told = [f"{self.name}:{line}:{column}: {what}" for line, column, what in sorted(self.lines)]
            raise SettingsError("\n".join(told))


def read_policy(text: str, name: str, catalogue: Catalogue) -> Policy:
    """The policy a configuration file states, with defaults for what it leaves out.

    ``catalogue`` holds the options of every strategy by full and by short name. Raises `SettingsError` with one line
    ``name:line:column: what; what to do`` for every mistake.
    """
    mistakes = _Mistakes(name)
    root = _tree(text, mistakes)
    mistakes.raise_any()
    if root.value is None:
        return Policy(source=name)
    fields: dict[str, Any] = {}
    blocks = _entries(root, ("degradation", "gate"), mistakes, "the file")
    if "degradation" in blocks:
        fields |= _degradation(blocks["degradation"], catalogue, mistakes)
    if "gate" in blocks:
        fields |= _gate(blocks["gate"], mistakes)
    mistakes.raise_any()
    return replace(Policy(source=name), **fields)


def tightened(
    policy: Policy, requested: Mapping[str, str | bool], strategies: tuple[str, ...] = ()
) -> tuple[Policy, list[str]]:
    """The policy after a run's own wishes, and a sentence for each wish that would have loosened it.

    ``requested`` holds values by field name of `Policy`. Where no file states a policy every wish is taken. Added
    strategies speak beside the configured ones and never replace them; without configured ones the caller adds them
    to the built-in list.
    """
    refused: list[str] = []
    taken: dict[str, str | bool] = {}
    for name, value in requested.items():
        now = getattr(policy, name)
        if policy.source == Policy().source or _strictness(name, value) >= _strictness(name, now):
            taken[name] = value
        else:
            shown = f"{name.replace('_', '-')} {_word(value)} would loosen {_word(now)} of {policy.source}"
            refused.append(f"{shown}; it was not taken, change the file on the base branch instead")
    result = replace(policy, **cast("dict[str, Any]", taken))
    if strategies and policy.rules:
        result = replace(result, rules=policy.rules + tuple(Rule(method) for method in strategies))
    return result, refused


def schema(catalogue: Catalogue) -> dict[str, Any]:
    """The JSON Schema of the file, for editors; it accepts what `read_policy` accepts."""
    fail_on = {"enum": list(get_args(FailOn))}
    texts = {"type": "array", "items": {"type": ["string", "number"]}}
    one_or_many = {"anyOf": [{"type": ["string", "number"]}, texts]}
    rule = {
        "type": "object",
        "description": "A strategy for the profiles that match every key; texts are globs, lists mean any of them.",
        "additionalProperties": False,
        "required": ["method"],
        "properties": dict.fromkeys(RULE_KEYS, one_or_many)
        | {"method": {"enum": sorted(catalogue)}, "options": {"type": "object"}},
        "allOf": [
            {
                "if": {"properties": {"method": {"const": method}}},
                "then": {"properties": {"options": _options_schema(specs)}},
            }
            for method, specs in sorted(catalogue.items())
        ],
    }
    degradation = {
        "apply": {"enum": list(APPLY), "description": "Use all matching rules, or only the first one."},
        "strategies": {"type": "array", "items": rule, "maxItems": MOST_RULES},
        "location_filter": {"type": "string", "description": "Regular expression searched in the module; * is off."},
        "cutoff": {"type": "number", "minimum": 0, "maximum": 100},
    } | {key: {"description": "Perun's own; without effect here."} for key in WITHOUT_EFFECT}
    shapes: dict[str, dict[str, Any]] = {
        "fail-on": fail_on,
        "fail-on-total": fail_on,
        "on-not-compared": {"enum": list(get_args(OnNotCompared))},
        "on-inconclusive": {"enum": list(get_args(OnInconclusive))},
        "gate-without-history": {"type": "boolean"},
        "max-gate-distance": {"type": "integer", "minimum": 0, "maximum": MOST_DISTANCE},
        "budget": {"type": "number", "exclusiveMinimum": 0, "maximum": 1},
        "confirm": {"enum": [*get_args(Confirm), False]},
        "auto-demote": {"type": "boolean"},
        "unchanged-paths": one_or_many,
        "owners": one_or_many,
        "ignore": one_or_many,
        "focus": one_or_many,
        "name-rules": {"enum": list(NAME_RULES)},
        "aliases": {
            "type": ["object", "null"],
            "maxProperties": MOST_ALIASES,
            "additionalProperties": {"type": ["string", "number"]},
        },
        "embed-source": {"enum": list(get_args(EmbedSource))},
    }
    gate = {name: {"description": GATE_MEANINGS[name]} | shape for name, shape in shapes.items()}
    both = gate | {name.replace("-", "_"): value for name, value in gate.items()}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Configuration of profgate (.github/profgate.yml)",
        "type": ["object", "null"],
        "additionalProperties": False,
        "properties": {
            "degradation": {"type": ["object", "null"], "additionalProperties": False, "properties": degradation},
            "gate": {"type": ["object", "null"], "additionalProperties": False, "properties": both},
        },
    }


def _options_schema(specs: tuple[OptionSpec, ...]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": False, "properties": {s.name: _option_schema(s) for s in specs}}


def _option_schema(spec: OptionSpec) -> dict[str, Any]:
    types = {bool: "boolean", int: "integer", float: "number", str: "string"}
    described: dict[str, Any] = {"type": types[type(spec.default)], "description": spec.meaning}
    if spec.choices:
        described["enum"] = list(spec.choices)
    if spec.minimum is not None:
        described["minimum"] = spec.minimum
    if spec.maximum is not None:
        described["maximum"] = spec.maximum
    return described


# From text to items with places


def _tree(text: str, mistakes: _Mistakes) -> _Item:
    start = _Item(None, 1, 1)
    if len(text) > MOST_CHARACTERS:
        mistakes.add(start, f"is larger than {MOST_CHARACTERS:,} characters; keep only policy in this file")
        return start
    try:
        if trap := _trap(text):
            mistakes.add(*trap)
            return start
        node = compose(text, Loader=SafeLoader)
    except YAMLError as error:
        mistakes.add(*_yaml_mistake(error))
        return start
    return start if node is None else _item(node, mistakes)


def _trap(text: str) -> tuple[_Item, str] | None:
    """What must be refused before a tree is built: nesting that overflows, aliases that multiply."""
    depth = 0
    for event in parse(text, Loader=SafeLoader):
        depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
        if depth > MOST_DEPTH:
            return _place(event.start_mark), f"is nested deeper than {MOST_DEPTH} levels; write it flat"
        if isinstance(event, AliasEvent):
            return _place(event.start_mark), "aliases are not read; write the value out"
    return None


def _place(mark: Any) -> _Item:  # noqa: ANN401 - either implementation's mark, or none
    return _Item(None, mark.line + 1, mark.column + 1) if mark else _Item(None, 1, 1)


def _yaml_mistake(error: YAMLError) -> tuple[_Item, str]:
    problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
    place = _place(getattr(error, "problem_mark", None))
    return place, f"no valid YAML ({problem}); check indentation and quotes"


def _item(node: Node, mistakes: _Mistakes) -> _Item:
    line, column = node.start_mark.line + 1, node.start_mark.column + 1
    if isinstance(node, CollectionNode) and node.tag not in COLLECTION_TAGS:
        mistakes.add(_Item(None, line, column), f"the tag {node.tag} is not read; leave it out")
    if isinstance(node, SequenceNode):
        return _Item([_item(child, mistakes) for child in node.value], line, column)
    if isinstance(node, MappingNode):
        return _Item(_pairs(node, mistakes), line, column)
    return _Item(_scalar(cast("ScalarNode", node), _Item(None, line, column), mistakes), line, column)


def _pairs(node: MappingNode, mistakes: _Mistakes) -> dict[str, tuple[_Item, _Item]]:
    pairs: dict[str, tuple[_Item, _Item]] = {}
    for key_node, value_node in node.value:
        key = _Item(None, key_node.start_mark.line + 1, key_node.start_mark.column + 1)
        if not isinstance(key_node, ScalarNode) or key_node.tag == "tag:yaml.org,2002:merge":
            mistakes.add(key, "is no plain key; write a name")
        elif key_node.value in pairs:
            mistakes.add(key, f"{key_node.value[:60]!r} is there twice; keep one")
        else:
            pairs[key_node.value] = (key, _item(value_node, mistakes))
    return pairs


def _scalar(node: ScalarNode, place: _Item, mistakes: _Mistakes) -> str | int | float | bool | None:
    tag = SCALAR_TAGS.get(node.tag)
    text = str(node.value)
    if tag is None:
        mistakes.add(place, f"the tag {node.tag} is not read; leave it out")
        return None
    if tag in {"str", "timestamp"}:
        return text
    try:
        value = SafeLoader("").construct_object(node)
    except (ValueError, OverflowError, KeyError, IndexError):
        value = math.inf
    if isinstance(value, int | float) and not abs(value) < LARGEST:
        mistakes.add(place, f"{text[:60]!r} is no {tag} that can be read; write a plain number")
        return None
    return cast("int | float | bool | None", value)


# From items to the policy


def _entries(item: _Item, known: Collection[str], mistakes: _Mistakes, where: str) -> dict[str, _Item]:
    """The values of a mapping by known key; every other key is a mistake."""
    if item.value is None:
        return {}
    if not isinstance(item.value, dict):
        mistakes.add(item, f"{where} must be a mapping of keys to values")
        return {}
    found: dict[str, _Item] = {}
    for name, (key, value) in item.value.items():
        if name in known:
            found[name] = value
        else:
            mistakes.add(key, _unknown(f"key {name[:60]!r} in {where}", name, known))
    return found


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    close = difflib.get_close_matches(name, list(known), 1)
    return f"unknown {what}; " + (f"did you mean {close[0]}?" if close else f"known are {', '.join(known)}")


def _degradation(item: _Item, catalogue: Catalogue, mistakes: _Mistakes) -> dict[str, Any]:
    known = ("apply", "strategies", "location_filter", "cutoff", *WITHOUT_EFFECT)
    entries = _entries(item, known, mistakes, "degradation")
    fields: dict[str, Any] = {}
    if "apply" in entries:
        fields["apply"] = _choice(entries["apply"], APPLY, mistakes)
    if "strategies" in entries:
        fields["rules"] = _rules(entries["strategies"], catalogue, mistakes)
    if "location_filter" in entries:
        fields["location_filter"] = _pattern(entries["location_filter"], mistakes)
    if "cutoff" in entries:
        fields["cutoff"] = _number(entries["cutoff"], 0.0, 100.0, mistakes)
    return fields


def _rules(item: _Item, catalogue: Catalogue, mistakes: _Mistakes) -> tuple[Rule, ...]:
    if not isinstance(item.value, list):
        mistakes.add(item, "strategies must be a list of rules, each with a method")
        return ()
    if len(item.value) > MOST_RULES:
        mistakes.add(item, f"strategies holds more than {MOST_RULES} rules; use globs in fewer rules")
        return ()
    rules = (_rule(entry, catalogue, mistakes) for entry in item.value)
    return tuple(rule for rule in rules if rule is not None)


def _rule(item: _Item, catalogue: Catalogue, mistakes: _Mistakes) -> Rule | None:
    entries = _entries(item, (*RULE_KEYS, "method", "options"), mistakes, "a rule")
    method = entries.pop("method", None)
    options = entries.pop("options", None)
    if method is None:
        mistakes.add(item, f"a rule without method selects nothing; add method: one of {', '.join(catalogue)}")
        return None
    if not isinstance(method.value, str) or method.value not in catalogue:
        shown = str(method.value)[:60]
        mistakes.add(method, _unknown(f"method {shown!r}", shown, catalogue))
        return None
    keys = {name: _globs(value, mistakes) for name, value in entries.items()}
    chosen = {} if options is None else _options(options, method.value, catalogue[method.value], mistakes)
    return Rule(method.value, keys, chosen)


def _options(item: _Item, method: str, specs: tuple[OptionSpec, ...], mistakes: _Mistakes) -> dict[str, Any]:
    by_name = {spec.name: spec for spec in specs}
    entries = _entries(item, tuple(by_name), mistakes, f"the options of {method}")
    return {name: _option(value, by_name[name], mistakes) for name, value in entries.items()}


def _option(item: _Item, spec: OptionSpec, mistakes: _Mistakes) -> Any:  # noqa: ANN401 - as the option's default
    if isinstance(spec.default, bool):
        return _boolean(item, mistakes)
    if spec.name == "location_filter":
        return _pattern(item, mistakes)
    if isinstance(spec.default, str):
        return _choice(item, spec.choices, mistakes) if spec.choices else _text(item, mistakes)
    least = -LARGEST if spec.minimum is None else spec.minimum
    most = LARGEST if spec.maximum is None else spec.maximum
    return _number(item, least, most, mistakes, whole=isinstance(spec.default, int))


def _gate(item: _Item, mistakes: _Mistakes) -> dict[str, Any]:
    known = {name: name.replace("-", "_") for name in GATE_KEYS}
    entries = _entries(item, (*known, *known.values()), mistakes, "gate")
    fields: dict[str, Any] = {}
    for name, value in entries.items():
        field = name.replace("-", "_")
        if field in fields:
            mistakes.add(value, f"{name} is there with '-' and with '_'; keep one")
        fields[field] = GATE_KEYS[field.replace("_", "-")](value, mistakes)
    return fields


def _one_of(choices: tuple[str, ...]) -> Callable[[_Item, _Mistakes], str]:
    return lambda item, mistakes: _choice(item, choices, mistakes)


def _confirm(item: _Item, mistakes: _Mistakes) -> str:
    if item.value is False:  # YAML 1.1 reads a bare off as false
        return "off"
    return _choice(item, get_args(Confirm), mistakes)


def _choice(item: _Item, choices: tuple[str, ...], mistakes: _Mistakes) -> str:
    if item.value not in choices:
        mistakes.add(item, f"{_word(item.value)} is unknown; write {', '.join(choices[:-1])} or {choices[-1]}")
        return choices[0]
    return str(item.value)


def _boolean(item: _Item, mistakes: _Mistakes) -> bool:
    if not isinstance(item.value, bool):
        mistakes.add(item, f"{_word(item.value)} is neither; write true or false")
        return False
    return item.value


def _number(item: _Item, least: float, most: float, mistakes: _Mistakes, *, whole: bool = False) -> float | int:
    value = item.value
    if isinstance(value, bool) or not isinstance(value, int if whole else int | float):
        mistakes.add(item, f"{_word(value)} is no {'whole ' if whole else ''}number; {_bounds(least, most)}")
        return 0
    if not least <= value <= most:
        mistakes.add(item, f"{value} is out of range; {_bounds(least, most)}")
        return 0
    return int(value) if whole else float(value)


def _bounds(least: float, most: float) -> str:
    lower = "above 0" if least == SMALLEST else f"at least {least:g}"
    bounds = [lower] * (least > -LARGEST) + [f"at most {most:g}"] * (most < LARGEST)
    return f"write a number{', ' if bounds else ''}{' and '.join(bounds)}"


def _text(item: _Item, mistakes: _Mistakes) -> str:
    if not isinstance(item.value, str):
        mistakes.add(item, f"{_word(item.value)} is no text; put it in quotes")
        return ""
    return item.value


def _pattern(item: _Item, mistakes: _Mistakes) -> str:
    text = _text(item, mistakes)
    if text != "*":
        try:
            re.compile(text)
        except re.error as error:
            mistakes.add(item, f"{text[:60]!r} is no regular expression ({error}); write * for no filter")
    return text


def _globs(item: _Item, mistakes: _Mistakes) -> tuple[str, ...]:
    """One text or a list of them; numbers count as the text they are written with."""
    entries = item.value if isinstance(item.value, list) else [item]
    found: list[str] = []
    for entry in entries:
        if isinstance(entry.value, str | int | float) and not isinstance(entry.value, bool):
            found.append(str(entry.value))
        else:
            mistakes.add(entry, f"{_word(entry.value)} is no text; put it in quotes")
    return tuple(found)


def _strictness(name: str, value: str | bool) -> int:
    orders: dict[str, tuple[str | bool, ...]] = {
        "fail_on": FAIL_ON_ORDER,
        "fail_on_total": FAIL_ON_ORDER,
        "on_not_compared": ("neutral", "fail"),
        "on_inconclusive": ("neutral", "fail"),
    }
    return orders[name].index(value)


def _word(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'mapping'}"
    return "an empty value" if value is None else repr(value)[:60]


def _aliases(item: _Item, mistakes: _Mistakes) -> Aliases:
    if item.value is None:
        return Aliases()
    if not isinstance(item.value, dict) or len(item.value) > MOST_ALIASES:
        mistakes.add(item, f"aliases must be a mapping of at most {MOST_ALIASES} old names to new ones")
        return Aliases()
    pairs: list[tuple[str, str]] = []
    for old, (key, value) in item.value.items():
        if isinstance(value.value, bool) or not isinstance(value.value, str | int | float):
            mistakes.add(value, f"{_word(value.value)} is no name; put it in quotes")
            continue
        pairs.append((old, str(value.value)))
        if what := mistake_in(pairs):
            mistakes.add(key, f"alias {old[:60]!r} {what}")
            pairs.pop()
    return Aliases(tuple(pairs))


GATE_KEYS: dict[str, Callable[[_Item, _Mistakes], Any]] = {
    "fail-on": _one_of(get_args(FailOn)),
    "fail-on-total": _one_of(get_args(FailOn)),
    "on-not-compared": _one_of(get_args(OnNotCompared)),
    "on-inconclusive": _one_of(get_args(OnInconclusive)),
    "gate-without-history": _boolean,
    "max-gate-distance": lambda item, mistakes: _number(item, 0, MOST_DISTANCE, mistakes, whole=True),
    "budget": lambda item, mistakes: _number(item, SMALLEST, 1.0, mistakes),
    "auto-demote": _boolean,
    "unchanged-paths": _globs,
    "confirm": _confirm,
    "owners": _globs,
    "ignore": _globs,
    "focus": _globs,
    "name-rules": _one_of(NAME_RULES),
    "aliases": _aliases,
    "embed-source": _one_of(get_args(EmbedSource)),
}

GATE_MEANINGS = {
    "fail-on": "From which severity a function turns the check red: severe, degradation (the default), maybe or never.",
    "fail-on-total": "The same for the total of a workload.",
    "on-not-compared": "neutral (the default) or fail, when something could not be compared.",
    "on-inconclusive": "neutral (the default) or fail, when the runs are too few or too noisy to judge.",
    "gate-without-history": "Deprecated, without effect.",
    "max-gate-distance": "How many commits from the fair one a baseline may be and still turn something red (0).",
    "budget": "Part of the comparisons of unchanged code that may be red (0.01).",
    "auto-demote": "true lets the gate only advise while it is over the budget (false by default).",
    "confirm": "off (the default), required or when-possible: whether red waits for a second measurement.",
    "unchanged-paths": "Files of which the program is not made; * is any text (*.md, *.rst, docs/* and LICENSE*).",
    "owners": "Who may accept a slowdown; without it everybody who may write to the repository.",
    "ignore": "Functions whose stacks are left out; * is any text.",
    "focus": "Functions without which a stack is left out; * is any text.",
    "name-rules": "How names of both builds are made alike: none, safe (the default) or loose (profgate explain-name).",
    "aliases": "Old names of functions, stars standing for any text, and what they are called now.",
    "embed-source": "Whose source a page may hold: changed functions (changed, the default), none or all.",
}
