"""Numbering of symbols: names that no rule can change are not normalised one by one."""

import pytest

from comparisons import SAMPLES
from profgate.compare.symbols import number_symbols
from profgate.model.frame_names import frame_key
from profgate.model.profile import Configuration, FrameList, Profile
from profgate.model.record import replace

PLAIN = ("main", "shop.orders.find", "std::sort")


def profile(names: tuple[str, ...], files: tuple[str | None, ...], lines: tuple[int | None, ...]) -> Profile:
    return Profile(
        "p", Configuration(), (SAMPLES,), FrameList(list(names), list(files), list(lines), [None] * len(names))
    )


@pytest.mark.parametrize("special", ["main", "/home/me/tool", "", "f+0x12", "g (pkg/a.py:12)", "a\nb", "x\0y"])
@pytest.mark.parametrize("file", [None, "", "/github/workspace/shop/orders.py"])
def test_symbols_equal_the_keys_of_their_frames(special: str, file: str | None) -> None:
    names, files, lines = (*PLAIN, special), (None, file, file, file), (None, 3, None, None)
    numbering = number_symbols([profile(names, files, lines)])
    expected = [frame_key(*frame) for frame in zip(names, files, lines, strict=True)]
    symbols, (mapping,) = numbering.symbols, numbering.maps
    assert [symbols.names[place] for place in mapping] == [key.name for key in expected]
    assert [symbols.files[place] for place in mapping] == [key.file or None for key in expected]


def test_last_profile_names_the_line_and_label() -> None:
    before, after = profile(("f", "g"), (None, None), (1, 2)), profile(("f",), (None,), (7,))
    symbols = number_symbols([before, after], targets=1).symbols
    assert (symbols.names, symbols.lines, symbols.labels) == (["f", "g"], [7, 2], ["f", "g"])


@pytest.mark.parametrize(
    ("form", "lines", "several"), [("cpuprofile", [None, 9], {0: (3, 7)}), ("speedscope", [7, 9], {})]
)
def test_functions_that_are_one_symbol_are_known(
    form: str, lines: list[int | None], several: dict[int, tuple[int, ...]]
) -> None:
    made = profile(("(anonymous)", "(anonymous)", "f"), ("a.js",) * 3, (3, 7, 9))
    made = replace(made, facts=replace(made.facts, format=form))
    symbols = number_symbols([profile(("f",), ("a.js",), (4,)), made], targets=1).symbols
    assert (symbols.lines, symbols.several) == (lines, several)
