"""The identity of a frame: the parts of its name and file that are the same in two builds.

The rules run in a fixed order, from specific to general, until nothing changes, but at most five times. A normalised
name therefore does not change if it is normalised again. Lines, addresses and hashes are not part of the identity.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from profgate.model.name_aliases import Aliases

Level = Literal["none", "safe", "loose"]
ROUNDS = 5
NO_ALIASES = Aliases()


@dataclass(frozen=True, slots=True)
class NameRule:
    """A rule that changes names. Names that contain none of ``needles`` cannot match and are skipped quickly."""

    code: str
    needles: tuple[str, ...]
    pattern: str
    replacement: str
    loose: bool = False

    def applied_to(self, name: str) -> str:
        """Return the name after applying this rule."""
        if self.code == "L1":
            return _without_arguments(name)
        return _compiled(self.pattern).sub(self.replacement, name)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern on first use, because a typical run needs few patterns."""
    return re.compile(pattern)


_ARGUMENTS = re.compile(r"(?<=[^\W_])(?<!operator)[<\[]")
_CLOSING = {"<": ">", "[": "]"}


def _without_arguments(name: str) -> str:
    """Replace ``f<a<b>>`` by ``f<>`` and ``f[a[b]]`` by ``f[]``. Unclosed brackets and ``->`` do not change."""
    parts, place = [], 0
    for found in _ARGUMENTS.finditer(name):
        if found.start() < place:
            continue
        opening, depth, end = found[0], 0, -1
        for at in range(found.start(), len(name)):
            depth += name[at] == opening
            if name[at] == _CLOSING[opening] and name[at - 1] != "-":
                depth -= 1
                if not depth:
                    end = at
                    break
        if end < 0:
            break
        parts.append(name[place : found.end()])
        place = end
    return "".join((*parts, name[place:]))


def _rule(code: str, needles: str, pattern: str, replacement: str = "", *, loose: bool = False) -> NameRule:
    return NameRule(code, tuple(needles.split("|")), pattern, replacement, loose)


NAME_RULES = (
    _rule("R1", " (", r"^(.+ \((?:[^()]+?)):\d+(?::\d+)?\)$", r"\1)"),
    _rule("J1", "$$Lambda", r"\$\$Lambda(?:\$\d+)?(?:[./+](?:0x)?[0-9a-fA-F]{6,})?(?=[./:]|$)", "$$Lambda"),
    _rule("J2", "Accessor", r"\b(Generated(?:Serialization)?(?:Method|Constructor)Accessor)\d+", r"\1"),
    _rule("J3", "LambdaForm$", r"(LambdaForm\$[A-Z]+)(?:[/.+]0x[0-9a-fA-F]+|\$\d+)+", r"\1"),
    _rule("J4", "$Proxy", r"\$Proxy\d+", "$Proxy"),
    _rule("J5", "_[", r"_\[[ij01]\]$"),
    _rule("C2", "+0x", r"\+0x[0-9a-fA-F]+$"),
    _rule(
        "C1",
        ".constprop|.isra|.part|.lto_priv|.llvm|.cold",
        r"(?:\.(?:constprop|isra|part|lto_priv|llvm)\.\d+|\.cold(?:\.\d+)?)+$",
    ),
    _rule("S1", "::h", r"::h[0-9a-f]{16}$"),
    _rule("S2", "[", r"(?<=\w)\[[0-9a-f]{16}\]"),
    _rule("G1", "@v", r"@v\d+\.\d+\.\d+[\w.+-]*(?=/)"),
    _rule("W1", ".js|.mjs|.css|.wasm", r"(?<=\w)(?<!chunk)[.-](?=[0-9a-f]*\d)[0-9a-f]{8,20}(?=\.(?:m?js|css|wasm)\b)"),
    _rule("P1", "python", r"\bpython\d\.\d+(?=/)", "python"),
    _rule("A1", "0x", r"\b0x[0-9a-fA-F]+\b", "0x..."),
    _rule("L1", "<|[", r"(?<=\w)[<\[]", "<>", loose=True),
    _rule("L2", "$", r"(lambda\$\w+\$)\d+", r"\1*", loose=True),
    _rule("L2", ".func", r"(\.func)\d+(?:\.\d+)*", r"\1*", loose=True),
    _rule("L2", "{closure#", r"\{closure#\d+\}", "{closure#*}", loose=True),
)

