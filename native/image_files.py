"""Copy Python and everything that it and installed packages need from this system to the folder of an image.

A package manager is not copied. The packages are already in the folder.
"""

import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

UNUSED = ("test", "idlelib", "turtledemo", "tkinter", "ensurepip", "__pycache__", "*-packages", "config-*")
SYSTEM = ("etc/passwd", "etc/group", "etc/os-release", "etc/ssl/certs/ca-certificates.crt")


def main(folder: str) -> None:
    """Copy all files."""
    root, python = Path(folder), Path(sys.executable).resolve()
    standard = Path(sysconfig.get_path("stdlib"))
    shutil.copytree(standard, _inside(root, standard), ignore=shutil.ignore_patterns(*UNUSED), dirs_exist_ok=True)
    for place in (python, *(Path("/", name) for name in SYSTEM)):
        _copy(root, place)
    command = root / "usr/local/bin/python"
    command.parent.mkdir(parents=True, exist_ok=True)
    if not command.exists():
        command.symlink_to(python)
    for library in _libraries([python, *root.rglob("*.so*")]):
        if not library.is_relative_to(root):
            _copy(root, library)
    (root / "tmp").mkdir(mode=0o777)
    (root / "tmp").chmod(0o1777)


def _libraries(files: list[Path]) -> set[Path]:
    """Return the shared libraries that the loader finds for programs and libraries."""
    listed = subprocess.run(["/usr/bin/ldd", *map(str, files)], capture_output=True, text=True, check=False).stdout
    words = (line.split(" (")[0].split("=>")[-1].strip() for line in listed.splitlines() if "(0x" in line)
    return {Path(word) for word in words if word.startswith("/")}


def _copy(root: Path, place: Path) -> None:
    """Copy a file to its own path. A link is replaced by the file that it names."""
    if place.exists():
        copied = _inside(root, place)
        copied.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(place, copied)


def _inside(root: Path, place: Path) -> Path:
    return root / place.relative_to("/")


if __name__ == "__main__":
    main(sys.argv[1])
