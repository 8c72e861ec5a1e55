import gzip
import struct
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from profgate.errors import ProfileError, SettingsError, UnknownFormat
from profgate.model.profile import Configuration, FrameList, Profile
from profgate.model.source import SourceFile, source_of
from profgate.model.units import MetricKind
from profgate.readers.containers import unwrap
from profgate.readers.registry import READERS, read_profile, readers_with
from smallest_files import SMALLEST

DATA = Path(__file__).parents[2] / "data"
FORMATS = tuple(reader.name for reader in READERS if (DATA / reader.name).is_dir())
RECORDED = [(name, path) for name in FORMATS for path in sorted((DATA / name).iterdir())]

ENDLESS = ("perf", "callgrind", "go-benchmark", "libtest", "austin", "pytest-durations", "folded")
LINES = ("libtest", "folded")  # each line stands for itself: what is cut between two of them is whole


class Loud:
    """A reader as another package would bring it."""

    def __init__(self, name: str = "loud", beginning: bytes = b"LOUD") -> None:
        self.name = name
        self.beginning = beginning

    def recognizes(self, source: SourceFile) -> str | None:
        return "it shouts" if source.head.startswith(self.beginning) else None

    def read(self, source: SourceFile) -> Profile:
        if source.size > 10:
            raise ProfileError(f"{source.name}: byte 10", "too loud; whisper")
        return Profile(source.name, Configuration(type="loud"), (), FrameList.of_names([]))


def claims(data: bytes) -> list[str]:
    source = unwrap(source_of("x", data))
    return [reader.name for reader in READERS if reader.recognizes(source) is not None]


@pytest.mark.parametrize(("name", "path"), RECORDED, ids=[path.name for _, path in RECORDED])
def test_each_sample_file_is_read_by_its_reader(name: str, path: Path) -> None:
    data = path.read_bytes()
    assert claims(data) == [name]
    assert read_profile(source_of(path.name, data)).facts.format == name


@pytest.mark.parametrize("name", SMALLEST)
def test_each_smallest_file_is_read_by_its_reader(name: str) -> None:
    assert claims(SMALLEST[name]) == [name]
    assert read_profile(source_of("x", SMALLEST[name])).facts.format == name
    packed = gzip.compress(gzip.compress(SMALLEST[name]))
    assert read_profile(source_of("x.gz", packed)).facts.format == name


@pytest.mark.parametrize(("name", "path"), RECORDED, ids=[path.name for _, path in RECORDED])
def test_cut_files_are_refused_or_read_and_never_crash(name: str, path: Path) -> None:
    data = unwrap(source_of(path.name, path.read_bytes()))
    whole = data.read(1 << 20)
    refused = unharmed = 0
    cuts = range(1, len(whole), max(7, len(whole) // 100))
    for end in cuts:
        try:
            cut = read_profile(source_of(name, whole[:end]))
            unharmed += not (cut.warnings or cut.warning_counts)
        except ProfileError:
            refused += 1
    # nothing tells that a text without an end was cut between two lines
    assert unharmed < len(cuts) * (0.5 if name in LINES else 0.1)
    assert refused > len(cuts) * 0.9 or name in ENDLESS


def test_a_read_error_names_format_and_place() -> None:
    whole = (DATA / "pstats" / "cprofile-3.11.pstats").read_bytes()
    with pytest.raises(ProfileError, match=r"run\.pstats: byte \d+: looks like pstats \(.*marshal.*\), but: ") as error:
        read_profile(source_of("run.pstats", whole[:500]))
    assert error.value.where.startswith("run.pstats: byte ")


def test_an_unknown_file_lists_what_was_tried() -> None:
    with pytest.raises(UnknownFormat, match=f"tried {', '.join(SMALLEST)}"):
        read_profile(source_of("x", b"\x00\x01\x02\x03" * 20))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PERFILE2" + b"\0" * 90, "perf script -i 'a b'"),
        (b"FLR\0" + b"\0" * 90, "jfr print --json"),
        (b"Nettrace" + b"\1" * 90, "dotnet-trace convert"),
        (b"gmon" + b"\0" * 90, "record with perf"),
        (b"MOJ\3" + b"\0" * 90, "mojo2austin"),
        (b"\x04\x08{\x0c:", "stackprof --stackcollapse"),
        (b"PK\x03\x04" + b"\0" * 90, "unzip"),
        (b"\x04\x22\x4d\x18" + b"\0" * 90, "lz4 -d"),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<svg width='3'><g/></svg>", "a picture of a profile"),
        (b"<!DOCTYPE html><html></html>", "a web page"),
        (b"v 10300 3\nX ./a\n", "heaptrack_print -f 'a b'"),
        (b"desc: --massif-out-file=m\ncmd: ./a\ntime_unit: i\n#---", "record with heaptrack"),
        (b'{"dhatFileVersion":2\n,"mode":"heap"', "record with heaptrack"),
        (
            b'{"head":{"callFrame":{"functionName":"(root)"},"selfSize":0,"id":1,"children":[]},"samples":[]}',
            "speedscope",
        ),
        (b"v8-version,11,3,244,8,-node.38,0\nv8-platform,linux,linux\n", "node --cpu-prof"),
        (struct.pack("<5Q", 0, 3, 0, 10_000, 0) + b"\1" * 40, "go tool pprof -proto"),
        (struct.pack("<5I", 0, 3, 0, 10_000, 0) + b"\1" * 40, "go tool pprof -proto"),
        (b"heap profile:      1:   4096 [     1:   4096] @ heapprofile\n", "pprof --collapsed PROGRAM 'a b'"),
        (b"heap_v2/524288\n  t*: 28106: 56637512 [0: 0]\n", "jeprof --collapsed PROGRAM 'a b'"),
        (b"rbspy05\n{}\n", "rbspy report --format collapsed --input 'a b'"),
        (b"0 sleep <internal>:-1\n1 <main> /app/a.php:5\n# - - -\n", "stackcollapse-phpspy.pl 'a b'"),
        (b"Version: 3.0.3\nFile format: 4\nTRACE START [2021-03-08]\n", "xdebug.mode=profile"),
        (b"\tMon Mar  8 19:19 2021 Time and Allocation Profiling Report  (Final)\n", "inferno-collapse-ghcprof 'a b'"),
        (b"Analysis of sampling shop (pid 7) every 1 millisecond\n", "inferno-collapse-sample 'a b'"),
        (b"<?xml version='1.0'?>\n<trace-query-result>\n<node/>", "inferno-collapse-xctrace 'a b'"),
        (b"<?xml version='1.0'?>\n<trace-toc>\n<run/>", "xctrace export --input"),
        (b"bplist00\xd1\1\2", "xctrace export --input"),
    ],
)
def test_unread_formats_are_refused_with_advice(data: bytes, message: str) -> None:
    with pytest.raises(UnknownFormat) as caught:
        read_profile(source_of("a b", data))
    assert message in str(caught.value)