_BY_NEEDLE = tuple(
    [(needle, rule) for rule in NAME_RULES if loose or not rule.loose for needle in rule.needles]
    for loose in (False, True)
)

_ROOT_PATTERNS = (
    r"^/proc/\d+/root(?=/)",
    r"^(?:[A-Za-z]:)?/(?:[^/]+/)*?_?_?w(?:ork)?/([^/]+)/\1/",
    r"^/(?:usr/(?:local|lib)|opt/hostedtoolcache)/go(?:-[\d.]+|/[\d.]+/\w+)?/src/",
    r"^/github/workspace/",
    r"^/(?:home|Users)/[^/]+/",
    r"^/root/",
    r"^/(?:private/)?(?:tmp|var/tmp)/(?:[^/]*\d[^/]*/|pytest-[^/]+/|tmp[^/]*/)?",
    r"^/(?:builds|workspace|app|src|build|checkout)/",
)
_PACKAGE_DIRECTORY = re.compile(r"^.*[/](?:site-packages|dist-packages|node_modules)/")
_ARCHITECTURE = re.compile(r"/(?:x86_64|aarch64|i386|arm)-linux-gnu[a-z]*(?=/)")
_FILE_AT_END = re.compile(r"^(.+) \(([^()]*[^()\s][^()]*\.[A-Za-z]\w{0,9}|[^()]*/[^()]+)\)$")
_LINE_AT_END = re.compile(r"^(.+) \(([^()]+?):(\d+)(?::\d+)?\)$")
_NATIVE_CLONE = re.compile(r"\.\d+$")
_ROOT_WORDS = re.compile(r"thread|worker|pool|executor|process|pid|tid", re.IGNORECASE)
_NUMBERS = re.compile(r"\b0x[0-9a-fA-F]+\b|\d+")


class FrameKey(NamedTuple):
    """The name and file that identify a frame. The line is displayed but never compared."""

    name: str
    file: str | None
    line: int | None


@lru_cache(1 << 14)  # many functions have the same file
def normalised_path(path: str) -> str:
    """Return the path without the part that depends on the checkout, home directory, package directory or machine."""
    path = path.replace("\\", "/")
    if package := _PACKAGE_DIRECTORY.match(path):
        return path[package.end() :]
    for pattern in _ROOT_PATTERNS:
        path = _compiled(pattern).sub("", path, count=1)
    return _ARCHITECTURE.sub("", path)


def _once(name: str, *, loose: bool) -> str:
    applied = None
    for needle, rule in _BY_NEEDLE[loose]:
        if needle in name and rule is not applied and not (rule.code == "W1" and "chunk" in name):
            name, applied = rule.applied_to(name), rule
    return _with_path(name)


def _with_path(name: str) -> str:
    match = _FILE_AT_END.match(name) if ")" in name[-2:] else None  # the pattern ignores a final newline
    if match:
        return f"{match[1]} ({normalised_path(match[2])})"
    return normalised_path(name) if name.startswith("/") and " " not in name else name


def normalised_name(name: str, level: Level = "safe") -> str:
    """Return the name without the parts that differ between builds. Level ``none`` does not change it."""
    if level == "none":
        return name
    for _ in range(ROUNDS):
        before, name = name, _once(name, loose=level == "loose")
        if name == before:
            break
    return name or "[unknown]"


def needles_in(names: Iterable[str], level: Level = "loose") -> tuple[str, ...]:
    """Return substrings that occur in the names. A rule of the level changes a name only if it contains one of them."""
    text = "\n".join(names)
    rules = (rule for rule in NAME_RULES if level == "loose" or not rule.loose)
    return tuple(dict.fromkeys(needle for rule in rules for needle in rule.needles if needle in text))


def _may_change(name: str, needles: Iterable[str]) -> bool:
    if not name or name[0] == "/":  # the name is unknown or a path
        return True
    for needle in needles:  # noqa: SIM110 - a generator is slower than the search itself
        if needle in name:
            return True
    return False


