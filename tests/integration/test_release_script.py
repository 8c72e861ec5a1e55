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
WORKFLOW = ".github/workflows/ci.yml"
# GitHub lets no token of a workflow push a ref whose workflows differ from its old target, or from the parent's.
REFUSES_WORKFLOWS = """#!/bin/sh
test -e token || exit 0
refuse() { echo "refusing to allow a GitHub App to update workflow without workflows permission" >&2; exit 1; }
case "$2" in
  *[!0]*) git diff --quiet "$2" "$3" -- .github/workflows || refuse ;;
esac
for commit in $(git rev-list "$3" --not --all); do
  test -z "$(git diff-tree -r --root --name-only --no-commit-id "$commit" -- .github/workflows)" || refuse
done
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in ("action.yml", "src/profgate/version.py", "wheel/action.yml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changes\n\n## [Unreleased]\n\n- new\n\n## [1.2.3] - today\n\n- old\n\n## [1.2.2]\n"
    )
    return tmp_path


def release(copy: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    environ = {**os.environ, "PROFGATE_ROOT": str(copy)}
    return subprocess.run([ROOT / ".ci" / "release", *words], env=environ, capture_output=True, text=True, check=False)


def wheel(folder: Path, version: str) -> str:
    """Write a file that stands for a wheel outside of the repository's history."""
    place = folder / ".git" / f"profgate-{version}-py3-none-any.whl"
    place.parent.mkdir(exist_ok=True)
    place.write_text("content")
    return str(place)


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
        ("lock", "1.2.3"),
        ("lock", "1.2.3", "profgate-1.2.4-py3-none-any.whl"),
        ("lock", "1.2.3", "profgate-1.2.3-py3-none-any.whl"),
        ("built", "1.2.3"),
        ("built", "1.2.3", "false"),
        ("built", "1.2.3", "echo", "profgate 1.2.3 (pure Python)"),
        ("built", "1.2.3", "echo", "profgate 1.2.4 (compiled kernels)"),
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


def git(folder: Path, *words: str) -> str:
    identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def cloned(copy: Path) -> Path:
    """The copy as a clone of a bare repository, which serves as GitHub."""
    workflow = copy / WORKFLOW
    workflow.parent.mkdir(parents=True)
    workflow.write_text("on: push\n")
    git(copy, "init", "--quiet", "--initial-branch", "main")
    git(copy, "add", ".")
    git(copy, "commit", "--quiet", "--message", "All")
    git(copy, "init", "--quiet", "--bare", "origin.git")
    hook = copy / "origin.git" / "hooks" / "update"
    hook.write_text(REFUSES_WORKFLOWS)
    hook.chmod(0o755)
    (copy / ".git" / "info" / "exclude").write_text("origin.git\n")
    git(copy, "remote", "add", "origin", "origin.git")
    git(copy, "push", "--quiet", "origin", "main")
    (copy / "origin.git" / "token").touch()
    return copy


def published(cloned: Path, version: str, digest: str = DIGEST) -> "subprocess.CompletedProcess[str]":
    """What the last job of a release does, on a fresh checkout of the branch."""
    git(cloned, "checkout", "--quiet", "--detach", "--force", "main")
    assert release(cloned, "pin", IMAGE, digest).returncode == 0
    assert release(cloned, "lock", version, wheel(cloned, version)).returncode == 0
    return release(cloned, "tag", version)


def tags(cloned: Path) -> dict[str, str]:
    """What action.yml says of the image at each tag of the origin."""
    names = git(cloned / "origin.git", "tag").split()
    shown = {name: git(cloned / "origin.git", "show", f"{name}:action.yml") for name in names}
    return {name: yaml.safe_load(text)["runs"]["image"] for name, text in shown.items()}


def test_version_is_tagged_beside_the_branch_with_its_workflows(cloned: Path) -> None:
    before = git(cloned / "origin.git", "rev-parse", "main")
    second = "sha256:" + "b" * 64
    assert published(cloned, "1.2.3").returncode == 0
    assert published(cloned, "1.3.0", second).returncode == 0
    assert tags(cloned) == {"v1.2.3": f"docker://{IMAGE}@{DIGEST}", "v1.3.0": f"docker://{IMAGE}@{second}"}
    assert git(cloned / "origin.git", "rev-parse", "main", "v1.3.0^1").split() == [before, before]
    changed = git(cloned / "origin.git", "diff", "--name-only", before, "v1.3.0").split()
    assert changed == ["action.yml", "wheel/profgate.lock"]
    assert before in git(cloned / "origin.git", "show", "--no-patch", "--format=%B", "v1.3.0")


def test_second_release_works_after_workflows_changed(cloned: Path) -> None:
    assert published(cloned, "1.2.3").returncode == 0
    (cloned / "origin.git" / "token").unlink()  # a maintainer may change workflows and move tags across such changes
    git(cloned, "push", "--quiet", "origin", "v1.2.3^{commit}:refs/tags/v1")
    git(cloned, "checkout", "--quiet", "--force", "main")
    (cloned / WORKFLOW).write_text("on: pull_request\n")
    git(cloned, "commit", "--quiet", "--all", "--message", "Change the workflow")
    git(cloned, "push", "--quiet", "origin", "main")
    (cloned / "origin.git" / "token").touch()
    done = published(cloned, "1.2.4", "sha256:" + "b" * 64)
    assert done.returncode == 0, done.stderr
    major = "v1.2.4^{commit}:refs/tags/v1"
    with pytest.raises(subprocess.CalledProcessError, match="push"):
        git(cloned, "push", "--quiet", "--force", "origin", major)
    (cloned / "origin.git" / "token").unlink()
    git(cloned, "push", "--quiet", "--force", "origin", major)
    assert tags(cloned)["v1"] == tags(cloned)["v1.2.4"]
