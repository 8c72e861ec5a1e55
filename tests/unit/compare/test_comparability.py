"""What blocks a comparison, and what is only noted."""

from typing import Any

import numpy as np
import pytest

from comparisons import from_exclusive, overlaid
from profgate.compare.comparability import comparability, doubts, unlike
from profgate.model.profile import Configuration, Facts, FrameList, Profile
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.model.units import Metric, MetricKind
from profgate.readers.folded import FoldedReader

STATED = Facts("folded", "py-spy", "0.4.1", 100.0, "3.12.1", "Linux", "x86_64", "cpu A", mode="wall")


def profile(**facts: Any) -> Profile:
    return Profile(
        "p", Configuration(), (Metric("samples", "samples"),), FrameList.of_names([]), facts=replace(STATED, **facts)
    )


def notes(baseline: list[Profile], target: list[Profile], *, named: bool = False) -> dict[str, bool]:
    found = comparability(baseline, target, named=named)
    return {str(note.reason.parameters.get("fact", note.reason.code)): note.blocks for note in found}


@pytest.mark.parametrize(
    ("fact", "change"),
    [
        ("profiler", {"profiler": "perf"}),
        ("profiler version", {"profiler_version": "1.0"}),
        ("runtime", {"runtime": "3.13.0"}),
        ("operating system", {"os": "Windows"}),
        ("architecture", {"architecture": "aarch64"}),
        ("sampling mode", {"mode": "cpu"}),
        ("truncated", {"truncated": True}),
    ],
)
def test_different_facts_block_unless_files_are_named(fact: str, change: dict[str, Any]) -> None:
    assert notes([profile()], [profile(**change)]) == {fact: True}
    assert notes([profile()], [profile(**change)], named=True) == {fact: False}


@pytest.mark.parametrize(
    ("fact", "change"),
    [
        ("profiler version", {"profiler_version": "0.9.9"}),
        ("runtime version", {"runtime": "3.12.7"}),
        ("compiler", {"compiler": "gcc 14.1"}),
    ],
)
def test_smaller_parts_of_versions_are_notes(fact: str, change: dict[str, Any]) -> None:
    assert notes([profile(compiler="gcc 13.2")], [profile(**{"compiler": "gcc 13.2"} | change)]) == {fact: False}


MACHINE = {"cpu_model": "a", "image": "b", "c_library": "c", "kernel": "d", "architecture": "e", "environment": "1: A"}


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        ({"job": "1"}, {"job": "1", "cpu_model": "z"}, ()),
        (MACHINE | {"job": "1"}, MACHINE | {"job": "2"}, ()),
        (MACHINE | {"job": "1"}, MACHINE | {"job": "2", "kernel": "z"}, ("kernel",)),
        ({"job": "1"}, {"job": "2"}, ("CPU model", "image", "C library", "kernel", "architecture", "environment")),
        (MACHINE | {"job": "1", "image": None}, MACHINE | {"job": "2", "image": None}, ("image",)),
        ({}, {}, ()),
        ({"cpu_model": "a"}, {"cpu_model": "b"}, ("CPU model",)),
    ],
)
def test_facts_that_move_counts_between_jobs(
    before: dict[str, Any], after: dict[str, Any], names: tuple[str, ...]
) -> None:
    assert unlike(Facts(**before), Facts(**after)) == names


def test_environments_differ_by_size_and_names() -> None:
    sides = [
        replace(profile(environment=text), metrics=(Metric("Ir", "count", kind=MetricKind.COUNTED),))
        for text in ("30 bytes: HOME PATH", "53 bytes: HOME PADDING PATH")
    ]
    found = [note.reason.parameters for note in comparability(sides[:1], sides[1:], named=False)]
    assert {"fact": "environment", "baseline": "30 bytes", "target": "53 bytes with PADDING"} in found
    assert {"facts": "environment"} in found


