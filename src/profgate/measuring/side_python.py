"""A script that creates a virtual environment with the packages and commands of the Python that runs it.

It runs with the user's Python, which may be old, and imports nothing of profgate. Unlike with the option
--system-site-packages, the packages of an outer virtual environment are included. Commands are written again, because
the outer ones would run the outer Python.
"""

import importlib.metadata
import os
import site
import sys
import sysconfig
import venv
from pathlib import Path

COMMAND = """#!{python}
import sys
from {module} import {name}
sys.exit({call}())
"""


def main(place: str) -> None:
    """Create the environment. It has no pip of its own, which saves seconds: the outer pip installs into it."""
    venv.EnvBuilder(symlinks=True).create(place)
    # Debian's Python has another default scheme outside of virtual environments
    own = sysconfig.get_path("purelib", "posix_prefix", vars={"base": place, "platbase": place})
    folders = site.getsitepackages() + ([site.getusersitepackages()] if site.ENABLE_USER_SITE else [])
    lines = ["import site; site.addsitedir({!r})\n".format(folder) for folder in folders]  # noqa: UP032 - old Python
    # the last file in the order of names, so that packages of the environment are found first
    Path(own, "~outer.pth").write_text("".join(lines), encoding="utf-8")
    # without this command, another pip could be found that installs outside of the environment
    _write_command(Path(place, "bin", "pip"), "pip._internal.cli.main:main")
    for distribution in importlib.metadata.distributions():
        for entry in distribution.entry_points:
            if entry.group == "console_scripts":
                _write_command(Path(place, "bin", entry.name), entry.value)


def _write_command(file: Path, value: str) -> None:
    module, _, call = value.partition("[")[0].strip().partition(":")
    if file.exists() or not call or os.sep in file.name:
        return
    text = COMMAND.format(python=file.parent / "python", module=module, name=call.partition(".")[0], call=call)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1])
