"""Terminal output. Colours are used only on terminals, and workflow commands in GitHub's logs are disabled."""

import io
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

from profgate.model.visible_text import cut, without_commands

STYLES: dict[str, dict[str, Any]] = {
    "head": {"bold": True},
    "bad": {"bold": True, "fg": "red"},
    "warn": {"fg": "yellow"},
    "good": {"fg": "green"},
    "quiet": {"dim": True},
}


def show(lines: str | Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Write plain text, or lines with styles. Characters that the stream cannot encode become question marks."""
    from click import echo, style  # imported here because the action does not need it

    toned = [("text", line) for line in lines.removesuffix("\n").split("\n")] if isinstance(lines, str) else lines
    encoding = getattr(stream, "encoding", None) or "utf-8"
    printable = [(tone, line.encode(encoding, "replace").decode(encoding)) for tone, line in toned]
    if coloured(stream):
        printable = [
            (tone, style(line, **STYLES[tone]) if line and tone in STYLES else line) for tone, line in printable
        ]
        for _, line in printable:
            echo(line, file=stream, color=True)
    else:
        stream.write("".join(f"{line}\n" for _, line in printable))
    stream.flush()


def coloured(stream: TextIO) -> bool:
    """Return whether to colour text for this stream: only on terminals, unless NO_COLOR or FORCE_COLOR is set."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


def show_progress(text: str) -> None:
    """Show a line on a terminal until the next one or `show_step` replaces it. Elsewhere, nothing is shown."""
    import shutil  # imports modules for archives

    if sys.stderr.isatty() and os.environ.get("TERM") != "dumb":
        sys.stderr.write(f"\x1b[K{cut(text, shutil.get_terminal_size().columns - 1)}\r")
        sys.stderr.flush()


def show_step(text: str) -> None:
    """Write a line about what happens."""
    show_progress("")
    sys.stderr.write(f"profgate: {text}\n")


def agreed(question: str) -> bool | None:
    """Return whether the user agrees, or None if no terminal can show the question."""
    if not (sys.stderr.isatty() and sys.stdin is not None and sys.stdin.isatty()):
        return None
    show_progress("")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}


@contextmanager
def commands_disabled() -> Iterator[None]:
    """Disable workflow commands in what the block prints, which may contain untrusted names, except to a file."""
    with ExitStack() as stack:
        if sys.stdout is not None and not _is_file(sys.stdout):
            stack.enter_context(redirect_stdout(stack.enter_context(_LogStream(sys.stdout))))
        if sys.stderr is not None and not _is_file(sys.stderr):
            stack.enter_context(redirect_stderr(stack.enter_context(_LogStream(sys.stderr))))
        yield


class _LogStream(io.TextIOBase):
    """A stream without workflow commands. A line is written when it is complete or flushed."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._line = ""

    def write(self, text: str) -> int:
        end = max(text.rfind("\n"), text.rfind("\r")) + 1
        if end:
            self._stream.write(without_commands(self._line + text[:end]))
            self._line = ""
        self._line += text[end:]
        return len(text)

    def flush(self) -> None:
        line, self._line = self._line, ""
        self._stream.write(without_commands(line))
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


def _is_file(stream: TextIO) -> bool:
    try:
        return stat.S_ISREG(os.fstat(stream.fileno()).st_mode)
    except OSError:  # also raised for a stream without a file descriptor
        return False
