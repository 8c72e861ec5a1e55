"""Folded stacks: every hard case of the grammar, and a round trip through the stream."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profgate.errors import ProfileError
from profgate.model.profile import Profile
from profgate.model.source import source_of
from profgate.model.units import MetricKind
from profgate.readers import folded_scan
from profgate.readers.folded import FoldedReader
from stack_rows import paths_of


def read(text: str | bytes) -> Profile:
    data = text.encode() if isinstance(text, str) else text
    return FoldedReader().read(source_of("bench.folded", data))


def stacks_of(profile: Profile) -> dict[tuple[str, ...], int]:
    sums: dict[tuple[str, ...], int] = {}
    for path, (value,) in paths_of(profile.stacks, profile.frames.names):
        sums[path] = sums.get(path, 0) + value
    return sums


@pytest.mark.parametrize(
    ("text", "stacks"),
    [
        ("a;b 1\n", {("a", "b"): 1}),
        ("a;b 1", {("a", "b"): 1}),
        ("a;b 1\r\na;c 2\r\n", {("a", "b"): 1, ("a", "c"): 2}),
        ("a;foo 12 7\nb 3\n", {("a", "foo 12"): 7, ("b",): 3}),
        ("a b;c d 5\n", {("a b", "c d"): 5}),
        ("a;;b 1\n", {("a", "[unknown]", "b"): 1}),
        (";b 1\n", {("[unknown]", "b"): 1}),
        ("a;b; 1\na; 2\n", {("a", "b"): 1, ("a",): 2}),  # as heaptrack writes
        ("x::[u8; 8];f 3\n", {("x::[u8; 8]", "f"): 3}),
        ("a; b 3\n", {("a", " b"): 3}),
        ("# a comment\n\na 1\n", {("a",): 1}),
        ("a;b 1\na;b 2\n", {("a", "b"): 3}),
        ("f;f;f 4\n", {("f", "f", "f"): 4}),
        ("a;-;b 2\n", {("a", "-", "b"): 2}),
        ("a\t7\n", {("a",): 7}),
        (" a;b 1\n a;c 1.0\n", {(" a", "b"): 1, (" a", "c"): 1}),
        ("a;b;c 1\r\na;b;d 2.0\r\na;b 3", {("a", "b", "c"): 1, ("a", "b", "d"): 2, ("a", "b"): 3}),
        ("a;b 1e3\n", {("a", "b"): 1000}),
        ("a;b 0\na;c 1\n", {("a", "c"): 1}),
        ("a 9007199254740993\n", {("a",): 9007199254740993}),
        ("a;b;c 1\na;b;d 1\na;x 1\nq 1\n", {("a", "b", "c"): 1, ("a", "b", "d"): 1, ("a", "x"): 1, ("q",): 1}),
        ("a;b 1\na;b;c 1\na;bb 1\na;b;d 1\n", {("a", "b"): 1, ("a", "b", "c"): 1, ("a", "bb"): 1, ("a", "b", "d"): 1}),
    ],
)
def test_hard_cases_of_the_grammar(text: str, stacks: dict[tuple[str, ...], int]) -> None:
    assert stacks_of(read(text)) == stacks


def test_fractions_stay_exact() -> None:
    profile = read("a 1.5\nb 0.25\nc 2\n 0.5\n")
    assert profile.metrics[0].exponent == -2
    assert stacks_of(profile) == {("a",): 150, ("b",): 25, ("c",): 200}
    assert profile.stacks is not None
    assert profile.stacks.root_values.tolist() == [50]


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a;b -1\n", "bench.folded:1: a negative value"),
        ("a 1\nb 2\nno value here\n", "line 3: expected 'frame;frame 42', got 'no value here'"),
        ("a;b 1 2\nc 3 4\n", "two profiles"),
        ("a 1e30\n", "out of range"),
        ("a 1\na 1e99999999999999999999\n", ":2: the value"),
        ("a 1\na 1e-99999999999999999999\n", ":2: the value"),
        ("a 1e400\n", "out of range"),
        ("a 999999999999999999999\n", "out of range"),
        ("a 4611686018427387903\nb 4611686018427387903\n", "62 bits"),
    ],
)
def test_bad_input_is_reported_with_its_line(text: str, part: str) -> None:
    with pytest.raises(ProfileError) as caught:
        read(text)
    assert part in str(caught.value)


def test_a_deep_stack_needs_memory_for_itself_only() -> None:
    profile = read(";".join(f"f{i}" for i in range(20_000)) + " 1\n")
    assert profile.stacks is not None
    assert int(profile.stacks.depth.max()) == 19_999
    with pytest.raises(ProfileError, match="deeper than"):
        read(";".join(["f"] * 70_000) + " 1\n")


FRAMES = st.sampled_from(["a", "b", "cc", "d d", "e[1]", "[u8; 8]", "é"])


@given(st.lists(st.tuples(st.lists(FRAMES, min_size=1, max_size=6), st.integers(1, 10**6)), min_size=1, max_size=30))
def test_stream_holds_every_stack(lines: list[tuple[list[str], int]]) -> None:
    sums: dict[tuple[str, ...], int] = {}
    for frames, value in lines:
        sums[tuple(frames)] = sums.get(tuple(frames), 0) + value
    assert stacks_of(read("".join(f"{';'.join(frames)} {value}\n" for frames, value in lines))) == sums


def test_large_input_gives_the_same_result(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"main;m{i % 7};f{i % 91};g{i % 1013} {i % 5 + 1}" for i in range(6000)]
    random.Random(7).shuffle(lines)
    text = "\n".join(lines) + "\n"
    expected = stacks_of(read(text))
    monkeypatch.setattr(folded_scan, "SMALL", 1000)
    monkeypatch.setattr(folded_scan, "BLOCK", 5000)
    monkeypatch.setattr(folded_scan, "BLOCK_UNSORTED", 50_000)
    monkeypatch.setattr(folded_scan, "FOLD_EVENTS", 3000)
    profile = read(text)
    assert stacks_of(profile) == expected
    assert profile.stacks is not None
    assert len(profile.stacks.frame) < len(lines) * 4


def test_a_line_of_blanks_takes_linear_time() -> None:
    text = "a 1\n" * 20 + "a" + " " * 4_000_000 + "x\n"
    assert read(text).warnings[0].startswith("1 of 21 lines skipped: line 21: expected 'frame;frame 42'")


def test_values_that_are_multiples_of_a_period_have_this_period() -> None:
    values = [2_000_000 * count for count in (1, 3, 39, 1, 2, 7, 5, 1)]
    text = "".join(f"main;f{number} {value}\n" for number, value in enumerate(values))
    assert FoldedReader().read(source_of("a", text.encode())).periods == (2_000_000,)
    assert FoldedReader().read(source_of("a", (text + "main;g 1000\n").encode())).periods == (1,)
    assert FoldedReader().read(source_of("a", b"f 4000000\ng 2000000\n")).periods == (1,)  # round numbers


def test_stacks_of_heaptrack_are_counted() -> None:
    found = FoldedReader().read(source_of("a", b"main;f; 3\nmain;g; 2\n"))
    metric = found.metrics[0]
    assert (metric.kind, metric.unit, found.facts.profiler) == (MetricKind.COUNTED, "count", "heaptrack")
