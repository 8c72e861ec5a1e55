"""Relative links between the pages work, and the README links every page of docs."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md")])
LINK = re.compile(r"\]\((?![a-z]+:)([^)\s#]*)(?:#([^)\s]+))?\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def targets(page: Path) -> list[tuple[Path, str]]:
    found = LINK.findall(page.read_text(encoding="utf-8"))
    return [((page.parent / path).resolve() if path else page, anchor) for path, anchor in found]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_relative_links_work(page: Path) -> None:
    linked = targets(page)
    assert [str(path) for path, _ in linked if not path.exists()] == []
    assert [anchor for path, anchor in linked if anchor and anchor not in anchors(path)] == []


def test_every_page_of_docs_is_linked_from_the_readme() -> None:
    linked = {path for path, _ in targets(ROOT / "README.md")}
    assert [page.name for page in sorted(ROOT.glob("docs/*.md")) if page not in linked] == []
