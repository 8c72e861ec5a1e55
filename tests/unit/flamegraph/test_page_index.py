"""The index of the pages."""

import unicodedata

import pytest

from comparisons import from_exclusive
from profgate.flamegraph.pages import build_index, file_names
from profgate.model.calibration import Calibration
from profgate.model.record import replace
from profgate.model.report import Colour, MetricReport
from profgate.model.units import Metric
from profgate.report.metric_headline import WorkloadRow, workload_row
from profgate.report.rows import Pair
from profgate.report.view import View
from report_samples import hostile, inconclusive, regression, report, unchanged, workload


def test_index_has_verdict_totals_and_finding() -> None:
    load, metric = regression().metrics[0]
    page = build_index(View(regression()), {(load.name, metric.name): "demo/cpu.html"})
    assert f'<a href="demo/cpu.html">{load.name}</a><small>cpu</small></th>' in page
    assert '<h1><span class="sign fails" role="img" aria-label="fails">✕</span> ' in page
    assert "fails<small>http.parse_headers is 2.1x slower" in page
    assert '<td class="worse">+6.8 %<small>41.2 → 44.0 s</small></td>' in page
    assert "<td>+0.1 %<small>12.9 → 12.9 s (within noise)</small></td>" in page
    for word, mark in (("fails", "✕"), ("unchanged", "✓")):
        assert f'<span class="sign {word}" aria-hidden="true">{mark}</span> {word}<' in page
    assert not any(emoji in page for emoji in "❌🟡⚡✅⚪")
    assert "too few samples to judge: 674 in 5 runs" in build_index(View(inconclusive()), {})


def row_of(metric: MetricReport) -> WorkloadRow:
    return workload_row(View(report(workload(metric))), Pair("w", metric))


@pytest.mark.parametrize(
    ("colour", "expected"), [("red", "❌ fails"), ("yellow", "⚪ inconclusive"), ("green", "⚪ inconclusive")]
)
def test_inconclusive_metric_is_only_red_or_inconclusive(colour: Colour, expected: str) -> None:
    metric = replace(regression().metrics[0][1], calibration=Calibration(inconclusive="too_few_runs"))
    metric = replace(metric, findings=(replace(metric.findings[0], colour=colour),))
    row = row_of(metric)
    assert f"{row.sign} {row.verdict}" == expected


@pytest.mark.parametrize(
    ("calibration", "colour", "tone"),
    [
        (Calibration(), "red", "worse"),
        (Calibration(), "yellow", ""),
        (Calibration(inconclusive="too_few_runs"), "green", ""),
    ],
)
def test_total_has_a_colour_only_if_it_is_certain(calibration: Calibration, colour: Colour, tone: str) -> None:
    metric = regression().metrics[0][1]
    total, function = (replace(finding, colour=colour) for finding in metric.findings[:2])
    judged = replace(metric, findings=(total, function), calibration=calibration)
    assert row_of(judged).tone == tone
    assert row_of(replace(judged, findings=(function,))).tone == ""


@pytest.mark.parametrize("path", ["javascript:alert(1)", "/etc/passwd", "../up.html", "//host/x"])
def test_index_links_stay_inside_the_folder(path: str) -> None:
    with pytest.raises(ValueError, match="relative path"):
        build_index(View(unchanged()), {("w", "m"): path})


def test_no_chosen_name_is_the_file_name_of_another_page() -> None:
    pages = [("a b", "x"), ("a-b", "x"), ("a-b", "x-2"), ("A-B", "x"), ("index", "")]
    pages += [("n" * 300, "x"), ("n" * 301, "x"), ("\uac00", "x"), ("\u1100\u1161", "x")]  # one name on macOS
    compared = from_exclusive([{"f": 10}], [{"f": 12}])
    names = file_names([replace(compared, workload=load, metric=Metric(metric, "ns")) for load, metric in pages])
    assert len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(pages)
    assert not any("/" in name or name == "index.html" or len(name.encode()) > 200 for name in names)


def test_index_escapes_names() -> None:
    page = build_index(View(hostile()), {})
    assert "<script" not in page
    assert "<img" not in page
