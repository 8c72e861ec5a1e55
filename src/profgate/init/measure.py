"""Measures the duration of a command, and chooses the sampling rate and the number of runs to record."""

import re
import time

from profgate.errors import ProfgateError
from profgate.init.recipes import FEWEST_RUNS, SAMPLES, Extent, Recipe, extent_for
from profgate.io.processes import output_of

LONGEST = 900.0  # time limit in seconds
ITERATIONS = re.compile(r" -benchtime \d{1,12}x")
PER_ITERATION = re.compile(r"^Benchmark\S{0,200}\s{1,50}\d{1,12}\s{1,50}(\d{1,15}(?:\.\d{1,9})?) ns/op", re.MULTILINE)
BUILD_TOOL = "takes the time of the build tool for that of the tests; leave it out, or record java itself"


def measured(top: str, recipe: Recipe, command: str) -> tuple[str, Extent]:
    """Run a command once. Return the command, and the rate and number of runs for recording it.

    For Go, the number of iterations in the returned command is adjusted. Raises ProfgateError if the command fails, or
    if the measured time would be that of a build tool.
    """
    if recipe.language == "Java" and not command.startswith("java "):
        raise ProfgateError("--measure", BUILD_TOOL)
    if recipe.language == "Rust" and command.startswith("cargo bench"):
        _run(f"{command.partition(' -- ')[0]} --no-run", top)
    if recipe.language == "Go" and ITERATIONS.search(command):
        return _with_iterations(command, _run(ITERATIONS.sub("", command), top)[1], recipe.rate)
    seconds, _ = _run(f"node {command}" if recipe.language == "Node" else command, top)
    return command, extent_for(recipe.rate, seconds)


def _run(command: str, top: str) -> tuple[float, str]:
    """Run a shell command and return its duration in seconds (at least 0.001) and its output."""
    start = time.monotonic()
    output = output_of(["sh", "-c", command], top, {}, LONGEST)
    return max(time.monotonic() - start, 0.001), output


def _with_iterations(command: str, output: str, rate: int) -> tuple[str, Extent]:
    """Return the command with enough iterations per benchmark, and the extent of its recording."""
    iteration = sum(float(nanoseconds) for nanoseconds in PER_ITERATION.findall(output)) / 1e9
    if not iteration:
        raise ProfgateError("--measure", "found no benchmark in the output; use a --command that runs benchmarks")
    needed = SAMPLES / FEWEST_RUNS / rate
    count = max(1, round(1.1 * needed / iteration))
    return ITERATIONS.sub(f" -benchtime {count}x", command), Extent(rate, FEWEST_RUNS, count * iteration)
