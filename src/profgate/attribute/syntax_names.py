"""The names that functions and scopes have in the source, read from their syntax."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from profgate.attribute.grammars import Language

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 300  # characters of a name; a longer one is an attack
_SCRIPTS = frozenset({"javascript", "typescript", "tsx"})
_NATIVE = frozenset({"c", "cpp"})
_DECLARATORS = 20
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
_NAMED_FUNCTION = re.compile(r"[\w$#~]")


def name_of(language: Language, node: "Node", above: Sequence["Node"], closures: int) -> tuple[tuple[str, ...], bool]:
    """The parts that a function or scope adds to the qualified name, and whether it has a name of its own.

    ``above`` are its ancestors from the root down; ``closures`` is its number among the nameless ones of the function
    around it, from 1.
    """
    if language in _SCRIPTS:
        parts = _script_name(node, above)
    elif language in _NATIVE:
        parts = _native_name(node)
    elif language == "go":
        parts = _go_name(node)
    elif language == "java" and node.type == "constructor_declaration":
        parts = ("<init>",)
    elif language == "java" and node.type == "static_initializer":
        parts = ("<clinit>",)
    elif node.type == "impl_item":
        parts = _native_parts(_text(node.child_by_field_name("type")))
    else:
        name = node.child_by_field_name("name")
        parts = (_text(name),) if name is not None else ()
    if parts:
        return parts, True
    return (_nameless(language, above, closures),), False


def signature_of(language: Language, node: "Node", above: Sequence["Node"]) -> str:
    """What tells functions of one name apart: parameters where names can be overloaded, the trait in Rust."""
    if language == "rust":
        traits = [one.child_by_field_name("trait") for one in above[-3:] if one.type == "impl_item"]
        return _text(traits[-1]) if traits and traits[-1] is not None else ""
    if language == "java":
        return "".join(_text(node.child_by_field_name("parameters")).split())
    if language == "cpp":
        declarator = _declarator(node)
        return "" if declarator is None else "".join(_text(declarator.child_by_field_name("parameters")).split())
    return ""


def _text(node: "Node | None") -> str:
    return "" if node is None or node.text is None else node.text[: 4 * LONGEST].decode("utf-8", "replace")[:LONGEST]


def _nameless(language: Language, above: Sequence["Node"], closures: int) -> str:
    if language == "go":
        inside = any(one.type == "func_literal" for one in above)
        return str(closures) if inside else f"func{closures}"
    if language == "rust":
        return f"{{closure#{closures - 1}}}"
    return _ANONYMOUS.get(language, "(anonymous)")


def _script_name(node: "Node", above: Sequence["Node"]) -> tuple[str, ...]:
    """Its own name, else that of what it is first assigned to, as engines infer it."""
    name: Node | None = node.child_by_field_name("name")
    if name is None:
        around = [one for one in above[-3:] if one.type != "parenthesized_expression"]
        if around and (binding := _BINDS.get(around[-1].type)):
            name = around[-1].child_by_field_name(binding)
        elif around and around[-1].type == "export_statement":
            return ("default",)
    if name is None or name.type in {
        "computed_property_name",
        "object_pattern",
        "array_pattern",
        "subscript_expression",
    }:
        return ()
    if name.type == "member_expression":
        parts = [part for part in _text(name).split(".") if part not in {"this", "exports", "module", "prototype"}]
        return tuple(part.strip() for part in parts if part.strip()) if len(parts) < 6 else ()
    text = _text(name).strip("'\"`")
    return (text,) if _NAMED_FUNCTION.search(text) else ()


def _go_name(node: "Node") -> tuple[str, ...]:
    name = _text(node.child_by_field_name("name"))
    receiver = _text(node.child_by_field_name("receiver"))
    if not receiver:
        return (name,) if name else ()
    kind = re.search(r"\*?\s*(\w+)\s*(?:\[[^()]*\])?\s*,?\s*\)$", receiver)
    return (kind[1], name) if kind else (name,)


def _declarator(node: "Node") -> "Node | None":
    """The declarator that holds the parameters, below pointers and references."""
    found = node.child_by_field_name("declarator")
    for _ in range(_DECLARATORS):
        if found is None or found.type == "function_declarator":
            return found
        inner = [found.child_by_field_name("declarator"), *found.named_children]
        found = next((one for one in inner if one is not None and "declarator" in one.type), None)
    return None


def _native_name(node: "Node") -> tuple[str, ...]:
    if node.type == "lambda_expression":
        return ()
    if node.type != "function_definition":
        return _native_parts(_text(node.child_by_field_name("name"))) or ("(anonymous)",)
    declarator = _declarator(node)
    return _native_parts(_text(declarator.child_by_field_name("declarator"))) if declarator is not None else ()


def _native_parts(text: str) -> tuple[str, ...]:
    """``ns::A<int>::f`` as its parts, without arguments of templates."""
    if "operator" in text:
        head, _, operator = text.partition("operator")
        return (*_native_parts(head), "operator" + "".join(operator.split()))
    return tuple(part for part in ("".join(one.split()) for one in without_arguments(text).split("::")) if part)


def without_arguments(text: str) -> str:
    """The text without anything in angle brackets, however deeply they are nested."""
    if "<" not in text:
        return text
    kept, depth = [], 0
    for place, sign in enumerate(text):
        if sign == "<":
            depth += 1
        elif sign == ">" and text[place - 1 : place] != "-":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(sign)
    return "".join(kept)