@pytest.mark.parametrize(
    ("fact", "change"), [("cpu_differs", {"cpu_model": "cpu B"}), ("rates_differ", {"rate": 99.0})]
)
def test_another_machine_or_rate_is_a_note(fact: str, change: dict[str, Any]) -> None:
    assert notes([profile()], [profile(**change)]) == {fact: False}


def test_counts_are_converted_where_all_rates_are_known() -> None:
    (note,) = comparability([profile()], [profile(rate=400.0)], named=False)
    assert note.reason.parameters == {"baseline": "100", "target": "400", "rate": 400.0}
    assert notes([profile(), profile(rate=None)], [profile(rate=400.0)] * 2) == {"rates_differ": False}


def test_a_fact_of_one_side_only_warns() -> None:
    assert notes([profile(os=None)], [profile()]) == {"operating system": False}
    assert notes([profile(mode=None)], [profile()]) == {"sampling mode": False}


def test_every_run_counts_not_only_the_first() -> None:
    mixed = [profile(), profile(runtime="3.13.0")]
    assert notes([profile(), profile()], mixed) == {"runtime": True}
    assert notes(mixed, mixed) == {"runtime": True}


@pytest.mark.parametrize("named", [False, True])
def test_different_configurations_block_unless_files_are_named(named: bool) -> None:
    other = replace(profile(), configuration=Configuration(command="b"))
    assert notes([profile()], [other], named=named) == {"configurations_differ": not named}


def test_single_run_against_several_is_noted() -> None:
    assert notes([profile()] * 5, [profile()]) == {"run_counts_differ": False}
    assert notes([profile()] * 5, [profile()] * 3) == {}


def test_stacks_without_a_frame_state_their_share() -> None:
    before, after = (FoldedReader().read(source_of("a.folded", data)) for data in (b" 18\na 82\n", b" 1\na 99\n"))
    (note,) = doubts(overlaid([before], [after]))
    parameters = {"case": "no_stack", "metric": "samples", "side": "baseline", "share": 0.18}
    assert (note.reason.code, note.reason.parameters) == ("no_frames", parameters)


@pytest.mark.parametrize(("after", "moved"), [(150, (0.05, 0.2)), (104, None)])
def test_system_libraries_state_what_they_moved(after: int, moved: tuple[float, float] | None) -> None:
    metric = Metric("instructions", "count", kind=MetricKind.COUNTED)
    modules = {"memcpy": "/usr/lib/libc.so.6"}
    sides = [{"memcpy": 100, "parse": 900}], [{"memcpy": after, "parse": 1200 - after}]
    comparison = replace(
        from_exclusive(*sides, metric=metric, modules=modules),
        facts=(Facts("callgrind", cpu_model="a"), Facts("callgrind", cpu_model="b")),
    )
    found = [note.reason.parameters for note in doubts(comparison) if note.reason.code == "system_library"]
    assert [[one["names"], one["moved"], one["relative"]] for one in found] == (
        [["libc.so.6", pytest.approx(moved[0]), pytest.approx(moved[1])]] if moved else []
    )


def test_totals_far_apart_and_unresolved_names_are_doubts() -> None:
    assert doubts(from_exclusive([{"a": 1000}], [{"a": 3000}])) == ()
    (apart,) = doubts(from_exclusive([{"a": 1000}], [{"a": 3100}]))
    assert (apart.reason.code, apart.reason.parameters["factor"]) == ("totals_far_apart", 3.1)
    assert len(doubts(from_exclusive([{"a": 1}, {"a": 0}], [{"a": 10}] * 2))) == 1
    known = {"a": 80, "[unknown]": 20}
    (nameless,) = doubts(from_exclusive([known], [{"a": 70, "0x7f00": 30}]))
    assert (nameless.reason.parameters["case"], nameless.reason.parameters["share"]) == ("unresolved", 0.3)
    assert not nameless.blocks
    assert doubts(replace(from_exclusive([{"a": 1}], [{"a": 1}]), run_totals=np.zeros(2, np.int64))) == ()
