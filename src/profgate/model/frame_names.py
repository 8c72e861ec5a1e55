"""The identity of a frame: the parts of its name and file that are the same in two builds.

The rules are applied in a fixed order, from specific to general. They are repeated until nothing changes, but at most
five times. A normalised name therefore does not change if it is normalised again. Lines, addresses and hashes are not
part of the identity.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import NamedTuple


class NameRule(NamedTuple):
    """A rule that changes names. Names without any of the ``needles``, which "|" separates, are skipped."""

    code: str
    needles: str
    pattern: str
    replacement: str = ""

    def applied_to(self, name: str) -> str:
        """Return the name after applying this rule."""
        return _compiled(self.pattern).sub(self.replacement, name)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use, because a typical run needs few patterns."""
    return re.compile(pattern)


_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")
NAME_RULES = (
    NameRule("R1", " (", r"^(.+ \((?:[^()]+?)):\d+(?::\d+)?\)$", r"\1)"),
    NameRule("J1", "$$Lambda", r"\$\$Lambda(?:\$\d+)?(?:[./+](?:0x)?[0-9a-fA-F]{6,})?(?=[./:]|$)", "$$Lambda"),
    NameRule("J2", "Accessor", r"\b(Generated(?:Serialization)?(?:Method|Constructor)Accessor)\d+", r"\1"),
    NameRule("J3", "LambdaForm$", r"(LambdaForm\$[A-Z]+)(?:[/.+]0x[0-9a-fA-F]+|\$\d+)+", r"\1"),
    NameRule("J4", "$Proxy", r"\$Proxy\d+", "$Proxy"),
    NameRule("J5", "_[", r"_\[[ij01]\]$"),
    NameRule("C2", "+0x", r"\+0x[0-9a-fA-F]+$"),
    NameRule(
        "C1",
        ".constprop|.isra|.part|.lto_priv|.llvm|.cold",
        r"(?:\.(?:constprop|isra|part|lto_priv|llvm)\.\d++|\.cold(?:\.\d++)?){1,20}$",
    ),
    NameRule(
        "C3",  # variants of one routine, of which the loader chooses one by the features of the CPU
        "_avx|_evex|_sse|_ssse3|_fma|_erms|_unaligned|_asimd|_sve|_mops",
        r"^__([a-z]\w{0,60}?)(?:_(?:avx2?|avx512(?:bw|vl|dq|f)?|evex(?:256|512)?|s?sse[0-9]?[0-9_]{0,2}|fma4?|erms|rtm|movbe"
        r"|unaligned|no_vzeroupper|asimd|sve|mops)){1,6}$",
        r"\1",
    ),
    NameRule("S1", "::h", r"::h[0-9a-f]{16}$"),
    NameRule("S2", "[", r"(?<=\w)\[[0-9a-f]{16}\]"),
    NameRule("G1", "@v", r"@v\d++\.\d++\.\d++[\w.+-]*+(?=/)"),
    NameRule(
        "W1", ".js|.mjs|.css|.wasm", r"(?<=\w)(?<!chunk)[.-](?=[0-9a-f]*\d)[0-9a-f]{8,20}(?=\.(?:m?js|css|wasm)\b)"
    ),
    NameRule("P1", "python", r"\bpython\d\.\d+(?=/)", "python"),
    NameRule("A1", "0x", r"\b0x[0-9a-fA-F]+\b", "0x..."),
)

_BY_NEEDLE = [(needle, rule) for rule in NAME_RULES for needle in rule.needles.split("|")]
ALL_NEEDLES = tuple(needle for needle, _ in _BY_NEEDLE)

CLAIMED = "source-map://"
"""Beginning of a file that is named by a source map. It is not part of the identity."""
_ROOT_PATTERNS = (
    rf"^{CLAIMED}",
    r"^/proc/\d+/root(?=/)",
    r"^(?:[A-Za-z]:)?/(?:[^/]+/)*?_?_?w(?:ork)?/([^/]+)/\1/",
    r"^/(?:usr/(?:local|lib)|opt/hostedtoolcache)/go(?:-[\d.]+|/[\d.]+/\w+)?/src/",
    r"^/github/workspace/",
    r"^/(?:home|Users)/[^/]+/",
    r"^/root/",
    r"^/(?:private/)?(?:tmp|var/tmp)/(?:[^/\d]*+\d[^/]*+/|pytest-[^/]+/|tmp[^/]*/)?",
    r"^/(?:builds|workspace|app|src|build|checkout)/",
    r"(?<=/sysdeps)/.*",  # the sources of the variants that rule C3 names alike
)
_PACKAGE_DIRECTORY = re.compile(r"^.*[/](?:site-packages|dist-packages|node_modules)/")
_ARCHITECTURE = re.compile(r"/(?:x86_64|aarch64|i386|arm)-linux-gnu[a-z]*(?=/)")
_EXTENSION = re.compile(r"[A-Za-z]\w{0,9}")
_LINE_AT_END = re.compile(r"^(.+) \(([^()]+?):(\d+)(?::\d+)?\)$")
_NATIVE_CLONE = re.compile(r"\.\d+$")
_ROOT_WORDS = ("thread", "worker", "pool", "executor", "process", "pid", "tid")
_NUMBERS = re.compile(r"\b0x[0-9a-fA-F]+\b|\d+")


