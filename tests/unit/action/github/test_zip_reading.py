"""Untrusted zips: only regular files within the limits are unpacked."""

import io
import struct
import tracemalloc
import warnings
import zipfile

import pytest

from profgate.action.github.downloads import read_zip
from profgate.errors import ProfileError


def packed(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    buffer = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        warnings.simplefilter("ignore")  # the standard library warns of duplicates while it writes them
        for entry, data in entries:
            # without a clock, for the bytes name a test
            member = zipfile.ZipInfo(entry) if isinstance(entry, str) else entry
            archive.writestr(member, data, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)
    entry.create_system = 3
    entry.external_attr = mode << 16
    return entry


def encrypted(data: bytes) -> bytes:
    """The same zip with the bit of encryption set in both headers."""
    changed = bytearray(data)
    for signature, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        changed[changed.index(signature) + offset] |= 1
    return bytes(changed)


def lying(data: bytes, size: int = 1) -> bytes:
    """The same zip with a central directory that states another size of its first file."""
    place = data.index(b"PK\x01\x02") + 24
    return data[:place] + struct.pack("<I", size) + data[place + 4 :]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (packed(("a", b"1"), ("a", b"2")), "is there twice"),
        (packed(("../a", b"")), "leaves its folder"),
        (packed(("x/../../a", b"")), "leaves its folder"),
        (packed(("/etc/passwd", b"")), "leaves its folder"),
        (packed(("C:/a", b"")), "leaves its folder"),
        (packed(("..\\a", b"")), "leaves its folder"),
        (packed(("a\\b", b"")), "leaves its folder"),
        (packed(("a\nb", b"")), "control characters"),
        (packed((special("link", 0o120777), b"/etc/passwd")), "is a link or device"),
        (packed((special("pipe", 0o010666), b"")), "is a link or device"),
        (encrypted(packed(("a", b"secret"))), "is encrypted"),
        (b"", "is broken"),
        (b"<html></html>", "is broken"),
        (packed(("a", b"text " * 100))[:-30], "is broken"),
        (packed(("a", b"0123456789" * 9)).replace(b"PK\x01\x02", b"PK\x01\x03"), "is broken"),
        (lying(packed(("a", b"0123456789" * 9))), "is broken"),
    ],
)
def test_what_no_packer_of_profiles_writes_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(ProfileError, match=reason):
        read_zip(data, where="artifact x")


def test_zip_bomb_is_refused() -> None:
    one = packed(("a", bytes(50_000_000)))
    many = packed(*((f"a{number}", bytes(1_000_000)) for number in range(20)))
    assert len(one) < 60_000
    for bomb in (one, many):
        with pytest.raises(ProfileError, match="unpacks to more than is allowed"):
            read_zip(bomb)


def test_a_bomb_is_counted_while_it_is_unpacked() -> None:
    bomb = packed(("a", bytes(64 << 20)))
    tracemalloc.start()
    try:
        with pytest.raises(ProfileError, match="unpacks to more than is allowed"):
            read_zip(bomb, max_bytes=1 << 20)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()


def crowded(entries: int) -> bytes:
    """A zip of empty files with names of one letter; the end of a directory with over 65,535 entries is in zip64."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", b"")
        archive.filelist *= entries
    return buffer.getvalue()


@pytest.mark.parametrize("entries", [20_000, 100_000])
@pytest.mark.parametrize("stated", [None, 1])
def test_many_entries_are_refused_before_parsing(entries: int, stated: int | None) -> None:
    data = bytearray(crowded(entries))
    if stated is not None:
        struct.pack_into("<HH", data, len(data) - 14, stated, stated)
    tracemalloc.start()
    try:
        with pytest.raises(ProfileError, match=f"{entries} entries, but at most 10000"):
            read_zip(bytes(data), max_members=10_000)
        assert tracemalloc.get_traced_memory()[1] < 3 * len(data)  # one object for each entry takes more
    finally:
        tracemalloc.stop()


def test_nested_archives_are_not_unpacked() -> None:
    inner = packed(("a", bytes(50_000_000)))
    assert read_zip(packed(("inner.zip", inner))) == {"inner.zip": inner}


ZSTANDARD = 93  # Python 3.14 knows this method


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, ZSTANDARD])
def test_methods_without_bound_are_refused_unread(method: int) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED if method == ZSTANDARD else method) as archive:
        archive.writestr("a.folded", bytes(64 << 20 if method != ZSTANDARD else 9))
    data = buffer.getvalue()
    if method == ZSTANDARD:
        place = data.index(b"PK\x01\x02") + 10
        data = data[:place] + struct.pack("<H", ZSTANDARD) + data[place + 2 :]
    tracemalloc.start()
    try:
        with pytest.raises(ProfileError, match="packed by a method other than stored and deflate"):
            read_zip(data)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_no_stated_size_is_believed() -> None:
    data = packed(("a", b"0123456789" * 9), ("b", b"x"))
    assert read_zip(lying(data, 1 << 30), max_bytes=91) == {"a": b"0123456789" * 9, "b": b"x"}
    with pytest.raises(ProfileError, match="unpacks to more"):
        read_zip(lying(data, 1 << 30), max_bytes=90)


def test_each_limit_holds_to_the_byte() -> None:
    data = packed(("a", b"12345"), ("b", b"67890"))
    assert sum(map(len, read_zip(data, max_bytes=10, max_members=2).values())) == 10
    with pytest.raises(ProfileError, match="unpacks to more"):
        read_zip(data, max_bytes=9)
    with pytest.raises(ProfileError, match="2 entries, but at most 1"):
        read_zip(data, max_members=1)


def test_stored_bomb_and_overlapping_entries_are_refused() -> None:
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("a", bytes(100_000))
        archive.filelist *= 2
    with pytest.raises(ProfileError, match="is there twice"):
        read_zip(stored.getvalue())
    with pytest.raises(ProfileError, match="unpacks to more than is allowed"):
        read_zip(stored.getvalue(), max_bytes=99_999)
