import gzip
import re
import struct
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest

from golden_files import Golden
from profgate.errors import ProfileError, SettingsError, UnknownFormat
from profgate.model.profile import Configuration, FrameList, Profile
from profgate.model.source import SourceFile, source_of
from profgate.model.units import MetricKind
from profgate.readers.containers import unwrap
from profgate.readers.registry import LONGEST_NAME, READERS, read_profile, readers_with
from smallest_files import SMALLEST

DATA = Path(__file__).parents[2] / "data"
TEMPLATES = Path(__file__).parents[3] / "templates"
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
    cuts = range(1, len(whole), max(7, len(whole) // 50))
    for end in cuts:
        try:
            cut = read_profile(source_of(name, whole[:end]))
            unharmed += not (cut.warnings or cut.warning_counts)
        except ProfileError:
            refused += 1
    # nothing tells that a text without an end was cut between two lines
    assert unharmed < len(cuts) * (0.5 if name in LINES else 0.1)
    assert refused > len(cuts) * 0.9 or name in ENDLESS


LONG = "f" * 3_000_000


@pytest.mark.parametrize(
    "text",
    [
        "# callgrind format\nevents: Ir\nfn={}1\n1 2\nfn={}2\n1 5\ntotals: 7\n",
        "shop 12 5.25: 9 cycles:u: \n\t5d {}1 (/shop)\n\nshop 12 5.25: 9 cycles:u: \n\t5d {}2 (/shop)\n\n",
        "main;{}1 2\nmain;{}2 3\nmain;g 3\n",
        '{{"sample_count": 1, "root_frame": {{"function": "{}1", "time": 1, "children": []}}}}',
    ],
)
def test_middle_of_a_long_name_is_a_hash(text: str) -> None:
    profile = read_profile(source_of("x", text.format(LONG, LONG).encode()))
    names = [name for name in profile.frames.names if "ff" in name]
    assert {len(name) for name in names} == {LONGEST_NAME + 18}
    assert len(set(names)) == text.count("{}")


def test_line_beyond_the_limit_is_refused() -> None:
    text = b"# callgrind format\nevents: Ir\nfn=main\n1 2\nfn=" + b"f" * (17 << 20)
    with pytest.raises(ProfileError, match=r"line 5: .*longer than 16777216 bytes"):
        read_profile(source_of("x", text))


def test_command_formats_lists_what_was_recorded() -> None:
    lines = set()
    for name, path in RECORDED:
        tool = re.match(r"([a-zA-Z-]+)-(\d[\d.]*\d)", path.name)
        if tool and tool[1] != "by-hand":
            metrics = read_profile(source_of(path.name, path.read_bytes())).metrics
            described = "; ".join(f"{metric.name} in {metric.unit}, {metric.kind}" for metric in metrics[:6])
            lines.add(f"{name}\t{tool[1]} {tool[2]}\t{described}\n")
    Golden(TEMPLATES, Golden.from_environment().update).check("formats/recorded.tsv", "".join(sorted(lines)))


def test_a_read_error_names_format_and_place() -> None:
    whole = (DATA / "pstats" / "cprofile-3.11.pstats").read_bytes()
    with pytest.raises(ProfileError, match=r"run\.pstats: byte \d+: looks like pstats \(.*marshal.*\), but: ") as error:
        read_profile(source_of("run.pstats", whole[:500]))
    assert error.value.where.startswith("run.pstats: byte ")


@pytest.mark.parametrize(
    ("data", "seen"),
    [
        (b"\x00\x01\x02\x03" * 20, r"it begins with '\\x00\\x01"),
        (b"Dear reader,\nhello\n", "it begins with 'Dear reader,"),
        (b'{"schema": "x", "rows": [{"cell": 1}]}', "it is JSON with the keys schema, rows, cell;"),
    ],
)
def test_unknown_file_is_described_with_a_command(data: bytes, seen: str) -> None:
    with pytest.raises(UnknownFormat, match=f"{seen}.*run: profgate formats$"):
        read_profile(source_of("x", data))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"PERFILE2" + b"\0" * 90, "perf script -i 'a b'"),
        (b"FLR\0" + b"\0" * 90, "jfr print --json"),
        (b"Nettrace" + b"\1" * 90, "dotnet-trace convert"),
        (b"gmon" + b"\0" * 90, "perf record -g -o a.data PROGRAM"),
        (b"MOJ\3" + b"\0" * 90, "mojo2austin"),
        (b"\x04\x08{\x0c:", "stackprof --stackcollapse"),
        (b"PK\x03\x04" + b"\0" * 90, "unzip"),
        (b"\x04\x22\x4d\x18" + b"\0" * 90, "lz4 -dc 'a b' > unpacked"),
        (b"<?xml version='1.0'?>\n<!-- x -->\n<svg width='3'><g/></svg>", "a picture of a profile"),
        (b"<!DOCTYPE html><html></html>", "a web page"),
        (b"v 10300 3\nX ./a\n", "heaptrack_print -f 'a b'"),
        (b"desc: --massif-out-file=m\ncmd: ./a\ntime_unit: i\n#---", "valgrind --tool=dhat"),
        (b'{"snapshot":{"meta":{"node_fields":[]}}}', "node --heap-prof SCRIPT"),
        (b'{"result":[{"scriptId":"7","url":"node:fs"}]}', "node --cpu-prof SCRIPT"),
        (b"\n RUN  v3.2.7 /app\n", "vitest bench --run --outputJson"),
        (b"\n\x1b[1m\x1b[46m RUN \x1b[49m v5.1.2\n", "vitest bench --run --reporter=json"),
        (b"clk: ~3.14 GHz\ncpu: a\n", "run({ format: { json: {} } })"),
        (b'[{"Task name":"heavy","Samples":125}]', "({ name, result })"),
        ("┌──┐\n│ Task name │".encode(), "({ name, result })"),
        (b'{"data":[{"known_addresses":[]}],"string_table":[]}', "a.syms.json beside a.json"),
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
        (b"TRACE START [2026-11-28 20:25:24]\n    0.0002 391000 -> {main}()\n", "xdebug.mode=profile"),
        (b"PERFFILE" + b"\0" * 90, "perf script -i 'a b'"),
        (b"allocator,num_allocations,size,tid,thread_id,thread_name,stack_trace\n", "memray transform speedscope"),
        (b'{"version": 1, "costs": [], "functions": [], "events": []}', "memray transform speedscope"),
        (b"Flat profile:\n\nEach sample counts as 0.01 seconds.\n", "perf record -g -o a.data PROGRAM"),
        (b'{"version":1.2,"gc_samples":0,"missed_samples":0,"frames":{}}', "stackprof --stackcollapse DUMP"),
        (b"BZh91AY&SY" + b"\0" * 90, "bunzip2 'a b'"),
        (b"\xfd7zXZ\0" + b"\1" * 90, "unxz 'a b'"),
        (b"7z\xbc\xaf\x27\x1c" + b"\1" * 90, "7z x 'a b'"),
        (b"a.folded" + b"\0" * 249 + b"ustar\0000" + b"main;f 1\n" * 3, "tar -xf 'a b'"),
        (b"<!DOCTYPE html>\n<title>async-profiler</title>", "asprof -o collapsed"),
        (b"--- Execution profile ---\nTotal samples: 5\n", "asprof -o collapsed"),
        (b'{"snapshot":{"meta":{"node_fields":[]}}}', "node --heap-prof"),
        (b"Statistical profiling result from a.log, (9 ticks)\n", "node --cpu-prof"),
        ("fib x 1,234 ops/sec ±0.5% (90 runs sampled)\n".encode(), "node --cpu-prof"),
        (b"TAP version 13\n# Subtest: a\n", "--test-reporter=junit"),
        (b"goroutine profile: total 8\n7 @ 0x4\n", "without debug=1: curl"),
        (b"heap profile: 1: 2 [3: 4] @ heap/1048576\n", "without debug=1: curl"),
        (b"go 1.26 trace\0\0\0" + b"\1" * 90, "go tool trace -pprof=sched 'a b'"),
        (b"=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\n", "go test -json"),
        (b'{"main()==>f":{"ct":1,"wt":5}}', "xdebug.mode=profile"),
        (b'{"program":"a","total_ticks":5,"cost_centres":[]}', "+RTS -P"),
        (b"hdrb" + b"\0" * 90, "+RTS -P"),
        (b"Attaching 1 probe...\n\n@[\n    f+1\n]: 3\n", "stackcollapse-bpftrace.pl"),
        (b'{"resourceProfiles":[]}', "asprof -o collapsed"),
        (b"SIMPLEPERF\1\0" + b"\1" * 90, "stackcollapse.py"),
        (b"*version\n3\ndata-file-overflow=false\n", "stackcollapse.py"),
        (b"# To display the perf.data header info\n#\n# Total Lost Samples: 0\n#\n", "perf script -i perf.data >"),
        (b"\n Performance counter stats for 'ls':\n", "hyperfine --export-json"),
        (b"-----\nProfile data file 'callgrind.out.1'\n", "use the file"),
        (b'{\n    "alloc_samples": 3,\n "elapsed_time_sec": 1}', "py-spy record"),
        (
            b"Sat Nov 28 19:00:00 2026    a.pstats\n\n   12 function calls (9 primitive calls) in 0.1 seconds\n",
            "cProfile",
        ),
        (b"\x80\x04\x95" + b"\1" * 90, "cProfile"),
        (b"\n  _     ._   __/__   _ _  _  _ _/_   Recorded: 19:00\n", "pyinstrument -r json"),
        (b'{"session": {"frame_records": [], "sample_count": 1}}', "pyinstrument --load 'a b' -r json"),
        (b"CMDLINE python a.py\nMEM 1.2 3.4\n", "memray run"),
        (b"===== test session starts =====\ncollected 1 item\n", "pytest --junitxml"),
        (b"JAVA PROFILE 1.0.2\0" + b"\1" * 90, "StartFlightRecording"),
        (b"jdk.ExecutionSample {\n  startTime = 1\n}\n", "jfr print --json"),
        (b"# JMH version: 1.37\n# VM version: JDK 25\n", "-rf json"),
        (b"Benchmark        (n)  Mode  Cnt  Score   Error  Units\n", "-rf json"),
        (b"```\n\nBenchmarkDotNet v0.15.0, Linux\n", "--exporters json"),
        (b"2026-11-28T19:00:00\nRunning ./a\n-----\nBenchmark   Time   CPU Iterations\n-----\n", "out_format=json"),
        (b"Benchmark 1: ls\n  Time (mean): 1 ms\n", "hyperfine --export-json"),
        (b"fib                     time:   [1.1 ns 1.2 ns 1.3 ns]\n", "--output-format bencher"),
        (b'{"mean":{},"median":{},"median_abs_dev":{},"slope":null,"std_dev":{}}', "new/sample.json"),
        ("Timer precision: 29 ns\ndiv   fastest       │ slowest\n".encode(), "perf record -g -o a.data PROGRAM"),
        (b"work::loops::work long:(6000)\n  Instructions:       48012|N/A\n", "--save-summary=json"),
        (b'{"results": [{"title": "a", "median(elapsed)": 1}]}', "perf record -g -o a.data PROGRAM"),
        (b"\n|   ns/op |  op/s | err% | total | benchmark\n", "perf record -g -o a.data PROGRAM"),
        (b'<?xml version="1.0"?>\n<Catch2TestRun name="a">\n', "perf record -g -o a.data PROGRAM"),
        (b"\x7fELF\2\1\1" + b"\0" * 90, "perf record -g -o a.data ./'a b'"),
    ],
)
def test_unread_formats_are_refused_with_advice(data: bytes, message: str) -> None:
    with pytest.raises(UnknownFormat) as caught:
        read_profile(source_of("a b", data))
    assert message in str(caught.value)


def test_advice_for_a_packed_file_names_the_unpacked_one() -> None:
    with pytest.raises(UnknownFormat, match=r"run: gunzip a\.data\.gz; perf script -i a\.data >"):
        read_profile(source_of("a.data.gz", gzip.compress(b"PERFILE2" + b"\0" * 90)))
    with pytest.raises(UnknownFormat, match=r"gunzip '\{x\}\.gz'; tar -xf '\{x\}'"):
        read_profile(source_of("{x}.gz", gzip.compress(b"\0" * 257 + b"ustar")))


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
