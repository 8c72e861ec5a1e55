"""Profile formats that are not supported, with the commands that convert them."""

import re
import shlex

from profgate.model.record import Record
from profgate.model.source import JFR_EVENTS, SourceFile
from profgate.readers.json_text import ends_hold

_STACKS = "record stacks with: perf record -g -o a.data PROGRAM; perf script -i a.data > a.perf.txt"
_JFR_PRINT = f"jfr print --json --stack-depth 1024 --events {','.join(JFR_EVENTS)} {{name}} > a.jfr.json"
_JFR = "record with: java -XX:StartFlightRecording=filename=a.jfr,settings=profile -jar PROGRAM"
_ASYNC = "record with: asprof -o collapsed -f a.folded PID"
_CPROFILE = "record with: python -m cProfile -o a.pstats SCRIPT"
_GO_TEST = "run: go test -json -count=1 ./... > a.json"
_XDEBUG = "record with: php -d xdebug.mode=profile -d xdebug.output_dir=. SCRIPT"
_JMH = "run: java -jar benchmarks.jar -rf json -rff a.json"
_HYPERFINE = "run: hyperfine --export-json a.json CMD"


class Foreign(Record):
    """Unsupported format, and advice with a command in which ``{name}`` is the file name.

    ``looks`` is a pattern that matches the first bytes, or the keys of a JSON document.
    """

    what: str
    looks: bytes | tuple[str, ...]
    advice: str


