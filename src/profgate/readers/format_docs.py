"""What ``profgate formats`` shows of each format: how it is recognised and recorded, and what proved its reader."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """``looks``: what distinguishes the format; ``record``: a command that writes it; ``proven``: tools and versions.

    An empty ``proven`` means: read by its documentation, not yet against a file that the tool wrote.
    """

    looks: str
    record: str
    proven: str = ""


FORMAT_DOCS: Mapping[str, Entry] = {
    "pprof": Entry(
        "protobuf that decodes to its end",
        "go test -bench . -cpuprofile cpu.pb.gz",
        "Go 1.19.8, Datadog's pprof for Node 5.20",
    ),
    "speedscope": Entry(
        "its schema's address", "py-spy record --format speedscope -o a.json -- CMD", "py-spy 0.4.3, memray 1.20"
    ),
    "cpuprofile": Entry(
        "JSON with nodes, samples and timeDeltas", "node --cpu-prof --cpu-prof-dir=profiles bench.js", "Node 20.20"
    ),
    "firefox": Entry(
        "JSON with preprocessedProfileVersion",
        "samply record --save-only --presymbolicate -o a.json CMD",
        "profiling.sampling --gecko of Python 3.15.2",
    ),
    "gecko": Entry(
        "JSON with the meta, threads and tables of Firefox's profiler, not yet processed",
        "MOZ_PROFILER_STARTUP=1 MOZ_PROFILER_SHUTDOWN=a.json firefox URL",
    ),
    "pstats": Entry(
        "Python's marshal of a dictionary", "python -m cProfile -o a.pstats bench.py", "Python 3.11, 3.15.2"
    ),
    "python-sampling": Entry(
        "the number 0x54414348 (TACH) in either byte order",
        "python -m profiling.sampling run --binary -o a.bin bench.py",
        "Python 3.15.2",
    ),
    "python-sampling-jsonl": Entry(
        "lines of JSON, the first with sample_interval_usec and run_id",
        "python -m profiling.sampling run --jsonl -o a.jsonl bench.py",
        "Python 3.15.2",
    ),
    "pyinstrument": Entry(
        "JSON with root_frame and sample_count", "pyinstrument -r json -o a.json bench.py", "pyinstrument 5.1.3"
    ),
    "trace-events": Entry(
        "JSON of events with ph, or traceEvents", "viztracer -o a.json bench.py", "VizTracer 1.1.1, Node 20.20"
    ),
    "perun": Entry(
        "JSON with a header and collector_info, or its packed form",
        "perun collect",
        "compared with what Perun prints of the same profiles",
    ),
    "perf": Entry("header lines with frames below them", "perf record -g CMD; perf script > a.perf.txt", "perf 6.1"),
    "callgrind": Entry(
        "'# callgrind format', or events: with fn=",
        "valgrind --tool=callgrind --callgrind-out-file=callgrind.out CMD",
        "Valgrind 3.19, Xdebug 3.2.0",
    ),
    "austin": Entry("a first line '# austin:'", "austin -i 5000 -o a.austin python bench.py", "Austin 3.7.0"),
    "jfr": Entry(
        "JSON with a recording's events",
        "java -XX:StartFlightRecording=filename=a.jfr,settings=profile -jar bench.jar",
        "JDK 17.0.15",
    ),
    "pytest-durations": Entry("pytest's heading 'slowest durations'", "pytest --durations=0 -vv > a.txt", "pytest 9.2"),
    "pytest-report-log": Entry(
        "lines of JSON with $report_type", "pytest --report-log=a.jsonl", "pytest-reportlog 1.0"
    ),
    "go-test": Entry("lines of JSON with Action and Package", "go test -json -count=1 ./... > a.json", "Go 1.19.8"),
    "durations": Entry("its schema", "profgate ranks record", "profgate"),
    "hyperfine": Entry("JSON with results of commands", "hyperfine --export-json a.json CMD", "hyperfine 1.15"),
    "pytest-benchmark": Entry(
        "JSON with machine_info and benchmarks", "pytest --benchmark-json=a.json", "pytest-benchmark 5.3.1"
    ),
    "pyperf": Entry("JSON with benchmarks and perf_version", "python bench.py -o a.json", "pyperf 2.10"),
    "go-benchmark": Entry(
        "lines 'BenchmarkX 100 12 ns/op'", "go test -run '^$' -bench . -count 10 ./... > a.txt", "Go 1.19.8"
    ),
    "google-benchmark": Entry(
        "JSON with context and library_build_type",
        "./bench --benchmark_repetitions=10 --benchmark_out_format=json --benchmark_out=a.json",
        "Google Benchmark 1.7.1",
    ),
    "criterion": Entry(
        "JSON with sampling_mode, iters and times, or messages of cargo criterion",
        "cargo bench; then give target/criterion/**/new/sample.json",
        "Criterion 0.3.6",
    ),
    "libtest": Entry(
        "lines 'test x ... bench: 12 ns/iter'", "cargo bench -- --output-format bencher > a.txt", "Criterion 0.3.6"
    ),
    "jmh": Entry("a JSON array with jmhVersion", "java -jar benchmarks.jar -rf json -rff a.json"),
    "benchmarkdotnet": Entry(
        "JSON with HostEnvironmentInfo and Benchmarks", "dotnet run -c Release -- --exporters json"
    ),
    "custom-results": Entry("a JSON array of objects with name, unit and value", "whatever writes it"),
    "junit": Entry("XML with testsuite for a root", "pytest --junitxml=a.xml", "pytest 9.2"),
    "folded": Entry(
        "nine of ten lines read 'frame;frame number', with lines as py-spy, rbspy, phpspy or Python 3.15 write them;"
        " asked last",
        "py-spy record --format raw -o a.folded -- CMD",
        "py-spy 0.4.3, Python 3.15.2",
    ),
}
