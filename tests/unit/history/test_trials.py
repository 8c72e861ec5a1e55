"""On which comparisons of unchanged code the gate is tried."""

import pytest

from history_samples import reading
from profgate.attribution.reach import leaves_alone
from profgate.history.false_alarms import trials_at
from profgate.model.history import Reading
from profgate.model.policy import Policy


def of_job(job: int, runs: int = 2) -> list[Reading]:
    return [reading(f"main;f {100 * job + run}\n", "c1", job=f"job {job}") for run in range(1, runs + 1)]


def of_jobs(*jobs: int) -> list[Reading]:
    return [reading for job in jobs for reading in of_job(job)]


def test_other_job_at_commit_is_a_trial() -> None:
    assert trials_at([], of_job(1), "job 1") == []
    assert trials_at(of_job(1), [], "job 2") == []
    (trial,) = trials_at(of_jobs(1, 2), of_job(3), "job 3")
    assert (trial.baseline, trial.target, trial.name) == ("c1", "c1", "job 3")
    assert {one.job.identity for one in trial.before} == {"job 1", "job 2"}
    assert {one.job.identity for one in trial.after} == {"job 3"}


def test_four_jobs_add_a_trial_of_halves() -> None:
    _, halves = trials_at(of_jobs(1, 2, 3), of_job(4), "job 4")
    sides = [{one.job.identity for one in side} for side in (halves.before, halves.after)]
    assert halves.name == "job 4/halves"
    assert [len(side) for side in sides] == [2, 2]
    assert sides[0] | sides[1] == {f"job {number}" for number in range(1, 5)}
    assert len(halves.before) == len(halves.after) == 4  # both runs of a job stay together


def test_halves_are_random_and_repeatable() -> None:
    def first(count: int) -> frozenset[str]:
        _, halves = trials_at(of_jobs(*range(1, count)), of_job(count), "x")
        return frozenset(one.job.identity for one in halves.before)

    halves_of = [first(count) for count in range(4, 12)]
    assert halves_of == [first(count) for count in range(4, 12)]
    assert any(not halves_of[0] <= later for later in halves_of[1:])


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["README.md"], True),
        (["docs/a/b.txt", "src/notes.rst", "LICENSE"], True),
        (["README.md", "src/app.py"], False),
        (["requirements.txt"], False),
        (["README.md.py"], False),
        ([], False),
    ],
)
def test_unchanged_paths_do_not_affect_the_program(paths: list[str], expected: bool) -> None:
    assert leaves_alone(paths, Policy().unchanged_paths) is expected


def test_only_star_is_a_wildcard() -> None:
    assert leaves_alone(["a[1].txt"], ["a[1].*"])
    assert not leaves_alone(["a1.txt"], ["a[1].*"])
    assert not leaves_alone(["a1.txt"], ["a?.txt"])
    assert not leaves_alone(["a.md"], [])
