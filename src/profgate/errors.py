"""Every error profgate raises on purpose, as a tree with its exit code.

ProfgateError            exit 2: could not do the job (exit 1 means a failed gate)
├── SettingsError        every bad setting at once, with what to write instead
├── ProfileError         a profile cannot be read, with file and line or byte
│   └── UnknownFormat    names the formats that were tried
├── ComparisonError      exit 3: the two sides have nothing in common
└── GitHubError          the platform refused or did not answer
    └── NotAllowed       a token may not do this; the only recoverable error
"""

from collections.abc import Collection
from typing import Self


class ProfgateError(Exception):
    """Base of the tree; its text reads ``where: what; what to do``."""

    exit_code = 2

    def __init__(self, where: str, what: str = "") -> None:
        super().__init__(f"{where}: {what}" if what else where)
        self.where = where
        self.what = what

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        """Pickle both parts; the default would pass their sum alone."""
        return type(self), (self.where, self.what)


class SettingsError(ProfgateError):
    """Settings or configuration that cannot be used; holds every mistake, one a line."""


class ProfileError(ProfgateError):
    """A profile that cannot be read."""


class UnknownFormat(ProfileError):  # noqa: N818 - a condition, caught by name
    """No reader recognises the file."""


class ComparisonError(ProfgateError):
    """Nothing could be compared."""

    exit_code = 3


class GitHubError(ProfgateError):
    """GitHub refused, failed or did not answer."""


class NotAllowed(GitHubError):  # noqa: N818 - a condition, caught by name
    """The token lacks a permission; the text names the one to add."""


def did_you_mean(name: str, known: Collection[str]) -> str:
    """The end of a message about an unknown name: the closest known names, or all."""
    import difflib  # needed for errors only

    close = difflib.get_close_matches(name, list(known), 1)
    close = close or difflib.get_close_matches(name, list(known), 2, cutoff=0.5)  # short names
    return f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(known)}"
