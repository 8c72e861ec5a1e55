"""Files of each format that grow in proportion to a number: usual ones, and hostile ones.

A shape is a function from a number to bytes: at twice the number, the file is about twice as large, and reading it may
take twice the time and memory. The hostile shapes once took quadratic time or memory.
"""

import gzip
import json
import marshal
import struct
from collections.abc import Callable, Iterable
from itertools import count, islice
from typing import Any

from backports import zstd

from fuzz.mutation import varint
from fuzz.other_entry_points import artifact
from smallest_files import SCHEMA

Shape = Callable[[int], bytes]
PRIME = (1 << 61) - 1
"""Python's hash of an integer or decimal number is its remainder modulo this prime, so its multiples collide."""


def dumped(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def json_lines(values: Iterable[object]) -> bytes:
    return b"".join(dumped(value) + b"\n" for value in values)


def colliding(number: int) -> str:
    """A decimal number below 1 whose hash is that of 0."""
    return f"0.{(number + 1) * PRIME:040}"


def dhat(n: int, depth: int = 2) -> bytes:
    points = [{"tb": k, "tbk": 1, "fs": [(k + place) % n for place in range(depth)]} for k in range(n)]
    return dumped({"dhatFileVersion": 2, "pps": points, "ftbl": [f"0x{k:x}: f{k} (a.c:{k + 1})" for k in range(n)]})


def raw(text: str) -> str:
    """A place in a JSON document where `with_raw` puts a text that is not encoded."""
    return f"<<{text}>>"


def with_raw(value: object) -> bytes:
    return dumped(value).replace(b'"<<', b"").replace(b'>>"', b"")


def part(number: int, content: int | bytes) -> bytes:
    """A field of protobuf."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def pprof(
    texts: Iterable[str],
    functions: Iterable[tuple[int, int]],
    locations: Iterable[tuple[int, int, Iterable[tuple[int, int]]]],
    samples: Iterable[tuple[Iterable[int], Iterable[int]]],
) -> bytes:
    """Functions as (id, text), locations as (id, mapping, lines), samples as (locations, values)."""
    return b"".join(
        [
            part(1, part(1, 1) + part(2, 2)),
            *(part(6, text.encode()) for text in ["", "samples", "count", *texts]),
            *(part(5, part(1, own) + part(2, text)) for own, text in functions),
            *(
                part(
                    4,
                    part(1, own)
                    + part(2, mapping)
                    + b"".join(part(4, part(1, of) + part(2, line)) for of, line in lines),
                )
                for own, mapping, lines in locations
            ),
            *(
                part(2, part(1, b"".join(map(varint, path))) + part(2, b"".join(map(varint, values))))
                for path, values in samples
            ),
        ]
    )


def many_stacks(n: int) -> bytes:
    numbers = range(1, n + 1)
    return pprof(
        (f"f{number}" for number in numbers),
        ((number, number + 2) for number in numbers),
        ((number, 1, [(number, number)]) for number in numbers),
        (((n - k, k + 1), [1]) for k in range(n - 1)),
    )


def inlined_pprof(n: int) -> bytes:
    """As many samples as inlined calls, all of one location."""
    lines = [(1, line + 1) for line in range(min(n, 60_000))]
    return pprof(["f"], [(1, 3)], [(1, 0, lines)], [([1], [1])] * n)


def tuple_hash(first: int, wanted: int) -> int:
    """The second number of a pair of numbers whose hash is ``wanted``, by the inverse of Python's hash of tuples."""
    one, two, five, bits = 11400714785074694791, 14029467366897019727, 2870177450012600261, (1 << 64) - 1
    state = (five + first * two) & bits
    state = ((state << 31 | state >> 33) * one) & bits
    end = (wanted - (2 ^ five ^ 3527539)) & bits
    end = end * pow(one, -1, 1 << 64) & bits
    end = (end >> 31 | end << 33) & bits
    return (end - state) * pow(two, -1, 1 << 64) & bits


def colliding_pprof(n: int) -> bytes:
    """Locations whose functions and mappings have the same hash as pairs."""
    found = ((function, tuple_hash(function, 12345)) for function in count(1))
    pairs = list(islice((pair for pair in found if pair[1] < PRIME), n))
    return pprof(
        ["f"],
        ((function, 3) for function, _ in pairs),
        ((place, mapping, [(function, 1)]) for place, (function, mapping) in enumerate(pairs, 1)),
        (([place + 1], [1]) for place in range(n)),
    )


def speedscope(*profiles: dict[str, Any]) -> bytes:
    shared = {"frames": [{"name": f"f{number}"} for number in range(9)]}
    return with_raw({"$schema": SCHEMA, "shared": shared, "profiles": list(profiles)})


def sampled(samples: list[list[int]], weights: list[Any]) -> dict[str, Any]:
    times = {"startValue": 0, "endValue": len(samples)}
    return {"type": "sampled", "name": "t", "unit": "milliseconds", **times, "samples": samples, "weights": weights}


def many_profiles(n: int) -> bytes:
    """As many profiles of a sample as there are samples in one more profile."""
    alone = [sampled([[k % 9]], [1]) for k in range(n // 4)]
    return speedscope(*alone, sampled([[k % 9, k % 7] for k in range(n)], [1] * n))


def cpuprofile(nodes: list[dict[str, Any]], samples: list[Any], deltas: list[Any]) -> bytes:
    return with_raw({"nodes": nodes, "startTime": 0, "endTime": 1e6, "samples": samples, "timeDeltas": deltas})


def node(own: int) -> dict[str, Any]:
    call = {"functionName": "f", "url": "a.js", "lineNumber": 1, "columnNumber": 1}
    return {"id": own, "callFrame": call}


def heapprofile(n: int) -> bytes:
    nodes = [{**node(k * PRIME), "selfSize": 1, "children": []} for k in range(1, n)]
    head = {**node(0), "selfSize": 0, "children": nodes}
    return dumped({"head": head, "samples": [{"ordinal": k} for k in range(n)]})


def chunks(n: int) -> bytes:
    """As many profiles as samples, each of which was interrupted by the garbage collector."""
    collector = {"id": 2, "callFrame": {"functionName": "(garbage collector)"}}
    data = {"cpuProfile": {"nodes": [node(1), collector], "samples": [1, 2]}, "timeDeltas": [1, 1]}
    return dumped(
        {"traceEvents": [{"ph": "P", "name": "ProfileChunk", "pid": k, "args": {"data": data}} for k in range(n // 2)]}
    )


def stack_frames(n: int) -> bytes:
    frames = {str(k): {"name": "f(" * 9 + f"a:{k}:1)"} for k in range(n)}
    return dumped({"traceEvents": [], "stackFrames": frames, "samples": [{"sf": k} for k in range(n)]})


def symbols(n: int) -> dict[str, Any]:
    part: dict[str, Any] = {"debug_name": "a", "symbol_table": [{"symbol": 0, "frames": [{"file": 0}] * 9}] * n}
    return {"string_table": ["f"], "data": [{**part, "known_addresses": [[k * PRIME % 2**62, 0] for k in range(n)]}]}


def gecko(n: int) -> bytes:
    """Chains of 10,000 stacks."""
    stacks = [[k - 1 if k % 10_000 else None, k % 2] for k in range(n)]
    thread = {
        "stringTable": ["a", "b"],
        "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[0, 1], [1, 1]]},
        "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": stacks},
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[k, k] for k in range(n)]},
    }
    return dumped({"meta": {"version": 30, "stackwalk": 1}, "threads": [thread]})


def firefox(threads: list[Any], **more: object) -> bytes:
    return dumped({"meta": {"preprocessedProfileVersion": 58}, "threads": threads, **more})


def tables(stacks: int, names: list[str]) -> dict[str, Any]:
    return {
        "stackTable": {"prefix": [None] * stacks, "frame": [k % len(names) for k in range(stacks)]},
        "frameTable": {"func": list(range(len(names)))},
        "funcTable": {"name": list(range(len(names)))},
        "resourceTable": {},
        "stringArray": names,
    }


def pstats(n: int) -> bytes:
    keys = [(f"m{k % 99}.py", k, f"f{k}") for k in range(n)]
    callers = [{}, *({above: (1, 1, 0.1, 0.1)} for above in keys)]
    return marshal.dumps({key: (1, 1, 0.1, 0.2, above) for key, above in zip(keys, callers, strict=False)})


def python_sampling(n: int) -> bytes:
    """Samples with whole stacks of two frames."""
    texts, frames = [b"a.py", b"f", b"g"], 99
    record = struct.pack("<QI", 1, 0) + b"\1" + varint(1) + b"\0" + varint(2)
    records = b"".join(record + varint(k % 99) + varint(k % 7) for k in range(n))
    table = b"".join(varint(len(text)) + text for text in texts)
    listed = b"".join(varint(0) + varint(k % len(texts)) + varint(2 * k) + bytes(3) + b"\0" for k in range(frames))
    at = 64 + len(records)
    head = struct.pack("<4sI3BxQQQIQQII", b"HCAT", 1, 3, 15, 2, 0, 1000, n, 1, at, at + len(table), 0, 0)
    body = head + records + table + listed
    return body + struct.pack("<IIQ16x", len(texts), frames, len(body) + 32)


def pyinstrument(n: int) -> bytes:
    children = [{"function": f"f{k}", "time": 0.001, "children": []} for k in range(n)]
    call = {"function": "f", "file_path": "a.py", "line_no": 1, "time": 1.5, "children": children}
    return dumped({"sample_count": 1, "root_frame": call})


def trace_events(n: int) -> bytes:
    events = [{"ph": "X", "ts": k, "dur": 0.5, "pid": 1, "tid": 1, "name": f"f{k % 999}"} for k in range(n)]
    return dumped({"traceEvents": events})


def perun(resources: list[Any], models: Iterable[Any] = ()) -> bytes:
    return dumped(
        {
            "header": {"type": "mixed", "units": {"mixed": "ms"}},
            "collector_info": {"name": "complexity"},
            "global": {"resources": resources, "models": list(models)},
        }
    )


def perun_compact(types: dict[str, Any], columns: dict[str, Any]) -> bytes:
    return dumped(
        {
            "header": {"type": "mixed", "units": {"mixed": "ms"}},
            "collector_info": {"name": "complexity"},
            "resource_type_map": {"a#1": types},
            "resources": {"a#1": columns},
        }
    )


REGRESSOGRAM = {"uid": "f", "model": "regressogram", "r_square": 1, "bucket_stats": [1, 2], "x_start": 0, "x_end": 9}


def perf(samples: Iterable[tuple[str, Iterable[str]]]) -> bytes:
    return "".join(
        f"shop 12 5.25: 9 {name}: \n" + "".join(f"\t5d {call} (/shop)\n" for call in calls) + "\n"
        for name, calls in samples
    ).encode()


def jfr(n: int) -> bytes:
    events = []
    for k in range(n):
        calls = [{"method": {"type": {"name": "a/B"}, "name": name}, "lineNumber": 3} for name in (f"f{k}", "main")]
        values = {"stackTrace": {"truncated": False, "frames": calls}}
        events.append({"type": "jdk.ExecutionSample", "values": values})
    return dumped({"recording": {"events": events}})


def asv(result: list[Any]) -> bytes:
    columns = ["result", "params"]
    return dumped({"commit_hash": "a", "result_columns": columns, "results": {"a.time_b": result}})


def named(n: int, **more: object) -> list[dict[str, Any]]:
    return [{"name": f"b{k}", **more} for k in range(n)]


def lines(first: str, line: str, n: int, last: str = "") -> bytes:
    """Lines that differ in a number."""
    return (first + "".join(line.format(k) + "\n" for k in range(n)) + last).encode()


GROWING: dict[str, dict[str, Shape]] = {
    "pprof": {"many stacks": many_stacks, "inlined calls": inlined_pprof, "colliding ids": colliding_pprof},
    "speedscope": {
        "many samples": lambda n: speedscope(sampled([[k % 9, k % 7, k % 5] for k in range(n)], [1.5] * n)),
        "many profiles": many_profiles,
        "colliding weights": lambda n: speedscope(sampled([[0]] * n, [raw(colliding(k)) for k in range(n)])),
    },
    "cpuprofile": {
        "many samples": lambda n: cpuprofile([node(1)], [1] * n, [k % 99 for k in range(n)]),
        "colliding ids": lambda n: cpuprofile(
            [node(k * PRIME) for k in range(n)], [k * PRIME for k in range(n)], [1] * n
        ),
        "colliding times": lambda n: cpuprofile([node(1)], [1] * n, [raw(colliding(k)) for k in range(n)]),
    },
    "heapprofile": {"many nodes": heapprofile},
    "firefox": {
        "symbols beside": lambda n: firefox([], libs=[{"debugName": "a"}], profgateSymbols=symbols(n)),
        "threads of shared tables": lambda n: firefox(
            [{"samples": {"stack": [k], "time": [k]}} for k in range(n)],
            shared=tables(n, [f"f{k}" for k in range(n)]),
        ),
        "shared names": lambda n: firefox(
            [
                {"stackTable": {"prefix": [None], "frame": [k]}, "samples": {"stack": [0], "time": [k]}}
                for k in range(n)
            ],
            shared=tables(1, [f"f{k}" for k in range(n)]),
        ),
        "colliding weights": lambda n: firefox(
            [{**tables(1, ["f"]), "samples": {"stack": [0] * n, "weight": [(k + 1) * PRIME for k in range(n)]}}]
        ),
    },
    "gecko": {"deep stacks": gecko},
    "pstats": {"chain": pstats},
    "python-sampling": {"many stacks": python_sampling},
    "pyinstrument": {"wide tree": pyinstrument},
    "dhat": {"many stacks": dhat, "deep stacks": lambda n: dhat(n, 100)},
    "trace-events": {
        "many processes": lambda n: dumped([{"ph": "X", "ts": k, "dur": 5, "pid": k, "name": "f"} for k in range(n)]),
        "many calls": trace_events,
        "many profiles": chunks,
        "many frames": stack_frames,
    },
    "perun": {
        "many records": lambda n: perun([{"uid": f"f{k}", "amount": k, "structure-unit-size": k} for k in range(n)]),
        "many models": lambda n: perun(
            [{"uid": "f", "amount": k, "structure-unit-size": k} for k in range(n)], [REGRESSOGRAM] * n
        ),
        "many fields of a type": lambda n: perun_compact(
            {"uid": "f", **{f"k{k}": 1 for k in range(n)}}, {"amount": [1] * n, "order": [1] * n}
        ),
        "many parts of a uid": lambda n: perun_compact({"uid": {f"k{k}": 1 for k in range(n)}}, {"amount": [1] * n}),
        "trace of a type": lambda n: perun_compact({"uid": "f", "trace": ["g"] * min(n, 60_000)}, {"amount": [1] * n}),
    },
    "perf": {
        "many stacks": lambda n: perf(("cycles", [f"f{k}", "g", "main"]) for k in range(n)),
        "many events": lambda n: perf((f"event{k}", [f"f{k}"]) for k in range(n)),
    },
    "callgrind": {
        "chain of calls": lambda n: lines("events: Ir\n", "fn=f{0}\n1 1\ncfn=g{0}\ncalls=1 1\n1 9", n),
    },
    "austin": {"many stacks": lambda n: lines("# austin: 3.7.0\n", "P1;T{0};a.py:f{0}:{0};b.py:g:2 9", n)},
    "jfr": {"many stacks": jfr},
    "go-benchmark": {"many benchmarks": lambda n: lines("", "BenchmarkA{0}-8 \t 1\t 2 ns/op", n)},
    "go-test": {
        "many tests": lambda n: json_lines(
            {"Action": "pass", "Package": "p", "Test": f"T{k}", "Elapsed": 0.1} for k in range(n)
        ),
        "slashes": lambda n: dumped({"Action": "pass", "Package": "p", "Test": "T" + "/" * n, "Elapsed": 0.1}),
    },
    "junit": {"many tests": lambda n: lines("<testsuite>", '<testcase name="t{0}" time="1"/>', n, "</testsuite>")},
    "pyperf": {
        "many benchmarks": lambda n: dumped(
            {
                "benchmarks": [{"runs": [{"values": [1.5]}], "metadata": {"name": f"b{k}"}} for k in range(n)],
                "metadata": {"perf_version": "2"},
            }
        ),
    },
    "asv": {
        "many results": lambda n: asv([[1.0] * n, [[str(k) for k in range(n)]]]),
        "combinations without results": lambda n: asv([None, [["1"] * n, ["2"] * n]]),
    },
    "mitata": {
        "many groups": lambda n: dumped(
            {"layout": named(n), "benchmarks": [{"group": k, "runs": named(1, stats={"avg": 1})} for k in range(n)]}
        ),
    },
    "folded": {
        "many stacks": lambda n: lines("", "main;f{0};g 1", n),
        "saw": lambda n: (b"a;" * 1000 + b"b 1\nc 1\n") * (n // 1000 + 1),
    },
    "containers": {
        "members of gzip": lambda n: gzip.compress(b"main 1\n", mtime=0) + gzip.compress(b"", mtime=0) * n,
        "frames of zstandard": lambda n: zstd.compress(b"main 1\n") + zstd.compress(b"") * n,
    },
    "source-map": {
        "many segments": lambda n: dumped({"version": 3, "sources": ["a.ts"], "names": [], "mappings": "EAAAA," * n}),
    },
    "artifact": {
        "many files": lambda n: artifact(*((f"cpu/{k}.folded", b"main 1\n") for k in range(min(n, 1 << 13)))),
    },
    "diff": {"many hunks": lambda n: b"--- a/a.py\n+++ b/a.py\n" + b"@@ -1 +1 @@\n-a\n+b\n" * n},
    "lock": {"packages of uv": lambda n: lines("uv.lock\n", '[[package]]\nname = "a{0}"\nversion = "1"', n)},
}
