"""What the release workflow does to files, on copies of them."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DIGEST = "sha256:" + "a" * 64
IMAGE = "registry.example/octo/profgate"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("action.yml", "src/profgate/version.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## [Unreleased]\n\n- new\n\n## [1.2.3] - today\n\n- old\n\n## [1.2.2]\n"
    )
    return tmp_path


def release(copy: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PROFGATE_ROOT": str(copy)}
    return subprocess.run([ROOT / ".ci" / "release", *words], env=environ, capture_output=True, text=True, check=False)


def test_the_action_runs_the_image_by_its_digest_and_is_else_the_same(copy: Path) -> None:
    before = yaml.safe_load((copy / "action.yml").read_text())
    assert release(copy, "pin", IMAGE, DIGEST).returncode == 0
    after = yaml.safe_load((copy / "action.yml").read_text())
    assert after["runs"] == {**before["runs"], "image": f"docker://{IMAGE}@{DIGEST}"}
    assert {**after, "runs": None} == {**before, "runs": None}
    assert release(copy, "pin", IMAGE, DIGEST).returncode == 1


@pytest.mark.parametrize(
    "words",
    [
        ("pin", "x y", DIGEST),
        ("pin", IMAGE, "sha256:1"),
        ("pin", f"{IMAGE}|e", DIGEST),
        ("pin", IMAGE),
        ("check", "9.9.9"),
        ("check", "1.2.3; true"),
        ("notes", "1.2.2"),
        ("notes", "4.5.6"),
        (),
    ],
)
def test_what_is_not_as_it_should_be_changes_nothing(copy: Path, words: tuple[str, ...]) -> None:
    before = (copy / "action.yml").read_bytes()
    result = release(copy, *words)
    assert result.returncode == 1
    assert result.stderr.startswith("release: ")
    assert (copy / "action.yml").read_bytes() == before


def test_version_and_notes_are_those_of_the_code(copy: Path) -> None:
    version = (copy / "src/profgate/version.py").read_text().partition('VERSION = "')[2].partition('"')[0]
    assert release(copy, "check", version).returncode == 0
    assert release(copy, "notes", "1.2.3").stdout.strip() == "- old"
