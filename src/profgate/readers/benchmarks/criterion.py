"""Criterion's samples for Rust benchmarks: `target/criterion/**/new/sample.json` or `cargo criterion` messages."""

import re
from collections.abc import Iterable

from profgate.model.source import SourceFile
from profgate.readers.benchmarks.results import Results, for_each, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, json_lines
from profgate.readers.json_text import document_of

_MESSAGE = re.compile(rb'^\{"reason": ?"(?:benchmark|group)-complete"', re.MULTILINE)


def _samples(source: SourceFile) -> Iterable[Record]:
    """Return the benchmark messages or a sample file, whose benchmark is named by the directories of its path."""
    if _MESSAGE.search(source.head):
        return (message for message in json_lines(source) if message.get("reason") == "benchmark-complete")
    sample = Record(source.name, document_of(source))
    name = re.sub(r"(?:/(?:new|base))?/sample\.json(?:\.\w+)?$", "", f"/{source.name}")
    sample.fields["id"] = name.strip("/") or source.name
    return [sample]


def _add(results: Results, sample: Record) -> None:
    message = "reason" in sample.fields
    counts = sample.array("iteration_count" if message else "iters")
    times = sample.array("measured_values" if message else "times")
    if len(counts) != len(times) or not counts:
        raise sample.error("the numbers of times and of iteration counts differ")
    values = [for_each(time, count) for time, count in zip(times, counts, strict=True)]
    results.add(sample.get("id"), quantity_of(sample.text("unit") or "ns"), values, process=0)


FORMAT = ResultFormat(
    name="criterion",
    looks="JSON with the keys sampling_mode, iters and times, or messages of cargo criterion",
    record="cargo bench; then give target/criterion/**/new/sample.json",
    keys=("sampling_mode", "iters", "times"),
    line=_MESSAGE,
    word=b'-complete"',
    records=_samples,
    add=_add,
    profiler="criterion",
)
