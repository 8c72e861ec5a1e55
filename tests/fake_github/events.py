"""Event payloads of tests, completed and validated by GitHub's own description of its webhooks."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from fake_github.description import API_FILE, Description, ViolationError, event_schema

WEBHOOKS_FILE = API_FILE.with_name("webhooks.json")
UNDESCRIBED = frozenset({"schedule"})
SAME = {"pull_request_target": "pull_request"}
ABSENT = object()
PLAIN: dict[str, object] = {"string": "", "integer": 0, "number": 0, "boolean": False, "array": [], "null": None}
FORMATS = {"date-time": "2026-11-02T08:00:00Z", "uri": "https://example.com/"}


@cache
def _description() -> Description:
    return Description(WEBHOOKS_FILE)


def payload(event_name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The event as GitHub sends it. ViolationError for a field, a value or an event that it never sends."""
    if event_name in UNDESCRIBED:
        return dict(given)
    name = "-".join(filter(None, [SAME.get(event_name, event_name), given.get("action", "")])).replace("_", "-")
    event = _description().event(name)
    if event is None:
        raise ViolationError(f"event {name}: not among the described ones")
    whole = _completed(event_schema(event), given, name)
    _description().check_event(event, whole)
    assert isinstance(whole, dict)
    return whole


def _completed(schema: Mapping[str, Any], given: object, place: str) -> object:
    """What is given with the least that must stand beside it."""
    schema = _flat(schema)
    ways = schema.get("anyOf") or schema.get("oneOf")
    if ways:
        return _one_way(ways, given, place)
    if "enum" in schema:
        return schema["enum"][0] if given is ABSENT else given
    kinds = _kinds(schema)
    if given is ABSENT and (kinds != ["object"]):
        return None if "null" in kinds else FORMATS.get(schema.get("format", ""), PLAIN[kinds[0]])
    if given is not ABSENT and not isinstance(given, Mapping):
        return given
    return _object(schema, {} if given is ABSENT else given, place)


def _flat(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema without references and ``allOf`` at its top."""
    schema = _description().resolved(schema)
    if "allOf" not in schema:
        return schema
    parts = [_flat(part) for part in schema["allOf"]]
    ways: dict[str, list[Mapping[str, Any]]] = {}
    for part in parts:
        for name, way in part.get("properties", {}).items():
            ways.setdefault(name, []).append(way)
    properties = {name: found[0] if len(found) == 1 else {"allOf": found} for name, found in ways.items()}
    required = [name for part in parts for name in part.get("required", ())]
    plain = {key: value for part in reversed(parts) for key, value in part.items()}
    if kinds := [_kinds(part) for part in parts if "type" in part]:
        plain["type"] = min(kinds, key=len)
    return {**plain, "properties": properties, "required": required} if properties else plain


def _kinds(schema: Mapping[str, Any]) -> list[str]:
    kinds = schema.get("type", "object" if "properties" in schema else "string")
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _object(schema: Mapping[str, Any], given: object, place: str) -> dict[str, object]:
    assert isinstance(given, Mapping)
    known = schema.get("properties", {})
    if known and (strange := set(given) - set(known)):
        raise ViolationError(f"event {place}: GitHub sends no {sorted(strange)}")
    names = dict.fromkeys([*schema.get("required", ()), *given])
    return {
        name: _completed(known[name], given.get(name, ABSENT), f"{place}/{name}") if name in known else given[name]
        for name in names
    }


def _one_way(ways: list[Mapping[str, Any]], given: object, place: str) -> object:
    if given is ABSENT and {"type": "null"} in ways:
        return None
    if given is None:
        return None
    messages = []
    for way in ways:
        try:
            return _completed(way, given, place)
        except ViolationError as violation:
            messages.append(str(violation))
    raise ViolationError("; ".join(messages))
