"""Trends along a line of commits, and what was reported before."""

import numpy as np

from history_samples import reading
from profgate.history.trend_report import trend_text, trends_lines
from profgate.history.trends import of_one_regime, trends_of, unknown_of
from profgate.model.history import Reading
from profgate.model.record import replace

LINE = [f"c{number:02}" for number in range(60)]


def past(levels: list[float]) -> list[Reading]:
    """A reading for each level of the total."""
    chance = np.random.default_rng(1)
    made = []
    for sha, level in zip(LINE, levels, strict=False):
        total = level * 10_000 * chance.normal(1, 0.005)
        in_f = total * 0.2 * chance.normal(1, 0.005)
        made.append(reading(f"main;f {int(in_f)}\nmain;g {int(total - in_f)}\n", sha))
    return made


def test_step_of_the_total() -> None:
    (trend,) = trends_of(past([1.0] * 20 + [1.2] * 20), LINE)
    assert (trend.commit, trend.worse) == ("c20", True)
    assert trend.relative is not None
    assert abs(trend.relative - 0.2) < 0.01
    head, change, when = [text for _, text in trends_lines([trend], {})]
    assert head == "bench · samples"
    assert change.startswith("  9,999 → 11,996 samples (+20.0 %), p = ")
    assert when == "    since c20"
    assert trend_text(trend, {}) == f"bench, samples: {change.strip()}, since c20"


def test_known_step_of_another_metric_is_new() -> None:
    (trend,) = found = trends_of(past([1.0] * 20 + [1.2] * 20), LINE)
    assert unknown_of(found, [replace(trend, commit="c22")], LINE) == []
    assert unknown_of(found, [replace(trend, metric="other")], LINE) == found


def test_trend_of_unknown_commits_is_not_the_same() -> None:
    trends = trends_of(past([1.0] * 20 + [1.2] * 20), LINE)
    gone = [replace(one, commit="rewritten") for one in trends]
    assert unknown_of(trends, gone, LINE) == trends


def test_noise_is_estimated_since_the_last_change() -> None:
    readings = past([1.0] * 20 + [1.2] * 10)
    assert [one.commit for one in of_one_regime(readings, LINE)] == LINE[20:30]
    assert of_one_regime(readings[:20], LINE) == readings[:20]
    assert of_one_regime([], LINE) == []
