"""The JSON of `vitest bench`: one run per benchmark, with the median of its samples, which all run in one process."""

import re
from collections.abc import Iterable

from profgate.errors import ProfileError
from profgate.model.source import SourceFile
from profgate.readers.benchmarks.javascript import add_typical
from profgate.readers.benchmarks.results import Results
from profgate.readers.benchmarks.specification import Record, ResultFormat
from profgate.readers.json_text import document_of

_TESTS_ONLY = (
    "contains results of tests, but no benchmarks; run: vitest bench --run --reporter=json --outputFile=a.json"
)
_GROUPS = re.compile(rb'\s*\{\s*"files"\s*:\s*\[\s*\{\s*"filepath"')


def _entries(source: SourceFile) -> Iterable[Record]:
    """Return the groups of benchmarks or, since version 5, the tests with their benchmarks."""
    document = Record(source.name, document_of(source))
    files = document.children("files", optional=True)
    modules = document.children("testResults", optional=True)
    groups = [group for file in files for group in file.children("groups")]
    tests = [test for module in modules for test in module.children("assertionResults")]
    if tests and not any(test.get("benchmarks") for test in tests):
        raise ProfileError(source.name, _TESTS_ONLY)
    return [*groups, *tests]


def _add(results: Results, entry: Record) -> None:
    for benchmark in entry.children("benchmarks", optional=True):
        tasks = benchmark.children("tasks", optional=True)
        for task in tasks:
            statistics = task.child("latency", optional=True)
            file = entry.inherited("name")
            add_typical(results, statistics, "ms", benchmark.text("name"), task.text("name"), file=file)
        if not tasks:
            add_typical(results, benchmark, "ms", entry.text("fullName"), benchmark.text("name"))


FORMAT = ResultFormat(
    name="vitest",
    looks="JSON with benchmarks in files and groups, or with results of tests",
    record="vitest bench --run --outputJson a.json; since version 5: --reporter=json --outputFile=a.json",
    keys=("numTotalTests", "testResults"),
    pattern=_GROUPS,
    records=_entries,
    add=_add,
    profiler="vitest",
)
