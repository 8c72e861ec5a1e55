"""The results of asv for one commit: the median of each benchmark and combination of its parameters."""

import math
from collections.abc import Iterable
from itertools import product

from profgate.model.source import SourceFile
from profgate.readers.benchmarks.results import Results, quantity_of, unknown
from profgate.readers.benchmarks.specification import Record, ResultFormat
from profgate.readers.json_text import document_of, listing, refuse_newer

_FAILED = "benchmarks that failed, of which nothing is known"
_UNITS = {"time": "s", "timeraw": "s", "mem": "bytes", "peakmem": "bytes"}  # by the beginning of the name


def _benchmarks(source: SourceFile) -> Iterable[Record]:
    document = Record(source.name, document_of(source))
    refuse_newer(document.get("version"), 2, source.name)
    columns = list(map(str, document.array("result_columns")))
    for name, row in document.child("results").fields.items():
        # a row ends before the first of the columns that have no value
        values = dict(zip(columns, listing(row, source.name, repr(name)), strict=False))
        fields = {"name": name, "result": values.get("result"), "choices": values.get("params")}
        yield Record(f"{source.name}: {name}", fields, document)


def _add(results: Results, benchmark: Record) -> None:
    name, values = benchmark.text("name"), benchmark.get("result")
    kind = name.rpartition(".")[2].partition("_")[0]
    quantity = quantity_of(_UNITS[kind]) if kind in _UNITS else unknown("", "value")
    choices = [listing(choice, benchmark.where, "'params'") for choice in benchmark.array("choices", optional=True)]
    if values is None:  # all combinations failed, of which there may be very many
        results.warnings[_FAILED] += 1
        return
    known = listing(values, benchmark.where, "'result'")
    if math.prod(map(len, choices)) != len(known):
        raise benchmark.error(f"has {len(known)} results of {math.prod(map(len, choices))} combinations of parameters")
    for case, value in zip(product(*choices), known, strict=True):
        if value is None:
            results.warnings[_FAILED] += 1
        else:
            results.add(f"{name}({', '.join(map(str, case))})" if case else name, quantity, [value], process=0)


FORMAT = ResultFormat(
    name="asv",
    looks="JSON with the keys result_columns and results",
    record="asv run -E existing --set-commit-hash $(git rev-parse HEAD); then give .asv/results/*/????????-*.json",
    keys=("result_columns", "results", "commit_hash"),
    records=_benchmarks,
    add=_add,
    profiler="asv",
    facts={"architecture": "params.arch", "cpu_model": "params.cpu"},
)