def test_names_are_quoted_for_the_shell() -> None:
    with pytest.raises(UnknownFormat, match="'a; rm -rf b'"):
        read_profile(source_of("a; rm -rf b", b"PERFILE2"))


def test_readers_of_other_packages_are_tried() -> None:
    readers = readers_with([Loud()])
    assert read_profile(source_of("x", b"LOUD"), readers).configuration.type == "loud"
    assert read_profile(source_of("x", b"main 1\n"), readers).facts.format == "folded"
    with pytest.raises(ProfileError, match=r"x: byte 10: looks like loud \(it shouts\), but: too loud"):
        read_profile(source_of("x", b"LOUD" * 9), readers)


def test_two_readers_that_claim_one_file_are_named() -> None:
    readers = readers_with([Loud(beginning=b"{")])
    with pytest.raises(ProfileError, match=r"looks like loud \(it shouts\) and like perun"):
        read_profile(source_of("x", SMALLEST["perun"]), readers)


def test_two_readers_of_one_name_are_refused() -> None:
    with pytest.raises(SettingsError, match="reader pprof"):
        readers_with([Loud("pprof")])


PERUN = (
    b'{"header": {"type": "memory", "cmd": "a", "units": {"memory": "B"}}, "collector_info": {"name": "memory"}, '
    b'"snapshots": [{"time": 0, "resources": [{"type": "memory", "amount": 8, "uid": {"function": "f"}}]}]}'
)  # there is no recorded file of this collector


@pytest.mark.parametrize("reader", tuple(READERS), ids=lambda reader: reader.name)
def test_reader_declares_which_metrics_are_counted(reader: Any) -> None:
    declared, found = reader.counted, Counter[str]()
    recorded = [path.read_bytes() for path in sorted((DATA / reader.name).rglob("*")) if path.is_file()]
    for data in [*recorded, PERUN, b"main;f; 3\nmain;g; 2\n"]:  # the last one as heaptrack writes
        if reader.recognizes(source := unwrap(source_of("a", data))) is not None:
            metrics = reader.read(source).metrics
            found.update(metric.name for metric in metrics if metric.kind is MetricKind.COUNTED)
    undeclared = [name for name in found if not any(fnmatchcase(name, pattern) for pattern in declared)]
    unproven = [pattern for pattern in declared if not any(fnmatchcase(name, pattern) for name in found)]
    assert (undeclared, unproven) == ([], [])
