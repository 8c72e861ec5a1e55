"""Lines `test x ... bench: 12 ns/iter (+/- 3)` from `cargo bench`: one value for each benchmark."""

import re

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, lines, number_in


def _add(results: Results, line: Record) -> None:
    results.add(line.get("name"), quantity_of(line.text("unit") or "ns/iter"), [number_in(line.text("value"))])


FORMAT = ResultFormat(
    name="libtest",
    looks="lines such as 'test x ... bench: 12 ns/iter'",
    record="cargo bench -- --output-format bencher > a.txt",
    proven="Criterion 0.3.6",
    word=b" bench: ",
    line=re.compile(rb"^test \S.* \.\.\. bench: +[\d,.]+ \S+/iter", re.MULTILINE),
    records=lines(r"test (?P<name>\S.*?)(?<! ) ++\.\.\. bench: *+(?:(?P<value>\S+) (?P<unit>\S+) \(\+/- [\d,.]+\))?.*"),
    add=_add,
    profiler="cargo bench",
)
