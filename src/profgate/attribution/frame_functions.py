"""Uses a frame's name and line to find the function in a source file to which the frame refers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from profgate.attribution.syntax_names import without_arguments

if TYPE_CHECKING:
    from profgate.attribution.fingerprints import SourceFunction
    from profgate.attribution.function_changes import KnownFunction
    from profgate.attribution.grammars import Language

LONGEST = 500
_SCRIPT_NAMELESS = frozenset({"", "(anonymous)", "<anonymous>", "anonymous"})
_SCRIPT_OBJECTS = frozenset(
    {"Object", "Module", "Function", "exports", "module", "this", "window", "global", "globalThis", "prototype"}
)
_RUST_CLOSURE = re.compile(r"\{\{closure\}\}|\{closure(?:_env)?#\d+\}")
_CLOSURE = re.compile(  # closures in PHP, Swift, Ruby, Scala and C#; sources in these languages are not parsed
    r"\bclosure\b|\(anonymous function\)|\bblock(?: \(\d+ levels\))? in |\$anonfun\b|>b__\d"
)


class FrameName(NamedTuple):
    """The parts of the qualified name of a frame, outermost first. For a nameless function, the last part is "".

    ``within`` means that the frame belongs to the function that contains its line, such as the frame of a
    comprehension. ``module`` means that the frame is top-level code.
    """

    parts: tuple[str, ...]
    nameless: bool = False
    within: bool = False
    module: bool = False


def frame_name(name: str, language: Language) -> FrameName:
    """Parse the name of a frame in the notation that profilers for the language use."""
    return _READERS[language](name[:LONGEST].strip())


def last_names(name: str) -> frozenset[str]:
    """Return the last parts that a frame's name has in any language; for a nameless function, of the one around it."""
    found = _in_any_language(name)
    return frozenset(frame.parts[-2 if frame.nameless else -1] for frame in found if len(frame.parts) > frame.nameless)


def has_own_name(name: str) -> bool:
    """Return whether the name of a frame is the name of a function.

    Closures, lambdas, comprehensions and top-level code do not have such a name. Because the language is unknown, a
    function whose name looks like a numbered closure in any language counts as a closure.
    """
    found = _in_any_language(name)
    return not _CLOSURE.search(name[:LONGEST]) and not any(
        frame.nameless or frame.within or frame.module for frame in found
    )


def last_name(function: SourceFunction) -> str | None:
    """Return the name by which a function is found: its own name, or the name of the enclosing function."""
    if function.kind == "function":
        return function.name
    return function.parts[-2] if function.kind == "anonymous" and len(function.parts) > 1 else None


def means_wholly(name: str, function: SourceFunction, language: Language | None) -> bool:
    """Return whether a frame's name is the full qualified name of a function, with or without a package prefix."""
    if language is None:
        return False
    frame, whole = frame_name(name, language), len(function.parts)
    # a source file contains the names of its namespaces, but not the name of its package or crate
    return _agreement(frame, function) >= whole and (language not in {"c", "cpp"} or len(frame.parts) == whole)


def functions_meant(
    name: str, line: int | None, functions: Sequence[KnownFunction], language: Language, *, exact: bool
) -> list[KnownFunction]:
    """Return the functions in a file to which a frame may refer.

    Functions with the frame's name are returned only if one of them contains the line or if the line is unknown.
    ``exact`` means that the line is the first line of the function. In this case, if no function has this name, the
    only function that begins at this line is returned.
    """
    frame = frame_name(name, language)
    if frame.module:
        return [known for known in functions if known.function.kind == "module"]
    if frame.within:
        around = [known for known in functions if known.function.kind != "scope" and holds(known, line)]
        return [min(around, key=lambda known: known.function.last - known.function.first)] if around else []
    agreement = [_agreement(frame, known.function) for known in functions]
    best = max(agreement, default=0)
    found = [known for known, agreed in zip(functions, agreement, strict=True) if agreed == best > 0]
    found = _of_arity(name, found) if language == "cpp" and len(found) > 1 else found
    if found:
        return found if line is None or any(holds(known, line) for known in found) else []
    begun = [known for known in functions if exact and line in {known.function.first, known.function.opens}]
    begun = [known for known in begun if known.function.kind in {"function", "anonymous"}]
    return begun if len(begun) == 1 and frame.nameless == (begun[0].function.kind == "anonymous") else []


def holds(known: KnownFunction, line: int | None) -> bool:
    """Return whether a function contains a line."""
    return line is not None and known.function.first <= line <= known.function.last


def _in_any_language(name: str) -> list[FrameName]:
    return [frame_name(name, language) for language in ("python", "javascript", "go", "java", "cpp", "rust")]


def _of_arity(name: str, found: list[KnownFunction]) -> list[KnownFunction]:
    """Return the overloads that have as many parameters as the name of the C++ frame, or all if none match."""
    # a compiler appends ``[clone .isra.0]`` to the name of a specialized copy
    listed = re.search(r"\(([^()]*)\)(?: const)?(?: \[clone [^][()]*+\])*+$", name)
    if listed is None:
        return found
    count = _arity(listed[1])
    return [known for known in found if _arity(known.function.signature[1:-1]) == count] or found


def _arity(parameters: str) -> int:
    plain = without_arguments(parameters).strip()
    return 0 if plain in {"", "void"} else plain.count(",") + 1