FOREIGN = (
    Foreign("a perf.data recording", rb"PERFILE2|PERFFILE", "run: perf script -i {name} > a.perf.txt"),
    Foreign(
        "a Java Flight Recording",
        rb"FLR\0",
        f"install a JDK, or run: {_JFR_PRINT}",
    ),
    Foreign(
        "a memray recording",
        rb"memray|\x04\x22\x4d\x18.{0,54}memray",  # an LZ4 file has "memray" in its first block
        "install the version of memray that recorded it, or run:"
        " memray transform speedscope -o a.speedscope.json {name}",
    ),
    Foreign(
        "a table of memray",
        rb"allocator,num_allocations,size,",
        "run: memray transform speedscope -o a.speedscope.json RECORDING",
    ),
    Foreign(
        "a call graph of memray",
        ("version", "costs", "functions", "events"),
        "run: memray transform speedscope -o a.speedscope.json RECORDING",
    ),
    Foreign("a .NET trace", rb"Nettrace", "run: dotnet-trace convert --format Speedscope {name}"),
    Foreign("gprof data", rb"gmon", f"it contains no call paths; {_STACKS}"),
    Foreign("a report of gprof", rb"(?:Flat profile|\s*Call graph \(explanation follows\)):?\s", _STACKS),
    Foreign("an Austin recording", rb"MOJ", "run: mojo2austin {name} a.austin"),
    Foreign("a stackprof dump", rb"\x04\x08", "run: stackprof --stackcollapse {name} > a.folded"),
    Foreign(
        "JSON of stackprof",
        ("gc_samples", "missed_samples", "frames"),
        "run on the dump: stackprof --stackcollapse DUMP > a.folded",
    ),
    Foreign("a zip archive", rb"PK\x03\x04", "run: unzip {name}"),
    Foreign("an LZ4 file", rb"\x04\x22\x4d\x18", "run: lz4 -dc {name} > unpacked"),
    Foreign("a bzip2 file", rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)", "run: bunzip2 {name}"),
    Foreign("an xz file", rb"\xfd7zXZ\0", "run: unxz {name}"),
    Foreign("a 7z archive", rb"7z\xbc\xaf\x27\x1c", "run: 7z x {name}"),
    Foreign("a tar archive", rb".{257}ustar", "run: tar -xf {name}"),
    Foreign("a picture of a profile", rb"\s*(?=<).*?<svg", "use the folded file from which it was drawn"),
    Foreign("a page of async-profiler", rb"(?i)\s*<(?:!doctype html|html)\b.*?async-profiler", _ASYNC),
    Foreign("a web page", rb"(?i)\s*<(?:!doctype html|html)\b", "use the profile from which it was made"),
    Foreign("text of async-profiler", rb"(?:Started [^\n]*\n)?--- Execution profile ---", _ASYNC),
    Foreign("heaptrack data", rb"v [0-9a-f]+(?: [0-9a-f]+)?\n", "run: heaptrack_print -f {name} -F a.folded"),
    Foreign(
        "output of Massif",
        rb"desc: [^\n]*\ncmd: [^\n]*\ntime_unit: ",
        "record with: valgrind --tool=dhat --dhat-out-file=a.dhat.json CMD",
    ),
    Foreign(
        "a heap snapshot of V8",
        rb'\s*\{\s*"snapshot"\s*:\s*\{\s*"meta"',
        "record with: node --heap-prof SCRIPT",
    ),
    Foreign(
        "a log of node --prof",
        rb"v8-version,|Statistical profiling result from ",
        "record with: node --cpu-prof SCRIPT",
    ),
    Foreign(
        "code coverage of V8",
        rb'\s*\{\s*"result"\s*:\s*\[\s*\{\s*"scriptId"',
        "record with: node --cpu-prof SCRIPT",
    ),
    Foreign(
        "text of Vitest",
        rb"(?:Benchmarking is [^\n]*\n[^\n]*\n)?(?:\s|\x1b\[\d{1,3}m)*+RUN(?:\s|\x1b\[\d{1,3}m)++v[1-4]\.",
        "run: vitest bench --run --outputJson a.json",
    ),
    Foreign(
        "text of Vitest",
        rb"(?:\s|\x1b\[\d{1,3}m)*+RUN(?:\s|\x1b\[\d{1,3}m)++v\d",
        "run: vitest bench --run --reporter=json --outputFile=a.json",
    ),
    Foreign("text of mitata", rb"clk: ~", "call run({{ format: {{ json: {{}} }} }}) and run: node bench.mjs > a.json"),
    Foreign(
        "a table of tinybench",
        rb'\[\s*\{\s*"Task name"|.{0,2000}?\xe2\x94\x82 Task name ',
        "print the JSON of bench.tasks.map(({{ name, result }}) => ({{ name, result }}))",
    ),
    Foreign("output of Benchmark.js", rb".*? x [\d,.]+ ops/sec \xc2\xb1", "record with: node --cpu-prof SCRIPT"),
    Foreign(
        "test results in TAP",
        rb"TAP version \d",
        "run: node --test --test-reporter=junit --test-reporter-destination=a.xml",
    ),
    Foreign(
        "a CPU profile of gperftools",
        rb"\0{8}\x03\0{15}|\0{4}\x03\0{7}",  # the numbers 0, 3 and 0, each in eight or four bytes
        "run: go tool pprof -proto -output a.pb.gz PROGRAM {name}",
    ),
    Foreign(
        "text of Go's net/http/pprof",
        rb"(?:goroutine|threadcreate) profile: total |--- (?:contention|mutex):|heap profile: [^\n]*@ heap/",
        "fetch it without debug=1: curl -o a.pb.gz http://HOST/debug/pprof/NAME",
    ),
    Foreign("a trace of Go", rb"go 1\.\d+ trace\0", "run: go tool trace -pprof=sched {name} > a.pb.gz"),
    Foreign("text of go test", rb"(?:=== RUN |--- (?:PASS|FAIL): |ok  \t|\?   \t|FAIL\t)", _GO_TEST),
    Foreign("a heap profile of tcmalloc", rb"heap profile: ", "run: pprof --collapsed PROGRAM {name} > a.folded"),
    Foreign("a heap profile of jemalloc", rb"heap_v2/", "run: jeprof --collapsed PROGRAM {name} > a.folded"),
    Foreign(
        "a raw recording of rbspy", rb"rbspy", "run: rbspy report --format collapsed --input {name} --output a.folded"
    ),
    Foreign(
        "the symbols of a profile of samply",
        ("string_table", "known_addresses"),
        "keep it in the folder of the profile, as a.syms.json beside a.json",
    ),
    Foreign("a trace of phpspy", rb"0 \S+ [^\s:]+:-?\d+\n(?:1 |# )", "run: stackcollapse-phpspy.pl {name} > a.folded"),
    Foreign("a trace of Xdebug", rb"Version: [^\n]*\nFile format: |TRACE START \[", _XDEBUG),
    Foreign(
        "a profile of XHProf",
        rb'\s*\{\s*"[^"\n]*==>|a:\d+:\{s:\d+:"[^"\n]*==>',
        _XDEBUG,
    ),
    Foreign(
        "a profile of GHC",
        rb"[^\n]*Time and Allocation Profiling Report",
        "run: inferno-collapse-ghcprof {name} > a.folded",
    ),
    Foreign(
        "JSON of GHC", ("cost_centres", "total_ticks"), "run: PROGRAM +RTS -P; inferno-collapse-ghcprof PROGRAM.prof"
    ),
    Foreign("an event log of GHC", rb"hdrb", "run: PROGRAM +RTS -P; inferno-collapse-ghcprof PROGRAM.prof"),
    Foreign("output of sample on macOS", rb"Analysis of sampling ", "run: inferno-collapse-sample {name} > a.folded"),
    Foreign(
        "an export of Instruments",
        rb"\s*(?=<).*?<trace-query-result",
        "run: inferno-collapse-xctrace {name} > a.folded",
    ),
    Foreign(
        "output of bpftrace",
        rb"(?:Attaching \d+ probes?\.\.\.\s*+)?@\w*\[",
        "run: stackcollapse-bpftrace.pl {name} > a.folded",
    ),
    Foreign("profiles of OpenTelemetry", ("resourceProfiles",), f"for a JVM, {_ASYNC}"),
    Foreign(
        "a report of simpleperf or a trace of Android",
        rb"SIMPLEPERF|\*version\n\d|SLOW.\0",
        "run on a recording of simpleperf: stackcollapse.py -i perf.data > a.folded",
    ),
    Foreign(
        "a report of perf",
        rb"(?:#[^\n]*\n|\n)*?# (?:Samples|Total Lost Samples): ",
        "run: perf script -i perf.data > a.perf.txt",
    ),
    Foreign("output of perf stat", rb"\s*Performance counter stats for ", _HYPERFINE),
    Foreign("a report of callgrind_annotate", rb"-+\nProfile data file ", "use the file that it describes"),
    Foreign(
        "JSON of Scalene",
        rb'\s*\{\s*"alloc_samples"',
        "record with: py-spy record --format raw -o a.folded -- python SCRIPT",
    ),
    Foreign("a table of call statistics", rb"(?:\w[^\n]*\n)?\s*+\d++ function calls [^\n]*seconds", _CPROFILE),
    Foreign("a pickle of Python", rb"\x80[\x02-\x05][\x95\x8cc}\]]", _CPROFILE),
    Foreign(
        "JSON lines of Python's sampling profiler",
        rb'\s*\{(?=[^\n]*"sample_interval_usec")[^\n]*"run_id"',
        "record with: python -m profiling.sampling run --binary -o a.bin SCRIPT",
    ),
    Foreign(
        "text of pyinstrument",
        rb"\s*_     \._   __/__ ",
        "run: pyinstrument -r json -o a.json SCRIPT",
    ),
    Foreign(
        "a session of pyinstrument",
        ("frame_records", "sample_count"),
        "run: pyinstrument --load {name} -r json -o a.json",
    ),
    Foreign("a log of mprof", rb"CMDLINE [^\n]*\n", "record with: memray run -o a.bin SCRIPT"),
    Foreign("text of pytest", rb"=+ test session starts =+", "run: pytest --junitxml=a.xml"),
    Foreign("a heap dump of Java", rb"JAVA PROFILE 1\.0\.", _JFR),
    Foreign("text of jfr print", rb"jdk\.\w+ \{", f"run: {_JFR_PRINT.format(name='RECORDING')}"),
    Foreign("text of JMH", rb'# JMH version: |"Benchmark","Mode",|Benchmark +(?:\([^\n]*\) +)?Mode +Cnt ', _JMH),
    Foreign(
        "text of BenchmarkDotNet",
        rb"(?:// [^\n]*\n|```|\s)*+BenchmarkDotNet(?:=| v)",
        "run: dotnet run -c Release -- --exporters json",
    ),
    Foreign(
        "text of Google Benchmark",
        rb"name,iterations,real_time,|(?:[^\n]*\n)*?-+\nBenchmark +Time +CPU ",
        "run: PROGRAM --benchmark_out_format=json --benchmark_out=a.json",
    ),
    Foreign("text of hyperfine", rb"Benchmark #?\d+: |\| Command \| Mean |command,mean,stddev,", _HYPERFINE),
    Foreign(
        "text of Criterion",
        rb".*?\btime: +\[[\d.]+ ",
        "run: cargo bench -- --output-format bencher > a.txt",
    ),
    Foreign("a summary of Criterion", ("median_abs_dev", "std_dev"), "use the file new/sample.json in the same folder"),
    Foreign("text of Divan", rb".*?\bfastest +\xe2\x94\x82 slowest", _STACKS),
    Foreign("text of Gungraun", rb".*?\n  Instructions: +[\d,]+\|", "run: cargo bench -- --save-summary=json"),
    Foreign("JSON of nanobench", ("results", "median(elapsed)"), _STACKS),
    Foreign("text of nanobench", rb"\s*\|(?: +relative \|)? +ns/", _STACKS),
    Foreign(
        "output of Catch2",
        rb"(?:<\?xml[^\n]*>\s*)?<Catch2?TestRun|.*?benchmark name +samples +iterations ",
        _STACKS,
    ),
    Foreign("a program", rb"\x7fELF|MZ.{0,60}\0", _STACKS.replace("PROGRAM", "./{name}")),
    Foreign(
        "a part of a .trace folder of Instruments",
        rb"bplist00|\s*(?=<).*?<trace-toc",
        """run: xctrace export --input FOLDER.trace --xpath '/trace-toc/run/data/table[@schema="time-profile"]' """
        "> a.xml; inferno-collapse-xctrace a.xml > a.folded",
    ),
)


