"""JMH's JSON: the iterations of every fork of a benchmark."""

import re
from decimal import Decimal

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, decode, listing, mapping, wrong
from profgate.readers.results import Results, measured, quantity_of, text, unknown

_LOOKS = re.compile(rb'\A\s*\[\s*\{\s*"jmhVersion"')
_MODES = {"thrpt": "throughput", "avgt": "time", "sample": "sampled time", "ss": "single-shot time"}


class JmhReader:
    """Reads what JMH writes with `-rf json`: a run for each fork, the median of its iterations."""

    name = "jmh"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it is a JSON array that begins with a version of JMH" if _LOOKS.match(source.head) else None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds, throughput for each second, and what profilers added. Raises ProfileError."""
        where = source.name
        results, version, runtime = Results(where), None, None
        for number, entry in enumerate(listing(decode(read_all(unwrap(source)), where), where, "the document")):
            place = f"{where}: result {number}"
            record = mapping(entry, place, "it")
            _add(results, record, place)
            version, runtime = text(record, "jmhVersion"), text(record, "jdkVersion")
        return results.profile(Facts(format=self.name, profiler="jmh", profiler_version=version, runtime=runtime))


def _add(results: Results, record: Json, where: str) -> None:
    name, threads = record.get("benchmark"), record.get("threads", 1)
    if not isinstance(name, str):
        raise wrong(where, "has no 'benchmark'")
    said = [f"{key}={value}" for key, value in mapping(record.get("params", {}), where, "'params'").items()]
    said += [f"threads={threads}"] if threads != 1 else []
    name = f"{name} ({', '.join(said)})" if said else name
    mode = _MODES.get(str(record.get("mode")), str(record.get("mode")))
    _add_metric(results, (name, mode), mapping(record.get("primaryMetric"), where, "'primaryMetric'"), where)
    for key, metric in mapping(record.get("secondaryMetrics", {}), where, "'secondaryMetrics'").items():
        _add_metric(results, (name, key.strip("·")), mapping(metric, where, repr(key)), f"{where}: {key}")


def _add_metric(results: Results, title: tuple[str, str], metric: Json, where: str) -> None:
    unit = text(metric, "scoreUnit") or ""
    if "rawDataHistogram" in metric:
        forks = [
            [_mean_of(iteration, where) for iteration in listing(fork, where, "a fork")]
            for fork in listing(metric["rawDataHistogram"], where, "'rawDataHistogram'")
        ]
    else:
        forks = [
            [measured(value, where) for value in listing(fork, where, "a fork")]
            for fork in listing(metric.get("rawData", []), where, "'rawData'")
        ]
    # a profiler's MB/sec and counts are no goals in themselves
    goal = unit.startswith("ops/") or unit.endswith("/op")
    quantity = quantity_of(unit, title[1]) if goal else unknown(unit, title[1])
    for number, fork in enumerate(forks):
        results.add(title[0], quantity, fork, process=number)
    if not any(forks):
        results.warnings["metrics with a score alone, whose iterations were not written"] += 1
        results.add(title[0], quantity, [metric.get("score")])


def _mean_of(histogram: object, where: str) -> float:
    """The mean of pairs of a value and how often it was met."""
    total, many = 0.0, 0
    for entry in listing(histogram, where, "an iteration"):
        pair = listing(entry, where, "a value with its count")
        if len(pair) != 2 or not isinstance(pair[1], int | Decimal):
            raise wrong(where, "a value has no count")
        count = int(measured(pair[1], where))
        total, many = total + measured(pair[0], where) * count, many + count
    if not many:
        raise wrong(where, "an iteration has no values")
    return total / many
