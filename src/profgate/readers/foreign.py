"""Formats that are not read, told apart so that the message can name the one command that converts them."""

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

from profgate.model.source import SourceFile

_HTML = re.compile(rb"\A\s*<(?:!doctype html|html)\b", re.IGNORECASE)
_HEAPTRACK = re.compile(rb"\Av [0-9a-f]+(?: [0-9a-f]+)?\n")


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


def _picture(source: SourceFile) -> bool:
    return source.head.lstrip().startswith(b"<") and b"<svg" in source.head


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
)


def advice_for(source: SourceFile) -> str | None:
    """What a file is and how to convert it, or None when it is nothing we know."""
    for foreign in FOREIGN:
        if foreign.looks(source):
            return f"is {foreign.what}, which is not read; {foreign.advice.format(name=shlex.quote(source.name))}"
    return None
