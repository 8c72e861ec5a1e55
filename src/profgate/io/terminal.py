"""Terminal output, with colours only on a terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

LONG = 50 << 20  # in bytes; smaller input is read too quickly for a progress bar
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

    # no refresh thread, since a process with threads cannot fork safely
    with Progress(console=Console(file=stream), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("reading profiles", total=size)
        bar.refresh()
        yield lambda done: bar.update(task, advance=done, refresh=True)


def _coloured(lines: Sequence[tuple[str, str]], stream: TextIO) -> None:
    # importing rich takes 0.1 s and is not needed without colours
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for tone, line in lines:
        console.print(Text(line, style=STYLES.get(tone, "")))
