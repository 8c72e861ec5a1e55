"""The report as JSON and back: `profgate.report/2`, the contract for programs and for merging shards."""

import json
import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, Literal, NoReturn, TypeAlias, Union, get_args, get_origin, get_type_hints

from profgate.errors import ProfgateError
from profgate.model.change import Change
from profgate.model.report import FIRST_SCHEMA, SCHEMA, Report

Annotation: TypeAlias = Any  # what `get_type_hints` gives: a type, or a special form without a common one
Plain: TypeAlias = Any  # what `json` takes and gives
REPORT_NAME = "report.json"
ONLY_WHERE_SAID = frozenset({"context", "acceptances", "undrawable", "parameters"})  # left out where there is none
DEEPEST = 40  # levels of a document of schema 1
LARGEST_INTEGER = 1 << 63  # beyond it other languages lose digits or refuse the number


def to_json(report: Report) -> str:
    """The document, the same bytes for the same report; numbers in base units, what is not finite becomes null."""
    return json.dumps(_encoded(report), indent=2, allow_nan=False) + "\n"


def from_json(text: str, where: str = "report.json") -> Report:
    """The report of a document of schema 2, or of schema 1 with its sentences as they are. Unknown keys are ignored.

    Raises:
        ProfgateError: with the path of the first value that is missing or of the wrong type.
    """
    document = _expected(dict, _parsed(text, where), where, "an object")
    if document.get("schema") == FIRST_SCHEMA:
        document = _of_first_edition(document, where)
    elif document.get("schema") != SCHEMA:
        said = f"its schema is {_shown(document['schema'])}" if "schema" in document else "it states no schema"
        _refuse(where, f"is no report that this profgate reads: {said}, expected {SCHEMA!r}; give a report.json")
    report = _decoded(Report, document, where)
    assert isinstance(report, Report)  # noqa: S101 - tells mypy what the type argument says
    return report


def _of_first_edition(document: dict[str, Any], where: str) -> dict[str, Any]:
    """A document of schema 1 in the form of schema 2: its sentences become reasons that hold a text."""

    def converted(value: Plain, key: str = "", depth: int = 0) -> Plain:
        if depth > DEEPEST:
            _refuse(where, "is nested too deeply; it is no report of profgate")
        if key == "reasons" and isinstance(value, list):
            texts = (one if isinstance(one, dict) else {"text": str(one)} for one in value)
            return [one if "code" in one else {"code": "first_edition", "parameters": one} for one in texts]
        if key == "relations" and isinstance(value, list):
            return [one for one in value if isinstance(one, dict) and one.get("kind") == "renamed"]
        if isinstance(value, dict):
            return {name: converted(item, name, depth + 1) for name, item in value.items()}
        return [converted(item, "", depth + 1) for item in value] if isinstance(value, list) else value

    return {**converted(document), "tests": []}


