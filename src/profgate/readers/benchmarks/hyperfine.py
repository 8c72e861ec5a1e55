"""hyperfine's JSON: the wall-clock time of every run of a command."""

from itertools import compress

from profgate.model.profile import FAILED_RUNS
from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, listed


def _add(results: Results, command: Record) -> None:
    name, times = command.get("command"), command.array("times")
    if not times:
        raise command.error("has no 'times'")
    codes = command.array("exit_codes", optional=True)
    passed = [code == 0 for code in codes] or [True] * len(times)  # killed by a signal: null
    results.add(name, quantity_of("s"), compress(times, passed))
    memory = command.array("memory_usage_byte", optional=True)
    results.add(name, quantity_of("bytes", "peak memory"), compress(memory, passed))
    results.warnings[FAILED_RUNS] += passed.count(False)


FORMAT = ResultFormat(
    name="hyperfine",
    looks="JSON with the results of commands",
    record="hyperfine --export-json a.json CMD",
    keys=("results", "command", "median"),
    records=listed("results"),
    add=_add,
    profiler="hyperfine",
)
