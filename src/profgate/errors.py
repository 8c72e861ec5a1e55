"""The errors that profgate raises on purpose, as a tree with their exit codes.

ProfgateError            exit 2: profgate cannot do its work (exit 1 means a failed gate)
├── SettingsError        every invalid setting at once, with a correction
├── ProfileError         a profile cannot be read; gives file and line or byte
│   └── UnknownFormat    no reader recognises the file; lists the formats tried
├── ComparisonError      exit 3: the two sides have nothing in common
└── GitHubError          GitHub refused or did not respond
    └── NotAllowed       a token may not do this; the only recoverable error
"""

from collections.abc import Collection
from typing import Self


class ProfgateError(Exception):
    """Base class of all errors; the message reads ``where: what; what to do``."""

    exit_code = 2

    def __init__(self, where: str, what: str = "") -> None:
        super().__init__(f"{where}: {what}" if what else where)
        self.where = where
        self.what = what

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        """Pickle both parts, because the default passes only the joined message."""
        return type(self), (self.where, self.what)


def known_error(error: Exception) -> ProfgateError:
    """Return the error itself, or an error with its reason if Python raised it."""
    if isinstance(error, ProfgateError):
        return error
    if isinstance(error, MemoryError):
        return ProfgateError("memory", "the input needs more memory than there is; give smaller or fewer files")
    return ProfgateError("internal error", f"{type(error).__name__}; please report it with the log")


class SettingsError(ProfgateError):
    """Invalid settings or configuration. The message lists every mistake on a separate line."""


class ProfileError(ProfgateError):
    """A profile that cannot be read."""


class UnknownFormat(ProfileError):  # noqa: N818 - a condition, caught by name
    """No reader recognises the file."""


class ComparisonError(ProfgateError):
    """Nothing could be compared."""

    exit_code = 3


class GitHubError(ProfgateError):
    """GitHub refused the request, failed or did not respond."""


class NotAllowed(GitHubError):  # noqa: N818 - a condition, caught by name
    """The token lacks a permission; the message names it."""


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return the end of a message about an unknown name: the closest known names, or all of them."""
    import difflib  # only needed for errors

    close = difflib.get_close_matches(name, list(known), 1)
    close = close or difflib.get_close_matches(name, list(known), 2, cutoff=0.5)  # short names
    return f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(known)}"
