"""BenchmarkDotNet's JSON: the iterations of every launch of a benchmark, and what it allocates."""

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.results import Results, amount_of, measured, text, time_in

_TIME = time_in("ns")
_ALLOCATED = amount_of("allocated", "bytes")


class BenchmarkDotNetReader:
    """Reads what BenchmarkDotNet's JSON exporters write: a run for each launch, the median of its iterations."""

    name = "benchmarkdotnet"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"HostEnvironmentInfo"', b'"Benchmarks"'):
            return "it is JSON with benchmarks and 'HostEnvironmentInfo'"
        return None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds and allocated bytes for each operation. Raises ProfileError."""
        where = source.name
        document = mapping(decode(read_all(unwrap(source)), where), where, "the document")
        host = mapping(document.get("HostEnvironmentInfo"), where, "'HostEnvironmentInfo'")
        results = Results(where)
        for number, entry in enumerate(listing(document.get("Benchmarks"), where, "'Benchmarks'")):
            _add(results, mapping(entry, where, f"benchmark {number}"), f"{where}: benchmark {number}")
        return results.profile(
            Facts(
                format=self.name,
                profiler="BenchmarkDotNet",
                profiler_version=text(host, "BenchmarkDotNetVersion"),
                architecture=text(host, "Architecture"),
                cpu_model=text(host, "ProcessorName"),
            )
        )


def _add(results: Results, benchmark: Json, where: str) -> None:
    name = text(benchmark, "FullName") or ".".join(
        filter(None, (text(benchmark, key) for key in ("Namespace", "Type", "Method")))
    )
    if not text(benchmark, "FullName") and text(benchmark, "Parameters"):
        name += f"({benchmark['Parameters']})"
    if benchmark.get("Statistics") is None:
        results.warnings["benchmarks that failed, of which nothing is known"] += 1
        return
    statistics = mapping(benchmark["Statistics"], where, "'Statistics'")
    launched = False
    for entry in listing(benchmark.get("Measurements") or [], where, "'Measurements'"):
        record = mapping(entry, where, "a measurement")
        if (record.get("IterationMode"), record.get("IterationStage")) == ("Workload", "Result"):
            operations = measured(record.get("Operations"), where)
            if not operations:
                raise wrong(where, "a measurement has no operations")
            time = measured(record.get("Nanoseconds"), where) / operations
            results.add(name, _TIME, [time], process=str(record.get("LaunchIndex")))
            launched = True
    if not launched:
        values = listing(statistics.get("OriginalValues") or [statistics.get("Mean")], where, "'OriginalValues'")
        results.add(name, _TIME, values, process=0)
    memory = benchmark.get("Memory")
    if isinstance(memory, dict) and memory.get("BytesAllocatedPerOperation") is not None:
        results.add(name, _ALLOCATED, [memory["BytesAllocatedPerOperation"]])
