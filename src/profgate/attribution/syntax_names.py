"""Reads the qualified names of functions and scopes from a syntax tree."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from profgate.attribution.grammars import Language

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 300  # maximum number of characters; only malicious names are longer
_BINDS = {
    "variable_declarator": "name",
    "assignment_expression": "left",
    "assignment_pattern": "left",
    "pair": "key",
    "field_definition": "property",
    "public_field_definition": "name",
}
_UNNAMED = frozenset({"computed_property_name", "object_pattern", "array_pattern", "subscript_expression"})
_ANONYMOUS = {"python": "<lambda>", "java": "lambda", "cpp": "{lambda}", "c": "{lambda}"}
_JAVA_NAMES = {"constructor_declaration": ("<init>",), "static_initializer": ("<clinit>",)}


def name_parts(
    language: Language, node: "Node", above: Sequence["Node"], closures: int
) -> tuple[tuple[str, ...], bool]:
    """Return the parts that a function or scope adds to the qualified name, and whether it is named.

    ``above`` contains the ancestors of the node, root first. ``closures`` is the position of the node among the
    nameless functions of the enclosing function, counted from 1.
    """
    parts: tuple[str, ...]
    if language in {"javascript", "typescript", "tsx"}:
        parts = _script_name(node, above)
    elif language in {"c", "cpp"}:
        parts = _native_name(node)
    elif language == "go":
        parts = _go_name(node)
    elif node.type == "impl_item":
        parts = _native_parts(_field(node, "type"))
    else:
        parts = _JAVA_NAMES.get(node.type) or tuple(filter(None, (_field(node, "name"),)))
    if parts:
        return parts, True
    if language == "go":
        inside = any(node.type == "func_literal" for node in above)
        return (str(closures) if inside else f"func{closures}",), False
    return (f"{{closure#{closures - 1}}}" if language == "rust" else _ANONYMOUS.get(language, "(anonymous)"),), False


def signature_of(language: Language, node: "Node", above: Sequence["Node"]) -> str:
    """Return a string that distinguishes functions with the same name: the parameters or, in Rust, the trait."""
    if language == "rust":
        traits = [_field(around, "trait") for around in above[-3:] if around.type == "impl_item"]
        return traits[-1] if traits else ""
    owner = node if language == "java" else _declarator(node) if language == "cpp" else None
    return "" if owner is None else "".join(_field(owner, "parameters").split())


def without_arguments(text: str, brackets: str = "<>") -> str:
    """Return the text without bracketed parts, even if these are nested. The ``>`` of an arrow is not a bracket."""
    if brackets[0] not in text:
        return text
    outside, depth = [], 0
    for place, sign in enumerate(text):
        if sign == brackets[0]:
            depth += 1
        elif sign == brackets[1] and text[place - 1 : place] != "-":
            depth = max(0, depth - 1)
        elif not depth:
            outside.append(sign)
    return "".join(outside)


def _text(node: "Node | None") -> str:
    return "" if node is None or node.text is None else node.text[: 4 * LONGEST].decode("utf-8", "replace")[:LONGEST]


def _field(node: "Node", name: str) -> str:
    return _text(node.child_by_field_name(name))


def _script_name(node: "Node", above: Sequence["Node"]) -> tuple[str, ...]:
    """Return the name of a function, or of the variable to which it is first assigned, as JavaScript engines do."""
    name: Node | None = node.child_by_field_name("name")
    if name is None:
        around = [node for node in above[-3:] if node.type != "parenthesized_expression"]
        if around and (binding := _BINDS.get(around[-1].type)):
            name = around[-1].child_by_field_name(binding)
        elif around and around[-1].type == "export_statement":
            return ("default",)
    if name is None or name.type in _UNNAMED:
        return ()
    if name.type == "member_expression":
        parts = [
            part.strip() for part in _text(name).split(".") if part not in {"this", "exports", "module", "prototype"}
        ]
        return tuple(filter(None, parts)) if len(parts) < 6 else ()
    text = _text(name).strip("'\"`")
    return (text,) if re.search(r"[\w$#~]", text) else ()


def _go_name(node: "Node") -> tuple[str, ...]:
    name, receiver = _field(node, "name"), _field(node, "receiver")
    words = re.findall(r"\w+", receiver.partition("[")[0])  # the receiver is, for example, ``(s *Stack[T])``
    return tuple(filter(None, (*words[-1:], name)))


def _declarator(node: "Node") -> "Node | None":
    """Return the declarator that contains the parameters, looking below pointers and references."""
    found = node.child_by_field_name("declarator")
    for _ in range(20):
        if found is None or found.type == "function_declarator":
            return found
        inner = [found.child_by_field_name("declarator"), *found.named_children]
        found = next((node for node in inner if node is not None and "declarator" in node.type), None)
    return None


def _native_name(node: "Node") -> tuple[str, ...]:
    if node.type == "lambda_expression":
        return ()
    if node.type != "function_definition":
        return _native_parts(_field(node, "name")) or ("(anonymous)",)
    declarator = _declarator(node)
    return _native_parts(_field(declarator, "declarator")) if declarator is not None else ()


def _native_parts(text: str) -> tuple[str, ...]:
    """Return the parts of a name such as ``ns::A<int>::f``, without template arguments."""
    head, operator, sign = text.partition("operator")
    parts = ["".join(part.split()) for part in without_arguments(head).split("::")]
    return tuple(filter(None, (*parts, operator and operator + "".join(sign.split()))))
