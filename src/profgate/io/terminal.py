"""Terminal output. Colours are used only on terminals, and workflow commands in GitHub's logs are disabled."""

import io
import os
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from typing import TextIO

from profgate.model.visible_text import without_commands

LONG = 50 << 20  # bytes; smaller input is read too quickly for a bar
STYLES = {"head": "bold", "bad": "bold red", "warn": "yellow", "good": "green", "quiet": "dim", "text": ""}


def show(lines: str | Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Write plain text, or lines with styles. Characters that the stream cannot encode become question marks."""
    toned = [("text", line) for line in lines.removesuffix("\n").split("\n")] if isinstance(lines, str) else lines
    encoding = getattr(stream, "encoding", None) or "utf-8"
    printable = [(tone, line.encode(encoding, "replace").decode(encoding)) for tone, line in toned]
    if stream.isatty():
        _coloured(printable, stream)
    else:
        stream.write("".join(f"{line}\n" for _, line in printable))
    stream.flush()


@contextmanager
def reading(stream: TextIO, size: int) -> Iterator[Callable[[int], None] | None]:
    """Show a progress bar for large input on a terminal.

    Yields a callback that takes the number of bytes read, or None if no bar is shown.
    """
    if size < LONG or not stream.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    # there is no refresh thread, because a process with threads cannot fork safely
    with Progress(console=Console(file=stream), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("reading profiles", total=size)
        bar.refresh()
        yield lambda done: bar.update(task, advance=done, refresh=True)


@contextmanager
def commands_disabled() -> Iterator[None]:
    """Disable workflow commands in everything that is printed in the block, because it may contain untrusted names.

    Output that goes to a file is not changed.
    """
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


def _coloured(lines: Sequence[tuple[str, str]], stream: TextIO) -> None:
    # importing rich takes 0.1 s and is not needed without colours
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for tone, line in lines:
        console.print(Text(line, style=STYLES.get(tone, "")))
