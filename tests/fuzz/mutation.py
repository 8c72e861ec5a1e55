"""Makes hostile inputs of sound ones: by bytes and words for any format, by values where a format can be taken apart.

Everything comes from the ``Random`` that is passed, so a seed names an input.
"""

import contextlib
import json
import marshal
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from profgate.readers.pstats import loads

# places where signs, widths and types of numbers end
NUMBERS = (
    *(0, -1, 1, 2, 255, 65_535, 65_536, 2**31 - 1, 2**31, 2**32, 2**53 + 1, 2**61, 2**62, 2**63 - 1, 2**63, 2**64),
    *(-(2**31), -(2**63), -(2**63) - 1, 10**30, 10**400, 0.5, -0.5, 1e-9, 1e18, 1e19, 1e300),
)
VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        False,
        "",
        "x",
        "a;b;c",
        "0",
        "-1",
        "1e400",
        "nan",
        "1/0",
        "\ud800",
        "a\x00b",
        "\u202e",
        "::error::x",
    ),
    *("'" * 30, "9" * 5000, "../../x", [], {}, [[]], [None], [0, 0], {"a": 1}),
    *NUMBERS,
)
WORDS = (
    *(b"\x00", b"\xff" * 9 + b"\x01", b"\x80" * 200, b"\xed\xa0\x80", b"\xe2\x80\xae", b"\xef\xbb\xbf", b"\xff\xfe"),
    *(b"-1", b"0", b"1", b"9" * 19, b"9" * 5000, b"0" * 11 + b"1" * 5000, b"1e400", b"1e-400"),
    *(b"1e999999999", b"nan", b"sNaN", b"inf", b"-inf"),
    *(b"\n", b"\r\n", b"\t", b" ", b";", b":", b",", b"/", b"%", b"+", b"*", b"-", b"=", b"#", b"(1)", b"(99999999)"),
    *(b'"', b"'", b"{", b"}", b"[", b"]", b"[" * 2000, b'{"a":' * 2000, b"<a>" * 3000, b"null", b"true", b"{}", b"[]"),
    *(b"<!DOCTYPE x [<!ENTITY a 'b'>]>", b"&a;", b"&#0;", b"<![CDATA[", b"<!--", b"\x28\xff\xff\xff\x7f"),
    *(b"0x7fffffffffffffff", b"fn=", b"cfn=", b"calls=", b"::error::x", b"##[error]x"),
)  # fmt: skip
NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
FEW = 60  # of a list's items are candidates for a change
MOST_PLACES = 5_000  # in a tree
LARGEST = 200_000  # bytes; what is larger costs time and tells nothing new


@dataclass(frozen=True, slots=True)
class Codec:
    """Takes a format apart into lists, dicts and scalars, and puts such values together again."""

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]


def mutated(data: bytes, random: Random, codecs: tuple[Codec, ...] = ()) -> bytes:
    """Another input near ``data``, at most ``LARGEST`` bytes."""
    if codecs and random.random() < 0.6:
        codec = random.choice(codecs)
        try:
            return codec.encode(_other_value(codec.decode(data), random))[:LARGEST]
        except Exception:  # noqa: BLE001, S110 - a codec is for sound data, and this may have been changed before
            pass
    return _other_bytes(data, random)[:LARGEST]


def _other_bytes(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        random.choice(BYTE_CHANGES)(changed, random)
    return bytes(changed)


def _flip(data: bytearray, random: Random) -> None:
    if data:
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)


def _overwrite(data: bytearray, random: Random) -> None:
    if data:
        data[random.randrange(len(data))] = random.choice((0, 1, 0x7F, 0x80, 0xFF, random.randrange(256)))


def _insert_word(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data) + 1)
    data[at:at] = random.choice(WORDS)


def _cut(data: bytearray, random: Random) -> None:
    del data[random.randrange(len(data) + 1) :]


def _repeat(data: bytearray, random: Random) -> None:
    start = random.randrange(len(data) + 1)
    piece = data[start : start + random.randrange(1, 200)]
    data[start:start] = piece * random.choice((1, 1, 2, 20, 300))


def _remove(data: bytearray, random: Random) -> None:
    start = random.randrange(len(data) + 1)
    del data[start : start + random.randrange(1, 60)]


def _move(data: bytearray, random: Random) -> None:
    start = random.randrange(len(data) + 1)
    piece = data[start : start + random.randrange(1, 60)]
    at = random.randrange(len(data) + 1)
    data[at:at] = piece


def _other_number(data: bytearray, random: Random) -> None:
    start = random.randrange(len(data) + 1)
    found = NUMBER.search(data, start, start + 3000)
    if found:
        data[found.start() : found.end()] = random.choice((str(random.choice(NUMBERS)).encode(), random.choice(WORDS)))


def _other_lines(data: bytearray, random: Random) -> None:
    lines = bytes(data).split(b"\n")
    one, two = random.randrange(len(lines)), random.randrange(len(lines))
    match random.randrange(4):
        case 0:
            lines[one], lines[two] = lines[two], lines[one]
        case 1:
            del lines[one]
        case 2:
            lines[two:two] = [lines[one]] * random.choice((1, 2, 50))
        case _:
            lines[one] = lines[one] + lines[two]
    data[:] = b"\n".join(lines)


def _other_varint(data: bytearray, random: Random) -> None:
    at = random.randrange(len(data) + 1)
    data[at : at + random.randrange(3)] = varint(random.choice((0, 1, 127, 128, 2**31, 2**32, 2**62, 2**63, 2**64 - 1)))


