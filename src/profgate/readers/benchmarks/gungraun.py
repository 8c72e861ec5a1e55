"""The `summary.json` of Gungraun for one benchmark: the events that a tool of Valgrind counts."""

import re

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, whole

# sums and rates of other events; accesses to the simulated caches are part of the event EstimatedCycles
_DERIVED = re.compile(r".*(?:Rate|[Hh]its|RW|m[rw])")


def _add(results: Results, benchmark: Record) -> None:
    name = " ".join(filter(None, map(benchmark.text, ("module_path", "id"))))
    for profile in benchmark.children("profiles"):
        metrics = profile.child("data.total.metrics")
        # the first metric is the most important one
        for event in sorted(metrics.fields, key=lambda event: event != "Ir"):
            if not _DERIVED.fullmatch(event):
                unit = "bytes" if event.endswith("Bytes") else "count"
                value = metrics.child(event).get("values.new")
                results.add(name, quantity_of(unit, event), [value], process=0)


FORMAT = ResultFormat(
    name="gungraun",
    looks="JSON with the keys benchmark_exe, module_path and profiles",
    record="cargo bench --bench NAME -- --save-summary=json; then give target/gungraun/**/summary.json",
    counted=("*",),
    keys=("benchmark_exe", "module_path", "profiles"),
    newest=("version", 7),
    records=whole,
    add=_add,
    profiler="gungraun",
)
