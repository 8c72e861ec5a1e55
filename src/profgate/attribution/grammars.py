"""Lists the syntax nodes of each language that are functions or scopes, or that have no effect."""

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from tree_sitter import Parser

Language = Literal["python", "javascript", "typescript", "tsx", "go", "java", "c", "cpp", "rust"]


def node_types(text: str = "") -> frozenset[str]:
    """Return the node types in a string that separates them with spaces."""
    return frozenset(text.split())


class Grammar(NamedTuple):
    """The node types of a language, grouped by meaning.

    A ``wrappers`` node contains a function or scope and the code before it, such as decorators. A ``leading`` node
    precedes a function or scope. A ``grouping`` node does not add
    structure. A ``silent`` node and all nodes below it are not part of the program. In an ``idle_ends`` node, a
    semicolon is optional.
    """

    module: str
    functions: frozenset[str]
    scopes: frozenset[str] = node_types()
    wrappers: frozenset[str] = node_types()
    leading: frozenset[str] = node_types()
    silent: frozenset[str] = node_types("comment line_comment block_comment html_comment hash_bang_line")
    quotes: frozenset[str] = node_types()
    idle_ends: frozenset[str] = node_types()
    grouping: frozenset[str] = node_types()
    entry: str = "language"


_SCRIPT = Grammar(
    "tree_sitter_javascript",
    functions=node_types(
        "function_declaration generator_function_declaration function_expression generator_function arrow_function"
        " method_definition"
    ),
    scopes=node_types("class_declaration class abstract_class_declaration internal_module module"),
    quotes=node_types("' \""),
    idle_ends=node_types(
        "expression_statement lexical_declaration variable_declaration return_statement import_statement"
        " export_statement throw_statement break_statement continue_statement class_body debugger_statement"
        " do_statement empty_statement interface_body object_type type_alias_declaration"
    ),
)
GRAMMARS: dict[Language, Grammar] = {
    "python": Grammar(
        "tree_sitter_python",
        functions=node_types("function_definition lambda"),
        scopes=node_types("class_definition"),
        wrappers=node_types("decorated_definition"),
        quotes=node_types("string_start string_end"),
        grouping=node_types("parenthesized_expression"),
    ),
    "javascript": _SCRIPT,
    "typescript": _SCRIPT._replace(module="tree_sitter_typescript", entry="language_typescript"),
    "tsx": _SCRIPT._replace(module="tree_sitter_typescript", entry="language_tsx"),
    "go": Grammar(
        "tree_sitter_go",
        functions=node_types("function_declaration method_declaration func_literal"),
    ),
    "java": Grammar(
        "tree_sitter_java",
        functions=node_types(
            "method_declaration constructor_declaration compact_constructor_declaration lambda_expression"
            " static_initializer"
        ),
        scopes=node_types(
            "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"
        ),
    ),
    "c": Grammar(
        "tree_sitter_c",
        functions=node_types("function_definition"),
    ),
    "cpp": Grammar(
        "tree_sitter_cpp",
        functions=node_types("function_definition lambda_expression"),
        scopes=node_types("class_specifier struct_specifier union_specifier namespace_definition"),
        wrappers=node_types("template_declaration"),
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        functions=node_types("function_item closure_expression"),
        scopes=node_types("impl_item trait_item mod_item"),
        leading=node_types("attribute_item"),
    ),
}
_SUFFIXES: dict[Language, str] = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "java": "java",
    "c": "c",
    "cpp": "cc cpp cxx c++ h hh hpp hxx ipp inl cu cuh",  # headers are parsed as C++
    "rust": "rs",
}
_BY_SUFFIX = {suffix: language for language, suffixes in _SUFFIXES.items() for suffix in suffixes.split()}


def language_of(path: str) -> Language | None:
    """Return the language that the suffix of a source file indicates, or None if the language is not supported."""
    return _BY_SUFFIX.get(path.rpartition("/")[2].rpartition(".")[2].lower())


@cache
def parser_of(language: Language) -> "Parser":
    """Return a parser for the language. The grammar is loaded when the parser is first requested."""
    from tree_sitter import Language as Loaded
    from tree_sitter import Parser

    grammar = GRAMMARS[language]
    return Parser(Loaded(getattr(import_module(grammar.module), grammar.entry)()))
