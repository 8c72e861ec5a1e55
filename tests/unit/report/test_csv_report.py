import csv
import io

import pytest

import report_samples as samples
from profgate.report.csv_report import COLUMNS, to_csv
from profgate.report.rows import COLUMNS as SHOWN
from profgate.report.view import View


def records(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text), strict=True))


def test_findings_changes_and_gaps_each_get_a_row() -> None:
    table = records(to_csv(View(samples.hostile())))
    count = len(samples.HOSTILE)
    kinds = [row["record"] for row in table]
    assert [kinds.count(kind) for kind in ("finding", "change", "not compared")] == [4 * count, 4 * count, count]


def test_a_finding_is_written_in_base_units() -> None:
    row = next(row for row in records(to_csv(View(samples.regression()))) if row["name"] == "http.parse_headers")
    assert {name: row[name] for name in ("workload", "metric", "unit", "file", "line", "from", "to", "relative")} == {
        "workload": "api-bench",
        "metric": "cpu",
        "unit": "nanoseconds",
        "file": "http.py",
        "line": "",
        "from": "2400000000.0",
        "to": "5100000000.0",
        "relative": "1.125",
    }


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", " =1"])
def test_what_a_spreadsheet_would_run_is_quoted(name: str) -> None:
    row = samples.finding(name, 1e9, 2e9)
    table = records(to_csv(View(samples.report(samples.workload(samples.metric(row))))))
    assert {line["name"] for line in table} == {f"'{name.strip()}"}


def test_negative_numbers_stay_numbers() -> None:
    table = records(to_csv(View(samples.improvement())))
    assert {float(row["delta"]) for row in table} == {-1.6e9}


def test_hostile_names_keep_the_columns() -> None:
    lines = list(csv.reader(io.StringIO(to_csv(View(samples.hostile()))), strict=True))
    assert {len(line) for line in lines} == {len(COLUMNS) + len(SHOWN)}
    assert len(to_csv(View(samples.hostile())).encode().splitlines()) == len(lines)
