"""Trends along a line of commits, and what was reported before."""

from dataclasses import replace

import numpy as np

from history_samples import reading
from profgate.history.trend_report import trend_text, trends_lines, trends_page
from profgate.history.trends import TotalSeries, of_one_regime, trends_of, unknown_of
from profgate.model.history import Reading
from profgate.model.units import Metric

LINE = [f"c{number:02}" for number in range(60)]


def past(levels: list[float], share: list[float] | None = None) -> list[Reading]:
    """A reading for each level of the total; ``share`` of it is in f."""
    chance = np.random.default_rng(1)
    made = []
    for sha, level, part in zip(LINE, levels, share or [0.2] * len(levels), strict=False):
        total = level * 10_000 * chance.normal(1, 0.005)
        in_f = total * part * chance.normal(1, 0.005)
        made.append(reading(f"main;f {int(in_f)}\nmain;g {int(total - in_f)}\n", sha))
    return made


def test_step_of_the_total() -> None:
    (trend,) = trends_of(past([1.0] * 20 + [1.2] * 20), LINE)
    assert (trend.name, trend.first, trend.last, trend.is_drift, trend.worse) == (None, "c20", "c20", False, True)
    assert trend.relative is not None
    assert abs(trend.relative - 0.2) < 0.01


def test_step_of_a_share() -> None:
    trends = trends_of(past([1.0] * 40, [0.2] * 20 + [0.3] * 20), LINE)
    assert [(one.name, one.first, one.worse) for one in trends] == [("g", "c20", False), ("f", "c20", True)]


def measured(**costs: list[int]) -> list[Reading]:
    """A reading at each commit with the self costs of these functions, which differ by up to 4 samples."""
    return [
        reading("".join(f"main;{name} {values[number] + number % 5}\n" for name, values in costs.items()), sha)
        for number, sha in enumerate(LINE[: len(next(iter(costs.values())))])
    ]


def test_share_that_falls_because_another_grew_is_no_trend() -> None:
    readings = measured(load=[1000] * 24, total=[500] * 24, parse=[800] * 12 + [2400] * 12)
    assert [(one.name, one.worse) for one in trends_of(readings, LINE)] == [(None, True), ("parse", True)]


def test_share_that_rises_because_another_fell_is_no_trend() -> None:
    readings = measured(load=[1000] * 24, parse=[2400] * 12 + [800] * 12)
    assert [(one.name, one.worse) for one in trends_of(readings, LINE)] == [(None, False), ("parse", False)]


def test_growth_after_a_change_of_machine_is_a_trend() -> None:
    readings = measured(load=[1000] * 10 + [2000] * 20, parse=[300] * 10 + [600] * 10 + [1200] * 10)
    assert ("parse", "c20", True) in [(one.name, one.first, one.worse) for one in trends_of(readings, LINE)]


def test_new_function_is_a_trend() -> None:
    grown = measured(load=[1000] * 24, new=[0] * 12 + [400] * 12)
    assert ("new", "c12", True) in [(one.name, one.first, one.worse) for one in trends_of(grown, LINE)]


def test_total_of_the_run_differs_from_a_function_called_total() -> None:
    trends = trends_of(measured(load=[1000] * 24, total=[500] * 12 + [900] * 12), LINE)
    head, run, when, function, _ = [text for _, text in trends_lines(trends, {})]
    assert head == "bench · samples"
    assert run.startswith("  total of the run: 1,504 → 1,904 samples (+26.6 %), p = ")
    assert function.startswith("  total: 33.4 → 47.4 % of the run, p = ")
    assert when == "    since c12"
    assert trend_text(trends[1], {}) == f"bench, samples, {function.strip()}, since c12"
    page = trends_page(trends, {}, "c23", "")
    assert ">2 persistent changes, 2 for the worse.<" in page
    assert ">total of the run<" in page
    assert "33.4 → 47.4 %<small>of the run" in page


def test_page_without_a_trend_shows_what_was_read() -> None:
    total = TotalSeries("bench", Metric("cpu", "samples"), [100.0, 102.0, 99.0], 0.031)
    page = trends_page([], {}, "c2", "no persistent change", [total, total._replace(values=[1.0], step=None)])
    assert ">No persistent change.<" in page
    assert "no change<small>a step of 3.1 % would be visible<" in page
    assert 'aria-label="3 commits: 99 to 102 samples"><path d="M4.0 ' in page
    assert "</svg><small>3 commits: 99 to 102 samples</small>" in page.replace("\n", "").replace("        <", "<")
    assert "too few commits" in page
    assert "<svg" not in trends_page([], {}, "c2", "no persistent change")


def test_continued_drift_is_not_new() -> None:
    levels = [1.0] * 15 + [1.0 + 0.01 * n for n in range(1, 31)]
    first = trends_of(past(levels[:40]), LINE)
    (drift,) = [one for one in first if one.name is None]
    assert drift.is_drift
    assert drift.commits > 15
    later = trends_of(past(levels), LINE)
    assert [one for one in unknown_of(later, first, LINE) if one.name is None] == []
    assert unknown_of(later, [replace(drift, metric="other")], LINE) == later


def test_later_step_is_new() -> None:
    levels = [1.0] * 15 + [1.2] * 15 + [1.5] * 15
    first = trends_of(past(levels[:30]), LINE)
    new = unknown_of(trends_of(past(levels), LINE), first, LINE)
    assert [one.first for one in new] == ["c30"]


def test_trend_of_unknown_commits_is_not_the_same() -> None:
    trends = trends_of(past([1.0] * 20 + [1.2] * 20), LINE)
    gone = [replace(one, first="rewritten", last="rewritten") for one in trends]
    assert unknown_of(trends, gone, LINE) == trends


def test_dropped_symbols_are_unknown() -> None:
    whole = past([1.0] * 40)
    thin = [
        replace(
            one,
            columns=tuple(
                replace(column, symbols=column.symbols[1:2], own=column.own[1:2], total=column.total[1:2], whole=False)
                for column in one.columns
            ),
        )
        for one in whole[:20]
    ]
    assert trends_of([*thin, *whole[20:]], LINE) == []


def test_noise_is_estimated_since_the_last_change() -> None:
    readings = past([1.0] * 20 + [1.2] * 10)
    assert [one.commit for one in of_one_regime(readings, LINE)] == LINE[20:30]
    assert of_one_regime(readings[:20], LINE) == readings[:20]
    assert of_one_regime([], LINE) == []
