"""Modules that are two versions of one, and functions that two modules have."""

import pytest

from comparisons import SAMPLES
from profgate.compare.symbols import number_symbols, paired_modules
from profgate.model.profile import Configuration, FrameList, Profile


@pytest.mark.parametrize(
    ("baseline", "target", "shown"),
    [
        (["libx-3.10.so"], ["libx-3.11.so"], "libx-3.10.so -> libx-3.11.so"),
        (["libx.so.1", "liby.so.1"], ["libx.so.2", "liby.so.1"], "libx.so.1 -> libx.so.2"),
        (["libx-3.10.so"], ["libx-3.10.so"], None),
        (["libx-3.10.so"], ["libx-3.11.so", "libx-3.12.so"], None),
        (["libx-3.10.so", "libx-3.11.so"], ["libx-3.11.so"], None),
        (["shop-old"], ["shop-new"], None),
    ],
)
def test_eto_d7_versions_pair_one_to_one(baseline: list[str], target: list[str], shown: str | None) -> None:
    """ETO-d7: the published program renames by similarity, to the text before the last difference."""
    texts = paired_modules(baseline, target)
    assert texts == ({} if shown is None else dict.fromkeys(shown.split(" -> "), shown))


def profile(*frames: tuple[str, str | None, str | None]) -> Profile:
    names, files, modules = ([frame[part] for frame in frames] for part in range(3))
    listed = FrameList([name or "" for name in names], files, [None] * len(frames), modules)
    return Profile("p", Configuration(), (SAMPLES,), listed)


def test_library_versions_share_a_module() -> None:
    before, after = profile(("f", None, "lib-1.0"), ("old", None, "lib-1.0")), profile(("f", None, "lib-1.1"))
    symbols = number_symbols((before, after), targets=1).symbols
    assert symbols.names == ["f", "old"]
    assert symbols.modules == ["lib-1.0 -> lib-1.1"] * 2


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
