"""Profile formats that are not supported, with the commands that convert them."""

import re
import shlex
from typing import NamedTuple

from profgate.model.source import SourceFile

_FROM_HEAPTRACK = "record with heaptrack CMD instead and run: heaptrack_print -f RECORDING -F a.folded"


class Foreign(NamedTuple):
    """Unsupported format: a pattern that matches the first bytes, and advice in which ``{name}`` is the file name."""

    what: str
    looks: bytes
    advice: str


FOREIGN = (
    Foreign("a perf.data recording", rb"PERFILE2", "run: perf script -i {name} > a.perf.txt"),
    Foreign(
        "a Java Flight Recording",
        rb"FLR\0",
        "install a JDK, or run: jfr print --json --stack-depth 1024 --events"
        " jdk.CPUTimeSample,jdk.ExecutionSample,jdk.NativeMethodSample,jdk.ObjectAllocationSample {name} > a.jfr.json",
    ),
    Foreign(
        "a memray recording",
        rb"memray|\x04\x22\x4d\x18.{0,54}memray",  # an LZ4 file has "memray" in its first block
        "install the version of memray that recorded it, or run:"
        " memray transform speedscope -o a.speedscope.json {name}",
    ),
    Foreign("a .NET trace", rb"Nettrace", "run: dotnet-trace convert --format Speedscope {name}"),
    Foreign("gprof data", rb"gmon", "it contains no call paths; record with perf and use the folded stacks"),
    Foreign("an Austin recording", rb"MOJ", "run: mojo2austin {name} a.austin"),
    Foreign("a stackprof dump", rb"\x04\x08", "run: stackprof --stackcollapse {name} > a.folded"),
    Foreign("a zip archive", rb"PK\x03\x04", "run: unzip {name}"),
    Foreign("an LZ4 file", rb"\x04\x22\x4d\x18", "run: lz4 -d {name}"),
    Foreign("a picture of a profile", rb"\s*(?=<).*?<svg", "use the folded file from which it was drawn"),
    Foreign("a web page", rb"(?i)\s*<(?:!doctype html|html)\b", "use the profile from which it was made"),
    Foreign("heaptrack data", rb"v [0-9a-f]+(?: [0-9a-f]+)?\n", "run: heaptrack_print -f {name} -F a.folded"),
    Foreign("output of Massif", rb"desc: [^\n]*\ncmd: [^\n]*\ntime_unit: ", _FROM_HEAPTRACK),
    Foreign("output of DHAT", rb'\s*\{\s*"dhatFileVersion"', _FROM_HEAPTRACK),
    Foreign(
        "a heap profile of V8",
        rb'\s*\{\s*"head"\s*:[{\s]*"callFrame"',
        "open it in https://www.speedscope.app and use the exported speedscope file",
    ),
    Foreign("a log of node --prof", rb"v8-version,", "record with: node --cpu-prof SCRIPT"),
    Foreign(
        "a CPU profile of gperftools",
        rb"\0{8}\x03\0{15}|\0{4}\x03\0{7}",  # the numbers 0, 3 and 0, each in eight or four bytes
        "run: go tool pprof -proto -output a.pb.gz PROGRAM {name}",
    ),
    Foreign("a heap profile of tcmalloc", rb"heap profile: ", "run: pprof --collapsed PROGRAM {name} > a.folded"),
    Foreign("a heap profile of jemalloc", rb"heap_v2/", "run: jeprof --collapsed PROGRAM {name} > a.folded"),
    Foreign(
        "a raw recording of rbspy", rb"rbspy", "run: rbspy report --format collapsed --input {name} --output a.folded"
    ),
    Foreign("a trace of phpspy", rb"0 \S+ [^\s:]+:-?\d+\n(?:1 |# )", "run: stackcollapse-phpspy.pl {name} > a.folded"),
    Foreign("a trace of Xdebug", rb"Version: [^\n]*\nFile format: ", "record with -d xdebug.mode=profile"),
    Foreign(
        "a profile of GHC",
        rb"[^\n]*Time and Allocation Profiling Report",
        "run: inferno-collapse-ghcprof {name} > a.folded",
    ),
    Foreign("output of sample on macOS", rb"Analysis of sampling ", "run: inferno-collapse-sample {name} > a.folded"),
    Foreign(
        "an export of Instruments",
        rb"\s*(?=<).*?<trace-query-result",
        "run: inferno-collapse-xctrace {name} > a.folded",
    ),
    Foreign(
        "a part of a .trace folder of Instruments",
        rb"bplist00|\s*(?=<).*?<trace-toc",
        """run: xctrace export --input FOLDER.trace --xpath '/trace-toc/run/data/table[@schema="time-profile"]' """
        "> a.xml; inferno-collapse-xctrace a.xml > a.folded",
    ),
)


def advice_for(source: SourceFile) -> str | None:
    """Return a message with the format's name and advice on how to convert the file, or None for unknown formats."""
    found = next((foreign for foreign in FOREIGN if re.match(foreign.looks, source.head, re.DOTALL)), None)
    if found is None and ".trace/" in source.name and b"\0" in source.head:
        found = FOREIGN[-1]
    if found is None:
        return None
    return f"is {found.what}, which is not read; {found.advice.format(name=shlex.quote(source.name))}"
