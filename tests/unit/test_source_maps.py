"""Source maps of a checkout name the functions of profiles."""

import base64
import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from profgate import source_maps
from profgate.model.profile import ClaimedSource, Profile
from profgate.model.source import source_of
from profgate.readers import source_map as source_map_reader
from profgate.readers.cpuprofile import SOURCE, CpuprofileReader
from profgate.readers.registry import read_profile
from profgate.source_maps import with_sources
from source_map_samples import FUNCTIONS, MAP, SCRIPT, profile, source_map
from stack_rows import own_values

DATA = Path(__file__).parents[1] / "data"

BESIDE = f"{SCRIPT}//# sourceMappingURL=app.js.map\n"
NAMED = [
    ClaimedSource("inlineText", "src/Tokenizer.ts", 2, "lib/app.js"),
    ClaimedSource("outputLink", "src/Link.ts", 5, "lib/app.js"),
]
RECORDED = "file:///home/runner/work/app/app/lib/app.js"


def checkout(folder: Path, files: Mapping[str, str | bytes]) -> str:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return str(folder)


def read(folder: str, data: bytes | None = None) -> Profile:
    (source,) = with_sources([source_of("a.cpuprofile", data or profile(RECORDED))], folder)
    return CpuprofileReader().read(source)


def sources(folder: str, data: bytes | None = None) -> list[ClaimedSource]:
    return list(read(folder, data).frames.sources.values())


def inline(data: bytes, *, text: bool = False) -> str:
    content = quote(data) if text else f"{base64.b64encode(data).decode()}"
    return f"{SCRIPT}//# sourceMappingURL=data:application/json{'' if text else ';base64'},{content}"


@pytest.mark.parametrize(
    "files",
    [
        {"lib/app.js": BESIDE, "lib/app.js.map": MAP},
        {"lib/app.js": SCRIPT, "lib/app.js.map": MAP},
        {"lib/app.js": f"{SCRIPT}//@ sourceMappingURL=../maps/a%20b.map?v=1", "maps/a b.map": MAP},
        {"lib/app.js": inline(MAP)},
        {"lib/app.js": inline(MAP, text=True)},
    ],
)
def test_source_map_names_functions(tmp_path: Path, files: dict[str, str | bytes]) -> None:
    assert sources(checkout(tmp_path, files)) == NAMED


@pytest.mark.parametrize(
    "url", ["/other/place/lib/app.js", "lib/app.js", r"C:\work\lib\app.js", "file:///C:/w/lib/app.js"]
)
def test_profile_of_another_folder_finds_the_script(tmp_path: Path, url: str) -> None:
    folder = checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": MAP})
    assert [source.file for source in sources(folder, profile(url))] == ["src/Tokenizer.ts", "src/Link.ts"]


@pytest.mark.parametrize(
    ("source", "file"),
    [
        ("../src/a.ts", "src/a.ts"),
        ("a.ts?1f2e", "lib/a.ts"),
        ("/home/runner/work/app/app/src/a.ts", "src/a.ts"),
        ("file:///home/runner/work/app/app/src/a.ts", "src/a.ts"),
        ("webpack://app/./src/a.ts", "src/a.ts"),
        ("webpack:///src/a.ts?77ab", "src/a.ts"),
        ("webpack:///./inner/b.ts", "lib/inner/b.ts"),
        ("webpack:///webpack/bootstrap", None),
        ("webpack:///../../a.ts", None),
        ("../../a.ts", None),
        ("../../../../../../../../etc/passwd", None),
        ("/etc/passwd", None),
        ("/home/runner/work/app/application/a.ts", None),
        ("file:///etc/passwd", None),
        ("https://example.com/a.ts", None),
        ("../node_modules/lib/a.ts", None),
        ("../src/a\nb.ts", None),
        ("../src/" + "a" * 999, None),
        ("", None),
    ],
)
def test_sources_outside_of_the_checkout_are_dropped(tmp_path: Path, source: str, file: str | None) -> None:
    files = {"src/a.ts": "", "lib/inner/b.ts": "", "lib/app.js": BESIDE}
    folder = checkout(tmp_path, {**files, "lib/app.js.map": source_map([(0, 9, 0, 1, 16, 0)], sources=[source])})
    assert {found.file for found in sources(folder)} == {file} - {None}


