"""Files of each format in hostile shapes, which grow in proportion to a number.

``GROWING`` has an entry for each reader, so a new reader needs one. A shape is a function from a number to bytes: at
twice the number, the file is about twice as large, and reading it may take twice the time and memory.
"""

import gzip
import json
import marshal
import struct
import zlib
from collections.abc import Callable, Iterable
from itertools import count, islice
from typing import Any

from backports import zstd

from fuzz.mutation import varint
from fuzz.other_entry_points import artifact
from growing_documents import DIFFS, HISTORIES, LOCKS, REPORTS
from smallest_files import SCHEMA
from source_map_samples import vlq

Shape = Callable[[int], bytes]
LONG_TOKEN = 1 << 22
"""Versions of expat before 2.6 scan a longer attribute or comment again for each further MiB."""
PRIME = (1 << 61) - 1
"""Python's hash of an integer or decimal number is its remainder modulo this prime, so its multiples collide."""


def dumped(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()


def json_lines(values: Iterable[object]) -> bytes:
    return b"".join(dumped(value) + b"\n" for value in values)


def colliding(number: int) -> str:
    """A decimal number below 1 whose hash is that of 0."""
    return f"0.{(number + 1) * PRIME:040}"


def raw(text: str) -> str:
    """A place in a JSON document where `with_raw` puts a text that is not encoded."""
    return f"<<{text}>>"


def with_raw(value: object) -> bytes:
    return dumped(value).replace(b'"<<', b"").replace(b'>>"', b"")


# --- pprof -----------------------------------------------------------------------------------------------------------


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
    types: int = 1,
    labels: int = 0,
) -> bytes:
    """Functions as (id, text), locations as (id, mapping, lines), samples as (locations, values)."""
    label = part(3, part(1, 1) + part(2, 1)) * labels
    return b"".join(
        [
            *(part(1, part(1, 1) + part(2, 2)) for _ in range(types)),
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
                part(2, part(1, b"".join(map(varint, path))) + part(2, b"".join(map(varint, values))) + label)
                for path, values in samples
            ),
        ]
    )


