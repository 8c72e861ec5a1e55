"""Package managers and build tools whose output both sides would share without an environment of their own."""

import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from measured_repository import Git, commit, git
from profgate.errors import ProfgateError
from profgate.io.used_files import used_files
from profgate.measuring.checkouts import isolated_sides
from profgate.measuring.own_code import check_own_code, used_files_of

__all__ = ["git"]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="/proc is needed")]


@dataclass(frozen=True, slots=True)
class Project:
    """A project whose program prints its version, after some time. "{shared}" is a folder outside of the sides."""

    tool: str
    files: dict[str, str]
    setup: str
    program: str
    environment: dict[str, str] = field(default_factory=dict)


PYTHON = {
    "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
    '[project]\nname = "shop"\nversion = "1.0"\n[project.scripts]\nshop = "shop:main"\n',
    "src/shop/__init__.py": "import sys, time\ndef main():\n    time.sleep(0.2)\n    sys.exit(print(__file__, 'v1'))\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "1.0.0"\nedition = "2021"\n',
    "src/main.rs": 'fn main() { std::thread::sleep(std::time::Duration::from_millis(200)); println!("v1") }',
}
GO = {
    "go.mod": "module example.org/shop\n\ngo 1.20\n",
    "main.go": 'package main\n\nimport "time"\n\nfunc main() { time.Sleep(200 * time.Millisecond); println("v1") }\n',
}
NODE = {
    "package.json": '{"name": "shop", "version": "1.0.0", "bin": "shop.js"}',
    "shop.js": '#!/usr/bin/env node\nsetTimeout(() => console.log("v1"), 200)\n',
}
C = {
    "version.h": '#define VERSION "v1"\n',
    "main.c": '#include <stdio.h>\n#include "version.h"\nint main(void) { return !puts(VERSION); }\n',
    "same.c": 'const char *it(void) { return ""; }\n',
}
PIP = "pip install --quiet --no-build-isolation --no-deps --no-index"
PROJECTS = {
    "pip": Project("pip", PYTHON, f"{PIP} .", "shop"),
    "pip-editable": Project("pip", PYTHON, f"{PIP} --editable .", "shop"),
    "cargo": Project(
        "cargo",
        RUST,
        "cargo build --quiet --offline",
        '"$CARGO_TARGET_DIR/debug/shop"',
        {"CARGO_TARGET_DIR": "{shared}"},
    ),
    "go": Project("go", GO, "go install .", "shop", {"GOBIN": "{shared}"}),
    "npm": Project("npm", NODE, "npm install --silent --offline --global .", "shop", {"npm_config_prefix": "{shared}"}),
    "ccache": Project(
        "ccache",
        C,
        "for i in main same; do ccache cc -g -c $PWD/$i.c; done; cc main.o same.o -o shop",
        'addr2line -e shop $(nm shop | grep " it$" | cut -d" " -f1) | grep "^$PWD/" > shown; ./shop',
        {"CCACHE_DIR": "{shared}/cache", "CCACHE_NOHASHDIR": "1", "CCACHE_BASEDIR": "{shared}"},
    ),
}
SHARED = {
    "cargo": Project("cargo", RUST, "cargo build --quiet --offline --target-dir {shared}", "{shared}/debug/shop"),
    "go": Project("go", GO, "go build -o {shared}/shop", "{shared}/shop"),
    "pip": Project(
        "pip",
        PYTHON,
        f"{PIP} --upgrade --target {{shared}} .",
        'PYTHONPATH={shared} python -c "import shop; shop.main()"',
    ),
}


def measured(project: Project, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the program of each side prints. Raises ProfgateError if both sides ran the same code."""
    shared = str(tmp_path / "shared")
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    for name, value in project.environment.items():
        monkeypatch.setenv(name, value.replace("{shared}", str(tmp_path) if name == "CCACHE_BASEDIR" else shared))
    if shutil.which(project.tool) is None:
        pytest.skip(f"{project.tool} is needed")
    for name in project.files:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
    before = commit(git, **project.files)
    after = commit(git, **{name: text.replace("v1", "v2") for name, text in project.files.items()})
    setup, program = (text.replace("{shared}", shared) for text in (project.setup, project.program))
    outputs, used = [], {}
    with isolated_sides(before, after, str(tmp_path / "scratch"), setup=setup) as sides:
        for name, side in sides.items():
            opened = set[str]()
            with used_files(opened) as watch:
                outcome = side.run(["sh", "-ec", program], 60, on_start=watch)
            assert not outcome.problem
            *paths, version = outcome.output.split()
            outputs.append(version)
            used[name] = used_files_of(side, paths, opened)
        check_own_code(used["baseline"], used["target"], ".", {})
    return outputs


@pytest.mark.parametrize("name", PROJECTS)
def test_each_side_runs_its_own_code(name: str, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert measured(PROJECTS[name], git, tmp_path, monkeypatch) == ["v1", "v2"]


@pytest.mark.parametrize("name", SHARED)
def test_a_shared_folder_is_an_error(name: str, git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProfgateError, match=r"^both sides ran the same code: .* which the setup of the target wrote"):
        measured(SHARED[name], git, tmp_path, monkeypatch)