def test_source_root_is_part_of_the_path(tmp_path: Path) -> None:
    data = source_map([(0, 9, 0, 1, 16, 0)], sources=["a.ts"], sourceRoot="../src")
    folder = checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": data})
    assert sources(folder)[0].file == "src/a.ts"


def test_script_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read_paths = []

    def content(folder: str, path: str, _: int) -> bytes:
        read_paths.append(path)
        return Path(folder, path).read_bytes()

    monkeypatch.setattr(source_maps, "_content_of", content)
    files = [source_of("a", profile(f"{folder}/lib/app.js")) for folder in ("/a", "/b", "/a")]
    found = with_sources(files, checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": MAP}))
    assert read_paths == ["lib/app.js", "lib/app.js.map"]
    assert all(SOURCE.encode() in file.read(9999) for file in found)


@pytest.mark.parametrize(
    ("files", "note"),
    [
        ({"lib/app.js": f"{SCRIPT}//# sourceMappingURL=https://example.com/a.map"}, "which is not downloaded"),
        ({"lib/app.js": f"{SCRIPT}//# sourceMappingURL=//example.com/a.map"}, "which is not downloaded"),
        ({"lib/app.js": BESIDE}, "app.js.map is not in the checkout"),
        ({"lib/app.js": f"{SCRIPT}//# sourceMappingURL=../../../etc/passwd"}, "is not in the checkout"),
        ({"lib/app.js": f"{SCRIPT}//# sourceMappingURL=/etc/passwd"}, "is not in the checkout"),
        ({"lib/app.js": f"{SCRIPT}//# sourceMappingURL=data:;base64,a"}, "damaged source map"),
        ({"lib/app.js": BESIDE, "lib/app.js.map": b"[" * 99_999}, "is not a source map"),
        ({"lib/app.js": BESIDE, "lib/app.js.map": source_map([], sections=[])}, "without sections"),
        ({"lib/app.js": f"let a;{BESIDE}", "lib/app.js.map": MAP}, "built again after this recording"),
    ],
)
def test_unusable_map_is_a_warning(tmp_path: Path, files: dict[str, str | bytes], note: str) -> None:
    found = read(checkout(tmp_path, files))
    assert not found.frames.sources
    (warning,) = found.warnings
    assert warning.startswith("source map not used: ")
    assert note in warning


def test_large_files_are_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_maps, "LARGEST", 500)
    folder = checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": MAP + b" " * 500})
    assert "lib/app.js.map: is larger than 500 bytes; its sources are not used" in read(folder).warnings[0]
    assert str(tmp_path) not in read(folder).warnings[0]


def test_all_scripts_share_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_maps, "MOST_BYTES", len(BESIDE) + len(MAP) + 100)
    files = {f"lib/{name}.js{end}": data for name in "abc" for end, data in (("", SCRIPT), (".map", MAP))}
    folder = checkout(tmp_path, files)
    documents = [profile(f"file:///x/lib/{name}.js") for name in "abc"]
    files_of = with_sources([source_of("a.cpuprofile", data) for data in documents], folder)
    found = [CpuprofileReader().read(source) for source in files_of]
    assert [len(each.frames.sources) for each in found] == [2, 0, 0]
    assert all("all scripts and source maps have more than" in each.warnings[0] for each in found[1:])


def test_links_out_of_the_checkout_are_not_followed(tmp_path: Path) -> None:
    checkout(tmp_path, {"secret/lib/app.js": BESIDE, "secret/lib/app.js.map": MAP, "in/lib/app.js": BESIDE})
    (tmp_path / "in/lib/app.js.map").symlink_to("../../secret/lib/app.js.map")
    assert "is not in the checkout" in read(str(tmp_path / "in")).warnings[0]
    (tmp_path / "out").mkdir()
    (tmp_path / "out/lib").symlink_to("../secret/lib")
    assert read(str(tmp_path / "out")).warnings == ()


