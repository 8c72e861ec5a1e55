"""The JSON Schema of the configuration file, written from the models that read it."""

from typing import Any

from pydantic import TypeAdapter

from profgate.settings.config_file import Catalogue, file_model


def schema(catalogue: Catalogue) -> dict[str, Any]:
    """Return the JSON Schema of the configuration file for text editors, which accepts what `read_policy` does."""
    optional: Any = file_model(catalogue) | None
    described: dict[str, Any] = _without_titles(TypeAdapter(optional).json_schema())
    gate = described["$defs"]["Gate"]["properties"]
    gate["confirm"] |= {"enum": [*gate["confirm"]["enum"], False], "type": ["string", "boolean"]}
    gate |= {name.replace("-", "_"): value for name, value in gate.items()}
    title = "Configuration of profgate (.github/profgate.yml)"
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title} | described


def _without_titles(node: Any) -> Any:
    if isinstance(node, dict):
        return {name: _without_titles(value) for name, value in node.items() if name != "title"}
    return [_without_titles(value) for value in node] if isinstance(node, list) else node
