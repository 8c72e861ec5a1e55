"""Lines `test x ... bench: 12 ns/iter (+/- 3)` from `cargo bench`: one value for each benchmark."""

import re

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, lines, number_in

_VALUE = re.compile(r"(\d[\d,]*(?:\.\d+)?) (\w+/iter) \(\+/- [\d,.]+\).*")


def _add(results: Results, line: Record) -> None:
    value = _VALUE.fullmatch(line.text("time"))
    if value is None:
        raise line.error(f"{line.text('time')[:40]!r} is not a time of an iteration")
    results.add(line.get("name"), quantity_of(value[2]), [number_in(value[1], line.where)])


FORMAT = ResultFormat(
    name="libtest",
    looks="lines such as 'test x ... bench: 12 ns/iter'",
    record="cargo bench -- --output-format bencher > a.txt",
    proven="Criterion 0.3.6",
    word=b" bench: ",
    line=re.compile(rb"^test \S.* \.\.\. bench: +[\d,.]+ \w+/iter", re.MULTILINE),
    records=lines(r"test (?P<name>\S.*?)(?<! ) ++\.\.\. bench: *(?P<time>.*)"),
    add=_add,
    profiler="cargo bench",
)
