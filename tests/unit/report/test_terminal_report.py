import io
import re
import unicodedata

import report_samples as samples
from golden_files import Golden
from profgate.decide.judge.findings import drafts_of
from profgate.io.terminal import show
from profgate.model.reason import NotCompared, as_reason
from profgate.model.record import replace
from profgate.model.report import Attribution
from profgate.report.terminal_report import terminal_lines
from profgate.report.view import View
from terminal_text import terminal_text


def width_of(line: str) -> int:
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in line)


def test_terminal_of_a_regression(golden: Golden) -> None:
    golden.check("terminal/regression.txt", terminal_text(samples.regression()))


def test_terminal_with_every_change(golden: Golden) -> None:
    golden.check("terminal/verbose.txt", terminal_text(samples.regression(), verbose=True, width=100))


def test_common_names_have_a_place_and_calls() -> None:
    row = samples.finding("__eq__", 1e9, 2e9, file="lark/lexer.py")
    row = replace(row, location=replace(row.location, line=7))
    counted = replace(samples.change_of(row), from_value=106.0, to_value=203_238.0)
    calls = replace(samples.metric(name="calls", unit="count", before=1e6, after=2e6), unjudged=drafts_of([counted]))
    text = terminal_text(samples.report(samples.workload(samples.metric(row), calls), verdict=samples.RED), width=120)
    assert re.search(r"^ +function .* share of total +calls$", text, re.MULTILINE)
    assert re.search(r"^ +severe +__eq__ \(lexer\.py:7\) .* 106 → 203,238$", text, re.MULTILINE)


def test_empty_report_never_reads_as_passed() -> None:
    report = replace(samples.nothing_compared(), verdict=samples.GREEN)
    assert terminal_text(report).startswith("NOT COMPARED  ")


def test_long_lists_are_cut_and_counted() -> None:
    missing = tuple(NotCompared(f"w{number}", None, "both", as_reason("unreadable")) for number in range(500))
    reasons = tuple(samples.text(f"doubt {number}") for number in range(500))
    report = replace(
        samples.nothing_compared(), not_compared=missing, verdict=samples.verdict("not_compared", *reasons)
    )
    text = terminal_text(report)
    assert len(text.splitlines()) < 60
    assert "and 494 more reasons (-v shows them)" in text
    assert "and 460 more workloads (-v shows them)" in text
    assert len(terminal_text(report, verbose=True).splitlines()) > 1000


def test_tables_fit_eighty_columns_with_wide_names() -> None:
    row = samples.finding("解析ヘッダー" * 30, 2.4e9, 5.1e9)
    text = terminal_text(samples.report(samples.workload(samples.metric(row)), verdict=samples.RED))
    table = [line for line in text.splitlines() if line.startswith("  severe")]
    assert len(table) == 1
    assert width_of(table[0]) <= 80
    assert table[0].endswith("6.0 → 12.8 %")


def test_many_findings_are_counted_not_dropped() -> None:
    found = [samples.finding(f"f{number:02}", 1e9, 2e9) for number in range(25)]
    report = samples.report(samples.workload(samples.metric(*found)), verdict=samples.RED)
    assert "and 5 more findings (-v shows them)" in terminal_text(report)
    assert "f24" in terminal_text(report, verbose=True)


def test_verbose_lists_what_does_not_apply() -> None:
    row = samples.finding("parse", 1e9, 2e9)
    metric = replace(
        samples.metric(row),
        not_tested=(as_reason("totals: one run"),),
        unsuited=(as_reason("call_context: no stacks"),),
    )
    report = samples.report(samples.workload(metric), verdict=samples.RED)
    assert "not tested: totals: one run" in terminal_text(report)
    assert "no stacks" not in terminal_text(report)
    assert "does not apply: call_context: no stacks" in terminal_text(report, verbose=True)


def test_call_path_is_left_out_beside_a_name() -> None:
    reach = Attribution(reach="called by a changed function", reach_path="load › read › parse")
    row = replace(samples.finding("parse", 1e9, 2e9), attribution=reach)
    report = samples.report(samples.workload(samples.metric(row)), verdict=samples.RED)
    assert "parse (called by changed code) " in terminal_text(report, width=100)


def test_show_writes_plain_text_without_a_terminal() -> None:
    stream = io.StringIO()
    show(terminal_lines(View(samples.regression())), stream)
    assert stream.getvalue() == terminal_text(samples.regression())


def test_show_replaces_what_the_encoding_lacks() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    show("2.4 → 5.1 s\n", stream)
    assert raw.getvalue() == b"2.4 ? 5.1 s\n"


def test_metrics_that_are_not_shown_are_counted() -> None:
    assert "261 metrics without a finding (-v shows them)" in terminal_text(samples.many())
    text = terminal_text(samples.many(300, 100))
    assert "and 59 more metrics with findings (-v shows them)" in text
    assert "201 metrics without a finding (-v shows them)" in text
