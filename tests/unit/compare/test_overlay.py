"""Alignment of the files of both sides and of base jobs."""

import pytest

from folder_diffs import folder_diff
from profgate.attribution.identity import SourcePairing
from profgate.compare.columns import CompareOptions
from profgate.compare.overlay import OverlayInput, overlay
from profgate.compare.readings import readings_of
from profgate.model.attribution import SourceDiff
from profgate.model.comparison import Comparison
from profgate.model.profile import ClaimedSource, Configuration, Profile, Workload
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.readers.registry import read_profile

DIFF = folder_diff({"src/a.py": "a"}, {"src/a.py": "b"}, frozenset({"src/a.py", "src/shop/cart.py"}))
FILES = ("lib/app.js", "src/shop/cart.py")


def recorded(folder: str, job: str, *, more: str = "") -> Profile:
    names = ("main", "load", "parse", "save", more)
    stacks = [f"{name} ({folder}/{file}) 9" for file in FILES for name in names if name]
    found = read_profile(source_of("a.folded", "\n".join(stacks).encode()))
    return replace(found, facts=replace(found.facts, job=job))


def compared(baseline: Profile, target: Profile, *base_runs: Profile, diff: SourceDiff | None = None) -> Comparison:
    workload = Workload("w", Configuration(), (baseline,), (target,), base_runs)
    (found,), _ = overlay(workload, OverlayInput(CompareOptions(), pairing=SourcePairing(diff)))
    return found


@pytest.mark.parametrize("diff", [None, DIFF])
def test_base_jobs_in_other_folders_have_the_same_functions(diff: SourceDiff | None) -> None:
    sides = recorded("/ci/1", "b"), recorded("/ci/2", "t")
    found = compared(*sides, recorded("/ci/3", "c"), recorded("/ci/4", "d", more="drop"), diff=diff)
    files = {f"/ci/2/{file}" for file in FILES}
    assert set(found.symbols.files) == files
    assert found.noise.self_value.tolist() == [
        [9 * (name != "drop") for name in found.symbols.names],
        [9] * len(found.symbols.names),
    ]
    notes = ["files below /ci/1/ are compared with files below /ci/2/"]
    assert [note.reason.parameters for note in found.notes] == [{"baseline": "/ci/1/", "target": "/ci/2/"}] * len(notes)


def test_stored_jobs_in_other_folders_have_the_same_functions() -> None:
    options = CompareOptions()
    past = [
        reading
        for number in (3, 4)
        for reading in readings_of(recorded(f"/ci/{number}", "x"), options, f"c{number}", "", "1")
    ]
    workload = Workload("w", Configuration(), (recorded("/ci/1", "b"),), (recorded("/ci/2", "t"),))
    (found,), _ = overlay(workload, OverlayInput(options, pairing=SourcePairing(), past=lambda _: past))
    assert found.noise.self_value.tolist() == [[9] * len(found.symbols)] * 2


def test_repository_files_are_not_paired_by_their_folders() -> None:
    moved = folder_diff({}, {}, frozenset({"old/src/shop/cart.py", "new/src/shop/cart.py"}))
    found = compared(recorded("/ci/old", "b"), recorded("/ci/new", "t"), diff=moved)
    alone = {file for file, *sides in zip(found.symbols.files, *found.present.tolist(), strict=True) if not all(sides)}
    assert alone == {"/ci/old/src/shop/cart.py", "/ci/new/src/shop/cart.py"}


def test_names_of_source_maps_are_never_paired() -> None:
    def built(folder: str) -> Profile:
        found = recorded("/ci", folder)
        names, files = found.frames.names, [name.partition("(")[2][:-1] for name in found.frames.names]
        sources = {
            place: ClaimedSource(name.partition(" ")[0], f"{folder}/{place % 2}.ts", 1, "app.js")
            for place, name in enumerate(names)
        }
        return replace(found, frames=found.frames._replace(files=list(files), sources=sources))

    found = compared(built("old"), built("new"))
    assert not found.present.all(axis=0).any()
    assert found.notes == ()
