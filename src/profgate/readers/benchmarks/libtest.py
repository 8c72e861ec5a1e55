"""Lines `test x ... bench: 12 ns/iter (+/- 3)` from `cargo bench`: one value for each benchmark."""

import re
from collections.abc import Iterable

from profgate.readers.benchmarks.results import Results, quantity_of
from profgate.readers.benchmarks.specification import Record, ResultFormat, completed, lines

_RESULT = re.compile(r"(?:|.* )bench: *+(?P<value>\S+) (?P<unit>\S+) \(\+/- [\d,.]+\).*")


def _results(written: Iterable[Record], results: Results) -> list[Record]:
    return [line for line in completed(written, _RESULT, results) if line.text("value")]


def _add(results: Results, line: Record) -> None:
    results.add(line.get("name"), quantity_of(line.text("unit")), [line.get("value")])


FORMAT = ResultFormat(
    name="libtest",
    looks="lines such as 'test x ... bench: 12 ns/iter'",
    record="cargo bench -- --output-format bencher > a.txt",
    word=b"bench: ",
    line=re.compile(rb"^(?:test \S.* \.\.\. )?bench: +[\d,.]+ \S+/iter", re.MULTILINE),
    records=lines(r"(?:test (?P<name>\S.*?)(?<! ) ++\.\.\.(?: +|$)|(?=.*bench: ))(?P<text>.*)"),
    select=_results,
    add=_add,
    profiler="cargo bench",
)
