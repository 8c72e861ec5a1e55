import time
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import pytest

from measured_repository import Git, commit, repository
from profgate.errors import ProfgateError
from profgate.measuring.checkouts import Checkout, isolated_sides
from profgate.measuring.own_code import check_own_code, used_files_of

Sides = dict[str, Checkout]


@pytest.fixture(scope="module")
def top(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("measured")


@pytest.fixture(scope="module")
def git(top: Path) -> Iterator[Git]:
    with pytest.MonkeyPatch.context() as patch:
        yield repository(top, patch)


@pytest.fixture(scope="module")
def sides(git: Git, top: Path) -> Iterator[Sides]:
    """Two versions of a project with a package in ``src`` and a vendored package."""
    for folder in ("src/shop/vendored/six", "bench"):
        Path(folder).mkdir(parents=True)
    package = ("src/shop/__init__.py", "src/shop/vendored/__init__.py", "src/shop/vendored/six/__init__.py")
    before = commit(git, **dict.fromkeys(package, ""), **{"bench/run.py": "", ".gitignore": "build\n.venv"})
    after = commit(git, **{"src/shop/__init__.py": "slow"})
    with isolated_sides(before, after, str(top), setup=SETUP) as found:
        yield found


SETUP = "sleep 0.05; mkdir build; cp .git build/it; cp bench/run.py ../../shared.py; cp $(command -v ls) ../../shared"


def check(sides: Sides, frames: Collection[str] = (), opened: Collection[str] = (), name: str = "baseline") -> None:
    """Check the files of one side, while the other side uses its own."""
    used = {other: used_files_of(side, [f"{side.place}/bench/run.py"], []) for other, side in sides.items()}
    used[name] = used_files_of(sides[name], frames, opened)
    check_own_code(used["baseline"], used["target"], ".", {})


def failing(what: str) -> AbstractContextManager[object]:
    return (
        pytest.raises(ProfgateError, match=f"^both sides ran the same code: the .* {what}") if what else nullcontext()
    )


@pytest.mark.parametrize("name", ["baseline", "target"])
@pytest.mark.parametrize("start", ["", "file://"])
def test_files_of_the_own_side_are_proof(sides: Sides, name: str, start: str) -> None:
    check(sides, [f"{start}{sides[name].place}/bench/run.py", "bench/run.py", "/usr/lib/python3/json.py"], [], name)


@pytest.mark.parametrize("name", ["baseline", "target"])
@pytest.mark.parametrize("opened", [False, True])
def test_file_of_the_other_side_is_an_error(sides: Sides, name: str, *, opened: bool) -> None:
    (other,) = set(sides) - {name}
    wrong = f"{sides[other].root}/venv/lib/shop.py"
    own = f"{sides[name].place}/bench/run.py"
    with pytest.raises(ProfgateError) as raised:
        check(sides, [own] if opened else [own, wrong], [wrong] if opened else [], name)
    assert str(raised.value) == (
        f"both sides ran the same code: the {name} used {wrong}, which belongs to the {other}, instead of a file below "
        f"{sides[name].root}; let --setup install it into the environment of the side (pip install .), without an "
        "absolute path"
    )


def test_link_to_the_other_side_is_an_error(sides: Sides) -> None:
    link = Path(sides["baseline"].place, "node_modules")
    link.symlink_to(sides["target"].place)
    with failing("which belongs to the target"):
        check(sides, [f"{link}/bench/run.py"])


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("src/shop/__init__.py", "which belongs to the checkout"),  # tracked
        ("build/it", "which belongs to the checkout"),  # ignored, but the setup of the side has built its own
        (".venv/bin/tool", ""),  # dependencies
    ],
)
def test_working_tree_may_contain_dependencies_only(sides: Sides, path: str, what: str) -> None:
    for folder in ("build", ".venv/bin"):
        Path(folder).mkdir(parents=True, exist_ok=True)
    for file in ("build/it", ".venv/bin/tool"):
        Path(file).touch()
    with failing(what):
        check(sides, [f"{sides['baseline'].place}/bench/run.py"], [str(Path(path).resolve())])


def test_other_worktree_of_the_repository_is_an_error(sides: Sides, git: Git, top: Path) -> None:
    git("worktree", "add", "--quiet", str(top / "other"))
    with failing("which belongs to the checkout in .*/other"):
        check(sides, ["bench/run.py", str(top / "other" / "bench" / "run.py")])
    (top / "other" / ".git").unlink()  # the folder remains registered, but it is no worktree any more
    check(sides, ["bench/run.py"])


@pytest.mark.parametrize(
    ("frames", "opened", "what"),
    [
        (["/elsewhere/a.py", "missing.py"], [], "/elsewhere/a.py, which like all its files is outside of its folder"),
        (["/elsewhere/a.py", "bench/run.py"], [], ""),  # relative to the checkout
        (["/elsewhere/a.py"], ["{checkout}/bench"], ""),
        (["a.Class", "node:internal", "<string>", "a" * 5000, "/a\0b", ""], ["/usr/bin/java"], ""),  # no paths
        ([], ["/usr/bin/java"], ""),
    ],
)
def test_paths_without_one_of_the_own_side_are_an_error(
    sides: Sides, frames: list[str], opened: list[str], what: str
) -> None:
    with failing(what):
        check(sides, frames, [path.replace("{checkout}", sides["baseline"].place) for path in opened])


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/opt/lib/python3.11/site-packages/shop/__init__.py", "an installed copy of src/shop/__init__.py"),
        ("/opt/lib/python3/dist-packages/bench/run.py", "an installed copy of bench/run.py"),
        ("/opt/lib/python3.11/site-packages/six/__init__.py", ""),  # the project has a vendored copy
        ("/opt/lib/python3.11/site-packages/other/shop/__init__.py", ""),
        ("{root}/venv/lib/python3.11/site-packages/shop/__init__.py", ""),
    ],
)
@pytest.mark.parametrize("name", ["baseline", "target"])
def test_tracked_file_in_shared_packages_is_an_error(sides: Sides, name: str, path: str, what: str) -> None:
    with failing(what):
        check(sides, ["bench/run.py", path.replace("{root}", sides[name].root)], [], name)


@pytest.mark.parametrize(
    ("frame", "opened", "what"),
    [
        ("shared.py", "", "which the setup of the target wrote"),
        ("", "shared", "which the setup of the target wrote"),
        ("", "shared.py", ""),  # data
        ("before.py", "before", ""),
        ("after.py", "after", ""),
    ],
)
def test_code_that_the_second_setup_wrote_is_an_error(
    sides: Sides, top: Path, frame: str, opened: str, what: str
) -> None:
    time.sleep(0.02)  # the clock of files is coarse
    for name in ("after.py", "after"):
        (top / name).write_bytes((top / "shared").read_bytes())
    with failing(what):
        check(sides, ["bench/run.py", str(top / frame)], [str(top / opened)])
