"""Conversion of recordings by the tool that wrote them, for formats that no other tool can read."""

import sys
from collections.abc import Callable
from pathlib import Path

from profgate.errors import ProfileError
from profgate.model.record import Record
from profgate.model.source import JFR_EVENTS, SourceFile, source_of
from profgate.model.visible_text import cut, plain

TIMEOUT = 120  # in seconds
LARGEST = 512 << 20  # maximum number of bytes of a recording


class Converter(Record):
    """A conversion by an external tool. ``command`` takes input and output file, and returns None without the tool."""

    recognises: Callable[[bytes], bool]
    command: Callable[[str, str], list[str] | None]
    prints: bool = False


def converted(source: SourceFile) -> SourceFile:
    """Convert a recording to a format that profgate reads.

    Returns the source itself if no conversion is needed or the tool is missing; then the reader's error contains the
    command to run. Raises ProfileError with the error of the tool.
    """
    for converter in CONVERTERS:
        if converter.recognises(source.head) and 0 < source.size <= LARGEST:
            data = _run(converter, source)
            return source if data is None else source_of(source.name, data)
    return source


def is_recording(source: SourceFile) -> bool:
    """Return whether a tool must convert the file."""
    return any(converter.recognises(source.head) for converter in CONVERTERS)


def _run(converter: Converter, source: SourceFile) -> bytes | None:
    import subprocess  # imported here because few files are recordings

    from profgate.io.scratch import scratch_folder

    with scratch_folder() as folder:  # jfr requires this file extension
        recording, result = Path(folder, "recording.jfr"), Path(folder, "result")
        command = converter.command(str(recording), str(result))
        if command is None:
            return None
        recording.write_bytes(source.read(LARGEST))
        try:
            with (result if converter.prints else Path(folder, "printed")).open("wb") as printed:
                ended = subprocess.run(  # noqa: S603 - a known tool with our own file names
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.PIPE,
                    check=False,
                    timeout=TIMEOUT,
                )
            if ended.returncode == 0 and result.stat().st_size <= (1 << 30):
                return result.read_bytes()
            text = ended.stderr.decode(errors="replace").replace(str(recording), "the file")
        except (OSError, subprocess.SubprocessError) as error:
            text = str(error)
    tool = Path(command[0]).name
    raise ProfileError(source.name, f"{tool} cannot read this recording: {cut(plain(text), 300) or 'no reason'}")


def _jfr(recording: str, result: str) -> list[str] | None:  # noqa: ARG001 - jfr prints to standard output
    import shutil

    tool = shutil.which("jfr")
    events = ",".join(JFR_EVENTS)
    return [tool, "print", "--json", "--stack-depth", "1024", "--events", events, recording] if tool else None


def _memray(recording: str, result: str) -> list[str] | None:
    import shutil
    from importlib.util import find_spec

    tool = shutil.which("memray")
    if tool is None and find_spec("memray") is None:
        return None
    start = [tool] if tool is not None else [sys.executable, "-I", "-m", "memray"]
    return [*start, "transform", "speedscope", "-f", "-o", result, recording]


CONVERTERS = (
    Converter(lambda head: head.startswith(b"FLR\0"), _jfr, prints=True),
    # an LZ4 frame whose first block starts with the tool's name
    Converter(lambda head: head.startswith((b"\x04\x22\x4d\x18", b"memray")) and b"memray" in head[:64], _memray),
)
