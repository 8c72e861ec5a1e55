"""pytest-benchmark's JSON: one run per benchmark, with the median of its rounds, which all run in one process."""

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed


def _add(results: Results, benchmark: Record) -> None:
    stats = benchmark.child("stats")
    summary = stats.get("mean" if stats.get("median") is None else "median")
    name = benchmark.text("fullname") or benchmark.get("name")
    results.add(name, quantity_of("s"), stats.array("data", optional=True) or [summary], process=0)


FORMAT = ResultFormat(
    name="pytest-benchmark",
    looks="JSON with the keys machine_info and benchmarks",
    record="pytest --benchmark-json=a.json",
    keys=("machine_info", "benchmarks"),
    records=listed("benchmarks"),
    add=_add,
    profiler="pytest-benchmark",
    facts={
        "profiler_version": "version",
        "runtime": "machine_info.python_version",
        "os": "machine_info.system",
        "architecture": "machine_info.machine",
        "cpu_model": "machine_info.cpu.brand_raw",
    },
)
