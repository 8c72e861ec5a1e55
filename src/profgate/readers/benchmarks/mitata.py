"""mitata's JSON: one run per benchmark, with the median of its samples, which all run in one process."""

from profgate.readers.benchmarks.javascript import add_typical
from profgate.readers.benchmarks.results import Results
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed
from profgate.readers.json_text import is_integer, mapping


def _add(results: Results, benchmark: Record) -> None:
    groups = benchmark.parent.array("layout") if benchmark.parent else []
    number = benchmark.get("group")
    group = mapping(groups[number], benchmark.where, "its group") if is_integer(number, 0, len(groups) - 1) else {}
    for run in benchmark.children("runs"):
        add_typical(results, run.child("stats", optional=True), "ns", str(group.get("name") or ""), run.text("name"))


FORMAT = ResultFormat(
    name="mitata",
    looks="JSON with the keys layout and benchmarks",
    record="node bench.mjs > a.json; it calls run({ format: { json: { samples: false, debug: false } } })",
    keys=("layout", "benchmarks"),
    records=listed("benchmarks"),
    add=_add,
    profiler="mitata",
    facts={"runtime": "context.version", "architecture": "context.arch", "cpu_model": "context.cpu.name"},
)
