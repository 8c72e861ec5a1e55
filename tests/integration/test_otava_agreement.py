"""Change points beside those of Apache Otava, which is installed apart: PROFGATE_OTAVA names the Python that has it."""

import json
import os
import subprocess

import numpy as np
import pytest

from profgate.model.arrays import FloatArray
from profgate.statistics.change_points import change_points

SERIES = 60
ASKED = """
import json, sys
from otava.analysis import compute_change_points
def found(values):
    points, _ = compute_change_points(values, window_len=50, max_pvalue=0.001, min_magnitude=0.02)
    return [int(one.index) for one in points]
print(json.dumps([found(values) for values in json.load(sys.stdin)]))
"""


def generated(seed: int) -> tuple[FloatArray, list[int]]:
    """A series of 1 % noise with none, one or two steps well apart; and where they are."""
    chance = np.random.default_rng(1000 + seed)
    count = int(chance.integers(40, 160))
    places = [count // 3, 2 * count // 3][: seed % 3]
    levels = np.full(count, 100.0)
    for place in places:
        levels[place:] *= float(chance.choice([0.8, 0.9, 1.1, 1.25]))
    return levels * chance.normal(1, 0.01, count), places


def near(one: list[int], other: list[int]) -> bool:
    return len(one) == len(other) and all(abs(a - b) <= 1 for a, b in zip(one, other, strict=True))


def test_where_otava_is_right_both_agree_within_one_position_and_we_are_right_as_often() -> None:
    python = os.environ.get("PROFGATE_OTAVA")
    if not python:
        pytest.skip("PROFGATE_OTAVA names no Python with apache-otava")
    given = [generated(seed) for seed in range(SERIES)]
    text = json.dumps([values.tolist() for values, _ in given])
    done = subprocess.run([python, "-c", ASKED], input=text, capture_output=True, text=True, check=True, timeout=300)
    theirs: list[list[int]] = json.loads(done.stdout)
    ours = [change_points(values) for values, _ in given]
    right = [[near(found, truth) for found, (_, truth) in zip(side, given, strict=True)] for side in (ours, theirs)]
    agreed = sum(near(one, other) for one, other in zip(ours, theirs, strict=True))
    print(f"ours right {sum(right[0])}, Otava right {sum(right[1])}, agreed {agreed} of {SERIES}")  # noqa: T201 - figures
    assert all(near(one, other) for one, other, good in zip(ours, theirs, right[1], strict=True) if good)
    assert sum(right[0]) >= sum(right[1])
