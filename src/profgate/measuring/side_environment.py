"""The environment variables of a version, which keep its programs and build output apart from those of others."""

import os
import re
import shutil
import sys
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from profgate.io.processes import output_of
from profgate.measuring import side_python

if sys.platform != "win32":
    import pwd


def side_environment(root: str, outer: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of the version below ``root``, given the variables outside.

    Values have the same length for all versions if the roots have.
    """
    programs = f"{root}/bin"
    variables = {
        "PATH": f"{programs}:{outer.get('PATH', os.defpath)}",
        "GOBIN": programs,  # go install
        "CARGO_INSTALL_ROOT": root,  # cargo install
        "npm_config_prefix": root,  # npm link, npm install --global
        # debug information of cached files names the folder of a build
        "CCACHE_NAMESPACE": f"profgate-{root.rpartition('/')[2]}",
    }
    if _cargo_shares_output(outer):
        variables["CARGO_TARGET_DIR"] = f"{root}/target"
    for name in ("CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR", "CARGO_BUILD_BUILD_DIR"):
        if os.path.isabs(outer.get(name, "")):  # noqa: PTH117 - the path is a string
            variables[name] = f"{root}/target"
    if os.path.isabs(outer.get("UV_PROJECT_ENVIRONMENT", "")):  # noqa: PTH117 - the path is a string
        variables["UV_PROJECT_ENVIRONMENT"] = f"{root}/venv"
    return variables | _maven(root, outer)


def python_environment(root: str, checkout: str, variables: Mapping[str, str]) -> dict[str, str]:
    """Create a virtual environment if Python is installed, and return the variables that activate it.

    Without one, pip would install one side into the environment of the user, from which both sides would run.
    """
    if not shutil.which("python3", path=variables["PATH"]):
        return {}
    place = f"{root}/venv"
    # runs in the checkout, where pyenv and others choose the version of Python
    output_of(["python3", side_python.__file__, place], checkout, variables, 120.0)  # seconds
    return {"VIRTUAL_ENV": place, "PATH": f"{place}/bin:{variables['PATH']}"}


def _cargo_shares_output(outer: Mapping[str, str]) -> bool:
    """Return whether the user's configuration of Cargo sets a build folder, which is then shared by all projects."""
    home = Path(outer.get("CARGO_HOME") or Path.home() / ".cargo")
    for name in ("config.toml", "config"):
        try:
            build = tomllib.loads(Path(home, name).read_text("utf-8")).get("build", {})
        except (OSError, ValueError):
            continue
        return isinstance(build, dict) and not {"target-dir", "build-dir"}.isdisjoint(build)
    return False


def _maven(root: str, outer: Mapping[str, str]) -> dict[str, str]:
    """Return the variable for a local repository of the side, which ``mvn install`` writes to.

    Maven 3.9 reads what is missing there from the repository outside; older versions download it again.
    """
    options = outer.get("MAVEN_OPTS", "")
    given = re.findall(r"-Dmaven\.repo\.local=(\S+)", options)
    tail = given[-1] if given else f"{_home_of_java()}/.m2/repository"
    if re.search(r"\s", root + tail):  # Maven splits the value at spaces
        return {}
    own = f"-Dmaven.repo.local={root}/m2 -Dmaven.repo.local.tail={tail}"
    return {"MAVEN_OPTS": f"{options} {own}".strip()}


def _home_of_java() -> str:
    """Return the home folder of the user, which Java finds without HOME. Both differ in containers of GitHub."""
    if sys.platform != "win32":
        with suppress(KeyError):  # the user has no entry
            return pwd.getpwuid(os.getuid()).pw_dir
    return str(Path.home())
