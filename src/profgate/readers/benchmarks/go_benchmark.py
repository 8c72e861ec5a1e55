"""Output of `go test -bench`: one run per process, with the median for each benchmark and unit.

Source: golang.org/design/14313-benchmark-format.
"""

import re
from collections.abc import Iterable

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, lines, number_in


def _runs(written: Iterable[Record], results: Results) -> list[Record]:
    """Return the benchmark lines, each with its process number and the preceding configuration lines."""
    facts, runs = dict[str, object](), list[Record]()
    process, ended = 0, False
    for line in written:
        if fact := line.text("fact"):
            facts[fact] = line.text("stated")
        elif line.text("name"):
            process += ended
            runs.append(Record(line.where, {**facts, **line.fields, "process": process}))
            ended = False
        else:
            ended = True
    results.warnings["ends without a PASS: the run was cut off, or its output was filtered"] += not ended
    if len({run.text("processors") for run in runs}) > 1:
        for run in runs:
            run.fields["name"] = run.text("name") + run.text("processors")
    return runs


def _add(results: Results, run: Record) -> None:
    parts = run.text("values").split()
    if len(parts) % 2:
        raise run.error(f"{parts[-1][:40]!r} has no unit")
    names = {"b/op": "allocated", "allocs/op": "allocations", "mb/s": "speed"}
    for value, unit in zip(parts[::2], parts[1::2], strict=True):
        quantity = quantity_of(unit, names.get(unit.lower(), ""))
        results.add(run.joined("pkg", "name"), quantity, [number_in(value, run.where)], process=run.number("process"))


FORMAT = ResultFormat(
    name="go-benchmark",
    looks="lines such as 'BenchmarkX 100 12 ns/op'",
    record="go test -run '^$' -bench . -count 10 ./... > a.txt",
    counted=("allocated", "allocations"),
    proven="Go 1.19.8",
    word=b"Benchmark",
    line=re.compile(rb"^Benchmark\S*[ \t]+\d+[ \t]+[\d.e+]+[ \t]+\S+/(?:op|s)\b", re.MULTILINE),
    records=lines(
        r"(?P<fact>goos|goarch|pkg|cpu): *(?P<stated>.*)|(?:PASS|FAIL|ok ).*"
        # if all names have the same suffix, the suffix is the number of processors
        r"|(?P<name>Benchmark\S*?)(?P<processors>-\d+)?\s+\d+\s+(?P<values>\S.*)"
    ),
    select=_runs,
    add=_add,
    profiler="go test",
    facts={"os": "goos", "architecture": "goarch", "cpu_model": "cpu"},
)
