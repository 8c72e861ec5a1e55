"""Criterion's results of Rust benchmarks: its sample files, its messages, and the lines of Rust's own harness."""

import re
from decimal import Decimal

from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.json_text import Json, begins_object, decode, ends_hold, listing, mapping, wrong
from profgate.readers.results import Results, measured, quantity_of, text, time_in

_LONGEST_LINE = 10_000
_SAMPLE_FILE = re.compile(r"(?:/(?:new|base))?/sample\.json(?:\.\w+)?$")
_MESSAGE = re.compile(rb'^\{"reason": ?"(?:benchmark|group)-complete"', re.MULTILINE)
_BENCH = re.compile(r"test (\S.*?) +\.\.\. bench: *(.*)")
_VALUE = re.compile(r"(\d[\d,]*(?:\.\d+)?) (\w+)/iter \(\+/- [\d,.]+\).*")
_LINES = re.compile(rb"^test \S.* \.\.\. bench: +[\d,.]+ \w+/iter", re.MULTILINE)


class CriterionReader:
    """Reads `target/criterion/**/new/sample.json`, whose folders name the benchmark, and `--message-format=json`."""

    name = "criterion"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        if begins_object(source) and ends_hold(source, b'"sampling_mode"', b'"iters"', b'"times"'):
            return "it is JSON with a sampling mode, iterations and times"
        return "it has messages about completed benchmarks" if _MESSAGE.search(source.head) else None

    def read(self, source: SourceFile) -> Profile:
        """The time of an iteration in nanoseconds: a run, with the median of its samples. Raises ProfileError."""
        where, data = source.name, read_all(unwrap(source))
        results = Results(where)
        if _MESSAGE.search(data):
            for number, line in enumerate(data.splitlines(), start=1):
                if line.startswith(b'{"reason"'):
                    _add_message(results, mapping(decode(line, f"{where}:{number}"), where, "it"), f"{where}:{number}")
        else:
            sample = mapping(decode(data, where), where, "the document")
            name = _SAMPLE_FILE.sub("", f"/{where}").strip("/") or where
            results.add(name, time_in("ns"), _values(sample.get("iters"), sample.get("times"), where), process=0)
        return results.profile(Facts(format=self.name, profiler="criterion"))


class LibtestReader:
    """Reads the lines `test x ... bench: 12 ns/iter (+/- 3)` of `cargo bench`: one value a benchmark."""

    name = "libtest"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it has lines of Rust benchmarks" if _LINES.search(source.head) else None

    def read(self, source: SourceFile) -> Profile:
        """The time of an iteration in nanoseconds. Raises ProfileError."""
        results, lines = Results(source.name), read_all(unwrap(source)).decode(errors="replace").splitlines()
        for number, line in enumerate(lines, start=1):
            found = _BENCH.fullmatch(line.rstrip()) if len(line) < _LONGEST_LINE else None
            if found is None:
                continue
            value = _VALUE.fullmatch(found[2])
            if value is None:
                raise wrong(f"{source.name}:{number}", f"{found[2][:40]!r} is no time of an iteration")
            results.add(found[1], quantity_of(f"{value[2]}/iter"), [Decimal(value[1].replace(",", ""))])
        return results.profile(Facts(format=self.name, profiler="cargo bench"))


def _add_message(results: Results, message: Json, where: str) -> None:
    if message.get("reason") != "benchmark-complete":
        return
    unit = text(message, "unit") or "ns"
    results.add(
        message.get("id"),
        quantity_of(unit),
        _values(message.get("iteration_count"), message.get("measured_values"), where),
        process=0,
    )


def _values(iterations: object, times: object, where: str) -> list[float]:
    """The time of one iteration, of each sample."""
    counts, sums = listing(iterations, where, "the iterations"), listing(times, where, "the times")
    if len(counts) != len(sums) or not counts:
        raise wrong(where, "there are not as many times as counts of iterations")
    known = [measured(count, where) for count in counts]
    if 0 in known:
        raise wrong(where, "a sample has no iterations")
    return [measured(value, where) / count for value, count in zip(sums, known, strict=True)]