@pytest.mark.parametrize(
    "url", ["file:///x/node_modules/lib/app.js", "node:fs", "https://example.com/lib/app.js", "", "a\0b"]
)
def test_scripts_of_packages_and_servers_are_not_read(tmp_path: Path, url: str) -> None:
    folder = checkout(tmp_path, {"node_modules/lib/app.js": BESIDE, "lib/app.js": BESIDE, "lib/app.js.map": MAP})
    assert read(folder, profile(url)).frames.sources == {}


def test_stored_sources_are_not_changed(tmp_path: Path) -> None:
    (stored,) = with_sources(
        [source_of("a.cpuprofile", profile(RECORDED))],
        checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": MAP}),
    )
    (again,) = with_sources([stored], checkout(tmp_path, {"lib/app.js.map": source_map([(0, 9, 1, 0, 0)])}))
    assert again == stored


@pytest.mark.parametrize(
    "data",
    [
        b"{",
        b'{"nodes": 3, "timeDeltas": []}',
        b'{"nodes": [{"callFrame": 7}, 3], "timeDeltas": []}',
        profile(RECORDED, [("Y", 2**70, 2**70), ("O", -1, 0)]),
    ],
)
def test_damaged_profile_is_left_to_its_reader(tmp_path: Path, data: bytes) -> None:
    source = source_of("a.cpuprofile", data)
    assert with_sources([source], checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": MAP})) == [source]


@pytest.mark.parametrize(
    "source",
    [
        7,
        {},
        {"name": "a", "file": "a.ts"},
        {"name": "a", "file": "/a.ts", "script": "a.js"},
        {"name": "", "file": "a", "script": "b"},
    ],
)
def test_invalid_stored_source_is_ignored(source: object) -> None:
    document = json.loads(profile(RECORDED, FUNCTIONS[:1]))
    document["nodes"][1]["callFrame"]["profgateSource"] = source
    assert CpuprofileReader().read(source_of("a", json.dumps(document).encode())).frames.sources == {}


def test_map_is_parsed_once_for_all_addresses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = list[str]()

    def read_source_map(data: bytes, place: str) -> source_map_reader.SourceMap:
        parsed.append(place)
        return source_map_reader.read_source_map(data, place)

    monkeypatch.setattr(source_maps, "read_source_map", read_source_map)
    folder = checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": MAP})
    files = [source_of(f"{number}.cpuprofile", profile(f"/x{number}/lib/app.js")) for number in range(5)]
    with_sources(files, folder)
    assert parsed == ["lib/app.js.map"]


def test_source_map_names_functions_of_heap_profiles(tmp_path: Path) -> None:
    folder = checkout(tmp_path, {"lib/app.js": BESIDE, "lib/app.js.map": MAP})
    head: dict[str, Any] = {}
    for node in reversed(json.loads(profile(RECORDED))["nodes"]):
        head = {**node, "selfSize": 8, "children": [head] if head else []}
    (source,) = with_sources([source_of("a.heapprofile", json.dumps({"head": head}).encode())], folder)
    assert list(read_profile(source).frames.sources.values()) == NAMED
    damaged = checkout(tmp_path, {"lib/app.js.map": b"{"})
    (source,) = with_sources([source_of("a", json.dumps({"head": head}).encode())], damaged)
    assert [warning[:19] for warning in read_profile(source).warnings] == ["source map not used"]


@pytest.mark.parametrize("name", ["a.json", "a.json.gz"])
def test_symbols_beside_a_profile_name_its_addresses(name: str) -> None:
    data = (DATA / "firefox" / "samply-0.13.1.json").read_bytes()
    profile = source_of(name, gzip.compress(data) if name.endswith(".gz") else data)
    symbols = source_of(f"{name.rpartition('.')[0]}.syms.json", (DATA / "symbols" / "by-hand.syms.json").read_bytes())
    other = source_of("b.syms.json", b"{}")
    named, alone = with_sources([profile, symbols, other])
    assert alone is other
    assert own_values(read_profile(named)) == {"heavy": 61, "medium": 31, "light": 11}
    assert (named.name, set(read_profile(named).frames.files)) == (name, {None, "/app/shop.c"})


def test_profiles_without_symbols_stay_as_they_are() -> None:
    files = [source_of("a.folded", b"main 1\n"), source_of("a.gz", b"\x1f\x8b\0"), source_of("a.syms.json", b"{}")]
    assert with_sources(files) == files
