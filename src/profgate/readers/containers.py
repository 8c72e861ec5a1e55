"""Decompression of gzip and zstandard files, and conversion of text to UTF-8."""

import io
import zlib
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, BinaryIO

from profgate.errors import ProfileError
from profgate.model.source import SourceFile, source_of

MAX_BYTES = 1 << 30
MAX_LAYERS = 3
# maximum compression ratio, which is checked only if the output exceeds RATIO_FLOOR; real profiles have lower ratios
MAX_RATIO = 400
RATIO_FLOOR = 64 << 20
CHUNK = 1 << 20
PACKED_CHUNK = 1 << 14  # of compressed bytes, which are copied for each member, and members can be very small
MAX_LINE = 16 << 20

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_PACKED = (_GZIP, _ZSTD)
_MARKS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}  # byte order marks


def unwrap(source: SourceFile) -> SourceFile:
    """Decompress up to three layers and convert text to UTF-8. Raises ProfileError for damaged or too large files."""
    for _ in range(MAX_LAYERS):
        if not source.head.startswith(_PACKED):
            break
        source = source_of(source.name, inflate(source))
    if source.head.startswith(_PACKED):
        raise ProfileError(source.name, f"compressed more than {MAX_LAYERS} times; decompress it first")
    for mark, encoding in _MARKS.items():
        if source.head.startswith(mark):
            text = read_all(source)[len(mark) :].decode(encoding, errors="replace")
            return source_of(source.name, text.encode())
    return source


def is_wrapped(source: SourceFile) -> bool:
    """Return whether `unwrap` changes the file, because it is compressed or has a byte order mark."""
    return source.head.startswith((*_PACKED, *_MARKS))


def read_all(source: SourceFile) -> bytes:
    """Return all bytes of a source. Raises ProfileError if the source is larger than the memory limit."""
    data = source.read(MAX_BYTES)
    if len(data) > MAX_BYTES:
        raise ProfileError(source.name, f"larger than {MAX_BYTES} bytes; record less, or aggregate it first")
    return data


def numbered_lines(source: SourceFile) -> Iterator[tuple[int, bytes]]:
    """Yield the number, from 1, and the bytes of each line. Raises ProfileError for lines of 16 MiB or more."""
    with source.open(0, None) as stream:
        for number, line in enumerate(iter(partial(stream.readline, MAX_LINE), b""), start=1):
            if len(line) == MAX_LINE:
                what = f"is longer than {MAX_LINE} bytes; record it again"
                raise ProfileError(f"{source.name}: line {number}", what)
            yield number, line


def inflate(source: SourceFile) -> bytes:
    """Remove one layer of compression and return the data. Raises ProfileError if the data is damaged or too large."""
    unpacked = io.BytesIO()
    with source.open(0, None) as stream:
        for piece, taken in _pieces(stream, source):
            unpacked.write(piece)
            size = unpacked.tell()
            if size > MAX_BYTES or (size > RATIO_FLOOR and size > taken * MAX_RATIO):
                raise ProfileError(
                    f"{source.name}: byte {taken}",
                    f"the decompressed profile exceeds {size} bytes; use a smaller profile",
                )
    return unpacked.getvalue()


def _pieces(stream: BinaryIO, source: SourceFile) -> Iterator[tuple[bytes, int]]:
    """Yield the decompressed bytes of all members in pieces, each with the number of compressed bytes read so far."""
    zstd = _zstd() if source.head.startswith(_ZSTD) else None
    kind, damage = ("packed", zlib.error) if zstd is None else ("zstandard", zstd.ZstdError)
    taken, waiting = 0, b""
    while True:
        member: Any = zlib.decompressobj(wbits=47) if zstd is None else zstd.ZstdDecompressor()
        while not member.eof:
            if not waiting and (zstd is None or member.needs_input):
                waiting = stream.read(PACKED_CHUNK)
                taken += len(waiting)
                if not waiting:
                    what = f"the {kind} data ends too early; record or upload it again"
                    raise ProfileError(f"{source.name}: byte {taken}", what)
            try:
                piece = member.decompress(waiting, CHUNK)
            except damage as error:
                place = f"{source.name}: byte {taken - len(waiting)}"
                raise ProfileError(place, f"damaged {kind} data ({error}); record or upload it again") from None
            waiting = member.unconsumed_tail if zstd is None else b""
            yield piece, taken
        waiting = member.unused_data
        if len(waiting) < len(_ZSTD):  # the beginning of the next member may not be read completely
            waiting += (more := stream.read(PACKED_CHUNK))
            taken += len(more)
        # some tools append zero bytes or a signature, so reading continues only if another member follows
        if not waiting.startswith(_GZIP if zstd is None else _ZSTD):
            return


def _zstd() -> ModuleType:
    """Return the zstandard module of the standard library or, before Python 3.14, its backport."""
    try:
        return import_module("compression.zstd")
    except ModuleNotFoundError:
        return import_module("backports.zstd")
