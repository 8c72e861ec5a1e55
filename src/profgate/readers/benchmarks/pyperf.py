"""pyperf's JSON: one run per worker process of a benchmark, with the median of its values."""

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed


def _add(results: Results, benchmark: Record) -> None:
    # metadata that all benchmarks have in common is stored only at the top level of the document
    name, unit = benchmark.inherited("metadata.name"), benchmark.inherited("metadata.unit") or "second"
    for number, run in enumerate(benchmark.children("runs")):
        # calibration runs have no values
        results.add(name, quantity_of(unit), run.array("values", optional=True), process=number)


FORMAT = ResultFormat(
    name="pyperf",
    looks="JSON with the keys benchmarks and perf_version",
    record="python bench.py -o a.json",
    keys=("benchmarks", "runs", "perf_version"),
    newest=("version", 1),
    records=listed("benchmarks"),
    add=_add,
    profiler="pyperf",
    facts={
        "profiler_version": "metadata.perf_version",
        "runtime": "metadata.python_version",
        "cpu_model": "metadata.cpu_model_name",
    },
)
