"""The errors that profgate raises on purpose, as a tree with their exit codes.

ProfgateError            exit code 2: the work could not be completed (1 means that the gate failed)
├── SettingsError        settings are invalid; the message lists all of them with corrections
├── ProfileError         a profile cannot be read; the message names the file and the line or byte
│   └── UnknownFormat    no reader recognises the file; the message lists the formats that were tried
├── ComparisonError      exit code 3: the two sides have nothing in common
└── GitHubError          GitHub refused a request or did not respond
    └── NotAllowed       the token does not permit the request; this is the only recoverable error
"""

from collections.abc import Collection
from typing import Self


class ProfgateError(Exception):
    """Base class of all errors. The message has the form ``where: what; what to do``."""

    exit_code = 2

    def __init__(self, where: str, what: str = "") -> None:
        super().__init__(f"{where}: {what}" if what else where)
        self.where = where
        self.what = what

    def __reduce__(self) -> tuple[type[Self], tuple[str, str]]:
        """Pickle both parts of the message, because the default method passes only the joined message."""
        return type(self), (self.where, self.what)


def known_error(error: Exception) -> ProfgateError:
    """Return a `ProfgateError` unchanged, or convert an error raised by Python to a `ProfgateError`."""
    if isinstance(error, ProfgateError):
        return error
    if isinstance(error, MemoryError):
        return ProfgateError("memory", "the input needs more memory than there is; give smaller or fewer files")
    return ProfgateError("internal error", f"{type(error).__name__}; please report it with the log")


class SettingsError(ProfgateError):
    """The settings or the configuration are invalid. The message lists every mistake on a separate line."""


class SideError(ProfgateError):
    """A failure of one side of a measurement, ``baseline`` or ``target``."""

    def __init__(self, side: str, where: str, what: str) -> None:
        super().__init__(where, what)
        self.side = side


class SetupError(SideError):
    """A failure of a setup, or code that both sides share after it. Setups at the same time can cause each of them."""


class ProfileError(ProfgateError):
    """A profile cannot be read."""


class UnknownFormat(ProfileError):  # noqa: N818 - the name describes a condition
    """No reader recognises the file."""


class ComparisonError(ProfgateError):
    """Nothing could be compared."""

    exit_code = 3


class GitHubError(ProfgateError):
    """GitHub refused the request, failed or did not respond."""


class NotAllowed(GitHubError):  # noqa: N818 - the name describes a condition
    """The token lacks a permission, which the message names."""


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return the end of an error message about an unknown name.

    This part lists the most similar known names or, if none is similar, all known names.
    """
    import difflib  # imported here because only errors need it

    close = difflib.get_close_matches(name, list(known), 1)
    close = close or difflib.get_close_matches(name, list(known), 2, cutoff=0.5)  # a lower cutoff, for short names
    return f"did you mean {' or '.join(close)}?" if close else f"known are {', '.join(known)}"
