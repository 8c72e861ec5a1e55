"""The text of `go test -bench`: lines of a benchmark with pairs of value and unit, repeated by `-count`."""

import re
from decimal import Decimal, InvalidOperation

from profgate.errors import ProfileError
from profgate.model.profile import Facts, Profile
from profgate.model.source import SourceFile
from profgate.readers.containers import read_all, unwrap
from profgate.readers.results import Results, quantity_of

# the format is that of golang.org/design/14313-benchmark-format
_RUN = re.compile(r"(Benchmark\S*)\s+(\d+)\s+(\S.*)")
_LOOKS = re.compile(rb"^Benchmark\S*[ \t]+\d+[ \t]+[\d.e+]+[ \t]+\S+/(?:op|s)\b", re.MULTILINE)
_END = ("PASS", "FAIL", "ok ")
_FACT = re.compile(r"(goos|goarch|pkg|cpu): *(.*)")
_PROCESSORS = re.compile(r"-\d+$")
_LONGEST_LINE = 10_000
_NAMES = {"b/op": "allocated", "allocs/op": "allocations", "mb/s": "speed"}


class GoBenchmarkReader:
    """Reads what `go test -bench . -count 10` prints: a run a process, the medians of its lines."""

    name = "go-benchmark"

    def recognizes(self, source: SourceFile) -> str | None:
        """Why this file looks like the format, or None."""
        return "it has lines of Go benchmarks" if _LOOKS.search(source.head) else None

    def read(self, source: SourceFile) -> Profile:
        """Times in nanoseconds, memory in bytes, rates for each second. Raises ProfileError."""
        where = source.name
        results, facts, package, ended = Results(where), dict[str, str](), "", False
        lines: list[tuple[int, int, str, str, str]] = []
        process = 0
        for number, line in enumerate(read_all(unwrap(source)).decode(errors="replace").splitlines(), start=1):
            if len(line) > _LONGEST_LINE:
                continue  # what the tests print themselves
            if fact := _FACT.fullmatch(line.rstrip()):
                facts[fact[1]] = fact[2]
                package = fact[2] if fact[1] == "pkg" else package
            elif run := _RUN.fullmatch(line.rstrip()):
                process += ended
                lines.append((number, process, package, run[1], run[3]))
                ended = False
            elif line.startswith(_END):
                ended = True
        results.warnings["ends without a PASS: the run was cut off, or its output was filtered"] += not ended
        hidden = _processors([line[3] for line in lines])
        for number, of_process, package, name, values in lines:
            title = ".".join(filter(None, (package, name.removesuffix(hidden))))
            _add(results, title, values, f"{where}:{number}", of_process)
        return results.profile(
            Facts(
                format=self.name,
                profiler="go test",
                os=facts.get("goos"),
                architecture=facts.get("goarch"),
                cpu_model=facts.get("cpu"),
            )
        )


def _processors(names: list[str]) -> str:
    """The number of processors that ends every name, which belongs to the machine; "" where names differ in it."""
    found = {match[0] if (match := _PROCESSORS.search(name)) else "" for name in names}
    return found.pop() if len(found) == 1 else ""


def _add(results: Results, name: str, values: str, where: str, process: int) -> None:
    words = values.split()
    if len(words) % 2:
        raise ProfileError(where, f"{words[-1][:40]!r} has no unit; let the benchmarks run again")
    for value, unit in zip(words[::2], words[1::2], strict=True):
        try:
            number = Decimal(value)
        except InvalidOperation:
            raise ProfileError(where, f"{value[:40]!r} is no number; let the benchmarks run again") from None
        results.add(name, quantity_of(unit, _NAMES.get(unit.lower(), "")), [number], process=process)