def _encoded(value: object) -> Plain:
    if isinstance(value, Change):
        return _encoded_change(value)
    if is_dataclass(value) and not isinstance(value, type):
        return {_key(part.name): _encoded(getattr(value, part.name)) for part in _written(value)}
    if isinstance(value, (tuple, list)):
        return [_encoded(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _encoded(value[name]) for name in sorted(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _encoded_change(change: Change) -> dict[str, Any]:
    document = {_key(part.name): _encoded(getattr(change, part.name)) for part in fields(change)}
    document.pop("confidence_type")
    document["confidence"] = {"type": change.confidence_type, "value": _encoded(change.confidence)}
    return document


def _written(value: Plain) -> list[Any]:
    """The fields in writing order: the schema's name comes first, where a reader looks for it."""
    said = [part for part in fields(value) if part.name not in ONLY_WHERE_SAID or getattr(value, part.name)]
    return sorted(said, key=lambda part: part.name != "schema")


def _key(name: str) -> str:
    return {"from_value": "from", "to_value": "to"}.get(name, name)


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=_finite)
    except RecursionError:
        _refuse(where, "is nested too deeply; it is no report of profgate")
    except ValueError as error:
        _refuse(where, f"is no JSON ({error}); write it with `profgate compare --format json`")


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if math.isinf(number):
        raise ValueError(f"{digits[:40]} is out of range")
    return number


def _decoded(kind: Annotation, value: object, where: str) -> Plain:
    """``value`` as the annotated type; the types of the report are finite in depth, so recursion is safe."""
    if isinstance(kind, type) and is_dataclass(kind):
        return _decoded_record(kind, value, where)
    origin: object = get_origin(kind)
    if origin is tuple:
        return _decoded_tuple(get_args(kind), _expected(list, value, where, "a list"), where)
    if origin is dict:
        entries = _expected(dict, value, where, "an object")
        return {name: _decoded(get_args(kind)[1], item, f"{where}.{name[:80]}") for name, item in entries.items()}
    if origin is Literal:
        if value not in get_args(kind) or not isinstance(value, str):
            _refuse(where, f"is {_shown(value)}; expected one of {', '.join(get_args(kind))}")
        return value
    return _decoded_scalar(get_args(kind) if origin in (Union, UnionType) else (kind,), value, where)


def _decoded_tuple(kinds: tuple[Annotation, ...], items: list[object], where: str) -> tuple[Plain, ...]:
    parts = kinds[:1] * len(items) if kinds[-1] is Ellipsis else kinds
    if len(parts) != len(items):
        _refuse(where, f"has {len(items)} items; expected {len(parts)}")
    return tuple(_decoded(kind, items[place], f"{where}[{place}]") for place, kind in enumerate(parts))


def _decoded_record(kind: type, value: object, where: str) -> Plain:
    entries = dict(_expected(dict, value, where, "an object"))
    if kind is Change:
        confidence = _expected(dict, entries.get("confidence"), _path(where, "confidence"), "an object")
        entries["confidence"], entries["confidence_type"] = confidence.get("value"), confidence.get("type")
    values = {}
    for name, annotation in _annotations(kind).items():
        path = _path(where, _key(name))
        if _key(name) not in entries and name in ONLY_WHERE_SAID:
            continue
        if _key(name) not in entries:
            _refuse(path, "is missing")
        values[name] = _decoded(annotation, entries[_key(name)], path)
    return kind(**values)


def _decoded_scalar(kinds: tuple[Annotation, ...], value: object, where: str) -> Plain:
    if value is None and type(None) in kinds:
        return None
    if any(is_dataclass(kind) or get_origin(kind) for kind in kinds) and value is not None:
        return _decoded(kinds[0], value, where)
    if len(kinds) == 1 and isinstance(kinds[0], type) and issubclass(kinds[0], StrEnum):
        if not isinstance(value, str) or value not in list(kinds[0]):
            _refuse(where, f"is {_shown(value)}; expected one of {', '.join(kinds[0])}")
        return kinds[0](value)
    accepted = {*kinds, int} if float in kinds else {*kinds}
    if type(value) not in accepted or value is None:
        _refuse(where, f"is {_shown(value)}; expected {' or '.join(sorted(_word(kind) for kind in kinds))}")
    if type(value) is int and abs(value) > LARGEST_INTEGER:
        _refuse(where, "is an integer out of range")
    return value


@cache
def _annotations(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _expected(kind: type, value: object, where: str, word: str) -> Plain:
    if not isinstance(value, kind):
        _refuse(where, f"is {_shown(value)}; expected {word}")
    return value


def _path(where: str, key: str) -> str:
    return f"{where}.{key}" if " " in where or "[" in where else f"{where}: {key}"


def _word(kind: Annotation) -> str:
    words = {str: "text", int: "an integer", float: "a number", bool: "true or false", type(None): "null"}
    return words.get(kind, str(kind))


def _shown(value: object) -> str:
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    return json.dumps(value)[:60]


def _refuse(where: str, what: str) -> NoReturn:
    raise ProfgateError(where, what)
