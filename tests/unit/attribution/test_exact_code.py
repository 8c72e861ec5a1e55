"""Changes of a source that have no effect, and changes that only look so."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from profgate.attribution.fingerprints import parsed_source


def without_effect(path: str, before: str, after: str) -> bool:
    """Whether two different texts of a file count as the same program."""
    old, new = parsed_source(path, before), parsed_source(path, after)
    assert old is not None
    assert new is not None
    return bool(old.exact) and old.exact == new.exact


@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        # sentences and blank lines
        ("a.py", "# Adds.\nx = 1\n", "# Sums up.\nx = 1\n", True),
        ("a.py", "# Adds.\nx = 1\n", "\nx = 1\n", True),
        ("a.js", "f()\n  // Adds a and b (c).\n", "f()\n\t// Adds it, that's all.\n", True),
        ("a.go", "package a\n\n// Add adds.\nfunc Add() {}\n", "package a\n\n// Add sums.\nfunc Add() {}\n", True),
        ("A.java", "class A {\n  // Adds.\n}\n", "class A {\n  \n}\n", True),
        ("a.rs", "// One.\n// Two.\nfn f() {}\n", "// Two.\n// One.\nfn f() {}\n", True),
        ("a.tsx", "// One.\nlet a = <b/>\n", "// Two.\nlet a = <b/>\n", True),
        # line numbers
        ("a.py", "x = 1\n", "\nx = 1\n", False),
        ("a.go", "package a\n// Adds.\nvar x = 1\n", "package a\nvar x = 1\n", False),
        # other comments
        ("a.py", "# Adds.\nx = 1\n", "# pythran export f\nx = 1\n", False),
        ("a.py", "x = 1  # Adds.\n", "x = 1  # Sums.\n", False),
        ("a.py", "# Adds.\n# /// script\n", "# Sums.\n# /// script\n", False),
        ("a.py", "# cython: boundscheck=False\n", "# cython: boundscheck=True\n", False),
        ("a.py", "#!/usr/bin/python3\nx = 1\n", "#!/usr/bin/python3 -X tracemalloc=25\nx = 1\n", False),
        ("a.py", "# Adds.\nx = 1\n", "# coding: unicode_escape\nx = 1\n", False),
        ("a.py", "# Adds.\nx = '\\u0020'\n", "# Sums.\nx = '\\u0020'\n", False),
        ("a.py", "# Adds.\rslow()\n", "# Sums.\rslow()\n", False),
        ("a.py", "# Adds.\nx = '\ufffd'\n", "# Sums.\nx = '\ufffd'\n", False),
        ("a.py", "# Adds.\nx = (\n", "# Sums.\nx = (\n", False),
        ("a.go", 'package a\n\n/*\n*/\n// Adds.\nimport "C"\n', 'package a\n\n/*\n*/\n// Sums.\nimport "C"\n', False),
        ("a.go", "package a\n// Output:\n// Adds.\n", "package a\n// Output:\n// Sums.\n", False),
        ("a.go", "package a\n//go:noinline\nfunc f() {}\n", "package a\n\nfunc f() {}\n", False),
        ("a.jsx", "/** @jsx h */\nf()\n", "/** @jsx slow */\nf()\n", False),
        ("a.js", "// istanbul ignore next\nf()\n", "\nf()\n", False),
        ("a.rs", "/// Adds.\nfn f() {}\n", "/// Sums.\nfn f() {}\n", False),
        ("a.c", "// Falls through.\nint f(int x) { return x; }\n", "\nint f(int x) { return x; }\n", False),
        ("a.cc", "// Adds.\nint f(int x) { return x; }\n", "// Sums.\nint f(int x) { return x; }\n", False),
        # strings and markup
        ("a.py", "x = '''\n# Adds.\n'''\n", "x = '''\n# Sums.\n'''\n", False),
        ("a.py", "x = f'''{\n# Adds.\ny=}'''\n", "x = f'''{\n# Sums.\ny=}'''\n", False),
        ("a.py", "def t_N(t):\n    r'[0-9]+'\n", "def t_N(t):\n    r'([0-9]+)+'\n", False),
        ("a.js", "x = `\n// Adds.\n`\n", "x = `\n// Sums.\n`\n", False),
        ("a.js", "x = 'a\\\n// Adds.\\\n'\n", "x = 'a\\\n// Sums.\\\n'\n", False),
        ("a.jsx", "x = <b>\n// Adds.\n</b>\n", "x = <b>\n// Sums.\n</b>\n", False),
        ("a.go", "package a\nvar x = `\n \n`\n", "package a\nvar x = `\n\n`\n", False),
        (
            "A.java",
            'class A { String s = """\n// Adds.\n"""; }\n',
            'class A { String s = """\n// Sums.\n"""; }\n',
            False,
        ),
        ("a.rs", 'fn f() { g("\n// Adds.\n"); }\n', 'fn f() { g("\n// Sums.\n"); }\n', False),
        # code that fingerprints ignore or reorder
        ("a.py", "if FAST:\n    def f(): pass\n", "if not FAST:\n    def f(): pass\n", False),
        ("a.py", "T = {'a': fast, 'b': lambda x: x}\n", "T = {'a': slow, 'b': lambda x: x}\n", False),
        ("a.py", "def f(): g()\ndef f(): h()\n", "def f(): h()\ndef f(): g()\n", False),
        ("a.py", "import a\nimport b\n", "import b\nimport a\n", False),
        ("a.js", "const f = a ? () => 1 : () => 2\n", "const f = !a ? () => 1 : () => 2\n", False),
    ],
)
def test_only_sentences_and_blank_lines_have_no_effect(path: str, before: str, after: str, expected: bool) -> None:
    assert without_effect(path, before, after) is expected


