"""Formats that are not read, told apart so that the message can name the one command that converts them."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from profgate.model.source import SourceFile

_HTML = re.compile(rb"\A\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_HEAPTRACK = re.compile(rb"\Av [0-9a-f]+(?: [0-9a-f]+)?\n")
_MASSIF = re.compile(rb"\Adesc: [^\n]*\ncmd: [^\n]*\ntime_unit: ")
_XDEBUG = re.compile(rb"\AVersion: [^\n]*\nFile format: ")
_PHPSPY = re.compile(rb"\A0 \S+ [^\s:]+:-?\d+\n(?:1 |# )")
_GHC = re.compile(rb"\A[^\n]*Time and Allocation Profiling Report")
# the first words of the header, of eight and of four bytes
_GPERFTOOLS = tuple(b"".join(word.to_bytes(size, "little") for word in (0, 3, 0)) for size in (8, 4))
_TIME_PROFILE = """--xpath '/trace-toc/run/data/table[@schema="time-profile"]' > a.xml"""
_FROM_HEAPTRACK = "record with heaptrack CMD instead and run: heaptrack_print -f RECORDING -F a.folded"


@dataclass(frozen=True, slots=True)
class Foreign:
    """A format by its looks, and what to do with it; ``{name}`` stands for the file, quoted for a shell."""

    what: str
    looks: Callable[[SourceFile], bool]
    advice: str


def _magic(*beginnings: bytes) -> Callable[[SourceFile], bool]:
    return lambda source: source.head.startswith(beginnings)


def _text(pattern: re.Pattern[bytes]) -> Callable[[SourceFile], bool]:
    return lambda source: pattern.match(source.head) is not None


def _memray(source: SourceFile) -> bool:
    """Memray packs with LZ4, whose first block begins with the name."""
    return source.head.startswith((b"\x04\x22\x4d\x18", b"memray")) and b"memray" in source.head[:64]


def _element(*names: bytes) -> Callable[[SourceFile], bool]:
    """XML with one of these for its root, within its first lines."""
    return lambda source: source.head.lstrip().startswith(b"<") and any(b"<" + name in source.head for name in names)


def _object(*keys: bytes) -> Callable[[SourceFile], bool]:
    """A JSON object whose first keys are these."""
    words = rb"\s*:[{\s]*".join(b'"' + key + b'"' for key in keys)
    return _text(re.compile(rb"\A\s*\{\s*" + words))


def _picture(source: SourceFile) -> bool:
    return source.head.lstrip().startswith(b"<") and b"<svg" in source.head


def _trace_folder(source: SourceFile) -> bool:
    inside = ".trace/" in source.name and b"\0" in source.head
    return inside or source.head.startswith(b"bplist00") or _element(b"trace-toc")(source)


FOREIGN = (
    Foreign("a perf.data recording", _magic(b"PERFILE2"), "run: perf script -i {name} > a.perf.txt"),
    Foreign(
        "a Java Flight Recording",
        _magic(b"FLR\0"),
        "install a JDK, or run: jfr print --json --stack-depth 1024 --events"
        " jdk.ExecutionSample,jdk.NativeMethodSample,jdk.ObjectAllocationSample {name} > a.jfr.json",
    ),
    Foreign(
        "a memray recording",
        _memray,
        "install memray, the version that recorded it, or run: memray transform speedscope -o a.speedscope.json {name}",
    ),
    Foreign("a .NET trace", _magic(b"Nettrace"), "run: dotnet-trace convert --format Speedscope {name}"),
    Foreign("gprof data", _magic(b"gmon"), "it holds no call paths; record with perf and give the folded stacks"),
    Foreign("an Austin recording", _magic(b"MOJ"), "run: mojo2austin {name} a.austin"),
    Foreign("a stackprof dump", _magic(b"\x04\x08"), "run: stackprof --stackcollapse {name} > a.folded"),
    Foreign("a zip archive", _magic(b"PK\x03\x04"), "run: unzip {name}"),
    Foreign("packed with lz4", _magic(b"\x04\x22\x4d\x18"), "run: lz4 -d {name}"),
    Foreign("a picture of a profile", _picture, "give the folded file it was drawn from"),
    Foreign("a web page", _text(_HTML), "give the profile it was made from"),
    Foreign("heaptrack data", _text(_HEAPTRACK), "run: heaptrack_print -f {name} -F a.folded"),
    Foreign("what Massif wrote", _text(_MASSIF), _FROM_HEAPTRACK),
    Foreign("what DHAT wrote", _object(b"dhatFileVersion"), _FROM_HEAPTRACK),
    Foreign(
        "a heap profile of V8",
        _object(b"head", b"callFrame"),
        "open it in https://www.speedscope.app and give the speedscope file that it exports",
    ),
    Foreign("a log of node --prof", _magic(b"v8-version,"), "record with: node --cpu-prof SCRIPT"),
    Foreign(
        "a CPU profile of gperftools",
        _magic(*_GPERFTOOLS),
        "run: go tool pprof -proto -output a.pb.gz PROGRAM {name}",
    ),
    Foreign(
        "a heap profile of tcmalloc", _magic(b"heap profile: "), "run: pprof --collapsed PROGRAM {name} > a.folded"
    ),
    Foreign("a heap profile of jemalloc", _magic(b"heap_v2/"), "run: jeprof --collapsed PROGRAM {name} > a.folded"),
    Foreign(
        "a raw recording of rbspy",
        _magic(b"rbspy"),
        "run: rbspy report --format collapsed --input {name} --output a.folded",
    ),
    Foreign("a trace of phpspy", _text(_PHPSPY), "run: stackcollapse-phpspy.pl {name} > a.folded"),
    Foreign("a trace of Xdebug", _text(_XDEBUG), "record with -d xdebug.mode=profile"),
    Foreign("a profile of GHC", _text(_GHC), "run: inferno-collapse-ghcprof {name} > a.folded"),
    Foreign(
        "what macOS sample wrote", _magic(b"Analysis of sampling "), "run: inferno-collapse-sample {name} > a.folded"
    ),
    Foreign(
        "an export of Instruments",
        _element(b"trace-query-result"),
        "run: inferno-collapse-xctrace {name} > a.folded",
    ),
    Foreign(
        "a part of a .trace folder of Instruments",
        _trace_folder,
        f"run: xctrace export --input FOLDER.trace {_TIME_PROFILE}; inferno-collapse-xctrace a.xml > a.folded",
    ),
)


def advice_for(source: SourceFile) -> str | None:
    """What a file is and how to convert it, or None when it is nothing we know."""
    for foreign in FOREIGN:
        if foreign.looks(source):
            return f"is {foreign.what}, which is not read; {foreign.advice.format(name=shlex.quote(source.name))}"
    return None
