"""Build hook that compiles kernels.c into the package if a C compiler is available.

The environment variable PROFGATE_KERNELS is "optional" by default. With "required", a build without a compiler fails.
With "none", the kernels are not compiled, and the wheel fits all platforms.
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import zlib
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("native/kernels.c")
LIBRARY = Path("src/profgate/kernels.so")
OPTIONS = ("-O2", "-std=c11", "-Wall", "-Wextra", "-fPIC", "-shared", "-fstack-protector-strong")


def compiled(root: Path, library: Path, *options: str) -> bool:
    """Compile the library and return whether it succeeded. On failure, print the reason; Python does the same work."""
    compiler = shlex.split(os.environ.get("CC", "cc"))
    library.unlink(missing_ok=True)
    if sys.platform != "linux" or shutil.which(compiler[0]) is None:
        print(f"profgate: no C compiler {compiler[0]}; large input will be read by Python")
        return False
    made = library.with_name(f"{library.name}.new")
    source = root / SOURCE
    own = f"-DSOURCE_SUM={zlib.crc32(source.read_bytes())}u"
    command = [*compiler, *OPTIONS, own, *options, "-o", str(made), str(source)]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    if outcome.returncode != 0:
        print(f"profgate: {compiler[0]} failed; large input will be read by Python\n{outcome.stderr}")
        return False
    made.replace(library)
    return True


class KernelHook(BuildHookInterface):  # type: ignore[type-arg] - the configuration type is not used
    """Build hook that runs before a wheel, including an editable one, is built."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002 - base class signature
        """Compile the kernels and tag the wheel with the platform if that succeeds."""
        root = Path(self.root)
        kernels = os.environ.get("PROFGATE_KERNELS", "optional")
        if self.target_name != "wheel":
            return
        if kernels == "none":
            (root / LIBRARY).unlink(missing_ok=True)
        elif compiled(root, root / LIBRARY):
            build_data["pure_python"] = False
            machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{machine}"
        elif kernels == "required":
            raise SystemExit("profgate: PROFGATE_KERNELS=required, and the kernels could not be compiled")