BYTE_CHANGES = (
    *(_flip, _overwrite, _insert_word, _insert_word, _cut, _repeat, _remove, _move),
    *(_other_number, _other_number, _other_number, _other_lines, _other_varint),
)


def _other_value(value: Any, random: Random) -> Any:  # noqa: C901 - a list of changes, one after the other
    """Another tree, changed at a few places."""
    holder = [value]
    for _ in range(random.choice((1, 1, 1, 2, 3, 5))):
        places = list(islice(_places(holder), MOST_PLACES))
        parent, key = random.choice(places)
        other_parent, other_key = random.choice(places)
        match random.randrange(9):
            case 0 if parent is not holder:
                del parent[key]
            case 1 if isinstance(parent, list):
                times = min(random.choice((1, 10, 1000)), MOST_PLACES // _size(parent[key]))
                parent.extend(json_copy(parent[key]) for _ in range(times))
            case 2:
                parent[key] = [parent[key]]
            case 3 if _size(other_parent[other_key]) < FEW:
                # what stands elsewhere in the same file has the right form more often
                parent[key] = json_copy(other_parent[other_key])
            case 4 if isinstance(parent, dict) and isinstance(other_key, str):
                parent[other_key] = json_copy(parent[key]) if _size(parent[key]) < FEW else None
            case 5 if type(parent[key]) is int:
                parent[key] += random.choice((1, -1, 2, 1000, -1000))
            case 6 if isinstance(parent[key], list):
                random.shuffle(parent[key])
            case 7 if random.random() < 0.1:
                for _ in range(random.choice((50, 900))):
                    parent[key] = [parent[key]]
            case _:
                parent[key] = json_copy(random.choice(VALUES))
        holder = holder or [None]
    return holder[0]


def _places(holder: list[Any]) -> Iterator[tuple[Any, Any]]:
    """Every place of a value, as its container and its key there; without recursion, since it may be deep."""
    open_ = [holder]
    while open_:
        container: Any = open_.pop()
        keys = list(container)[:FEW] if isinstance(container, dict) else range(min(len(container), FEW))
        for key in keys:
            yield container, key
            if isinstance(container[key], dict | list):
                open_.append(container[key])


def _size(value: Any) -> int:
    """How many values a tree holds, at most about ``MOST_PLACES``, since copies of copies grow without end."""
    open_, size = [value], 0
    while open_ and size < MOST_PLACES:
        one = open_.pop()
        size += 1
        if isinstance(one, dict | list):
            open_ += one.values() if isinstance(one, dict) else one
    return size


def json_copy(value: Any) -> Any:
    """The same tree, of new lists and dicts."""
    if isinstance(value, dict):
        return {key: json_copy(item) for key, item in value.items()}
    return [json_copy(item) for item in value] if isinstance(value, list | tuple) else value


# --- formats ---------------------------------------------------------------------------------------------------------


def _json_lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines() if line.strip()]


def varint(number: int) -> bytes:
    """The number as protobuf and others write it: seven bits a byte, the lowest first."""
    number &= 2**64 - 1
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = data[at]
        number |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return number, at


def _protobuf(data: bytes, depth: int = 0) -> list[list[Any]]:
    """Fields as [number, wire type, value]; a value of bytes that reads as a message is one."""
    at, fields = 0, []
    while at < len(data):
        key, at = _read_varint(data, at)
        number, kind = key >> 3, key & 7
        value: Any
        if kind == 0:
            value, at = _read_varint(data, at)
        elif kind == 2:
            size, at = _read_varint(data, at)
            if at + size > len(data):
                raise ValueError("ends early")
            value, at = data[at : at + size].decode("latin-1"), at + size
            if depth < 2 and value:
                with contextlib.suppress(ValueError, IndexError):
                    value = _protobuf(value.encode("latin-1"), depth + 1)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
            value, at = data[at : at + size].decode("latin-1"), at + size
        else:
            raise ValueError("no protobuf")
        fields.append([number, kind, value])
    return fields


def _to_protobuf(fields: Any) -> bytes:
    out = bytearray()
    for field in fields:
        number, kind, value = field[0], field[1], field[2]
        out += varint(int(number) << 3 | int(kind) & 7)
        if isinstance(value, int | float):
            out += varint(int(value))
        else:
            inner = _to_protobuf(value) if isinstance(value, list) else str(value).encode("latin-1", "replace")
            out += varint(len(inner)) + inner if kind == 2 else inner
    return bytes(out)


def _from_marshal(data: bytes) -> Any:
    return _thawed(loads(data, "seed"))


def _thawed(value: Any) -> Any:
    """Dicts become lists of pairs and tuples lists, so that a mutation may change their keys as well."""
    if isinstance(value, dict):
        return ["dict", *([_thawed(key), _thawed(item)] for key, item in value.items())]
    return [_thawed(item) for item in value] if isinstance(value, tuple) else value


def _frozen(value: Any) -> Any:
    if isinstance(value, list) and value[:1] == ["dict"]:
        return {_frozen(pair[0]): _frozen(pair[1]) for pair in value[1:]}
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


JSON = Codec(json.loads, lambda value: json.dumps(value).encode())
JSON_LINES = Codec(_json_lines, lambda lines: b"".join(json.dumps(line).encode() + b"\n" for line in lines))
PROTOBUF = Codec(_protobuf, _to_protobuf)
MARSHAL = Codec(_from_marshal, lambda value: marshal.dumps(_frozen(value)))
