"""Output of `go test -bench`: one run per process, with the median for each benchmark and unit.

Source: golang.org/design/14313-benchmark-format, and for lines of units the package golang.org/x/perf/benchfmt.
"""

import re
from collections.abc import Iterable
from typing import get_args

from profgate.model.record import replace
from profgate.model.units import Better, MetricKind
from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, completed, lines

# the iterations, and the values with their units, perhaps after what the benchmark printed
_RESULT = re.compile(r"(?:|.*\s)\d+\s+(?P<values>[\d.e+]+\s+\S+/(?:op|s)\b.*)|\d+\s+(?P<others>\S+\s+\S.*)")
_NAMES = {"b/op": "allocated", "allocs/op": "allocations", "mb/s": "speed"}


def _runs(written: Iterable[Record], results: Results) -> list[Record]:
    """Return the results, each with its process number, the preceding configuration lines and all lines of units."""
    facts, units, runs = dict[str, object](), dict[str, object](), list[Record]()
    process, ended = 0, False
    for line in completed(written, _RESULT, results):
        if fact := line.text("fact"):
            facts[fact] = line.text("stated")
        elif unit := line.text("unit"):
            units[unit] = line.text("properties").split()
        elif values := line.text("values") or line.text("others"):
            process += ended
            runs.append(
                Record(line.where, {**facts, **line.fields, "values": values, "process": process, "units": units})
            )
            ended = False
        ended = ended or bool(line.text("end"))
    results.warnings["ends without a PASS: the run was cut off, or its output was filtered"] += not ended
    if len({run.text("processors") for run in runs}) > 1:
        for run in runs:
            run.fields["name"] = run.text("name") + run.text("processors")
    return runs


def _add(results: Results, run: Record) -> None:
    parts = run.text("values").split()
    for value, unit in zip(parts[::2], parts[1::2], strict=False):
        stated = run.child("units").array(unit, optional=True)
        better = next((direction for direction in get_args(Better) if f"better={direction}" in stated), None)
        quantity = quantity_of(unit, _NAMES.get(unit.lower(), ""), better)
        if "assume=exact" in stated:
            quantity = replace(quantity, metric=replace(quantity.metric, kind=MetricKind.COUNTED))
        results.add(run.joined("pkg", "name"), quantity, [value], process=run.number("process"))


FORMAT = ResultFormat(
    name="go-benchmark",
    looks="lines such as 'BenchmarkX 100 12 ns/op'",
    record="go test -run '^$' -bench . -count 10 ./... > a.txt",
    counted=("allocated", "allocations"),
    word=b"Benchmark",
    line=re.compile(rb"^(?:Benchmark\S*)?[ \t]+\d+[ \t]+[\d.e+]+[ \t]+\S+/(?:op|s)\b", re.MULTILINE),
    records=lines(
        r"(?P<fact>goos|goarch|pkg|cpu): *(?P<stated>.*)|(?P<end>(?:PASS|FAIL|ok ).*)"
        r"|Unit (?P<unit>\S+)(?P<properties>(?: +\w+=\S+)+)"
        # if all names have the same suffix, the suffix is the number of processors
        # numbers that stand alone belong to the name before; those of many iterations are not indented
        r"|(?:(?P<name>Benchmark(?![a-z])\S*?)(?P<processors>-\d+)?(?:\s+|$)|(?:\s+(?=\d)|(?=\d{8,}\s)))(?P<text>.*)"
    ),
    select=_runs,
    add=_add,
    profiler="go test",
    facts={"os": "goos", "architecture": "goarch", "cpu_model": "cpu"},
)
