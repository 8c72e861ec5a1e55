"""Each tutorial works as written: its files, patches, commands and stated outputs."""

import os
from pathlib import Path

import pytest

from profgate.measuring.init.recipes import RECIPES
from tutorial_blocks import InconclusiveError, blocks_of, missing, output_of, run_tutorial

TUTORIALS = Path(__file__).parents[2] / "docs" / "tutorials"
NEEDED = {
    "python": ["git", "py-spy"],
    "go": ["git", "go"],
    "rust": ["git", "cargo", "perf"],
    "node": ["git", "node"],
    "java": ["git", "javac", "jfr"],
    "native": ["git", "make", "cc", "perf"],
}
# Commands that fail if this machine does not allow a profiler to record.
PROBES = {
    "py-spy": ["py-spy", "record", "--format", "raw", "--output", "probe", "--", "python", "-c", "sum(range(10**7))"],
    "perf": ["perf", "record", "-o", "probe", "--", "sleep", "0.1"],
}


def reason_to_skip(programs: list[str], folder: Path) -> str:
    """What a tutorial lacks on this machine, or an empty text."""
    if lacking := missing(programs):
        return f"not installed: {', '.join(lacking)}"
    for program in programs:
        try:
            output_of(PROBES.get(program, ["true"]), folder, timeout=60)
        except AssertionError as error:
            return f"{program} cannot record here: {error}"
    return ""


def with_attempts(page: Path, place: Path) -> Path:
    """Run a tutorial in a new folder until its comparison has a result, at most three times."""
    for attempt in range(3):
        folder = place / str(attempt)
        folder.mkdir()
        try:
            run_tutorial(page, folder, timeout=600)
        except InconclusiveError as error:
            reason = str(error)
        else:
            return folder
    if os.getloadavg()[0] > (os.cpu_count() or 1):
        pytest.skip(f"other programs disturb the measurement: {reason}")
    raise AssertionError(reason)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "python" else pytest.mark.full) for name in NEEDED]
)
def test_tutorial_works(name: str, tmp_path: Path) -> None:
    if reason := reason_to_skip(NEEDED[name], tmp_path):
        pytest.skip(reason)
    folder = with_attempts(TUTORIALS / f"{name}.md", tmp_path)
    (script,) = [block.text for block in blocks_of(TUTORIALS / f"{name}.md") if block.title == "record.sh"]
    workflow = (folder / ".github/workflows/performance.yml").read_text().replace(".py-spy/bin/", "")
    assert [line for line in script.splitlines() if line.strip() not in workflow] == []


def test_each_language_of_init_has_a_tutorial() -> None:
    assert {page.stem for page in TUTORIALS.glob("*.md")} == set(NEEDED)
    assert len(NEEDED) == len(RECIPES)