class FrameKey(NamedTuple):
    """The name and file that identify a frame. The line is displayed but never compared."""

    name: str
    file: str | None
    line: int | None


@lru_cache(1 << 14)  # cached because many functions are in the same file
def normalised_path(path: str) -> str:
    """Return the path without the part that depends on the checkout, home directory, package directory or machine."""
    path = path.replace("\\", "/")
    if package := _PACKAGE_DIRECTORY.match(path):
        return path[package.end() :]
    for pattern in _ROOT_PATTERNS:
        path = _compiled(pattern).sub("", path, count=1)
    return _ARCHITECTURE.sub("", path)


def _once(name: str) -> str:
    applied = None
    for needle, rule in _BY_NEEDLE:
        if needle in name and rule is not applied and not (rule.code == "W1" and "chunk" in name):
            name, applied = rule.applied_to(name), rule
    return _with_path(name)


def _file_at_end(name: str) -> tuple[str, str] | None:
    """Return the parts of ``f (pkg/a.py)``, or None if the name does not end with a file."""
    if not name.endswith(")"):
        return None
    function, _, file = name[:-1].rpartition(" (")
    stem, _, extension = file.rpartition(".")
    if not function or "(" in file or ")" in file:
        return None
    return (function, file) if "/" in file[:-1] or (stem.strip() and _EXTENSION.fullmatch(extension)) else None


def _with_path(name: str) -> str:
    if found := _file_at_end(name):
        return f"{found[0]} ({normalised_path(found[1])})"
    return normalised_path(name) if name.startswith("/") and " " not in name else name


def normalised_name(name: str) -> str:
    """Return the name without the parts that differ between builds."""
    for _ in range(5):
        before, name = name, _once(name)
        if name == before:
            break
    return name or "[unknown]"


def needles_of(text: str) -> Iterator[str]:
    """Yield substrings of a text of names, one of which is in every name that the rules change."""
    return (needle for needle, _ in _BY_NEEDLE if needle in text)


def _may_change(name: str, needles: Iterable[str]) -> bool:
    if not name or name[0] == "/":  # the name is unknown or a path
        return True
    for needle in needles:  # noqa: SIM110 - a generator would be slower than this loop
        if needle in name:
            return True
    return False


@lru_cache(1 << 14)
def file_key(file: str) -> str:
    """Return the file name that identifies frames in this file."""
    return normalised_name(normalised_path(file))


def root_name(name: str) -> str:
    """Replace the numbers in the name of a process or thread root with ``*``."""
    lower = name.lower()
    for word in _ROOT_WORDS:  # faster than a pattern that ignores case
        if word in lower:
            return _NUMBERS.sub("*", name)
    return name


def frame_key(
    name: str,
    file: str | None,
    line: int | None,
    *,
    native: bool = False,
    needles: tuple[str, ...] = ALL_NEEDLES,
) -> FrameKey:
    """Return the identity of a raw frame. A file in its name, as in ``f (pkg/a.py:12)``, becomes the file of the key.

    ``needles`` is the result of `needles_of` for names that include this one. A short list makes the search faster.
    """
    if not native and not _may_change(name, needles):
        return FrameKey(name, None if file is None else file_key(file), line)
    if file is None and line is None and not native and (known := _key_in_known_file(name, needles)):
        return known
    if line is None and (match := _LINE_AT_END.match(name)):
        line = int(match[3])
    key = normalised_name(name)
    if native:
        key = _NATIVE_CLONE.sub("", key)
    if file is None and (found := _file_at_end(key)):
        return FrameKey(*found, line)
    return FrameKey(key, None if file is None else file_key(file), line)


def _key_in_known_file(name: str, needles: Iterable[str]) -> FrameKey | None:
    """Return the key of ``f (pkg/a.py:12)``, with a cached file, or None if a rule may change the function."""
    function, mark, place = name[:-1].rpartition(" (")
    path, colon, line = place.partition(":")
    if not mark or name[-1] != ")" or "\n" in name or (colon and not line.isdecimal()):
        return None
    if _may_change(function, needles):
        return None
    file = _file_in_brackets(path)
    return FrameKey(function, file, int(line) if colon else None) if file else None


@lru_cache(1 << 14)
def _file_in_brackets(path: str) -> str | None:
    found = _file_at_end(normalised_name(f"f ({path})"))
    return found[1] if found and found[0] == "f" else None


def renumbered(*sides: Iterable[tuple[str, float]]) -> bool:
    """Return whether names that all sides share, apart from numbers, have most of the cost of each side."""
    costs: list[dict[str, float]] = []  # the cost of each name with all numbers alike, for each side
    for side in sides:
        shapes: dict[str, float] = {}
        for name, cost in side:
            shape = _NUMBER.sub("#", name)
            shapes[shape] = shapes.get(shape, 0.0) + cost
        costs.append(shapes)
    common = set.intersection(*map(set, costs))
    shared = [sum(map(shapes.__getitem__, common)) for shapes in costs]
    return all(2 * part > sum(shapes.values()) for part, shapes in zip(shared, costs, strict=True))
