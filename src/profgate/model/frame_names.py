"""Identity of a frame: what of its name and file survives between two builds.

The rules run in a fixed order, specific before general, again until nothing changes (at most five times), so that
``normalise(normalise(x)) == normalise(x)``. Lines, addresses and hashes leave the key; they stay as attributes.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, NamedTuple

Level = Literal["none", "safe", "loose"]
ROUNDS = 5


@dataclass(frozen=True, slots=True)
class NameRule:
    """``needles`` are texts without any of which the pattern cannot match: most names skip most rules by them."""

    code: str
    needles: tuple[str, ...]
    pattern: str
    replacement: str
    loose: bool = False

    def applied_to(self, name: str) -> str:
        """The name without what the rule takes off it."""
        return _compiled(self.pattern).sub(self.replacement, name)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compiled when it is first needed: a start needs few of all these patterns."""
    return re.compile(pattern)


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
    _rule("L1", "<", r"(?<=\w)<[^<>]+>", "<>", loose=True),
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
    """Name and file are the identity; line is shown, never compared."""

    name: str
    file: str | None
    line: int | None


@lru_cache(1 << 14)  # many functions of one file
def normalised_path(path: str) -> str:
    """The path without what a checkout, a home, a package folder or a machine adds in front of it."""
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
    match = _FILE_AT_END.match(name) if ")" in name[-2:] else None  # the pattern looks past a last newline
    if match:
        name = f"{match[1]} ({normalised_path(match[2])})"
    elif name.startswith("/") and " " not in name:
        name = normalised_path(name)
    return name


def normalised_name(name: str, level: Level = "safe") -> str:
    """The name that both builds share; level ``none`` leaves the bytes as given."""
    if level == "none":
        return name
    for _ in range(ROUNDS):
        before, name = name, _once(name, loose=level == "loose")
        if name == before:
            break
    return name or "[unknown]"


def needles_in(names: Iterable[str], level: Level = "loose") -> tuple[str, ...]:
    """Texts of which a name of these must hold one if a rule of the level shall change it."""
    text = "\n".join(names)
    rules = (rule for rule in NAME_RULES if level == "loose" or not rule.loose)
    return tuple(dict.fromkeys(needle for rule in rules for needle in rule.needles if needle in text))


def _may_change(name: str, needles: Iterable[str]) -> bool:
    if not name or name[0] == "/":  # unknown, or a path
        return True
    for needle in needles:  # noqa: SIM110 - a generator would take longer than what it looks for
        if needle in name:
            return True
    return False


@lru_cache(1 << 14)
def _file_key(file: str, level: Level) -> str:
    return normalised_name(normalised_path(file), level)


def root_name(name: str) -> str:
    """The name of a process or thread root, its numbers replaced by ``*``."""
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
    """Identity of one raw frame; a file inside the name, ``f (pkg/a.py:12)``, becomes the key's file.

    ``needles`` are those of a set of names to which this one belongs; looking for fewer of them takes less time.
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
