"""The text of one benchmark inside its file, to tell whether the benchmark itself changed."""

import ast

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def own_text(text: str, line: int | None, path: str) -> str:
    """The definition that stands at this line (counted from 1) of a Python file; else the whole text.

    Decorators belong to it. Where a line is not known, or the language is another one, the file is the benchmark.
    """
    if line is None or not path.endswith(".py"):
        return text
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):  # what another Python wrote, or nobody did
        return text
    holding = [node for node in ast.walk(tree) if isinstance(node, Definition) and _first(node) <= line <= _last(node)]
    if not holding:
        return text
    inner = min(holding, key=lambda node: _last(node) - _first(node))
    return "\n".join(text.split("\n")[_first(inner) - 1 : _last(inner)])


def _first(node: Definition) -> int:
    return min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])


def _last(node: Definition) -> int:
    return node.end_lineno or node.lineno
