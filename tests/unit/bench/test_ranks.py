"""The simulation of stable ranks: the paper's figures come out of it, and a planted slow test is counted as such."""

import numpy as np
import pytest
from bench import ranks


def test_the_papers_table_is_printed_beside_ours() -> None:
    rows = ranks.simulation_of_the_paper(1000).splitlines()
    assert rows[2].startswith("| 0 | 366 | ")
    assert rows[6].split(" | ")[1:3] == ["0", "0"]  # four of five are never stable
    assert rows[8].startswith("| mean | 0.968 | ")
    assert abs(float(rows[8].split(" | ")[2]) - 1.0) < 0.15
    assert ranks.simulation_of_the_paper(1000).splitlines() == rows


def test_the_published_counts_have_the_published_moments() -> None:
    counts = np.repeat(np.arange(6), ranks.PAPER)
    assert (counts.mean(), counts.var()) == pytest.approx((ranks.PAPER_MEAN, ranks.PAPER_VARIANCE))


def test_mean_and_variance_of_clusters_are_the_papers() -> None:
    counts = ranks.stable_in_clusters([5] * 60, 40, 4000, np.random.default_rng(1))
    assert counts.mean() == pytest.approx(100, abs=0.5)
    assert counts.var() == pytest.approx(60, rel=0.1)


def test_three_equal_tests_are_differs_from_poisson_and_twenty_are_not() -> None:
    chance = np.random.default_rng(1)
    assert ranks.differs_from_poisson(ranks.stable_in_random_orders(3, 1000, chance))
    assert not ranks.differs_from_poisson(ranks.stable_in_random_orders(20, 1000, chance))


def test_outcomes_count_what_each_check_said() -> None:
    quiet = ranks.outcome(ranks.Cell(60, 0.001), 5)
    assert (quiet.departed, quiet.blind) == (0.0, 0.0)
    planted = ranks.outcome(ranks.Cell(60, 0.001, slower=1000.0), 5)
    assert planted.named == planted.farther >= 0.8
    assert planted.departed > 0.0


def test_tables_have_a_cell_for_each_heading() -> None:
    for text in (ranks.clusters_and_single_tests(10), ranks.distance_to_poisson(50, 2)):
        assert len({line.count("|") for line in text.splitlines()}) == 1
