"""The table of workloads in the step summary."""

import re

from profgate.report.metric_headline import workload_table
from profgate.report.view import View
from report_samples import hostile, many, regression, unchanged


def test_table_has_a_row_for_each_workload() -> None:
    pages = {("api-bench", "cpu"): "https://example.org/a.html"}
    table = workload_table(View(regression()), pages)
    first, second = (line.replace("\N{NO-BREAK SPACE}", "_").split(" | ") for line in table.splitlines()[2:])
    assert first == [
        "| [`api-bench`](https://example.org/a.html)<br>`cpu`",
        "**+6.8_%**<br>41.2_→_44.0_s",
        "❌ fails",
        "`http.parse_headers` is 2.1x slower (2.40 → 5.10 s) |",
    ]
    assert second == ["| `cli-bench`<br>`cpu`", "**+0.1_%**<br>12.9_→_12.9_s_(within_noise)", "✅ unchanged", " |"]


def test_single_metric_has_no_table() -> None:
    assert workload_table(View(unchanged()), {}) == ""


def test_long_table_is_cut() -> None:
    table = workload_table(View(many()), {})
    assert len(re.findall("^\\| [`[]", table, re.MULTILINE)) == 100
    assert table.endswith("… and 200 more metrics in the report.")
    assert len(table.encode()) < 40_000


def test_names_are_code() -> None:
    rows = workload_table(View(hostile()), {}).splitlines()[2:]
    assert {row.count(" | ") for row in rows} == {3}
    assert "<img" not in re.sub(r"(`+).*?(?<!`)\1(?!`)", "", "\n".join(rows))