def plain_pprof(count: int, samples: Iterable[tuple[Iterable[int], Iterable[int]]], **more: int) -> bytes:
    """A function and a location for each number from 1 to ``count``."""
    numbers = range(1, count + 1)
    return pprof(
        (f"f{number}" for number in numbers),
        ((number, number + 2) for number in numbers),
        ((number, 1, [(number, number)]) for number in numbers),
        samples,
        **more,
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


PPROF: dict[str, Shape] = {
    "many stacks": lambda n: plain_pprof(n, (((n - k, k + 1), [1]) for k in range(n - 1))),
    "deep stacks": lambda n: plain_pprof(1000, ((range(1, 1001), [k + 1]) for k in range(n // 500))),
    "many values": lambda n: plain_pprof(
        9, (((1 + k % 9,), [1] * max(1, n // 64)) for k in range(64)), types=max(1, n // 64)
    ),
    "inlined calls": inlined_pprof,
    "labels": lambda n: plain_pprof(9, (((1 + k % 9,), [1]) for k in range(n // 100 + 1)), labels=100),
    "long names": lambda n: pprof(["x" * n] * 9, [(k, 2 + k) for k in range(1, 10)], [], []),
    "colliding ids": colliding_pprof,
    "sparse ids": lambda n: pprof(
        ["f"],
        [(1 << 63, 3)],
        ((k << 40, 0, [(1 << 63, k)]) for k in range(1, n)),
        (([k << 40], [1]) for k in range(1, n)),
    ),
}


# --- speedscope ------------------------------------------------------------------------------------------------------


def speedscope(profiles: list[dict[str, Any]], frames: int = 9) -> bytes:
    shared = {"frames": [{"name": f"f{number}"} for number in range(frames)]}
    return with_raw({"$schema": SCHEMA, "shared": shared, "profiles": profiles})


def sampled(
    samples: list[list[int]], weights: list[Any], name: str = "t", unit: str = "milliseconds"
) -> dict[str, Any]:
    times = {"startValue": 0, "endValue": len(samples)}
    return {"type": "sampled", "name": name, "unit": unit, **times, "samples": samples, "weights": weights}


def evented(events: list[tuple[str, int, int]]) -> dict[str, Any]:
    written = [{"type": kind, "frame": frame, "at": at} for kind, frame, at in events]
    return {"type": "evented", "name": "t", "unit": "milliseconds", "startValue": 0, "endValue": 9, "events": written}


def many_profiles(n: int) -> bytes:
    """As many profiles of a sample as there are samples in one more profile."""
    return speedscope(
        [sampled([[k % 9]], [1], f"t{k}") for k in range(n // 4)]
        + [sampled([[k % 9, k % 7] for k in range(n)], [1] * n)]
    )


SPEEDSCOPE: dict[str, Shape] = {
    "many samples": lambda n: speedscope([sampled([[k % 9, k % 7, k % 5] for k in range(n)], [1.5] * n)]),
    "many profiles": many_profiles,
    "deep stacks": lambda n: speedscope(
        [sampled([[k % 9] * 1000 for k in range(n // 1000 + 1)], [1] * (n // 1000 + 1))]
    ),
    "nested events": lambda n: speedscope(
        [evented([("O", k % 9, k) for k in range(n % 60_000)] + [("C", k % 9, n) for k in reversed(range(n % 60_000))])]
    ),
    "wide events": lambda n: speedscope([evented([("OC"[k % 2], k // 2 % 9, k) for k in range(n)])]),
    "unbalanced events": lambda n: speedscope([evented([("OOC"[k % 3], k * k % 9, k) for k in range(n)])]),
    "colliding weights": lambda n: speedscope([sampled([[0]] * n, [raw(colliding(k)) for k in range(n)])]),
    "large integers": lambda n: speedscope([sampled([[0]] * n, [(k + 1) * PRIME for k in range(n)])]),
    "large number": lambda n: speedscope([sampled([[0]], [raw("0." + "7" * n)])]),
    "many units": lambda n: speedscope(
        [sampled([[0]], [1], unit=unit) for _ in range(n) for unit in ("none", "bytes", "seconds", "microseconds")]
    ),
    "deep JSON": lambda n: b'{"$schema":"%s","a":' % SCHEMA.encode() + b"[" * n + b"]" * n + b"}",
    "wide JSON": lambda n: (
        b'{"$schema":"%s","shared":{"frames":[]},"profiles":[],"a":[%s]}' % (SCHEMA.encode(), b",".join([b"{}"] * n))
    ),
    "colliding times": lambda n: speedscope(
        [
            {
                **evented([]),
                "events": [{"type": "O" if k % 2 else "C", "frame": 1, "at": raw(colliding(k))} for k in range(n)],
            }
        ]
    ),
}


# --- cpuprofile, gecko, firefox --------------------------------------------------------------------------------------


def cpuprofile(nodes: list[dict[str, Any]], samples: list[Any], deltas: list[Any]) -> bytes:
    return with_raw({"nodes": nodes, "startTime": 0, "endTime": 1e6, "samples": samples, "timeDeltas": deltas})


def node(own: int, name: str = "f", children: Iterable[int] = (), column: int = 1) -> dict[str, Any]:
    call = {"functionName": name, "url": "a.js", "lineNumber": 1, "columnNumber": column}
    return {"id": own, "callFrame": call, "children": list(children)}


def chain(n: int) -> bytes:
    depth = 30_000
    nodes = [node(k, f"f{k % 9}", [k + 1] if k % depth != depth - 1 and k < n - 1 else []) for k in range(n)]
    return cpuprofile(nodes, list(range(n)), [1] * n)


CPUPROFILE: dict[str, Shape] = {
    "wide tree": lambda n: cpuprofile(
        [node(0, "(root)", range(1, n)), *map(node, range(1, n))], list(range(n)), [1] * n
    ),
    "chains": chain,
    "many samples": lambda n: cpuprofile([node(1)], [1] * n, [k % 99 for k in range(n)]),
    "collections": lambda n: cpuprofile(
        [node(1), node(2), {**node(3, "(garbage collector)"), "callFrame": {"functionName": "(garbage collector)"}}],
        [(1, 3, 2)[k % 3] for k in range(n)],
        [1] * n,
    ),
    "colliding ids": lambda n: cpuprofile([node(k * PRIME) for k in range(n)], [k * PRIME for k in range(n)], [1] * n),
    "colliding times": lambda n: cpuprofile([node(1)], [1] * n, [raw(colliding(k)) for k in range(n)]),
    "one source with a long text": lambda n: cpuprofile([node(1, "x" * n), node(2, "y" * n)], [1, 2], [1, 1]),
}


def gecko(threads: list[Any], **more: object) -> bytes:
    return dumped({"meta": {"version": 30, "stackwalk": 1}, "threads": threads, **more})


def gecko_thread(prefix: Iterable[int | None], texts: list[str], samples: Iterable[int]) -> dict[str, Any]:
    return {
        "stringTable": texts,
        "frameTable": {"schema": {"location": 0, "line": 1}, "data": [[k, 1] for k in range(len(texts))]},
        "stackTable": {
            "schema": {"prefix": 0, "frame": 1},
            "data": [[above, k % len(texts)] for k, above in enumerate(prefix)],
        },
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[stack, k] for k, stack in enumerate(samples)]},
    }


def prefixes(n: int) -> Iterable[int | None]:
    """Chains of 10,000 stacks."""
    return (k - 1 if k % 10_000 else None for k in range(n))


GECKO: dict[str, Shape] = {
    "many threads": lambda n: gecko([gecko_thread([None], ["a.js:1"], [0]) for _ in range(n // 8)]),
    "deep stacks": lambda n: gecko([gecko_thread(prefixes(n), ["a", "b"], range(n))]),
    "many functions": lambda n: gecko([gecko_thread([None] * n, [f"f{k} (a.js:{k}:1)" for k in range(n)], range(n))]),
    "many processes": lambda n: gecko([], processes=[json.loads(gecko([gecko_thread([None], ["f"], [0])]))] * (n // 8)),
    "many libraries": lambda n: gecko(
        [gecko_thread([None] * n, [hex(16 * k) for k in range(n)], range(n))],
        libs=[{"name": "l", "start": 16 * k, "end": 16 * k + 8} for k in range(n)],
    ),
    "long names": lambda n: gecko([gecko_thread([None], ["f (in " * n, "g (" * n, "0x" + "1" * n, ":1" * n], [0])]),
}


def firefox(threads: list[Any], **more: object) -> bytes:
    return dumped({"meta": {"preprocessedProfileVersion": 58}, "threads": threads, **more})


def tables(prefix: Iterable[int | None], names: list[str]) -> dict[str, Any]:
    above = list(prefix)
    return {
        "stackTable": {"prefix": above, "frame": [k % len(names) for k in range(len(above))]},
        "frameTable": {"func": list(range(len(names)))},
        "funcTable": {"name": list(range(len(names)))},
        "resourceTable": {},
        "stringArray": names,
    }


FIREFOX: dict[str, Shape] = {
    "many threads": lambda n: firefox([{**tables([None], ["f"]), "samples": {"stack": [0], "time": [1]}}] * (n // 8)),
    "threads of shared tables": lambda n: firefox(
        [{"samples": {"stack": [k], "time": [k]}} for k in range(n)],
        shared=tables([None] * n, [f"f{k}" for k in range(n)]),
    ),
    "shared names": lambda n: firefox(
        [{"stackTable": {"prefix": [None], "frame": [k]}, "samples": {"stack": [0], "time": [k]}} for k in range(n)],
        shared=tables([None], [f"f{k}" for k in range(n)]),
    ),
    "deep stacks": lambda n: firefox(
        [{**tables(prefixes(n), ["a", "b"]), "samples": {"stack": list(range(n)), "time": list(range(n))}}]
    ),
    "colliding weights": lambda n: firefox(
        [{**tables([None], ["f"]), "samples": {"stack": [0] * n, "weight": [(k + 1) * PRIME for k in range(n)]}}]
    ),
}


# --- Python ----------------------------------------------------------------------------------------------------------


def pstats(n: int, callers: Callable[[int], Iterable[int]]) -> bytes:
    def key(number: int) -> tuple[str, int, str]:
        return f"m{number % 99}.py", number, f"f{number}"

    return marshal.dumps(
        {key(k): (1, 1, 0.1, 0.2, {key(above): (1, 1, 0.1, 0.1) for above in callers(k)}) for k in range(n)}
    )


def referring_pstats(n: int) -> bytes:
    """One name of ``n`` bytes, to which ``n`` functions refer."""
    name = b"\xf5" + struct.pack("<I", n) + b"x" * n  # a text with a number
    rows = [
        b")\x03" + (name if k == 0 else b"r\0\0\0\0") + b"i" + struct.pack("<i", k) + b"z\x01f"
        b")\x05i\1\0\0\0i\1\0\0\0g" + bytes(8) + b"g" + bytes(8) + b"{0"
        for k in range(n)
    ]
    return b"{" + b"".join(rows) + b"0"


PSTATS: dict[str, Shape] = {
    "chain": lambda n: pstats(n, lambda k: [k - 1] if k else []),
    "one caller": lambda n: pstats(n, lambda _: [0]),
    "many callers": lambda n: pstats(n // 64 + 2, lambda k: range(max(0, k - 64), k)),
    "one callee": lambda n: pstats(2, lambda k: range(2, n) if k == 0 else []),
    "references": referring_pstats,
    "long names": lambda n: marshal.dumps({("x" * n, 1, "y" * n): (1, 1, 0.1, 0.2, {})}),
}


def python_sampling(
    samples: Iterable[bytes], count: int, texts: list[bytes], frames: int, *, packed: bool = False
) -> bytes:
    records = b"".join(samples)
    records = zstd.compress(records) if packed else records
    table = b"".join(varint(len(text)) + text for text in texts)
    listed = b"".join(varint(0) + varint(k % len(texts)) + varint(2 * k) + bytes(3) + b"\0" for k in range(frames))
    at = 64 + len(records)
    head = struct.pack("<4sI3BxQQQIQQII", b"HCAT", 1, 3, 15, 2, 0, 1000, count, 1, at, at + len(table), int(packed), 0)
    body = head + records + table + listed
    return body + struct.pack("<IIQ16x", len(texts), frames, len(body) + 32)


def record(kind: int, content: bytes, thread: int = 1) -> bytes:
    return struct.pack("<QI", thread, 0) + bytes([kind]) + content


def full(path: Iterable[int]) -> bytes:
    """A whole stack, 1 microsecond after the sample before."""
    frames = [varint(frame) for frame in path]
    return varint(1) + b"\0" + varint(len(frames)) + b"".join(frames)


TEXTS = [b"a.py", b"f", b"g"]
PYTHON_SAMPLING: dict[str, Shape] = {
    "many stacks": lambda n: python_sampling((record(1, full([k % 99, k % 7])) for k in range(n)), n, TEXTS, 99),
    "many threads": lambda n: python_sampling((record(1, full([k % 9]), k) for k in range(n)), n, TEXTS, 9),
    "deep stacks": lambda n: python_sampling(
        (record(1, full([(k + j) % 9 for j in range(1000)])) for k in range(n // 1000 + 1)), n // 1000 + 1, TEXTS, 9
    ),
    "growing stack": lambda n: python_sampling(
        (record(2, varint(1) + b"\0" + varint(k % 30_000) + varint(1) + varint(k % 9)) for k in range(n)), n, TEXTS, 9
    ),
    "repeats": lambda n: python_sampling([record(1, full([1])), record(0, varint(n) + b"\1\0" * n)], n + 1, TEXTS, 9),
    "packed repeats": lambda n: python_sampling(
        [record(1, full([1])), record(0, varint(n) + b"\1\0" * n)], n + 1, TEXTS, 9, packed=True
    ),
    "many names": lambda n: python_sampling([record(1, full([1]))], 1, [b"f%d" % k for k in range(n)], n),
}

META = {"type": "meta", "v": 0, "run_id": "a", "sample_interval_usec": 1000}
JSONL_END = {"type": "end", "v": 0, "run_id": "a"}


def sampling_jsonl(*middle: dict[str, Any]) -> bytes:
    return json_lines([META, *({"v": 0, "run_id": "a", **one} for one in middle), JSONL_END])


PYTHON_SAMPLING_JSONL: dict[str, Shape] = {
    "many frames": lambda n: sampling_jsonl(
        {"type": "string_table", "strings": [{"str_id": k, "value": f"f{k}"} for k in range(n)]},
        {
            "type": "frame_table",
            "frames": [{"frame_id": k, "path_str_id": 0, "func_str_id": k, "line": k} for k in range(n)],
        },
        {"type": "agg", "entries": [{"frame_id": k, "self": 1, "cumulative": 1} for k in range(n)]},
    ),
    "many records": lambda n: sampling_jsonl(
        {"type": "string_table", "strings": [{"str_id": 0, "value": "f"}]},
        {"type": "frame_table", "frames": [{"frame_id": 0, "path_str_id": 0, "func_str_id": 0, "line": 1}]},
        *({"type": "agg", "entries": [{"frame_id": 0, "self": 1, "cumulative": 1}]} for _ in range(n)),
    ),
}


def pyinstrument(children: list[Any]) -> bytes:
    call = {"function": "f", "file_path": "a.py", "line_no": 1, "time": 1.5, "children": children}
    return dumped({"sample_count": 1, "root_frame": call})


def nested(depth: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(depth):
        found = [{"function": "f", "time": 1, "children": found}]
    return found


PYINSTRUMENT: dict[str, Shape] = {
    "wide tree": lambda n: pyinstrument([{"function": f"f{k}", "time": 0.001, "children": []} for k in range(n)]),
    "nested calls": lambda n: pyinstrument([call for _ in range(n // 200 + 1) for call in nested(200)]),
}


# --- events and texts ------------------------------------------------------------------------------------------------


def trace(events: Iterable[dict[str, Any]]) -> bytes:
    return with_raw({"traceEvents": list(events)})


def event(kind: str, at: Any, thread: int = 1, **more: object) -> dict[str, Any]:
    return {"ph": kind, "ts": at, "pid": 1, "tid": thread, "name": "f", **more}


def nested_spans(n: int) -> bytes:
    return trace(event("X", k, dur=2 * (n - k)) for k in range(min(n, 60_000)))


TRACE_EVENTS: dict[str, Shape] = {
    "many calls": lambda n: trace(event("X", k, dur=0.5, name=f"f{k % 999}") for k in range(n)),
    "many threads": lambda n: trace(event("X", k, thread=k, dur=1) for k in range(n)),
    "many names of threads": lambda n: trace(
        event("M", k, thread=k, name="thread_name", args={"name": f"t{k}"}) for k in range(n)
    ),
    "saw": lambda n: trace(event("BE"[k // 1000 % 2], k) for k in range(n)),
    "unbalanced": lambda n: trace(event("BBE"[k % 3], k, name=f"f{k * k % 9}") for k in range(n)),
    "overlapping": lambda n: trace(event("X", k, dur=30_000) for k in range(n)),
    "colliding times": lambda n: trace(event("X", raw(colliding(k)), dur=1) for k in range(n)),
}


def perun(resources: list[Any], models: Iterable[Any] = (), collector: str = "complexity", **more: object) -> bytes:
    return dumped(
        {
            "header": {"type": "mixed", "units": {"mixed": "ms"}},
            "collector_info": {"name": collector},
            "global": {"resources": resources, "models": list(models)},
            **more,
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


def packed(data: bytes) -> bytes:
    return zlib.compress(b"profile mixed %d\0" % len(data) + data)


PERUN: dict[str, Shape] = {
    "many records": lambda n: perun([{"uid": f"f{k}", "amount": k, "structure-unit-size": k} for k in range(n)]),
    "packed": lambda n: packed(perun([{"uid": f"f{k % 9}", "amount": k} for k in range(n)])),
    "many models": lambda n: perun(
        [{"uid": "f", "amount": k, "structure-unit-size": k} for k in range(n)], [REGRESSOGRAM] * n
    ),
    "many fields of a type": lambda n: perun_compact(
        {"uid": "f", **{f"k{k}": 1 for k in range(n)}}, {"amount": [1] * n, "order": [1] * n}
    ),
    "many parts of a uid": lambda n: perun_compact({"uid": {f"k{k}": 1 for k in range(n)}}, {"amount": [1] * n}),
    "trace of a type": lambda n: perun_compact({"uid": "f", "trace": ["g"] * min(n, 60_000)}, {"amount": [1] * n}),
    "stacks": lambda n: perun(
        [{"uid": f"f{k}", "trace": [{"func": "a"}, {"func": f"b{k % 9}"}], "amount": 1} for k in range(n)],
        collector="kperf",
    ),
    "folded stacks": lambda n: perun([{"uid": "a;" * 500 + "b", "amount": 1}] * (n // 100 + 1), collector="kperf"),
}


def perf(samples: Iterable[tuple[str, Iterable[str]]]) -> bytes:
    return "".join(
        f"shop 12 5.25: 9 {name}: \n" + "".join(f"\t5d {call} (/shop)\n" for call in calls) + "\n"
        for name, calls in samples
    ).encode()


PERF: dict[str, Shape] = {
    "many stacks": lambda n: perf(("cycles", [f"f{k}", "g", "main"]) for k in range(n)),
    "many events": lambda n: perf((f"event{k}", [f"f{k}"]) for k in range(n)),
    "deep stacks": lambda n: perf(("cycles", [f"f{k}", *["g"] * 1000]) for k in range(n // 1000 + 1)),
    "one deep stack": lambda n: perf([("cycles", ["g"] * min(n, 60_000))] * (1 + n // 60_000)),
    "long names": lambda n: perf(("cycles", ["f(" * 30_000]) for _ in range(n // 30_000 + 1)),
    "many processes": lambda n: b"".join(b"shop%d 12 5.25: 9 cycles: \n\t5d f (/s)\n\n" % k for k in range(n)),
}

EVENTS = " ".join(f"E{number}" for number in range(64)).encode()
CALLGRIND: dict[str, Shape] = {
    "many functions": lambda n: b"events: Ir\n" + b"".join(b"fn=(%d) f%d\n%d 3\n" % (k, k, k) for k in range(n)),
    "many events": lambda n: b"events: " + EVENTS + b"\n" + b"".join(b"fn=(%d) f%d\n1 1\n" % (k, k) for k in range(n)),
    "chain of calls": lambda n: (
        b"events: Ir\n" + b"".join(b"fn=f%d\n1 1\ncfn=f%d\ncalls=1 1\n1 9\n" % (k, k + 1) for k in range(n))
    ),
    "circle of calls": lambda n: (
        b"events: Ir\n" + b"".join(b"fn=f%d\n1 1\ncfn=f%d\ncalls=1 1\n1 9\n" % (k, (k + 1) % n) for k in range(n))
    ),
    "many callees": lambda n: b"events: Ir\nfn=f\n" + b"".join(b"cfn=g%d\ncalls=1 1\n1 9\n" % k for k in range(n)),
    "many lines": lambda n: b"events: Ir\nfl=a.c\nfn=f\n" + b"".join(b"%d 1\n" % k for k in range(n)),
    "many parts": lambda n: b"events: Ir\n" + b"fn=f\n1 1\n\nevents: Ir\n" * n,
    "many positions": lambda n: (
        b"events: Ir\npositions: " + b"a " * min(n, 30_000) + b"\nfn=f\n" + b"1 " * min(n, 30_000) + b"3\n"
    ),
}


def austin(lines: Iterable[str]) -> bytes:
    return ("# austin: 3.7.0\n# interval: 100\n" + "".join(line + "\n" for line in lines)).encode()


AUSTIN: dict[str, Shape] = {
    "many stacks": lambda n: austin(f"P1;T{k};a.py:f{k}:{k};b.py:g:2 9" for k in range(n)),
    "deep stacks": lambda n: austin("P1;T1" + ";a.py:f:1" * 1000 + " 9" for _ in range(n // 1000 + 1)),
    "colons": lambda n: austin(["P1;T1;" + ":" * min(n, 1 << 19) + " 9"] * (1 + (n >> 19))),
}


def jfr(events: Iterable[dict[str, Any]]) -> bytes:
    return dumped({"recording": {"events": list(events)}})


def jfr_event(frames: Iterable[str], kind: str = "jdk.ExecutionSample", **more: object) -> dict[str, Any]:
    calls = [{"method": {"type": {"name": "a/B"}, "name": name}, "lineNumber": 3} for name in frames]
    return {"type": kind, "values": {"stackTrace": {"truncated": False, "frames": calls}, **more}}


JFR: dict[str, Shape] = {
    "many stacks": lambda n: jfr(jfr_event([f"f{k}", "main"]) for k in range(n)),
    "deep stacks": lambda n: jfr(jfr_event(["f"] * 1000) for _ in range(n // 1000 + 1)),
    "one deep stack": lambda n: jfr(jfr_event(["f"] * min(n, 60_000)) for _ in range(1 + n // 60_000)),
    "allocations": lambda n: jfr(
        jfr_event([f"f{k % 9}"], "jdk.ObjectAllocationSample", weight=(1 << 40) + k) for k in range(n)
    ),
    "other events": lambda n: jfr({"type": "jdk.GC", "values": {}} for _ in range(n)),
}

FOLDED: dict[str, Shape] = {
    "many stacks": lambda n: b"".join(b"main;f%d;g 1\n" % k for k in range(n)),
    "deep stacks": lambda n: (b"a;" * 1000 + b"b 1\n") * (n // 1000 + 1),
    "saw": lambda n: (b"a;" * 1000 + b"b 1\nc 1\n") * (n // 1000 + 1),
    "one deep stack": lambda n: b"a;" * min(n, 60_000) + b"b 1\n" + b"c 1\n" * n,
    "long names": lambda n: (b"x" * 10_000 + b";y 1\n") * (n // 100 + 1),
    "brackets": lambda n: b"f(a; b" * n + b" 1\n",
    "fractions": lambda n: b"".join(b"f%d 0.%018d\n" % (k, k) for k in range(n)),
    "metadata": lambda n: b"".join(b"# k%d: v\n" % k for k in range(n)) + b"main 1\n",
    "descending": lambda n: b"".join(b"f%09d;g 1\n" % (n - k) for k in range(n)),
}


# --- results of benchmarks and tests ---------------------------------------------------------------------------------


def named(n: int, **more: object) -> list[dict[str, Any]]:
    return [{"name": f"b{k}", **more} for k in range(n)]


def google(benchmarks: list[Any]) -> bytes:
    return dumped({"context": {"library_build_type": "release"}, "benchmarks": benchmarks})


def jmh(**more: object) -> dict[str, Any]:
    primary = {"scoreUnit": "ns/op", "score": 1, "rawData": [[1, 2]]}
    return {"jmhVersion": "1", "benchmark": "a", "mode": "avgt", "primaryMetric": primary, **more}


def dotnet(benchmarks: Iterable[Any]) -> bytes:
    return dumped({"HostEnvironmentInfo": {}, "Benchmarks": list(benchmarks)})


def go_test(n: int, name: Callable[[int], str]) -> bytes:
    return json_lines({"Action": "pass", "Package": "p", "Test": name(k), "Elapsed": 0.1} for k in range(n))


def pytest_durations(lines: Iterable[str]) -> bytes:
    heading = "0.10s call a.py::first\n=== slowest durations ===\n"
    return (heading + "".join(line + "\n" for line in lines) + "=== 1 passed in 0.10s ===\n").encode()


def report_log(reports: Iterable[dict[str, Any]]) -> bytes:
    return json_lines({"$report_type": "TestReport", "when": "call", "duration": 1, **report} for report in reports)


RESULTS: dict[str, dict[str, Shape]] = {
    "benchmarkdotnet": {
        "many benchmarks": lambda n: dotnet({"FullName": f"b{k}", "Statistics": {"Mean": 1.5}} for k in range(n)),
        "many iterations": lambda n: dotnet(
            [
                {
                    "FullName": "b",
                    "Statistics": {"Mean": 1},
                    "Measurements": [
                        {
                            "IterationMode": "Workload",
                            "IterationStage": "Result",
                            "Nanoseconds": 1.5,
                            "Operations": 2,
                            "LaunchIndex": k,
                        }
                        for k in range(n)
                    ],
                }
            ]
        ),
    },
    "criterion": {
        "many samples": lambda n: json_lines(
            [
                {
                    "reason": "benchmark-complete",
                    "id": "b",
                    "unit": "ns",
                    "iteration_count": [1.0] * n,
                    "measured_values": [2.5] * n,
                }
            ]
        ),
        "many messages": lambda n: json_lines(
            {
                "reason": "benchmark-complete",
                "id": f"b{k}",
                "iteration_count": [1],
                "measured_values": [1.5],
                "unit": "ns",
            }
            for k in range(n)
        ),
    },
    "custom-results": {
        "many results": lambda n: dumped([{"name": f"b{k}", "unit": "ms", "value": 1.5} for k in range(n)]),
        "many units": lambda n: dumped([{"name": "b", "unit": f"u{k}", "value": 1.5} for k in range(n)]),
        "many runs": lambda n: dumped([{"name": "b", "unit": "ms", "value": k} for k in range(n)]),
    },
    "durations": {
        "many tests": lambda n: dumped(
            {"schema": "profgate.durations/1", "unit": "nanoseconds", "durations": {f"t{k}": 1 for k in range(n)}}
        ),
    },
    "go-benchmark": {
        "many benchmarks": lambda n: b"".join(b"BenchmarkA%d-8 \t 1\t 2 ns/op\n" % k for k in range(n)),
        "many units": lambda n: b"".join(b"BenchmarkA \t 1\t 2 u%d/op\n" % k for k in range(n)),
        "values in a line": lambda n: (b"BenchmarkA \t 1\t" + b" 2 ns/op" * 1000 + b"\n") * (n // 1000 + 1),
        "many processes": lambda n: b"BenchmarkA \t 1\t 2 ns/op\nPASS\n" * n,
    },
    "go-test": {
        "many tests": lambda n: go_test(n, lambda k: f"T{k}"),
        "nested tests": lambda n: go_test(n // 100 + 1, lambda k: f"T{k}" + "/a" * 100),
        "slashes": lambda n: go_test(1, lambda _: "T" + "/" * n),
    },
    "google-benchmark": {
        "many benchmarks": lambda n: google(named(n, real_time=1, cpu_time=1)),
        "many counters": lambda n: google(
            [{"name": "b", "real_time": 1, "cpu_time": 1, **{f"c{k}": k for k in range(n)}}]
        ),
        "many runs": lambda n: google([{"name": "b", "real_time": k, "cpu_time": 1} for k in range(n)]),
    },
    "hyperfine": {
        "many commands": lambda n: dumped(
            {"results": [{"command": f"c{k}", "median": 1, "times": [1.5]} for k in range(n)]}
        ),
        "many times": lambda n: dumped({"results": [{"command": "c", "median": 1, "times": [1.5] * n}]}),
    },
    "jmh": {
        "many benchmarks": lambda n: dumped([jmh(benchmark=f"b{k}") for k in range(n)]),
        "many forks": lambda n: dumped([jmh(primaryMetric={"scoreUnit": "ns/op", "score": 1, "rawData": [[1]] * n})]),
        "many metrics": lambda n: dumped(
            [jmh(secondaryMetrics={f"m{k}": {"scoreUnit": "ns/op", "score": 1} for k in range(n)})]
        ),
        "histogram": lambda n: dumped(
            [jmh(primaryMetric={"scoreUnit": "ns/op", "score": 1, "rawDataHistogram": [[[[1, 2]] * n]]})]
        ),
    },
    "junit": {
        "many tests": lambda n: (
            b"<testsuite>" + b"".join(b'<testcase name="t%d" time="1"/>' % k for k in range(n)) + b"</testsuite>"
        ),
        "long attribute": lambda n: (
            b'<testsuite><testcase time="1" name="a" x="' + b"y" * min(n, LONG_TOKEN) + b'"/></testsuite>'
        ),
        "many attributes": lambda n: (
            b'<testsuite><testcase time="1" name="a" '
            + b"".join(b'x%d="" ' % k for k in range(min(n, LONG_TOKEN // 9)))
            + b"/></testsuite>"
        ),
        "long comment": lambda n: (
            b'<testsuite><testcase time="1" name="a"/><!--' + b"y" * min(n, LONG_TOKEN) + b"--></testsuite>"
        ),
        "many outcomes": lambda n: (
            b'<testsuite><testcase time="1" name="a">' + b"<failure/>" * n + b"</testcase></testsuite>"
        ),
        "references": lambda n: (
            b"<testsuite>"
            + (b'<testcase time="1" name="a" x="' + b"&#65;" * 100 + b'"/>') * (n // 100 + 1)
            + b"</testsuite>"
        ),
    },
    "libtest": {
        "many benchmarks": lambda n: b"".join(b"test b%d ... bench: 1 ns/iter (+/- 0)\n" % k for k in range(n)),
    },
    "pyperf": {
        "many benchmarks": lambda n: dumped(
            {
                "benchmarks": [{"runs": [{"values": [1.5]}], "metadata": {"name": f"b{k}"}} for k in range(n)],
                "metadata": {"perf_version": "2"},
            }
        ),
        "many runs": lambda n: dumped(
            {"benchmarks": [{"runs": [{"values": [1.5]}] * n}], "metadata": {"perf_version": "2", "name": "b"}}
        ),
    },
    "pytest-benchmark": {
        "many benchmarks": lambda n: dumped(
            {"machine_info": {}, "benchmarks": [{"name": f"b{k}", "stats": {"mean": 1.5}} for k in range(n)]}
        ),
        "many rounds": lambda n: dumped(
            {"machine_info": {}, "benchmarks": [{"name": "b", "stats": {"mean": 1, "data": [1.5] * n}}]}
        ),
    },
    "pytest-durations": {
        "many tests": lambda n: pytest_durations(f"0.50s call     tests/a.py::t{k}" for k in range(n)),
        "one test": lambda n: pytest_durations(["0.50s call     tests/a.py::t"] * n),
    },
    "pytest-report-log": {
        "many tests": lambda n: report_log({"nodeid": f"t{k}"} for k in range(n)),
        "one test": lambda n: report_log([{"nodeid": "t"}] * n),
    },
}


# --- containers and what else is untrusted ---------------------------------------------------------------------------


def folded(n: int) -> bytes:
    return b"".join(b"main;f%d 1\n" % k for k in range(n))


CONTAINERS: dict[str, Shape] = {
    "gzip in gzip in gzip": lambda n: gzip.compress(gzip.compress(gzip.compress(folded(n), mtime=0), mtime=0), mtime=0),
    "zstandard in gzip": lambda n: gzip.compress(zstd.compress(folded(n)), mtime=0),
    "members of gzip": lambda n: gzip.compress(b"main 1\n", mtime=0) + gzip.compress(b"", mtime=0) * n,
    "frames of zstandard": lambda n: zstd.compress(b"main 1\n") + zstd.compress(b"") * n,
    "well packed": lambda n: gzip.compress(b"main 1\n" * n, mtime=0),
    "UTF-16": lambda n: folded(n).decode().encode("utf-16"),
}


ARTIFACTS: dict[str, Shape] = {
    "many files": lambda n: artifact(*((f"cpu/{k}.folded", b"main 1\n") for k in range(min(n, 1 << 13)))),
    "one file": lambda n: artifact(("cpu/a.folded", folded(n))),
    "packed twice": lambda n: artifact(("cpu/a.folded.gz", gzip.compress(folded(n), mtime=0))),
}


def letters(segments: str, n: int, **more: object) -> bytes:
    """A source map whose segments repeat."""
    return dumped({"version": 3, "sources": ["a.ts"], "names": ["f"], "mappings": segments * n, **more})


SOURCE_MAPS: dict[str, Shape] = {
    "many segments": lambda n: letters("EAAAA,", n),
    "many lines": lambda n: letters("AAAA;", n),
    "empty lines": lambda n: letters(";", n),
    "descending columns": lambda n: letters("", 1, mappings=f"{vlq(n)}AAA," + "DAAA," * n),
    "many sources": lambda n: letters("AAAA", 1, sources=["a.ts"] * n, sourcesContent=["a"] * n),
    "long source": lambda n: letters("AAAA", 1, sourcesContent=["a\n" * n]),
}

GROWING: dict[str, dict[str, Shape]] = {
    "pprof": PPROF,
    "speedscope": SPEEDSCOPE,
    "cpuprofile": CPUPROFILE,
    "firefox": FIREFOX,
    "gecko": GECKO,
    "pstats": PSTATS,
    "python-sampling": PYTHON_SAMPLING,
    "python-sampling-jsonl": PYTHON_SAMPLING_JSONL,
    "pyinstrument": PYINSTRUMENT,
    "trace-events": TRACE_EVENTS,
    "perun": PERUN,
    "perf": PERF,
    "callgrind": CALLGRIND,
    "austin": AUSTIN,
    "jfr": JFR,
    **RESULTS,
    "folded": FOLDED,
    "containers": CONTAINERS,
    "source-map": SOURCE_MAPS,
    "artifact": ARTIFACTS,
    "history": HISTORIES,
    "report": REPORTS,
    "diff": DIFFS,
    "lock": LOCKS,
}
