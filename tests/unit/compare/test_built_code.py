import pytest

from profgate.compare.metrics import named_by_sources
from profgate.model.profile import ClaimedSource, FrameList, Profile
from profgate.model.record import replace
from profgate.model.source import source_of
from profgate.readers.cpuprofile import CpuprofileReader
from source_map_samples import FUNCTIONS, profile

SOURCES = {0: ClaimedSource("inlineText", "src/Tokenizer.ts", 2, "lib/app.js")}


def recorded(folder: str, sources: dict[int, ClaimedSource] = SOURCES) -> Profile:
    found = CpuprofileReader().read(source_of("a", profile(f"{folder}/lib/app.js", FUNCTIONS)))
    return replace(found, frames=found.frames._replace(sources=sources))


def names(*profiles: Profile) -> list[str]:
    return [found.frames.names[0] for found in named_by_sources(profiles)]


def test_functions_are_named_by_their_sources() -> None:
    (found,) = named_by_sources([recorded("/a")])
    assert found.frames == FrameList(
        ["inlineText", "O"], ["source-map://src/Tokenizer.ts", "/a/lib/app.js"], [2, 1], [None] * 2
    )


@pytest.mark.parametrize("folder", ["/a", "/b", "/home/runner/work/x/x"])
def test_script_without_sources_in_one_run_keeps_its_names(folder: str) -> None:
    assert names(recorded("/a"), recorded(folder)) == ["inlineText"] * 2
    assert names(recorded("/a"), recorded(folder, {})) == ["Y"] * 2


def test_other_scripts_do_not_matter() -> None:
    other = recorded("/a", {})
    frames = other.frames._replace(files=["/a/node_modules/b/app.js", "/a/lib/b.js"])
    assert names(recorded("/a"), replace(other, frames=frames)) == ["inlineText", "Y"]


def test_hash_in_the_name_of_a_script_does_not_matter() -> None:
    hashed = {0: replace(SOURCES[0], script="lib/app-1a2b3c4d.js")}
    assert names(recorded("/a", hashed), recorded("/a", {})) == ["Y"] * 2
