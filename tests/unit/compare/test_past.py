"""Readings of the history as noise runs of a comparison."""

import numpy as np

from comparisons import from_stacks
from history_samples import reading
from profgate.compare.readings import with_past
from profgate.model.comparison import Comparison, Sampling
from profgate.model.history import Reading
from profgate.model.record import replace


def like(one: Reading) -> Comparison:
    """A comparison of the metric and the period of a reading."""
    given = from_stacks([{"main;f": 60, "main;g": 40}], [{"main;f": 65, "main;g": 41}])
    (column,) = one.columns
    return replace(given, metric=column.metric, sampling=Sampling(column.period))


def test_commits_are_noise_runs_newest_first() -> None:
    one = reading("main;f 50\nmain;g 30\nmain;gone 20\n", "c1")
    given = like(one)
    made = with_past(given, [one, reading("main;f 70\nmain;g 30\n", "c2")])
    places = {name: place for place, name in enumerate(given.symbols.names)}
    assert made.noise.self_value[:, places["f"]].tolist() == [70, 50]
    assert made.noise.self_value[:, places["g"]].tolist() == [30, 30]
    assert made.noise.run_totals.tolist() == [100, 100]
    assert made.runs.noise == 2


def test_readings_match_the_baselines_file_names() -> None:
    one = reading("main;f 50\nmain;g 30\n", "c1")
    given = like(one)
    keys = [(name, "shop-1/shop/cart.py") for name, _ in one.columns[0].symbols]
    files: list[str | None] = ["shop-2/shop/cart.py"] * len(given.symbols)
    given = replace(given, symbols=replace(given.symbols, files=files))
    one = replace(one, columns=(replace(one.columns[0], symbols=keys),))
    assert not with_past(given, [one]).noise.self_value.any()
    known = replace(given, files={"shop-1/shop/cart.py": "shop-2/shop/cart.py"})
    assert with_past(known, [one]).noise.self_value.sum() == 80


def test_runs_of_a_job_stay_together() -> None:
    one = reading("main;f 50\n", "c1", job="7")
    again = reading("main;f 70\n", "c1", job="7")
    given = like(one)
    made = with_past(given, [one, again, reading("main;f 40\n", "c1", job="8")])
    assert made.noise.run_totals.tolist() == [40, 50, 70]
    assert made.runs.noise_jobs == (0, 1, 1)
    assert with_past(replace(given, metric=replace(given.metric, name="other")), [one]).runs.noise == 0
    assert with_past(replace(given, sampling=Sampling(12345)), [one]).runs.noise == 0


def test_empty_and_huge_readings_teach_nothing() -> None:
    one = reading("main;f 50\n", "c1")
    given = like(one)
    empty = replace(one, commit="c2", columns=(replace(one.columns[0], sum=0),))
    huge = replace(one, commit="c3", columns=(replace(one.columns[0], sum=1 << 62),))
    assert with_past(given, [empty, huge]) is given
    assert not np.any(given.noise.self_value)
