"""Text for the terminal: in colour where somebody looks, the same text without it anywhere else."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TextIO

LONG = 50 << 20  # bytes; less is read before a bar could be seen
STYLES = {"head": "bold", "bad": "bold red", "warn": "yellow", "good": "green", "quiet": "dim", "text": ""}


def show(lines: str | Sequence[tuple[str, str]], stream: TextIO) -> None:
    """Write plain text, or lines with their tone; signs that the stream's encoding lacks become question marks."""
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
    """A bar for ``size`` bytes where somebody looks and it takes long; gives what to call with the bytes read."""
    if size < LONG or not stream.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    # without a thread that redraws: beside one, reading could not fork
    with Progress(console=Console(file=stream), transient=True, auto_refresh=False) as bar:
        task = bar.add_task("reading profiles", total=size)
        bar.refresh()
        yield lambda done: bar.update(task, advance=done, refresh=True)


def _coloured(lines: Sequence[tuple[str, str]], stream: TextIO) -> None:
    # rich takes a tenth of a second to import, which nobody should wait for who writes to a file
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False, soft_wrap=True)
    for tone, line in lines:
        console.print(Text(line, style=STYLES.get(tone, "")))