def _agreement(frame: FrameName, function: SourceFunction) -> int:
    """Return the number of parts of the shorter name if the longer name ends with these parts, otherwise 0."""
    theirs, ours = frame.parts, function.parts
    if function.kind == "module" or frame.nameless != (function.kind == "anonymous") or not ours:
        return 0
    if frame.nameless:
        if theirs and theirs[-1] not in {"", ours[-1]} and ours[-1][:1].isalnum():
            return 0
    elif not theirs:
        return 0
    elif ours[-1] in {"constructor", "<init>"} and len(ours) > 1 and theirs[-1] == ours[-2]:
        ours = ours[:-1]
    elif theirs[-1] != ours[-1]:
        return 0
    pairs = list(zip(reversed(theirs[:-1]), reversed(ours[:-1]), strict=False))
    return 1 + len(pairs) if all(their == our for their, our in pairs) else 0


def _python(name: str) -> FrameName:
    parts = [part for part in name.replace(".<locals>", "").split(".") if part]
    if parts and parts[-1] in {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>"}:
        return FrameName(tuple(parts[:-1]), within=True)
    if parts[-1:] == ["<module>"]:
        return FrameName((), module=True)
    return FrameName(tuple(parts), nameless=parts[-1:] == ["<lambda>"])


def _script(name: str) -> FrameName:
    # V8 appends the name of a property that is not the function's own, as in ``run [as handler]``
    plain = re.sub(r" \[as [^][]*+\]$", "", name)
    plain = re.sub(r"^(?:(?:async|get|set|new|static|bound|function)\*? +)+", "", plain)
    if plain == "<module>":
        return FrameName((), module=True)
    if plain in _SCRIPT_NAMELESS:
        return FrameName(("",), nameless=True)
    parts = plain.split(".")
    if parts[-1] in _SCRIPT_NAMELESS:
        return FrameName((*(part for part in parts[:-1] if part not in _SCRIPT_OBJECTS), ""), nameless=True)
    return FrameName(tuple(part for part in parts if part and part not in _SCRIPT_OBJECTS))


def _go(name: str) -> FrameName:
    plain = without_arguments(name, "[]").removesuffix("-fm")
    plain = re.sub(r"[()*]", "", plain.rpartition("/")[2])
    parts = [part for part in plain.split(".") if part]
    parts = parts[1:] if len(parts) > 1 else parts
    if parts[:1] == ["glob"]:
        parts = parts[1:]
    if parts[:1] == ["init"] and len(parts) == len("in"):
        parts = parts[:1] if parts[1].isdigit() else parts[1:]
    nameless = bool(parts) and (re.fullmatch(r"func\d+", parts[-1]) is not None or parts[-1].isdigit())
    return FrameName(tuple(parts), nameless=nameless)


def _java(name: str) -> FrameName:
    plain = name.partition("(")[0].replace("/", ".")
    if found := re.search(r"lambda\$(\w+)\$\d+$", plain):
        owner = re.split(r"[.$]", plain[: found.start()].rstrip(".$"))
        # javac names the lambdas of constructors and static initializers after these words
        body = {"new": "<init>", "static": "<clinit>"}.get(found[1], found[1])
        return FrameName((*owner, body, ""), nameless=True)
    return FrameName(tuple(part for part in re.split(r"[.$]", plain) if part and not part.isdigit()))


def _native(name: str) -> FrameName:
    plain = re.sub(r" \[clone [^][]*+\]", "", name).replace("(anonymous namespace)::", "")
    if found := re.search(r"[{<]lambda\(", plain):
        outer = _native(plain[: found.start()].rstrip(":"))
        return FrameName((*outer.parts, ""), nameless=True)
    operator = re.search(r"\boperator\s*(\(\)|\[\]|[^\w\s(]+|\w[\w ]*)", plain)
    if operator is not None:
        head = without_arguments(plain[: operator.start()]).rpartition(" ")[2]
        return FrameName((*_split(head), "operator" + "".join(operator[1].split())))
    plain = without_arguments(plain)
    plain = plain.partition("(")[0].strip().rpartition(" ")[2]
    return FrameName(_split(plain.lstrip("*&")))


def _rust(name: str) -> FrameName:
    plain = name
    inside, _, function = plain[1:].rpartition(">::")
    kind, _, trait = inside.rpartition(" as ")
    if plain[:1] == "<" and kind and trait:
        plain = f"{kind}::{function}"
    closure = list(_RUST_CLOSURE.finditer(plain))
    ending = closure[-1] if closure and closure[-1].end() == len(plain) else None
    plain = re.sub(r"\{impl#\d+\}", "", _RUST_CLOSURE.sub("", plain))
    parts = _split(without_arguments(plain[1:].replace(">", "", 1) if plain[:1] == "<" else plain))
    if ending is not None:
        return FrameName((*parts, ending[0] if "#" in ending[0] else ""), nameless=True)
    return FrameName(parts)


def _split(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split("::") if part.strip())


_READERS: dict[Language, Callable[[str], FrameName]] = {
    "python": _python,
    **dict.fromkeys(("javascript", "typescript", "tsx"), _script),
    "go": _go,
    "java": _java,
    **dict.fromkeys(("c", "cpp"), _native),
    "rust": _rust,
}
