"""The documentation site can be built."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def built(folder: Path) -> "subprocess.CompletedProcess[str]":
    tool = shutil.which("zensical", path=str(Path(sys.executable).parent))
    if tool is None:
        pytest.skip("zensical is not installed; ./run docs")
    shutil.copy(ROOT / "zensical.toml", folder)
    make_pages = [sys.executable, str(ROOT / "examples" / "upgrades" / "pages.py"), str(folder / "docs" / "upgrades")]
    subprocess.run(make_pages, check=True, timeout=120)
    command = [tool, "build", "--strict"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=120)


def test_site_has_no_dead_link(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    result = built(tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    pages = [str(page.relative_to(ROOT / "docs").with_suffix("")) for page in (ROOT / "docs").rglob("*.md")]
    site = tmp_path / "build" / "site"
    assert [page for page in pages if page != "index" and not (site / page / "index.html").is_file()] == []
    # this component of the theme asks a server for facts about the repository
    assert [page for page in site.rglob("*.html") if 'data-md-component="source"' in page.read_text()] == []
