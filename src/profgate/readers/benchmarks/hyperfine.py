"""hyperfine's JSON: the wall-clock time of every run of a command."""

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed


def _add(results: Results, command: Record) -> None:
    name, times = command.get("command"), command.array("times")
    if not times:
        raise command.error("has no 'times'")
    results.add(name, quantity_of("s"), times)
    results.add(name, quantity_of("bytes", "peak memory"), command.array("memory_usage_byte", optional=True))
    failed = sum(code != 0 for code in command.array("exit_codes", optional=True))
    results.warnings["runs that ended with an error and are compared all the same"] += failed


FORMAT = ResultFormat(
    name="hyperfine",
    looks="JSON with the results of commands",
    record="hyperfine --export-json a.json CMD",
    proven="hyperfine 1.15",
    keys=("results", "command", "median"),
    records=listed("results"),
    add=_add,
    profiler="hyperfine",
)
