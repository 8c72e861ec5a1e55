"""The JSON of `vitest bench`: one run per benchmark, with the median of its samples, which all run in one process."""

import posixpath
import re
from collections import defaultdict
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
    entries = [group for file in document.children("files", optional=True) for group in file.children("groups")]
    modules = document.children("testResults", optional=True)
    names = _short_names(module.text("name") for module in modules)
    tests = []
    for module in modules:
        for test in module.children("assertionResults"):
            test.fields["fullName"] = names[module.text("name")]
            tests.append(test)
    if tests and not any(test.get("benchmarks") for test in tests):
        raise ProfileError(source.name, _TESTS_ONLY)
    return entries + tests


def _short_names(paths: Iterable[str]) -> dict[str, str]:
    """Return the name of each file, with as many folders as distinguish it, because a checkout can be anywhere."""
    same = defaultdict(list)
    for path in paths:
        parts = path.split("/")
        same[parts[-1]].append(parts)
    short = {}
    for files in same.values():
        shared = posixpath.commonprefix([parts[:-1] for parts in files])
        for parts in files:
            short["/".join(parts)] = "/".join(parts[len(shared) :])
    return short


def _add(results: Results, entry: Record) -> None:
    group = entry.text("fullName")
    for benchmark in entry.children("benchmarks", optional=True):
        name, tasks = benchmark.text("name"), benchmark.children("tasks", optional=True)
        for task in tasks:
            add_typical(results, task.child("latency", optional=True), "ms", group, name, task.text("name"))
        if not tasks:
            add_typical(results, benchmark, "ms", group, name)


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
