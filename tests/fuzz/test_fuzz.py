"""The fuzzer on few inputs of a fixed seed, and what it found before."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from fuzz.campaign import attempt
from fuzz.entry_point import DATA, EntryPoint
from fuzz.entry_points import ENTRY_POINTS
from fuzz.mutation import LARGEST, mutated

INPUTS = 40  # of each entry point; ./run fuzz tries more
CPU_SECONDS = 60.0  # limit for one input, so that a hang ends
FOUND = sorted((DATA / "found").rglob("*.bin"))


def slow_if_answer(name: str) -> list[pytest.MarkDecorator]:
    """Each input for "answer" is the answer to every question of the client."""
    return [pytest.mark.slow] if name == "answer" else []


CASES = [pytest.param(one, marks=slow_if_answer(name)) for name, one in ENTRY_POINTS.items()]


@pytest.mark.parametrize("entry_point", CASES, ids=ENTRY_POINTS)
def test_the_examples_are_sound(entry_point: EntryPoint) -> None:
    for data in entry_point.seeds():
        assert attempt(entry_point, data, CPU_SECONDS)[0] not in {
            "refused",
            "unclaimed",
            "unknown",
            "unread",
            "finding",
        }


@pytest.mark.parametrize("entry_point", CASES, ids=ENTRY_POINTS)
def test_hostile_inputs_are_taken_or_refused_in_our_words(entry_point: EntryPoint) -> None:
    random, seeds = Random(entry_point.name), entry_point.seeds()
    seen: Counter[str] = Counter()
    for _ in range(INPUTS):
        data = mutated(random.choice(seeds), random, entry_point.codecs)
        assert len(data) <= LARGEST
        outcome, finding = attempt(entry_point, data, CPU_SECONDS)
        assert not finding, data[:2000]
        seen[outcome] += 1
    # an entry point that takes all of them, or none, would not be tried at all
    assert len(seen) > 1 or entry_point.name.startswith("sources-")


@pytest.mark.parametrize(
    "place",
    [pytest.param(place, marks=slow_if_answer(place.parent.name)) for place in FOUND],
    ids=[f"{place.parent.name}/{place.stem}" for place in FOUND],
)
def test_what_was_found_once_is_not_found_again(place: Path) -> None:
    assert attempt(ENTRY_POINTS[place.parent.name], place.read_bytes(), CPU_SECONDS)[1] == ""