@lru_cache(1 << 14)
def _file_key(file: str, level: Level) -> str:
    return normalised_name(normalised_path(file), level)


def root_name(name: str) -> str:
    """Replace the numbers in the name of a process or thread root with ``*``."""
    return _NUMBERS.sub("*", name) if _ROOT_WORDS.search(name) else name


_ALL_NEEDLES = needles_in(needle for rule in NAME_RULES for needle in rule.needles)


def frame_key(
    name: str,
    file: str | None,
    line: int | None,
    level: Level = "safe",
    *,
    native: bool = False,
    needles: tuple[str, ...] = _ALL_NEEDLES,
) -> FrameKey:
    """Return the identity of a raw frame. A file in its name, as in ``f (pkg/a.py:12)``, becomes the file of the key.

    ``needles`` is the result of `needles_in` for names that include this name. A short list makes the search faster.
    """
    if level == "none":
        return FrameKey(name, file, line)
    if not native and not _may_change(name, needles):
        return FrameKey(name, None if file is None else _file_key(file, level), line)
    if line is None and (match := _LINE_AT_END.match(name)):
        line = int(match[3])
    key = normalised_name(name, level)
    if native:
        key = _NATIVE_CLONE.sub("", key)
    if file is None and (match := _FILE_AT_END.match(key)):
        return FrameKey(match[1], match[2], line)
    return FrameKey(key, None if file is None else _file_key(file, level), line)


REASONS = {
    "alias": "the configuration file calls it so",
    "R1": "lines move with every change above them",
    "J1": "the JVM numbers lambdas and hidden classes anew in every run",
    "J2": "the JVM numbers the accessors of reflection",
    "J3": "method handles carry an address of the run",
    "J4": "proxies are numbered in the order in which they are made",
    "J5": "compiled and interpreted code is one method",
    "C2": "an offset is a place in the code, not its name",
    "C1": "the compiler's copies of a function are that function",
    "C3": "the compiler numbers local copies of native functions",
    "S1": "the hash of a Rust symbol differs between builds",
    "S2": "the hash of a crate differs between builds",
    "G1": "the version of a Go module is no part of the function",
    "W1": "bundlers put a hash of the content into file names",
    "P1": "the same library serves several versions of the interpreter",
    "P2": "the folder of a checkout, home, package or machine is no part of the file",
    "T1": "processes and threads are numbered in the order in which they start",
    "A1": "addresses differ between runs",
    "L1": "arguments of templates and generics are left out (loose)",
    "L2": "closures are numbered by their place (loose)",
    "file": "the file is separated from the name",
    "unknown": "nothing is left of it",
}


class NameStep(NamedTuple):
    """Change of a name by the rule ``code``, with the name ``before`` and ``after`` the change."""

    code: str
    before: str
    after: str


def steps_of(
    name: str, level: Level = "safe", aliases: Aliases = NO_ALIASES, *, native: bool = False, root: bool = False
) -> tuple[list[NameStep], FrameKey]:
    """Return each step that normalises a raw name, and the resulting key, which equals the result of `frame_key`."""
    steps: list[NameStep] = []

    def took(code: str, before: str, after: str) -> str:
        if before != after:
            steps.append(NameStep(code, before, after))
        return after

    now = took("alias", name, aliases.applied_to(name))
    key = frame_key(now, None, None, level, native=native)
    if level != "none":
        for _ in range(ROUNDS):
            start = now
            for rule in NAME_RULES:
                if (level == "loose" or not rule.loose) and not (rule.code == "W1" and "chunk" in now):
                    fits = any(needle in now for needle in rule.needles)
                    now = took(rule.code, now, rule.applied_to(now)) if fits else now
            now = took("P2", now, _with_path(now))
            if now == start:
                break
        now = took("unknown", now, now or "[unknown]")
        now = took("C3", now, _NATIVE_CLONE.sub("", now)) if native else now
        if key.file is not None:
            now = took("file", now, key.name)
        if root:
            now = took("T1", now, root_name(now))
            key = FrameKey(root_name(key.name), key.file, key.line)
    return steps, key
