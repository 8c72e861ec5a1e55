"""Output of `go test -json -count=1 ./...`: the time of each test, to the nearest hundredth of a second.

Source: `go doc test2json`.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from profgate.model.profile import Profile
from profgate.model.record import replace
from profgate.model.source import SourceFile, source_of
from profgate.readers.benchmarks import go_benchmark
from profgate.readers.benchmarks.results import LONGEST_NAME, Results
from profgate.readers.benchmarks.specification import Record, ResultFormat, json_lines


def _tests(events: Iterable[Record], results: Results) -> list[Record]:
    """Return the finished tests. Tests with subtests are omitted, because their times include those of the subtests."""
    tests, ended = list[Record](), True
    for event in events:
        action = event.text("Action")
        if action == "output" and "(cached)" in event.text("Output"):
            results.warnings["packages whose results and times are old, from Go's cache; add -count=1"] += 1
        if not event.text("Test"):
            ended = action in {"pass", "fail", "skip", "build-fail"} if action else ended
        elif action in {"pass", "fail"}:
            tests.append(event)
        elif action == "skip":
            results.warnings["tests skipped"] += 1
    results.warnings["ends within a package: the run was cut off"] += not ended
    names = [(test.text("Package"), test.text("Test")) for test in tests]
    # longer names are refused later, but the names of their parents could exhaust memory
    usual = [(package, name) for package, name in names if len(name) <= LONGEST_NAME]
    parents = {(package, name[: slash.start()]) for package, name in usual for slash in re.finditer("/", name)}
    return [test for test, name in zip(tests, names, strict=True) if name not in parents]


class _TestOutput(ResultFormat):
    """Reader that passes the output of benchmarks on to the reader of benchmark results."""

    def read(self, source: SourceFile) -> Profile:
        """Return the times of the tests, or the results of the benchmarks with the tests beside them."""
        tests, text = super().read(source), _output(source)
        if not go_benchmark.FORMAT.line.search(text):  # type: ignore[union-attr]
            return tests
        profile = go_benchmark.FORMAT.read(source_of(source.name, text))
        return replace(profile, beside=tests) if tests.frames.names else profile


def _output(source: SourceFile) -> bytes:
    """Return what the tests printed. Events of several packages may alternate, and an event may end within a line."""
    packages = defaultdict[str, list[str]](list)
    for event in json_lines(source):
        test = event.text("Test")
        if test and not test.startswith("Benchmark"):  # a test may print a line that looks like a result
            continue
        if event.text("Action") == "output":
            packages[event.text("Package")].append(event.text("Output"))
    return "".join(f"pkg: {name}\n{''.join(parts)}\n" for name, parts in packages.items()).encode()


FORMAT = _TestOutput(
    name="go-test",
    looks="lines of JSON with the keys Action and Package",
    record="go test -json -count=1 ./... > a.json",
    pattern=re.compile(
        rb'\s*\{[^\n]*"Action" ?: ?"(?:start|run|output|pause|cont|build-output|build-fail|pass|fail|skip)"'
    ),
    records=json_lines,
    select=_tests,
    title=("Package", "Test"),
    value="Elapsed",
    profiler="go test",
    scenarios=False,
)