SENTENCES = ["Adds all items.", "Sums up the list, once.", "Returns the total (of a copy)."]
# items, of which the first begins the file; ? is a condition, ~ a sentence
DATA = Path(__file__).parents[2] / "data"
PROGRAMS: dict[str, str] = json.loads((DATA / "exact_programs.json").read_text())


def pairs(path: str, count: int = 200) -> Iterator[tuple[str, str, bool]]:
    """Yield versions of a program before and after one change, and whether this change has an effect."""
    chance = Random(path)
    mark = "# " if path.endswith(".py") else "// "
    while count:
        items = [item.replace("~", chance.choice(SENTENCES)).replace("?", "c", 1) for item in PROGRAMS[path].split("|")]
        after, place = list(items), chance.randrange(1, len(items))
        item, is_sentence = items[place], items[place] in {mark + sentence for sentence in SENTENCES}
        kind = ("moved", "duplicated", "reordered", "conditional", "commented")[count % 5]
        if kind == "moved":
            after.insert(chance.randrange(1, len(items)), after.pop(place))
        elif kind == "duplicated":
            after.insert(place, item)
        elif kind == "reordered":
            after[1:] = chance.sample(after[1:], len(items) - 1)
        elif kind == "conditional":
            after[place] = item.replace("c ", "!c ").replace("c:", "not c:").replace("(c)", "(!c)")
        else:
            after[place] = chance.choice(
                [mark + chance.choice(SENTENCES), f"{mark}{item}", item.replace("64", "0"), ""]
            )
        if after != items:
            count -= 1
            harmless = is_sentence and kind == "commented" and not after[place].startswith(mark * 2)
            yield "\n".join(items) + "\n", "\n".join(after) + "\n", not harmless


@pytest.mark.parametrize("path", PROGRAMS)
def test_generated_change_with_effect_is_never_ignored(path: str) -> None:
    found = {(without_effect(path, before, after), effect) for before, after, effect in pairs(path)}
    assert (True, True) not in found
    assert ((True, False) in found) is not path.startswith("a.c")
