"""Links of the documentation work, and every page is in the navigation of the site."""

import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *ROOT.glob("examples/**/*.md")])
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
REPOSITORY = r"https://github\.com/profgate/profgate/(?:blob|tree)/main/"
LINK = re.compile(rf"\]\(\s*(?:({REPOSITORY})|(?![a-z]+:))([^)\s#]*)(?:#([^)\s]+))?\)")
BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
TAG = re.compile(r"<(?!/?su[bp]>|/?iframe\b)/?[A-Za-z][^>\n]*>")
UPGRADES = runpy.run_path(str(ROOT / "examples" / "upgrades" / "pages.py"))["UPGRADES"]
MADE = {DOCS / "upgrades" / f"{name}.html" for name in UPGRADES}  # by ./run docs


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = HEADING.findall(BLOCK.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def targets(page: Path) -> list[tuple[Path, str]]:
    """The file and the anchor of each link inside of the repository."""
    found = LINK.findall(CODE.sub("``", page.read_text(encoding="utf-8")))
    places = [(ROOT if ours else page.parent, path, anchor) for ours, path, anchor in found]
    return [((place / path).resolve() if path else page, anchor) for place, path, anchor in places]


def entries(navigation: Any) -> Iterator[str]:
    if isinstance(navigation, str):
        yield navigation
    for part in navigation.values() if isinstance(navigation, dict) else navigation:
        if not isinstance(navigation, str):
            yield from entries(part)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_work(page: Path) -> None:
    linked = targets(page)
    assert [str(path) for path, _ in linked if not path.exists() and path not in MADE] == []
    assert [anchor for path, anchor in linked if anchor and path.suffix == ".md" and anchor not in anchors(path)] == []


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: page.name)
def test_pages_of_the_site_link_only_to_the_site(page: Path) -> None:
    """The site does not contain the other files of the repository."""
    relative = re.findall(r"\]\((?![a-z]+:|#)([^)\s#]+)", CODE.sub("``", page.read_text(encoding="utf-8")))
    assert [path for path in relative if not (page.parent / path).resolve().is_relative_to(DOCS)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_placeholders_are_not_hidden(page: Path) -> None:
    """Browsers do not show an unknown tag such as <key>."""
    assert TAG.findall(CODE.sub("``", page.read_text(encoding="utf-8"))) == []


def test_navigation_has_every_page_once() -> None:
    site = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    pages = [str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")]
    assert sorted(entries(site["nav"])) == sorted(pages)
