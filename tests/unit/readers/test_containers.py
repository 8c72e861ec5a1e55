import gzip
import sys
import tracemalloc
from collections.abc import Callable
from importlib import import_module

import pytest

from profgate.errors import ProfileError
from profgate.model.source import source_of
from profgate.readers import containers
from profgate.readers.containers import read_all, unwrap

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
Pack = Callable[[bytes], bytes]
both = pytest.mark.parametrize("pack", [gzip.compress, zstd.compress], ids=["gzip", "zstandard"])
TEXT = b"main;work 3\nmain;\xc3\xa9t\xc3\xa9 4\n"


def unwrapped(data: bytes) -> bytes:
    return read_all(unwrap(source_of("x", data)))


@both
@pytest.mark.parametrize("layers", [0, 1, 2, 3])
def test_up_to_three_layers_are_taken_off(layers: int, pack: Pack) -> None:
    data = TEXT
    for _ in range(layers):
        data = pack(data)
    assert unwrapped(data) == TEXT


@both
def test_a_fourth_layer_is_refused(pack: Pack) -> None:
    data = TEXT
    for _ in range(4):
        data = pack(data)
    with pytest.raises(ProfileError, match="more than 3 times"):
        unwrapped(data)


@both
def test_all_members_are_read_and_padding_is_not(pack: Pack) -> None:
    assert unwrapped(pack(TEXT) + pack(TEXT) + b"\0" * 512) == TEXT * 2


@both
@pytest.mark.parametrize("more", range(5))
def test_members_are_read_wherever_a_chunk_ends(pack: Pack, more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    first = pack(TEXT)
    monkeypatch.setattr(containers, "PACKED_CHUNK", len(first) + more)
    assert unwrapped(first + pack(TEXT)) == TEXT * 2


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (b"\xef\xbb\xbf", "utf-8"),
        (b"\xff\xfe", "utf-16-le"),
        (b"\xfe\xff", "utf-16-be"),
    ],
)
def test_texts_become_utf8(mark: bytes, encoding: str) -> None:
    assert unwrapped(mark + TEXT.decode().encode(encoding)) == TEXT


@both
def test_packed_data_cut_anywhere_is_refused(pack: Pack) -> None:
    data = pack(TEXT)
    for end in range(4, len(data)):
        with pytest.raises(ProfileError, match="too early"):
            unwrapped(data[:end])


def test_damaged_gzip_names_the_byte() -> None:
    data = bytearray(gzip.compress(TEXT))
    data[-6] ^= 1
    with pytest.raises(ProfileError, match=r"x: byte \d+: damaged packed data"):
        unwrapped(bytes(data))


@both
@pytest.mark.parametrize(("limit", "most"), [("MAX_BYTES", 4 << 20), ("RATIO_FLOOR", 1 << 20)])
def test_what_grows_beyond_the_caps_is_refused(
    pack: Pack, limit: str, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(containers, limit, most)
    with pytest.raises(ProfileError, match="exceeds"):
        unwrapped(pack(b"\0" * (8 << 20)))


def test_large_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "MAX_BYTES", 3)
    with pytest.raises(ProfileError, match="larger than 3 bytes"):
        read_all(source_of("x", TEXT))


@both
def test_a_bomb_is_counted_while_it_is_unpacked(pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(containers, "MAX_BYTES", 2 << 20)
    packed = pack(b"\0" * (64 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(ProfileError, match="exceeds"):
            unwrapped(packed)
        assert tracemalloc.get_traced_memory()[1] < 16 << 20
    finally:
        tracemalloc.stop()
