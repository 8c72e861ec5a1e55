"""The fuzzer on few inputs of a fixed seed, what it found before, and bugs planted to see that it finds them."""

import json
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from fuzz.campaign import attempt
from fuzz.entry_point import DATA, EntryPoint
from fuzz.entry_points import ENTRY_POINTS
from fuzz.mutation import LARGEST, mutated
from slow_cases import quick_first

TESTS = Path(__file__).parents[1]
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


PLANTED = """
    import json, os, signal, sys
    from pathlib import Path
    from fuzz.__main__ import fuzz
    from fuzz.campaign import Limits
    from fuzz.entry_point import EntryPoint
    from profgate.errors import ProfileError

    def take(data):
        match data[:8]:
            case b"key     ":
                {}[data]
            case b"endless ":
                while True:
                    pass
            case b"memory  ":
                bytearray(b"x") * (200 << 20)
            case b"wordless":
                raise ProfileError("")
            case b"deadly  ":
                os.kill(os.getpid(), signal.SIGSEGV)
            case b"refused ":
                raise ProfileError("p", "is refused")
        return "read"

    seeds = [sys.argv[2].encode() * 3]
    limits = Limits(cpu_seconds=0.3, growth=100 << 20)
    entry_point = EntryPoint("planted", take, lambda: seeds, (ProfileError,))
    print(json.dumps(fuzz(entry_point, Path(sys.argv[1]), 2.0, 1, None, limits)))
"""


def findings(folder: Path, word: str) -> set[str]:
    command = [sys.executable, "-c", textwrap.dedent(PLANTED), str(folder), word]
    done = subprocess.run(command, cwd=TESTS, capture_output=True, text=True, check=True)
    row = json.loads(done.stdout)
    assert row["entry point"] == "planted"
    return set(row["findings"])


@pytest.mark.parametrize(
    ("word", "finding"),
    quick_first(
        [
            ("key     ", "KeyError elsewhere"),
            ("endless ", "TooLongError elsewhere"),
            ("memory  ", "memory"),
            ("wordless", "an error without words"),
            ("deadly  ", "the process ended with -11"),
        ]
    ),
)
def test_a_planted_bug_is_found_and_its_input_kept(tmp_path: Path, word: str, finding: str) -> None:
    assert finding in findings(tmp_path, word)
    assert any(place.read_bytes().startswith(word.encode()) for place in (tmp_path / "findings").iterdir())


@pytest.mark.slow
def test_refusals_and_answers_are_no_findings(tmp_path: Path) -> None:
    assert findings(tmp_path, "refused ") == set()
