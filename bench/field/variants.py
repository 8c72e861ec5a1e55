"""Source trees of variants: the program is copied and edited."""

import ast
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from bench.field.programs import FOLDER, Edit, Growth, NewFunction, Program, Rename, Rewrite

NEW_FUNCTION = "recheck"
FEWEST_LOOPS = 40  # below, a loop is too coarse and plain statements are planted
PIECES = re.compile(r"@@ before\n(.*?)@@ after\n(.*?)(?=@@ before\n|\Z)", re.DOTALL)
COMPILE = ("cc", "-O1", "-g", "-fno-inline", "-fno-omit-frame-pointer", "-o", "program")


class EditError(Exception):
    """An edit does not fit its program."""


def planted(amount: int, suffix: str) -> str:
    """Code that does nothing for some time, in the language of the file; below 0: statements instead of a loop."""
    if suffix == ".py":
        return f"for _ in range({amount}): pass" if amount >= 0 else "_ = 0; " * -amount
    if suffix == ".js":
        return f"for (let planted = 0; planted < {amount}; planted++) sink = (sink * 31 + planted) | 0;"
    return f"for (int planted = 0; planted < {amount}; planted++) sink += planted;"


def _first_statement(source: str, function: str) -> ast.stmt:
    *classes, name = function.split(".")
    body: Sequence[ast.stmt] = ast.parse(source).body
    for parent in classes:
        body = next((node.body for node in body if isinstance(node, ast.ClassDef) and node.name == parent), [])
    for node in body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return node.body[1] if ast.get_docstring(node) is not None and len(node.body) > 1 else node.body[0]
    raise EditError(f"there is no function {function}")


def with_statement(source: str, function: str, statement: str, suffix: str) -> str:
    """The source with a statement at the start of the function. Raises EditError."""
    if suffix == ".py":
        first = _first_statement(source, function)
        lines = source.splitlines(keepends=True)
        lines.insert(first.lineno - 1, " " * first.col_offset + statement + "\n")
        return "".join(lines)
    head = rf"^function {function}\([^)]*\) \{{\n" if suffix == ".js" else rf"^\w[\w ]* \*?{function}\([^;]*?\)\n\{{\n"
    found = re.search(head, source, re.MULTILINE)
    if found is None:
        raise EditError(f"there is no function {function}")
    return f"{source[: found.end()]}    {statement}\n{source[found.end() :]}"


def with_new_function(source: str, caller: str, amount: int, suffix: str) -> str:
    """The source with a new function that the caller calls. Raises EditError."""
    call = f"{NEW_FUNCTION}()" if suffix == ".py" else f"{NEW_FUNCTION}();"
    edited = with_statement(source, caller, call, suffix)
    body = planted(amount, suffix)
    if suffix == ".py":
        end = '\n\nif __name__ == "__main__":'
        definition = f"\n\ndef {NEW_FUNCTION}():\n    {body}\n"
        place = edited.find(end)
        return edited + definition if place < 0 else edited[:place] + definition + edited[place:]
    if suffix == ".js":
        return f"{edited}\nfunction {NEW_FUNCTION}() {{\n  {body}\n}}\n"
    place = edited.index("unsigned next_random")
    return f"{edited[:place]}void {NEW_FUNCTION}(void)\n{{\n    {body}\n}}\n\n{edited[place:]}"


def function_file(program: Program, function: str) -> tuple[str, str]:
    """(file inside the tree, name inside the file)."""
    file, _, name = function.rpartition(":")
    return (f"lib/{file}" if file else program.file), name


def rewritten(sources: dict[str, str], pieces: str) -> dict[str, str]:
    """The sources with pieces of text replaced, each of which occurs once in all of them. Raises EditError."""
    found = dict(sources)
    for before, after in reversed(PIECES.findall(pieces)):
        having = [name for name, text in sources.items() if before in text]
        if len(having) != 1 or sources[having[0]].count(before) != 1:
            raise EditError(f"this text occurs not once: {before}")
        start = sources[having[0]].index(before)
        text = found[having[0]]
        found[having[0]] = text[:start] + after + text[start + len(before) :]
    return found


def edited(program: Program, sources: dict[str, str], edit: Edit | None, amount: int) -> dict[str, str]:
    """The sources of a variant by file name; ``amount`` is how much work a plant does in a call. Raises EditError."""
    if isinstance(edit, Growth):
        file, name = function_file(program, edit.function)
        suffix = Path(file).suffix
        return sources | {file: with_statement(sources[file], name, planted(amount, suffix), suffix)}
    if isinstance(edit, NewFunction):
        file, name = function_file(program, edit.caller)
        return sources | {file: with_new_function(sources[file], name, amount, Path(file).suffix)}
    if isinstance(edit, Rename):
        return {name: text.replace(edit.old, edit.new) for name, text in sources.items()}
    if isinstance(edit, Rewrite):
        return rewritten(sources, edit.file.read_text(encoding="utf-8"))
    return sources


def sources_of(program: Program, library: Path | None) -> dict[str, str]:
    """The texts of the program and of its library by file name."""
    found = {program.file: (FOLDER / program.file).read_text(encoding="utf-8")}
    if library is not None:
        for path in sorted(library.glob("**/*.py")):
            found[f"lib/{path.relative_to(library).as_posix()}"] = path.read_text(encoding="utf-8")
    return found


def make_tree(program: Program, edit: Edit | None, amount: int, library: Path | None, tree: Path) -> None:
    """Write the program, edited, to a folder, and compile it as the recipes do. Raises EditError."""
    shutil.rmtree(tree, ignore_errors=True)
    for name, text in edited(program, sources_of(program, library), edit, amount).items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    if program.file.endswith(".c"):
        subprocess.run([*COMPILE, program.file], cwd=tree, check=True)
