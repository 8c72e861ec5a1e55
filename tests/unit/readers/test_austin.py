from pathlib import Path

import pytest

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.readers.austin import AustinReader
from stack_rows import rows

DATA = Path(__file__).parents[2] / "data" / "austin"


def read(*lines: str, mode: str = "wall", interval: str = "100") -> Profile:
    text = "\n".join([f"# austin: 3.7.0\n# interval: {interval}\n# mode: {mode}\n", *lines, "\n# duration: 9"])
    return AustinReader().read(source_of("a.austin", text.encode()))


def sums(profile: Profile) -> list[int]:
    assert profile.stacks is not None
    columns = (profile.stacks.values.sum(axis=1), profile.stacks.root_values)
    return [int(stacks) + int(root) for stacks, root in zip(*columns, strict=True)]


def test_a_recorded_wall_profile_has_the_sampled_time() -> None:
    found = AustinReader().read(source_of("a.austin", (DATA / "austin-3.7.0-wall.txt").read_bytes()))
    [total] = sums(found)
    assert total == 3_816_766_000
    # austin reported that it sampled for 3.83 s, starting and ending included
    assert total / 3_831_581_000 > 0.99
    assert (found.warnings, found.warning_counts) == ((), {})


def test_a_recorded_full_profile_has_three_metrics() -> None:
    found = AustinReader().read(source_of("a.austin", (DATA / "austin-3.7.0-full.txt").read_bytes()))
    assert [metric.name for metric in found.metrics] == ["time", "CPU time", "memory added"]
    assert sums(found)[:2] == [1_892_745_000, 1_791_950_000]
    sleeping = [values for path, values in rows(found) if path.endswith("wait")]
    assert sum(wall for wall, *_ in sleeping) > 90_000_000
    assert sum(cpu for _, cpu, _ in sleeping) < 20_000_000


def test_frames_have_file_and_line() -> None:
    found = read("P1;T0:1;/app/a.py:main:9;C:\\b.py:work:12 300", "P2;T1:7;/app/a.py:main:9;C:\\b.py:work:12 200")
    assert {path for path, _ in rows(found)} == {"main;work"}
    assert sums(found) == [500_000]
    assert (found.frames.files, found.frames.lines) == (["/app/a.py", "C:\\b.py"], [9, 12])
    assert (found.periods, found.facts.rate) == ((100_000,), 10_000)


def test_columns_are_no_part_of_names() -> None:
    found = read("P1;T0:1;/app/a.py:main:9:12:3:8 300")
    assert (found.frames.names, found.frames.files, found.frames.lines) == (["main"], ["/app/a.py"], [9])


def test_a_frame_without_place_is_a_name() -> None:
    found = read("P1;T0:1;a.py:main:1;:GC: 300", "P1;T0:1 200")
    assert rows(found) == [("main;:GC:", [300_000])]
    assert sums(found) == [500_000]


def test_memory_that_was_given_back_is_left_out() -> None:
    found = read("P1;T0:1;a.py:f:1 -36864", "P1;T0:1;a.py:f:1 4096", mode="memory")
    assert sums(found) == [4096]
    assert found.metrics[0].unit == "bytes"


def test_many_damaged_lines_are_an_error() -> None:
    good = ["P1;T0:1;a.py:f:1 5"] * 20
    assert list(read(*good, "P1;T0:1;a.py:f:1").warning_counts.values()) == [1]
    with pytest.raises(ProfileError, match=r"a\.austin:5: expected 'P1;T2;file:function:line 42'"):
        read("P1;T0:1;a.py:f:1 5,0,1", *good[:3])
    with pytest.raises(ProfileError, match="expected"):
        read("P1;T0:1;a.py:f:1 5", mode="full")
    with pytest.raises(ProfileError, match="add up to more than"):
        read(*["P1;T0:1;a.py:f:1 999999999999999"] * 20)


def test_two_modes_in_one_file_are_refused() -> None:
    assert sums(read("P1;T0:1;a:b:1 5", "# mode: wall", "P1;T0:1;a:b:1 6")) == [11_000]
    with pytest.raises(ProfileError, match=r"a\.austin:6: wall samples come before this mode 'memory'"):
        read("P1;T0:1;a:b:1 5", "# mode: memory", "P1;T0:1;a:b:1 6")
