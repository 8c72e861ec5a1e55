"""The index of the pages."""

import pytest

from profgate.flamegraph.pages import build_index
from report_samples import hostile, inconclusive, many, nothing_compared, regression, unchanged


def test_index_has_verdict_totals_and_finding() -> None:
    report = regression()
    load, metric = report.metrics[0]
    page = build_index(report, {(load.name, metric.name): "demo/cpu.html"})
    assert f'<a href="demo/cpu.html">{load.name}</a>' in page
    assert "<h1>❌ " in page
    assert "slower" in page
    assert "<td>12.9 s</td><td>+0.1 %</td>" in page


@pytest.mark.parametrize("path", ["javascript:alert(1)", "/etc/passwd", "../up.html", "//host/x"])
def test_index_links_stay_inside_the_folder(path: str) -> None:
    with pytest.raises(ValueError, match="relative path"):
        build_index(unchanged(), {("w", "m"): path})


def test_index_escapes_names() -> None:
    page = build_index(hostile(), {})
    assert "<script" not in page
    assert "<img" not in page


def test_index_without_comparison_says_so() -> None:
    assert "Nothing was compared." in build_index(nothing_compared(), {})
    assert "⚪" in build_index(inconclusive(), {})


def test_index_lists_a_limited_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("profgate.flamegraph.pages.MOST_ROWS", 10)
    page = build_index(many(), {})
    assert page.count("<tr>") == 11
    assert "290 more in report.json." in page
