import os
from pathlib import Path

import pytest

from measured_repository import Git, commit, committed
from profgate.errors import ProfgateError
from profgate.measuring.checkouts import Checkout, isolated_sides


def texts(side: Checkout) -> dict[str, str]:
    files = [path for path in Path(side.place).rglob("*") if path.is_file() and path.name != ".git"]
    return {path.relative_to(side.place).as_posix(): path.read_text() for path in files}


def test_each_side_has_its_commit_and_runs_its_setup_once(git: Git, tmp_path: Path) -> None:
    before, after = commit(git, program="one"), commit(git, program="two")
    with isolated_sides(before, after, str(tmp_path), setup='cat program >> built; env > "$GOBIN/../env"') as sides:
        assert [texts(side)["built"] for side in sides.values()] == ["one", "two"]
        assert [side.name for side in sides.values()] == ["baseline", "target"]
        environments = [Path(side.root, "env").read_text().splitlines() for side in sides.values()]
        roots = [side.root for side in sides.values()]
        assert [len(line) for line in environments[0]] == [len(line) for line in environments[1]]
        built = Path(sides["target"].place, "built").stat().st_mtime
        assert sides["baseline"].ready <= built <= sides["target"].ready
    assert not any(Path(root).exists() for root in roots)
    assert git("worktree", "list").count("\n") == 0


def test_sides_are_set_up_at_the_same_time(git: Git, tmp_path: Path) -> None:
    before, after = commit(git, program="one"), commit(git, program="two")
    waits = "cat program > built; touch ../here; until [ $(ls ../../*/here | wc -l) = 2 ]; do sleep 0.01; done"
    with isolated_sides(before, after, str(tmp_path), setup=waits, timeout=60.0, together=True) as sides:
        assert {name: texts(side)["built"] for name, side in sides.items()} == {"baseline": "one", "target": "two"}
        assert list(sides) == ["baseline", "target"]


HINTS = "{ env; pwd; cat .git; ls -A . ..; } > $GOBIN/../hints"


def test_only_a_random_name_distinguishes_the_sides(git: Git, tmp_path: Path) -> None:
    before, after = commit(git, program="one"), commit(git, program="two")
    seen = set()
    for _ in range(2):
        with isolated_sides(before, after, str(tmp_path), setup=HINTS) as sides:
            roots = [Path(side.root) for side in sides.values()]
            hints = [Path(root, "hints").read_text().replace(root.name, "side") for root in roots]
            assert sorted(hints[0].splitlines()) == sorted(hints[1].splitlines())
            seen |= {root.name for root in roots}
    assert len(seen) == 4


@pytest.mark.parametrize("together", [False, True])
def test_sides_are_removed_after_a_failed_setup(git: Git, tmp_path: Path, *, together: bool) -> None:
    sha = commit(git, program="one")
    with (
        pytest.raises(ProfgateError, match="exit code 3"),
        isolated_sides(sha, sha, str(tmp_path), setup="exit 3", together=together),
    ):
        pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gitconfig", "repository"]
    assert git("worktree", "list").count("\n") == 0


@pytest.mark.parametrize("together", [False, True])
def test_sides_may_link_files_of_one_store(git: Git, tmp_path: Path, *, together: bool) -> None:
    (tmp_path / "package").write_text("")  # as uv and pnpm do
    sha = commit(git, program="one")
    linked = f"ln {tmp_path}/package package"
    with isolated_sides(sha, sha, str(tmp_path), setup=linked, together=together) as sides:
        assert Path(sides["baseline"].place, "package").stat().st_nlink == 3
    with (
        pytest.raises(ProfgateError, match=r"changed .*package of the other side"),
        isolated_sides(sha, sha, str(tmp_path), setup=f"{linked}; echo x >> package", together=together),
    ):
        pass


@pytest.mark.parametrize("name", ["HEAD", "main", "--help", "abcdef0", "f" * 40])
def test_only_whole_hashes_are_commits(git: Git, tmp_path: Path, name: str) -> None:
    sha = commit(git, program="one")
    for versions in ((name, sha), (sha, name)):
        with (
            pytest.raises(ProfgateError, match=r"hash|fetch the commit"),
            isolated_sides(*versions, str(tmp_path), setup="touch ../../started"),
        ):
            pass
    assert sorted(path.name for path in tmp_path.iterdir()) == ["gitconfig", "repository"]


