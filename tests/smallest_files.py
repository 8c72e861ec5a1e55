"""The least file of each format, and a fuller one where none is recorded."""

import json
import marshal
import struct
from typing import Any

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
SMALLEST = {
    "pprof": b"\x0a\x00\x32\x00",
    "speedscope": json.dumps({"$schema": SCHEMA, "shared": {"frames": []}, "profiles": []}).encode(),
    "cpuprofile": b'{"nodes": [], "samples": [], "timeDeltas": []}',
    "heapprofile": b'{"head": {"callFrame": {}, "selfSize": 0, "id": 1}}',
    "firefox": b'{"meta": {"preprocessedProfileVersion": 58}, "threads": []}',
    "gecko": b'{"meta": {"version": 30, "stackwalk": 1}, "threads": []}',
    "pstats": marshal.dumps({}),
    "python-sampling": struct.pack("<4sI3BxQQQIQQII", b"HCAT", 1, 3, 15, 2, 0, 0, 0, 0, 64, 64, 0, 0)
    + struct.pack("<IIQ16x", 0, 0, 96),
    "pyinstrument": b'{"sample_count": 0, "root_frame": null}',
    "trace-events": b'{"traceEvents": []}',
    "perun": b'{"header": {}, "collector_info": {}, "global": {"resources": []}}',
    "perf": b"shop 12 5.25: 9 cycles:u: \n\t5d main (/shop)\n\n",
    "callgrind": b"events: Ir\nfn=main\n1 2\ntotals: 2\n",
    "austin": b"# austin: 3.7.0\n",
    "jfr": b'{"recording": {"events": []}}',
    "dhat": b'{"dhatFileVersion": 2, "bklt": true, "pps": [], "ftbl": []}',
    "asv": b'{"commit_hash": "a", "result_columns": ["result", "params"], "results": {"time_a": [[1], []]}}',
    "benchmarkdotnet": b'{"HostEnvironmentInfo": {}, "Benchmarks": []}',
    "codspeed": b'{"creator": {}, "instrument": {}, "benchmarks": [{"uri": "a", "stats": {"median_ns": 1}}]}',
    "criterion": b'{"sampling_mode": "Flat", "iters": [1], "times": [2]}',
    "custom-results": b'[{"name": "a", "unit": "ms", "value": 1}]',
    "go-benchmark": b"BenchmarkA \t 1\t 2 ns/op\n",
    "go-test": b'{"Action": "pass", "Package": "shop", "Test": "TestA", "Elapsed": 0.1}\n',
    "google-benchmark": b'{"context": {"library_build_type": "release"}, "benchmarks": []}',
    "gungraun": b'{"benchmark_exe": "a", "module_path": "a", "profiles": []}',
    "hyperfine": b'{"results": [{"command": "ls", "median": 0.5, "times": [0.5]}]}',
    "jmh": b'[{"jmhVersion": "1", "benchmark": "a", "primaryMetric": {"scoreUnit": "ns/op", "score": 1}}]',
    "junit": b'<testsuite><testcase name="a" time="1"/></testsuite>',
    "libtest": b"test a ... bench: 1 ns/iter (+/- 0)\n",
    "memray-stats": b'{"total_num_allocations": 1, "total_bytes_allocated": 2, "metadata": {"peak_memory": 2}}',
    "mitata": b'{"layout": [], "benchmarks": []}',
    "pyperf": b'{"benchmarks": [{"runs": [], "metadata": {"name": "a"}}], "metadata": {"perf_version": "2"}}',
    "pytest-benchmark": b'{"machine_info": {}, "benchmarks": []}',
    "pytest-durations": b"=== slowest durations ===\n0.50s call     tests/a.py::test_x\n",
    "pytest-report-log": b'{"nodeid": "a", "when": "call", "duration": 1, "$report_type": "TestReport"}',
    "tinybench": b'[{"name": "a", "result": {"latency": {"p50": 1}}}]',
    "vitest": b'{"numTotalTests": 0, "testResults": []}',
    "folded": b"main 1\n",
}

_TABLES: dict[str, dict[str, Any]] = {
    "stackTable": {"prefix": [None, 0, 1, 0], "frame": [0, 1, 2, 1]},
    "frameTable": {"func": [0, 1, 2], "line": [3, 9, None], "address": [1, 2, 3]},
    "funcTable": {"name": [0, 1, 2], "resource": [0, 0, -1], "lineNumber": [2, None, None]},
    "resourceTable": {"lib": [0], "name": [4], "type": [1]},
}
_TEXTS = ["main", "work", "0x1f3a", "shop.rs", "shop"]
_SAMPLES = {"stack": [2, 2, 1, None, 3], "time": [0, 1, 2, 3, 4], "weight": [1, 2, 3, 4, 5], "weightType": "tracing-ms"}
_OLD = {**_TABLES, "funcTable": {**_TABLES["funcTable"], "fileName": [3, None, None]}}
_NEW = {**_TABLES, "funcTable": {**_TABLES["funcTable"], "source": [0, None, None]}}


LIBRARY = {"name": "libshop.so", "debugName": "libshop.so", "breakpadId": "6E0FEAA50819FC85E64D8011AAF377940"}


def _firefox(**more: object) -> bytes:
    meta = {"preprocessedProfileVersion": 47, "product": "shop", "interval": 1}
    return json.dumps({"meta": meta, "libs": [LIBRARY], **more}).encode()


RICHER = {
    "trace-events": (
        b'{"traceEvents": [], "stackFrames": {"1": {"name": "f(a.js:1:1)"}}, "samples": [{"sf": 1}, {"sf": "1"}]}',
    ),
    "vitest": (
        b'{"files": [{"filepath": "a", "groups": [{"fullName": "g", "benchmarks": [{"name": "a", "median": 1}]}]}]}',
    ),
    "firefox": (
        _firefox(threads=[{"name": "t", "stringArray": _TEXTS, "samples": {**_SAMPLES, "weight": None}, **_OLD}]),
        _firefox(
            threads=[{"samples": _SAMPLES}],
            shared={"stringArray": _TEXTS, "sources": {"filename": [3], "uuid": [None]}, **_NEW},
        ),
        _firefox(
            threads=[{"samples": _SAMPLES}],
            shared={
                "stringArray": _TEXTS,
                **_TABLES,
                "stackTable": {"prefixOffset": [0, 1, 1, 3], "frame": [0, 1, 2, 1]},
            },
            profgateSymbols={
                "string_table": ["work", "work.rs"],
                "data": [
                    {
                        "debug_name": "libshop.so",
                        "debug_id": "6e0feaa5-0819-fc85-e64d-8011aaf37794",
                        "symbol_table": [{"rva": 1, "symbol": 0, "frames": [{"function": 0, "file": 1}]}],
                        "known_addresses": [[2, 0], [3, 0]],
                    }
                ],
            },
        ),
    ),
    "dhat": (
        b'{"dhatFileVersion": 2, "bklt": true, "ftbl": ["0x1: f (in /a)", "0x2: ???", "0x3: g (a.c:5)"], "pps": []}',
        b'{"dhatFileVersion": 2, "ftbl": ["0x1: f (a)"], "pps": [{"tb": 9, "tbk": 2, "gb": 4, "fs": [0]}]}',
    ),
    "folded": (
        b"# unit: ns\nmain;parse;read 10\nmain;parse 5.25\nmain;f(int, a b);[u8; 8];g 1e3\n;x 1\n",
        b"a;b 1\n" * 3 + b";".join([b"f"] * 300) + b" 3\r\n",
    ),
}
