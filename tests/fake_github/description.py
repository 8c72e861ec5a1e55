"""GitHub's own description of its API as a judge of every request and every answer."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from jsonschema_rs import Draft202012Validator, Registry

API_FILE = Path(__file__).resolve().parents[1] / "data" / "github" / "api.json"
SCHEMA_MAPS = {"properties", "patternProperties", "schemas"}
# The description has one segment for the path of a file and for a ref; GitHub takes several.
REST_OF_PATH = ("/repos/{owner}/{repo}/contents/{path}", "/repos/{owner}/{repo}/git/matching-refs/{ref}")


class ViolationError(Exception):
    """A request or an answer that GitHub's description does not allow."""


@dataclass(frozen=True)
class Operation:
    """A documented call with the values its address carries."""

    method: str
    template: str
    values: Mapping[str, str]
    details: Mapping[str, Any]

    @property
    def key(self) -> str:
        return f"{self.method} {self.template}"


def with_null(node: Any, *, names: bool = False) -> Any:
    """The same description with ``nullable`` in terms of JSON Schema."""
    if isinstance(node, list):
        return [with_null(item) for item in node]
    if not isinstance(node, dict):
        return node
    result = {key: with_null(value, names=not names and key in SCHEMA_MAPS) for key, value in node.items()}
    if names or result.get("nullable") is not True:
        return result
    del result["nullable"]
    if isinstance(result.get("type"), str):
        return {**result, "type": [result["type"], "null"]}
    return {"anyOf": [result, {"type": "null"}]}


class Description:
    """Routes by the description's path templates and checks values against its schemas."""

    def __init__(self, path: Path = API_FILE) -> None:
        text = path.read_text(encoding="utf-8")
        self._examples = json.loads(text)["components"].get("examples", {})
        self._document = with_null(json.loads(text))
        self._registry = Registry([("urn:github", self._document)])
        self._validators: dict[int, Draft202012Validator] = {}

    def example(self, name: str) -> Any:
        """A fresh copy of an official example body."""
        return json.loads(json.dumps(self._examples[name]["value"]))

    def operation(self, method: str, raw_path: str) -> Operation:
        """The operation of a path as it was sent, still percent-encoded."""
        segments = raw_path.split("/")
        for template, item in self._document["paths"].items():
            values = _match(template, segments)
            if values is not None and method.lower() in item:
                details = item[method.lower()]
                shared = item.get("parameters", [])
                parameters = [self.resolved(entry) for entry in (*shared, *details.get("parameters", []))]
                return Operation(method, template, values, {**details, "parameters": parameters})
        raise ViolationError(f"{method} {raw_path}: not among the described operations")

    def check_request(self, operation: Operation, query: Mapping[str, str], body: bytes) -> None:
        known = {entry["name"]: entry for entry in operation.details["parameters"]}
        for name, text in operation.values.items():
            self._check(known[name]["schema"], _typed(text, self.resolved(known[name]["schema"])), operation, name)
        for name, text in query.items():
            if name not in known or known[name]["in"] != "query":
                raise ViolationError(f"{operation.key} query: {name!r} is not a documented parameter")
            schema = self.resolved(known[name]["schema"])
            self._check(schema, _typed(text, schema), operation, f"query {name}")
        self._check_body(operation, body)

    def check_answer(self, operation: Operation, status: int, content_type: str, body: bytes) -> None:
        answers = operation.details["responses"]
        if str(status) not in answers:
            raise ViolationError(f"{operation.key} answer: status {status} is not documented")
        content = self.resolved(answers[str(status)]).get("content", {})
        media = content_type.partition(";")[0]
        if not content:
            return
        if media not in content:
            raise ViolationError(f"{operation.key} answer {status}: {media} is not documented")
        self._check(content[media]["schema"], json.loads(body), operation, f"answer {status}")

    def event(self, name: str) -> Operation | None:
        """The delivery of an event as an operation, None for one that is not described."""
        found = self._document.get("x-webhooks", {}).get(name)
        return None if found is None else Operation("EVENT", name, {}, found["post"])

    def check_event(self, event: Operation, value: object) -> None:
        self._check(event_schema(event), value, event, "payload")

    def _check_body(self, operation: Operation, body: bytes) -> None:
        expected = operation.details.get("requestBody")
        if expected is not None and "application/json" not in expected["content"]:
            return  # bytes, which no schema describes
        if expected is None:
            if body:
                raise ViolationError(f"{operation.key} request body: none is documented")
            return
        if not body and not expected.get("required", False):
            return
        schema = self.resolved(expected["content"]["application/json"]["schema"])
        try:
            value = json.loads(body)
        except ValueError as error:
            raise ViolationError(f"{operation.key} request body: {error}") from error
        self._check(schema, value, operation, "request body")
        if unknown := set(value) - set(schema.get("properties", value)):
            raise ViolationError(f"{operation.key} request body: {sorted(unknown)} are not documented")

    def _check(self, schema: Mapping[str, Any], value: Any, operation: Operation, what: str) -> None:
        validator = self._validators.get(id(schema))  # schemas are parts of the document, which stays
        if validator is None:
            validator = self._validators[id(schema)] = Draft202012Validator(_absolute(schema), registry=self._registry)
        if problem := next(iter(validator.iter_errors(value)), None):
            place = "/" + "/".join(map(str, problem.instance_path))
            raise ViolationError(f"{operation.key} {what}: {place}: {problem.message[:300]}")

    def resolved(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        """The node that a reference leads to."""
        while "$ref" in node:
            target: Any = self._document
            for part in node["$ref"].removeprefix("#/").split("/"):
                target = target[part.replace("~1", "/").replace("~0", "~")]
            node = target
        return node


def event_schema(event: Operation) -> Mapping[str, Any]:
    """The schema of an event's payload."""
    schema: Mapping[str, Any] = event.details["requestBody"]["content"]["application/json"]["schema"]
    return schema


def _absolute(schema: Any) -> Any:
    """The schema with its references pointing into the registry."""
    if isinstance(schema, list):
        return [_absolute(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: f"urn:github{value}" if key == "$ref" and isinstance(value, str) else _absolute(value)
        for key, value in schema.items()
    }


def _match(template: str, segments: list[str]) -> dict[str, str] | None:
    parts = template.split("/")
    if template in REST_OF_PATH and len(segments) > len(parts):
        segments = [*segments[: len(parts) - 1], "/".join(segments[len(parts) - 1 :])]
    if len(parts) != len(segments):
        return None
    values = {}
    for part, segment in zip(parts, segments, strict=True):
        if name := re.fullmatch(r"\{(\w+)\}", part):
            values[name[1]] = unquote(segment)
        elif part != segment:
            return None
    return values


def _typed(text: str, schema: Mapping[str, Any]) -> object:
    kinds = schema.get("type", "string")
    if "integer" in kinds and re.fullmatch(r"-?\d+", text):
        return int(text)
    if "boolean" in kinds and text in {"true", "false"}:
        return text == "true"
    return text
