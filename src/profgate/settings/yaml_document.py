"""YAML parser that returns plain data with the line and column of every key and value."""

import math
from typing import Any, cast

from yaml import MappingNode, Node, SafeLoader, ScalarNode, SequenceNode, YAMLError, compose, parse
from yaml.events import AliasEvent, CollectionEndEvent, CollectionStartEvent
from yaml.nodes import CollectionNode

from profgate.errors import SettingsError

Path = tuple[str | int, ...]

MOST_CHARACTERS = 256 * 1024
MOST_DEPTH = 12
LARGEST = 2.0**63
SCALAR_TAGS = {f"tag:yaml.org,2002:{name}": name for name in ("str", "int", "float", "bool", "null", "timestamp")}
COLLECTION_TAGS = frozenset({"tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"})


class YamlDocument:
    """The data in a YAML document, the line and column of each key and value, and all mistakes that were found."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.keys: dict[Path, tuple[int, int]] = {}
        self.values: dict[Path, tuple[int, int]] = {}
        self.mistakes: set[tuple[int, int, str]] = set()

    def add(self, place: tuple[int, int], what: str) -> None:
        """Add a mistake."""
        self.mistakes.add((*place, what))

    def raise_any(self) -> None:
        """Raise SettingsError with one line per mistake if there are any."""
        if self.mistakes:
            lines = [f"{self.name}:{line}:{column}: {what}" for line, column, what in sorted(self.mistakes)]
            raise SettingsError("\n".join(lines))

    def read(self, text: str) -> Any:  # noqa: ANN401 - any YAML value
        """Parse YAML text and return its data, or None. Deep nesting and aliases, which exhaust memory, fail."""
        if len(text) > MOST_CHARACTERS:
            self.add((1, 1), f"is larger than {MOST_CHARACTERS:,} characters; keep only the policy in this file")
            return None
        try:
            depth = 0
            for event in parse(text, Loader=SafeLoader):
                depth += isinstance(event, CollectionStartEvent) - isinstance(event, CollectionEndEvent)
                if depth > MOST_DEPTH:
                    self.add(_place(event.start_mark), f"is nested deeper than {MOST_DEPTH} levels; write it flat")
                    return None
                if isinstance(event, AliasEvent):
                    self.add(_place(event.start_mark), "aliases are not supported; write the value itself")
                    return None
            node = compose(text, Loader=SafeLoader)
        except YAMLError as error:
            problem = getattr(error, "problem", None) or getattr(error, "reason", None) or "cannot be read"
            place = _place(getattr(error, "problem_mark", None))
            self.add(place, f"invalid YAML ({problem}); check indentation and quotes")
            return None
        return None if node is None else self._data(node, ())

    def _data(self, node: Node, path: Path) -> Any:  # noqa: ANN401 - any YAML value
        place = self.values[path] = _place(node.start_mark)
        if isinstance(node, CollectionNode) and node.tag not in COLLECTION_TAGS:
            self.add(place, f"the tag {node.tag} is not supported; remove it")
        if isinstance(node, SequenceNode):
            return [self._data(child, (*path, number)) for number, child in enumerate(node.value)]
        if isinstance(node, MappingNode):
            return self._mapping(node, path)
        return self._scalar(cast("ScalarNode", node), place)

    def _mapping(self, node: MappingNode, path: Path) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in node.value:
            place = _place(key.start_mark)
            if not isinstance(key, ScalarNode) or key.tag == "tag:yaml.org,2002:merge":
                self.add(place, "is not a plain key; write a name")
                continue
            name = str(key.value).replace("_", "-") if path == ("gate",) else str(key.value)
            if name in found:
                self.add(place, f"{name[:60]!r} appears twice; keep one")
                continue
            self.keys[*path, name] = place
            found[name] = self._data(value, (*path, name))
        return found

    def _scalar(self, node: ScalarNode, place: tuple[int, int]) -> Any:  # noqa: ANN401 - any YAML value
        tag, text = SCALAR_TAGS.get(node.tag), str(node.value)
        if tag is None:
            self.add(place, f"the tag {node.tag} is not supported; remove it")
            return None
        if tag in {"str", "timestamp"}:
            return text
        try:
            value = SafeLoader("").construct_object(node)
        except (ValueError, OverflowError, KeyError, IndexError):
            value = math.inf
        if isinstance(value, int | float) and not abs(value) < LARGEST:
            self.add(place, f"{text[:60]!r} is not a valid {tag}; write a plain number")
            return None
        return value


def _place(mark: Any) -> tuple[int, int]:  # noqa: ANN401 - a mark of the C or the Python parser, or None
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)
