"""GraphQL queries, checked against GitHub's own schema and answered from the state."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from graphql import GraphQLError, GraphQLSchema, build_schema, graphql_sync, parse, validate

from fake_github.description import ViolationError
from fake_github.state import State

SCHEMA_FILE = Path(__file__).resolve().parents[1] / "data" / "github" / "api.graphql"
LONGEST_TEXT = 512_000  # bytes from which GitHub cuts a text off


@cache
def _schema() -> GraphQLSchema:
    schema = build_schema(SCHEMA_FILE.read_text(encoding="utf-8"))
    for name, kind in (("GitObject", "Blob"), ("Node", "IssueComment")):
        schema.type_map[name].resolve_type = lambda *_, kind=kind: kind  # type: ignore[attr-defined]
    return schema


def answer_query(state: State, body: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of a query; ViolationError for one that GitHub's schema does not allow."""
    if set(body) != {"query", "variables"}:
        raise ViolationError(f"graphql: the body holds {sorted(body)}")
    try:
        mistakes = validate(_schema(), parse(body["query"]))
    except GraphQLError as error:
        mistakes = [error]
    if mistakes:
        raise ViolationError(f"graphql: {mistakes[0].message}")
    result = graphql_sync(_schema(), body["query"], _Root(state), variable_values=body["variables"])
    if result.errors:
        raise ViolationError(f"graphql: {result.errors[0].message}")
    return {"data": result.data}


class _Root:
    def __init__(self, state: State) -> None:
        self._state = state

    def repository(self, _: object, owner: str, name: str, **__: object) -> "_Repository | None":
        return _Repository(self._state) if f"{owner}/{name}" == self._state.repository else None

    def nodes(self, _: object, ids: list[str]) -> list[dict[str, Any] | None]:
        return [self._comment(one) for one in ids]

    def _comment(self, node_id: str) -> dict[str, Any] | None:
        found = next((one for one in self._state.comments.values() if one.node_id == node_id), None)
        if found is None:
            return None
        return {"id": found.node_id, "lastEditedAt": "2026-12-20T08:00:00Z" if found.edited else None}


class _Repository:
    def __init__(self, state: State) -> None:
        self._state = state

    def object(self, _: object, expression: str) -> "dict[str, Any] | None":
        sha, _, path = expression.partition(":")
        commit = self._state.resolve(sha)
        data = None if commit is None else commit.files.get(path)
        if data is None:
            return None
        binary = b"\0" in data
        text = None if binary else data[:LONGEST_TEXT].decode("utf-8", "replace")
        return {"text": text, "isBinary": binary, "isTruncated": len(data) > LONGEST_TEXT}
