"""Files that show whether a benchmark changed, and files of today that old versions get."""

import glob
import hashlib
import os
import platform
import shutil
from collections.abc import Iterable
from pathlib import Path

from profgate.errors import ProfgateError

LARGEST_SOURCE = 16 << 20
MOST_SOURCES = 10_000


def files_matching(folder: str, pattern: str) -> list[str]:
    """Paths below a folder that match a pattern such as ``bench/**/*.py``, sorted; a folder stands for all in it."""
    root = os.path.realpath(folder)
    found = set()
    for name in glob.iglob(pattern, root_dir=root, recursive=True):  # noqa: PTH207 - patterns are relative
        place = Path(root, name)
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.is_file() and path.resolve().is_relative_to(root) and "__pycache__" not in path.parts:
                found.add(path.relative_to(root).as_posix())
            if len(found) > MOST_SOURCES:
                raise ProfgateError(pattern, f"matches more than {MOST_SOURCES:,} files; name the benchmarks alone")
    return sorted(found)


def digest_of(folder: str, names: Iterable[str]) -> str | None:
    """A digest of these files and their names; None where there is none of them."""
    digest = hashlib.sha256()
    paths = [(name, path) for name in names if (path := Path(folder, name)).is_file()]
    for name, path in paths:
        digest.update(f"{name}\0{path.stat().st_size}\0".encode(errors="surrogatepass"))
        with path.open("rb") as stream:
            hashlib.file_digest(stream, lambda: digest)  # continues this digest
    return digest.hexdigest() if paths else None


def text_below(folder: str, name: str) -> str | None:
    """The text of a file that a profile names, if it lies below the folder; None for any other."""
    root = Path(folder).resolve()
    try:
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file() or path.stat().st_size > LARGEST_SOURCE:
            return None
        return path.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError, RuntimeError):
        return None


def bring(paths: Iterable[str], folder: str, prefix: str) -> None:
    """Copies files and folders of the current checkout into another one, at the same places."""
    for name in paths:
        target = Path(folder, prefix, name)
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise ProfgateError(name, "cannot be brought along; name it by its path from here")
        if not target.parent.resolve().is_relative_to(Path(folder).resolve()):
            raise ProfgateError(name, "would be brought out of the worktree, through a link of that version")
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        if Path(name).is_dir():
            shutil.copytree(name, target, symlinks=True, ignore=shutil.ignore_patterns("__pycache__", ".git"))
        else:
            shutil.copy2(name, target)


def machine() -> str:
    """A description of the machine: what must be the same for times to be comparable."""
    processor = platform.processor() or platform.machine()
    cpu = Path("/proc/cpuinfo")
    if cpu.is_file():
        lines = cpu.read_text(encoding="utf-8", errors="replace").splitlines()
        processor = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), processor)
    return f"{platform.system()} {platform.machine()}, {processor}"
