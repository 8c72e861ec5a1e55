import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = [f"requirements{kind}.lock" for kind in ("", "-bootstrap", "-dev", "-docs", "-e2e", "-fuzz")]


def versions(name: str) -> set[str]:
    """name==version of every entry, without the conditions behind it."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return {line.split()[0] for line in text.splitlines() if re.match(r"\w", line)}


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_hashes_and_no_address(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert text.count("--hash=sha256:") >= len(versions(name)) > 0


def test_each_set_holds_the_one_before() -> None:
    assert versions("requirements.lock") < versions("requirements-dev.lock") < versions("requirements-e2e.lock")


def test_the_wheel_is_built_by_the_version_that_people_use() -> None:
    built_with = {line for line in versions("requirements-bootstrap.lock") if line.startswith("hatchling==")}
    assert built_with <= versions("requirements-dev.lock")
    assert built_with
