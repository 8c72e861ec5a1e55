"""Google Benchmark's JSON: repetitions of each benchmark, with real and CPU time and counters."""

from decimal import Decimal

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping
from profgate.readers.results import Quantity, Results, rate_of, text, time_in, unknown

_RATES = {"items_per_second": rate_of("items", "items/s"), "bytes_per_second": rate_of("speed", "bytes/s")}
# numbers that describe the benchmark or the machine
_NO_COUNTERS = {
    *("iterations", "real_time", "cpu_time", "threads", "repetitions", "repetition_index", "family_index"),
    *("per_family_instance_index", "allocs_per_iter", "max_bytes_used", "net_heap_growth", "total_allocated_bytes"),
}


class GoogleBenchmarkReader:
    """Reads what `--benchmark_out_format=json` writes: a run a file, the medians of its repetitions."""

    name = "google-benchmark"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"context"', b'"benchmarks"', b'"library_build_type"'):
            return "it is JSON with benchmarks and the build type of the library"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds and rates; other counters, of which nobody states the direction. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        context = mapping(document.get("context"), where, "'context'")
        results = Results(where)
        entries = listing(document.get("benchmarks"), where, "'benchmarks'")
        records = [mapping(entry, where, f"benchmark {number}") for number, entry in enumerate(entries)]
        runs = [record for record in records if record.get("run_type") != "aggregate"]
        for record in runs or [record for record in records if record.get("aggregate_name") == "median"]:
            _add(results, record)
        version = text(context, "library_version")
        return results.profile(Facts(format=self.name, profiler="google benchmark", profiler_version=version))


def _add(results: Results, record: Json) -> None:
    if record.get("error_occurred") is True or record.get("skipped") is True:
        results.warnings["benchmarks that failed, of which nothing is known"] += 1
        return
    name, unit = record.get("run_name") or record.get("name"), text(record, "time_unit") or "ns"
    results.add(name, time_in(unit), [record.get("real_time")], process=0)
    results.add(name, time_in(unit, "CPU time"), [record.get("cpu_time")], process=0)
    for key, value in record.items():
        if key not in _NO_COUNTERS and isinstance(value, int | Decimal) and not isinstance(value, bool):
            results.add(name, _counter(key), [value], process=0)


def _counter(key: str) -> Quantity:
    return _RATES.get(key) or unknown("", key)
