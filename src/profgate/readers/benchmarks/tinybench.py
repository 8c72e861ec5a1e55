"""The results of tinybench's tasks: one run per task, with the median of its samples, which all run in one process."""

import posixpath
import re
from collections.abc import Iterable

from profgate.model.source import SourceFile
from profgate.readers.benchmarks.javascript import add_typical
from profgate.readers.benchmarks.results import Results
from profgate.readers.benchmarks.specification import Record, ResultFormat, json_array
from profgate.readers.json_text import document_of


def _tasks(source: SourceFile) -> Iterable[Record]:
    """Return the tasks of an array, or the task of a file that Vitest 5 writes, which is named by its path."""
    if source.head.lstrip().startswith(b"["):
        return json_array(source)
    name = posixpath.basename(source.name).partition(".")[0]
    return [Record(source.name, {**document_of(source), "name": name})]


def _add(results: Results, task: Record) -> None:
    result = task if task.get("result") is None else task.child("result")
    add_typical(results, result.child("latency", optional=True), "ms", task.text("name"))


FORMAT = ResultFormat(
    name="tinybench",
    looks="a JSON array of objects with the key latency, or such an object",
    record="node bench.mjs > a.json; it prints the JSON of bench.tasks.map(({ name, result }) => ({ name, result }))",
    pattern=re.compile(rb'\s*(?:\[\s*\{[^\[\]]*|\{\s*)"latency"\s*:\s*\{'),
    records=_tasks,
    add=_add,
    profiler="tinybench",
    facts={"runtime": "result.runtimeVersion"},
)
