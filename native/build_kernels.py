"""Compiles the loops of kernels.c into the package, where a C compiler is at hand."""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("native/kernels.c")
LIBRARY = Path("src/profgate/kernels.so")
OPTIONS = ("-O2", "-std=c11", "-Wall", "-Wextra", "-fPIC", "-shared", "-fstack-protector-strong")


def compiled(root: Path, library: Path, *options: str) -> bool:
    """Return whether the library was made; prints why not, since Python can do the same work."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    library.unlink(missing_ok=True)
    if sys.platform != "linux" or shutil.which(compiler[0]) is None:
        print(f"profgate: no C compiler {compiler[0]}; large input will be read by Python")
        return False
    made = library.with_name(f"{library.name}.new")
    command = [*compiler, *OPTIONS, *options, "-o", str(made), str(root / SOURCE)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        print(f"profgate: {compiler[0]} failed; large input will be read by Python\n{outcome.stderr}")
        return False
    made.replace(library)
    return True


class KernelHook(BuildHookInterface):  # type: ignore[type-arg] - generic in the builder, which is not looked at
    """Runs before a wheel is made, an editable one too."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - as the hook has it
        """Compiles; a wheel with compiled code names its machine."""
        root = Path(self.root)
        if self.target_name != "wheel":
            return
        if compiled(root, root / LIBRARY):
            build_data["pure_python"] = False
            machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{machine}"
        elif os.environ.get("PROFGATE_KERNELS") == "required":
            raise SystemExit("profgate: PROFGATE_KERNELS=required, and the kernels could not be compiled")
