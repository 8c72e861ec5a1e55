"""JMH's JSON: one run per fork of a benchmark, with the median of its iterations."""

import re
from typing import Any

from profgate.readers.benchmarks.results import Results, measured, quantity_of, unknown
from profgate.readers.benchmarks.specification import Record, ResultFormat, json_array
from profgate.readers.json_text import listing, mapping, wrong


def _add(results: Results, record: Record) -> None:
    name, threads = record.text("benchmark"), record.fields.get("threads", 1)
    if not name:
        raise record.error("has no 'benchmark'")
    parameters = [f"{key}={value}" for key, value in record.child("params", optional=True).fields.items()]
    parameters += [f"threads={threads}"] if threads != 1 else []
    name += f" ({', '.join(parameters)})" if parameters else ""
    mode = str(record.get("mode"))  # JMH writes the short name of its enum Mode
    names = {"thrpt": "throughput", "avgt": "time", "sample": "sampled time", "ss": "single-shot time"}
    primary = names.get(mode, mode)
    _add_metric(results, name, primary, record.child("primaryMetric"))
    for key, metric in record.child("secondaryMetrics", optional=True).fields.items():
        place = f"{record.where}: {key}"
        title = f"{key.strip('·')} ({primary})"  # one benchmark may run in several modes
        _add_metric(results, name, title, Record(place, mapping(metric, place, "it")))


def _add_metric(results: Results, benchmark: str, name: str, metric: Record) -> None:
    unit = metric.text("scoreUnit")
    # for rates in MB/sec and counts from JMH's profilers, it is unknown whether lower or higher is better
    goal = unit.startswith("ops/") or unit.endswith("/op")
    quantity = quantity_of(unit, name) if goal else unknown(unit, name)
    histograms = metric.array("rawDataHistogram", optional=True)
    forks = [listing(fork, metric.where, "a fork") for fork in histograms or metric.array("rawData", optional=True)]
    for number, fork in enumerate(forks):
        values = [_mean(iteration, metric.where) for iteration in fork] if histograms else fork
        results.add(benchmark, quantity, values, process=number)
    if not any(forks):
        results.warnings["metrics with a score alone, whose iterations were not written"] += 1
        results.add(benchmark, quantity, [metric.get("score")])


def _mean(iteration: object, where: str) -> float:
    """Return the mean of the values in (value, count) pairs, weighted by the counts."""
    histogram: list[Any] = listing(iteration, where, "an iteration")
    try:
        pairs = [(measured(value), measured(count)) for value, count in histogram]
        from statistics import fmean  # this module is imported for every text file

        values, counts = zip(*pairs, strict=True)
        return fmean(values, counts)
    except (TypeError, ValueError):
        raise wrong(where, "an iteration is not a list of values with their counts") from None


FORMAT = ResultFormat(
    name="jmh",
    looks="a JSON array of objects with the keys jmhVersion or benchmark and mode",
    record="java -jar benchmarks.jar -rf json -rff a.json",
    pattern=re.compile(rb'\s*\[\s*\{\s*"(?:jmhVersion"|benchmark"[^{}]*"mode")'),
    records=json_array,
    add=_add,
    profiler="jmh",
    facts={"profiler_version": "jmhVersion", "runtime": "jdkVersion"},
)
