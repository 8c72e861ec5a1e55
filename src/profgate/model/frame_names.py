"""The identity of a frame: the parts of its name and file that are the same in two builds.

The rules are applied in a fixed order, from specific to general. They are repeated until nothing changes, but at most
five times. A normalised name therefore does not change if it is normalised again. Lines, addresses and hashes are not
part of the identity.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from profgate.model.record import Record

LONGEST_PATH = 500  # maximum number of characters of a path that are compared


class NameRule(Record):
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


NAME_RULES = (
    NameRule("R1", " (", r"^(.+ \((?:[^()]+?)):\d+(?::\d+)?\)$", r"\1)"),
    NameRule("J1", "$$Lambda", r"\$\$Lambda(?:\$\d+)?(?:[./+](?:0x)?[0-9a-fA-F]{6,})?(?=[./:]|$)", "$$Lambda"),
    NameRule("J2", "Accessor", r"\b(Generated(?:Serialization)?(?:Method|Constructor)Accessor)\d+", r"\1"),
    NameRule("J3", "LambdaForm$", r"(LambdaForm\$[A-Z]+)(?:[/.+]0x[0-9a-fA-F]+|\$\d+)+", r"\1"),
    NameRule("J4", "$Proxy", r"\$Proxy\d+", "$Proxy"),
    NameRule(
        "J6", "Proxy$|ByteBuddy$", r"((?:Proxy|ByteBuddy)\$)[0-9A-Za-z]{8}(?![0-9A-Za-z])", r"\1"
    ),  # a random name may have no digit
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
    NameRule("S3", "_R", r"(?<=Cs)[0-9A-Za-z]{1,13}_(?=[0-9])"),  # the hash of a crate may have no digit
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
_SYSTEM_FOLDERS = r"/(?:usr/(?:local/)?(?:lib\w*|go|share|include|s?bin)|lib\w*|nix|rustc|opt/hostedtoolcache)/"
_LIBRARY = re.compile(
    r"(?:^|/)(?:site-packages|dist-packages|node_modules|pkg/mod|\.cargo/registry|rustlib|_deps)/"
    rf"|(?:^|[ (])(?:node:|<frozen |[<{{](?:built-in|method) |~$|(?:file://)?{_SYSTEM_FOLDERS})"
    # names without a file: the standard libraries of Java, Rust, C++ and Go
    r"|^(?:(?:java|javax|jdk|sun|com\.sun)[./]|<*&?(?:mut )?(?:std|core|alloc|__gnu_cxx|hashbrown)::|runtime\.)"
)
_SYSTEM_MODULE = re.compile(
    rf"^{_SYSTEM_FOLDERS}|^\[|(?:^|/)(?:ld(?:-linux|-musl)[\w-]{{0,20}}\.|lib(?:c|m|pthread|gcc_s|stdc\+\+|c\+\+|jvm)[.-]"
    r"|(?:python[\d.]*|node|java)$)"
)
_PACKAGE_DIRECTORY = re.compile(r"^.*[/](?:site-packages|dist-packages|node_modules)/")
_ARCHITECTURE = re.compile(r"/(?:x86_64|aarch64|i386|arm)-linux-gnu[a-z]*(?=/)")
_EXTENSION = re.compile(r"[A-Za-z]\w{0,9}")
_LINE_AT_END = re.compile(r"^(.+) \(([^()]+?):(\d+)(?::\d+)?\)$")
# names of functions contain no such word before a space or sign
_PROCESS = re.compile(
    r"[\w .#-]{0,60}?(?:thread|worker|pool|executor|process|pid|tid)\w{0,20}+(?:[ #-]|:(?!:))[^<>\n0-9]*+[0-9]",
    re.IGNORECASE,
)
_PROCESS_NUMBER = re.compile(r"\b0x[0-9a-fA-F]+\b|\b(?=[a-f]*[0-9])[0-9a-f]++\b|[0-9]+")
_APART = (
    # Most positions are within a word, where only the branches after this group are tried.
    r"(?<![A-Za-z0-9])(?:(?<=__)_[0-9]+"  # a negative number
    r"|(?<=/)[0-9a-z]{2}(?=/(?=[a-z]*[0-9])[0-9a-z]{20})"  # the folder of a cache that begins a hash
    # hashes of bundlers in base 64 or 32 and identifiers of GHC, which may have no digit
    r"|(?<=[-.])(?=[a-z_-]{0,7}[A-Z0-9])[\w-]{8}(?=\.(?:m?js|css|wasm)\b)"
    r"|[a-z](?=[a-z]{0,3}[A-Z0-9])[0-9A-Za-z]{2,4}(?=_info(?![A-Za-z0-9]))"
    r"|UUID|0x[0-9a-fA-F]+|(?=[A-Za-z]*[0-9])(?:[0-9]+|[0-9a-f]{6,}|[0-9A-F]{6,}|[A-Za-z0-9]{20,}"
    # a mixture of letters and digits with at most two letters before the first digit, or with several numbers
    r"|[A-Za-z]{0,2}[0-9]+[A-Za-z][A-Za-z0-9]*|[A-Za-z]+[0-9]+[A-Za-z]+[0-9]+[A-Za-z0-9]*)(?![A-Za-z0-9]))"
    r"|UUID|0x[0-9a-fA-F]+"
    r"|(?<='lambda)[0-9]*(?=')"  # the first of several has no number
    r"|[0-9](?:(?<=func.)|(?<=wrap.)|(?<=range.)|(?<=lambda.)|(?<=lambda_method.)|(?<=closure.)|(?<=DisplayClass.))[0-9]*"
).replace("UUID", r"[0-9a-f]{8}(?:[-_][0-9a-f]{4}){3}[-_][0-9a-f]{12}")
_POSITION = re.compile(
    r"(?<![A-Za-z])(?:func|function|fun|fn)[_.\[-]*\*|(?:wrap|range|invoke_)\*|[Ll]ambda|[Cc]losure"
    r"|(?<![A-Za-z])anon|[$#:@]_?\*|__\.?\*"
)


class FrameKey(Record):
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


def is_library(label: str, file: str | None, module: str | None) -> bool:
    """Return whether the raw name, file and module of a frame are those of a package, a standard library or a system.

    The code of the measured project has other places; without a place, a function counts as one of the project.
    """
    if file is None and module is not None and _SYSTEM_MODULE.search(module):
        return True
    return _LIBRARY.search(file or label) is not None


def path_ends(path: str) -> Iterator[str]:
    """Yield a path, then the path without its first folder, and so on. Only the end of a long path is considered."""
    end, slash = path[-LONGEST_PATH:], "/"
    while slash:
        yield end
        _, slash, end = end.partition("/")


def process_name(name: str) -> str:
    """Replace the numbers in the name of a process or thread with ``*``, because each run has others."""
    if "-" in name or " " in name or "#" in name or ":" in name:  # much faster than the pattern
        return _PROCESS_NUMBER.sub("*", name) if _PROCESS.match(name) else name
    return name


def frame_key(
    name: str,
    file: str | None,
    line: int | None,
    *,
    needles: tuple[str, ...] = ALL_NEEDLES,
) -> FrameKey:
    """Return the identity of a raw frame. A file in its name, as in ``f (pkg/a.py:12)``, becomes the file of the key.

    ``needles`` is the result of `needles_of` for names that include this one. A short list makes the search faster.
    """
    if not _may_change(name, needles):
        return FrameKey(name, None if file is None else file_key(file), line)
    if file is None and line is None and (known := _key_in_known_file(name, needles)):
        return known
    if line is None and (match := _LINE_AT_END.match(name)):
        line = int(match[3])
    key = normalised_name(name)
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


def shape_of(text: str, *, within_words: bool) -> str:
    """Replace numbers, hashes and addresses by ``*``.

    A number within a word, as in ``sha256``, is only replaced with ``within_words``.
    """
    shape = _shape_apart(text)
    return _compiled("[0-9]+").sub("*", shape) if within_words else shape


@lru_cache(1 << 14)  # cached because many workloads have functions of the same names
def _shape_apart(text: str) -> str:
    return _compiled(_APART).sub("*", text)


def numbers_of(text: str, *, within_words: bool) -> list[str]:
    """Return the numbers, hashes and addresses that `shape_of` replaces."""
    return _compiled(f"{_APART}|[0-9]+" if within_words else _APART).findall(text)


def has_position(shape: str) -> bool:
    """Return whether the number in this shape counts functions by their position in the source, as in ``run.func*``."""
    return _POSITION.search(shape) is not None
