"""What git knows of the checkout this process stands in."""

import shutil
import subprocess

PATIENCE = 30  # seconds


def tracked_files() -> frozenset[str] | None:
    """The files git tracks, by their paths from the top of the repository; None without git or a repository."""
    git = shutil.which("git")
    if git is None:
        return None
    try:
        listed = subprocess.run(  # noqa: S603 - a program of this machine, with words of our own
            [git, "ls-files", "-z", "--full-name", ":/"], capture_output=True, check=True, timeout=PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return frozenset(name.decode("utf-8", "replace") for name in listed.stdout.split(b"\0") if name)
