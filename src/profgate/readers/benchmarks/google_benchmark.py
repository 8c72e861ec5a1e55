"""Google Benchmark's JSON: one run per benchmark, with the medians of its repetitions."""

import re
from collections.abc import Iterable
from decimal import Decimal

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed

_RATES = {"items_per_second": ("items/s", "items"), "bytes_per_second": ("bytes/s", "speed")}
# numeric fields that are not added as further results; the two times are added separately
_NO_COUNTERS = {
    *("iterations", "real_time", "cpu_time", "threads", "repetitions", "repetition_index", "family_index"),
    *("per_family_instance_index", "allocs_per_iter", "max_bytes_used", "net_heap_growth", "total_allocated_bytes"),
}


# before version 1.5, only the name shows that a row summarizes others
_SUMMARY = re.compile(r"(?P<run>.*)_(?P<what>mean|median|stddev|cv|BigO|RMS)")


def _runs(records: Iterable[Record], results: Results) -> list[Record]:
    """Return all repetitions, and the medians of the benchmarks of which the file has only aggregates."""
    runs, medians, summarized = list[Record](), list[Record](), set[str]()
    for record in records:
        name = record.text("run_name") or record.text("name")
        what = record.text("aggregate_name")
        if not record.get("run_type") and (summary := _SUMMARY.fullmatch(name)):
            name, what = summary.groups()
        if not what:
            runs.append(record)
            continue
        if what not in {"BigO", "RMS"}:  # of benchmarks with different arguments
            summarized.add(name)
        record.fields["run_name"] = name
        medians += [record] if what == "median" else []
    known = {run.text("run_name") or run.text("name") for run in runs}
    medians = [record for record in medians if record.text("run_name") not in known]
    unknown = summarized - known - {record.text("run_name") for record in medians}
    results.warnings["benchmarks with neither runs nor a median; write all repetitions"] += len(unknown)
    return runs + medians


def _add(results: Results, run: Record) -> None:
    if run.get("error_occurred") is True or run.get("skipped") is True:
        results.warnings["benchmarks that failed, of which nothing is known"] += 1
        return
    name, unit = run.get("run_name") or run.get("name"), run.text("time_unit") or "ns"
    results.add(name, quantity_of(unit), [run.get("real_time")], process=0)
    results.add(name, quantity_of(unit, "CPU time"), [run.get("cpu_time")], process=0)
    for key, value in run.fields.items():
        if key not in _NO_COUNTERS and isinstance(value, int | float | Decimal) and not isinstance(value, bool):
            results.add(name, quantity_of(*_RATES.get(key, ("", key))), [value], process=0)


FORMAT = ResultFormat(
    name="google-benchmark",
    looks="JSON with the keys context and library_build_type",
    record="./bench --benchmark_repetitions=10 --benchmark_out_format=json --benchmark_out=a.json",
    keys=("context", "benchmarks", "library_build_type"),
    newest=("context.json_schema_version", 1),
    records=listed("benchmarks"),
    select=_runs,
    add=_add,
    profiler="google benchmark",
    facts={"profiler_version": "context.library_version"},
)
