"""Lines within the frames of folded stacks, in each form that a documented profiler writes."""

import pytest

from profgate.compare.symbols import number_symbols
from profgate.model.profile import FrameList, Profile
from profgate.model.source import source_of
from profgate.readers.folded import FoldedReader
from profgate.readers.registry import read_profile
from stack_rows import rows

# each with three frames of an own line, a frame without one, and recursion on another line
DIALECTS = {
    "py-spy": "<module> (app.py:{0});parse (lib/text.py:{1});parse (lib/text.py:{2});[libc.so.6] 3",
    "rbspy": "<main> - app.rb:{0};block in parse - lib/text.rb:{1};parse - lib/text.rb:{2};<c function> - unknown:0 3",
    "phpspy": "<main> /app.php:{0};Text::parse /text.php:{1};Text::parse /text.php:{2};sleep <internal>:-1 3",
    "Python 3.15": "tid:7;app.py:<module>:{0};text.py:Text.parse:{1};text.py:Text.parse:{2};<native> 3",
    "Austin": "# austin: 3.7.0\nP1;T2;app.py:<module>:{0};lib/text.py:parse:{1};lib/text.py:parse:{2} 3",
}


def read(text: str) -> Profile:
    return read_profile(source_of("a.folded", (text + "\n").encode()))


def frames_of(text: str) -> set[tuple[str, str | None, int | None]]:
    frames = FoldedReader().read(source_of("a.folded", text.encode())).frames
    return set(zip(frames.names, frames.files, frames.lines, strict=True))


@pytest.mark.parametrize("name", DIALECTS)
def test_code_that_moved_by_three_lines_is_unchanged(name: str) -> None:
    before, after = (read(DIALECTS[name].format(first, first + 10, first + 12)) for first in (5, 8))
    numbering = number_symbols([before, after], targets=1)
    first, second = ({numbering.symbols.names[number] for number in mapping} for mapping in numbering.maps)
    assert first == second
    paths = [[numbering.maps[run][frame] for frame in used(profile)] for run, profile in enumerate((before, after))]
    assert paths[0] == paths[1]
    assert {line for line in numbering.symbols.lines if line} <= {8, 18, 20}


def used(profile: Profile) -> list[int]:
    assert profile.stacks is not None
    frames: list[int] = profile.stacks.frame.tolist()
    return frames


def test_other_names_survive_in_a_dialect() -> None:
    assert frames_of("<main> - a.rb:1;f - a.rb:2;x:1;g - b.rb:3 1\n") == {
        ("<main>", "a.rb", 1),
        ("f", "a.rb", 2),
        ("x:1", None, None),
        ("g", "b.rb", 3),
    }
    assert frames_of("tid:1;a.py:f:2;x:1;:3 1\n") == {("f", "a.py", 2), ("x:1", None, None), (":3", None, None)}


@pytest.mark.parametrize(
    ("frame", "line"), [("f - a.rb:0", None), ("f - a.rb:4294967296", None), ("f a.php:-1", None), ("f a.php:7", 7)]
)
def test_a_line_that_can_be_none_is_unknown(frame: str, line: int | None) -> None:
    assert [found for *_, found in frames_of(f"{frame} 1\n")] == [line]


@pytest.mark.parametrize("frame", ["f - a.rb:99999999999", "f - a.rb:1²", "f -  a.rb:", " - a.rb:1", "std::f int:3"])
def test_what_only_resembles_a_place_is_a_name(frame: str) -> None:
    assert frames_of(f"{frame};g 1\n") == {(frame, None, None), ("g", None, None)}


def test_numbered_tasks_are_one_function() -> None:
    text = "tid:1;<task>:Task-1:0;a.py:f:2;<task>:Task-12:0 1\ntid:1;<task>:Task-poll:0 1\n"
    assert frames_of(text) == {("Task-*", "<task>", None), ("f", "a.py", 2), ("Task-poll", "<task>", None)}


def test_stacks_of_all_threads_are_added_up() -> None:
    text = "tid:1;a.py:f:2;a.py:g:5 3\ntid:1;a.py:f:2 1\ntid:2;a.py:f:2;a.py:g:5 4\ntid:2 2\n"
    found = FoldedReader().read(source_of("a.folded", text.encode()))
    assert rows(found) == [("f;g", [3]), ("f", [1]), ("f;g", [4])]
    assert found.stacks is not None
    assert found.stacks.root_values.tolist() == [2]
    assert found.frames == FrameList(["f", "g"], ["a.py", "a.py"], [2, 5], [None, None])
    assert found.facts.profiler == "profiling.sampling"
    assert (found.facts.rate, found.periods) == (None, (1,))


@pytest.mark.parametrize("other", ["main", "tid:x", "tid:", "TID:1"])
def test_threads_stay_beside_a_root_that_is_none(other: str) -> None:
    found = FoldedReader().read(source_of("a.folded", f"tid:1;a.py:f:2 3\n{other};a.py:f:2 1\n".encode()))
    assert [path for path, _ in rows(found)] == ["tid:1;a.py:f:2", f"{other};a.py:f:2"]
    assert found.facts.profiler is None