def advice_for(source: SourceFile) -> str | None:
    """Return what a file of an unsupported format is, and a command that converts or replaces it, or None."""
    found = next((foreign for foreign in FOREIGN if _fits(foreign.looks, source)), None)
    if found is None and ".trace/" in source.name and b"\0" in source.head:
        found = FOREIGN[-1]
    if found is None:
        return None
    name = source.name.removesuffix(".gz")
    advice = found.advice.format(name=shlex.quote(name))
    if name != source.name and "{name}" in found.advice:
        advice = advice.replace("run: ", f"run: gunzip {shlex.quote(source.name)}; ", 1)
    return f"is {found.what}, which is not read; {advice}"


def _fits(looks: bytes | tuple[str, ...], source: SourceFile) -> bool:
    if isinstance(looks, bytes):
        return re.match(looks, source.head, re.DOTALL) is not None
    return source.head.lstrip().startswith((b"{", b"[")) and ends_hold(source, *(f'"{key}"'.encode() for key in looks))


def beginning_of(head: bytes) -> str:
    """Describe the first bytes of a file."""
    keys = re.findall(rb'"([\w$.-]{1,40})"\s*+:', head[:1000])
    if keys and head.lstrip().startswith((b"{", b"[")):
        return f"is JSON with the keys {', '.join(dict.fromkeys(key.decode() for key in keys[:5]))}"
    return f"begins with {head.strip()[:20].decode(errors='replace')!r}"