def test_other_worktrees_remain_registered(git: Git, tmp_path: Path) -> None:
    sha = commit(git, program="one")
    git("worktree", "add", "--quiet", str(tmp_path / "usb"))
    (tmp_path / "usb").rename(tmp_path / "unmounted")
    with isolated_sides(sha, sha, str(tmp_path)):
        pass
    assert "/usb" in git("worktree", "list")


def test_target_may_be_the_working_tree(git: Git, tmp_path: Path) -> None:
    Path("deep").mkdir()
    sha = commit(git, **{".gitignore": "ignored", "changed": "one", "deleted": "one", "deep/file": "one", "both": ""})
    Path("changed").write_text("two")
    Path("changed").chmod(0o755)
    Path("deleted").unlink()
    Path("both").unlink()
    Path("both").mkdir()
    for name in ("new", "ignored", "both/new"):
        Path(name).write_text("new")
    Path("link").symlink_to("changed")
    Path("deep").rename(tmp_path / "outside")
    Path("deep").symlink_to(tmp_path / "outside")
    with isolated_sides(sha, None, str(tmp_path)) as sides:
        checkout = Path(sides["target"].place)
        assert texts(sides["target"]) == {".gitignore": "ignored", "changed": "two", "new": "new", "link": "two"} | {
            "both/new": "new"
        }
        assert os.access(checkout / "changed", os.X_OK)
        assert (checkout / "link").readlink() == Path("changed")
        assert (checkout / "deep").is_symlink()
        assert texts(sides["baseline"])["changed"] == "one"
    assert (tmp_path / "outside" / "file").read_text() == "one"


@pytest.mark.parametrize("copied", [False, True])
def test_hooks_filters_and_monitors_do_not_run(
    git: Git, tmp_path: Path, capsys: pytest.CaptureFixture[str], *, copied: bool
) -> None:
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {tmp_path}/marker\ncat\n')
    program.chmod(0o755)
    git("submodule", "--quiet", "add", str(committed(tmp_path / "library", {"a": ""})), "library")
    sha = commit(git, **{".gitattributes": "*.bin filter=lfs\n*.txt filter=own=name\n", "a.bin": "", "a.txt": "text"})
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction"):
        (hooks / name).symlink_to(program)
    settings = {"core.hooksPath": str(hooks), "core.fsmonitor": str(program), "submodule.recurse": "true"}
    for driver in ("lfs", "own=name"):
        settings |= {f"filter.{driver}.{kind}": str(program) for kind in ("smudge", "clean", "process")}
        settings[f"filter.{driver}.required"] = "true"
    with Path(os.environ["GIT_CONFIG_GLOBAL"]).open("a") as file:
        for key, value in settings.items():
            section, _, name = key.rpartition(".")
            kind, _, driver = section.partition(".")
            file.write(f"[{kind}{f' {chr(34)}{driver}{chr(34)}' if driver else ''}]\n{name} = {value}\n")
    with isolated_sides(sha, None if copied else sha, str(tmp_path)) as sides:
        for side in sides.values():
            assert texts(side)["a.txt"] == "text"
            assert list(Path(side.place, "library").iterdir()) == []
    assert not (tmp_path / "marker").exists()
    assert git("config", "filter.own=name.smudge") == str(program)
    assert capsys.readouterr().err.splitlines() == [
        "profgate: 1 file is stored with Git LFS; add `git lfs pull` to --setup",
        "profgate: 1 submodule is empty; add `git submodule update --init` to --setup",
    ]


def test_setup_can_fill_submodules_and_describe_the_version(
    git: Git, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git("submodule", "--quiet", "add", str(committed(tmp_path / "library", {"a": ""})), "library")
    sha = commit(git, program="one")
    git("tag", "-a", "-m", "x", "v1.2")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "nowhere"))
    command = "git submodule update --init; git describe --dirty > version"
    monkeypatch.chdir(tmp_path / "repository")
    with isolated_sides(sha, sha, str(tmp_path), setup=command) as sides:
        assert all(texts(side)["version"] == "v1.2\n" for side in sides.values())
        assert all(Path(side.place, "library", ".git").is_file() for side in sides.values())
    assert "submodule" not in capsys.readouterr().err
    monkeypatch.delenv("GIT_DIR")
    assert git("worktree", "list").count("\n") == 0
