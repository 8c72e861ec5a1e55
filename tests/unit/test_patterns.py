"""Every regular expression takes linear time, because most of them see names, files and texts that others write.

The collector below finds the expressions of the package in its syntax trees. Each is registered in `worst_inputs.json`:
with a method and its slowest input (a beginning, a text that is repeated, and an end), or with the reason why its input
is short or trusted.
"""

import ast
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "profgate"
COMPILING = {"compile", "match", "search", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
OWN = {"NameRule": 2, "Foreign": 1, "lines": 0}  # functions of the package that take a pattern, and its position
CALLS = re.compile(rf"\bre\.[a-z]|\b({'|'.join(OWN)})\(|_PATTERNS\b")  # files without them have no expression
LARGEST = 1 << 15  # characters; slower than linear expressions need far fewer to be noticed
ENOUGH = 5e-4  # seconds
GROWTH = 8  # at four times the length: four for linear time, 16 for quadratic time
FLOOR = 2e-3  # seconds

REGISTERED: dict[str, str | list[str]] = json.loads(
    (Path(__file__).parents[1] / "worst_inputs.json").read_text("utf-8")
)

Text = str | bytes


def constants(tree: ast.Module) -> dict[str, ast.expr]:
    return {
        node.targets[0].id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def pattern_of(node: ast.expr) -> Text:
    """Return the text of a constant, or the source of any other expression."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)):
        return node.value
    return ast.unparse(node)


def written(pattern: Text) -> str:
    return pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern


def collected() -> Iterator[tuple[Text, int, str]]:
    """Yield pattern, flags and file of each expression."""
    for path in sorted(SOURCES.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source if CALLS.search(source) else "")
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            match node.func:
                case ast.Attribute(ast.Name("re"), name) if name in COMPILING:
                    more = [*node.args[1:], *(word.value for word in node.keywords)]
                    flags = [eval(ast.unparse(arg), {"re": re}) for arg in more if ast.unparse(arg).startswith("re.")]  # noqa: S307
                    yield pattern_of(node.args[0]), int(flags[-1]) if flags else 0, path.name
                case ast.Name(name) if len(node.args) > OWN.get(name, 99):
                    if isinstance(node.args[OWN[name]], ast.Tuple):  # the keys of a JSON document
                        continue
                    flags_of_own = int(re.DOTALL) if name == "Foreign" else 0
                    yield pattern_of(node.args[OWN[name]]), flags_of_own, path.name
        for name, value in constants(tree).items():
            if name.endswith("_PATTERNS") and isinstance(value, ast.Tuple):
                yield from ((pattern_of(item), 0, path.name) for item in value.elts)


FOUND = {(pattern, flags): name for pattern, flags, name in collected()}
TIMED = [key for key in FOUND if isinstance(REGISTERED.get(written(key[0])), list)]


def test_every_pattern_is_registered() -> None:
    found = {written(pattern): name for (pattern, _), name in FOUND.items()}
    assert {pattern: name for pattern, name in found.items() if pattern not in REGISTERED} == {}
    assert REGISTERED.keys() - found.keys() == set()


def seconds(run: Callable[[Text], object], text: Text) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        run(text)
        times.append(time.process_time() - start)
    return min(times)


def applied(pattern: Text, flags: int, method: str) -> Callable[[Text], object]:
    function = getattr(re.compile(pattern, flags), method)
    if method == "sub":
        return lambda text: function(text[:0], text)
    return lambda text: list(function(text)) if method == "finditer" else function(text)


@pytest.mark.parametrize(("pattern", "flags"), TIMED, ids=[f"{FOUND[key]}:{key[0]!r:.60}" for key in TIMED])
def test_patterns_take_linear_time(pattern: Text, flags: int) -> None:
    registered = REGISTERED[written(pattern)]
    assert isinstance(registered, list)
    method, before, repeated, after = registered
    run = applied(pattern, flags, method)

    def text(length: int) -> Text:
        whole = f"{before}{repeated * max(1, length // len(repeated))}{after}"
        return whole.encode() if isinstance(pattern, bytes) else whole

    length = 32
    while length < LARGEST and seconds(run, text(length)) < ENOUGH:
        length *= 2
    for _ in range(10):  # another process may disturb a measurement
        short, long = seconds(run, text(length)), seconds(run, text(4 * length))
        if long <= GROWTH * short + FLOOR:
            return
    pytest.fail(f"{method} takes {long:.2g} s for {4 * length} characters, {short:.2g} s for a quarter of them")
