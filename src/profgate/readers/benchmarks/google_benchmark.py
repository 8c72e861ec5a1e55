"""Google Benchmark's JSON: one run per benchmark, with the medians of its repetitions."""

from collections.abc import Iterable

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed
from profgate.readers.json_text import is_number

_RATES = {"items_per_second": ("items/s", "items"), "bytes_per_second": ("bytes/s", "speed")}
# numeric fields that are not added as further results; the two times are added separately
_NO_COUNTERS = {
    *("iterations", "real_time", "cpu_time", "threads", "repetitions", "repetition_index", "family_index"),
    *("per_family_instance_index", "allocs_per_iter", "max_bytes_used", "net_heap_growth", "total_allocated_bytes"),
}


def _runs(records: Iterable[Record], _: Results) -> list[Record]:
    """Return all repetitions, or their medians if the file contains only aggregates."""
    records = list(records)
    runs = [record for record in records if record.get("run_type") != "aggregate"]
    return runs or [record for record in records if record.get("aggregate_name") == "median"]


def _add(results: Results, run: Record) -> None:
    if run.get("error_occurred") is True or run.get("skipped") is True:
        results.warnings["benchmarks that failed, of which nothing is known"] += 1
        return
    name, unit = run.get("run_name") or run.get("name"), run.text("time_unit") or "ns"
    results.add(name, quantity_of(unit), [run.get("real_time")], process=0)
    results.add(name, quantity_of(unit, "CPU time"), [run.get("cpu_time")], process=0)
    for key, value in run.fields.items():
        if key not in _NO_COUNTERS and is_number(value):
            results.add(name, quantity_of(*_RATES.get(key, ("", key))), [value], process=0)


FORMAT = ResultFormat(
    name="google-benchmark",
    looks="JSON with the keys context and library_build_type",
    record="./bench --benchmark_repetitions=10 --benchmark_out_format=json --benchmark_out=a.json",
    proven="Google Benchmark 1.7.1",
    keys=("context", "benchmarks", "library_build_type"),
    records=listed("benchmarks"),
    select=_runs,
    add=_add,
    profiler="google benchmark",
    facts={"profiler_version": "context.library_version"},
)
