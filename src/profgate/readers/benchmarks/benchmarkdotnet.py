"""BenchmarkDotNet's JSON: one run per launch, with the median of its iterations and allocated bytes per operation."""

from profgate.readers.benchmarks.results import Results, for_each, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed


def _add(results: Results, benchmark: Record) -> None:
    if benchmark.get("Statistics") is None:
        results.warnings["benchmarks that failed, of which nothing is known"] += 1
        return
    parameters = f"({benchmark.text('Parameters')})" if benchmark.text("Parameters") else ""
    name = benchmark.text("FullName") or benchmark.joined("Namespace", "Type", "Method") + parameters
    time = quantity_of("ns")
    iterations = [
        record
        for record in benchmark.children("Measurements", optional=True)
        if (record.get("IterationMode"), record.get("IterationStage")) == ("Workload", "Result")
    ]
    for record in iterations:
        value = for_each(record.get("Nanoseconds"), record.get("Operations"))
        results.add(name, time, [value], process=str(record.get("LaunchIndex")))
    if not iterations:
        values = benchmark.array("Statistics.OriginalValues", optional=True) or [benchmark.get("Statistics.Mean")]
        results.add(name, time, values, process=0)
    allocated = benchmark.get("Memory.BytesAllocatedPerOperation")
    if allocated is not None:
        results.add(name, quantity_of("bytes", "allocated"), [allocated])


FORMAT = ResultFormat(
    name="benchmarkdotnet",
    looks="JSON with the keys HostEnvironmentInfo and Benchmarks",
    record="dotnet run -c Release -- --exporters json",
    counted=("allocated",),
    keys=("HostEnvironmentInfo", "Benchmarks"),
    records=listed("Benchmarks"),
    add=_add,
    profiler="BenchmarkDotNet",
    facts={
        "profiler_version": "HostEnvironmentInfo.BenchmarkDotNetVersion",
        "architecture": "HostEnvironmentInfo.Architecture",
        "cpu_model": "HostEnvironmentInfo.ProcessorName",
    },
)
