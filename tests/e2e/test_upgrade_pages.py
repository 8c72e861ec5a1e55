"""The pages of two library upgrades look as they did: their texts and a small picture are stored.

`PROFGATE_UPDATE_GOLDEN=1` with this file stores new ones; look at the difference.
"""

import io
import runpy
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from e2e.conftest import OpenFile
from golden_files import Golden

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow

EXAMPLE = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "upgrades" / "pages.py"))
WIDTHS = [1440, 390]
SMALL = 8  # the pictures have an eighth of the width and height, which hides how fonts are drawn
DIFFERENT = 48  # of 255; a smaller difference of a colour is not seen
MOST_DIFFERENT = 0.03  # share of the pixels
# machines have different system fonts, in which lines break elsewhere
FONT = "document.body.style.fontFamily = '\"DejaVu Sans\"'"
HAS_FONT = """(() => {
  const context = document.createElement("canvas").getContext("2d");
  const widths = ["monospace", "serif"].map((other) => {
    context.font = `14px "DejaVu Sans", ${other}`;
    return context.measureText("Where the change of the total comes from").width;
  });
  return widths[0] === widths[1];
})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("upgrades")
    EXAMPLE["main"](folder)
    return folder


def opened(open_file: OpenFile, page: Path, width: int) -> "Page":
    shown = open_file(page, width=width)
    shown.wait_for_selector('canvas[data-painted="after"]', state="attached")
    shown.wait_for_function("document.querySelector('#details bdi')?.textContent")
    return shown


def picture(page: "Page") -> Any:
    """The window with few pixels."""
    image = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    with image.open(io.BytesIO(page.screenshot(animations="disabled"))) as shot:
        return shot.convert("RGB").resize((shot.width // SMALL, shot.height // SMALL), image.Resampling.BOX)


def share_of_difference(one: Any, other: Any) -> float:
    """The share of pixels that differ in a colour."""
    chops = pytest.importorskip("PIL.ImageChops")
    bands = chops.difference(one, other).split()
    largest = chops.lighter(chops.lighter(bands[0], bands[1]), bands[2])
    return float(sum(largest.histogram()[DIFFERENT:]) / (one.width * one.height))


@pytest.mark.parametrize("name", EXAMPLE["UPGRADES"])
def test_texts_are_the_stored_ones(name: str, pages: Path, open_file: OpenFile) -> None:
    page = opened(open_file, pages / f"{name}.html", WIDTHS[0])
    Golden.from_environment().check(f"upgrades/{name}.yml", page.locator("body").aria_snapshot() + "\n")


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", EXAMPLE["UPGRADES"])
def test_page_looks_as_stored(name: str, width: int, pages: Path, open_file: OpenFile) -> None:
    page = opened(open_file, pages / f"{name}.html", width)
    if not page.evaluate(HAS_FONT):
        pytest.skip("the font DejaVu Sans is not installed; run apt-get install -y fonts-dejavu-core")
    page.evaluate(FONT)
    seen, stored = picture(page), Golden.from_environment()
    place = stored.root / "upgrades" / f"{name}-{width}.png"
    if stored.update:
        seen.save(place)
    with pytest.importorskip("PIL.Image").open(place) as expected:
        assert expected.size == seen.size
        difference = share_of_difference(seen, expected)
    if difference > MOST_DIFFERENT:
        seen.save(place.with_suffix(".png.actual"), "PNG")
    assert difference <= MOST_DIFFERENT
