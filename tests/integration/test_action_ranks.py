"""The first days without a profiler: the action takes the results of a test run and counts stable ranks."""

import json
import math
import random
from typing import Any

import pytest

from action_stage import Stage

TESTS = 120


def junit(seed: int, *, slow: float = 1.0, tests: int = TESTS) -> dict[str, bytes]:
    """The report of one test run; ``slow`` multiplies the time of one test."""
    true, noise = random.Random(1), random.Random(seed)
    cases = []
    for number in range(tests):
        seconds = (0.01 if number == 7 else 10 ** true.uniform(-2, 1)) * math.exp(noise.gauss(0, 0.005))
        seconds *= slow if number == 7 else 1.0
        cases.append(f'<testcase classname="tests.shop" name="test_{number}" time="{seconds:.6f}"/>')
    return {"junit.xml": f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>".encode()}


def ranks(stage: Stage) -> dict[str, Any]:
    """The change of the stable ranks in the report."""
    (change,) = json.loads(stage.file("report.json"))["changes"]
    assert change["strategy"] == "stable_ranks"
    return dict(change)


@pytest.mark.parametrize(("tests", "text"), [(TESTS, "durations of 120 tests"), (5, "With 30 tests or more")])
def test_first_pull_request_explains_durations(stage: Stage, tests: int, text: str) -> None:
    stage.open_pull()
    assert stage.compare(junit(1, tests=tests)) == 0
    assert text in stage.comments[0]


def test_profiles_read_nothing_of_durations(stage: Stage) -> None:
    stage.open_pull()
    assert stage.compare({"a.folded": b"main 10\n"}) == 0
    assert "rank by duration" not in stage.comments[0]


def test_two_base_runs_are_inconclusive(stage: Stage) -> None:
    for seed in range(2):
        stage.push(junit(seed))
    stage.open_pull()
    assert stage.compare(junit(9)) == 0
    change = ranks(stage)
    assert (change["kind"], change["to_value"] is None) == ("Unknown", False)
    assert change["reason"]["text"] == "2 baseline runs, but at least 3 are needed to count stable ranks"
    assert change["reason"]["text"] in stage.summary


@pytest.mark.parametrize(("jobs", "conclusion"), [(4, "inconclusive"), (5, "warn")])
def test_slow_tests_are_shown_for_review(stage: Stage, jobs: int, conclusion: str) -> None:
    for seed in range(jobs):
        stage.push(junit(seed))
    stage.open_pull()
    assert stage.compare(junit(8)) == 0
    assert ranks(stage)["kind"] == "NoChange"
    assert stage.compare(junit(9, slow=60.0)) == 0
    change = ranks(stage)
    assert (change["kind"], change["details"]["baselines"]) == ("MaybeDegradation", jobs)
    assert change["details"]["moved"][0]["name"] == "tests.shop.test_7"
    assert stage.outputs["conclusion"] == conclusion
    (comment,) = stage.comments
    assert "the order of the durations changed: tests became slower" in comment
    assert "| `tests.shop.test_7` |" in comment


@pytest.mark.slow
def test_history_replaces_reading_base_runs(stage: Stage) -> None:
    stage.history = True
    for seed in range(6):
        stage.push(junit(seed))
    stage.open_pull()
    assert stage.compare(junit(8)) == 0
    change = ranks(stage)
    assert (change["kind"], change["details"]["baselines"], change["details"]["left_out"]) == ("NoChange", 6, 0)
    assert stage.compare(junit(9, slow=60.0)) == 0
    change = ranks(stage)
    assert (change["kind"], change["details"]["moved"][0]["name"]) == ("MaybeDegradation", "tests.shop.test_7")
