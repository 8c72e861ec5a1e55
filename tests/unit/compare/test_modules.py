"""Modules that are two versions of one, and functions that two modules have."""

from comparisons import SAMPLES
from profgate.compare.symbols import number_symbols
from profgate.model.profile import Configuration, FrameList, Profile


def profile(*frames: tuple[str, str | None, str | None]) -> Profile:
    names, files, modules = ([frame[part] for frame in frames] for part in range(3))
    listed = FrameList([name or "" for name in names], files, [None] * len(frames), modules)
    return Profile("p", Configuration(), (SAMPLES,), listed)


def test_library_versions_share_a_module() -> None:
    before, after = profile(("f", None, "lib-1.0"), ("old", None, "lib-1.0")), profile(("f", None, "lib-1.1"))
    symbols = number_symbols((before, after), targets=1).symbols
    assert symbols.names == ["f", "old"]
    assert symbols.modules == ["lib-1.1", "lib-1.0"]


def test_eto_d8_one_function_in_two_modules_is_two_symbols() -> None:
    """ETO-d8: a location that is the function alone cannot tell them apart."""
    both = profile(("copy", None, "app"), ("copy", None, "lib"), ("main", None, "app"))
    numbering = number_symbols((both, profile(("copy", None, "lib"), ("main", None, "other"))), targets=1)
    assert list(zip(numbering.symbols.names, numbering.symbols.modules, strict=True)) == [
        ("copy", "app"),
        ("copy", "lib"),
        ("main", "other"),
    ]
    assert [mapping.tolist() for mapping in numbering.maps] == [[0, 1, 2], [1, 2]]


def test_function_of_two_modules_does_not_depend_on_their_folders() -> None:
    """ETO-d7: the published program renames by similarity."""
    sides = [
        profile(("main", None, f"{folder}/release/app-{digest}"), ("main", None, f"/home/u/{version}/bin/cargo"))
        for folder, digest, version in (("/builds/one", "0a1b2c3d", "1.94"), ("/builds/another", "4e5f6a7b", "1.95"))
    ]
    symbols = number_symbols(sides, targets=1).symbols
    assert symbols.modules == ["/builds/another/release/app-4e5f6a7b", "/home/u/1.95/bin/cargo"]
