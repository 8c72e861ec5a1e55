"""The JSON of `memray stats`: the allocations and the peak of one execution of a program."""

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, whole


def _add(results: Results, stats: Record) -> None:
    # the command contains the name of the recording, which differs in each run
    results.add("program", quantity_of("bytes", "peak"), [stats.get("metadata.peak_memory")])
    results.add("program", quantity_of("bytes", "allocated"), [stats.get("total_bytes_allocated")])
    results.add("program", quantity_of("count", "allocations"), [stats.get("total_num_allocations")])


FORMAT = ResultFormat(
    name="memray-stats",
    looks="JSON with the keys total_bytes_allocated and peak_memory",
    record="memray run -o a.bin bench.py; memray stats --json -o a.json a.bin",
    counted=("peak", "allocated", "allocations"),
    keys=("total_bytes_allocated", "total_num_allocations", "peak_memory"),
    records=whole,
    add=_add,
    profiler="memray",
)
