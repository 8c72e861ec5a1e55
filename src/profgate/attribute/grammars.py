"""What of each language's grammar is a function, a scope, a name, or says nothing at all."""

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tree_sitter import Parser

Language = Literal["python", "javascript", "typescript", "tsx", "go", "java", "c", "cpp", "rust"]


@dataclass(frozen=True, slots=True)
class Grammar:
    """Node types by what they mean.

    ``wrappers`` hold a function or scope together with what is written before it, ``leading`` stands before it;
    ``imports`` bind names at the top of a file. ``grouping`` says nothing that the tree does not say, ``silent`` nodes
    with all below them are no part of the program, and after ``idle_ends`` a semicolon may be left out.
    """

    package: str
    entry: str
    functions: frozenset[str]
    scopes: frozenset[str]
    imports: frozenset[str]
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset({"comment", "line_comment", "block_comment", "html_comment", "hash_bang_line"})
    quotes: frozenset[str] = frozenset()
    idle_ends: frozenset[str] = frozenset()
    grouping: frozenset[str] = frozenset()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_SCRIPT_FUNCTIONS = _words(
    "function_declaration generator_function_declaration function_expression generator_function arrow_function"
    " method_definition"
)
_SCRIPT_SCOPES = _words("class_declaration class abstract_class_declaration internal_module module")


def _script(package: str, entry: str) -> Grammar:
    return Grammar(
        package,
        entry,
        functions=_SCRIPT_FUNCTIONS,
        scopes=_SCRIPT_SCOPES,
        imports=_words("import_statement"),
        quotes=_words("' \""),
        idle_ends=_words(
            "expression_statement lexical_declaration variable_declaration return_statement import_statement"
            " export_statement throw_statement break_statement continue_statement class_body debugger_statement"
            " do_statement empty_statement interface_body object_type type_alias_declaration"
        ),
    )


_C_FUNCTIONS = _words("function_definition lambda_expression")
_GRAMMARS: dict[Language, Grammar] = {
    "python": Grammar(
        "tree_sitter_python",
        "language",
        functions=_words("function_definition lambda"),
        scopes=_words("class_definition"),
        imports=_words("import_statement import_from_statement future_import_statement"),
        wrappers=_words("decorated_definition"),
        quotes=_words("string_start string_end"),
        grouping=_words("parenthesized_expression"),
    ),
    "javascript": _script("tree_sitter_javascript", "language"),
    "typescript": _script("tree_sitter_typescript", "language_typescript"),
    "tsx": _script("tree_sitter_typescript", "language_tsx"),
    "go": Grammar(
        "tree_sitter_go",
        "language",
        functions=_words("function_declaration method_declaration func_literal"),
        scopes=frozenset(),
        imports=_words("import_declaration"),
    ),
    "java": Grammar(
        "tree_sitter_java",
        "language",
        functions=_words(
            "method_declaration constructor_declaration compact_constructor_declaration lambda_expression"
            " static_initializer"
        ),
        scopes=_words(
            "class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration"
        ),
        imports=_words("import_declaration package_declaration"),
    ),
    "c": Grammar(
        "tree_sitter_c",
        "language",
        functions=_words("function_definition"),
        scopes=frozenset(),
        imports=_words("preproc_include"),
    ),
    "cpp": Grammar(
        "tree_sitter_cpp",
        "language",
        functions=_C_FUNCTIONS,
        scopes=_words("class_specifier struct_specifier union_specifier namespace_definition"),
        imports=_words("preproc_include using_declaration"),
        wrappers=_words("template_declaration"),
    ),
    "rust": Grammar(
        "tree_sitter_rust",
        "language",
        functions=_words("function_item closure_expression"),
        scopes=_words("impl_item trait_item mod_item"),
        imports=_words("use_declaration extern_crate_declaration"),
        leading=_words("attribute_item"),
    ),
}
_BY_SUFFIX: dict[str, Language] = {
    **dict.fromkeys(("py", "pyi", "pyw"), "python"),
    **dict.fromkeys(("js", "mjs", "cjs", "jsx"), "javascript"),
    **dict.fromkeys(("ts", "mts", "cts"), "typescript"),
    "tsx": "tsx",
    "go": "go",
    "java": "java",
    "c": "c",
    **dict.fromkeys(("cc", "cpp", "cxx", "c++", "h", "hh", "hpp", "hxx", "ipp", "inl", "cu", "cuh"), "cpp"),
    "rs": "rust",
}


def language_of(path: str) -> Language | None:
    """The language of a source file by its suffix; None for one without a grammar here. Headers are read as C++."""
    return _BY_SUFFIX.get(path.rpartition("/")[2].rpartition(".")[2].lower())


def grammar_of(language: Language) -> Grammar:
    """What the nodes of a language mean."""
    return _GRAMMARS[language]


@cache
def parser_of(language: Language) -> "Parser":
    """A parser, its grammar loaded when the first file of the language is met."""
    from tree_sitter import Language as Loaded
    from tree_sitter import Parser

    grammar = _GRAMMARS[language]
    return Parser(Loaded(getattr(import_module(grammar.package), grammar.entry)()))
